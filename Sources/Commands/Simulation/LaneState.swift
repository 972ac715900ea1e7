import PolicyEngine

/// The engine's decision about a stream, and its cause.
struct Decision: Equatable {
    /// What is done to the stream; the raw value is the word in scenario files.
    enum Kind: String, CaseIterable {
        /// The stream is untreated.
        case free
        /// The stream is lowered.
        case ducked
        /// The stream runs unheard.
        case muted
        /// The stream is stopped and keeps its position.
        case corked
        /// The stream waits until others are silent.
        case held
        /// The cause of the silence is gone, but the application must resume the stream (R31).
        case superseded
        /// The stream was not allowed to start (R8).
        case rejected
        /// The policy does not manage the stream.
        case leftAlone = "left-alone"
    }

    /// A cause other than a session: the output or input (R64).
    enum RouteLoss: Equatable {
        /// The output has gone, and may come back.
        case awaited
        /// The output did not come back in time.
        case lost
        /// The route of a recording has changed.
        case changed
        /// The recording's input is muted.
        case muted

        /// The cause in a word or two, and as a text.
        var words: (label: String, reason: String) {
            switch self {
            case .awaited: ("output gone", "its output has gone")
            case .lost: ("output gone", "its output has not come back in time")
            case .changed: ("route changed", "the route has changed")
            case .muted: ("input muted", "its input is muted")
            }
        }
    }

    var kind = Kind.free
    /// How far the stream is lowered, if it is ducked.
    var gain: Decibels?
    /// The description of the session that causes the decision.
    var actor: String?
    /// The output or input that causes the decision.
    var loss: RouteLoss?
    /// Without `actor` and `loss`: the state of the stream's own session, or the user's switch, that silences it.
    private var reasonWithoutActor: String?

    static let free = Decision()

    private init() {}

    /// Reads the engine's decision.
    ///
    /// - Parameter interrupter: The cause of the decision.
    init(_ treatment: Treatment?, by interrupter: Interrupter?) {
        guard let treatment else {
            kind = .leftAlone
            return
        }
        if treatment.cause?.session != nil { actor = interrupter?.description }
        reasonWithoutActor =
            switch treatment.reason {
            case .inactive, .noDevice, .noInput, .noOutput, .silentSwitch, .screenLock, .doNotDisturb:
                TreatmentText(treatment).reason
            case .level: "its role has that level"
            case .none, .ducked, .interrupted, .superseded, .rejected, .routeDisconnected, .inputMuted, .handover: nil
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
        case (.none, _):
            kind = .ducked
            gain = Decibels(treatment.gain.decibels)
        case (_, .handover): kind = .held
        case (_, .superseded): kind = .superseded
        case (_, .rejected): kind = .rejected
        case (.mute, _): kind = .muted
        case (.cork, .routeDisconnected) where loss != .awaited: kind = .superseded
        case (.cork, _), (.pausePlayer, _): kind = .corked
        }
    }

    /// The cause, in a word or two.
    var label: String? { loss?.words.label ?? actor }

    /// The cause as a text.
    var reason: String {
        loss?.words.reason ?? reasonWithoutActor
            ?? TreatmentText(Treatment(reason: kind == .ducked ? .ducked : .interrupted), by: actor ?? "somebody else")
            .reason
    }
}

/// The state of a stream at one moment of a simulation.
struct LaneState: Equatable {
    /// Whether the stream exists.
    var isPresent = false
    /// Whether the application wants the stream to run.
    var isWanted = false
    /// Whether the server runs the stream.
    var isRunning = false
    /// The gain applied at this moment, and whether the stream is held.
    var gain = 1.0
    var isHeld = false
    /// The user's volume as a linear factor.
    var volume = 1.0
    /// Whether the user mutes the stream.
    var isMuted = false
    /// The latest decision; the stream may still be fading towards it.
    var decision = Decision.free

    /// Whether the stream is audible; for a recording, whether it runs.
    var isHeard: Bool { isRunning && gain * ownVolume > 0 }

    /// The factor that the user has set.
    var ownVolume: Double { isMuted ? 0 : volume }

    /// Whether the stream has reached the state that was decided.
    var isReached: Bool {
        switch decision.kind {
        case .leftAlone: true
        case .free: !isHeld && gain == 1
        // To a tenth of a decibel, the precision of decisions.
        case .ducked: !isHeld && LinearGain(gain).decibels == decision.gain?.value
        case .muted: !isHeld && gain == 0
        case .corked, .held, .superseded, .rejected: isHeld || gain == 0
        }
    }

    /// A description for the message about a failed expectation.
    var text: String {
        guard isPresent else { return "absent" }
        var words = decision.kind.rawValue
        if let gain = decision.gain { words += " \(gain.value.short)" }
        if !isReached { words += ", not reached yet" }
        if !isWanted { words += ", paused" }
        return words
    }
}
