import Foundation

/// A real program that plays or records, and the way to set its role and name.
public enum ClientProgram: String, Sendable, CaseIterable {
    /// libpulse's simple player; honours `request-cork`.
    case paplay
    /// PipeWire's own player.
    case pwPlay
    /// mpv through libpulse. Sets no role itself; can be paused as by a user.
    case mpvPulse
    /// mpv as a native client. Sets the role `Music` for sound files; nothing overrides this.
    case mpvPipeWire
    /// GStreamer's `pulsesink`.
    case gstreamerPulse
    /// GStreamer's `pipewiresink`, whose nodes have no application properties.
    case gstreamerPipeWire
    /// libpulse's simple recorder.
    case parecord
    /// PipeWire's own recorder.
    case pwRecord

    /// Whether it records rather than plays.
    public var isRecorder: Bool { self == .parecord || self == .pwRecord }

    /// Whether it connects to PipeWire directly, and so cannot run on PulseAudio.
    public var isNative: Bool {
        switch self {
        case .pwPlay, .mpvPipeWire, .gstreamerPipeWire, .pwRecord: true
        case .paplay, .mpvPulse, .gstreamerPulse, .parecord: false
        }
    }

    /// Whether it can connect to the server under test.
    public var isServed: Bool { !isNative || ServerKind.underTest == .pipeWire }

    /// The simplest player that is a native client of the server under test.
    public static var plain: ClientProgram { ServerKind.underTest == .pipeWire ? .pwPlay : .paplay }
    /// The simplest recorder that is a native client of the server under test.
    public static var plainRecorder: ClientProgram { ServerKind.underTest == .pipeWire ? .pwRecord : .parecord }

    /// The installed program.
    public var executable: String {
        switch self {
        case .paplay: "paplay"
        case .parecord: "parecord"
        case .pwPlay: "pw-play"
        case .pwRecord: "pw-record"
        case .mpvPulse, .mpvPipeWire: "mpv"
        case .gstreamerPulse, .gstreamerPipeWire: "gst-launch-1.0"
        }
    }

    /// The arguments that make a simple player use a sink by name, whatever the default sink is.
    public func argumentsForSink(_ name: String) -> [String] {
        isNative ? ["--target", name] : ["--device=\(name)"]
    }

    /// The command line; `properties` contain role and identity, `socket` is mpv's control socket.
    func invocation(
        executable: String, file: String, identity: ApplicationIdentity, role: MediaRole?,
        properties: [String: String], socket: String, extra: [String]
    ) -> Invocation {
        var properties = properties.merging(identity.properties) { first, _ in first }
        let roleName = isNative ? role?.pipeWire : role?.pulse
        properties["media.role"] = roleName
        let arguments: [String]
        switch self {
        case .paplay, .parecord:
            // Under a name without "play" or "rec", the program needs the mode, and expects raw samples unless told
            // otherwise.
            let mode = [isRecorder ? "--record" : "--playback", "--file-format=wav"]
            arguments = mode + ["--client-name=\(identity.name)"] + extra + [file]
        case .pwPlay, .pwRecord:
            let role = roleName.map { ["--media-role", $0] } ?? []
            arguments = [isRecorder ? "--record" : "--playback"] + role + extra + [file]
        case .mpvPulse, .mpvPipeWire:
            arguments =
                [
                    "--no-config", "--no-video", "--no-terminal", "--ao=\(isNative ? "pipewire" : "pulse")",
                    "--audio-client-name=\(identity.name)", "--input-ipc-server=\(socket)",
                ] + extra + ["--", file]
        case .gstreamerPulse, .gstreamerPipeWire:
            // The stream's role, set as applications do; all other properties come from the environment.
            let role = roleName.map { ["stream-properties=props,media.role=\($0)"] } ?? []
            let source = ["-q", "filesrc", "location=\(file)", "!", "wavparse", "!", "audioconvert", "!"]
            let sink = [isNative ? "pipewiresink" : "pulsesink", "client-name=\(identity.name)"]
            arguments = source + sink + role + extra
        }
        let list = properties.sorted { $0.key < $1.key }
        var environment =
            isNative
            ? ["PIPEWIRE_PROPS": "{ \(list.map { "\($0) = \"\($1)\"" }.joined(separator: " ")) }"]
            : ["PULSE_PROP": list.map { "\($0)=\"\($1)\"" }.joined(separator: " ")]
        if self == .gstreamerPulse || self == .gstreamerPipeWire {
            environment["GST_REGISTRY"] = ClientProgram.gstreamerRegistry
        }
        return Invocation(executable, arguments, environment: environment)
    }

    /// Where GStreamer notes what its plugins are, for all tests. In each new home it would look at all of them first,
    /// which takes seconds on a busy machine.
    private static let gstreamerRegistry: String? = {
        let generation = ProcessInfo.processInfo.environment["AUDIO_SESSION_GENERATION"] ?? "here"
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return tests.map { "\(($0 as NSString).deletingLastPathComponent)/gstreamer-\(generation).registry" }
    }()
}

extension Client {
    /// The invocation for another process to start a program, from a copy as in ``Client``.
    public static func invocation(
        _ program: ClientProgram, file: String, as identity: ApplicationIdentity, role: MediaRole?,
        properties: [String: String] = [:], on server: any PrivateServer
    ) throws -> Invocation {
        let start = try server.sandbox.invocation(
            of: program.executable, named: identity.binary, isShared: identity.isShared)
        var result = program.invocation(
            executable: start.executable, file: file, identity: identity, role: role, properties: properties,
            socket: server.sandbox.path("run/\(UUID().uuidString.prefix(8)).mpv"), extra: [])
        result.arguments = start.arguments + result.arguments
        return result
    }
}
