import SessionWire

/// A signal that came.
public struct BusSignal: Sendable {
    /// The unique name of who sent it.
    public var sender: String
    /// The object it comes from.
    public var path: String
    /// Its interface.
    public var interface: String
    /// Its name.
    public var member: String
    /// What it carries.
    public var arguments: [WireValue]
}

/// What was subscribed to or followed, until it is cancelled or released.
public final class Subscription {
    private let number: Int
    private weak var connection: BusConnection?

    init(_ number: Int, _ connection: BusConnection) {
        self.number = number
        self.connection = connection
    }

    deinit { cancel() }

    /// Ends it: nothing is called back any more.
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
    /// Calls back for every signal that a rule is about, also those that are sent to us alone, over all reconnections.
    ///
    /// What claims to come from a well-known name but does not come from its owner is left out. So is a signal that is
    /// too large to be read.
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

    func takeSignal(_ message: borrowing Message) {
        let sender = message.sender
        let path = message.path
        let interface = message.interface
        let member = message.member
        let isOfBus = sender == Self.busName && interface == Self.busName
        var fitting: [Int] = []
        for entry in subscriptions {
            let rule = entry.rule
            guard rule.fits(path: path, interface: interface, member: member) else { continue }
            if rule.followsSender {
                guard nameWatches.contains(where: { $0.name == rule.sender && $0.owner == sender }) else { continue }
            } else if let expected = rule.sender, expected != sender {
                continue
            }
            fitting.append(entry.number)
        }
        guard isOfBus || !fitting.isEmpty, let arguments = try? message.arguments() else { return }
        if isOfBus { takeNews(member, arguments) }
        let signal = BusSignal(sender: sender, path: path, interface: interface, member: member, arguments: arguments)
        for number in fitting {
            // One may have ended another meanwhile.
            guard let entry = subscriptions.first(where: { $0.number == number }), entry.rule.fits(arguments) else {
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
        askBus(member, [.string(text)]) { _ in }
    }

    /// Calls a method of the bus itself.
    func askBus(
        _ member: String, _ arguments: [WireValue], then body: @escaping (Result<[WireValue], WireError>) -> Void
    ) {
        call(Self.busName, path: Self.busPath, interface: Self.busName, member, arguments, then: body)
    }
}
