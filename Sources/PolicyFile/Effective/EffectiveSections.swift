import PolicyEngine

// Writes the sections of a policy file from merged sources.
extension PolicyWriter {
    /// Writes all sections.
    mutating func write(_ builder: PolicyBuilder) {
        let preset = PolicyBuilder(Sourced(builder.base.value))
        unsaid = preset.roles.roles
        unsaid[Policy.untaggedName] = preset.untagged
        unsaid[Policy.untaggedCaptureName] = preset.untaggedCapture
        for word in Policy.words {
            switch word {
            case "preset":
                line("preset = \(PolicyWriter.quoted(builder.base.value.rawValue))", from: builder.base.origin)
            case "untagged": write(builder.untagged, word, none: builder.untaggedOrigin, builder)
            case "untagged-capture": write(builder.untaggedCapture, word, none: builder.untaggedCaptureOrigin, builder)
            case "roles":
                block("roles = {") { writer in
                    // In their order, which matters (R1).
                    for name in builder.roles.ordered {
                        writer.write(builder.roles.roles[name], name, none: nil, builder)
                    }
                    for (name, origin) in builder.roles.allUnmanaged.sorted(by: { $0.key < $1.key }) {
                        writer.line("\(PolicyWriter.quoted(name)) = none", from: origin)
                    }
                }
            case "interplay": write(builder.interplay)
            case "zones":
                if builder.zones.zones.isEmpty { continue }
                block("zones = {") { writer in
                    for (zone, origin) in builder.zones.zones {
                        writer.write(list: PolicyWriter.quoted(zone.name), zone.outputs.map { ($0.text, origin) })
                    }
                }
            case "claims":
                block("claims = {") { writer in
                    for kind in ClaimKind.allCases { writer.write(builder.claims[kind] ?? ClaimDraft(), kind) }
                }
            case "rules":
                block("rules = [", "]") { writer in
                    for rule in builder.rules { writer.write(rule) }
                }
            default: write(builder.keys, word)
            }
            blank()
        }
    }

    /// Writes the keys that are set.
    ///
    /// - Parameters:
    ///   - draft: The keys.
    ///   - word: A key, or an object of keys.
    ///   - isLeftOut: Whether to leave a key out.
    private mutating func write<Subject>(
        _ draft: Draft<Subject>, _ word: String, leavingOut isLeftOut: (PolicyKey<Subject>) -> Bool = { _ in false }
    ) {
        let keys = draft.set.filter { $0.key.section ?? $0.key.word == word && !isLeftOut($0.key) }
        let lines: (inout PolicyWriter) -> Void = { writer in
            for (key, setting) in keys {
                guard let value = key.value(draft.values) else { continue }
                if let text = PolicyWriter.text(value) {
                    writer.line("\(key.word) = \(text)", from: setting.origin)
                } else if case .list(let words) = value {
                    writer.write(list: key.word, words.map { ($0, setting.elements[$0] ?? setting.origin) })
                }
            }
        }
        if keys.isEmpty { return }
        if keys[0].key.section == nil { lines(&self) } else { block("\(word) = {", "}", lines) }
    }

    private mutating func write(list key: String, _ elements: [(text: String, origin: Origin?)]) {
        if elements.isEmpty { return line("\(key) = [ ]") }
        block("\(key) = [", "]") { writer in
            for element in elements { writer.line(PolicyWriter.quoted(element.text), from: element.origin) }
        }
    }

    // MARK: Descriptions

    /// Writes a role, or the description of streams without a role.
    private mutating func write(
        _ draft: DescriptionDraft?, _ name: String, none origin: Origin?, _ builder: PolicyBuilder
    ) {
        guard let draft else { return line("\(name) = none", from: origin) }
        let usual = (unsaid[name] ?? DescriptionDraft(name: name)).complete(builder.keys.values).keys.values
        block("\(PolicyWriter.quoted(name)) = {") { writer in
            if name != Policy.untaggedName, name != Policy.untaggedCaptureName {
                let aliases = builder.roles.finalAliases.filter { $0.value == name }.keys.sorted()
                writer.write(list: "aliases", aliases.map { ($0, builder.roles.aliases[$0]?.origin) })
            }
            let whole = draft.complete(builder.keys.values).keys
            for word in SessionDescription.words {
                // What has no effect is written only where the role would have another value without.
                writer.write(whole, word) {
                    !$0.isShown(whole.values) && (word != "duck" || $0.value(whole.values) == $0.value(usual))
                }
            }
        }
    }

    // MARK: Pairs, claims, rules

    private mutating func write(_ interplay: InterplayTable) {
        let pairs = interplay.sorted
        var actors: [InterplayRules.Party] = []
        for (pair, _) in pairs where actors.last != pair.actor { actors.append(pair.actor) }
        block("interplay = {") { writer in
            for actor in actors {
                writer.block("\(actor.word) = {") { writer in
                    for (pair, draft) in pairs where pair.actor == actor { writer.write(draft, pair.other) }
                }
            }
        }
    }

    private mutating func write(_ pair: PairDraft, _ other: InterplayRules.Party) {
        block("\(other.word) = {") { writer in
            for word in PairKeys.words { writer.write(pair.keys, word) { !pair.uses($0) } }
        }
    }

    private mutating func write(_ claim: ClaimDraft, _ kind: ClaimKind) {
        guard let allow = claim.allow else {
            let word = claim.isForAnyone ? PolicyWord.any : ClaimDraft.usual
            return line("\(kind.rawValue) = \(word)", from: claim.origin)
        }
        block("\(kind.rawValue) = {") { writer in
            writer.write("allow", allow.value, from: allow.origin)
            if let otherwise = claim.otherwise {
                writer.line("otherwise = \(PolicyWriter.quoted(otherwise.value))", from: otherwise.origin)
            }
        }
    }

    private mutating func write(_ key: String, _ matches: Matches, from origin: Origin?) {
        line("\(key) = [", from: origin)
        for match in matches.alternatives {
            let conditions = match.conditions.map { "\(PolicyWriter.quoted($0.property)) = \(PolicyWriter.value($0))" }
            line("    { \(conditions.joined(separator: ", ")) }")
        }
        line("]")
    }

    private mutating func write(_ rule: RuleDraft) {
        block("{") { writer in
            writer.write("matches", rule.matches, from: rule.origin)
            guard rule.role != nil || rule.changes != nil else { return writer.line("actions = { }") }
            writer.block("actions = { update-session = {", "} }") { writer in
                if let role = rule.role {
                    writer.line("role = \(PolicyWriter.quoted(role.value))", from: role.origin)
                }
                guard let changes = rule.changes else { return }
                for word in SessionDescription.words { writer.write(changes.keys, word) }
            }
        }
    }
}

extension InterplayRules.Party {
    /// The name of the party in a policy file.
    fileprivate var word: String {
        switch self {
        case .any: PolicyWord.any
        case .named(let name): PolicyWriter.quoted(name)
        case .category(let category): category.rawValue
        }
    }
}

extension DescriptionDraft {
    /// The draft, with usual values for what it does not set.
    fileprivate func complete(_ defaults: Policy) -> DescriptionDraft {
        var usual = SessionDescription(name: name, category: .ambient)
        usual.ducking = defaults.ducking
        var result = DescriptionDraft(name: name, complete: usual)
        result.overlay(self)
        return result
    }
}
