import BusInterface

/// An answer that takes longer to make than a turn of the loop may last.
public final class LongAnswer {
    /// The type of the answer's value.
    public enum Kind {
        /// An array or dictionary with elements of this type signature, as `{sv}` in `a{sv}`.
        case array(of: String)
        /// A string.
        case text
    }

    /// A piece of the answer.
    public enum Bit {
        /// An element of an array.
        case element(WireValue)
        /// An entry of a dictionary.
        case entry(WireValue.Entry)
        /// A part of a string.
        case text(String)
    }

    /// The number of answers that are made at the same time, because each takes memory for its value; further ones
    /// wait.
    static let most = 8

    private let kind: Kind
    private let reply: Message
    private let call: BusCall
    private let next: () -> Bit?
    private var text = ""

    init(_ kind: Kind, _ reply: borrowing Message, for call: BusCall, _ next: @escaping () -> Bit?) throws(WireError) {
        self.kind = kind
        self.reply = Message(sharing: reply.pointer)
        self.call = call
        self.next = next
        if case .array(let types) = kind { try self.reply.open("a", types, 0) }
    }

    /// The caller that waits for the answer.
    var caller: String { call.sender }

    /// Adds one piece, and sends the answer after the last one. Returns whether there are more.
    func addNext() -> Bool {
        do throws(WireError) {
            switch next() {
            case .element(let value):
                try reply.append(value, depth: 1)
                return true
            case .entry(let entry):
                try reply.append(entry, of: entry.key.typeSignature + entry.value.typeSignature, depth: 0)
                return true
            case .text(let part):
                text += part
                return true
            case nil:
                if case .text = kind { try reply.append([.string(text)]) } else { try reply.close() }
                call.send(reply)
            }
        } catch {
            call.fail(error)
        }
        return false
    }
}

extension BusConnection {
    /// Makes an answer in pieces. The caller's further messages wait meanwhile, so each caller has only one such answer
    /// at a time.
    func make(_ answer: LongAnswer) {
        hold(answer.caller)
        guard longAnswers < LongAnswer.most else { return waitingAnswers.append(answer) }
        begin(answer)
    }

    private func begin(_ answer: LongAnswer) {
        longAnswers += 1
        bitByBit { [weak self] in
            if answer.addNext() { return true }
            guard let self else { return false }
            longAnswers -= 1
            release(answer.caller)
            if let next = waitingAnswers.first {
                waitingAnswers.removeFirst()
                begin(next)
            }
            return false
        }
    }
}
