import Foundation

/// The identity that an application states.
///
/// The client libraries of PipeWire and PulseAudio read `application.process.binary` from `/proc/self/exe`. Properties
/// can change it on a stream, but not on a native PipeWire client's own entry. So a client with an identity runs from a
/// copy of its program under that name, and only name and id are set as properties.
public struct ApplicationIdentity: Sendable, Hashable {
    /// `application.process.binary`, the name of the executable.
    public var binary: String
    /// `application.name`.
    public var name: String
    /// `application.id`, if the application sets one.
    public var id: String?
    /// Whether it is one of several processes of an application that all run the same program. The copy is then one of
    /// the system's loader, which runs any given program. The client must be started by a ``SessionApplication`` of the
    /// same kind and name.
    public var isShared = false

    /// Creates an identity; the default name is the binary's.
    public init(_ binary: String, name: String? = nil, id: String? = nil, isShared: Bool = false) {
        self.isShared = isShared
        self.binary = binary
        self.name = name ?? binary
        self.id = id
    }

    var properties: [String: String] {
        var properties = ["application.name": name]
        properties["application.id"] = id
        return properties
    }
}

/// A media role in the terms of both servers.
public struct MediaRole: Sendable, Hashable {
    /// The term of PulseAudio clients; pipewire-pulse translates it.
    public var pulse: String
    /// The term of native PipeWire clients.
    public var pipeWire: String

    /// Creates a role; the second term defaults to the first.
    public init(_ pulse: String, pipeWire: String? = nil) {
        self.pulse = pulse
        self.pipeWire = pipeWire ?? pulse
    }

    /// Music.
    public static let music = MediaRole("music", pipeWire: "Music")
    /// A film.
    public static let video = MediaRole("video", pipeWire: "Movie")
    /// A call.
    public static let phone = MediaRole("phone", pipeWire: "Communication")
    /// A notification.
    public static let event = MediaRole("event", pipeWire: "Notification")
    /// A screen reader.
    public static let accessibility = MediaRole("a11y", pipeWire: "Accessibility")
    /// A game.
    public static let game = MediaRole("game", pipeWire: "Game")
    /// Audio production.
    public static let production = MediaRole("production", pipeWire: "Production")
    /// A navigation prompt; no server knows this role, so it arrives unchanged.
    public static let navigation = MediaRole("Navigation")
    /// An alarm clock; no server knows this role, so it arrives unchanged.
    public static let alarm = MediaRole("Alarm")
}
