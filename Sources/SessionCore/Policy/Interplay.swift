/// What one session does to another while both want to be heard.
public struct Interplay: Sendable, Hashable {
    /// The kinds that there are, by their names in policy files.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// What their categories, options and priorities say, as if no rule said anything of the two.
        case usual
        /// Nothing.
        case mix
        /// The other is lowered.
        case duck
        /// The other is made silent and misses what it would have played.
        case mute
        /// The other is stopped where it is, and goes on from there.
        case cork
        /// The other's player is asked to pause (N15); what has no player is corked.
        case pausePlayer = "pause-player"
        /// The other may not begin, and has to ask again (R8). Nothing is done to one that plays already.
        case reject

        /// Whether the other falls silent.
        public var silences: Bool { self == .mute || self == .cork || self == .pausePlayer }
    }

    /// What is done.
    public var kind: Kind
    /// How it is lowered; `nil` is as the actor's own description says.
    public var ducking: Ducking?
    /// How long it takes to fade out and in; `nil` is as the actor's own description says.
    public var fade: Duration?

    /// Makes a kind of interplay, with the actor's own times and gain unless others are given.
    public init(_ kind: Kind, ducking: Ducking? = nil, fade: Duration? = nil) {
        self.kind = kind
        self.ducking = ducking
        self.fade = fade
    }

    /// What a session does to another by their categories, options and priorities, when its claim is the stronger one.
    ///
    /// - Parameters:
    ///   - actor: The session with the stronger claim: the higher priority or, between equals, the later activation.
    ///   - other: The session that it meets.
    public static func between(_ actor: SessionDescription, and other: SessionDescription) -> Kind {
        // R36: nothing lowers the phone. R20: what has no device is not heard anyway.
        if other.priority >= .phone || actor.category == .audioProcessing { return .mix }
        // R13: sounds of the interface neither interrupt …
        if actor.category == .uiSound { return actor.ducksOthers && other.category.playsSound ? .duck : .mix }
        // R22: … nor are they interrupted, except by a recording, which they would spoil.
        if other.category == .uiSound {
            return actor.category == .record ? .mute : (actor.ducksOthers ? .duck : .mix)
        }
        if !other.isInterruptible { return actor.ducksOthers ? .duck : .mix }
        // N8: ringing leaves in peace who asked for it; the call itself does not.
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
        // N1, N2: speech is stopped rather than spoken over.
        if other.mode == .spokenAudio && other.category.playsSound && actor.interruptsSpokenAudio { return .cork }
        // R40, R45, R49: a ducking session is mixable, and lowers all that can be heard.
        if actor.ducksOthers { return other.category.playsSound ? .duck : .mix }
        // R28: one mixable side is enough.
        if actor.isMixable || other.isMixable { return .mix }
        return .cork
    }
}

/// What a policy says of pairs of sessions beyond what their categories say.
public struct InterplayRules: Sendable, Hashable {
    /// One side of a pair: a description's name, or its category, or any.
    public enum Party: Sendable, Hashable {
        case any
        case named(String)
        case category(Category)
    }

    /// What an actor does to another session.
    public struct Rule: Sendable, Hashable {
        /// To one that was there before the actor; `nil` is as the categories have it.
        public var playing: Interplay?
        /// To one that begins while the actor is heard; `nil` is the same as to one that was there before.
        public var newcomer: Interplay?

        /// Makes a rule.
        public init(playing: Interplay? = nil, newcomer: Interplay? = nil) {
            self.playing = playing
            self.newcomer = newcomer
        }
    }

    /// Who acts on whom.
    public struct Pair: Sendable, Hashable {
        /// Who acts.
        public var actor: Party
        /// On whom.
        public var other: Party

        /// Makes a pair.
        public init(_ actor: Party, _ other: Party) {
            self.actor = actor
            self.other = other
        }
    }

    /// The rules, each for one pair.
    public var rules: [Pair: Rule]

    /// Makes a set of rules.
    public init(_ rules: [Pair: Rule] = [:]) { self.rules = rules }

    /// What is said of two descriptions. A name comes before a category, and that before any; the actor's side decides
    /// first, the other's side where the actor's are alike.
    public func rule(actor: SessionDescription, other: SessionDescription) -> Rule? {
        if rules.isEmpty { return nil }
        var result = Rule()
        var isFound = false
        for acting in Self.parties(of: actor) {
            for meeting in Self.parties(of: other) {
                guard let rule = rules[Pair(acting, meeting)] else { continue }
                isFound = true
                result.playing = result.playing ?? rule.playing
                result.newcomer = result.newcomer ?? rule.newcomer ?? rule.playing
            }
        }
        return isFound ? result : nil
    }

    /// The sides of pairs that mean a description, the closest one first.
    private static func parties(of description: SessionDescription) -> [Party] {
        [.named(description.name), .category(description.category), .any]
    }
}
