import PolicyEngine

/// The draft of one rule from a source.
struct RuleDraft: Sendable {
    private static let keys = ["matches", "actions"]
    private static let actionKeys = ["update-session"]
    private static let updateKeys = ["role"] + SessionDescription.words

    private(set) var matches = Matches([])
    /// The role given to matching streams; `none` leaves them alone.
    private(set) var role: Sourced<String>?
    /// The changes made on top of the role.
    private(set) var changes: DescriptionDraft?
    /// Where the rule begins; `nil` in a built-in preset.
    let origin: Origin?

    /// Reads a source's rules, in order. A rule with a mistake is reported and left out.
    static func read(_ node: Node, conditions: inout Int, _ diagnosis: inout Diagnosis) -> [RuleDraft] {
        guard case .array(let elements) = node.content else {
            diagnosis.error(
                at: node.place, found: node.summary,
                expected: "an array of rules, [ { matches = [ … ] actions = { … } } … ]")
            return []
        }
        return elements.compactMap { element in
            let errorsBefore = diagnosis.errorCount
            let rule = RuleDraft(element, conditions: &conditions, &diagnosis)
            return diagnosis.errorCount == errorsBefore ? rule : nil
        }
    }

    private init?(_ node: Node, conditions: inout Int, _ diagnosis: inout Diagnosis) {
        origin = diagnosis.origin(node.place)
        guard let object = diagnosis.object(node) else { return nil }
        var hasActions = false
        let members = diagnosis.members(of: object, known: RuleDraft.keys)
        for member in members {
            if member.key.text == "matches" {
                matches = diagnosis.matches(member.value, count: &conditions) ?? matches
            } else {
                hasActions = true
                apply(actions: member.value, &diagnosis)
            }
        }
        if !members.contains(where: { $0.key.text == "matches" }) {
            diagnosis.error(at: node.place, found: "a rule without matches", expected: "matches = [ … ]")
        }
        if !hasActions {
            diagnosis.warning(
                at: node.place, found: "a rule without actions",
                expected: "actions = { update-session = { … } } (it has no effect)")
        }
    }

    private mutating func apply(actions node: Node, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: RuleDraft.actionKeys) {
            guard let update = diagnosis.object(member.value) else { continue }
            let keys = diagnosis.members(of: update, known: RuleDraft.updateKeys)
            for key in keys where key.key.text == "role" {
                role.set(
                    diagnosis.name(of: "a role or none", key.value),
                    at: diagnosis.origin(key.value.place))
            }
            guard keys.contains(where: { $0.key.text != "role" }) else { continue }
            var draft = changes ?? DescriptionDraft(name: "")
            draft.apply(keys, at: member.key.place, &diagnosis)
            changes = draft
        }
    }

    /// The finished rule, after checking that its parts fit together.
    func finish(
        roles: RoleTable, descriptions: [String: SessionDescription], defaults: Policy,
        _ diagnosis: inout Diagnosis
    ) -> Rule {
        func rule(_ action: Rule.Action) -> Rule { Rule(matches: matches, action: action, origin: origin) }
        guard let role else {
            changes?.check(&diagnosis)
            return rule(.change(changes ?? DescriptionDraft(name: "")))
        }
        var meaning = roles.meaning(of: role.value)
        if role.value == PolicyWord.none { meaning = .unmanaged }
        switch meaning {
        case .unmanaged:
            if let changes, let place = changes.origin {
                diagnosis.warning(
                    at: place, found: "changes of what is left alone",
                    expected: "role = none alone (they have no effect)")
            }
            return rule(.become(nil, role: role.value))
        case .unknown:
            if let place = role.origin {
                diagnosis.error(
                    at: place, found: "'\(printable(role.value))'", expected: "a role or none",
                    nearest: nearest(to: role.value, among: roles.names + [PolicyWord.none]))
            }
            return rule(.become(nil, role: role.value))
        case .role(let name):
            guard var draft = roles.roles[name], let changes else {
                return rule(.become(descriptions[name], role: name))
            }
            draft.overlay(changes)
            // Mistakes in the role itself are reported with the role.
            if ["category", "options", "mode", "handover"].contains(where: { changes.keys.setting($0) != nil }) {
                draft.check(&diagnosis)
            }
            return rule(.become(draft.description(defaults: defaults), role: name))
        }
    }
}

/// One rule: the streams that it matches, and what it does to them.
struct Rule: Sendable {
    enum Action: Sendable, Equatable {
        /// The stream gets this description, or is left alone if it is `nil`.
        case become(SessionDescription?, role: String)
        /// Single values of the description change.
        case change(DescriptionDraft)
    }

    var matches: Matches
    let action: Action
    let origin: Origin?
}

extension Rule: Equatable {
    /// Whether both rules are the same, whatever their origins.
    static func == (left: Rule, right: Rule) -> Bool { left.matches == right.matches && left.action == right.action }
}
