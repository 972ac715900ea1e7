import Foundation

/// A simulated sound card in either server: ``FixtureCard`` in PipeWire, ``PulseCard`` in PulseAudio.
///
/// The server treats it as a real card. Tests plug and unplug its ports; the server or its session manager decides
/// where the sound goes. Each plug can be recorded.
public protocol SoundCard: Sendable {
    /// The kind of card.
    var kind: CardKind { get }
    /// The server's sandbox.
    var sandbox: Sandbox { get }
    /// The log with all events of the card, with the time in seconds on the monotonic clock.
    var log: LogFile { get }
    /// The path of the socket for commands to the card.
    var socket: String { get }

    /// Records the sound that comes out of a plug, whichever sink feeds it, even while the card is absent.
    func record(_ plug: String) async throws -> Capture

    /// Sets the user's mute switch of the sink or source of a plug in use, as a mixer does.
    func setMuted(_ muted: Bool, of plug: String) async throws
}

/// The kinds of simulated cards.
public enum CardKind: String, Sendable, CaseIterable {
    /// Speaker and headphones on one sink, two microphones on one source: plugs `speaker`, `headphones`,
    /// `internal-mic`, `headset-mic`. The headphones are plugged in.
    case laptop
    /// Like `laptop`, but with a profile for each plug, so that unplugging one removes the sink: plugs `ucm-speaker`,
    /// `ucm-headphones`, `ucm-mic`. The headphones are plugged in.
    case ucm
    /// A headset that comes and goes as a whole: plugs `usb-output`, `usb-input`.
    case usb
    /// A television: plug `hdmi-output`, plugged in.
    case hdmi
    /// A headset with the profiles `a2dp-sink` and `headset-head-unit`: plugs `bluetooth-output` in the first,
    /// `handsfree-output` and `handsfree-input` in the second.
    case bluetooth
    /// Plugs `phone-earpiece`, `phone-speaker`, `phone-headphones` (out), `phone-mic`, `phone-headset-mic` (out).
    case phone
    /// Plug `odd-output`, of the type `plasma`.
    case odd
}

/// A card's reported state.
public struct CardState: Sendable, Equatable {
    /// Whether the card is present.
    public let isPresent: Bool
    /// Whether the sound of its sinks reaches its plugs.
    public let isLinked: Bool
    /// The card's number in the server.
    public let device: UInt32?
    /// The profile in use.
    public let profile: String
    /// The plug that sounds.
    public let heard: String?
    /// Whether each plug is plugged in: `yes`, `no` or `unknown`.
    public let ports: [String: String]
    /// The number of the node of each active plug (in PulseAudio, of its sink or source).
    public let nodes: [String: UInt32]
    /// The device volume of each active plug, linear, 0 to 1.
    public let volumes: [String: Double]

    init(parsing text: String) throws {
        let answer = try JSONValue(parsing: Data(text.utf8))
        func identifier(_ value: JSONValue?) -> UInt32? { value?.number.flatMap { UInt32(exactly: $0) } }
        let devices = answer["devices"]?.elements ?? []
        isPresent = answer["present"]?.bool ?? false
        isLinked = answer["linked"]?.bool ?? false
        device = identifier(answer["device"])
        profile = answer["profile"]?.text ?? ""
        heard = answer["heard"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        ports = answer["ports"]?.texts ?? [:]
        nodes = Dictionary(
            devices.compactMap { device in identifier(device["node"]).map { (device["port"]?.text ?? "", $0) } },
            uniquingKeysWith: { first, _ in first })
        volumes = Dictionary(
            devices.map { ($0["port"]?.text ?? "", $0["volume"]?.number ?? 0) },
            uniquingKeysWith: { first, _ in first })
    }
}

/// Thrown when a card refuses a command.
public struct CardRefusal: Error, CustomStringConvertible {
    /// The refused command.
    public let command: String
    /// The card's answer.
    public let description: String
}

extension SoundCard {
    // MARK: - Changes to the card

    /// Plugs a port in.
    public func plug(_ port: String) async throws { try await tell("plug \(port)") }
    /// Unplugs a port.
    public func unplug(_ port: String) async throws { try await tell("unplug \(port)") }
    /// Simulates a bad contact: plugs and unplugs a port at the given rate for a time. Returns when this is over; after
    /// an even number of changes the port is as before.
    public func flap(_ port: String, timesPerSecond rate: Int, for duration: Duration) async throws {
        try await tell("flap \(port) \(rate) \(duration / .seconds(1))")
    }
    /// Selects a profile as the user.
    public func setProfile(_ name: String) async throws { try await tell("profile \(name)") }
    /// Removes the whole card.
    public func vanish() async throws { try await tell("vanish") }
    /// Removes the whole card during a change of profile: the old sinks are gone, the new ones are being created.
    public func vanish(inSwitchTo profile: String) async throws {
        try await tell("vanish-in-profile-switch \(profile)")
    }
    /// Adds the card (again).
    public func appear() async throws { try await tell("appear") }

    // MARK: - The card's state

    /// The card's present state.
    public func state() async throws -> CardState { try CardState(parsing: try await tell("state")) }

    /// Waits until the card's state fulfils a condition.
    @discardableResult
    public func wait(
        for awaited: String, _ condition: (CardState) -> Bool
    ) async throws -> CardState {
        try await waitUntil(awaited, evidence: { sandbox.logTails() }) {
            let state = try await state()
            return condition(state) ? state : nil
        }
    }

    /// Waits until the sound has been routed to a plug.
    public func wait(untilHeardFrom plug: String) async throws {
        try await wait(for: "the route to \(plug)") { $0.heard == plug && $0.isLinked }
    }

    /// Waits until the card's sinks are ready.
    @discardableResult
    public func waitUntilLinked() async throws -> CardState {
        try await wait(for: "the sinks of the card \(kind)") { $0.isPresent && $0.isLinked }
    }

    /// Sends a command (see `Tests/FixtureCard/commands.c`), and returns the answer after "ok".
    @discardableResult
    public func tell(_ command: String) async throws -> String {
        guard let connection = UnixConnection(path: socket) else {
            throw SystemError(code: errno, context: "connect to the card\n\(log.tail())")
        }
        try connection.send(command + "\n")
        let line = try await waitUntil(
            "the card's answer to \(command)", every: .milliseconds(1), evidence: { log.tail() }
        ) { try connection.receivedLines().first }
        guard line.hasPrefix("ok") else { throw CardRefusal(command: command, description: line) }
        return String(line.dropFirst(3))
    }
}
