import DBus
import PolicyEngine
import PolicyRuntime

/// Keeps sessions for a time when the connection to the bus is lost.
///
/// When the bus is back, it names the process behind each connection again: an owner that is still connected, with the
/// same process, has its sessions as they were. On another bus, the names of connections mean nothing: there a process
/// outside of all sandboxes, known by its number and its start, gets its sessions when it opens them again. When the time
/// is over, the sessions of all other owners are closed.
final class KeptSessions {
    private let patience: Duration
    private let loop: any EventLoop
    private var timer: (any LoopTimer)?

    /// - Parameters:
    ///   - patience: How long sessions are kept after the connection to the bus was lost.
    ///   - body: Called when the time is over.
    init(for patience: Duration, loop: any EventLoop, then body: @escaping () -> Void) {
        self.patience = patience
        self.loop = loop
        timer = loop.timer(body)
    }

    /// Ends the wait.
    func cancel() {
        timer?.cancel()
        timer = nil
    }

    /// Begins to wait.
    func wait() { timer?.arm(at: loop.now &+ patience.wholeNanoseconds) }
}

extension SessionService {
    /// The connection to the bus is lost: no owner is known until the bus names the owner's process again.
    func keepSessions() {
        for owner in owners.values {
            owner.isKnown = false
            owner.waiting = []
        }
        for object in objects { object.isKept = true }
        kept?.wait()
        manager?.forgetEvents()
    }

    /// The bus is back: finds out which owners are still there.
    func findOwners() {
        for owner in Array(owners.values) {
            identify(owner) { [weak self, weak owner] program in
                guard let self, let owner, owners[owner.name] === owner else { return }
                if let program, program.process == owner.identity.program?.process { return confirm(owner) }
                lose(owner)
            }
        }
    }

    /// An owner's connection is gone, or its name belongs to another process now.
    private func lose(_ owner: Owner) {
        let waiting = owner.waiting
        owner.waiting = []
        guard owner.identity.isUnconfined, owner.identity.program != nil else {
            connectionEnded(of: owner)
            return serve(waiting, as: owner.name)
        }
        owners[owner.name] = nil
        owner.follower = nil
        subscribe(owner, false)
        endInterruptions(of: owner)
        serve(waiting, as: owner.name)
    }

    /// The time is over: closes the sessions of the owners that have not come back.
    func endKeptSessions() {
        for object in objects { object.isKept = false }
        let all = objects.flatMap(\.owners) + owners.values
        for owner in all where owners[owner.name] !== owner || !owner.isKnown && !connection.isConnected {
            connectionEnded(of: owner)
        }
    }

    /// The kept session for which an owner asks when it opens one; `nil` for none.
    func keptSession(of owner: Owner, takesTaggedOnly: Bool, displayName: String) -> SessionObject? {
        objects.first { object in
            guard object.isKept, !object.isShared, object.takesTaggedOnly == takesTaggedOnly,
                object.displayName == displayName
            else {
                return false
            }
            return object.owners.contains { $0 === owner } || object.isKept(for: owner)
        }
    }

    /// An owner has asked for a kept session: it is the owner's own again.
    func take(_ object: SessionObject, _ owner: Owner) {
        object.isKept = false
        object.owners.removeAll { !$0.isKnown }
        if !object.owners.contains(where: { $0 === owner }) { object.owners.append(owner) }
    }
}

extension SessionObject {
    /// Whether all connections that controlled the session are gone, and this one has the same process.
    fileprivate func isKept(for owner: Owner) -> Bool {
        owner.identity.isUnconfined && identity.isUnconfined && owners.allSatisfy { !$0.isKnown }
            && owner.identity.program?.process == identity.program?.process && owner.identity.program != nil
    }
}
