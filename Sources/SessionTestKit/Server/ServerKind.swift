import Foundation

/// The sound servers that the live tests know.
public enum ServerKind: String, Sendable, CaseIterable, CustomStringConvertible {
    /// PipeWire with WirePlumber and pipewire-pulse.
    case pipeWire = "pipewire"
    /// The PulseAudio daemon.
    case pulseAudio = "pulseaudio"

    /// The one that this run of the tests is about: `AUDIO_SESSION_SERVER`, PipeWire by default.
    public static let underTest: ServerKind = {
        let name = ProcessInfo.processInfo.environment["AUDIO_SESSION_SERVER"] ?? ""
        guard let kind = ServerKind(rawValue: name.isEmpty ? ServerKind.pipeWire.rawValue : name) else {
            // A run on another server than the one that was asked for would show nothing.
            fatalError("AUDIO_SESSION_SERVER is \(name); known are \(allCases.map(\.rawValue))")
        }
        return kind
    }()

    /// As its makers write it.
    public var description: String { self == .pipeWire ? "PipeWire" : "PulseAudio" }

    /// The file of our module for it.
    public var moduleFile: String {
        switch self {
        case .pipeWire: "libpipewire-module-audio-session.so"
        case .pulseAudio: "module-audio-session.so"
        }
    }
}
