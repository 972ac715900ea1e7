public import PolicyEngine

/// Classifies streams by their properties.
///
/// Two classifiers are equal if they have the same policy, claims and rules, whatever the origins of these.
public struct Classifier: Sendable {
    private let policy: Policy
    private let claims: [ClaimKind: Claim]
    private let rules: [Rule]
    private let origins: Origins

    /// Where each description was first set, for explanations.
    struct Origins: Sendable {
        /// By the description's name.
        var descriptions: [String: Origin] = [:]
        /// By the name of a role that is left alone.
        var unmanaged: [String: Origin] = [:]
    }

    init(_ policy: Policy, claims: [ClaimKind: Claim], rules: [Rule], origins: Origins) {
        self.policy = policy
        self.origins = origins
        self.claims = claims
        self.rules = rules
    }

    /// Classifies a stream (R2, N11, N20).
    ///
    /// - Parameters:
    ///   - direction: The stream's direction.
    ///   - access: The access of the stream's program.
    ///   - property: The value of a property of the stream, or else of its client; `nil` if neither has it.
    public func classify(
        direction: StreamDirection, access: ClientAccess = .outside, property: (String) -> String?
    ) -> Classification {
        func value(_ name: String) -> String? { name == "media.class" ? direction.mediaClass : property(name) }
        let found = classify(direction, value)
        guard case .confined(let mayRecord) = access, let description = found.description,
            let kind = ClaimKind(description.priority)
        else { return found }
        let claim = claims[kind] ?? Claim()
        let isByRecording = mayRecord && claim.allow == nil
        if claim.isForAnyone || isByRecording || isNamed(for: kind, property) { return found }
        let other = claim.instead(of: description)
        let instead = other.map { "it is \($0.name)" + claim.remark } ?? "it is left alone"
        let step = Classification.Step(
            text: "it may not claim the priority of \(kind.rawValue) from inside a sandbox: " + instead,
            origin: claim.origin)
        return Classification(
            description: other, descriptionInSession: other, steps: found.steps + [step], refusedClaim: kind.rawValue,
            complaints: found.complaints)
    }

    /// Whether a line of the policy names a sandbox: in a claim, or in a rule that gives the claim's priority. A
    /// program in a sandbox cannot prove its own statements. So only the role in question, and what the server or the
    /// kernel reports about the sandbox, are compared.
    private func isNamed(for kind: ClaimKind, _ property: (String) -> String?) -> Bool {
        func verified(_ name: String) -> String? {
            name == "media.role" || name.hasPrefix("pipewire.access.portal.") ? property(name) : nil
        }
        let ruled = rules.lazy.filter { rule in
            guard case .become(let other?, _) = rule.action else { return false }
            return ClaimKind(other.priority) == kind
        }
        return claims[kind]?.allow?.isMet(by: verified) == true || ruled.contains { $0.matches.isMet(by: verified) }
    }

    /// Whether a program may control the whole desktop (N20). Any program outside sandboxes may; of those inside, only
    /// the ones that the policy names.
    public func mayControlDesktop(access: ClientAccess, property: (String) -> String?) -> Bool {
        access == .outside || claims[.desktop]?.isForAnyone == true || isNamed(for: .desktop, property)
    }

    private func classify(_ direction: StreamDirection, _ property: (String) -> String?) -> Classification {
        var steps: [Classification.Step] = []
        let own = ownDescription(direction, property("media.role"), &steps)
        var description = own.description
        /// Whether a role decides: the stream's own, or one given by a claim or rule.
        var isByRole = own.isByRole
        var refused: ClaimKind?
        var isRuled = false
        if own.isByRole, let claimed = own.description, let kind = ClaimKind(claimed.priority),
            let claim = claims[kind],
            let allow = claim.allow
        {
            if allow.isMet(by: property) {
                steps.append(.init(text: "it may claim the priority of \(kind.rawValue)", origin: claim.origin))
            } else {
                refused = kind
                description = claim.instead(of: claimed)
                var instead = description.map { "it is \($0.name)" + claim.remark } ?? "it is left alone"
                if let other = description, !other.fits(direction) {
                    description = policy.description(of: nil, direction: direction)
                    isByRole = false
                    instead += ", which \(other.misfit), so it is \(words(description, direction))"
                }
                steps.append(
                    .init(
                        text: "it may not claim the priority of \(kind.rawValue): " + instead, origin: claim.origin))
            }
        }
        for rule in rules where rule.matches.isMet(by: property) {
            if case .become(let other?, let role) = rule.action, !other.fits(direction),
                Role(role).flatMap(policy.description(ofRole:))?.fits(direction) == false
            {
                // The rule concerns an application, but its role does not fit streams of this direction.
                steps.append(
                    .init(
                        text: "a rule makes it \(role), which \(other.misfit): it stays as it is", origin: rule.origin))
                continue
            }
            // What has a role that is left alone stays so.
            let isRecording = direction == .capture && !isByRole
            apply(rule, to: &description, isRecording: isRecording, &steps)
            isRuled = true
            if case .become = rule.action { isByRole = true }
        }
        var tags = SessionTags(property)
        if let category = tags.category, !isByRole, !isRuled {
            // The stream was left alone because it had no role; now its tags describe it.
            if (direction == .playback ? policy.untagged : policy.untaggedCapture) == nil {
                description = untagged(direction, category)
            }
        }
        if var changed = description {
            let keys = tags.apply(to: &changed)
            description = changed
            if !keys.isEmpty {
                steps.append(.init(text: "its own properties change its \(list(keys, lastAfter: "and"))", origin: nil))
            }
        }
        for complaint in tags.complaints { steps.append(.init(text: "\(complaint): it is ignored", origin: nil)) }
        let inSession = isByRole ? nil : untagged(direction, direction == .playback ? .playback : .record)
        return Classification(
            description: description, descriptionInSession: description ?? inSession, steps: steps,
            refusedClaim: refused?.rawValue, complaints: tags.complaints)
    }

    /// The description of a stream that the policy would leave alone because it has no role.
    private func untagged(_ direction: StreamDirection, _ category: Category) -> SessionDescription {
        SessionDescription(name: untaggedName(direction), category: category)
    }

    /// The description of a stream by its role, or without a role.
    private func ownDescription(
        _ direction: StreamDirection, _ value: String?, _ steps: inout [Classification.Step]
    ) -> (description: SessionDescription?, isByRole: Bool) {
        var isByRole = false
        var reason = "it has no media.role"
        var description = policy.description(of: nil, direction: direction)
        if let role = value.flatMap({ Role($0) }) {
            reason = "its media.role is \(printable(role.name))"
            if let described = policy.description(ofRole: role) {
                // pw-record gives every recording the role Music.
                isByRole = described.fits(direction)
                if isByRole { description = described } else { reason += ", which \(described.misfit)" }
            } else if !policy.unmanaged.contains(role.name) {
                reason += ", which is no known role"
            } else {
                steps.append(.init(text: "\(reason): it is left alone", origin: origins.unmanaged[role.name]))
                return (nil, true)
            }
        }
        steps.append(
            .init(
                text: "\(reason): it is \(words(description, direction))",
                origin: origins.descriptions[description?.name ?? untaggedName(direction)]))
        return (description, isByRole)
    }

    /// The name of a description in words, or that the stream is left alone because it has no role.
    private func words(_ description: SessionDescription?, _ direction: StreamDirection) -> String {
        description?.name ?? "left alone, as \(untaggedName(direction)) is"
    }

    private func untaggedName(_ direction: StreamDirection) -> String {
        direction == .playback ? Policy.untaggedName : Policy.untaggedCaptureName
    }

    private func apply(
        _ rule: Rule, to description: inout SessionDescription?, isRecording: Bool,
        _ steps: inout [Classification.Step]
    ) {
        let text: String
        switch rule.action {
        case .become(let other, let role):
            description = other
            text = other == nil ? "a rule leaves it alone" : "a rule makes it \(role)"
        case .change(let change):
            if var changed = description {
                change.keys.change(&changed)
                description = changed.consistent
                text = "a rule changes its \(list(change.keys.words, lastAfter: "and"))"
            } else if isRecording, change.keys.values.isPaired {
                // N14: it does nothing by itself, and makes a call of what its application plays meanwhile.
                var listener = Policy.listener
                change.keys.change(&listener)
                (listener.category, listener.isInterruptible) = (Policy.listener.category, false)
                description = listener
                text = "a rule makes its application be in a call while it plays, too"
            } else {
                text = "a rule matches, but it is left alone"
            }
        }
        steps.append(.init(text: text, origin: rule.origin))
    }
}

extension Classifier: Equatable {
    /// Whether both classify every stream in the same way.
    public static func == (left: Classifier, right: Classifier) -> Bool {
        left.policy == right.policy && left.claims == right.claims && left.rules == right.rules
    }
}

extension SessionDescription {
    /// Why the description does not fit a stream of the other direction, for explanations.
    fileprivate var misfit: String { category.playsSound ? "does not record" : "does not play" }
}

extension Claim {
    /// The description of a stream whose claim is refused; `nil` leaves the stream alone.
    fileprivate func instead(of description: SessionDescription) -> SessionDescription? {
        switch otherwise {
        case .secondBest: description.secondBest
        case .description(let other): other
        case .leftAlone: nil
        }
    }

    fileprivate var remark: String { otherwise == .secondBest ? ", with normal priority" : "" }
}

extension StreamDirection {
    /// What rules call it: PipeWire's property `media.class`, which streams of PulseAudio do not have.
    package var mediaClass: String {
        switch self {
        case .playback: "Stream/Output/Audio"
        case .capture: "Stream/Input/Audio"
        }
    }
}
