import Foundation

/// A sound card that does not exist, in a private desktop: the program `fixture-card` of `Tests/FixtureCard`.
///
/// The session manager takes it for a real one. What a test does to it happens to its plugs; where the sound goes then is
/// the session manager's decision, and is recorded plug by plug, see ``outlet(_:)``.
public final class FixtureCard: Sendable {
    /// What cards there are.
    public enum Kind: String, Sendable, CaseIterable {
        /// Speaker and headphones on one sink, two microphones on one source: plugs `speaker`, `headphones`,
        /// `internal-mic`, `headset-mic`. The headphones are in.
        case laptop
        /// The same with a profile for each plug, so that pulling one takes the sink away: plugs `ucm-speaker`,
        /// `ucm-headphones`, `ucm-mic`. The headphones are in.
        case ucm
        /// A headset that comes and goes as a whole: plugs `usb-output`, `usb-input`.
        case usb
        /// A television: plug `hdmi-output`, which is in.
        case hdmi
        /// A headset with the profiles `a2dp-sink` and `headset-head-unit`: plugs `bluetooth-output` in the first,
        /// `handsfree-output` and `handsfree-input` in the second.
        case bluetooth
        /// Plugs `phone-earpiece`, `phone-speaker`, `phone-headphones` (out), `phone-mic`, `phone-headset-mic` (out).
        case phone
        /// Plug `odd-output`, of the type `plasma`.
        case odd
    }

    /// What the card says of itself.
    public struct State: Sendable, Equatable {
        /// Whether it is there.
        public let isPresent: Bool
        /// Whether what its sinks play reaches its outlets.
        public let isLinked: Bool
        /// Its number in the registry.
        public let device: UInt32?
        /// The profile in use.
        public let profile: String
        /// The plug that the sound comes out of.
        public let heard: String?
        /// Whether each plug is in: `yes`, `no` or `unknown`.
        public let ports: [String: String]
        /// By plug in use: the number of its node.
        public let nodes: [String: UInt32]
        /// By plug in use: the volume of its device, linear, 0 to 1.
        public let volumes: [String: Double]
    }

    /// What it refused to do, and why.
    public struct Refusal: Error, CustomStringConvertible {
        /// What it was told.
        public let command: String
        /// What it answered.
        public let description: String
    }

    /// What it is.
    public let kind: Kind
    /// Where it is.
    public let desktop: PrivateDesktop
    /// Its process; the log has everything that happened to it, with the time in seconds on the monotonic clock.
    public let process: ChildProcess
    private let socket: String
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

    // MARK: - What happens to it

    /// Puts a plug in.
    public func plug(_ port: String) async throws { try await tell("plug \(port)") }
    /// Pulls a plug out.
    public func unplug(_ port: String) async throws { try await tell("unplug \(port)") }
    /// A plug with a bad contact: in and out, so many times a second, for so long. Returns when it is over; after an even
    /// number of times it is as it was.
    public func flap(_ port: String, timesPerSecond rate: Int, for duration: Duration) async throws {
        try await tell("flap \(port) \(rate) \(duration / .seconds(1))", within: duration + .seconds(10))
    }
    /// Its user chooses a profile.
    public func setProfile(_ name: String) async throws { try await tell("profile \(name)") }
    /// It is pulled out as a whole.
    public func vanish() async throws { try await tell("vanish") }
    /// It is pulled out while its profile is being changed: the old sinks are gone, the new ones on their way.
    public func vanish(inSwitchTo profile: String) async throws {
        try await tell("vanish-in-profile-switch \(profile)")
    }
    /// It is there (again).
    public func appear() async throws { try await tell("appear") }

    // MARK: - What has become of it

    /// What it says of itself now.
    public func state() async throws -> State {
        let answer = try JSONValue(parsing: Data(try await tell("state").utf8))
        func identifier(_ value: JSONValue?) -> UInt32? { value?.number.flatMap { UInt32(exactly: $0) } }
        let devices = answer["devices"]?.elements ?? []
        return State(
            isPresent: answer["present"]?.bool ?? false, isLinked: answer["linked"]?.bool ?? false,
            device: identifier(answer["device"]), profile: answer["profile"]?.text ?? "",
            heard: answer["heard"]?.text.flatMap { $0.isEmpty ? nil : $0 }, ports: answer["ports"]?.texts ?? [:],
            nodes: Dictionary(
                devices.compactMap { device in
                    identifier(device["node"]).map { (device["port"]?.text ?? "", $0) }
                }, uniquingKeysWith: { first, _ in first }),
            volumes: Dictionary(
                devices.map { ($0["port"]?.text ?? "", $0["volume"]?.number ?? 0) },
                uniquingKeysWith: { first, _ in first }
            ))
    }

    /// Waits until it says something of itself.
    @discardableResult
    public func wait(
        for awaited: String, within limit: Duration = .seconds(10), _ condition: (State) -> Bool
    ) async throws -> State {
        try await waitUntil(awaited, within: limit, evidence: { desktop.sandbox.logTails() }) {
            let state = try await state()
            return condition(state) ? state : nil
        }
    }

    /// Waits until the session manager has routed the sound to a plug.
    public func wait(untilHeardFrom plug: String) async throws {
        try await wait(for: "the route to \(plug)") { $0.heard == plug && $0.isLinked }
    }

    /// Waits until its sinks are ready to be heard.
    @discardableResult
    public func waitUntilLinked() async throws -> State {
        try await wait(for: "the sinks of the card \(kind)") { $0.isPresent && $0.isLinked }
    }

    /// Says a line (see `Tests/FixtureCard/commands.c`), and returns what is answered after "ok".
    @discardableResult
    public func tell(_ command: String, within limit: Duration = .seconds(10)) async throws -> String {
        guard let connection = UnixConnection(path: socket) else {
            throw SystemError(code: errno, context: "connect to the card\n\(process.log.tail())")
        }
        try connection.send(command + "\n")
        let line = try await waitUntil(
            "the card's answer to \(command)", within: limit, every: .milliseconds(1),
            evidence: { process.log.tail() }
        ) { try connection.receivedLines().first }
        guard line.hasPrefix("ok") else { throw Refusal(command: command, description: line) }
        return String(line.dropFirst(3))
    }
}
