import Foundation

/// A simulated sound card in a private desktop: the program `fixture-card` of `Tests/FixtureCard`.
///
/// The session manager treats it as a real card. Tests plug and unplug its ports; the session manager decides where the
/// sound goes. Each plug can be recorded, see ``outlet(_:)``.
public final class FixtureCard: SoundCard {
    /// The kinds of cards.
    public typealias Kind = CardKind

    /// The kind of card.
    public let kind: Kind
    /// The desktop that the card is part of.
    public let desktop: PrivateDesktop
    /// The process that has the card's plugs and, where the session manager does not have the card, the card itself.
    public let process: ChildProcess
    /// The path of the socket for commands to the card.
    public let socket: String
    private let instance: String

    /// Adds a card, and returns when WirePlumber has created its sinks.
    ///
    /// - Parameters:
    ///   - kind: The kind of card.
    ///   - instance: Distinguishes its names from those of a second card.
    ///   - isAbsent: Whether it is absent until ``appear()``.
    ///   - buffer: The number of frames that the card buffers like a real one; they come out of the plug that is active
    ///     at that time. Without a buffer, sound comes out in the cycle of the graph that plays it.
    ///   - lies: Whether it states larger counts in its lists than it has entries.
    ///   - desktop: The desktop.
    public static func start(
        _ kind: Kind, instance: String = "", isAbsent: Bool = false, buffer: Int = 0, lies: Bool = false,
        on desktop: PrivateDesktop
    ) async throws -> FixtureCard {
        let card = try FixtureCard(kind, instance, isAbsent, buffer, lies, desktop)
        try await card.process.log.wait(forLineContaining: "ready")
        if desktop.options.cardOwner == .manager {
            _ = try await waitUntil("the session manager's driver of \(kind)", evidence: { desktop.sandbox.logTails() })
            {
                FileManager.default.fileExists(atPath: card.socket) ? true : nil
            }
        }
        if !isAbsent, !lies { try await card.waitUntilLinked() }
        return card
    }

    private init(
        _ kind: Kind, _ instance: String, _ isAbsent: Bool, _ buffer: Int, _ lies: Bool, _ desktop: PrivateDesktop
    ) throws {
        var environment = ["FIXTURE_CARD_BUFFER": "\(buffer)"]
        if lies { environment["FIXTURE_CARD_LIES"] = "yes" }
        if isAbsent { environment["FIXTURE_CARD"] = "absent" }
        if desktop.options.cardOwner == .manager { environment["FIXTURE_CARD_FOLDER"] = desktop.cardFolder }
        self.kind = kind
        self.instance = instance
        self.desktop = desktop
        socket = desktop.sandbox.path("run/\(UUID().uuidString.prefix(8)).card")
        process = try desktop.sandbox.start(
            "fixture-card-\(kind)",
            Invocation(
                try builtProgram("fixture-card"), [kind.rawValue, socket, instance], environment: environment))
    }

    /// The sound that comes out of a plug, whichever sink feeds it: record it with ``Capture/start(on:of:)``.
    ///
    /// It exists from the start, even while the card is absent.
    public func outlet(_ plug: String) -> CapturePoint {
        let name = "fixture-\(kind.rawValue)" + (instance.isEmpty ? "" : ".\(instance)")
        return .ports(node: name, prefix: plug)
    }

    /// Records the sound that comes out of a plug.
    public func record(_ plug: String) async throws -> Capture {
        try await Capture.start(on: desktop, of: outlet(plug))
    }

    /// Has the source of a microphone in use state another latency; `nil`: one without end.
    public func setLatency(_ latency: Duration?, of plug: String) async throws {
        try await tell("latency \(plug) \(latency.map { "\($0 / .milliseconds(1))" } ?? "inf")")
    }

    /// Sets the user's mute switch of the node of a plug in use.
    ///
    /// With the session manager's program, which asks how it is first. `pipewire-pulse` 0.3.65 can miss a change on a
    /// busy machine, and drops from then on what it believes to be so already.
    public func setMuted(_ muted: Bool, of plug: String) async throws {
        guard let node = try await state().nodes[plug] else {
            throw SystemError(code: ENODEV, context: "find the node of \(plug)")
        }
        try await sandbox.run(Invocation("wpctl", ["set-mute", "\(node)", muted ? "1" : "0"]))
    }

    /// Kills who has the card, as in a crash, and takes the card away for good. The session manager starts again.
    public func killOwner() async throws {
        process.signal(SIGKILL)
        try await process.waitForExit()
        guard desktop.options.cardOwner == .manager else { return }
        try await desktop.killWirePlumber()
        try FileManager.default.removeItem(atPath: "\(desktop.cardFolder)/\(process.processID).card")
        try await desktop.startWirePlumber()
    }

    /// The desktop's sandbox.
    public var sandbox: Sandbox { desktop.sandbox }
    /// The log of the process that has the card.
    public var log: LogFile {
        desktop.options.cardOwner == .manager ? desktop.wirePlumber?.log ?? process.log : process.log
    }
}
