/// One stream in the server, by the number that the host gave it. The host never reuses a number.
public struct StreamID: Sendable, Hashable {
    /// The host's number.
    public let rawValue: UInt32

    /// Creates the identity of the stream with this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// One application, as the host identifies it (N18). Two applications may have the same name.
///
/// Streams with equal identities share a session and never affect each other (R1, R79).
public struct ApplicationID: Sendable {
    /// The key that identifies the application; not for people.
    public let key: String
    /// The name for people and their tools.
    public let name: String

    /// Creates an application whose name does not identify it.
    public init(key: String, name: String) {
        self.key = key
        self.name = name
    }

    /// Creates an application from its own statements, of which the first that is not empty identifies it.
    ///
    /// - Parameter portal: The sandbox's application id, which an application cannot choose.
    public init(portal: String?, binary: String?, displayName: String?, fallback: String) {
        name = [portal, binary, displayName].lazy.compactMap { $0 }.first { !$0.isEmpty } ?? fallback
        key = name
    }
}

extension ApplicationID: Hashable {
    /// Whether both are the same application, whatever their names.
    public static func == (one: ApplicationID, other: ApplicationID) -> Bool { one.key == other.key }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// One session that an application or the system has opened, by a number that the service never reuses.
public struct SessionID: Sendable, Hashable {
    /// The service's number.
    public let rawValue: UInt32

    /// Creates the identity of the session with this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// A jack, loudspeaker, headset, microphone or display, by an id that survives removal and return of the port.
public struct PortID: Sendable, Hashable {
    /// The host's name for it.
    public let name: String

    /// Creates the identity of the port with this name.
    public init(_ name: String) { self.name = name }
}

/// The session to which a stream belongs.
public enum SessionKey: Sendable, Hashable {
    /// The session that an application has because of its streams (R2).
    case application(ApplicationID)
    case opened(SessionID)
}
