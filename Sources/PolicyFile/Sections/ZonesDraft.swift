import PolicyEngine

/// The draft of the zones, merged from the sources: a zone that a later source names is replaced as a whole (N27).
struct ZonesDraft: Sendable {
    private(set) var zones: [(zone: Zones.Zone, origin: Origin?)] = []

    /// The finished zones.
    var rules: Zones { Zones(zones.map(\.zone)) }

    /// Reads an object, { NAME = [ OUTPUT … ] }, and merges it. A zone that is none has no outputs.
    mutating func apply(_ node: Node, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: nil) {
            let place = member.value.place
            var outputs: [OutputPattern]?
            if member.value.text == PolicyWord.none {
                outputs = []
            } else if case .array(let elements) = member.value.content {
                outputs = elements.compactMap { diagnosis.output($0) }
            } else {
                diagnosis.error(
                    at: place, found: member.value.summary,
                    expected: "an array of outputs, such as [ speaker ], or none")
            }
            guard let outputs else { continue }
            let name = printable(member.key.text)
            let index = zones.firstIndex { $0.zone.name == name }
            if let index { zones.remove(at: index) }
            if outputs.isEmpty { continue }
            guard zones.count < Zones.limit else {
                diagnosis.error(at: place, found: "one zone more", expected: "at most \(Zones.limit) zones")
                continue
            }
            zones.insert((Zones.Zone(name: name, outputs: outputs), diagnosis.origin(place)), at: index ?? zones.count)
        }
    }
}
