import SessionBus
import SessionCore
import SessionDesktop

/// One connection to the bus that has opened sessions, begun interruptions or subscribed to events.
final class Owner {
    /// The connection's unique name.
    let name: String
    /// The owner's identity, once the bus has named its process.
    var identity: ClientIdentity
    /// The open sessions, the oldest first.
    var sessions: [SessionID] = []
    /// The interruptions that have begun, by cookie.
    var interruptions: [UInt32: SessionID] = [:]
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

    /// The number of sessions and interruptions, which counts against the service's limits.
    var load: Int { sessions.count + interruptions.count }
}
