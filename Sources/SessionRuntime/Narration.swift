import SessionCore

/// The line of the log that says what is done to a stream, and why.
struct Narration {
    /// How people are told of the stream.
    var stream: String
    /// What was done to it before.
    var former: Treatment
    /// What is done to it now.
    var treatment: Treatment
    /// Who causes it.
    var actor: String
    /// How long the way there takes; zero for at once.
    var length: Duration
    /// Whether its player can be asked to pause, and is to be.
    var pausesPlayer: Bool

    /// The line.
    var line: String {
        let why = treatment.reason.words(cause: treatment.cause, actor: actor).clause
        return switch treatment.reason {
        case .none:
            former.reason == .handover ? "let \(stream) begin: the others are silent" : "restore \(stream)\(time)"
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
