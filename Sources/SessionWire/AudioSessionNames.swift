/// The names of the service on the session bus.
public enum AudioSessionBus {
    /// The well-known name.
    public static let name = "org.AudioSession1"
    /// The manager's object; the sessions are below it.
    public static let managerPath = "/org/AudioSession1"
    /// What the paths of sessions begin with; a number follows.
    public static let sessionPrefix = "/org/AudioSession1/session/"
    /// The manager's interface.
    public static let managerInterface = "org.AudioSession1.Manager"
    /// The interface of a session.
    public static let sessionInterface = "org.AudioSession1.Session"
    /// The version of this software; said nowhere else but in the list of changes, `install/CHANGELOG.md`.
    public static let version = "0.4"
    /// The version of the interface and of the JSON that is made of its records. It grows when something is added; what is
    /// there stays.
    public static let schemaVersion: UInt32 = 2
    /// The property of a stream that names the session it belongs to, where its application has several (R80): the last
    /// part of the session's path.
    public static let streamProperty = "audio-session.id"
    /// The most sessions that one connection may have.
    public static let sessionsPerConnection = 64
    /// The most sessions that there may be.
    public static let sessions = 1024
    /// The longest text that is kept, in UTF-8 bytes: names, identities.
    public static let maximumTextLength = 256
}

/// The errors of the service, by name.
public enum WireErrorName {
    /// R8: a session with a stronger claim is active and does not mix with this one. The text says which.
    public static let insufficientPriority = "org.AudioSession1.Error.InsufficientPriority"
    /// The option or preference does not go with the category (R39–R43).
    public static let incompatibleCategory = "org.AudioSession1.Error.IncompatibleCategory"
    /// R54: the mode can change only while the session is inactive and does not mix.
    public static let modeNotChangeable = "org.AudioSession1.Error.ModeNotChangeable"
    /// R11: the flag is one of deactivation.
    public static let invalidFlag = "org.AudioSession1.Error.InvalidFlag"
    /// There is no category, option, mode, kind or preference of that name. The text lists those that there are.
    public static let unknownValue = "org.AudioSession1.Error.UnknownValue"
    /// N11: the policy does not let this application be phone or alarm.
    public static let notClaimable = "org.AudioSession1.Error.NotClaimable"
    /// There is no session, stream, interruption or port of that name.
    public static let notFound = "org.AudioSession1.Error.NotFound"

    /// The session belongs to another connection.
    public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// Too many sessions.
    public static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// The arguments are not of the right type.
    public static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    /// No such method.
    public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    /// No such object.
    public static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    /// No such interface.
    public static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    /// No such property.
    public static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    /// The property can only be read.
    public static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
    /// What was asked for failed.
    public static let failed = "org.freedesktop.DBus.Error.Failed"
}

/// An error as it goes over the bus.
public struct WireError: Error, Sendable, Hashable {
    /// Its name, one of ``WireErrorName``.
    public var name: String
    /// What is wrong, and what would be right.
    public var message: String

    /// Makes an error.
    public init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }
}
