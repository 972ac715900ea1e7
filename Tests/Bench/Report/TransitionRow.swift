/// One way of interrupting music: a server with a policy, and the interrupter's role.
public struct TransitionRow: Sendable, Codable, Equatable {
    /// Where the policy runs.
    public enum Place: String, Sendable, Codable, CaseIterable {
        /// This module in PipeWire.
        case pipeWire = "PipeWire"
        /// WirePlumber's role policy, with one loopback for each role.
        case wirePlumber = "WirePlumber"
        /// This module in PulseAudio.
        case pulseAudio = "PulseAudio"
        /// PulseAudio's own module-role-cork.
        case roleCork = "module-role-cork"
        /// PulseAudio's own module-role-ducking.
        case roleDucking = "module-role-ducking"

        /// Whether it is what this module is compared with.
        public var isPeer: Bool { self != .pipeWire && self != .pulseAudio }
        /// Whether PipeWire's quantum applies.
        public var hasQuantum: Bool { self == .pipeWire || self == .wirePlumber }
        /// The peers in the same server.
        var peers: [Place] { hasQuantum ? [.wirePlumber] : [.roleCork, .roleDucking] }
    }

    /// What the policy does to the music.
    public enum Effect: String, Sendable, Codable {
        /// Nothing: the control.
        case none
        /// It stops.
        case cork
        /// It is lowered.
        case duck
    }

    /// A name for command lines, such as `pipewire-call`.
    public let id: String
    /// What the tables call it.
    public let name: String
    /// Where the policy runs.
    public let place: Place
    /// What the policy does.
    public let effect: Effect
    /// Whether the interrupter waits for the music's silence.
    public let holds: Bool
    /// Whether the change is as short as the policy can make it, as all peers' are.
    public let isHard: Bool
    /// The times that the policy names, for the tables. None of them is subtracted from anything.
    public let times: String
    /// The interrupter's `media.role`, in PulseAudio's words.
    public let role: String

    /// In the order in which they are measured.
    public static let all: [TransitionRow] =
        own(.pipeWire, "pipewire")
        + [
            TransitionRow(
                id: "wireplumber-call", name: "WirePlumber's roles, cork", place: .wirePlumber, effect: .cork,
                holds: false, isHard: true, times: "–", role: "phone"),
            TransitionRow(
                id: "wireplumber-prompt", name: "WirePlumber's roles, duck", place: .wirePlumber, effect: .duck,
                holds: false, isHard: true, times: "–", role: "Navigation"),
        ] + own(.pulseAudio, "pulseaudio")
        + [
            TransitionRow(
                id: "role-cork-call", name: "module-role-cork", place: .roleCork, effect: .cork, holds: false,
                isHard: true, times: "–", role: "phone"),
            TransitionRow(
                id: "role-ducking-prompt", name: "module-role-ducking", place: .roleDucking, effect: .duck,
                holds: false, isHard: true, times: "–", role: "phone"),
        ]

    /// The rows of this module in one server.
    private static func own(_ place: Place, _ prefix: String) -> [TransitionRow] {
        func row(
            _ id: String, _ name: String, _ effect: Effect, _ role: String, _ times: String, holds: Bool = false,
            isHard: Bool = false
        ) -> TransitionRow {
            TransitionRow(
                id: "\(prefix)-\(id)", name: "\(place.rawValue): \(name)", place: place, effect: effect, holds: holds,
                isHard: isHard, times: times, role: role)
        }
        return [
            row("control", "left alone", .none, "production", "–"),
            row("ringing", "ringing corks", .cork, "Ringtone", "fade 80, release delay 300", holds: true),
            row("call", "call corks", .cork, "phone", "fade 80, release delay 300"),
            row("prompt", "prompt ducks", .duck, "Navigation", "attack 250, hold 300, release 700"),
            row("hard-call", "call corks at once", .cork, "abrupt-call", "fade 10", isHard: true),
            row("hard-prompt", "prompt ducks at once", .duck, "abrupt-prompt", "attack 10, release 10", isHard: true),
        ]
    }

    /// The roles of the rows that are as hard as the peers' are: the shortest times that a policy can name.
    public static let abruptRoles = """
        roles = {
            abrupt-call = {
                category = play-and-record  mode = voice-chat  priority = phone  fade = 10  release-delay = 0
            }
            abrupt-prompt = {
                category = playback  options = [ duck-others ]  mode = voice-prompt  release-delay = 0
                duck = { gain = -20  attack = 10  hold = 0  release = 10 }
            }
        }
        """
}

/// All that was measured of one row with one quantum.
public struct TransitionResult: Sendable, Codable {
    /// What was measured.
    public var row: TransitionRow
    /// PipeWire's quantum in frames; nil where there is none.
    public var quantum: Int?
    /// The interruptions that could be measured.
    public var trials: [Trial]
    /// How many others could not: a tone was missing, or the music never came back.
    public var unmeasured: Int

    /// A result without trials.
    public init(row: TransitionRow, quantum: Int?) {
        self.row = row
        self.quantum = quantum
        trials = []
        unmeasured = 0
    }

    /// The trials that the machine did not disturb.
    public var calm: [Trial] { trials.filter { !$0.isDisturbed } }

    /// A figure of the calm trials; of all trials if none was calm.
    public func series(_ value: (TransitionFigures) -> Double?) -> Series {
        Series((calm.isEmpty ? trials : calm).compactMap { value($0.figures) })
    }
}
