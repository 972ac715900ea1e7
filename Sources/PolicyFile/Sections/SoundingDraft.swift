import PolicyEngine

/// The draft of what counts as sound, merged from the sources (N13).
struct SoundingDraft: Sendable {
    static let keys = ["above", "hold"]

    private(set) var above: Sourced<Decibels>
    private(set) var hold: Sourced<Duration>

    init(_ rules: SoundingRules) {
        above = Sourced(rules.above)
        hold = Sourced(rules.hold)
    }

    /// The finished rules.
    var rules: SoundingRules { SoundingRules(above: above.value, hold: hold.value) }

    /// Reads an object and merges it.
    mutating func apply(_ node: Node, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: SoundingDraft.keys) {
            let origin = Origin(file: diagnosis.file, place: member.value.place)
            if member.key.text == "above" {
                if let gain = diagnosis.gain(member.value) { above = Sourced(gain, at: origin) }
            } else if let time = diagnosis.duration(member.value) {
                hold = Sourced(time, at: origin)
            }
        }
    }
}
