import Foundation

/// A sound server in a sandbox of its own, with one null sink that can be heard through its monitor.
public protocol PrivateServer: Sendable {
    /// Its folder, environment and processes.
    var sandbox: Sandbox { get }

    /// The name of the null sink, which is the default sink.
    var sinkName: String { get }

    /// All application streams there are now.
    func streams() async throws -> [ServerStream]

    /// Moves the user's slider of a stream: 0 to 1, cubic as in every desktop's mixer.
    func setSlider(of stream: ServerStream, to position: Double) async throws

    /// Sets the user's mute switch of a stream.
    func setMuted(_ muted: Bool, of stream: ServerStream) async throws

    /// What writes the monitor of the sink to standard output: interleaved stereo, 32-bit float, 48 kHz.
    func captureInvocation() -> Invocation
    /// Sees to it that the capture is fed, where the server does not do so by itself.
    func connectCapture() async throws

    /// Which server it is.
    var kind: ServerKind { get }
    /// The daemon, which has the module under test inside; nil when it was ended.
    var daemon: ChildProcess? { get }
    /// Ends the daemon alone, as in a crash of it when `signal` is SIGKILL.
    func stopDaemon(signal: Int32) async throws
    /// Ends the daemon and all that belongs to it but the buses; all files stay.
    func stopServers() async
    /// Starts what `stopServers()` has ended, and returns when clients can connect.
    func startServers() async throws
    /// Ends the session bus, as when the user's session is restarted around the sound server.
    func stopBus() async throws
    /// Starts the session bus again, at the same address.
    func startBusAgain() async throws
    /// Takes our module out of the daemon.
    func unloadModule() async throws
    /// All that the server, or its session manager, remembers of streams and devices, by path, to be compared byte for
    /// byte.
    func savedState() -> [String: [UInt8]]
    /// Whether a volume, as the position of the user's slider, is among what is remembered of streams of a role.
    func hasSaved(slider position: Double, of role: MediaRole) -> Bool

    /// Ends everything that was started and removes its files.
    func stop() async
}

extension PrivateServer {
    /// Waits until a stream fulfils `condition`, and returns it.
    @discardableResult
    public func waitForStream(
        _ awaited: String, within limit: Duration = .seconds(10),
        where condition: @Sendable (ServerStream) -> Bool
    ) async throws -> ServerStream {
        try await waitUntil(
            awaited, within: limit, every: .milliseconds(20), evidence: { sandbox.logTails() }
        ) {
            try await streams().first(where: condition)
        }
    }

    /// Where our module marks that its start is under way.
    public var startMark: String {
        sandbox.path("run/audio-session-\(kind == .pipeWire ? "pipewire" : "pulseaudio").starting")
    }

    /// Waits until our module's start counts as survived, which takes ten seconds; a server that is killed before is taken
    /// for one that the module has ended.
    public func outliveStart() async throws {
        _ = try await waitUntil("the mark of the start is gone", within: .seconds(20), every: .milliseconds(50)) {
            FileManager.default.fileExists(atPath: startMark) ? nil : true
        }
    }

    /// Ends everything.
    public func stop() async { await sandbox.stop() }
}

/// Starts a server, hands it to `body`, and ends it whatever happens.
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
