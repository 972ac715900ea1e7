import PolicyEngine

/// A second statement of what one session does to another while both request activation.
///
/// It uses neither `Interplay.between` nor the computed properties of `SessionDescription`. Each line is one rule;
/// earlier rules take precedence.
public enum Pairs {
    // MARK: - Properties of one session

    /// R40: the session ducks others. A category that does not play cannot.
    public static func ducks(_ session: SessionDescription) -> Bool {
        session.options.contains(.duckOthers) && session.category != .record && session.category != .audioProcessing
    }

    /// R15, R17, R19, R49, N2: the session mixes with others.
    public static func mixes(_ session: SessionDescription) -> Bool {
        switch session.category {
        case .ambient, .uiSound: return true
        case .soloAmbient: return ducks(session)
        case .playback, .playAndRecord:
            return ducks(session) || session.options.contains(.mixWithOthers)
                || session.options.contains(.interruptSpokenAudio)
        case .record, .audioProcessing: return false
        }
    }

    /// R15–R20: the category plays sound.
    public static func isHeard(_ category: PolicyEngine.Category) -> Bool {
        category != .record && category != .audioProcessing
    }

    /// N1, N2: the session stops speech instead of ducking it.
    public static func stopsSpeech(_ session: SessionDescription) -> Bool {
        ducks(session) || (session.options.contains(.interruptSpokenAudio) && isHeard(session.category))
    }

    /// N1: the session plays speech.
    public static func isSpeech(_ session: SessionDescription) -> Bool {
        session.mode == .spokenAudio && isHeard(session.category)
    }

    /// R36: the session is a call or an alarm, which interrupts mixable sessions too.
    public static func overridesMixing(_ session: SessionDescription) -> Bool {
        session.priority.rawValue >= Priority.alarm.rawValue
    }

    /// R36: the session has the priority of a call, which nothing silences or ducks.
    public static func isPhone(_ session: SessionDescription) -> Bool {
        session.priority.rawValue >= Priority.phone.rawValue
    }

    /// R31: the sessions that it interrupted resume by themselves when it ends.
    public static func letsResume(_ session: SessionDescription) -> Bool {
        switch session.resumption {
        case .always: return true
        case .never: return false
        case .transient:
            return overridesMixing(session) || session.mode == .voicePrompt || session.category == .record
                || session.category == .playAndRecord || session.category == .uiSound || stopsSpeech(session)
        }
    }

    /// R64: the session continues on another output when its own is lost. Play-and-record alone makes no call.
    public static func goesOnElsewhere(_ session: SessionDescription) -> Bool {
        overridesMixing(session) || !session.isInterruptible || session.category == .uiSound
            || session.category == .playAndRecord && chats.contains(session.mode)
    }

    /// R51: the modes of calls.
    public static let chats: [Mode] = [.voiceChat, .videoChat, .gameChat]

    // MARK: - Effects

    /// The effect that follows from categories, options, modes and priorities, if the actor has the stronger claim.
    public static func usual(_ actor: SessionDescription, on other: SessionDescription) -> Interplay.Kind {
        let lowered: Interplay.Kind = ducks(actor) ? .duck : .mix
        // R36: nothing silences or ducks a call.
        if isPhone(other) { return .mix }
        // R20: a session without a device affects nobody.
        if actor.category == .audioProcessing { return .mix }
        // R13: a user interface sound interrupts nobody; it may duck.
        if actor.category == .uiSound { return isHeard(other.category) ? lowered : .mix }
        // R13, R22: only a recording interrupts a user interface sound.
        if other.category == .uiSound { return actor.category == .record ? .mute : lowered }
        // Nothing interrupts a screen reader.
        if !other.isInterruptible { return lowered }
        // N8: ringing does not interrupt a session that avoids alerts; a call does.
        let rings = isPhone(actor) && actor.category != .playAndRecord && !actor.isCall
        if rings && other.avoidsAlerts { return .mix }
        // R36, N15: calls and alarms silence all sessions of lower priority.
        if overridesMixing(actor) && actor.priority.rawValue > other.priority.rawValue {
            return other.pausesPlayer ? .pausePlayer : .cork
        }
        // R21: a recording silences all playback except that of a higher priority.
        if actor.category == .record && isHeard(other.category) && actor.priority.rawValue >= other.priority.rawValue {
            return .cork
        }
        // N1, N2: speech is stopped rather than ducked.
        if isSpeech(other) && stopsSpeech(actor) { return .cork }
        // R45
        if ducks(actor) { return isHeard(other.category) ? .duck : .mix }
        // R28: a session silences another only if neither mixes.
        return mixes(actor) || mixes(other) ? .mix : .cork
    }

    /// The effect of a policy's rule; `nil` if the rule is not allowed and the categories decide.
    private static func allowed(
        _ kind: Interplay.Kind?, _ actor: SessionDescription, on other: SessionDescription
    ) -> Interplay.Kind? {
        guard let kind else { return nil }
        if kind == .mix { return .mix }
        if kind == .usual { return usual(actor, on: other) }
        // R36, R45
        if isPhone(other) { return nil }
        if kind == .duck {
            guard isHeard(other.category) else { return nil }
            // N1: speech is stopped rather than ducked.
            let stops = isSpeech(other) && other.isInterruptible && actor.priority.rawValue >= other.priority.rawValue
            return stops ? .cork : .duck
        }
        // R36: no session silences one of higher priority, and none silences a screen reader.
        if actor.priority.rawValue < other.priority.rawValue || !other.isInterruptible { return nil }
        // R13: a user interface sound is dropped, not kept for later.
        return other.category == .uiSound ? .mute : kind
    }

    /// What an actor does to another session. `isNewcomer` is whether the other requested activation after the actor.
    public static func kind(
        _ actor: SessionDescription, on other: SessionDescription, isNewcomer: Bool, _ policy: Policy
    ) -> Interplay.Kind {
        let usual = usual(actor, on: other)
        if policy.interplay.rules.isEmpty { return usual }
        let rule = rule(actor, on: other, policy)
        let playing = allowed(rule.playing?.kind, actor, on: other)
        let newcomer = allowed(rule.newcomer?.kind ?? rule.playing?.kind, actor, on: other)
        if isNewcomer, let newcomer { return newcomer }
        // R8: only newcomers are rejected. For a session that plays already, the categories decide.
        guard let playing, playing != .reject else { return usual }
        return playing
    }

    /// N1, N2: whether an actor stops speech that plays already: by its options, or because the policy's rule would
    /// duck the speech.
    public static func stopsPlayingSpeech(_ actor: SessionDescription, _ other: SessionDescription, _ policy: Policy)
        -> Bool
    {
        (stopsSpeech(actor) || rule(actor, on: other, policy).playing?.kind == .duck)
            && kind(actor, on: other, isNewcomer: false, policy) == .cork
    }

    /// R31, N1: whether a rule of the policy has the other lowered. If it is speech, it is stopped in place of that, and
    /// resumes.
    public static func lowersByRule(
        _ actor: SessionDescription, _ other: SessionDescription, isNewcomer: Bool, _ policy: Policy
    ) -> Bool {
        let rule = rule(actor, on: other, policy)
        let newcomer = rule.newcomer?.kind ?? rule.playing?.kind
        if isNewcomer, allowed(newcomer, actor, on: other) != nil { return newcomer == .duck }
        return rule.playing?.kind == .duck && allowed(.duck, actor, on: other) != nil
    }

    /// The policy's rule for two sessions. The more specific rule takes precedence, for each part by itself.
    public static func rule(
        _ actor: SessionDescription, on other: SessionDescription, _ policy: Policy
    ) -> (playing: Interplay?, newcomer: Interplay?) {
        var playing: Interplay?
        var newcomer: Interplay?
        // A policy has no rules for sessions that are not sound, such as sleep.
        if actor.machineReason != nil || policy.interplay.rules.isEmpty { return (nil, nil) }
        for first in parties(actor) {
            for second in parties(other) {
                guard let rule = policy.interplay.rules[InterplayRules.Pair(first, second)] else { continue }
                if playing == nil { playing = rule.playing }
                if newcomer == nil { newcomer = rule.newcomer ?? rule.playing }
            }
        }
        return (playing, newcomer)
    }

    private static func parties(_ session: SessionDescription) -> [InterplayRules.Party] {
        [.named(session.name), .category(session.category), .any]
    }

    /// R45, N10: the gain to which an actor ducks another session.
    public static func gain(_ actor: SessionDescription, on other: SessionDescription, _ policy: Policy) -> LinearGain {
        let rule = rule(actor, on: other, policy)
        return (rule.playing?.ducking ?? rule.newcomer?.ducking ?? actor.ducking).gain.linear
    }
}
