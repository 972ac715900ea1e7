/// What one description does to another, for both orders of activation.
struct Pair: Sendable, Equatable {
    /// The effect on a session that was active before the actor, and on a newcomer.
    var playing = Interplay.Kind.mix
    var newcomer = Interplay.Kind.mix
    /// Whichever of the two came first (N1, N2).
    var stopsSpeech = false
    /// Whether the other resumes after the actor in any case, because a rule lowers it (R31).
    var playingResumes = false
    var newcomerResumes = false

    static let none = Pair()
}

final class Rules: Sendable {
    let policy: Policy
    /// An application that plays and records (N14), and the ranks among equals (R1).
    let call: SessionDescription?
    let ranks: [String: Int]
    let hasZones: Bool
    /// Whether a rule of the policy rejects newcomers (R8).
    let hasRejections: Bool

    init(_ policy: Policy) {
        self.policy = policy
        call = policy.call
        ranks = policy.ranks
        hasZones = !policy.zones.all.isEmpty
        hasRejections = policy.interplay.rules.values.contains {
            $0.playing?.kind == .reject || $0.newcomer?.kind == .reject
        }
    }

    func rules(of actor: SessionDescription) -> [InterplayRules.Meeting] {
        actor.machineReason != nil ? [] : policy.interplay.rules(of: actor)
    }

    /// Whether a session of this description can affect others, however weak they are.
    func lets(act actor: SessionDescription) -> Bool {
        !rules(of: actor).isEmpty || Self.weak.contains { Interplay.between(actor, and: $0) != .mix }
    }

    /// Sessions that resist nobody.
    private static let weak = Category.allCases.flatMap { category in
        [Mode.default, .spokenAudio].map { SessionDescription(name: "", category: category, mode: $0) }
    }

    /// N14: whether a stream of this description is one half of a call.
    func pairs(_ description: SessionDescription, as direction: StreamDirection) -> Bool {
        if call == nil { return false }
        if description.isPaired {
            return (description.name == Policy.untaggedCaptureName) == (direction == .capture)
        }
        if policy.pairing == nil { return false }
        return description
            == (direction == .capture ? policy.untaggedCapture ?? Policy.listener : policy.untagged)
    }

    // MARK: - Pairs

    /// The policy's rules come first, then categories, options and priorities.
    func pair(_ actor: Described, on other: Described) -> Pair {
        guard actor.has(.acts) else { return .none }
        let (acting, victim) = (actor.description, other.description)
        let usual = Interplay.between(acting, and: victim)
        let rule = rule(actor, on: other)
        let (said, saidOfNewcomer) = (rule?.playing?.kind, rule?.newcomer?.kind)
        let playing = permitted(said, acting, victim)
        let newcomer = permitted(saidOfNewcomer, acting, victim)
        // R8: a session that plays already is not rejected.
        let kind = playing == .reject ? usual : playing ?? usual
        var pair = Pair(playing: kind, newcomer: newcomer ?? kind)
        pair.stopsSpeech =
            other.has(.isSpeech) && kind == .cork && (acting.interruptsSpokenAudio || said == .duck)
        let isTransient = acting.resumption == .transient
        pair.playingResumes = isTransient && playing != nil && said == .duck
        pair.newcomerResumes = newcomer == nil ? pair.playingResumes : isTransient && saidOfNewcomer == .duck
        return pair
    }

    /// `nil` where the policy's rule is not allowed: the categories decide.
    private func permitted(
        _ kind: Interplay.Kind?, _ actor: SessionDescription, _ other: SessionDescription
    ) -> Interplay.Kind? {
        guard let kind else { return nil }
        switch kind {
        case .usual: return Interplay.between(actor, and: other)
        case .mix: return .mix
        case .duck:
            // R36, R45: no policy lowers a call.
            guard other.priority < .phone, other.category.playsSound else { return nil }
            // N1: speech is stopped rather than lowered.
            let isStopped = other.mode == .spokenAudio && other.isInterruptible && actor.priority >= other.priority
            return isStopped ? .cork : .duck
        case .mute, .cork, .pausePlayer, .reject:
            // R36: nobody silences a call, a screen reader, or whoever has a higher priority.
            guard other.priority < .phone, actor.priority >= other.priority, other.isInterruptible else { return nil }
            // R13: a user interface sound is dropped, not kept for later.
            return other.category == .uiSound ? .mute : kind
        }
    }

    /// R45, N10: by the rule for the two, else by the actor's description.
    func ducking(_ actor: Described, on other: Described) -> Ducking {
        let rule = rule(actor, on: other)
        return rule?.playing?.ducking ?? rule?.newcomer?.ducking ?? actor.description.ducking
    }

    /// N10: the gain of `ducking`, which an actor keeps ready.
    func gain(_ actor: Described, on other: Described) -> LinearGain {
        let rule = rule(actor, on: other)
        return (rule?.playing?.ducking ?? rule?.newcomer?.ducking)?.gain.linear ?? actor.gain
    }

    /// R37: by the rule for the two, else by the actor's description.
    func fade(_ actor: Described, on other: Described) -> Duration {
        let rule = rule(actor, on: other)
        return rule?.playing?.fade ?? rule?.newcomer?.fade ?? actor.description.fade
    }

    private func rule(_ actor: Described, on other: Described) -> InterplayRules.Rule? {
        InterplayRules.rule(among: actor.rules, for: other.description)
    }
}
