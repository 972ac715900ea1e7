import DBus
import DesktopServices
import PolicyEngine
import PolicyRuntime

/// One connection to the bus that has opened sessions, begun interruptions or subscribed to events.
final class Owner {
    /// The connection's unique name.
    let name: String
    /// The owner's identity, once the bus has named its process.
    var identity: ClientIdentity
    /// Reports the end of the connection.
    var follower: Subscription?
    /// The work to be done once the bus has named the process.
    var waiting: [(Owner) -> Void] = []
    /// Whether the bus has named the process.
    var isKnown = false

    init(name: String) {
        self.name = name
        identity = ClientIdentity(
            program: nil, sandbox: nil, binary: nil, displayName: nil, fallback: name, connection: name)
    }

    /// The sandbox that the owner runs in.
    var sandbox: AppSandbox? { identity.sandbox }
    /// The file name of the owner's program.
    var program: String? { identity.program?.executable }
}

extension SessionService {
    /// Calls back with the sender of a call, once the sender's process is known.
    func owner(of call: BusCall, then body: @escaping (Owner) -> Void) {
        let name = call.sender
        let owner = owners[name] ?? register(name)
        if owner.isKnown { return body(owner) }
        owner.waiting.append(body)
    }

    private func register(_ name: String) -> Owner {
        let owner = Owner(name: name)
        owners[name] = owner
        owner.follower = connection.follow(name) { [weak self, weak owner] current in
            // Without a connection of our own, the owner may still be there.
            if current == nil, let owner, self?.connection.isConnected == true { self?.connectionEnded(of: owner) }
        }
        identify(owner) { [weak self, weak owner] program in
            guard let self, let owner else { return }
            if let program {
                owner.identity = ClientIdentity(
                    program: program, sandbox: nil, binary: nil, displayName: nil, fallback: name, connection: name)
            }
            confirm(owner)
        }
        return owner
    }

    /// Asks the bus for an owner's process. Calls of the sender are held back until then: otherwise a thousand calls could
    /// wait here and all run in the turn of the answer.
    func identify(_ owner: Owner, then body: @escaping (Program?) -> Void) {
        let name = owner.name
        connection.hold(name)
        connection.credentials(of: name) { [weak self] result in
            guard let self else { return }
            // `findOwners` asks again when the bus is back.
            if case .failure = result, !connection.isConnected { return }
            body((try? result.get())?.processID.flatMap { self.processes.program(of: $0) })
            connection.release(name)
        }
    }

    /// Serves an owner whose process is known.
    func confirm(_ owner: Owner) {
        owner.isKnown = true
        let waiting = owner.waiting
        owner.waiting = []
        for body in waiting { body(owner) }
    }

    /// Serves waiting calls as those of the name's present owner.
    func serve(_ waiting: [(Owner) -> Void], as name: String) {
        guard !waiting.isEmpty else { return }
        let owner = owners[name] ?? register(name)
        if owner.isKnown { for body in waiting { body(owner) } } else { owner.waiting += waiting }
    }

    /// R12: when a connection ends, everything that it opened ends.
    func connectionEnded(of owner: Owner) {
        if owners[owner.name] === owner { owners[owner.name] = nil }
        subscribe(owner, false)
        owner.waiting = []
        for object in sessions(of: owner) { leave(object, owner) }
        endInterruptions(of: owner)
        owner.follower = nil
    }

    func endInterruptions(of owner: Owner) {
        for interruption in interruptions(of: owner) { close(interruption) }
    }

    /// Sends events to an owner from now on, or no longer.
    func subscribe(_ owner: Owner, _ isSubscribed: Bool) {
        subscribers.removeAll { $0 === owner }
        if isSubscribed { subscribers.append(owner) }
    }
}
