import PolicyEngine

/// Merges sources over a built-in preset, key by key; later sources win.
struct PolicyBuilder: Sendable {
    private static let keys = [
        "preset", "duck", "untagged", "untagged-capture", "capture-pairing", "roles", "interplay", "switches", "routes",
        "interruptions", "user", "muted", "sounding", "zones", "notify", "stock-modules", "claims", "rules",
    ]
    private static let argumentKeys = ["policy", "dbus"] + keys

    /// The built-in preset, and the value that names it.
    let base: Sourced<Preset>
    private(set) var defaults: DuckingDraft
    private(set) var roles: RoleTable
    private(set) var untagged: DescriptionDraft?
    private(set) var untaggedCapture: DescriptionDraft?
    /// Where untagged playback streams were declared to be left alone; `nil` if no source did.
    private(set) var untaggedOrigin: Origin?
    private(set) var untaggedCaptureOrigin: Origin?
    /// The role of an application that plays and records without a role.
    private(set) var pairing: Sourced<String?>
    private(set) var interplay: InterplayTable
    private(set) var switches: SwitchesDraft
    private(set) var routes: RoutesDraft
    private(set) var interruptions: InterruptionsDraft
    private(set) var user: UserDraft
    private(set) var muted: Sourced<MutedStreams>
    private(set) var sounding: SoundingDraft
    private(set) var zones: ZonesDraft
    private(set) var notified: Sourced<Set<Notified>>
    private(set) var stockModules: Sourced<StockModules>
    private(set) var claims: [ClaimKind: ClaimDraft] = [:]
    private(set) var rules: [RuleDraft] = []

    /// Creates a builder from a built-in preset.
    init(_ base: Sourced<Preset>) {
        self.base = base
        let preset = base.value
        defaults = DuckingDraft(preset.ducking)
        roles = RoleTable(preset)
        untagged = preset.untagged.map { DescriptionDraft($0) }
        untaggedCapture = preset.untaggedCapture.map { DescriptionDraft($0) }
        pairing = Sourced(preset.pairing)
        interplay = InterplayTable(preset.interplay)
        switches = SwitchesDraft(preset.switches)
        routes = RoutesDraft(preset.routes)
        interruptions = InterruptionsDraft(preset.interruptions)
        user = UserDraft(preset.user)
        muted = Sourced(preset.muted)
        sounding = SoundingDraft(preset.sounding)
        zones = ZonesDraft(preset.zones)
        notified = Sourced(preset.notified)
        stockModules = Sourced(preset.stockModules)
    }

    // MARK: Sections

    /// Merges a source. Reports mistakes in the source itself.
    mutating func apply(_ document: Document, _ diagnosis: inout Diagnosis) {
        diagnosis.file = document.name
        let known = document.kind == .arguments ? PolicyBuilder.argumentKeys : PolicyBuilder.keys
        var sections: [String: [Member]] = [:]
        var conditions = 0
        for member in diagnosis.members(of: document.members, known: known) {
            let origin = Origin(file: document.name, place: member.value.place)
            switch member.key.text {
            case "duck": defaults.apply(member.value, &diagnosis)
            case "untagged":
                untagged = description(of: member, otherwise: untagged, &diagnosis)
                untaggedOrigin = origin
            case "untagged-capture":
                untaggedCapture = description(of: member, otherwise: untaggedCapture, &diagnosis)
                untaggedCaptureOrigin = origin
            case "capture-pairing":
                if let role = diagnosis.pairing(member.value) { pairing = Sourced(role, at: origin) }
            case "dbus":
                if PolicyLoader.truth(member.value) == nil {
                    diagnosis.error(at: origin, found: member.value.summary, expected: "yes or no")
                }
            case "roles", "interplay":
                if let object = diagnosis.object(member.value) { sections[member.key.text, default: []] += object }
            case "switches": switches.apply(member.value, &diagnosis)
            case "routes": routes.apply(member.value, &diagnosis)
            case "interruptions": interruptions.apply(member.value, &diagnosis)
            case "user": user.apply(member.value, &diagnosis)
            case "notify":
                if let words = diagnosis.notified(member.value) { notified = Sourced(words, at: origin) }
            case "zones": zones.apply(member.value, &diagnosis)
            case "sounding": sounding.apply(member.value, &diagnosis)
            case "muted":
                if let word = diagnosis.word(member.value, of: .mutedStreams) { muted = Sourced(word, at: origin) }
            case "stock-modules":
                if let word = diagnosis.word(member.value, of: .stockModules) {
                    stockModules = Sourced(word, at: origin)
                }
            case "claims": apply(claims: member.value, conditions: &conditions, &diagnosis)
            case "rules": rules += RuleDraft.read(member.value, conditions: &conditions, &diagnosis)
            default: break
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
        let members = diagnosis.members(of: object, known: RoleKey.words)
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
        // The preset's descriptions are finished too, because the defaults for ducking may have changed.
        var preset = base.value
        let acting = interplay.duckers(roles)
        func finish(_ draft: DescriptionDraft?, named name: String) -> SessionDescription? {
            var parties: [InterplayRules.Party] = [.any, .named(name)]
            if let category = draft?.category { parties.append(.category(category.value)) }
            return draft?.finish(
                defaults: defaults, meant: roles.meant, isComplete: isComplete,
                ducks: !acting.isDisjoint(with: parties), &diagnosis)
        }
        preset.roles = [:]
        for (role, draft) in roles.roles.sorted(by: { $0.key < $1.key }) {
            preset.roles[role] = finish(draft, named: role)
        }
        // The aliases of a role that is left alone are left alone too.
        let unmanaged = roles.allUnmanaged
        preset.unmanaged = Set(unmanaged.keys)
        preset.aliases = roles.finalAliases
        preset.order = roles.ordered
        preset.untagged = finish(untagged, named: Policy.untaggedName)
        preset.untaggedCapture = finish(untaggedCapture, named: Policy.untaggedCaptureName)
        preset.pairing = finishedPairing(&diagnosis)
        var descriptions = preset.roles
        descriptions[Policy.untaggedName] = preset.untagged
        descriptions[Policy.untaggedCaptureName] = preset.untaggedCapture
        preset.interplay = interplay.finish(
            roles: roles, descriptions: descriptions, defaults: defaults, &diagnosis)
        preset.switches = switches.rules
        preset.routes = routes.rules
        preset.interruptions = interruptions.rules
        preset.user = user.rules
        preset.muted = muted.value
        preset.sounding = sounding.rules
        preset.zones = zones.rules
        preset.notified = notified.value
        preset.ducking = DuckingDraft().ducking(otherwise: defaults)
        preset.stockModules = stockModules.value
        var granted: [ClaimKind: Claim] = [:]
        for kind in ClaimKind.allCases {
            granted[kind] = claims[kind]?.finish(kind, roles: roles, descriptions: preset.roles, &diagnosis)
        }
        let finished = rules.map {
            $0.finish(roles: roles, descriptions: preset.roles, defaults: defaults, &diagnosis)
        }
        return PolicyContents(
            preset: preset, claims: granted.filter { $0.value.allow != nil || $0.value.isForAnyone }, rules: finished,
            origins: origins(unmanaged))
    }

    /// The canonical name of the role for capture pairing; `nil` for none.
    private func finishedPairing(_ diagnosis: inout Diagnosis) -> String? {
        guard let name = pairing.value else { return nil }
        switch roles.meaning(of: name) {
        case .role(let role): return role
        case .unmanaged:
            let left = roles.allUnmanaged[name].flatMap { $0 }
            if let origin = diagnosis.later(pairing.origin, left) {
                diagnosis.error(
                    at: origin, found: "capture-pairing with '\(printable(name))', which is left alone",
                    expected: "a role that is not")
            }
        case .unknown:
            if let origin = pairing.origin {
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
    let preset: Preset
    let policy: Policy
    let classifier: Classifier

    init(preset: Preset, claims: [ClaimKind: Claim], rules: [Rule], origins: Classifier.Origins) {
        self.preset = preset
        policy = preset.policy
        classifier = Classifier(policy, claims: claims, rules: rules, origins: origins)
    }
}

extension Diagnosis {
    /// Reads an array of what people are told of; `nil` when it is none.
    fileprivate mutating func notified(_ node: Node) -> Set<Notified>? {
        guard case .array(let elements) = node.content else {
            error(at: node.place, found: node.summary, expected: "an array, such as [ output-gone ]")
            return nil
        }
        var result: Set<Notified> = []
        for element in elements { if let word = word(element, of: .notified) { result.insert(word) } }
        return result
    }

    /// Reads `false` for none, `true` for the role phone, or a role's name.
    fileprivate mutating func pairing(_ node: Node) -> String?? {
        switch node.text {
        case "false": .some(nil)
        case "true": "phone"
        default: name(of: "true, false or a role", node).map { .some($0) } ?? .none
        }
    }
}
