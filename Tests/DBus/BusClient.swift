import BusInterface

@testable import DBus

/// After so long, what is waited for does not come any more.
let hung = Duration.seconds(120)

extension PollLoop {
    /// Runs the loop until a condition holds, also one of another process; returns false if something hangs.
    func wait(until isOver: () throws -> Bool) rethrows -> Bool {
        let end = ContinuousClock.now + hung
        while try !isOver() {
            if ContinuousClock.now >= end { return false }
            runOnce(timeout: .milliseconds(5))
        }
        return true
    }
}

/// A client that waits for answers on its own loop.
final class BusClient {
    /// The loop that runs during a wait.
    let loop = PollLoop()
    /// The connection, for use without waiting.
    let connection: BusConnection
    private var signals: [BusSignal] = []
    private var subscriptions: [Subscription] = []

    /// Connects; throws the reason if the bus cannot be reached.
    init(_ address: BusAddress, takesDescriptors: Bool = false) throws(WireError) {
        connection = BusConnection(address, loop: loop, readsAhead: false, takesDescriptors: takesDescriptors)
        connection.open()
        let connection = connection
        _ = loop.wait { connection.isConnected || connection.lastError != nil }
        if connection.isConnected { return }
        connection.close()
        throw connection.lastError ?? WireError(WireErrorName.noReply, "the bus did not answer")
    }

    deinit { connection.close() }

    /// Calls a method and waits for the answer.
    func call(
        _ destination: String, path: String, interface: String, _ member: String, _ arguments: [WireValue] = [],
        timeout: Duration = hung
    ) throws(WireError) -> [WireValue] {
        var answer: Result<[WireValue], WireError>?
        connection.call(
            destination, path: path, interface: interface, member, arguments, timeout: timeout, then: { answer = $0 })
        // The connection itself ends the call at its time limit.
        loop.run(until: { answer != nil })
        switch answer {
        case .success(let values): return values
        case .failure(let error): throw error
        case nil: throw WireError(WireErrorName.failed, "the loop was stopped")
        }
    }

    /// Reads a property.
    func property(
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
    func setProperty(
        _ name: String, interface: String, of destination: String, path: String, to value: WireValue
    ) throws(WireError) {
        _ = try call(
            destination, path: path, interface: WireInterface.properties.name, "Set",
            [.string(interface), .string(name), .variant(value)])
    }

    /// Starts to collect the signals that match a rule, for ``nextSignal()``.
    func listen(to rule: MatchRule) {
        subscriptions.append(connection.subscribe(rule) { [weak self] in self?.signals.append($0) })
        // The bus handles messages in order, so after this call the rule is in place.
        _ = try? call(
            BusConnection.busName, path: BusConnection.busPath, interface: BusConnection.busName, "GetId")
    }

    /// The oldest collected signal that was not returned yet, once there is one; nil if none comes.
    func nextSignal() -> BusSignal? {
        _ = wait { !signals.isEmpty }
        return collectedSignal()
    }

    /// The oldest signal that was collected so far and not returned yet.
    func collectedSignal() -> BusSignal? { signals.isEmpty ? nil : signals.removeFirst() }

    /// Runs the loop until a condition holds; returns false if something hangs.
    func wait(until isOver: () throws -> Bool) rethrows -> Bool { try loop.wait(until: isOver) }
}
