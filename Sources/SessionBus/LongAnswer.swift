import SessionWire

/// An answer to a call that takes longer to be made than a turn of the loop may last.
public final class LongAnswer {
    /// What it is.
    public enum Kind {
        /// An array, or a dictionary, of elements of these types: their letters, as in `a{sv}`.
        case array(of: String)
        /// A text.
        case text
    }

    /// A part of it.
    public enum Bit {
        /// An element of an array.
        case element(WireValue)
        /// An entry of a dictionary.
        case entry(WireValue.Entry)
        /// More of a text.
        case text(String)
    }

    /// So many are made at a time, each of which takes memory for what there is of it; others wait for one of them.
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

    /// Who waits for it.
    var caller: String { call.sender }

    /// Makes a bit; the last one sends it. Returns whether there are more.
    func goOn() -> Bool {
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
    /// Makes an answer bit by bit. What its caller sends meanwhile waits, so that nobody has more than one made at a time.
    func make(_ answer: LongAnswer) {
        hold(answer.caller)
        guard longAnswers < LongAnswer.most else { return waitingAnswers.append(answer) }
        begin(answer)
    }

    private func begin(_ answer: LongAnswer) {
        longAnswers += 1
        bitByBit { [weak self] in
            if answer.goOn() { return true }
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
