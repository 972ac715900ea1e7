import SessionCore

/// The roles with their aliases on their way through the sources.
struct RoleTable: Sendable {
    private static let keys = ["aliases"] + DescriptionDraft.keys

    /// By canonical name.
    private(set) var roles: [String: DescriptionDraft]
    /// From alias to the role whose other word it is; that may have become an alias itself since.
    private(set) var aliases: [String: Sourced<String>]
    /// What is left alone.
    private(set) var unmanaged: [String: Sourced<Bool>]

    /// All that ever were roles, as the preset has them and then in the order in which sources add them.
    private var order: [String]

    /// What became an alias, to be there again when it is none any more.
    private var hidden: [String: Hidden] = [:]

    private enum Hidden {
        case role(DescriptionDraft)
        case unmanaged(Sourced<Bool>)
    }

    private let presetAliases: [String: String]
    private let presetNames: [String]

    init(_ preset: Preset) {
        roles = preset.roles.mapValues { DescriptionDraft($0) }
        aliases = preset.aliases.mapValues { Sourced($0) }
        unmanaged = Dictionary(uniqueKeysWithValues: preset.unmanaged.map { ($0, Sourced(true)) })
        order = preset.order
        presetAliases = preset.aliases
        presetNames = preset.unmanaged.union(preset.roles.keys).sorted()
    }

    // MARK: Names

    /// What a name in a policy file stands for.
    enum Meaning {
        /// A description, by its canonical name.
        case role(String)
        /// Streams that are left alone.
        case unmanaged
        case unknown
    }

    /// What a role's name or an alias stands for.
    func meaning(of name: String) -> Meaning {
        let canonical = canonical(name)
        if unmanaged[canonical] != nil { return .unmanaged }
        return roles[canonical] == nil ? .unknown : .role(canonical)
    }

    /// What an alias leads to in the end; any other name itself.
    private func canonical(_ name: String) -> String {
        var name = name
        // A source takes its own roles out of the aliases first, so there are no circles.
        for _ in 0...aliases.count {
            guard let owner = aliases[name]?.value else { break }
            name = owner
        }
        return name
    }

    /// Which name of the preset was most likely meant by a new one.
    func meant(_ name: String) -> String? {
        presetAliases[name] ?? nearest(to: name, among: presetNames.lazy.filter { $0 != name })
    }

    /// The known names, for the nearest of them.
    var names: [String] { (Array(roles.keys) + Array(aliases.keys) + Array(unmanaged.keys)).sorted() }

    // MARK: Sources

    /// Lays a source's roles over what is there.
    mutating func apply(_ members: [Member], _ diagnosis: inout Diagnosis) {
        // Aliases come after all roles, so that the order in the file does not matter.
        var lists: [String: Node] = [:]
        var defined: [String: Int] = [:]
        for member in diagnosis.members(of: members, known: nil) {
            guard let role = diagnosis.roleName(member.key.text, at: member.key.place) else { continue }
            defined[role] = member.key.place.line
            if member.value.text == PolicyWord.none {
                roles[role] = nil
                aliases[role] = nil
                lists[role] = nil
                unmanaged[role] = Sourced(true, at: Origin(file: diagnosis.file, place: member.value.place))
                continue
            }
            guard let object = diagnosis.object(member.value, or: PolicyWord.none) else { continue }
            let keys = diagnosis.members(of: object, known: RoleTable.keys)
            restore(role)
            var draft = roles[role] ?? DescriptionDraft(name: role)
            draft.apply(keys, at: member.key.place, &diagnosis)
            roles[role] = draft
            if !order.contains(role) { order.append(role) }
            // What was another word for some role, or left alone, is a role of its own now.
            aliases[role] = nil
            unmanaged[role] = nil
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
                    aliases[alias] = Sourced(role, at: Origin(file: diagnosis.file, place: element.place))
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

    /// Gives roles that are left alone or have become aliases the preset's aliases back that nobody else has: they have no
    /// list of their own any more, which could leave them out, so what they become, these become with them.
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

    /// The roles that there are, from the one that counts first in an application with several of them (R1).
    var ordered: [String] { order.filter { roles[$0] != nil } }

    /// From alias to the role that it leads to in the end, as far as that is not left alone.
    var finalAliases: [String: String] {
        var result: [String: String] = [:]
        for alias in aliases.keys {
            if case .role(let role) = meaning(of: alias) { result[alias] = role }
        }
        return result
    }

    /// All that is left alone: also the other words for a role that is.
    var allUnmanaged: [String: Origin?] {
        var result = unmanaged.mapValues { $0.origin }
        for alias in aliases.keys {
            if let left = unmanaged[canonical(alias)] { result[alias] = .some(left.origin) }
        }
        return result
    }
}

/// Words that mean something to the format itself, and cannot be the name of a role.
enum PolicyWord {
    /// For what is left alone.
    static let none = "none"
    /// For any description or application.
    static let any = "any"
    static let reserved = [none, any, "true", "false", Policy.untaggedName, Policy.untaggedCaptureName]
}
