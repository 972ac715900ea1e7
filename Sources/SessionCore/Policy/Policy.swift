/// Which description in a ``Policy`` a stream or session has: an index, so that facts stay small and flat.
public struct DescriptionID: Sendable, Hashable {
    public let rawValue: UInt8

    init(_ rawValue: UInt8) { self.rawValue = rawValue }
}

/// The whole policy: what streams are, by role, and what sessions do to each other.
public struct Policy: Sendable, Equatable {
    /// The most descriptions that a policy can hold: sets of them are kept in one machine word.
    public static let maximumDescriptions = 64

    /// The preset's name, for explanations.
    public let name: String
    /// All descriptions in use.
    public let descriptions: [SessionDescription]
    private let roles: [Role: DescriptionID]
    private let unmanagedRoles: Set<Role>
    private let untagged: DescriptionID?
    private let untaggedCapture: DescriptionID?
    let interplay: InterplayTable

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - name: The preset's name.
    ///   - roles: What a stream with a role is.
    ///   - unmanagedRoles: Roles whose streams are left alone: they touch nobody and nobody touches them.
    ///   - untagged: What a playback stream without a known role is; `nil` leaves it alone.
    ///   - untaggedCapture: What a capture stream without a known role is; `nil` leaves it alone.
    /// - Returns: `nil` when there are more than ``maximumDescriptions`` different descriptions.
    public init?(
        name: String, roles: [Role: SessionDescription], unmanagedRoles: Set<Role> = [],
        untagged: SessionDescription? = nil, untaggedCapture: SessionDescription? = nil
    ) {
        var descriptions: [SessionDescription] = []
        var known: [SessionDescription: DescriptionID] = [:]
        func intern(_ description: SessionDescription) -> DescriptionID {
            if let id = known[description] { return id }
            let id = DescriptionID(UInt8(truncatingIfNeeded: descriptions.count))
            descriptions.append(description)
            known[description] = id
            return id
        }
        let untaggedID = untagged.map(intern)
        let untaggedCaptureID = untaggedCapture.map(intern)
        var roleIDs: [Role: DescriptionID] = [:]
        for (role, description) in roles.sorted(by: { $0.key.name < $1.key.name }) where !unmanagedRoles.contains(role)
        {
            roleIDs[role] = intern(description)
        }
        guard descriptions.count <= Policy.maximumDescriptions else { return nil }
        self.name = name
        self.descriptions = descriptions
        self.roles = roleIDs
        self.unmanagedRoles = unmanagedRoles
        self.untagged = untaggedID
        self.untaggedCapture = untaggedCaptureID
        interplay = InterplayTable(descriptions)
    }

    /// A policy that leaves every stream alone.
    init(empty name: String) {
        self.name = name
        descriptions = []
        roles = [:]
        unmanagedRoles = []
        untagged = nil
        untaggedCapture = nil
        interplay = InterplayTable([])
    }

    /// What a stream is (R2); `nil` when the policy leaves it alone.
    public func description(of role: Role?, direction: StreamDirection) -> DescriptionID? {
        if let role {
            if unmanagedRoles.contains(role) { return nil }
            if let id = roles[role] { return id }
        }
        return direction == .playback ? untagged : untaggedCapture
    }

    /// The description behind an id; `nil` for an id of another policy.
    public subscript(id: DescriptionID) -> SessionDescription? {
        let index = Int(id.rawValue)
        return index < descriptions.count ? descriptions[index] : nil
    }

    /// The roles that have a description, for tools that print the policy.
    public var taggedRoles: [Role: SessionDescription] { roles.compactMapValues { self[$0] } }
}

/// Who does what to whom, for every pair of descriptions, as sets that fit a word each.
struct InterplayTable: Sendable, Equatable {
    /// By the other's id: which descriptions cork it, mute it, duck it.
    private(set) var corkedBy: [UInt64] = []
    private(set) var mutedBy: [UInt64] = []
    private(set) var duckedBy: [UInt64] = []
    /// Which descriptions duck others at all.
    private(set) var duckers: UInt64 = 0

    init(_ descriptions: [SessionDescription]) {
        for other in descriptions {
            var corked: UInt64 = 0
            var muted: UInt64 = 0
            var ducked: UInt64 = 0
            for (index, actor) in descriptions.enumerated() {
                let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: index)
                switch Interplay.between(actor, and: other) {
                case .mix: break
                case .duck: ducked |= bit
                case .mute: muted |= bit
                case .cork: corked |= bit
                }
                if actor.ducksOthers { duckers |= bit }
            }
            corkedBy.append(corked)
            mutedBy.append(muted)
            duckedBy.append(ducked)
        }
    }
}
