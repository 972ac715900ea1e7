import SessionCore

/// SplitMix64: small, fast, and the same sequence from the same seed everywhere.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number below a bound; the bias is of no matter here.
    mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

    mutating func oneIn(_ chances: Int) -> Bool { below(chances) == 0 }

    mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }
}

/// A policy to be tried, with the roles that it knows.
struct Trial: Sendable {
    var policy: Policy
    /// By role name; `nil` for streams that the policy leaves alone.
    var roles: [(name: String, role: Role?)]

    private static let shippedRoles = [
        "phone", "ringtone", "alarm", "accessibility", "navigation", "prompt", "notification", "music", "video", "game",
        "animation", "production", "",
    ].map { ($0, Role($0)) }

    /// The shipped presets, and policies made up from all that a description can be.
    static let all: [Trial] = {
        var random = SplitMix64(seed: 20_240_229)
        var trials = [Trial(policy: .desktop, roles: shippedRoles), Trial(policy: .phone, roles: shippedRoles)]
        for _ in 0..<62 { trials.append(random.trial()) }
        return trials
    }()
}

extension SplitMix64 {
    fileprivate mutating func trial() -> Trial {
        var descriptions: [String: SessionDescription] = [:]
        for index in 0..<(2 + below(10)) {
            var options: CategoryOptions = []
            if oneIn(3) { options.insert(.mixWithOthers) }
            if oneIn(4) { options.insert(.duckOthers) }
            descriptions["role\(index)"] = SessionDescription(
                name: "role\(index)", category: pick(Category.allCases), options: options,
                mode: pick([.default, .default, .voicePrompt]),
                priority: Priority(rawValue: pick([0, 0, 0, 0, 50, 100, 200, 255])),
                ducking: Ducking(gain: Decibels(pick([-20, -14, -6, 0, -.infinity]))),
                fade: .milliseconds(pick([0, 50, 500])), handover: pick(Handover.allCases),
                resumption: pick(Resumption.allCases), releaseDelay: .milliseconds(pick([0, 300, 1_000])),
                isInterruptible: !oneIn(8), pausesPlayer: oneIn(4))
        }
        let names = descriptions.keys.sorted()
        let roles = Dictionary(
            names.compactMap { name in Role(name).flatMap { role in descriptions[name].map { (role, $0) } } }
        ) { $1 }
        var pairs: [InterplayRules.Pair: InterplayRules.Rule] = [:]
        if oneIn(2) {
            for _ in 0..<below(6) {
                let parties = (0..<2).map { _ in oneIn(4) ? InterplayRules.Party.any : .named(pick(names)) }
                func interplay() -> Interplay? {
                    oneIn(3) ? nil : Interplay(pick(Interplay.Kind.allCases), ducking: oneIn(2) ? Ducking() : nil)
                }
                pairs[InterplayRules.Pair(parties[0], parties[1])] = InterplayRules.Rule(
                    playing: interplay(), newcomer: interplay())
            }
        }
        let policy = Policy(
            name: "random", roles: roles, untagged: oneIn(2) ? descriptions["role0"] : nil,
            untaggedCapture: oneIn(2) ? descriptions["role1"] : nil, interplay: InterplayRules(pairs),
            pairing: oneIn(4) ? descriptions["role0"] : nil)
        return Trial(policy: policy, roles: (names + ["", "unknown"]).map { ($0, Role($0)) })
    }
}
