import Foundation

/// Who an application says it is.
///
/// PipeWire's and PulseAudio's client libraries take `application.process.binary` from `/proc/self/exe`; properties
/// can change it on a stream, but not on a native PipeWire client's own entry. So a client with an identity runs from
/// a copy of its program under that name, and only name and id are set as properties.
public struct ApplicationIdentity: Sendable, Hashable {
    /// `application.process.binary`, the name of the executable.
    public var binary: String
    /// `application.name`.
    public var name: String
    /// `application.id`, if the application sets one.
    public var id: String?
    /// Whether it is one of several processes of an application, which all run the same program: the copy is one of the
    /// system's loader then, which runs whatever program it is given. It has to be started by a
    /// ``SessionApplication`` of the same kind and name.
    public var isShared = false

    /// An identity; the name is the binary's unless it is given.
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

/// A media role in the words of both servers.
public struct MediaRole: Sendable, Hashable {
    /// What PulseAudio clients send; pipewire-pulse translates it.
    public var pulse: String
    /// What native PipeWire clients send.
    public var pipeWire: String

    /// A role; both words are the same unless a second one is given.
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
    /// A navigator's directions; no server knows this role, so it arrives as it is.
    public static let navigation = MediaRole("Navigation")
    /// An alarm clock; no server knows this role, so it arrives as it is.
    public static let alarm = MediaRole("Alarm")
}
