import PolicyEngine

/// The draft of the roles and their aliases, merged from the sources.
struct RoleTable: Sendable {
    private static let keys = ["aliases"] + SessionDescription.words

    /// The roles by canonical name.
    private(set) var roles: [String: DescriptionDraft] = [:]
    /// The role of each alias, which may itself have become an alias since.
    private(set) var aliases: [String: Sourced<String>] = [:]
    /// The roles that are left alone.
    private(set) var unmanaged: [String: Sourced<Bool>] = [:]

    /// All names that were ever roles: the preset's, then those of the sources in their order.
    private var order: [String] = []

    /// The roles that became aliases, restored when they are no longer aliases.
    private var hidden: [String: Hidden] = [:]

    private enum Hidden {
        case role(DescriptionDraft)
        case unmanaged(Sourced<Bool>)
    }

    private var presetAliases: [String: String] = [:]
    private var presetNames: [String] = []

    /// Remembers what the roles are in the built-in preset, which has just been merged.
    mutating func endPreset() {
        presetAliases = aliases.mapValues(\.value)
        presetNames = (Array(unmanaged.keys) + roles.keys).sorted()
    }

    // MARK: Names

    /// The meaning of a name in a policy file.
    enum Meaning {
        /// A role, by its canonical name.
        case role(String)
        /// Streams that are left alone.
        case unmanaged
        case unknown
    }

    /// The meaning of a role's name or an alias.
    func meaning(of name: String) -> Meaning {
        let canonical = canonical(name)
        if unmanaged[canonical] != nil { return .unmanaged }
        return roles[canonical] == nil ? .unknown : .role(canonical)
    }

    /// The name at the end of a chain of aliases; the name itself if it is no alias.
    private func canonical(_ name: String) -> String {
        var name = name
        // A source first removes its own roles from the aliases, so there are no cycles.
        for _ in 0...aliases.count {
            guard let owner = aliases[name]?.value else { break }
            name = owner
        }
        return name
    }

    /// The preset's name that a new one was most likely meant to be.
    func meant(_ name: String) -> String? {
        presetAliases[name] ?? nearest(to: name, among: presetNames.lazy.filter { $0 != name })
    }

    /// All known names, to suggest the nearest one.
    var names: [String] { (Array(roles.keys) + Array(aliases.keys) + Array(unmanaged.keys)).sorted() }

    // MARK: Sources

    /// Merges a source's roles.
    mutating func apply(_ members: [Member], _ diagnosis: inout Diagnosis) {
        // Aliases are merged after all roles, so that the order in the file does not matter.
        var lists: [String: Node] = [:]
        var defined: [String: Int] = [:]
        for member in diagnosis.members(of: members, known: nil) {
            guard let role = diagnosis.roleName(member.key.text, at: member.key.place) else { continue }
            defined[role] = member.key.place.line
            if member.value.text == PolicyWord.none {
                roles[role] = nil
                aliases[role] = nil
                lists[role] = nil
                unmanaged[role] = Sourced(true, at: diagnosis.origin(member.value.place))
                continue
            }
            guard let object = diagnosis.object(member.value, or: PolicyWord.none) else { continue }
            let keys = diagnosis.members(of: object, known: RoleTable.keys)
            restore(role)
            var draft = roles[role] ?? DescriptionDraft(name: role)
            draft.apply(keys, at: member.key.place, &diagnosis)
            roles[role] = draft
            if !order.contains(role) { order.append(role) }
            // A former alias, or a role that was left alone, is a role of its own now.
            aliases[role] = nil
            unmanaged[role] = nil
            for member in keys where member.key.text == "aliases" { lists[role] = member.value }
        }
        apply(aliases: lists, defined: defined, &diagnosis)
    }

    /// Replaces the aliases of roles.
    ///
    /// - Parameters:
    ///   - lists: The new aliases, by role.
    ///   - defined: The roles defined by the same source, with their lines.
    private mutating func apply(aliases lists: [String: Node], defined: [String: Int], _ diagnosis: inout Diagnosis) {
        let dropped = aliases.filter { lists[$0.value.value] != nil }.keys
        for alias in dropped { aliases[alias] = nil }
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
                    aliases[alias] = Sourced(role, at: diagnosis.origin(element.place))
                    hide(alias)
                }
            }
        }
        for alias in dropped where aliases[alias] == nil { restore(alias) }
        reclaimAliases()
    }

    private mutating func hide(_ name: String) {
        if let draft = roles.removeValue(forKey: name) { hidden[name] = .role(draft) }
        if let left = unmanaged.removeValue(forKey: name) { hidden[name] = .unmanaged(left) }
    }

    /// Gives roles that are left alone, or have become aliases, the preset's aliases again that no other role has. Such
    /// roles have no list of their own that could omit them, so these aliases follow the role.
    private mutating func reclaimAliases() {
        for (alias, owner) in presetAliases where roles[owner] == nil {
            if aliases[alias] == nil, roles[alias] == nil, unmanaged[alias] == nil { aliases[alias] = Sourced(owner) }
        }
    }

    private mutating func restore(_ name: String) {
        guard let former = hidden.removeValue(forKey: name), roles[name] == nil, unmanaged[name] == nil else { return }
        switch former {
        case .role(let draft): roles[name] = draft
        case .unmanaged(let left): unmanaged[name] = left
        }
    }

    // MARK: Results

    /// The existing roles; the first one counts in an application with several roles (R1).
    var ordered: [String] { order.filter { roles[$0] != nil } }

    /// The final role of each alias, except for roles that are left alone.
    var finalAliases: [String: String] {
        var result: [String: String] = [:]
        for alias in aliases.keys {
            if case .role(let role) = meaning(of: alias) { result[alias] = role }
        }
        return result
    }

    /// All names that are left alone, with the aliases of such roles.
    var allUnmanaged: [String: Origin?] {
        var result = unmanaged.mapValues { $0.origin }
        for alias in aliases.keys {
            if let left = unmanaged[canonical(alias)] { result[alias] = .some(left.origin) }
        }
        return result
    }
}

/// Words with a meaning in the format itself, which cannot be roles.
enum PolicyWord {
    /// Leaves something alone.
    static let none = "none"
    /// Any description or application.
    static let any = "any"
    static let reserved = [none, any, "true", "false", Policy.untaggedName, Policy.untaggedCaptureName]
}
