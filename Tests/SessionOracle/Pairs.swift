import SessionCore

/// What one session does to another while both want to be heard, said once more.
///
/// Nothing here is taken from `Interplay.between` or from the properties of `SessionDescription`: each line is a rule, in
/// the order in which the rules outrank each other.
enum Pairs {
    // MARK: - What a session is

    /// R40: it lowers others, as long as it can be heard at all.
    static func lowers(_ session: SessionDescription) -> Bool {
        session.options.contains(.duckOthers) && session.category != .record && session.category != .audioProcessing
    }

    /// R15, R17, R19, R49, N2: it leaves room for others.
    static func mixes(_ session: SessionDescription) -> Bool {
        switch session.category {
        case .ambient, .uiSound: return true
        case .soloAmbient: return lowers(session)
        case .playback, .playAndRecord:
            return lowers(session) || session.options.contains(.mixWithOthers)
                || session.options.contains(.interruptSpokenAudio)
        case .record, .audioProcessing: return false
        }
    }

    /// R15–R20: its category can be heard.
    static func isHeard(_ category: SessionCore.Category) -> Bool {
        category != .record && category != .audioProcessing
    }

    /// N1, N2: speech stops for it.
    static func stopsSpeech(_ session: SessionDescription) -> Bool {
        lowers(session) || (session.options.contains(.interruptSpokenAudio) && isHeard(session.category))
    }

    /// N1: speech is stopped rather than spoken over. A recording says nothing.
    static func isSpeech(_ session: SessionDescription) -> Bool {
        session.mode == .spokenAudio && isHeard(session.category)
    }

    /// R36: phones and alarms, whatever others are.
    static func overrules(_ session: SessionDescription) -> Bool {
        session.priority.rawValue >= Priority.alarm.rawValue
    }

    /// R36: nothing is done to it.
    static func isPhone(_ session: SessionDescription) -> Bool {
        session.priority.rawValue >= Priority.phone.rawValue
    }

    /// R31: those that it silenced go on by themselves after it.
    static func letsResume(_ session: SessionDescription) -> Bool {
        switch session.resumption {
        case .always: return true
        case .never: return false
        case .transient:
            return overrules(session) || session.mode == .voicePrompt || session.category == .record
                || session.category == .playAndRecord || stopsSpeech(session)
        }
    }

    /// R64: what was heard on an output that has gone goes on elsewhere. Play-and-record alone makes no call.
    static func goesOnElsewhere(_ session: SessionDescription) -> Bool {
        overrules(session) || !session.isInterruptible || session.category == .uiSound
            || session.category == .playAndRecord && chats.contains(session.mode)
    }

    /// R51: the modes of calls.
    static let chats: [Mode] = [.voiceChat, .videoChat, .gameChat]

    // MARK: - What it does

    /// What the categories, options, modes and priorities say of an actor whose claim is the stronger one.
    static func usual(_ actor: SessionDescription, on other: SessionDescription) -> Interplay.Kind {
        let lowered: Interplay.Kind = lowers(actor) ? .duck : .mix
        // R36: nothing is done to a phone.
        if isPhone(other) { return .mix }
        // R20: what is never heard is in nobody's way.
        if actor.category == .audioProcessing { return .mix }
        // R13: a sound of the interface interrupts nobody; it may lower.
        if actor.category == .uiSound { return isHeard(other.category) ? lowered : .mix }
        // R13, R22: nor is it interrupted, save by a recording.
        if other.category == .uiSound { return actor.category == .record ? .mute : lowered }
        // A screen reader goes on through everything.
        if !other.isInterruptible { return lowered }
        // N8: ringing leaves alone who asked for that; a call does not.
        let rings = isPhone(actor) && actor.category != .playAndRecord && !actor.isCall
        if rings && other.avoidsAlerts { return .mix }
        // R36, N15: phones and alarms silence all that is below them.
        if overrules(actor) && actor.priority.rawValue > other.priority.rawValue {
            return other.pausesPlayer ? .pausePlayer : .cork
        }
        // R21: a recording silences all that is heard, save what is above it.
        if actor.category == .record && isHeard(other.category) && actor.priority.rawValue >= other.priority.rawValue {
            return .cork
        }
        // N1, N2: speech stops where other sound would be lowered, or go on beside it.
        if isSpeech(other) && stopsSpeech(actor) { return .cork }
        // R45
        if lowers(actor) { return isHeard(other.category) ? .duck : .mix }
        // R28: two silence each other only if neither mixes.
        return mixes(actor) || mixes(other) ? .mix : .cork
    }

    /// What a policy's own rule comes to; `nil` where it asks for what may not be, so that the categories decide.
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
            // N1: speech stops instead.
            let stops = isSpeech(other) && other.isInterruptible && actor.priority.rawValue >= other.priority.rawValue
            return stops ? .cork : .duck
        }
        // R36: nothing is silenced by what is below it; a screen reader by nothing.
        if actor.priority.rawValue < other.priority.rawValue || !other.isInterruptible { return nil }
        // R13: a sound of the interface is dropped, not kept for later.
        return other.category == .uiSound ? .mute : kind
    }

    /// What an actor does to another: to one that was there before it, or to one that came later.
    static func kind(
        _ actor: SessionDescription, on other: SessionDescription, isNewcomer: Bool, _ policy: Policy
    ) -> Interplay.Kind {
        let usual = usual(actor, on: other)
        if policy.interplay.rules.isEmpty { return usual }
        let rule = rule(actor, on: other, policy)
        let playing = allowed(rule.playing?.kind, actor, on: other)
        let newcomer = allowed(rule.newcomer?.kind ?? rule.playing?.kind, actor, on: other)
        if isNewcomer, let newcomer { return newcomer }
        // R8: rejecting is for newcomers; to what plays already, the categories apply.
        guard let playing, playing != .reject else { return usual }
        return playing
    }

    /// N1, N2: whether an actor stops speech that plays already, because it speaks itself, or because the policy would have it
    /// lowered.
    static func speaksOver(_ actor: SessionDescription, _ other: SessionDescription, _ policy: Policy) -> Bool {
        (stopsSpeech(actor) || rule(actor, on: other, policy).playing?.kind == .duck)
            && kind(actor, on: other, isNewcomer: false, policy) == .cork
    }

    /// The policy's rules for two, the narrower ones first, each part by itself.
    static func rule(
        _ actor: SessionDescription, on other: SessionDescription, _ policy: Policy
    ) -> (playing: Interplay?, newcomer: Interplay?) {
        var playing: Interplay?
        var newcomer: Interplay?
        // What is no sound at all, as sleep, is nothing that a policy speaks of.
        if actor.isOutsidePolicy || policy.interplay.rules.isEmpty { return (nil, nil) }
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

    /// R45, N10: how far an actor lowers another.
    static func gain(_ actor: SessionDescription, on other: SessionDescription, _ policy: Policy) -> LinearGain {
        let rule = rule(actor, on: other, policy)
        return (rule.playing?.ducking ?? rule.newcomer?.ducking ?? actor.ducking).gain.linear
    }
}
