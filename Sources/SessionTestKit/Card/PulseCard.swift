import Foundation

/// A sound card that does not exist, in a private PulseAudio: the module of `Tests/PulseCard`.
///
/// The daemon and its stock modules take it for a real one. Its sinks render ahead of time, as those of real cards do, and
/// what comes out of a plug is what has not been taken back by then.
public final class PulseCard: SoundCard {
    /// What it is.
    public let kind: CardKind
    /// Where it is.
    public let server: PrivatePulseAudio
    /// The path of the socket on which it is told what happens to it.
    public let socket: String
    private let module: String
    private let daemon: ChildProcess

    /// Plugs a card in, and returns when its sinks are there.
    ///
    /// - Parameters:
    ///   - kind: what card it is.
    ///   - instance: makes its names different from those of a second one.
    ///   - isAbsent: whether it is not there before ``SoundCard/appear()``.
    ///   - buffer: how many frames it holds itself, which cannot be taken back: they come out of the plug that is in use
    ///     when they come out.
    ///   - lag: by how much its thread is late in doing what its answer to a message leaves to be done.
    ///   - delay: how long the daemon's loop has other work after it has told a sink's thread that a stream was started,
    ///     before its modules hear of that; on whatever device.
    ///   - server: where; started with ``moduleFolder()`` among the folders of its modules.
    public static func start(
        _ kind: CardKind, instance: String = "", isAbsent: Bool = false, buffer: Int = 0, lag: Duration = .zero,
        delay: Duration = .zero, on server: PrivatePulseAudio
    ) async throws -> PulseCard {
        let socket = server.sandbox.path("run/\(UUID().uuidString.prefix(8)).card")
        var arguments = ["kind=\(kind.rawValue)", "socket=\(socket)", "buffer=\(buffer)"]
        if !instance.isEmpty { arguments.append("instance=\(instance)") }
        if isAbsent { arguments.append("absent=yes") }
        if lag > .zero { arguments.append("lag=\(Int(lag.milliseconds))") }
        if delay > .zero { arguments.append("delay=\(Int(delay.milliseconds))") }
        let module = try await server.sandbox.run(
            Invocation("pactl", ["load-module", "module-fixture-card"] + arguments))
        let number = String(decoding: module, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        // The daemon of a server can be ended and started again; the card is of this one.
        let daemon: ChildProcess? = server.daemon
        guard let daemon else { throw SystemError(code: ESRCH, context: "load a module into no daemon") }
        let card = PulseCard(kind, server, socket, module: number, daemon)
        if !isAbsent { try await card.waitUntilLinked() }
        return card
    }

    private init(
        _ kind: CardKind, _ server: PrivatePulseAudio, _ socket: String, module: String, _ daemon: ChildProcess
    ) {
        self.kind = kind
        self.server = server
        self.socket = socket
        self.module = module
        self.daemon = daemon
    }

    /// Where it is.
    public var sandbox: Sandbox { server.sandbox }
    /// The daemon's log.
    public var log: LogFile { daemon.log }

    /// Records what comes out of a plug, sample for sample: the card itself writes it down, so no stream in the daemon
    /// records it.
    public func record(_ plug: String) async throws -> Capture {
        let path = sandbox.path("tmp/\(plug)-\(UUID().uuidString.prefix(8)).f32")
        try await tell("record \(plug) \(path)")
        return try await Capture.start(following: path, writtenBy: daemon)
    }

    /// Takes the module out of the daemon, and the card with it.
    public func unload() async throws {
        try await sandbox.run(Invocation("pactl", ["unload-module", module]))
    }

    // MARK: - Where the module is

    /// The folder with the module for the installed daemon, for its `--dl-search-path`.
    public static func moduleFolder() async throws -> String {
        let release = try await release()
        let variable = ProcessInfo.processInfo.environment["AUDIO_SESSION_MODULES"]
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // The program of the tests is some folders below `.build`.
        let above = sequence(first: URL(fileURLWithPath: program).deletingLastPathComponent()) {
            $0.path == "/" ? nil : $0.deletingLastPathComponent()
        }
        let folders = [variable].compactMap(\.self) + above.map { $0.appendingPathComponent("modules").path }
        for folder in folders.map({ "\($0)/tests/\(release)" })
        where FileManager.default.fileExists(atPath: "\(folder)/module-fixture-card.so") {
            return folder
        }
        throw SystemError(
            code: ENOENT, context: "find module-fixture-card.so, which Tests/PulseCard/build \(release) makes")
    }

    /// Where the installed daemon looks for modules by itself.
    public static func stockModuleFolder() async throws -> String {
        let prefix = "dl-search-path = "
        let lines = try await ask("--dump-conf").split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(prefix) }) else {
            throw SystemError(code: ENOENT, context: "find PulseAudio's modules")
        }
        return String(line.dropFirst(prefix.count))
    }

    /// The installed daemon's release, such as `16.1`.
    static func release() async throws -> String {
        let words = try await ask("--version").split(whereSeparator: \.isWhitespace)
        guard words.count >= 2 else { throw SystemError(code: EINVAL, context: "read PulseAudio's release") }
        return String(words[1])
    }

    private static func ask(_ option: String) async throws -> String {
        let sandbox = try Sandbox()
        let answer: Data
        do {
            answer = try await sandbox.run(Invocation("pulseaudio", [option]))
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
        return String(decoding: answer, as: UTF8.self)
    }
}
