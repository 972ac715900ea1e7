import Foundation

/// A sound server in its own sandbox, with one null sink whose monitor can be recorded.
public protocol PrivateServer: Sendable {
    /// Its folder, environment and processes.
    var sandbox: Sandbox { get }

    /// The name of the null sink, which is the default sink.
    var sinkName: String { get }

    /// All present streams of applications.
    func streams() async throws -> [ServerStream]

    /// Sets the user's volume of a stream: 0 to 1, cubic as in desktop mixers.
    func setSlider(of stream: ServerStream, to position: Double) async throws

    /// Sets the user's mute switch of a stream.
    func setMuted(_ muted: Bool, of stream: ServerStream) async throws

    /// The program that writes the sink's monitor to standard output: interleaved stereo, 32-bit float, 48 kHz.
    func captureInvocation() throws -> Invocation
    /// Connects the capture to the monitor if the server does not do so itself.
    func connectCapture() async throws

    /// The kind of server.
    var kind: ServerKind { get }
    /// The daemon, which has loaded the module under test; nil after it was ended.
    var daemon: ChildProcess? { get }
    /// The parts that were started: `system-bus`, `bus`, `daemon`, and in PipeWire `manager` and `front-end`.
    var processes: [String: ChildProcess] { get }
    /// Ends only the daemon; with SIGKILL as in a crash.
    func stopDaemon(signal: Int32) async throws
    /// Ends the daemon and all its helpers except the buses; all files stay.
    func stopServers() async
    /// Starts everything that `stopServers()` has ended, and returns when clients can connect.
    func startServers() async throws
    /// Ends the session bus, as when the user's session restarts while the sound server continues.
    func stopBus() async throws
    /// Starts the session bus again, at the same address.
    func startBusAgain() async throws
    /// Unloads our module from the daemon.
    func unloadModule() async throws
    /// All saved settings of streams and devices of the server or its session manager, by file path, for a comparison
    /// byte by byte.
    func savedState() -> [String: [UInt8]]
    /// Whether a volume, given as a slider position, is among the saved settings of a role.
    func hasSaved(slider position: Double, of role: MediaRole) -> Bool

    /// Ends all started programs and removes their files.
    func stop() async
}

extension PrivateServer {
    /// Waits until a stream fulfils `condition`, and returns it.
    @discardableResult
    public func waitForStream(
        _ awaited: String,
        where condition: @Sendable (ServerStream) -> Bool
    ) async throws -> ServerStream {
        try await waitUntil(
            awaited, every: .milliseconds(20), evidence: { sandbox.logTails() }
        ) {
            try await streams().first(where: condition)
        }
    }

    /// Waits until the streams are as they should be.
    public func waitForStreams(where condition: @Sendable ([ServerStream]) -> Bool) async throws {
        var last: [ServerStream] = []
        _ = try await waitUntil("other streams", evidence: { "\(last.map(\.properties))" }) {
            last = try await streams()
            return condition(last) ? true : nil
        }
    }

    /// The file by which our module marks an unfinished start.
    public var startMark: String {
        sandbox.path("run/audio-session-\(kind == .pipeWire ? "pipewire" : "pulseaudio").starting")
    }

    /// Waits ten seconds until our module counts its start as survived. If a server is killed before, the module blames
    /// itself at the next start.
    public func outliveStart() async throws {
        _ = try await waitUntil("the mark of the start is gone", every: .milliseconds(50)) {
            FileManager.default.fileExists(atPath: startMark) ? nil : true
        }
    }

    /// Ends all programs.
    public func stop() async { await sandbox.stop() }
}

/// Starts a server, passes it to `body`, and ends it in every case.
public func withServer<Server: PrivateServer, Result: Sendable>(
    _ server: Server, isolation: isolated (any Actor)? = #isolation, _ body: (Server) async throws -> Result
) async throws -> Result {
    do {
        let result = try await body(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}
