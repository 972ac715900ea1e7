public import SessionCore

/// Tells what streams are, by their properties.
///
/// Two of them are equal when they tell the same of every stream, wherever that is written.
public struct Classifier: Sendable, Equatable {
    private let policy: Policy
    private let claims: [ClaimKind: Claim]
    private let rules: [Rule]
    private let properties: PropertyNames
    private let origins: Origins

    /// Where what streams are by themselves was said first, for explanations; equal to any other.
    struct Origins: Sendable, Equatable {
        /// By the description's name.
        var descriptions: [String: Origin] = [:]
        /// Of roles that are left alone.
        var unmanaged: [String: Origin] = [:]

        static func == (left: Origins, right: Origins) -> Bool { true }
    }

    /// The classifier of a policy that has no rules.
    public init(_ policy: Policy) { self.init(policy, claims: [:], rules: [], origins: Origins()) }

    init(_ policy: Policy, claims: [ClaimKind: Claim], rules: [Rule], origins: Origins) {
        self.policy = policy
        self.origins = origins
        var names = PropertyNames()
        var arranged = claims
        for kind in ClaimKind.allCases { arranged[kind]?.allow?.arrange(&names) }
        self.claims = arranged
        self.rules = rules.map { rule in
            var rule = rule
            rule.matches.arrange(&names)
            return rule
        }
        properties = names
    }

    /// Tells what a stream is (R2, N11).
    ///
    /// - Parameters:
    ///   - direction: Which way its sound goes.
    ///   - property: The value of one of its properties, its client's where it has none of its own; `nil` when neither
    ///     has it. Asked once for each property that matters.
    public func classify(direction: StreamDirection, property: (String) -> String?) -> Classification {
        var cache = PropertyCache(properties)
        var steps: [Classification.Step] = []
        let own = ownDescription(direction, property("media.role"), &steps)
        var description = own.description
        var refused: ClaimKind?
        if own.isByRole, let claimed = description, let kind = ClaimKind(claimed.priority), let claim = claims[kind],
            let allow = claim.allow
        {
            if allow.hold(&cache, property) {
                steps.append(.init(text: "it may claim the priority of \(kind.rawValue)", origin: claim.origin))
            } else {
                refused = kind
                description = claim.instead(of: claimed)
                steps.append(
                    .init(
                        text: "it may not claim the priority of \(kind.rawValue): "
                            + (description.map { "it is \($0.name)" + claim.remark } ?? "it is left alone"),
                        origin: claim.origin))
            }
        }
        for rule in rules where rule.matches.hold(&cache, property) { apply(rule, to: &description, &steps) }
        return Classification(description: description, steps: steps, refusedClaim: refused?.rawValue)
    }

    /// What a stream is by its role, or without one.
    private func ownDescription(
        _ direction: StreamDirection, _ value: String?, _ steps: inout [Classification.Step]
    ) -> (description: SessionDescription?, isByRole: Bool) {
        let role = value.flatMap { Role($0) }
        let description = policy.description(of: role, direction: direction)
        var isByRole = false
        var reason = "it has no media.role"
        if let role {
            let isUnmanaged = policy.unmanagedRoles.contains(role)
            isByRole = isUnmanaged || policy.roles[role] != nil
            reason = "its media.role is \(printable(role.name))" + (isByRole ? "" : ", which is no known role")
            if isUnmanaged {
                steps.append(.init(text: "\(reason): it is left alone", origin: origins.unmanaged[role.name]))
                return (nil, true)
            }
        }
        let name = direction == .playback ? Policy.untaggedName : Policy.untaggedCaptureName
        steps.append(
            .init(
                text: "\(reason): it is \(description?.name ?? "left alone, as \(name) is")",
                origin: origins.descriptions[description?.name ?? name]))
        return (description, isByRole)
    }

    private func apply(_ rule: Rule, to description: inout SessionDescription?, _ steps: inout [Classification.Step]) {
        let text: String
        switch rule.action {
        case .become(let other, let role):
            description = other
            text = other == nil ? "a rule leaves it alone" : "a rule makes it \(role)"
        case .change(let change):
            if var changed = description {
                change.apply(to: &changed)
                description = changed.consistent
                text = "a rule changes its \(list(change.keys, lastAfter: "and"))"
            } else {
                text = "a rule matches, but it is left alone"
            }
        }
        steps.append(.init(text: text, origin: rule.origin))
    }
}

extension Claim {
    /// What a stream is whose claim is refused; `nil` leaves it alone.
    fileprivate func instead(of description: SessionDescription) -> SessionDescription? {
        switch otherwise {
        case .secondBest: description.secondBest
        case .description(let other): other
        case .leftAlone: nil
        }
    }

    fileprivate var remark: String { otherwise == .secondBest ? ", with normal priority" : "" }
}
