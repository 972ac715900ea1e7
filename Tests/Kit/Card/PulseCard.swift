import Foundation

/// A simulated sound card in a private PulseAudio: the module of `Tests/PulseCard`.
///
/// The daemon and its stock modules treat it as a real card. Like real cards, its sinks render ahead, and a plug plays
/// what has not been rewound by then.
public final class PulseCard: SoundCard {
    /// The kind of card.
    public let kind: CardKind
    /// The server that the card is part of.
    public let server: PrivatePulseAudio
    /// The path of the socket for commands to the card.
    public let socket: String
    private let module: String
    private let daemon: ChildProcess

    /// Adds a card, and returns when its sinks exist.
    ///
    /// - Parameters:
    ///   - kind: The kind of card.
    ///   - instance: Distinguishes its names from those of a second card.
    ///   - isAbsent: Whether it is absent until ``SoundCard/appear()``.
    ///   - buffer: The number of frames that the card buffers and that cannot be rewound; they come out of the plug
    ///     that is active at that time.
    ///   - lag: The delay between the answer of the card's thread to a message and the work that the answer leaves to
    ///     be done.
    ///   - delay: How long the daemon's loop is busy between telling a sink's thread, on any device, that a stream was
    ///     started, and telling its modules.
    ///   - server: The server, started with ``moduleFolder()`` among its module folders.
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
        // The server's daemon may be restarted; the card belongs to the present one.
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

    /// The server's sandbox.
    public var sandbox: Sandbox { server.sandbox }
    /// The daemon's log.
    public var log: LogFile { daemon.log }

    /// Records the sound that comes out of a plug, sample by sample. The card itself writes it to a file, so no stream
    /// in the daemon records it.
    public func record(_ plug: String) async throws -> Capture {
        let path = sandbox.path("tmp/\(plug)-\(UUID().uuidString.prefix(8)).f32")
        try await tell("record \(plug) \(path)")
        return try await Capture.start(following: path, writtenBy: daemon)
    }

    /// Sets the user's mute switch of the sink or source of a plug in use.
    public func setMuted(_ muted: Bool, of plug: String) async throws {
        guard let device = try await state().nodes[plug] else {
            throw SystemError(code: ENODEV, context: "find the sink or source of \(plug)")
        }
        let command = plug.hasSuffix("mic") || plug.hasSuffix("input") ? "set-source-mute" : "set-sink-mute"
        try await sandbox.run(Invocation("pactl", [command, "\(device)", muted ? "1" : "0"]))
    }

    /// Unloads the module, and with it the card.
    public func unload() async throws {
        try await sandbox.run(Invocation("pactl", ["unload-module", module]))
    }

    // MARK: - The module's folder

    /// The folder with the module for the installed daemon, for `--dl-search-path`.
    public static func moduleFolder() async throws -> String {
        let release = try await release()
        for folder in try builtModuleFolders().map({ "\($0)/tests/\(release)" })
        where FileManager.default.fileExists(atPath: "\(folder)/module-fixture-card.so") {
            return folder
        }
        throw SystemError(
            code: ENOENT, context: "find module-fixture-card.so, which Tests/PulseCard/build \(release) makes")
    }

    /// The folder in which the installed daemon looks for modules.
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
