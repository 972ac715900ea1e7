import SessionCore

/// What a claim is about: one of the two priorities above applications (N11), or what concerns the whole desktop (N20).
enum ClaimKind: String, Sendable, Hashable, CaseIterable {
    case phone
    case alarm
    case desktop

    /// The claim that covers a priority; `nil` for those that anyone may have.
    init?(_ priority: Priority) {
        guard priority >= .alarm else { return nil }
        self = priority >= .phone ? .phone : .alarm
    }
}

/// Who may have a priority above that of applications, on its way through the sources.
struct ClaimDraft: Sendable {
    private static let keys = ["allow", "otherwise"]
    /// Who may where nothing is said: programs outside of sandboxes, and those inside that may record.
    static let usual = "usual"

    /// Who may; `nil` is anyone, or those who usually may.
    private(set) var allow: Sourced<Matches>?
    /// What the others are instead; `nil` is their second-best category.
    private(set) var otherwise: Sourced<String>?
    /// Anyone may, also inside of sandboxes.
    private(set) var isForAnyone = false
    /// Where it was said that anyone may, or those who usually may.
    private(set) var origin: Origin?

    /// Reads `any`, `usual` or an object.
    mutating func apply(_ node: Node, conditions: inout Int, _ diagnosis: inout Diagnosis) {
        if node.text == PolicyWord.any || node.text == ClaimDraft.usual {
            self = ClaimDraft()
            isForAnyone = node.text == PolicyWord.any
            origin = Origin(file: diagnosis.file, place: node.place)
            return
        }
        guard let object = diagnosis.object(node, or: PolicyWord.any, ClaimDraft.usual) else { return }
        for member in diagnosis.members(of: object, known: ClaimDraft.keys) {
            let origin = Origin(file: diagnosis.file, place: member.value.place)
            if member.key.text == "allow" {
                allow.set(diagnosis.matches(member.value, count: &conditions), at: origin)
            } else {
                otherwise.set(diagnosis.name(of: "a role", member.value), at: origin)
            }
        }
    }

    /// Who may, and what the others are, after a look at how it goes together.
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
        // Nobody is anything else instead.
        if allow == nil { claim.otherwise = .secondBest }
        return claim
    }
}

/// Who may have a priority above that of applications.
struct Claim: Sendable {
    /// What those are who may not.
    enum Otherwise: Sendable, Equatable {
        /// The same without its priority.
        case secondBest
        case description(SessionDescription)
        case leftAlone
    }

    /// Who may; `nil` is anyone, or those who usually may.
    var allow: Matches?
    /// Anyone may, also inside of sandboxes.
    var isForAnyone = false
    var otherwise = Otherwise.secondBest
    /// What says who may.
    var origin: Origin?
}

extension Claim: Equatable {
    /// Whether it says the same, wherever it says it.
    static func == (left: Claim, right: Claim) -> Bool {
        left.allow == right.allow && left.isForAnyone == right.isForAnyone && left.otherwise == right.otherwise
    }
}

extension SessionDescription {
    /// What a session is whose claim was refused: heard, but as an application.
    var secondBest: SessionDescription {
        var result = self
        result.priority = .normal
        result.handover = .overlap
        return result
    }
}

extension Diagnosis {
    /// Reads a role's name in lower case; what it stands for is found out later.
    mutating func name(of noun: String, _ node: Node) -> String? {
        if let text = node.text, !text.isEmpty { return text.lowercased() }
        error(
            at: node.place, found: node.text == nil ? node.summary : "an empty role", expected: noun)
        return nil
    }
}
