import Foundation
import Synchronization

/// A private headless desktop: session bus, PipeWire, WirePlumber, pipewire-pulse and a null sink.
///
/// It shares nothing with the session of the user who runs the tests: separate sockets, home and bus.
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
    /// The PipeWire daemon, which has loaded the module under test.
    public var pipeWire: ChildProcess? { parts.withLock { $0[.pipeWire] } }
    /// The kind of server.
    public var kind: ServerKind { .pipeWire }
    /// The PipeWire daemon.
    public var daemon: ChildProcess? { pipeWire }
    /// The session manager.
    public var wirePlumber: ChildProcess? { parts.withLock { $0[.wirePlumber] } }
    /// The pipewire-pulse process.
    public var pulse: ChildProcess? { parts.withLock { $0[.pulse] } }

    /// The parts that were started and not ended by this class, by name.
    public var processes: [String: ChildProcess] {
        let names: [Part: String] = [
            .systemBus: "system-bus", .bus: "bus", .pipeWire: "daemon", .wirePlumber: "manager", .pulse: "front-end",
        ]
        return parts.withLock { parts in
            Dictionary(uniqueKeysWithValues: parts.compactMap { part, child in names[part].map { ($0, child) } })
        }
    }

    /// Starts all parts, and returns when the null sink is the default sink and clients can connect.
    public static func start(_ options: DesktopOptions = DesktopOptions()) async throws -> PrivateDesktop {
        let desktop = try PrivateDesktop(options)
        do {
            if options.runsSystemBus { try await desktop.startSystemBus() }
            try await desktop.startBus()
            if options.startsServers { try await desktop.startServers() }
        } catch {
            await desktop.stop()
            throw error
        }
        return desktop
    }

    private init(_ options: DesktopOptions) throws {
        self.options = options
        var environment = options.environment
        if options.cardOwner == .manager {
            environment["SPA_PLUGIN_DIR"] = [try CardOwner.pluginFolder(), try PrivateDesktop.pluginFolder()]
                .joined(separator: ":")
        }
        sandbox = try Sandbox(environment: environment, comesFirst: options.comesFirst)
        try FileManager.default.createDirectory(atPath: cardFolder, withIntermediateDirectories: true)
        try writeConfiguration()
    }

    /// Where the session manager finds the cards that it has.
    var cardFolder: String { sandbox.path("run/cards") }

    /// Starts the bus, for the first time or after it ended.
    private func startBus() async throws {
        let bus = try await sandbox.startBus()
        parts.withLock { $0[.bus] = bus }
    }

    /// Starts those of PipeWire, WirePlumber and pipewire-pulse that do not run, after `stopServers()` or a kill.
    public func startServers() async throws {
        parts.withLock { parts in parts = parts.filter(\.value.isRunning) }
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
                // `pw-dump` does not print metadata without entries.
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
        for part in [Part.pulse, .wirePlumber, .pipeWire] { await remove(part)?.stop() }
    }

    /// Starts the system bus.
    private func startSystemBus() async throws {
        let bus = try await sandbox.startSystemBus()
        parts.withLock { $0[.systemBus] = bus }
    }

    /// Ends only the PipeWire daemon; with SIGKILL as in a crash.
    public func stopDaemon(signal: Int32 = SIGTERM) async throws {
        guard let daemon = remove(.pipeWire) else { return }
        daemon.signal(signal)
        try await daemon.waitForExit()
    }

    /// Kills only the session manager, as in a crash.
    public func killWirePlumber() async throws {
        guard let manager = remove(.wirePlumber) else { return }
        manager.signal(SIGKILL)
        try await manager.waitForExit()
    }

    /// Starts the session manager again.
    public func startWirePlumber() async throws { try start(.wirePlumber, "wireplumber") }

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

    /// The memory use of the PipeWire daemon.
    public func pipeWireMemory() throws -> ProcessMemory {
        guard let pipeWire else { throw SystemError(code: ESRCH, context: "memory of pipewire") }
        return try ProcessMemory(of: pipeWire.processID)
    }

    /// The name of our module.
    public static let moduleName = "libpipewire-module-audio-session"

    /// Unloads our module through the module in `Tests/ModuleUnloader`, which must be loaded as well, and waits until
    /// ours has gone.
    public func unloadModule() async throws {
        try await change(PrivateDesktop.moduleName, isThere: false)
    }

    /// Loads our module into the running daemon, and waits until it is loaded.
    public func loadModule() async throws { try await change("+" + PrivateDesktop.moduleName, isThere: true) }

    /// Has the daemon's main loop wait at each of its turns, while its data thread plays on. Returns when it does.
    public func slowMainLoop(by delay: Duration) async throws {
        try order("~\(Int(delay.milliseconds))")
        _ = try await dump()
    }

    private func order(_ command: String) throws {
        guard let pipe = FileHandle(forWritingAtPath: sandbox.path("run/unload")) else {
            throw SystemError(code: ENOENT, context: "tell the test's own module \(command)")
        }
        try pipe.write(contentsOf: Data(command.utf8))
    }

    private func change(_ command: String, isThere: Bool) async throws {
        try order(command)
        _ = try await waitUntil("the \(isThere ? "beginning" : "end") of the module", evidence: { sandbox.logTails() })
        {
            try await dump().contains {
                $0.type == "Module" && $0.content["info"]?["name"]?.text == PrivateDesktop.moduleName
            } == isThere ? true : nil
        }
    }

    /// All files in WirePlumber's state folder.
    public func savedState() -> [String: [UInt8]] { sandbox.contents(of: "home/.local/state/wireplumber") }

    /// Whether WirePlumber has saved a volume for the streams of a role: in its own line format up to 0.4, in JSON since
    /// 0.5. Newer releases save it for those of an application, and so it counts for any.
    public func hasSaved(slider position: Double, of role: MediaRole) -> Bool {
        // A linear factor; two digits distinguish it from other values.
        let factor = String(format: "%.2f", (pow(position, 3) * 100).rounded(.down) / 100)
        return savedState().values.contains { file in
            String(decoding: file, as: UTF8.self).split(separator: "\n").contains { line in
                line.contains(":\(role.pipeWire):channelVolumes=\(factor)")
                    || (line.contains(":\(role.pipeWire)={") || line.contains(":application.name:"))
                        && line.contains("\"channelVolumes\":[\(factor)")
            }
        }
    }

    /// Waits until the daemon logs that its graph has changed its rate. Before 0.3.77 the line has only the former
    /// rate, later also the new one. ``DesktopOptions/environment`` must enable the line.
    public func waitForGraph(rate: Int, after former: Int) async throws {
        guard let log = pipeWire?.log else { throw SystemError(code: ESRCH, context: "log of pipewire") }
        _ = try await waitUntil("the rate of the graph", evidence: { log.tail() }) {
            let lines = ["new rate:\(former)->\(rate)", "new rate:\(former)/(\(former))->\(rate)"]
            return lines.contains { log.text.contains($0) } ? true : nil
        }
    }

    private func start(_ part: Part, _ program: String) throws {
        if parts.withLock({ $0[part]?.isRunning ?? false }) { return }
        var invocation = Invocation(program)
        if part == .wirePlumber { invocation.environment["FIXTURE_CARD_FOLDER"] = cardFolder }
        // Only for the daemon: every program that links to PipeWire looks through all of these folders when it starts.
        let folders = options.moduleFolders + options.modules.compactMap(\.folder)
        if part == .pipeWire, !folders.isEmpty {
            invocation.environment["PIPEWIRE_MODULE_DIR"] = (folders + [try PrivateDesktop.moduleFolder()])
                .joined(separator: ":")
        }
        if part == .pipeWire { invocation = invocation.run(by: options.daemonPrefix) }
        let child = try sandbox.start(program, invocation)
        parts.withLock { $0[part] = child }
    }

    private func remove(_ part: Part) -> ChildProcess? { parts.withLock { $0.removeValue(forKey: part) } }

    /// Waits until `condition` holds. A tool that cannot connect yet counts as "not yet"; an ended daemon is a failure.
    private func waitForDaemon(_ awaited: String, _ condition: @Sendable () async throws -> Bool) async throws {
        _ = try await waitUntil(awaited, evidence: { sandbox.logTails() }) {
            for child in parts.withLock({ Array($0.values) }) {
                guard let status = child.exitStatus else { continue }
                throw CommandFailure(command: [child.name], status: status, errors: child.log.tail())
            }
            return (try? await condition()) == true ? true : nil
        }
    }
}
