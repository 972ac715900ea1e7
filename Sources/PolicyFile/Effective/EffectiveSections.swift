import PolicyEngine

// Writes the sections of a policy file from merged sources.
extension PolicyWriter {
    /// Writes all sections.
    mutating func write(_ builder: PolicyBuilder) {
        line("preset = \(PolicyWriter.quoted(builder.base.value.name))", from: builder.base.origin)
        blank()
        let defaults = builder.completeDefaults
        block("duck = {") { $0.write(defaults) }
        blank()
        write(builder.untagged, Policy.untaggedName, none: builder.untaggedOrigin, builder)
        write(builder.untaggedCapture, Policy.untaggedCaptureName, none: builder.untaggedCaptureOrigin, builder)
        line(
            "capture-pairing = \(builder.pairing.value.map(PolicyWriter.quoted) ?? "false")",
            from: builder.pairing.origin)
        blank()
        block("roles = {") { writer in
            // In their order, which matters (R1).
            for name in builder.roles.ordered { writer.write(builder.roles.roles[name], name, none: nil, builder) }
            for (name, origin) in builder.roles.allUnmanaged.sorted(by: { $0.key < $1.key }) {
                writer.line("\(PolicyWriter.quoted(name)) = none", from: origin)
            }
        }
        blank()
        write(builder.interplay)
        block("switches = {") { writer in
            for list in builder.switches.lists { writer.write(list: list.key, list.words.map { ($0, list.origin) }) }
        }
        blank()
        block("routes = {") { writer in
            let routes = builder.routes
            writer.line("pause-on-disconnect = \(routes.pauses.value)", from: routes.pauses.origin)
            writer.write("resume-within", routes.resumesWithin)
            writer.write("stop-recording", routes.stopsRecording) { $0.rawValue }
        }
        block("interruptions = {") { $0.write("resume-within", builder.interruptions.resumesWithin) }
        block("user = {") { writer in
            for (key, word) in builder.user.words { writer.write(key, word) { $0.rawValue } }
        }
        write("muted", builder.muted) { $0.rawValue }
        let notified = Notified.allCases.filter(builder.notified.value.contains).map(\.rawValue)
        write(list: "notify", notified.map { ($0, builder.notified.origin) })
        if !builder.zones.zones.isEmpty {
            block("zones = {") { writer in
                for (zone, origin) in builder.zones.zones {
                    writer.write(list: PolicyWriter.quoted(zone.name), zone.outputs.map { ($0.text, origin) })
                }
            }
        }
        block("sounding = {") { writer in
            let above = builder.sounding.above
            writer.line("above = \(PolicyWriter.decibels(above.value))", from: above.origin)
            writer.write("hold", builder.sounding.hold)
        }
        write("stock-modules", builder.stockModules) { $0.rawValue }
        blank()
        block("claims = {") { writer in
            for kind in ClaimKind.allCases { writer.write(builder.claims[kind] ?? ClaimDraft(), kind) }
        }
        blank()
        block("rules = [", "]") { writer in
            for rule in builder.rules { writer.write(rule) }
        }
    }

    private mutating func write(_ ducking: DuckingDraft) {
        if let gain = ducking.gain { line("gain = \(PolicyWriter.decibels(gain.value))", from: gain.origin) }
        write("attack", ducking.attack)
        write("hold", ducking.hold)
        write("release", ducking.release)
    }

    private mutating func write(_ key: String, _ time: Sourced<Duration>?) {
        if let time { line("\(key) = \(PolicyWriter.milliseconds(time.value))", from: time.origin) }
    }

    /// Writes a key with a word, unless the value is not set.
    private mutating func write<Value>(_ key: String, _ value: Sourced<Value>?, _ word: (Value) -> String) {
        if let value { line("\(key) = \(word(value.value))", from: value.origin) }
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
        block("\(PolicyWriter.quoted(name)) = {") { writer in
            if name != Policy.untaggedName, name != Policy.untaggedCaptureName {
                let aliases = builder.roles.finalAliases.filter { $0.value == name }.keys.sorted()
                writer.write(list: "aliases", aliases.map { ($0, builder.roles.aliases[$0]?.origin) })
            }
            let whole = draft.complete(name)
            writer.write(whole, leavingOut: { $0.isUsual(whole.values) })
            let ducking = builder.ducking(of: draft, name)
            if !ducking.isEmpty { writer.block("duck = {") { $0.write(ducking) } }
        }
    }

    /// Writes all keys but `duck` and those that are left out.
    private mutating func write(_ draft: DescriptionDraft, leavingOut isLeftOut: (RoleKey) -> Bool = { _ in false }) {
        for (key, origin) in draft.keys where !isLeftOut(key) {
            let text: String
            switch key.value(draft.values) {
            case .word(let word): text = word
            case .priority(let priority): text = PolicyWriter.priority(priority)
            case .time(let time): text = PolicyWriter.milliseconds(time)
            case .truth(let truth): text = "\(truth)"
            case .gain(let gain): text = PolicyWriter.decibels(gain)
            case .text(let written): text = PolicyWriter.quoted(written)
            case .options:
                write(list: key.word, draft.options.map { ($0.value.word, $0.origin) })
                continue
            case .ducking, nil: continue
            }
            line("\(key.word) = \(text)", from: origin)
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
        blank()
    }

    private mutating func write(_ pair: PairDraft, _ other: InterplayRules.Party) {
        block("\(other.word) = {") { writer in
            writer.write("kind", pair.kind) { $0.rawValue }
            writer.write("newcomer", pair.newcomer) { $0.rawValue }
            if pair.ducks { writer.write(pair.ducking) }
            if pair.isSilencing { writer.write("fade", pair.fade) }
        }
    }

    private mutating func write(_ claim: ClaimDraft, _ kind: ClaimKind) {
        guard let allow = claim.allow else {
            let word = claim.isForAnyone ? PolicyWord.any : ClaimDraft.usual
            return line("\(kind.rawValue) = \(word)", from: claim.origin)
        }
        block("\(kind.rawValue) = {") { writer in
            writer.write("allow", allow.value, from: allow.origin)
            writer.write("otherwise", claim.otherwise, PolicyWriter.quoted)
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
                writer.write("role", rule.role, PolicyWriter.quoted)
                guard let changes = rule.changes else { return }
                writer.write(changes)
                if !changes.ducking.isEmpty { writer.block("duck = {") { $0.write(changes.ducking) } }
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
    fileprivate func complete(_ name: String) -> DescriptionDraft {
        var result = DescriptionDraft(SessionDescription(name: name, category: .ambient))
        result.overlay(self)
        return result
    }
}

extension PolicyBuilder {
    /// The default ducking, with usual values for what is not set.
    fileprivate var completeDefaults: DuckingDraft {
        var result = DuckingDraft.usual
        result.overlay(defaults)
        return result
    }

    /// The ducking values to write for a description: all if it ducks others, otherwise only those that differ from the
    /// defaults.
    fileprivate func ducking(of draft: DescriptionDraft, _ name: String) -> DuckingDraft {
        var whole = completeDefaults
        whole.overlay(draft.ducking)
        if draft.description(defaults: defaults)?.ducksOthers == true { return whole }
        let preset = PolicyBuilder(Sourced(base.value))
        let own =
            switch name {
            case Policy.untaggedName: preset.untagged
            case Policy.untaggedCaptureName: preset.untaggedCapture
            default: preset.roles.roles[name]
            }
        var unsaid = completeDefaults
        if let own { unsaid.overlay(own.ducking) }
        if whole.gain?.value == unsaid.gain?.value { whole.gain = nil }
        if whole.attack?.value == unsaid.attack?.value { whole.attack = nil }
        if whole.hold?.value == unsaid.hold?.value { whole.hold = nil }
        if whole.release?.value == unsaid.release?.value { whole.release = nil }
        return whole
    }
}
