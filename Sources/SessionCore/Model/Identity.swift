/// One stream in the server, by the number that the host gave it. Never used again for another stream.
public struct StreamID: Sendable, Hashable {
    /// The host's number.
    public let rawValue: UInt32

    /// Makes the identity of the stream with this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// One application: portal id, then process binary, then name.
///
/// Streams with equal identities share a session and never touch each other (R1, R79).
public struct ApplicationID: Sendable, Hashable {
    /// What tells the application apart: the first of portal id, binary and name that is known.
    public let name: String

    /// Takes the first candidate that is present and not blank.
    ///
    /// - Parameters:
    ///   - portal: The sandbox's application id, which an application cannot choose.
    ///   - binary: The name of the process's executable.
    ///   - displayName: What the application calls itself.
    ///   - fallback: Told apart from every other application when nothing else is known.
    public init(portal: String?, binary: String?, displayName: String?, fallback: String) {
        name = [portal, binary, displayName].lazy.compactMap { $0 }.first { !$0.isEmpty } ?? fallback
    }
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
