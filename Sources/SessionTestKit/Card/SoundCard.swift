import Foundation

/// A sound card that does not exist, whichever server it is in: ``FixtureCard`` in PipeWire, ``PulseCard`` in PulseAudio.
///
/// The server takes it for a real one. What a test does to it happens to its plugs; where the sound goes then is decided
/// by the server or its session manager, and is recorded plug by plug.
public protocol SoundCard: Sendable {
    /// What it is.
    var kind: CardKind { get }
    /// Where it is.
    var sandbox: Sandbox { get }
    /// The log in which everything that happens to it is, with the time in seconds on the monotonic clock.
    var log: LogFile { get }
    /// The path of the socket on which it is told what happens to it.
    var socket: String { get }

    /// Records what comes out of a plug, whichever sink feeds it and whether the card is there or not.
    func record(_ plug: String) async throws -> Capture
}

/// What cards there are.
public enum CardKind: String, Sendable, CaseIterable {
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

/// What a card says of itself.
public struct CardState: Sendable, Equatable {
    /// Whether it is there.
    public let isPresent: Bool
    /// Whether what its sinks play comes out of its plugs.
    public let isLinked: Bool
    /// Its number in the server.
    public let device: UInt32?
    /// The profile in use.
    public let profile: String
    /// The plug that the sound comes out of.
    public let heard: String?
    /// Whether each plug is in: `yes`, `no` or `unknown`.
    public let ports: [String: String]
    /// By plug in use: the number of its node (PulseAudio: of its sink or source).
    public let nodes: [String: UInt32]
    /// By plug in use: the volume of its device, linear, 0 to 1.
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

/// What a card refused to do, and why.
public struct CardRefusal: Error, CustomStringConvertible {
    /// What it was told.
    public let command: String
    /// What it answered.
    public let description: String
}

extension SoundCard {
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
    public func state() async throws -> CardState { try CardState(parsing: try await tell("state")) }

    /// Waits until it says something of itself.
    @discardableResult
    public func wait(
        for awaited: String, within limit: Duration = .seconds(10), _ condition: (CardState) -> Bool
    ) async throws -> CardState {
        try await waitUntil(awaited, within: limit, evidence: { sandbox.logTails() }) {
            let state = try await state()
            return condition(state) ? state : nil
        }
    }

    /// Waits until the sound has been routed to a plug.
    public func wait(untilHeardFrom plug: String) async throws {
        try await wait(for: "the route to \(plug)") { $0.heard == plug && $0.isLinked }
    }

    /// Waits until its sinks are ready to be heard.
    @discardableResult
    public func waitUntilLinked() async throws -> CardState {
        try await wait(for: "the sinks of the card \(kind)") { $0.isPresent && $0.isLinked }
    }

    /// Says a line (see `Tests/FixtureCard/commands.c`), and returns what is answered after "ok".
    @discardableResult
    public func tell(_ command: String, within limit: Duration = .seconds(10)) async throws -> String {
        guard let connection = UnixConnection(path: socket) else {
            throw SystemError(code: errno, context: "connect to the card\n\(log.tail())")
        }
        try connection.send(command + "\n")
        let line = try await waitUntil(
            "the card's answer to \(command)", within: limit, every: .milliseconds(1), evidence: { log.tail() }
        ) { try connection.receivedLines().first }
        guard line.hasPrefix("ok") else { throw CardRefusal(command: command, description: line) }
        return String(line.dropFirst(3))
    }
}
