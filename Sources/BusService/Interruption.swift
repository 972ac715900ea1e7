import DBus
import PolicyEngine
import PolicyRuntime

/// An interruption: begun by a program over the bus, or by the desktop.
final class Interruption: SessionEntry {
    /// The connection that has begun it; `nil` for the desktop.
    let owner: Owner?
    /// The number by which its owner ends it; 0 for the desktop's.
    let cookie: UInt32
    /// The call that begins it, until it is answered.
    private var call: BusCall?

    /// Creates an interruption that a program begins.
    init(_ id: SessionID, of owner: Owner, cookie: UInt32, call: BusCall) {
        self.owner = owner
        self.cookie = cookie
        self.call = call
        super.init(id, of: owner.identity, isInterruption: true)
    }

    /// Creates an interruption by the desktop.
    init(_ id: SessionID) {
        owner = nil
        cookie = 0
        let system = ApplicationID(portal: nil, binary: nil, displayName: nil, fallback: "the system")
        super.init(id, of: ClientIdentity(system), isInterruption: true)
    }

    /// Answers the call that has begun it.
    func begun() {
        call?.answer([.uint32(cookie)])
        call = nil
    }
}
