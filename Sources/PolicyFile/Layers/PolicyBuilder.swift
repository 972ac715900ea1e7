import PolicyEngine

/// Merges sources over a built-in preset, key by key; later sources win.
struct PolicyBuilder: Sendable {
    /// The built-in preset, and the value that names it.
    let base: Sourced<BuiltInPreset>
    /// The keys of the sections that have nothing but keys.
    private(set) var keys: Draft<Policy>
    private(set) var roles = RoleTable()
    private(set) var untagged: DescriptionDraft?
    private(set) var untaggedCapture: DescriptionDraft?
    /// Where untagged playback streams were declared to be left alone; `nil` if no source did.
    private(set) var untaggedOrigin: Origin?
    private(set) var untaggedCaptureOrigin: Origin?
    private(set) var interplay = InterplayTable()
    private(set) var zones = ZonesDraft()
    private(set) var claims: [ClaimKind: ClaimDraft] = [:]
    private(set) var rules: [RuleDraft] = []

    /// Creates a builder from a built-in preset.
    init(_ base: Sourced<BuiltInPreset>) {
        self.base = base
        keys = Draft(Policy(name: base.value.rawValue))
        var diagnosis = Diagnosis(file: base.value.rawValue)
        diagnosis.isBuiltIn = true
        for document in base.value.documents { apply(document, &diagnosis) }
        roles.endPreset()
    }

    // MARK: Sections

    /// Merges a source. Reports mistakes in the source itself.
    mutating func apply(_ document: Document, _ diagnosis: inout Diagnosis) {
        diagnosis.file = document.name
        let known = (document.kind == .arguments ? ["policy", "dbus"] : []) + Policy.words
        var sections: [String: [Member]] = [:]
        var conditions = 0
        for member in diagnosis.members(of: document.members, known: known) {
            switch member.key.text {
            case "preset", "policy": break
            case "dbus":
                if PolicyLoader.truth(member.value) == nil {
                    diagnosis.error(at: member.value.place, found: member.value.summary, expected: "yes or no")
                }
            case "untagged":
                untagged = description(of: member, otherwise: untagged, &diagnosis)
                untaggedOrigin = diagnosis.origin(member.value.place)
            case "untagged-capture":
                untaggedCapture = description(of: member, otherwise: untaggedCapture, &diagnosis)
                untaggedCaptureOrigin = diagnosis.origin(member.value.place)
            case "roles", "interplay":
                if let object = diagnosis.object(member.value) { sections[member.key.text, default: []] += object }
            case "zones": zones.apply(member.value, &diagnosis)
            case "claims": apply(claims: member.value, conditions: &conditions, &diagnosis)
            case "rules": rules += RuleDraft.read(member.value, conditions: &conditions, &diagnosis)
            default: keys.read(member, &diagnosis)
            }
        }
        roles.apply(sections["roles"] ?? [], &diagnosis)
        interplay.apply(sections["interplay"] ?? [], &diagnosis)
    }

    /// Reads the description of streams without a known role, from `none` or an object.
    private func description(
        of member: Member, otherwise present: DescriptionDraft?, _ diagnosis: inout Diagnosis
    ) -> DescriptionDraft? {
        if member.value.text == PolicyWord.none { return nil }
        guard let object = diagnosis.object(member.value, or: PolicyWord.none) else { return present }
        var draft = present ?? DescriptionDraft(name: member.key.text)
        let members = diagnosis.members(of: object, known: SessionDescription.words)
        draft.apply(members, at: member.key.place, &diagnosis)
        return draft
    }

    private mutating func apply(claims node: Node, conditions: inout Int, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: ClaimKind.allCases.map(\.rawValue)) {
            guard let kind = ClaimKind(rawValue: member.key.text) else { continue }
            claims[kind, default: ClaimDraft()].apply(member.value, conditions: &conditions, &diagnosis)
        }
    }

    // MARK: Result

    /// Checks that the merged sources fit together, and returns the result.
    func finish(_ diagnosis: inout Diagnosis, isComplete: Bool = true) -> PolicyContents {
        var policy = keys.values
        let acting = interplay.duckers(roles)
        func finish(_ draft: DescriptionDraft?, named name: String) -> SessionDescription? {
            var parties: [InterplayRules.Party] = [.any, .named(name)]
            if let category = draft?.category { parties.append(.category(category)) }
            return draft?.finish(
                defaults: keys.values, meant: roles.meant, isComplete: isComplete,
                ducks: !acting.isDisjoint(with: parties), &diagnosis)
        }
        for (role, draft) in roles.roles.sorted(by: { $0.key < $1.key }) {
            policy.roles[role] = finish(draft, named: role)
        }
        // The aliases of a role that is left alone are left alone too.
        let unmanaged = roles.allUnmanaged
        policy.unmanaged = Set(unmanaged.keys)
        policy.aliases = roles.finalAliases
        policy.order = roles.ordered
        policy.untagged = finish(untagged, named: Policy.untaggedName)
        policy.untaggedCapture = finish(untaggedCapture, named: Policy.untaggedCaptureName)
        policy.pairing = finishedPairing(&diagnosis)
        policy.zones = zones.rules
        var descriptions = policy.roles
        descriptions[Policy.untaggedName] = policy.untagged
        descriptions[Policy.untaggedCaptureName] = policy.untaggedCapture
        policy.interplay = interplay.finish(
            roles: roles, descriptions: descriptions, defaults: keys.values, &diagnosis)
        var granted: [ClaimKind: Claim] = [:]
        for kind in ClaimKind.allCases {
            granted[kind] = claims[kind]?.finish(kind, roles: roles, descriptions: policy.roles, &diagnosis)
        }
        let finished = rules.map {
            $0.finish(roles: roles, descriptions: policy.roles, defaults: keys.values, &diagnosis)
        }
        return PolicyContents(
            policy: policy, claims: granted.filter { $0.value.allow != nil || $0.value.isForAnyone }, rules: finished,
            origins: origins(unmanaged))
    }

    /// The canonical name of the role for capture pairing; `nil` for none.
    private func finishedPairing(_ diagnosis: inout Diagnosis) -> String? {
        guard let name = keys.values.pairing else { return nil }
        let origin = keys.setting("capture-pairing")?.origin
        switch roles.meaning(of: name) {
        case .role(let role): return role
        case .unmanaged:
            let left = roles.allUnmanaged[name].flatMap { $0 }
            if let origin = diagnosis.later(origin, left) {
                diagnosis.error(
                    at: origin, found: "capture-pairing with '\(printable(name))', which is left alone",
                    expected: "a role that is not")
            }
        case .unknown:
            if let origin {
                diagnosis.error(
                    at: origin, found: "'\(printable(name))'", expected: "true, false or a role",
                    nearest: nearest(to: name, among: roles.names + ["true", "false"]))
            }
        }
        return nil
    }

    private func origins(_ unmanaged: [String: Origin?]) -> Classifier.Origins {
        var origins = Classifier.Origins()
        origins.descriptions = roles.roles.compactMapValues(\.origin)
        origins.descriptions[Policy.untaggedName] = untaggedOrigin
        origins.descriptions[Policy.untaggedCaptureName] = untaggedCaptureOrigin
        origins.unmanaged = unmanaged.compactMapValues { $0 }
        return origins
    }
}

/// The merged result of a set of sources.
struct PolicyContents: Sendable {
    let policy: Policy
    let classifier: Classifier

    init(policy: Policy, claims: [ClaimKind: Claim], rules: [Rule], origins: Classifier.Origins) {
        self.policy = policy
        classifier = Classifier(policy, claims: claims, rules: rules, origins: origins)
    }
}
