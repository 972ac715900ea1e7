import Foundation
import Synchronization

/// A headless desktop of its own: session bus, PipeWire, WirePlumber, pipewire-pulse and a null sink.
///
/// It shares nothing with the session of the person who runs the tests: other sockets, other home, other bus.
public final class PrivateDesktop: PrivateServer {
    /// Its folder, environment and processes.
    public let sandbox: Sandbox
    /// What it was started with.
    public let options: DesktopOptions

    private enum Part: Int, CaseIterable {
        case systemBus, bus, pipeWire, wirePlumber, pulse
    }
    private let parts = Mutex<[Part: ChildProcess]>([:])

    /// `node.name` of the null sink.
    public var sinkName: String { options.sinkName }
    /// The session bus.
    public var bus: ChildProcess? { parts.withLock { $0[.bus] } }
    /// The system bus, if there is one.
    public var systemBus: ChildProcess? { parts.withLock { $0[.systemBus] } }
    /// The PipeWire daemon, which has the module under test inside.
    public var pipeWire: ChildProcess? { parts.withLock { $0[.pipeWire] } }
    /// Which server it is.
    public var kind: ServerKind { .pipeWire }
    /// The PipeWire daemon.
    public var daemon: ChildProcess? { pipeWire }
    /// The session manager.
    public var wirePlumber: ChildProcess? { parts.withLock { $0[.wirePlumber] } }
    /// The server of PulseAudio clients.
    public var pulse: ChildProcess? { parts.withLock { $0[.pulse] } }

    /// Starts everything, and returns when the null sink is the default sink and clients can connect.
    public static func start(_ options: DesktopOptions = DesktopOptions()) async throws -> PrivateDesktop {
        let desktop = try PrivateDesktop(options)
        do {
            if options.runsSystemBus { try await desktop.startSystemBus() }
            try await desktop.startBus()
            try await desktop.startServers()
        } catch {
            await desktop.stop()
            throw error
        }
        return desktop
    }

    private init(_ options: DesktopOptions) throws {
        self.options = options
        var environment = options.environment
        let folders = options.modules.compactMap(\.folder)
        if !folders.isEmpty {
            environment["PIPEWIRE_MODULE_DIR"] = (folders + [try PrivateDesktop.moduleFolder()])
                .joined(separator: ":")
        }
        sandbox = try Sandbox(environment: environment)
        try writeConfiguration()
    }

    /// Starts the bus again after it ended, or for the first time.
    private func startBus() async throws {
        let bus = try await sandbox.startBus()
        parts.withLock { $0[.bus] = bus }
    }

    /// Starts PipeWire, WirePlumber and pipewire-pulse, as many of them as do not run; after `stopServers()` or when
    /// one was killed.
    public func startServers() async throws {
        try start(.pipeWire, "pipewire")
        try await waitForDaemon("PipeWire's null sink") {
            let objects = try await self.dump()
            guard self.options.hasNullSink else { return !objects.isEmpty }
            return objects.contains { $0.properties["node.name"] == self.sinkName }
        }
        if options.runsWirePlumber {
            try start(.wirePlumber, "wireplumber")
            try await waitForDaemon("WirePlumber to choose the default sink") {
                if self.options.hasNullSink { return try await self.defaultSink() == self.sinkName }
                // Of metadata without an entry pw-dump says nothing.
                let metadata = try await self.sandbox.run(Invocation("pw-cli", ["ls", "Metadata"]))
                return String(decoding: metadata, as: UTF8.self).contains("metadata.name = \"default\"")
            }
        }
        if options.runsPulseServer {
            try start(.pulse, "pipewire-pulse")
            try await waitForDaemon("pipewire-pulse") {
                let information = try await self.sandbox.run(Invocation("pactl", ["info"]))
                return !self.options.runsWirePlumber || !self.options.hasNullSink
                    || String(decoding: information, as: UTF8.self).contains("Default Sink: \(self.sinkName)")
            }
        }
    }

    /// Ends pipewire-pulse, WirePlumber and PipeWire in this order; the bus and all files stay.
    public func stopServers() async {
        for part in [Part.pulse, .wirePlumber, .pipeWire] { await take(part)?.stop() }
    }

    /// Starts the system bus.
    private func startSystemBus() async throws {
        let bus = try await sandbox.startSystemBus()
        parts.withLock { $0[.systemBus] = bus }
    }

    /// Ends the PipeWire daemon alone, as in a crash of the server when `signal` is SIGKILL.
    public func stopDaemon(signal: Int32 = SIGTERM) async throws {
        guard let daemon = take(.pipeWire) else { return }
        daemon.signal(signal)
        try await daemon.waitForExit()
    }

    /// Ends the session manager alone, as in a crash of it.
    public func killWirePlumber() async throws {
        guard let manager = take(.wirePlumber) else { return }
        manager.signal(SIGKILL)
        try await manager.waitForExit()
    }

    /// Starts it again.
    public func startWirePlumber() async throws { try start(.wirePlumber, "wireplumber") }

    /// Ends the session bus, as when the user's session is restarted around the sound server.
    public func stopBus() async throws {
        guard let bus = take(.bus) else { return }
        bus.signal(SIGTERM)
        try await bus.waitForExit()
    }

    /// Starts the session bus again, at the same address.
    public func startBusAgain() async throws {
        try? FileManager.default.removeItem(atPath: sandbox.path("run/bus"))
        try await startBus()
    }

    /// What the PipeWire daemon occupies.
    public func pipeWireMemory() throws -> ProcessMemory {
        guard let pipeWire else { throw SystemError(code: ESRCH, context: "memory of pipewire") }
        return try ProcessMemory(of: pipeWire.processID)
    }

    /// Our module's name.
    public static let moduleName = "libpipewire-module-audio-session"

    /// Takes our module out of the daemon by the module of `Tests/ModuleUnloader`, which has to be loaded too, and waits until
    /// it has gone.
    public func unloadModule() async throws {
        try await change(PrivateDesktop.moduleName, isThere: false)
    }

    /// Loads our module into the daemon that runs, and waits until it is there.
    public func loadModule() async throws { try await change("+" + PrivateDesktop.moduleName, isThere: true) }

    private func change(_ command: String, isThere: Bool) async throws {
        guard let pipe = FileHandle(forWritingAtPath: sandbox.path("run/unload")) else {
            throw SystemError(code: ENOENT, context: "load or unload \(PrivateDesktop.moduleName)")
        }
        try pipe.write(contentsOf: Data(command.utf8))
        _ = try await waitUntil("the \(isThere ? "beginning" : "end") of the module", evidence: { sandbox.logTails() })
        {
            try await dump().contains {
                $0.type == "Module" && $0.content["info"]?["name"]?.text == PrivateDesktop.moduleName
            } == isThere ? true : nil
        }
    }

    /// All that WirePlumber has written to its state folder.
    public func savedState() -> [String: [UInt8]] { sandbox.contents(of: "home/.local/state/wireplumber") }

    /// Whether WirePlumber has written a volume for a role: up to 0.4 in lines of its own kind, since 0.5 in JSON.
    public func hasSaved(slider position: Double, of role: MediaRole) -> Bool {
        // A linear factor, of which two digits are enough to tell it from others.
        let factor = String(format: "%.2f", (pow(position, 3) * 100).rounded(.down) / 100)
        return savedState().values.contains { file in
            String(decoding: file, as: UTF8.self).split(separator: "\n").contains { line in
                line.contains(":\(role.pipeWire):channelVolumes=\(factor)")
                    || line.contains(":\(role.pipeWire)={") && line.contains("\"channelVolumes\":[\(factor)")
            }
        }
    }

    /// Waits until the daemon says in its log that its graph has another rate: before 0.3.77 with the rate that it had, later
    /// with the one that it was to have too. Where ``DesktopOptions/environment`` makes it say so.
    public func waitForGraph(rate: Int, after former: Int) async throws {
        guard let log = pipeWire?.log else { throw SystemError(code: ESRCH, context: "log of pipewire") }
        _ = try await waitUntil("the rate of the graph", evidence: { log.tail() }) {
            let lines = ["new rate:\(former)->\(rate)", "new rate:\(former)/(\(former))->\(rate)"]
            return lines.contains { log.text.contains($0) } ? true : nil
        }
    }

    private func start(_ part: Part, _ program: String) throws {
        if parts.withLock({ $0[part]?.isRunning ?? false }) { return }
        let child = try sandbox.start(program, Invocation(program))
        parts.withLock { $0[part] = child }
    }

    private func take(_ part: Part) -> ChildProcess? { parts.withLock { $0.removeValue(forKey: part) } }

    /// Waits until `condition` holds; a tool that cannot connect yet counts as "not yet", an ended daemon as failure.
    private func waitForDaemon(_ awaited: String, _ condition: @Sendable () async throws -> Bool) async throws {
        _ = try await waitUntil(awaited, within: .seconds(15), evidence: { sandbox.logTails() }) {
            for child in parts.withLock({ Array($0.values) }) {
                guard let status = child.exitStatus else { continue }
                throw CommandFailure(command: [child.name], status: status, errors: child.log.tail())
            }
            return (try? await condition()) == true ? true : nil
        }
    }
}
