import PolicyEngine

/// The draft of the rule for one pair of descriptions, merged from the sources.
struct PairDraft: Sendable {
    /// The values that are set.
    private(set) var keys = Draft(PairKeys())
    /// Where the pair was first mentioned.
    private var origin: Origin?
    private var isWrong = false

    /// Reads a word, which replaces the rule, or an object, which sets parts of it.
    mutating func apply(_ member: Member, _ diagnosis: inout Diagnosis) {
        let kind = Key(text: "kind", place: member.key.place)
        switch member.value.content {
        case .text:
            self = PairDraft()
            keys.read(Member(key: kind, value: member.value), &diagnosis)
            isWrong = !keys.wrong.isEmpty
        case .object(let object):
            for part in diagnosis.members(of: object, known: PairKeys.words) {
                keys.read(part, &diagnosis)
                if ["kind", "newcomer"].contains(part.key.text), keys.wrong.contains(part.key.text) { isWrong = true }
            }
        case .array:
            diagnosis.error(
                at: member.value.place, found: member.value.summary,
                expected:
                    "\(Vocabulary<Interplay.Kind>(noun: "a kind of interplay").expected), or an object, { kind = … }")
            isWrong = true
        }
        if origin == nil { origin = diagnosis.origin(member.key.place) }
    }

    /// The kinds that are set, each with its origin.
    var kinds: [Sourced<Interplay.Kind>] {
        [("kind", keys.values.kind), ("newcomer", keys.values.newcomer)].compactMap { word, kind in
            kind.flatMap { kind in keys.setting(word).map { Sourced(kind, at: $0.origin) } }
        }
    }

    /// Whether the rule ducks for either order of activation.
    var ducks: Bool { kinds.contains { $0.value == .duck } }

    /// Whether a key has an effect for either order of activation.
    func uses(_ key: PolicyKey<PairKeys>) -> Bool {
        switch key.word {
        case "kind", "newcomer": true
        case "fade": kinds.contains { $0.value.silences }
        default: ducks
        }
    }

    /// Reports parts without effect, and a rule that sets nothing.
    func check(_ diagnosis: inout Diagnosis) {
        guard !isWrong else { return }
        guard let first = kinds.first else {
            if let origin {
                diagnosis.error(at: origin, found: "a pair without a kind", expected: "kind = … or newcomer = …")
            }
            return
        }
        for (key, setting) in keys.set where !uses(key) {
            // If a later source changes the kind, leftover parts of the former kind are no mistake.
            guard let part = setting.origin, kinds.allSatisfy({ diagnosis.later(part, $0.origin) == part }) else {
                continue
            }
            diagnosis.warning(
                at: part, found: "\(key.word) with the kind \(first.value.rawValue)",
                expected:
                    "it with \(key.word == "fade" ? "mute, cork or pause-player" : "duck") only (it has no effect)")
        }
    }

    /// The rule for the engine.
    ///
    /// - Parameter own: The actor's own ducking.
    func rule(own: Ducking) -> InterplayRules.Rule {
        var all = PairKeys()
        all.ducking = own
        keys.change(&all)
        let special = keys.set.contains { $0.key.word != "fade" && !["kind", "newcomer"].contains($0.key.word) }
        let fade = keys.setting("fade") == nil ? nil : all.fade
        func interplay(_ kind: Interplay.Kind?) -> Interplay? {
            kind.map {
                Interplay($0, ducking: $0 == .duck && special ? all.ducking : nil, fade: $0.silences ? fade : nil)
            }
        }
        return InterplayRules.Rule(playing: interplay(all.kind), newcomer: interplay(all.newcomer))
    }
}
