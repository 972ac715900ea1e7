import PolicyEngine

/// The subject of a claim: one of the two priorities above applications (N11), or control of the whole desktop (N20).
enum ClaimKind: String, Sendable, Hashable, CaseIterable {
    case phone
    case alarm
    case desktop

    /// The claim that a priority needs; `nil` for a priority that any program may have.
    init?(_ priority: Priority) {
        guard priority >= .alarm else { return nil }
        self = priority >= .phone ? .phone : .alarm
    }
}

/// The draft of a claim, merged from the sources: which programs may have a priority above applications.
struct ClaimDraft: Sendable {
    private static let keys = ["allow", "otherwise"]
    /// The default: programs outside sandboxes, and sandboxed ones that may record.
    static let usual = "usual"

    /// The programs that may; without a list, ``isForAnyone`` decides between any program and the default ones.
    private(set) var allow: Sourced<Matches>?
    /// The role given to other programs instead; `nil` for ``Claim/Otherwise/secondBest``.
    private(set) var otherwise: Sourced<String>?
    /// Whether any program may, even in a sandbox.
    private(set) var isForAnyone = false
    /// Where `any` or `usual` was set.
    private(set) var origin: Origin?

    /// Reads `any`, `usual` or an object.
    mutating func apply(_ node: Node, conditions: inout Int, _ diagnosis: inout Diagnosis) {
        if node.text == PolicyWord.any || node.text == ClaimDraft.usual {
            self = ClaimDraft()
            isForAnyone = node.text == PolicyWord.any
            origin = diagnosis.origin(node.place)
            return
        }
        guard let object = diagnosis.object(node, or: PolicyWord.any, ClaimDraft.usual) else { return }
        for member in diagnosis.members(of: object, known: ClaimDraft.keys) {
            let origin = diagnosis.origin(member.value.place)
            if member.key.text == "allow" {
                allow.set(diagnosis.matches(member.value, count: &conditions), at: origin)
            } else {
                otherwise.set(diagnosis.name(of: "a role", member.value), at: origin)
            }
        }
    }

    /// The finished claim, after checking that its parts fit together.
    func finish(
        _ kind: ClaimKind, roles: RoleTable, descriptions: [String: SessionDescription], _ diagnosis: inout Diagnosis
    ) -> Claim {
        var claim = Claim(
            allow: allow?.value, isForAnyone: isForAnyone && allow == nil, origin: allow?.origin ?? origin)
        guard let otherwise, let origin = otherwise.origin else { return claim }
        if kind == .desktop {
            diagnosis.warning(at: origin, found: "otherwise for desktop", expected: "allow only (it has no effect)")
        }
        if allow == nil {
            diagnosis.warning(
                at: origin, found: "otherwise without allow", expected: "both (it has no effect)")
        }
        switch roles.meaning(of: otherwise.value) {
        case .unmanaged: claim.otherwise = .leftAlone
        case .unknown:
            diagnosis.error(
                at: origin, found: "'\(printable(otherwise.value))'", expected: "a role",
                nearest: nearest(to: otherwise.value, among: roles.names))
        case .role(let name):
            guard let description = descriptions[name] else { break }
            claim.otherwise = .description(description)
            if let other = ClaimKind(description.priority), other == kind || other == .phone {
                diagnosis.error(
                    at: origin, found: "'\(printable(otherwise.value))', which has the priority of \(other.rawValue)",
                    expected: "a role with a lower one")
            }
        }
        // No program is refused, so there is no replacement.
        if allow == nil { claim.otherwise = .secondBest }
        return claim
    }
}

/// Which programs may have a priority above applications.
struct Claim: Sendable {
    /// The description of a session whose claim is refused.
    enum Otherwise: Sendable, Equatable {
        /// The same description without its priority.
        case secondBest
        case description(SessionDescription)
        case leftAlone
    }

    /// The programs that may; without a list, ``isForAnyone`` decides between any program and the default ones.
    var allow: Matches?
    /// Whether any program may, even in a sandbox.
    var isForAnyone = false
    var otherwise = Otherwise.secondBest
    /// Where the claim was set.
    var origin: Origin?
}

extension Claim: Equatable {
    /// Whether both claims are the same, whatever their origins.
    static func == (left: Claim, right: Claim) -> Bool {
        left.allow == right.allow && left.isForAnyone == right.isForAnyone && left.otherwise == right.otherwise
    }
}

extension SessionDescription {
    /// The description of a session whose claim was refused: it is heard, with the priority of applications.
    var secondBest: SessionDescription {
        var result = self
        result.priority = .normal
        result.handover = .overlap
        return result
    }
}
