import PolicyEngine

/// A policy for random sequences, with the roles that its streams have.
struct TrialPolicy: Sendable {
    var policy: Policy
    /// The roles; `nil` for streams without a role.
    var roles: [Role?]

    private static let shippedRoles = [
        "phone", "ringtone", "alarm", "accessibility", "navigation", "prompt", "notification", "music", "video", "game",
        "animation", "production", "",
    ].map { Role($0) }

    /// The built-in presets, and 94 random policies.
    static let all: [TrialPolicy] = {
        var random = SplitMix64(seed: 20_240_229)
        var trials = [
            TrialPolicy(policy: .desktop, roles: shippedRoles), TrialPolicy(policy: .phone, roles: shippedRoles),
        ]
        for _ in 0..<94 { trials.append(random.trial()) }
        return trials
    }()
}

extension SplitMix64 {
    fileprivate mutating func trial() -> TrialPolicy {
        var descriptions: [String: SessionDescription] = [:]
        for index in 0..<(2 + below(10)) { descriptions["role\(index)"] = description("role\(index)") }
        let names = descriptions.keys.sorted()
        var policy = Policy(name: "random", roles: names.compactMap { descriptions[$0] })
        policy.untagged = oneIn(2) ? descriptions["role0"] : nil
        policy.untaggedCapture = oneIn(2) ? descriptions["role1"] : nil
        policy.interplay = InterplayRules(oneIn(2) ? rules(names) : [:])
        // A call of every application that plays and records, or only of those of which a rule says so.
        if oneIn(4) {
            if oneIn(2) { policy.pairing = "role0" } else { policy.roles[Policy.callName] = descriptions["role0"] }
        }
        if oneIn(4) {
            for one in Switch.allCases { policy.switches[one] = someCategories() }
        }
        policy.routes = RouteRules(
            pausesPlayback: !oneIn(4), resumesWithin: .seconds(pick([1, 5, 60])),
            stopsRecording: pick(RecordingStop.allCases))
        policy.interruptions = InterruptionRules(resumesWithin: .seconds(pick([1, 10])))
        policy.user = UserRules(play: userSay(), unmute: userSay(), raise: userSay())
        policy.muted = oneIn(4) ? .count : .ignore
        policy.zones = oneIn(3) ? someZones() : Zones()
        policy.ducking = Ducking(gain: Decibels(pick([-14, -30])))
        return TrialPolicy(policy: policy, roles: (names + ["", "unknown"]).map { Role($0) })
    }

    private mutating func userSay() -> UserSay { oneIn(4) ? .wait : .beside }

    private mutating func description(_ name: String) -> SessionDescription {
        var options: CategoryOptions = []
        if oneIn(3) { options.insert(.mixWithOthers) }
        if oneIn(4) { options.insert(.duckOthers) }
        if oneIn(8) { options.insert(.interruptSpokenAudio) }
        var description = SessionDescription(
            name: name, category: pick(Category.allCases), options: options,
            mode: pick([.default, .default, .voicePrompt, .spokenAudio, .voiceChat]),
            priority: Priority(rawValue: pick([0, 0, 0, 0, 50, 100, 200, 255])),
            ducking: Ducking(gain: Decibels(pick([-20, -14, -6, 0, -.infinity]))),
            fade: .milliseconds(pick([0, 50, 500])), handover: pick(Handover.allCases),
            resumption: pick(Resumption.allCases), releaseDelay: .milliseconds(pick([0, 300, 1_000])),
            isInterruptible: !oneIn(8), avoidsAlerts: oneIn(8), pausesPlayer: oneIn(4))
        if oneIn(6) { description.level = Decibels(pick([-6, -30, -.infinity])) }
        description.actsWhileSounding = oneIn(6)
        description.isPaired = oneIn(6)
        return description
    }

    private mutating func someZones() -> Zones {
        Zones(
            ["front", "rear"].compactMap { name in
                OutputPattern(name).map { Zones.Zone(name: name, outputs: [$0]) }
            })
    }

    private mutating func rules(_ names: [String]) -> [InterplayRules.Pair: InterplayRules.Rule] {
        var rules: [InterplayRules.Pair: InterplayRules.Rule] = [:]
        for _ in 0..<below(6) {
            let pair = InterplayRules.Pair(party(names), party(names))
            let (playing, newcomer) = (interplay(), interplay())
            rules[pair] = InterplayRules.Rule(playing: playing, newcomer: newcomer)
        }
        return rules
    }

    private mutating func party(_ names: [String]) -> InterplayRules.Party {
        if oneIn(4) { return .any }
        if oneIn(3) { return .category(pick(Category.allCases)) }
        return .named(oneIn(4) ? pick(Category.allCases).rawValue : pick(names))
    }

    private mutating func interplay() -> Interplay? {
        if oneIn(3) { return nil }
        return Interplay(pick(Interplay.Kind.allCases), ducking: oneIn(2) ? Ducking() : nil)
    }

    private mutating func someCategories() -> Set<PolicyEngine.Category> {
        var result: Set<PolicyEngine.Category> = []
        for category in Category.allCases where oneIn(3) { result.insert(category) }
        return result
    }
}

extension Policy {
    /// The same policy with a change.
    public func with(_ change: (inout Policy) -> Void) -> Policy {
        var result = self
        change(&result)
        return result
    }
}
