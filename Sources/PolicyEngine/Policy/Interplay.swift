/// What one session does to another while both want to be heard.
public struct Interplay: Sendable, Hashable {
    /// The kinds of effects. The raw values are the names in policy files.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The effect that categories, options and priorities have without a rule.
        case usual
        case mix
        case duck
        /// The other is made silent and misses what it would have played.
        case mute
        /// The other is stopped at its position, and resumes from there.
        case cork
        /// The other's player is asked to pause (N15); without a player, the other is corked.
        case pausePlayer = "pause-player"
        /// The other may not begin, and has to request activation again (R8). A session that already plays plays on.
        case reject

        /// Whether the other falls silent.
        public var silences: Bool { self == .mute || self == .cork || self == .pausePlayer }
    }

    /// The kind of effect.
    public var kind: Kind
    /// How the other is ducked; `nil` for the values in the actor's description.
    public var ducking: Ducking?
    /// The time of a fade out or in; `nil` for the value in the actor's description.
    public var fade: Duration?

    /// Creates an effect, with the actor's own times and gain by default.
    public init(_ kind: Kind, ducking: Ducking? = nil, fade: Duration? = nil) {
        self.kind = kind
        self.ducking = ducking
        self.fade = fade
    }

    /// The effect of an actor with the stronger claim (higher priority or, between equals, later activation), by
    /// categories, options and priorities. A weaker session may lower others, but silences only speech (N1).
    public static func between(_ actor: SessionDescription, and other: SessionDescription) -> Kind {
        // R36: nothing ducks the phone. R20: a session without a device is not heard.
        if other.priority >= .phone || actor.category == .audioProcessing { return .mix }
        // R13: user interface sounds do not interrupt.
        if actor.category == .uiSound { return actor.ducksOthers && other.category.playsSound ? .duck : .mix }
        // R22: only a recording, which they would spoil, interrupts them.
        if other.category == .uiSound {
            return actor.category == .record ? .mute : (actor.ducksOthers ? .duck : .mix)
        }
        if !other.isInterruptible { return actor.ducksOthers ? .duck : .mix }
        // N8: ringing does not interrupt a session that has asked for that; the call itself does.
        if actor.isAlert && other.avoidsAlerts { return .mix }
        // R36: phone and alarm interrupt whatever is below them, mixable or not.
        if actor.priority.overridesMixing && actor.priority > other.priority {
            return other.pausesPlayer ? .pausePlayer : .cork
        }
        // R21: a recording silences all playback.
        if actor.category == .record && !actor.isMixable && other.category.playsSound
            && actor.priority >= other.priority
        {
            return .cork
        }
        // N1, N2: speech is stopped rather than ducked.
        if other.mode == .spokenAudio && other.category.playsSound && actor.interruptsSpokenAudio { return .cork }
        // R40, R45, R49: a ducking session is mixable, and lowers all that can be heard.
        if actor.ducksOthers { return other.category.playsSound ? .duck : .mix }
        // R28: one mixable side is enough.
        if actor.isMixable || other.isMixable { return .mix }
        return .cork
    }
}

/// The policy's rules for pairs of sessions. They take precedence over the categories.
public struct InterplayRules: Sendable, Hashable {
    /// One side of a pair: a description by name, a category, or any.
    public enum Party: Sendable, Hashable {
        case any
        case named(String)
        case category(Category)
    }

    /// What an actor does to another session.
    public struct Rule: Sendable, Hashable {
        /// The effect on a session that was active before the actor; `nil` leaves it to the categories.
        public var playing: Interplay?
        /// The effect on a session that begins while the actor is heard; `nil` for the same as ``playing``.
        public var newcomer: Interplay?

        /// Creates a rule.
        public init(playing: Interplay? = nil, newcomer: Interplay? = nil) {
            self.playing = playing
            self.newcomer = newcomer
        }
    }

    /// An actor and the session that it affects.
    public struct Pair: Sendable, Hashable {
        /// The actor.
        public var actor: Party
        /// The affected session.
        public var other: Party

        /// Creates a pair.
        public init(_ actor: Party, _ other: Party) {
            self.actor = actor
            self.other = other
        }
    }

    /// The rules, each for one pair.
    public var rules: [Pair: Rule]

    /// Creates a set of rules.
    public init(_ rules: [Pair: Rule] = [:]) { self.rules = rules }

    /// A rule in which some actor meets another session.
    public typealias Meeting = (other: Party, rule: Rule)

    /// The rules with a session as actor: for its name, then its category, then any; each in that order of others.
    public func rules(of actor: SessionDescription) -> [Meeting] {
        func rank(_ party: Party) -> Int {
            switch party {
            case .named: 0
            case .category: 1
            case .any: 2
            }
        }
        return rules.filter { $0.key.actor.matches(actor) }
            .sorted { (rank($0.key.actor), rank($0.key.other)) < (rank($1.key.actor), rank($1.key.other)) }
            .map { ($0.key.other, $0.value) }
    }

    /// The rule of an actor for another session; for each order of activation, the first statement counts.
    public static func rule(among rules: [Meeting], for other: SessionDescription) -> Rule? {
        var result: Rule?
        for (party, rule) in rules where party.matches(other) {
            result = Rule(
                playing: result?.playing ?? rule.playing, newcomer: result?.newcomer ?? rule.newcomer ?? rule.playing)
        }
        return result
    }
}

extension InterplayRules.Party {
    fileprivate func matches(_ description: SessionDescription) -> Bool {
        switch self {
        case .any: true
        case .named(let name): description.name == name
        case .category(let category): description.category == category
        }
    }
}
