/// One stream in the server, by the number that the host gave it. Never used again for another stream.
public struct StreamID: Sendable, Hashable {
    /// The host's number.
    public let rawValue: UInt32

    /// Makes the identity of the stream with this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// One application.
///
/// Streams with equal identities share a session and never touch each other (R1, R79). What an application is, the host
/// finds out (N18): two that have the same name may be different ones.
public struct ApplicationID: Sendable {
    /// What tells the application apart; means nothing to people.
    public let key: String
    /// What people and their tools call it.
    public let name: String

    /// An application whose name does not tell it apart.
    public init(key: String, name: String) {
        self.key = key
        self.name = name
    }

    /// An application of which no more is known than what it says of itself: the first candidate that is present and not
    /// blank.
    ///
    /// - Parameters:
    ///   - portal: The sandbox's application id, which an application cannot choose.
    ///   - binary: The name of the process's executable.
    ///   - displayName: What the application calls itself.
    ///   - fallback: Told apart from every other application when nothing else is known.
    public init(portal: String?, binary: String?, displayName: String?, fallback: String) {
        name = [portal, binary, displayName].lazy.compactMap { $0 }.first { !$0.isEmpty } ?? fallback
        key = name
    }
}

extension ApplicationID: Hashable {
    /// Whether both are the same application, whatever they are called.
    public static func == (one: ApplicationID, other: ApplicationID) -> Bool { one.key == other.key }

    /// Hashes what tells it apart.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// One session that an application or the system has opened, by the number that the service gave it. Never used again.
public struct SessionID: Sendable, Hashable {
    /// The service's number.
    public let rawValue: UInt32

    /// Makes the identity of the session with this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// One place where sound goes or comes from, such as the headphones of a card: the same whenever it is there.
public struct PortID: Sendable, Hashable {
    /// The host's name for it.
    public let name: String

    /// Makes the identity of the port with this name.
    public init(_ name: String) { self.name = name }
}

/// Which session a stream belongs to.
public enum SessionKey: Sendable, Hashable {
    /// The one that an application has because it has streams (R2).
    case application(ApplicationID)
    /// One that was opened.
    case opened(SessionID)
}

/// Which way a stream's sound goes, seen from the application.
public enum StreamDirection: Sendable, Hashable {
    case playback
    case capture
}
