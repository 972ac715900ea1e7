import PolicyEngine

/// The draft of the rules for pairs of descriptions, merged from the sources.
struct InterplayTable: Sendable {
    typealias Party = InterplayRules.Party
    typealias Pair = InterplayRules.Pair

    /// The rules by the names in the sources. Whether a name is a role or a category is known only when all roles are.
    private(set) var pairs: [Pair: PairDraft] = [:]
    /// Where each name was first mentioned, to report unknown ones.
    private var mentions: [Pair: (actor: Origin?, other: Origin?)] = [:]

    /// Merges a source's pairs.
    mutating func apply(_ members: [Member], _ diagnosis: inout Diagnosis) {
        for actor in diagnosis.members(of: members, known: nil) {
            guard let object = diagnosis.object(actor.value) else { continue }
            for other in diagnosis.members(of: object, known: nil) {
                let pair = Pair(party(actor.key.text), party(other.key.text))
                pairs[pair, default: PairDraft()].apply(other, &diagnosis)
                if mentions[pair] == nil {
                    mentions[pair] = (diagnosis.origin(actor.key.place), diagnosis.origin(other.key.place))
                }
            }
        }
    }

    private func party(_ name: String) -> Party {
        let name = name.lowercased()
        return name == PolicyWord.any ? .any : .named(name)
    }

    /// The pairs sorted by name, `any` last.
    var sorted: [(pair: Pair, draft: PairDraft)] {
        func order(_ party: Party) -> (Int, String) {
            if case .named(let name) = party { (0, name) } else { (1, "") }
        }
        return pairs.map { ($0.key, $0.value) }.sorted { left, right in
            let (first, second) = (order(left.0.actor), order(right.0.actor))
            return first == second ? order(left.0.other) < order(right.0.other) : first < second
        }
    }

    /// The actors that duck others by these rules.
    func duckers(_ roles: RoleTable) -> Set<Party> {
        Set(pairs.lazy.filter { $0.value.ducks }.map { meaning(of: $0.key.actor, roles) })
    }

    /// The role with a name, or else the category.
    private func meaning(of party: Party, _ roles: RoleTable) -> Party {
        guard case .named(let name) = party, let category = Category(rawValue: name),
            case .unknown = roles.meaning(of: name)
        else { return party }
        return .category(category)
    }

    // MARK: Result

    /// The rules for the engine, after checking for unknown names and rules without effect.
    ///
    /// - Parameters:
    ///   - roles: All roles and aliases.
    ///   - descriptions: The descriptions of roles that are not left alone.
    ///   - defaults: The policy with the ducking of an actor that is `any` or a category.
    func finish(
        roles: RoleTable, descriptions: [String: SessionDescription], defaults: Policy,
        _ diagnosis: inout Diagnosis
    ) -> InterplayRules {
        var rules: [Pair: InterplayRules.Rule] = [:]
        for (pair, draft) in sorted {
            if let mention = mentions[pair] {
                check(pair.actor, at: mention.actor, roles, descriptions, &diagnosis)
                check(pair.other, at: mention.other, roles, descriptions, &diagnosis)
            }
            draft.check(&diagnosis)
            let pair = Pair(meaning(of: pair.actor, roles), meaning(of: pair.other, roles))
            let actor = description(pair.actor, descriptions)
            var other = description(pair.other, descriptions)
            // For a category, no other property is known.
            if case .category(let category) = pair.other {
                other = SessionDescription(name: category.rawValue, category: category)
            }
            if let other {
                for kind in draft.kinds { check(kind, by: actor, to: other, &diagnosis) }
            }
            rules[pair] = draft.rule(own: actor?.ducking ?? defaults.ducking)
        }
        return InterplayRules(rules)
    }

    private func description(_ party: Party, _ descriptions: [String: SessionDescription]) -> SessionDescription? {
        if case .named(let name) = party { descriptions[name] } else { nil }
    }

    /// Reports an unknown name, or the name of a role without a session.
    private func check(
        _ party: Party, at origin: Origin?, _ roles: RoleTable, _ descriptions: [String: SessionDescription],
        _ diagnosis: inout Diagnosis
    ) {
        let special = [PolicyWord.any, Policy.untaggedName, Policy.untaggedCaptureName]
        guard let origin, case .named(let name) = meaning(of: party, roles), descriptions[name] == nil,
            !special.contains(name)
        else { return }
        switch roles.meaning(of: name) {
        case .unmanaged:
            diagnosis.warning(
                at: origin, found: "'\(printable(name))', which is left alone",
                expected: "a role that is not (it has no effect)")
        // The role exists but has errors, which have been reported.
        case .role(name): break
        case .role(let canonical):
            diagnosis.error(
                at: diagnosis.later(origin, roles.aliases[name]?.origin) ?? origin,
                found: "'\(printable(name))', an alias", expected: "the role's own name", nearest: canonical)
        case .unknown:
            diagnosis.error(
                at: origin, found: "'\(printable(name))'",
                expected: "a role, a category, untagged, untagged-capture or any",
                nearest: nearest(
                    to: name, among: (roles.roles.keys + special + Category.allCases.map(\.rawValue)).sorted()))
        }
    }

    /// Reports rules that the engine never applies; see what the engine permits.
    private func check(
        _ kind: Sourced<Interplay.Kind>, by actor: SessionDescription?, to other: SessionDescription,
        _ diagnosis: inout Diagnosis
    ) {
        guard let origin = kind.origin, kind.value != .mix, kind.value != .usual else { return }
        func warn(_ reason: String, _ expected: String) {
            diagnosis.warning(
                at: origin, found: "\(kind.value.rawValue) for '\(printable(other.name))', which \(reason)",
                expected: "\(expected) (it has no effect)")
        }
        // R36, R45
        if other.priority >= .phone {
            warn("has the priority of a phone", "mix, as nothing is done to it")
        } else if kind.value == .duck {
            if !other.category.playsSound { warn("is not heard", "it for what is heard") }
        } else if !other.isInterruptible {
            warn("is not interruptible", "mix or duck")
        } else if let actor, actor.priority < other.priority {
            warn("has the higher priority", "mix or duck")
        }
    }
}
