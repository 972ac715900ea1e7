import Foundation

/// A sound card that does not exist, in a private desktop: the program `fixture-card` of `Tests/FixtureCard`.
///
/// The session manager takes it for a real one. What a test does to it happens to its plugs; where the sound goes then is
/// the session manager's decision, and is recorded plug by plug, see ``outlet(_:)``.
public final class FixtureCard: SoundCard {
    /// What cards there are.
    public typealias Kind = CardKind

    /// What it is.
    public let kind: Kind
    /// Where it is.
    public let desktop: PrivateDesktop
    /// Its process; the log has everything that happened to it, with the time in seconds on the monotonic clock.
    public let process: ChildProcess
    /// The path of the socket on which it is told what happens to it.
    public let socket: String
    private let instance: String

    /// Plugs a card in, and returns when WirePlumber has taken its sinks over.
    ///
    /// - Parameters:
    ///   - kind: what card it is.
    ///   - instance: makes its names different from those of a second one.
    ///   - isAbsent: whether it is not there before ``appear()``.
    ///   - buffer: how many frames it holds itself, like the buffer of a real card: they come out of the plug that is
    ///     in use when they come out. Without any, sound comes out in the cycle of the graph in which it is played.
    ///   - lies: whether it says that the numbers in its lists are larger than they are.
    ///   - desktop: where.
    public static func start(
        _ kind: Kind, instance: String = "", isAbsent: Bool = false, buffer: Int = 0, lies: Bool = false,
        on desktop: PrivateDesktop
    ) async throws -> FixtureCard {
        let card = try FixtureCard(kind, instance, isAbsent, buffer, lies, desktop)
        try await card.process.log.wait(forLineContaining: "ready")
        if !isAbsent, !lies { try await card.waitUntilLinked() }
        return card
    }

    private init(
        _ kind: Kind, _ instance: String, _ isAbsent: Bool, _ buffer: Int, _ lies: Bool, _ desktop: PrivateDesktop
    ) throws {
        var environment = ["FIXTURE_CARD_BUFFER": "\(buffer)"]
        if lies { environment["FIXTURE_CARD_LIES"] = "yes" }
        if isAbsent { environment["FIXTURE_CARD"] = "absent" }
        self.kind = kind
        self.instance = instance
        self.desktop = desktop
        socket = desktop.sandbox.path("run/\(UUID().uuidString.prefix(8)).card")
        process = try desktop.sandbox.start(
            "fixture-card-\(kind)",
            Invocation(
                try FixtureCard.program(), [kind.rawValue, socket, instance], environment: environment))
    }

    /// The program, which is built beside the one that runs.
    private static func program() throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("fixture-card").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw SystemError(code: ENOENT, context: "find \(path), which the package's build makes")
        }
        return path
    }

    /// What comes out of a plug, whichever sink feeds it: record it with ``Capture/start(on:of:)``.
    ///
    /// It exists from the start, whether the card is there or not.
    public func outlet(_ plug: String) -> CapturePoint {
        let name = "fixture-\(kind.rawValue)" + (instance.isEmpty ? "" : ".\(instance)")
        return .ports(node: name, prefix: plug)
    }

    /// Records what comes out of a plug.
    public func record(_ plug: String) async throws -> Capture {
        try await Capture.start(on: desktop, of: outlet(plug))
    }

    /// Where it is.
    public var sandbox: Sandbox { desktop.sandbox }
    /// The log of its process.
    public var log: LogFile { process.log }
}
