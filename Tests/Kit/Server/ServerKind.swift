import Foundation

/// The sound servers that the live tests know.
public enum ServerKind: String, Sendable, CaseIterable, CustomStringConvertible {
    /// PipeWire with WirePlumber and pipewire-pulse.
    case pipeWire = "pipewire"
    /// The PulseAudio daemon.
    case pulseAudio = "pulseaudio"

    /// The server that this run tests: `AUDIO_SESSION_SERVER`, PipeWire by default.
    public static let underTest: ServerKind = {
        let name = ProcessInfo.processInfo.environment["AUDIO_SESSION_SERVER"] ?? ""
        guard let kind = ServerKind(rawValue: name.isEmpty ? ServerKind.pipeWire.rawValue : name) else {
            // Another server than the requested one would prove nothing.
            fatalError("AUDIO_SESSION_SERVER is \(name); known are \(allCases.map(\.rawValue))")
        }
        return kind
    }()

    /// The server's usual name.
    public var description: String { self == .pipeWire ? "PipeWire" : "PulseAudio" }

    /// The file name of our module for the server.
    public var moduleFile: String {
        switch self {
        case .pipeWire: "libpipewire-module-audio-session.so"
        case .pulseAudio: "module-audio-session.so"
        }
    }
}
