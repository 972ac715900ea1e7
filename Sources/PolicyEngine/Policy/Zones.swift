/// Some of a policy's zones (N27).
public struct ZoneSet: OptionSet, Sendable, Hashable {
    /// A bit for each zone: its place among the policy's zones, and the highest bit for what is in none of them.
    public let rawValue: UInt16

    /// Creates a set.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The zone of outputs that are in no other zone.
    public static let elsewhere = ZoneSet(rawValue: 1 << 15)
    /// All zones.
    public static let everywhere = ZoneSet(rawValue: .max)

    /// Whether events in one set concern the other. A set without zones is somewhere unknown, and concerns everybody.
    func concerns(_ other: ZoneSet) -> Bool { isEmpty || other.isEmpty || !isDisjoint(with: other) }
}

/// The zones of a policy: groups of outputs, such as for a car's driver and for its rear seats (N27). Sessions affect
/// each other only within a zone.
public struct Zones: Sendable, Hashable {
    /// One zone.
    public struct Zone: Sendable, Hashable {
        /// Its name, for people.
        public var name: String
        /// Its outputs.
        public var outputs: [OutputPattern]

        /// Creates a zone.
        public init(name: String, outputs: [OutputPattern]) {
            self.name = name
            self.outputs = outputs
        }
    }

    /// The most zones that there can be.
    public static let limit = 15

    /// The zones, in the order of the policy; the first with an output counts.
    public var all: [Zone]

    /// Creates zones; those beyond the limit are dropped.
    public init(_ all: [Zone] = []) { self.all = Array(all.prefix(Zones.limit)) }

    /// The zones of ports; empty if there are no ports, or if the policy has no zones.
    public func zones(of ports: [RoutePort]) -> ZoneSet {
        if all.isEmpty { return [] }
        var result: ZoneSet = []
        for port in ports {
            let zone = all.firstIndex { $0.outputs.contains { $0.matches(port) } }
            result.insert(zone.map { ZoneSet(rawValue: 1 << UInt16(truncatingIfNeeded: $0)) } ?? .elsewhere)
        }
        return result
    }

    /// The names of zones.
    public func names(of set: ZoneSet) -> [String] {
        all.indices.filter { set.contains(ZoneSet(rawValue: 1 << UInt16(truncatingIfNeeded: $0))) }.map { all[$0].name }
            + (set.contains(.elsewhere) ? ["elsewhere"] : [])
    }
}
