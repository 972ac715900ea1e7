/// Which description in a ``Policy`` a stream or session has: an index, so that facts stay small and flat.
public struct DescriptionID: Sendable, Hashable {
    /// The place among the policy's descriptions, from 0.
    public let rawValue: UInt8

    init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// The set that holds only this one.
    var bit: UInt64 { 1 << UInt64(truncatingIfNeeded: rawValue) }
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

    /// How long others fade for a session of this description.
    func fade(of id: DescriptionID) -> Duration {
        let index = Int(id.rawValue)
        return index < descriptions.count ? descriptions[index].fade : .zero
    }

    /// How long the way down takes of those that a session of this description ducks.
    func attack(of id: DescriptionID) -> Duration {
        let index = Int(id.rawValue)
        return index < descriptions.count ? descriptions[index].ducking.attack : .zero
    }

    /// How long their way back takes.
    func release(of id: DescriptionID) -> Duration {
        let index = Int(id.rawValue)
        return index < descriptions.count ? descriptions[index].ducking.release : .zero
    }

    /// How long a session of this description outlives its last stream.
    func releaseDelay(of id: DescriptionID) -> Duration {
        let index = Int(id.rawValue)
        return index < descriptions.count ? descriptions[index].releaseDelay : .zero
    }

    /// The roles that have a description, for tools that print the policy.
    public var taggedRoles: [Role: SessionDescription] { roles.compactMapValues { self[$0] } }
}

/// Who does what to whom, for every pair of descriptions, as sets that fit a word each; and what else the engine needs of
/// a description at every turn.
struct InterplayTable: Sendable, Equatable {
    private struct Row: Sendable, Equatable {
        /// Which descriptions cork it, silence it in any way, duck it.
        var corkers: UInt64 = 0
        var silencers: UInt64 = 0
        var duckers: UInt64 = 0
        /// The upper nine bits of a claim: priority, then recordings (R21).
        var weight: UInt64
        /// The order among streams of one application (R1).
        var strength: Int
        /// The gain of those that it ducks.
        var gain: LinearGain
    }

    private var rows: [Row] = []
    /// Which descriptions duck others at all.
    private(set) var duckers: UInt64 = 0
    /// Which descriptions do anything to others.
    private(set) var actors: UInt64 = 0
    /// Which descriptions are those of sounds of the interface.
    private(set) var interfaceSounds: UInt64 = 0
    /// Which descriptions wait until those that they interrupt are silent.
    private(set) var holders: UInt64 = 0
    /// Which descriptions take over from others for good (R31).
    private(set) var successors: UInt64 = 0
    /// Duckers by the level that they ask for, the lowest first.
    private var byDepth: [DescriptionID] = []

    init(_ descriptions: [SessionDescription]) {
        let ids = descriptions.indices.map { DescriptionID(UInt8(truncatingIfNeeded: $0)) }
        for (id, other) in zip(ids, descriptions) {
            var row = Row(
                weight: UInt64(other.priority.rawValue) << 1 | (other.precedesEquals ? 1 : 0),
                strength: Self.strength(of: other, id), gain: other.ducking.gain.linear)
            for (actorID, actor) in zip(ids, descriptions) {
                switch Interplay.between(actor, and: other) {
                case .mix: continue
                case .duck: row.duckers |= actorID.bit
                case .mute: row.silencers |= actorID.bit
                case .cork:
                    row.silencers |= actorID.bit
                    row.corkers |= actorID.bit
                }
                actors |= actorID.bit
            }
            if other.ducksOthers { duckers |= id.bit }
            if other.category == .uiSound { interfaceSounds |= id.bit }
            if other.holdsOnHandover { holders |= id.bit }
            if !other.letsOthersResume { successors |= id.bit }
            rows.append(row)
        }
        byDepth = zip(ids, descriptions).filter { $1.ducksOthers }.sorted { left, right in
            left.1.ducking.gain == right.1.ducking.gain
                ? left.0.rawValue < right.0.rawValue : left.1.ducking.gain < right.1.ducking.gain
        }.map { $0.0 }
    }

    /// R1: of the descriptions of one application's streams, the strongest is the one that the session has. Sounds of the
    /// interface come last (R13), then the order is that of priority, of mixing and of the policy.
    private static func strength(of description: SessionDescription, _ id: DescriptionID) -> Int {
        let mixing = description.isMixable ? (description.ducksOthers ? 1 : 0) : 2
        return (description.category == .uiSound ? 0 : 1) << 24 | Int(description.priority.rawValue) << 16
            | mixing << 8 | (255 - Int(id.rawValue))
    }

    private func row(_ id: DescriptionID) -> Row? {
        let index = Int(id.rawValue)
        return index < rows.count ? rows[index] : nil
    }

    func corkers(of id: DescriptionID) -> UInt64 { row(id)?.corkers ?? 0 }
    func silencers(of id: DescriptionID) -> UInt64 { row(id)?.silencers ?? 0 }
    func duckers(of id: DescriptionID) -> UInt64 { row(id)?.duckers ?? 0 }
    func weight(of id: DescriptionID) -> UInt64 { row(id)?.weight ?? 0 }
    func gain(of id: DescriptionID) -> LinearGain { row(id)?.gain ?? .unity }

    /// N10: of several duckers, the one that asks for the lowest level; they do not add up.
    func deepest(of descriptions: UInt64) -> DescriptionID? {
        descriptions == 0 ? nil : byDepth.first { descriptions & $0.bit != 0 }
    }

    /// The strongest of a set of descriptions; `nil` for an empty one.
    func strongest(of descriptions: UInt64) -> DescriptionID? {
        var best: DescriptionID?
        var strength = -1
        var rest = descriptions
        while rest != 0 {
            let id = DescriptionID(UInt8(truncatingIfNeeded: rest.trailingZeroBitCount))
            rest &= rest &- 1
            if let row = row(id), row.strength > strength {
                best = id
                strength = row.strength
            }
        }
        return best
    }
}
