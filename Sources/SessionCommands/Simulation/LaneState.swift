import SessionCore

/// What was decided about a stream, and because of whom.
struct Decision: Equatable {
    enum Kind: Equatable {
        case free
        case ducked(Decibels)
        case muted
        case corked
        case held
        case superseded
        case rejected
        /// The policy does not look at it.
        case leftAlone
    }

    /// That no session is the cause, but what its sound comes out of or goes into (R64).
    enum RouteLoss: Equatable {
        /// The output has gone, and may come back.
        case awaited
        /// It has not come back in time.
        case lost
        /// The route of a recording has changed.
        case changed
        /// The input of a recording is muted.
        case muted
    }

    var kind: Kind
    /// The description of the session because of which it is so.
    var actor: String?
    /// In place of a session.
    var loss: RouteLoss?
    /// In place of both, what of its own session or of the user's switches keeps it silent.
    private var reasonWithoutActor: String?

    static let free = Decision(kind: .free)

    /// Reads what the engine has decided.
    ///
    /// - Parameter interrupter: Who or what causes it.
    init(_ treatment: Treatment?, by interrupter: Interrupter?) {
        guard let treatment else {
            kind = .leftAlone
            return
        }
        if case .session = treatment.cause { actor = interrupter?.description }
        if case .system = treatment.cause { actor = interrupter?.description }
        reasonWithoutActor =
            switch treatment.reason {
            case .inactive, .noDevice, .noInput, .noOutput, .silentSwitch, .screenLock, .doNotDisturb:
                treatment.reason.words().clause
            default: nil
            }
        switch (treatment.reason, treatment.cause) {
        case (.routeDisconnected, .route): loss = .changed
        case (.routeDisconnected, _): loss = .awaited
        case (.superseded, .output): loss = .lost
        case (.inputMuted, _): loss = .muted
        default: break
        }
        switch (treatment.silence, treatment.reason) {
        case (.none, .none): kind = .free
        case (.none, _): kind = .ducked(Decibels(treatment.gain.decibels))
        case (_, .handover): kind = .held
        case (_, .superseded): kind = .superseded
        case (_, .rejected): kind = .rejected
        case (.mute, _): kind = .muted
        case (.cork, .routeDisconnected) where loss != .awaited: kind = .superseded
        case (.cork, _), (.pausePlayer, _): kind = .corked
        }
    }

    private init(kind: Kind) { self.kind = kind }

    private var isDucked: Bool { if case .ducked = kind { true } else { false } }

    /// The word that scenarios have for it.
    var word: String {
        switch kind {
        case .free: "free"
        case .ducked: "ducked"
        case .muted: "muted"
        case .corked: "corked"
        case .held: "held"
        case .superseded: "superseded"
        case .rejected: "rejected"
        case .leftAlone: "left-alone"
        }
    }

    /// Because of whom or what it is so, in a word or two.
    var label: String? {
        switch loss {
        case nil: actor
        case .awaited, .lost: "output gone"
        case .changed: "route changed"
        case .muted: "input muted"
        }
    }

    /// Why it is so.
    var reason: String {
        switch loss {
        case nil:
            reasonWithoutActor
                ?? (isDucked ? Reason.ducked : .interrupted).words(actor: actor ?? "somebody else").clause
        case .awaited: "its output has gone"
        case .lost: "its output has not come back in time"
        case .changed: "the route has changed"
        case .muted: "its input is muted"
        }
    }

    /// How far it is lowered.
    var gain: Decibels? {
        if case .ducked(let gain) = kind { gain } else { nil }
    }
}

/// All that can be said of a stream at one moment of a simulation.
struct LaneState: Equatable {
    /// The stream exists.
    var isPresent = false
    /// Its application wants it to run.
    var isWanted = false
    /// The server runs it.
    var isRunning = false
    /// The factor that was put on it, and how it is silenced, at this moment.
    var gain = 1.0
    var silence = Silence.none
    /// The factor on the amplitude that its user has chosen.
    var volume = 1.0
    /// What it is on its way to.
    var decision = Decision.free

    /// Whether something can be heard of it; of a recording, whether it goes on.
    var isHeard: Bool { isRunning && silence != .mute && gain * volume > 0 }

    /// Whether what was decided is so.
    var isReached: Bool {
        switch decision.kind {
        case .leftAlone: true
        case .free: silence == .none && gain == 1
        // To a tenth of a decibel, as decisions are told.
        case .ducked(let target): silence == .none && LinearGain(gain).decibels == target.value
        case .muted: silence == .mute
        case .corked, .held, .superseded, .rejected: silence != .none
        }
    }

    /// In words, for somebody who expected something else.
    var text: String {
        guard isPresent else { return "nothing of it there" }
        var words = decision.word
        if let gain = decision.gain { words += " \(gain.value.short)" }
        if !isReached { words += " soon, but not yet" }
        if !isWanted { words += ", paused" }
        return words
    }
}
