import Foundation
import TestKit

/// A private sound server for commands that are not written in Swift.
///
/// Prints a line of JSON when clients can connect: the sandbox's folder and environment, the sink, and the process ids of the
/// parts. Then it reads requests, one a line, and prints such a line after each:
///
///     kill PART     with SIGKILL; PART is bus, daemon, sink, manager, front-end, or servers for all but the bus
///     stop PART     with SIGTERM
///     start PART    what does not run of it
///     state         how long the machine was late at most since the last such request, in milliseconds, and how parts ended
///
/// It ends everything when its input ends.
@main struct PrivateDesktopProgram {
    private static let usage = """
        usage: private-desktop [OPTION VALUE]…
            --server pipewire|pulseaudio
            --start bus|servers     bus: the servers are started on request
            --module-folder FOLDER  where further modules are; the first one has ours
            --module NAME           a module to load: PipeWire's name, or a line of PulseAudio's load-module
            --early-module LINE     one that PulseAudio loads before sinks and clients
            --prefix WORD           before the daemon's command: a word of a program that runs it
            --daemon-argument WORD  for PulseAudio
            --quantum FRAMES        of PipeWire's graph; no client can change it
            --sink-priority NUMBER  in PipeWire's choice of the default sink

        """

    @MainActor static func main() async {
        do {
            let desk = try await ServedDesktop.start(try Wishes(CommandLine.arguments.dropFirst()))
            await desk.printState()
            while let line = readLine() {
                do { try await desk.answer(line) } catch { printJSON(["error": "\(error)"]) }
            }
            await desk.server.stop()
        } catch {
            printJSON(["error": "\(error)"])
            FileHandle.standardError.write(Data(usage.utf8))
            exit(1)
        }
    }
}

/// What the command line asks for.
struct Wishes {
    var server = ServerKind.pipeWire
    var startsServers = true
    var moduleFolders: [String] = []
    var modules: [String] = []
    var earlyModules: [String] = []
    var prefix: [String] = []
    var daemonArguments: [String] = []
    var quantum = Quantum.unchanged
    var sinkPriority: Int?

    init(_ words: some Collection<String>) throws {
        var words = ArraySlice(words)
        while let option = words.popFirst() {
            guard let value = words.popFirst() else { throw Mistake("\(option) lacks its value") }
            switch option {
            case "--server":
                guard let kind = ServerKind(rawValue: value) else { throw Mistake("no server is called \(value)") }
                server = kind
            case "--start": startsServers = value == "servers"
            case "--module-folder": moduleFolders.append(value)
            case "--module": modules.append(value)
            case "--early-module": earlyModules.append(value)
            case "--prefix": prefix.append(value)
            case "--daemon-argument": daemonArguments.append(value)
            case "--quantum": quantum = .fixed(Int(value) ?? 1024)
            case "--sink-priority": sinkPriority = Int(value)
            default: throw Mistake("there is no option \(option)")
            }
        }
    }
}

/// Something that was asked for does not exist.
struct Mistake: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The server, and in PipeWire its sink.
///
/// PipeWire's sink belongs to a client, as those of hardware belong to the session manager: a sink that the daemon has itself is
/// not taken up by a session manager that is started again.
actor ServedDesktop {
    let server: any PrivateServer
    private let sinkPriority: Int?
    private let sinkName = "test-sink"
    private var sink: ChildProcess?
    private var sinkInput: FileHandle?
    private let meters = [StallMeter(.realTime), StallMeter(.ordinary)]
    private var lastLook = StallMeter.now

    static func start(_ wishes: Wishes) async throws -> ServedDesktop {
        let server: any PrivateServer
        switch wishes.server {
        case .pipeWire:
            var options = DesktopOptions()
            options.hasNullSink = false
            options.quantum = wishes.quantum
            options.modules = wishes.modules.map { ServerModule($0) }
            options.moduleFolders = wishes.moduleFolders
            options.daemonPrefix = wishes.prefix
            options.startsServers = false
            server = try await PrivateDesktop.start(options)
        case .pulseAudio:
            var options = PulseAudioOptions.stock
            options.configuration = ["rlimit-rttime = -1"]
            options.logLevel = "info"
            options.moduleFolders = wishes.moduleFolders
            options.earlyModules += wishes.earlyModules
            // It is a policy like ours, which a stock desktop has, too.
            options.modules += ["module-role-cork"] + wishes.modules
            options.daemonArguments = wishes.daemonArguments
            options.daemonPrefix = wishes.prefix
            options.startsServers = false
            server = try await PrivatePulseAudio.start(options)
        }
        let desk = ServedDesktop(server, sinkPriority: wishes.sinkPriority)
        do {
            if wishes.startsServers { try await desk.startServers() }
        } catch {
            await server.stop()
            throw error
        }
        return desk
    }

    private init(_ server: any PrivateServer, sinkPriority: Int?) {
        self.server = server
        self.sinkPriority = sinkPriority
    }

    /// Prints what clients need to know.
    func printState() {
        var processes = server.processes
        processes["sink"] = sink
        printJSON([
            "folder": server.sandbox.directory, "environment": server.sandbox.environment, "sink": sinkName,
            "processes": processes.filter(\.value.isRunning).mapValues { Int($0.processID) },
        ])
    }

    /// Does what a line asks for.
    func answer(_ line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.last) {
        case ("state", _):
            let before = lastLook
            lastLook = StallMeter.now
            let late = meters.flatMap { $0.stalls(of: .milliseconds(1)) }.filter { $0.upperBound > before }
                .map { ($0.upperBound - $0.lowerBound) / .milliseconds(1) }.max()
            let ended = server.processes.compactMapValues(\.exitStatus).mapValues { "\($0)" }
            return printJSON(["late": late ?? 0, "ended": ended])
        case ("kill", let part?): try await end(part, SIGKILL)
        case ("stop", let part?): try await end(part, SIGTERM)
        case ("start", "bus"): try await server.startBusAgain()
        case ("start", "manager"):
            // Whoever asks for it waits: WirePlumber 0.4 does not always come to terms with streams that are there.
            try startSink()
            try await (server as? PrivateDesktop)?.startWirePlumber()
        case ("start", _): try await startServers()
        default: throw Mistake("nobody knows how to \(line)")
        }
        printState()
    }

    private func end(_ part: String, _ signal: Int32) async throws {
        switch part {
        case "servers":
            await sink?.stop()
            sink = nil
            if signal == SIGKILL { try await server.stopDaemon(signal: SIGKILL) }
            await server.stopServers()
        case "sink":
            await sink?.stop()
            sink = nil
        default:
            guard let process = server.processes[part] else { throw Mistake("no part is called \(part)") }
            process.signal(SIGCONT)
            process.signal(signal)
            try await process.waitForExit()
        }
    }

    private func startServers() async throws {
        // A session manager that starts again finds the sink, as it finds hardware.
        if server.daemon?.isRunning ?? false { try startSink() }
        try await server.startServers()
        try startSink()
        guard let desktop = server as? PrivateDesktop else { return }
        _ = try await waitUntil(
            "the sink to be the default one", within: .seconds(120), evidence: { server.sandbox.logTails() }
        ) {
            try await desktop.defaultSink() == sinkName ? true : nil
        }
    }

    private func startSink() throws {
        guard server.kind == .pipeWire, !(sink?.isRunning ?? false) else { return }
        let pipe = server.sandbox.path("run/sink")
        guard mkfifo(pipe, 0o600) == 0 || errno == EEXIST else { throw Mistake("no pipe \(pipe) can be made") }
        // It never comes to the end of a pipe that it has open for writing itself.
        sink = try server.sandbox.start("sink", Invocation("sh", ["-c", "exec pw-cli <>\(pipe)"]))
        // Kept open, or what is written is lost if the client comes later.
        let writer = FileHandle(fileDescriptor: open(pipe, O_RDWR | O_CLOEXEC), closeOnDealloc: true)
        let priority = sinkPriority.map { "priority.session = \($0)" } ?? ""
        let node = """
            create-node adapter { factory.name = support.null-audio-sink node.name = \(sinkName) media.class = Audio/Sink \
            audio.rate = 48000 audio.position = "FL,FR" \(priority) }

            """
        try writer.write(contentsOf: Data(node.utf8))
        sinkInput = writer
    }
}

/// Prints one line.
private func printJSON(_ value: [String: Any]) {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else { return }
    FileHandle.standardOutput.write(data + Data("\n".utf8))
}
