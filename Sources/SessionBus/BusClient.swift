import SessionWire

/// A client that waits for answers on a loop of its own: for the command line and tests, never inside a server.
public final class BusClient {
    /// The loop that turns while something is waited for.
    public let loop = PollLoop()
    /// The connection, for what is not waited for.
    public let connection: BusConnection
    private var signals: [BusSignal] = []
    private var subscriptions: [Subscription] = []

    /// Connects, within five seconds; fails with the reason when the bus is not there.
    public init(_ address: BusAddress) throws(WireError) {
        connection = BusConnection(address, loop: loop, readsAhead: false)
        connection.open()
        let connection = connection
        _ = loop.run(until: { connection.isConnected || connection.lastError != nil }, within: .seconds(5))
        if connection.isConnected { return }
        connection.close()
        throw connection.lastError ?? WireError(WireErrorName.noReply, "the bus did not answer within 5 s")
    }

    deinit { connection.close() }

    /// Calls a method and waits for the answer.
    public func call(
        _ destination: String, path: String, interface: String, _ member: String, _ arguments: [WireValue] = [],
        timeout: Duration = .seconds(25)
    ) throws(WireError) -> [WireValue] {
        var answer: Result<[WireValue], WireError>?
        connection.call(
            destination, path: path, interface: interface, member, arguments, timeout: timeout, then: { answer = $0 })
        // The connection answers by itself when the time is over.
        loop.run(until: { answer != nil })
        switch answer {
        case .success(let values): return values
        case .failure(let error): throw error
        case nil: throw WireError(WireErrorName.failed, "the loop was stopped")
        }
    }

    /// Reads a property.
    public func property(
        _ name: String, interface: String, of destination: String, path: String
    ) throws(WireError) -> WireValue {
        let values = try call(
            destination, path: path, interface: WireInterface.properties.name, "Get",
            [.string(interface), .string(name)])
        guard let value = values.first else {
            throw WireError(WireErrorName.failed, "\(destination) answered nothing for \(name)")
        }
        return value.bare
    }

    /// Sets a property.
    public func setProperty(
        _ name: String, interface: String, of destination: String, path: String, to value: WireValue
    ) throws(WireError) {
        _ = try call(
            destination, path: path, interface: WireInterface.properties.name, "Set",
            [.string(interface), .string(name), .variant(value)])
    }

    /// From now on keeps the signals of a rule for ``nextSignal(within:)``.
    public func listen(to rule: MatchRule) {
        subscriptions.append(connection.subscribe(rule) { [weak self] in self?.signals.append($0) })
        // The bus carries out one after the other, so afterwards the rule is there.
        _ = try? call(
            BusConnection.busName, path: BusConnection.busPath, interface: BusConnection.busName, "GetId")
    }

    /// The next signal that was listened for and not taken yet, in their order; nil when none comes in time.
    public func nextSignal(within limit: Duration) -> BusSignal? {
        _ = loop.run(until: { !signals.isEmpty }, within: limit)
        return signals.isEmpty ? nil : signals.removeFirst()
    }

    /// Turns the loop until a condition holds, and says whether it does within a time.
    public func wait(within limit: Duration = .seconds(25), until isOver: () throws -> Bool) rethrows -> Bool {
        try loop.run(until: isOver, within: limit)
    }
}
