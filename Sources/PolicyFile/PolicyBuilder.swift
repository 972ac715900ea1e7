import SessionCore

/// Lays sources over a built-in preset, key by key, later ones over earlier ones.
struct PolicyBuilder {
    private static let keys = ["preset", "duck", "untagged", "untagged-capture", "roles"]
    private static let argumentKeys = ["policy"] + keys
    private static let roleKeys = ["aliases"] + DescriptionDraft.keys
    /// The word for what is left alone.
    private static let none = "none"

    private let base: Preset
    private var defaults = DuckingDraft()
    private var roles: [String: DescriptionDraft]
    /// From alias to role.
    private var aliases: [String: Sourced<String>]
    private var unmanaged: Set<String>
    private var untagged: DescriptionDraft?
    private var untaggedCapture: DescriptionDraft?

    /// Builds the preset that sources describe.
    ///
    /// - Parameters:
    ///   - documents: The sources, the strongest last.
    ///   - base: The preset that they change, if none of them names another.
    /// - Returns: What the sources say; `nil` when `diagnosis` has errors.
    static func build(
        _ documents: [Document], over base: Preset = .desktop, _ diagnosis: inout Diagnosis
    ) -> (preset: Preset, policy: Policy)? {
        var base = base
        for document in documents {
            diagnosis.file = document.name
            if let node = document.member("preset")?.value {
                base = diagnosis.word(node, of: .presets) ?? base
            }
        }
        var builder = PolicyBuilder(base)
        for document in documents { builder.apply(document, &diagnosis) }
        let preset = builder.finish(isComplete: documents.allSatisfy(\.isWellFormed), &diagnosis)
        guard !diagnosis.hasErrors else { return nil }
        return (preset, preset.policy)
    }

    private init(_ preset: Preset) {
        base = preset
        roles = preset.roles.mapValues { DescriptionDraft($0) }
        aliases = preset.aliases.mapValues { Sourced($0) }
        unmanaged = preset.unmanaged
        untagged = preset.untagged.map { DescriptionDraft($0) }
        untaggedCapture = preset.untaggedCapture.map { DescriptionDraft($0) }
    }

    // MARK: Sections

    private mutating func apply(_ document: Document, _ diagnosis: inout Diagnosis) {
        diagnosis.file = document.name
        let known = document.kind == .arguments ? PolicyBuilder.argumentKeys : PolicyBuilder.keys
        var sections: [Member] = []
        for member in diagnosis.members(of: document.members, known: known) {
            switch member.key.text {
            case "duck": defaults.apply(member.value, &diagnosis)
            case "untagged": untagged = description(of: member, otherwise: untagged, &diagnosis)
            case "untagged-capture":
                untaggedCapture = description(of: member, otherwise: untaggedCapture, &diagnosis)
            case "roles":
                if let object = diagnosis.object(member.value) { sections += object }
            default: break
            }
        }
        apply(roles: sections, &diagnosis)
    }

    /// What a stream without a known role is, from `none` or an object.
    private func description(
        of member: Member, otherwise present: DescriptionDraft?, _ diagnosis: inout Diagnosis
    ) -> DescriptionDraft? {
        if member.value.text == PolicyBuilder.none { return nil }
        guard let object = diagnosis.object(member.value, or: PolicyBuilder.none) else { return present }
        var draft = present ?? DescriptionDraft(name: member.key.text)
        let members = diagnosis.members(of: object, known: DescriptionDraft.keys)
        draft.apply(members, at: member.key.place, &diagnosis)
        return draft
    }

    private mutating func apply(roles members: [Member], _ diagnosis: inout Diagnosis) {
        // Aliases come after all roles, so that the order in the file does not matter.
        var lists: [String: Node] = [:]
        var defined: [String: Int] = [:]
        for member in diagnosis.members(of: members, known: nil) {
            guard let role = diagnosis.roleName(member.key.text, at: member.key.place) else { continue }
            defined[role] = member.key.place.line
            if member.value.text == PolicyBuilder.none {
                roles[role] = nil
                aliases[role] = nil
                lists[role] = nil
                unmanaged.insert(role)
                continue
            }
            guard let object = diagnosis.object(member.value, or: PolicyBuilder.none) else { continue }
            let keys = diagnosis.members(of: object, known: PolicyBuilder.roleKeys)
            var draft = roles[role] ?? DescriptionDraft(name: role)
            draft.apply(keys, at: member.key.place, &diagnosis)
            roles[role] = draft
            // What was another word for some role, or left alone, is a role of its own now.
            aliases[role] = nil
            unmanaged.remove(role)
            for member in keys where member.key.text == "aliases" { lists[role] = member.value }
        }
        apply(aliases: lists, defined: defined, &diagnosis)
    }

    /// Replaces the aliases of roles.
    ///
    /// - Parameters:
    ///   - lists: The new ones, by role.
    ///   - defined: The roles that the same source has, with their lines.
    private mutating func apply(aliases lists: [String: Node], defined: [String: Int], _ diagnosis: inout Diagnosis) {
        aliases = aliases.filter { lists[$0.value.value] == nil }
        var renamed: [String: String] = [:]
        for (role, node) in lists.sorted(by: { $0.value.place < $1.value.place }) {
            guard case .array(let elements) = node.content else {
                diagnosis.error(
                    at: node.place, found: node.summary,
                    expected: "an array of roles, such as [ communication call ]")
                continue
            }
            for element in elements {
                guard let text = element.text else {
                    diagnosis.error(at: element.place, found: element.summary, expected: "a role")
                    continue
                }
                guard let alias = diagnosis.roleName(text, at: element.place) else { continue }
                if let line = defined[alias] {
                    diagnosis.error(
                        at: element.place, found: "the alias '\(printable(alias))'",
                        expected: "a name that is no role itself (it is, at line \(line))")
                } else if let owner = aliases[alias], owner.origin?.file == diagnosis.file, owner.value != role {
                    diagnosis.error(
                        at: element.place, found: "the alias '\(printable(alias))'",
                        expected: "it for one role (it is one of '\(printable(owner.value))')")
                } else {
                    aliases[alias] = Sourced(role, at: Origin(file: diagnosis.file, place: element.place))
                    unmanaged.remove(alias)
                    if roles.removeValue(forKey: alias) != nil { renamed[alias] = role }
                }
            }
        }
        // A role that became another word for a role brings its own other words along.
        if !renamed.isEmpty {
            aliases = aliases.mapValues { owner in
                renamed[owner.value].map { Sourced($0, at: owner.origin) } ?? owner
            }
        }
    }

    // MARK: Result

    private func finish(isComplete: Bool, _ diagnosis: inout Diagnosis) -> Preset {
        let known = base.unmanaged.union(base.roles.keys).sorted()
        func meant(_ name: String) -> String? {
            base.aliases[name] ?? nearest(to: name, among: known.filter { $0 != name })
        }
        func finish(_ draft: DescriptionDraft?) -> SessionDescription? {
            draft?.finish(defaults: defaults, meant: meant, isComplete: isComplete, &diagnosis)
        }
        var preset = base
        preset.roles = [:]
        for (role, draft) in roles.sorted(by: { $0.key < $1.key }) { preset.roles[role] = finish(draft) }
        // The other words for a role that is left alone are left alone with it.
        preset.aliases = aliases.mapValues(\.value).filter { !unmanaged.contains($0.value) }
        preset.unmanaged = unmanaged.union(aliases.filter { unmanaged.contains($0.value.value) }.keys)
        preset.untagged = finish(untagged)
        preset.untaggedCapture = finish(untaggedCapture)
        return preset
    }
}
