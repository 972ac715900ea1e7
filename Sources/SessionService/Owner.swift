import SessionBus
import SessionCore

/// One connection to the bus that has opened sessions, begun interruptions or subscribed to events.
final class Owner {
    /// Its unique name.
    let name: String
    /// Its process, once the bus has said which.
    var process: UInt32?
    /// The sandbox that it runs in.
    var sandbox: String?
    /// The program's name.
    var program: String?
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

    init(name: String) { self.name = name }

    /// How much of the service's room it takes up.
    var load: Int { sessions.count + interruptions.count }
}
