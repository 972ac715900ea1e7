import Foundation
import Synchronization

/// A private PulseAudio daemon with a null sink, to run our module, or to measure PulseAudio's own policy modules.
public final class PrivatePulseAudio: PrivateServer {
    /// Its folder, environment and processes.
    public let sandbox: Sandbox
    /// What it was started with.
    public let options: PulseAudioOptions

    private enum Part { case systemBus, bus, daemon }
    private let parts = Mutex<[Part: ChildProcess]>([:])

    /// The kind of server.
    public var kind: ServerKind { .pulseAudio }
    /// The name of the null sink.
    public var sinkName: String { options.sinkName }
    /// The daemon.
    public var daemon: ChildProcess? { parts.withLock { $0[.daemon] } }

    /// The parts that were started and not ended by this class, by name.
    public var processes: [String: ChildProcess] {
        let names: [Part: String] = [.systemBus: "system-bus", .bus: "bus", .daemon: "daemon"]
        return parts.withLock { parts in
            Dictionary(uniqueKeysWithValues: parts.compactMap { part, child in names[part].map { ($0, child) } })
        }
    }

    /// Starts the daemon with further modules, each given as a `load-module` line, and returns when it serves clients.
    ///
    /// - Parameter daemonArguments: More arguments for the daemon, such as `--dl-search-path=…`.
    public static func start(
        modules: [String] = [], sinkName: String = "test-sink", daemonArguments: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> PrivatePulseAudio {
        var options = PulseAudioOptions()
        options.modules = modules
        options.sinkName = sinkName
        options.daemonArguments = daemonArguments
        options.environment = environment
        return try await start(options)
    }

    /// Starts the daemon and the requested buses, and returns when it serves clients.
    public static func start(_ options: PulseAudioOptions) async throws -> PrivatePulseAudio {
        let server = try PrivatePulseAudio(options)
        do {
            if options.runsSystemBus {
                let bus = try await server.sandbox.startSystemBus()
                server.parts.withLock { $0[.systemBus] = bus }
            }
            if options.runsBus { try await server.startBus() }
            if options.startsServers { try await server.startServers() }
        } catch {
            await server.stop()
            throw error
        }
        return server
    }

    private init(_ options: PulseAudioOptions) throws {
        self.options = options
        sandbox = try Sandbox(environment: options.environment, comesFirst: options.comesFirst)
        // 32-bit float and 48 kHz throughout, so that the server's own rounding does not affect measurements.
        try sandbox.write(
            (["default-sample-format = float32le", "default-sample-rate = 48000"] + options.configuration)
                .map { $0 + "\n" }.joined(), to: "home/.config/pulse/daemon.conf")
        for (path, text) in options.configurationFiles { try sandbox.write(text, to: "home/.config/\(path)") }
    }

    // MARK: - Its parts

    /// Starts the daemon, and returns when it serves clients.
    public func startServers() async throws {
        if daemon?.isRunning ?? false { return }
        let daemon = try sandbox.start("pulseaudio", try daemonInvocation())
        parts.withLock { $0[.daemon] = daemon }
        _ = try await waitUntil("PulseAudio", evidence: { sandbox.logTails() }) {
            if let status = daemon.exitStatus {
                throw CommandFailure(command: ["pulseaudio"], status: status, errors: daemon.log.tail())
            }
            let information = try? await sandbox.run(Invocation("pactl", ["info"]))
            return String(decoding: information ?? Data(), as: UTF8.self)
                .contains("Default Sink: \(sinkName)") ? true : nil
        }
    }

    private func daemonInvocation() throws -> Invocation {
        let socket = sandbox.path("run/pulse/native")
        let lines =
            options.earlyModules + [
                "module-null-sink sink_name=\(sinkName) format=float32le rate=48000 channels=2",
                "module-native-protocol-unix socket=\(socket) auth-anonymous=1",
            ] + options.modules
        var arguments = [
            "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
            "--log-target=stderr", "--log-level=\(options.logLevel)",
        ]
        if !options.moduleFolders.isEmpty {
            let folders = options.moduleFolders + [try PrivatePulseAudio.moduleFolder()]
            arguments.append("--dl-search-path=\(folders.joined(separator: ":"))")
        }
        return Invocation(
            "pulseaudio", arguments + options.daemonArguments + lines.map { "--load=\($0)" }
        ).run(by: options.daemonPrefix)
    }

    /// The folder of the installed daemon's modules, whose name contains the release.
    static func moduleFolder() throws -> String {
        let files = FileManager.default
        let libraries = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
        let roots = libraries + ((try? files.contentsOfDirectory(atPath: "/usr/lib")) ?? []).map { "/usr/lib/\($0)" }
        for root in roots {
            let names = ((try? files.contentsOfDirectory(atPath: root)) ?? []).filter { $0.hasPrefix("pulse-") }
            for name in names where files.fileExists(atPath: "\(root)/\(name)/modules/module-null-sink.so") {
                return "\(root)/\(name)/modules"
            }
        }
        throw SystemError(code: ENOENT, context: "find PulseAudio's modules")
    }

    /// Ends the daemon; the buses and all files stay.
    public func stopServers() async { await remove(.daemon)?.stop() }

    /// Ends the daemon; with SIGKILL as in a crash.
    public func stopDaemon(signal: Int32 = SIGTERM) async throws {
        guard let daemon = remove(.daemon) else { return }
        daemon.signal(signal)
        try await daemon.waitForExit()
    }

    private func startBus() async throws {
        let bus = try await sandbox.startBus()
        parts.withLock { $0[.bus] = bus }
    }

    /// Ends the session bus, as when the user's session restarts while the sound server continues.
    public func stopBus() async throws {
        guard let bus = remove(.bus) else { return }
        bus.signal(SIGTERM)
        try await bus.waitForExit()
    }

    /// Starts the session bus again, at the same address.
    public func startBusAgain() async throws {
        try? FileManager.default.removeItem(atPath: sandbox.path("run/bus"))
        try await startBus()
    }

    private func remove(_ part: Part) -> ChildProcess? { parts.withLock { $0.removeValue(forKey: part) } }

    /// Unloads our module from the daemon.
    public func unloadModule() async throws {
        try await sandbox.run(Invocation("pactl", ["unload-module", "module-audio-session"]))
    }

    // MARK: - Streams and the user's settings

    /// All playback and capture streams.
    public func streams() async throws -> [ServerStream] {
        try await list("sink-inputs", isCapture: false) + list("source-outputs", isCapture: true)
    }

    /// Sets the user's volume, as a mixer does.
    public func setSlider(of stream: ServerStream, to position: Double) async throws {
        let command = stream.isCapture ? "set-source-output-volume" : "set-sink-input-volume"
        try await sandbox.run(Invocation("pactl", [command, "\(stream.id)", "\(Int(position * 65536))"]))
    }

    /// Sets the user's mute switch, as a mixer does.
    public func setMuted(_ muted: Bool, of stream: ServerStream) async throws {
        let command = stream.isCapture ? "set-source-output-mute" : "set-sink-input-mute"
        try await sandbox.run(Invocation("pactl", [command, "\(stream.id)", muted ? "1" : "0"]))
    }

    private func list(_ kind: String, isCapture: Bool) async throws -> [ServerStream] {
        let output = try await sandbox.run(Invocation("pactl", ["--format=json", "list", kind]))
        return try JSONValue(parsing: output).elements.compactMap { entry in
            guard let index = entry["index"]?.number else { return nil }
            return ServerStream(
                id: UInt32(index), state: entry["corked"]?.bool == true ? .idle : .running, isCapture: isCapture,
                properties: entry["properties"]?.texts ?? [:], parameters: entry)
        }
    }

    /// The databases in which the stock modules save streams, devices and cards.
    public func savedState() -> [String: [UInt8]] {
        sandbox.contents(of: "home/.config/pulse").filter { $0.key.contains(".tdb") }
    }

    /// Whether `module-stream-restore` has saved a volume.
    public func hasSaved(slider position: Double, of role: MediaRole) -> Bool {
        // The record has two channels, each the slider's position in 16.16 bits, most significant byte first. The role
        // is in the record's key, elsewhere in the file.
        let volume = UInt32(position * 65536)
        let record: [UInt8] = [UInt8(ascii: "v"), 2] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: volume >> $0) }
        return savedState().contains { path, data in
            path.contains("stream-volumes") && data.firstRange(of: record) != nil
        }
    }

    // MARK: - Capture

    /// Records the null sink's monitor.
    public func captureInvocation() -> Invocation {
        Invocation(
            "parecord",
            [
                "--device=\(sinkName).monitor", "--raw", "--format=float32le", "--rate=48000", "--channels=2",
                "--latency-msec=20", "--client-name=test-capture",
            ])
    }

    /// Does nothing: the daemon connects the capture itself.
    public func connectCapture() {}
}
