import PolicyEngine

/// The draft of the rule for one pair of descriptions, merged from the sources.
struct PairDraft: Sendable {
    private static let keys = ["kind", "newcomer"] + DuckingDraft.keys + ["fade"]

    private(set) var kind: Sourced<Interplay.Kind>?
    private(set) var newcomer: Sourced<Interplay.Kind>?
    private(set) var ducking = DuckingDraft()
    private(set) var fade: Sourced<Duration>?
    /// Where the pair was first mentioned.
    private(set) var origin: Origin?
    private var isWrong = false

    init() {}

    /// Creates a draft from a preset's rule.
    init(_ rule: InterplayRules.Rule) {
        kind = rule.playing.map { Sourced($0.kind) }
        newcomer = rule.newcomer.map { Sourced($0.kind) }
        let said = [rule.playing, rule.newcomer].compactMap { $0 }
        fade = said.lazy.compactMap(\.fade).first.map { Sourced($0) }
        guard let special = said.lazy.compactMap(\.ducking).first else { return }
        ducking.gain = Sourced(special.gain)
        ducking.attack = Sourced(special.attack)
        ducking.hold = Sourced(special.hold)
        ducking.release = Sourced(special.release)
    }

    /// Reads a word, which replaces the rule, or an object, which sets parts of it.
    mutating func apply(_ member: Member, _ diagnosis: inout Diagnosis) {
        let origin = Origin(file: diagnosis.file, place: member.key.place)
        if self.origin == nil { self.origin = origin }
        if case .text = member.value.content {
            self = PairDraft()
            self.origin = origin
            kind = read(member.value, &diagnosis)
            return
        }
        guard case .object(let object) = member.value.content else {
            diagnosis.error(
                at: member.value.place, found: member.value.summary,
                expected: "\(Vocabulary.kinds.expected), or an object, { kind = … }")
            isWrong = true
            return
        }
        for member in diagnosis.members(of: object, known: PairDraft.keys) {
            switch member.key.text {
            case "kind": kind = read(member.value, &diagnosis) ?? kind
            case "newcomer": newcomer = read(member.value, &diagnosis) ?? newcomer
            case "fade":
                fade.set(
                    diagnosis.duration(member.value, shortest: 10),
                    at: Origin(file: diagnosis.file, place: member.value.place))
            default: ducking.apply(member, &diagnosis)
            }
        }
    }

    private mutating func read(_ node: Node, _ diagnosis: inout Diagnosis) -> Sourced<Interplay.Kind>? {
        guard let kind = diagnosis.word(node, of: .kinds) else {
            isWrong = true
            return nil
        }
        return Sourced(kind, at: Origin(file: diagnosis.file, place: node.place))
    }

    /// The kinds that are set.
    var kinds: [Sourced<Interplay.Kind>] { [kind, newcomer].compactMap { $0 } }

    /// Whether the rule ducks for either order of activation.
    var ducks: Bool { kinds.contains { $0.value == .duck } }

    /// Whether the rule silences for either order of activation.
    var isSilencing: Bool { kinds.contains { $0.value.silences } }

    /// Reports parts without effect, and a rule that sets nothing.
    func check(_ diagnosis: inout Diagnosis) {
        guard !isWrong else { return }
        guard let first = kinds.first else {
            if let origin {
                diagnosis.error(
                    at: origin, found: "a pair without a kind", expected: "kind = … or newcomer = …")
            }
            return
        }
        // If a later source changes the kind, leftover parts of the former kind are no mistake.
        func warn(_ part: Origin?, _ key: String, _ expected: String) {
            guard let part, kinds.allSatisfy({ diagnosis.later(part, $0.origin) == part }) else { return }
            diagnosis.warning(
                at: part, found: "\(key) with the kind \(first.value.rawValue)",
                expected: "\(expected) (it has no effect)")
        }
        if !ducks {
            warn(ducking.gain?.origin, "gain", "it with duck only")
            warn(ducking.attack?.origin, "attack", "it with duck only")
            warn(ducking.hold?.origin, "hold", "it with duck only")
            warn(ducking.release?.origin, "release", "it with duck only")
        }
        if !isSilencing { warn(fade?.origin, "fade", "it with mute, cork or pause-player only") }
    }

    /// The rule for the engine.
    ///
    /// - Parameter own: The actor's own ducking.
    func rule(own: Ducking) -> InterplayRules.Rule {
        func interplay(_ kind: Sourced<Interplay.Kind>?) -> Interplay? {
            guard let kind = kind?.value else { return nil }
            var special: Ducking?
            if kind == .duck, !ducking.isEmpty {
                var changed = own
                ducking.change(&changed)
                special = changed
            }
            return Interplay(kind, ducking: special, fade: kind.silences ? fade?.value : nil)
        }
        return InterplayRules.Rule(playing: interplay(kind), newcomer: interplay(newcomer))
    }
}

extension Vocabulary where Value == Interplay.Kind {
    static var kinds: Self { Vocabulary(noun: "a kind of interplay") }
}
