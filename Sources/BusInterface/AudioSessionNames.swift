/// The names of the service on the session bus.
public enum AudioSessionBus {
    /// The well-known name.
    public static let name = "org.AudioSession1"
    /// The path of the manager; the sessions are below it.
    public static let managerPath = "/org/AudioSession1"
    /// The start of a session's path; a number follows.
    public static let sessionPrefix = "/org/AudioSession1/session/"
    /// The manager's interface.
    public static let managerInterface = "org.AudioSession1.Manager"
    /// The interface of a session.
    public static let sessionInterface = "org.AudioSession1.Session"
    /// The version of this software; the only other place that states it is `install/CHANGELOG.md`.
    public static let version = "0.4"
    /// The version of the interface and of its records as JSON. It increases by one in a release
    /// that adds to them; existing members never change.
    public static let schemaVersion: UInt32 = 2
    /// The stream property that names the stream's session, for an application with several sessions (R80): the last
    /// part of the session's path.
    public static let streamProperty = "audio-session.id"
    /// The largest number of sessions of one connection.
    public static let sessionsPerConnection = 64
    /// The number of sessions that all connections of one application can have.
    public static let sessionsPerApplication = 128
    /// The largest number of sessions.
    public static let sessions = 1024
    /// The largest length of a stored text, such as a name, in UTF-8 bytes.
    public static let maximumTextLength = 256
}

/// The errors of the service, by name.
public enum WireErrorName {
    /// R8: a session with a stronger claim is active and does not mix with this one. The text says which.
    public static let insufficientPriority = "org.AudioSession1.Error.InsufficientPriority"
    /// The option or preference does not fit the category (R39–R43).
    public static let incompatibleCategory = "org.AudioSession1.Error.IncompatibleCategory"
    /// R54: the mode can change only while the session is inactive and does not mix.
    public static let modeNotChangeable = "org.AudioSession1.Error.ModeNotChangeable"
    /// R11: the flag belongs to deactivation.
    public static let invalidFlag = "org.AudioSession1.Error.InvalidFlag"
    /// A session of the category record was to become active, and there is nothing to record from.
    public static let noHardware = "org.AudioSession1.Error.NoHardware"
    /// R84: the name of the category is empty. The text lists the known ones.
    public static let noCategory = "org.AudioSession1.Error.NoCategory"
    /// The category, option, mode, kind or preference is unknown. The text lists the known ones.
    public static let unknownValue = "org.AudioSession1.Error.UnknownValue"
    /// N11: the policy does not let this application be phone or alarm.
    public static let notClaimable = "org.AudioSession1.Error.NotClaimable"
    /// The session, stream, interruption or port does not exist.
    public static let notFound = "org.AudioSession1.Error.NotFound"

    /// The session belongs to another connection.
    public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// There are too many sessions.
    public static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// The arguments have wrong types.
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
    /// The request failed for another reason.
    public static let failed = "org.freedesktop.DBus.Error.Failed"
}

extension WireErrorName {
    /// The errors that the phone has a result for, with its four characters (R84). All others are `'what'` there.
    ///
    /// The phone's result for a mode that cannot change is not known; `'what'` would look like a fault of the service.
    public static let phoneResults = [
        insufficientPriority: "!act", noHardware: "nohw", noCategory: "?cat", incompatibleCategory: "!cat",
        unknownValue: "pty?", invalidFlag: "pty?", modeNotChangeable: "pty?", invalidArguments: "pty?",
    ]
}

/// An error as a D-Bus message carries it.
public struct WireError: Error, Sendable, Hashable {
    /// The error's name, one of ``WireErrorName``.
    public var name: String
    /// What is wrong, and what would be right.
    public var message: String

    /// Creates an error.
    public init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }
}
