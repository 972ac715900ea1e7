import BusInterface

/// A received signal.
public struct BusSignal: Sendable {
    /// The unique name of the sender.
    public var sender: String
    /// The object that sent the signal.
    public var path: String
    /// The signal's interface.
    public var interface: String
    /// The signal's name.
    public var member: String
    /// The signal's arguments.
    public var arguments: [WireValue]
}

/// A subscription to signals, or a followed name, until it is cancelled or released.
public final class Subscription {
    private let number: Int
    private weak var connection: BusConnection?

    init(_ number: Int, _ connection: BusConnection) {
        self.number = number
        self.connection = connection
    }

    deinit { cancel() }

    /// Ends the subscription: nothing is called back any more.
    public func cancel() {
        connection?.unsubscribe(number)
        connection = nil
    }
}

struct SubscriptionEntry {
    var number: Int
    var rule: MatchRule
    var body: (BusSignal) -> Void
}

extension BusConnection {
    /// Calls back for every signal that matches a rule, across all reconnections, including signals that are sent to us
    /// alone.
    ///
    /// A signal that does not come from the owner of the rule's well-known name is ignored. So is one that is too large
    /// to be read.
    public func subscribe(_ rule: MatchRule, _ body: @escaping (BusSignal) -> Void) -> Subscription {
        lastNumber &+= 1
        if rule.followsSender, let sender = rule.sender { watchName(sender).users += 1 }
        addMatch(rule.text)
        subscriptions.append(SubscriptionEntry(number: lastNumber, rule: rule, body: body))
        return Subscription(lastNumber, self)
    }

    func unsubscribe(_ number: Int) {
        if let index = subscriptions.firstIndex(where: { $0.number == number }) {
            let rule = subscriptions.remove(at: index).rule
            removeMatch(rule.text)
            if rule.followsSender, let sender = rule.sender { release(watchName(sender)) }
            return
        }
        for watch in nameWatches {
            guard let index = watch.followers.firstIndex(where: { $0.number == number }) else { continue }
            watch.followers.remove(at: index)
            return release(watch)
        }
    }

    func handleSignal(_ message: borrowing Message) {
        let sender = message.sender
        let path = message.path
        let interface = message.interface
        let member = message.member
        let isOfBus = sender == Self.busName && interface == Self.busName
        var fitting: [Int] = []
        for entry in subscriptions {
            let rule = entry.rule
            guard rule.matches(path: path, interface: interface, member: member) else { continue }
            if rule.followsSender {
                guard nameWatches.contains(where: { $0.name == rule.sender && $0.owner == sender }) else { continue }
            } else if let expected = rule.sender, expected != sender {
                continue
            }
            fitting.append(entry.number)
        }
        guard isOfBus || !fitting.isEmpty else { return }
        guard let arguments = try? message.arguments() else {
            // The bus announces the owner of a name only once.
            if isOfBus { giveUp() }
            return
        }
        if isOfBus { handleBusSignal(member, arguments) }
        let signal = BusSignal(sender: sender, path: path, interface: interface, member: member, arguments: arguments)
        for number in fitting {
            // Another callback may have ended this subscription meanwhile.
            guard let entry = subscriptions.first(where: { $0.number == number }), entry.rule.matches(arguments) else {
                continue
            }
            entry.body(signal)
        }
    }

    // MARK: - Matches

    func addMatch(_ text: String) {
        if let index = matches.firstIndex(where: { $0.text == text }) {
            matches[index].users += 1
            return
        }
        matches.append((text, 1))
        if isConnected { sendMatch("AddMatch", text) }
    }

    func removeMatch(_ text: String) {
        guard let index = matches.firstIndex(where: { $0.text == text }) else { return }
        matches[index].users -= 1
        guard matches[index].users == 0 else { return }
        matches.remove(at: index)
        if isConnected { sendMatch("RemoveMatch", text) }
    }

    func sendMatch(_ member: String, _ text: String) {
        setUp(member, [.string(text)]) { _ in }
    }

    /// Asks the bus for a match, a name, or the owner of a name, without which the connection is of no use. If there is no
    /// memory for the request or its answer, the connection is given up, and the next connection asks again.
    func setUp(
        _ member: String, _ arguments: [WireValue], then body: @escaping (Result<[WireValue], WireError>) -> Void
    ) {
        askBus(member, arguments) { [weak self] result in
            if case .failure(let error) = result, error.name == WireErrorName.failed { self?.giveUp() }
            body(result)
        }
    }

    /// Calls a method of the bus itself.
    func askBus(
        _ member: String, _ arguments: [WireValue], then body: @escaping (Result<[WireValue], WireError>) -> Void
    ) {
        call(Self.busName, path: Self.busPath, interface: Self.busName, member, arguments, then: body)
    }
}
