import SessionBus
import SessionCore
import SessionDesktop

/// One connection to the bus that has opened sessions, begun interruptions or subscribed to events.
final class Owner {
    /// Its unique name.
    let name: String
    /// Who it is, once the bus has said which process that is.
    var identity: ClientIdentity
    /// Its sessions, the oldest first.
    var sessions: [SessionID] = []
    /// Its interruptions, by cookie.
    var interruptions: [UInt32: SessionID] = [:]
    /// It is told of events.
    var isSubscribed = false
    /// Tells when it goes.
    var follower: Subscription?
    /// What waits for the bus to say who it is.
    var waiting: [() -> Void] = []
    /// Whether the bus has said so.
    var isKnown = false

    init(name: String) {
        self.name = name
        identity = ClientIdentity(
            program: nil, sandbox: nil, binary: nil, displayName: nil, fallback: name, connection: name)
    }

    /// The sandbox that it runs in.
    var sandbox: AppSandbox? { identity.sandbox }
    /// The name of the program's file.
    var program: String? { identity.program?.executable }

    /// How much of the service's room it takes up.
    var load: Int { sessions.count + interruptions.count }
}
