import PolicyEngine

/// The log line about a change of a stream's treatment, and its reason.
struct Narration {
    /// The stream's label for people.
    var stream: String
    /// The former treatment.
    var former: Treatment
    /// The new treatment.
    var treatment: Treatment
    /// Who or what causes the treatment.
    var actor: String
    /// How long the change takes; zero for at once.
    var length: Duration
    /// Whether its player is asked to pause.
    var pausesPlayer: Bool

    /// The text of the line.
    var line: String {
        let why = treatment.reason.words(cause: treatment.cause, actor: actor).clause
        return switch treatment.reason {
        case .none:
            former.reason == .handover ? "let \(stream) begin: the others are silent" : "restore \(stream)\(time)"
        case .level: "play \(stream) at \(treatment.gain.decibels) dB\(time): \(why)"
        case .ducked where treatment.silence == .none:
            "duck \(stream) to \(treatment.gain.decibels) dB\(time): \(why)"
        case .handover: "hold \(stream): \(why)"
        case .routeDisconnected, .inputMuted: "stop \(stream) at once: \(why)"
        case .silentSwitch, .screenLock, .doNotDisturb: "mute \(stream)\(time): \(why)"
        case .ducked, .interrupted:
            former.silence == .none || former.reason == .handover
                ? "\(verb) \(stream)\(time): \(why)" : "keep \(stream) silent: \(why)"
        case .superseded, .rejected, .inactive, .noDevice, .noInput, .noOutput:
            "keep \(stream) silent: \(why)"
        }
    }

    private var time: String {
        length > .zero ? " within \(length.wholeNanoseconds / 1_000_000) ms" : " at once"
    }

    private var verb: String {
        if pausesPlayer, former.silence == .none { return "pause the player of" }
        return treatment.silence == .mute ? "mute" : "cork"
    }
}
