import Foundation
import Synchronization
import TestKit
import Testing

/// The private servers of a run. Tests with the same configuration share one, one after the other; what a test leaves
/// behind is a failure of that test, and ends its server.
actor SharedDesktops {
    static let ofThisRun = SharedDesktops()

    /// How many servers run at the same time. Tests mostly wait for sound, so two processors have time for several.
    static let limit = ProcessInfo.processInfo.environment["AUDIO_SESSION_DESKTOPS"].flatMap { Int($0) } ?? 5

    /// A running server.
    struct Server: Sendable {
        let configuration: LiveDesktopOptions
        let server: any PrivateServer
        /// The processes of the server itself. All others are a test's.
        let processes: Set<pid_t>
        /// What the server had before the first test.
        let state: DesktopState
        /// Whether no test has used it yet.
        var isNew = true
    }

    private var idle: [Server] = []
    private var running = 0
    /// Whether the test that runs is to have the machine for itself.
    private var isTaken = false
    private var waiting: [(isAlone: Bool, enter: CheckedContinuation<Void, Never>)] = []

    /// A server of a configuration, for one test; for one that is to have the machine for itself, once no other runs.
    func take(_ configuration: LiveDesktopOptions, isAlone: Bool = false) async throws -> Server {
        await waitForPlace(isAlone: isAlone)
        if let index = idle.firstIndex(where: { $0.configuration == configuration }) { return idle.remove(at: index) }
        do {
            // Servers that nobody uses have no place, so the one that has waited longest makes way.
            if idle.count + running > SharedDesktops.limit, !idle.isEmpty { await idle.removeFirst().server.stop() }
            return try await Server(configuration)
        } catch {
            leavePlace()
            throw error
        }
    }

    /// Takes a server back from its test. If it is as it was, the next test gets it.
    func giveBack(_ server: Server) async {
        defer { leavePlace() }
        let isReused = server.configuration.owner == nil && server.isWhole
        guard isReused, await server.expectNothingLeft() else { return await server.server.stop() }
        var used = server
        used.isNew = false
        idle.append(used)
    }

    /// Ends a server whose test has failed: what the test leaves behind is not its worst fault.
    func end(_ server: Server) async {
        await server.server.stop()
        leavePlace()
    }

    /// In the order in which they come.
    private func waitForPlace(isAlone: Bool) async {
        await withCheckedContinuation {
            waiting.append((isAlone, $0))
            admit()
        }
    }

    private func leavePlace() {
        running -= 1
        isTaken = false
        admit()
    }

    private func admit() {
        while let next = waiting.first, next.isAlone ? running == 0 : running < SharedDesktops.limit && !isTaken {
            waiting.removeFirst()
            running += 1
            isTaken = next.isAlone
            next.enter.resume()
        }
    }
}

extension SharedDesktops.Server {
    fileprivate init(_ configuration: LiveDesktopOptions) async throws {
        self.configuration = configuration
        server = try await configuration.start()
        processes = Set(server.processes.values.map(\.processID))
        state = try await DesktopState(of: server)
    }

    /// Whether all of the server runs, and is what was started: a test may have ended a part, or started it again.
    fileprivate var isWhole: Bool {
        server.processes.values.allSatisfy(\.isRunning) && Set(server.processes.values.map(\.processID)) == processes
    }

    /// Ends what the last test has started and takes its policy away.
    private func clear() async throws {
        try await server.sandbox.killAll(but: processes)
        try await server.waitForStreams(where: \.isEmpty)
        let policy = LiveDesktop.policyPath(in: server.sandbox)
        if FileManager.default.fileExists(atPath: policy) {
            let log = server.daemon?.log.fromNow
            try FileManager.default.removeItem(atPath: policy)
            try await server.waitForPolicy(besides: policy, log: log)
        }
        for folder in ["tmp", "bin"] {
            for file in (try? FileManager.default.contentsOfDirectory(atPath: server.sandbox.path(folder))) ?? [] {
                try FileManager.default.removeItem(atPath: server.sandbox.path("\(folder)/\(file)"))
            }
        }
    }

    /// Clears it, and records an issue if the server is not as it was.
    fileprivate func expectNothingLeft() async -> Bool {
        do {
            try await clear()
            // A device that goes with its client needs a moment.
            var last = state
            _ = try await waitUntil("the server as it was", evidence: { "\(last.difference(from: state))" }) {
                last = try await DesktopState(of: server)
                return last == state ? true : nil
            }
            return true
        } catch {
            // pipewire-pulse 0.3.65, which has no module of ours, can call its data thread's `stream_process` for a stream
            // whose listener is just being removed, without data, when a client is killed. The test is judged by then.
            if case .signalled(SIGSEGV) = server.processes["front-end"]?.exitStatus {
                print("pipewire-pulse has crashed while the clients of an ended test were killed; it is not used again")
            } else {
                Issue.record(error, "the test leaves something behind")
            }
            return false
        }
    }
}

extension PrivateServer {
    /// Waits until the module has read its policy. It says so in its log if anything else holds now; whether the user's file
    /// counts, its status says in any case.
    func waitForPolicy(besides file: String, log: LogFile?) async throws {
        let isThere = FileManager.default.fileExists(atPath: file)
        _ = try await waitUntil("the policy to be read", evidence: { sandbox.logTails() }) {
            if log?.text.contains("policy:") ?? false { return true }
            let status = try? await sandbox.run(
                Invocation(builtProgram("audio-session"), ["status", "--json"]))
            let policy = try status.flatMap { try JSONValue(parsing: $0)["policy"]?.text }
            return policy.map { $0.contains(file) == isThere } ?? false ? true : nil
        }
    }
}

/// What a server has beside its streams: devices, modules, defaults, volumes, sessions, switches.
struct DesktopState: Equatable, Sendable {
    private var lines: Set<String>

    init(of server: any PrivateServer) async throws {
        func list(_ program: String, _ arguments: String...) async throws -> String {
            String(decoding: try await server.sandbox.run(Invocation(program, arguments)), as: UTF8.self)
        }
        lines = []
        for kind in ["modules", "sinks", "sources", "cards"] {
            // Without the state, which follows from the streams.
            for line in try await list("pactl", "list", "short", kind).split(separator: "\n") {
                lines.insert("\(kind): \(line.split(separator: "\t").prefix(3).joined(separator: " "))")
            }
        }
        let wanted = ["Default Sink", "Default Source", "Volume:", "Mute:"]
        for part in ["info", "list sinks"] {
            let text = try await list("/bin/sh", "-c", "pactl \(part)")
            for line in text.split(separator: "\n") where wanted.contains(where: { line.contains($0) }) {
                lines.insert("\(part): \(line.trimmingCharacters(in: .whitespaces))")
            }
        }
        let status = try? await list(builtProgram("audio-session"), "status", "--json")
        lines.formUnion(status.map { DesktopState.lasting(in: $0) } ?? [])
    }

    /// What `audio-session status` says, but for what changes by itself.
    private static func lasting(in status: String) -> [String] {
        guard let read = try? JSONSerialization.jsonObject(with: Data(status.utf8)) as? [String: Any] else {
            return [status]
        }
        return read.filter { !["streams", "time", "route"].contains($0.key) }.map { key, value in
            let text = try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
            return "\(key): \(text.map { String(decoding: $0, as: UTF8.self) } ?? "\(value)")"
        }
    }

    /// The lines that only one of two states has.
    func difference(from other: DesktopState) -> [String] {
        other.lines.subtracting(lines).map { "- \($0)" }.sorted()
            + lines.subtracting(other.lines).map { "+ \($0)" }.sorted()
    }
}
