/// What is done to a stream, and why, in words: for the log, `explain`, the bus and the simulation.
public struct TreatmentText: Sendable {
    private let treatment: Treatment
    private let actor: String

    /// - Parameter actor: The name of the cause.
    public init(_ treatment: Treatment, by actor: String? = nil) {
        self.treatment = treatment
        self.actor = actor ?? "another session"
    }

    /// The word for the treatment.
    public var term: TreatmentTerm {
        switch treatment.silence {
        case .none: treatment.gain == .unity ? .untouched : .ducked
        case .mute: .muted
        case .cork: .corked
        case .pausePlayer: .playerPaused
        }
    }

    /// A clause that says why: it follows a colon.
    public var reason: String {
        switch treatment.reason {
        case .none: "nothing is done to it"
        case .ducked: "\(actor) lowers others"
        case .level: "the policy gives its role that level"
        case .interrupted: "\(actor) is heard"
        case .superseded:
            (treatment.cause?.session == nil ? "its output has not come back in time" : "\(actor) took over")
                + ", and its own application has to go on"
        case .rejected: "\(actor) does not let it begin, and its application has to ask again"
        case .inactive: "its application's session is not active"
        case .noDevice: "its session is one of audio-processing, which has no device"
        case .noInput: "it records, and the category of its session only plays"
        case .noOutput: "it plays, and the category of its session only records"
        case .routeDisconnected:
            treatment.cause == .route
                ? "the route has changed, and its own application has to go on"
                : "the output on which it was heard has gone, and nothing else takes its place"
        case .inputMuted: "the input that it records from is muted"
        case .silentSwitch: Switch.silent.sentence
        case .screenLock: Switch.locked.sentence
        case .doNotDisturb: Switch.doNotDisturb.sentence
        case .handover: "the others are not silent yet"
        }
    }

    /// The treatment and its reason, after "is". `since` says for how long, with a blank before.
    public func sentence(since: String) -> String {
        let done =
            switch treatment.reason {
            case .none: "not touched"
            case .level: "heard at \(treatment.gain.decibels) dB"
            case .ducked: "lowered by \(-treatment.gain.decibels) dB"
            case .handover: "held back"
            case .interrupted, .superseded, .rejected, .inactive, .noDevice, .noInput, .noOutput, .routeDisconnected,
                .inputMuted, .silentSwitch, .screenLock, .doNotDisturb:
                switch treatment.silence {
                case .none: "heard"
                case .mute: "muted"
                case .cork: "stopped"
                case .pausePlayer: "stopped by pausing its player"
                }
            }
        return treatment.reason == .none ? done : "\(done)\(since): \(reason)"
    }

    /// A line of the log about a stream's change from the `former` treatment. A `length` of zero means at once.
    public func line(
        of stream: String, after former: Treatment, within length: Duration, pausesPlayer: Bool
    ) -> String {
        let time = length > .zero ? " within \(length.wholeNanoseconds / 1_000_000) ms" : " at once"
        let isNew = former.silence == .none || former.reason == .handover
        let verb =
            pausesPlayer && former.silence == .none
            ? "pause the player of" : treatment.silence == .mute ? "mute" : "cork"
        let done =
            switch treatment.reason {
            case .none: "restore \(stream)\(time)"
            case .level: "play \(stream) at \(treatment.gain.decibels) dB\(time)"
            case .ducked where treatment.silence == .none: "duck \(stream) to \(treatment.gain.decibels) dB\(time)"
            case .handover: "hold \(stream)"
            case .routeDisconnected, .inputMuted: "stop \(stream) at once"
            case .silentSwitch, .screenLock, .doNotDisturb: "mute \(stream)\(time)"
            case .ducked, .interrupted: isNew ? "\(verb) \(stream)\(time)" : "keep \(stream) silent"
            case .superseded, .rejected, .inactive, .noDevice, .noInput, .noOutput: "keep \(stream) silent"
            }
        if treatment.reason != .none { return "\(done): \(reason)" }
        return former.reason == .handover ? "let \(stream) begin: the others are silent" : done
    }
}
