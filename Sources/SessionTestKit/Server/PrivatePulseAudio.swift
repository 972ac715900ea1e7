import Foundation

/// A PulseAudio daemon of its own with a null sink, to measure the policy modules that come with it.
public final class PrivatePulseAudio: PrivateServer {
    /// Its folder, environment and processes.
    public let sandbox: Sandbox
    /// The name of the null sink.
    public let sinkName: String
    /// The daemon.
    public let daemon: ChildProcess

    /// Starts the daemon with further modules, each a line as of `load-module`, and returns when it serves clients.
    ///
    /// - Parameter daemonArguments: more arguments for the daemon, such as `--dl-search-path=…`.
    public static func start(
        modules: [String] = [], sinkName: String = "test-sink", daemonArguments: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> PrivatePulseAudio {
        let server = try PrivatePulseAudio(
            modules: modules, sinkName: sinkName, daemonArguments: daemonArguments, environment: environment)
        do {
            _ = try await waitUntil("PulseAudio", within: .seconds(15), evidence: { server.sandbox.logTails() }) {
                if let status = server.daemon.exitStatus {
                    throw CommandFailure(
                        command: ["pulseaudio"], status: status, errors: server.daemon.log.tail())
                }
                let information = try? await server.sandbox.run(Invocation("pactl", ["info"]))
                return String(decoding: information ?? Data(), as: UTF8.self)
                    .contains("Default Sink: \(sinkName)") ? true : nil
            }
        } catch {
            await server.stop()
            throw error
        }
        return server
    }

    private init(
        modules: [String], sinkName: String, daemonArguments: [String], environment: [String: String]
    ) throws {
        self.sinkName = sinkName
        sandbox = try Sandbox(environment: environment)
        // Float and 48 kHz all the way, so that the server adds no rounding of its own to what is measured.
        try sandbox.write(
            "default-sample-format = float32le\ndefault-sample-rate = 48000\n", to: "home/.config/pulse/daemon.conf")
        let socket = sandbox.path("run/pulse/native")
        let lines =
            [
                "module-null-sink sink_name=\(sinkName) format=float32le rate=48000 channels=2",
                "module-native-protocol-unix socket=\(socket) auth-anonymous=1",
            ] + modules
        daemon = try sandbox.start(
            "pulseaudio",
            Invocation(
                "pulseaudio",
                [
                    "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
                    "--log-target=stderr", "--log-level=notice",
                ] + daemonArguments + lines.map { "--load=\($0)" }))
    }

    /// All playback and capture streams.
    public func streams() async throws -> [ServerStream] {
        try await list("sink-inputs", isCapture: false) + list("source-outputs", isCapture: true)
    }

    /// Moves the user's slider, as a mixer does.
    public func setSlider(of stream: ServerStream, to position: Double) async throws {
        let command = stream.isCapture ? "set-source-output-volume" : "set-sink-input-volume"
        try await sandbox.run(Invocation("pactl", [command, "\(stream.id)", "\(Int(position * 65536))"]))
    }

    /// Sets the user's mute switch, as a mixer does.
    public func setMuted(_ muted: Bool, of stream: ServerStream) async throws {
        let command = stream.isCapture ? "set-source-output-mute" : "set-sink-input-mute"
        try await sandbox.run(Invocation("pactl", [command, "\(stream.id)", muted ? "1" : "0"]))
    }

    /// Records the null sink's monitor.
    public func captureInvocation() -> Invocation {
        Invocation(
            "parecord",
            [
                "--device=\(sinkName).monitor", "--raw", "--format=float32le", "--rate=48000", "--channels=2",
                "--latency-msec=20", "--client-name=test-capture",
            ])
    }

    /// The daemon does it by itself.
    public func connectCapture() {}

    private func list(_ kind: String, isCapture: Bool) async throws -> [ServerStream] {
        let output = try await sandbox.run(Invocation("pactl", ["--format=json", "list", kind]))
        return try JSONValue(parsing: output).elements.compactMap { entry in
            guard let index = entry["index"]?.number else { return nil }
            return ServerStream(
                id: UInt32(index), state: entry["corked"]?.bool == true ? .idle : .running, isCapture: isCapture,
                properties: entry["properties"]?.texts ?? [:], parameters: entry)
        }
    }
}
