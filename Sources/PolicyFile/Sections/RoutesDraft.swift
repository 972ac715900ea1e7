import PolicyEngine

/// The draft of the rules for outputs that are removed and come back, merged from the sources (R64).
struct RoutesDraft: Sendable {
    static let keys = ["pause-on-disconnect", "resume-within", "stop-recording"]

    private(set) var pauses: Sourced<Bool>
    private(set) var resumesWithin: Sourced<Duration>
    private(set) var stopsRecording: Sourced<RecordingStop>

    init(_ rules: RouteRules) {
        pauses = Sourced(rules.pausesPlayback)
        resumesWithin = Sourced(rules.resumesWithin)
        stopsRecording = Sourced(rules.stopsRecording)
    }

    /// The finished rules.
    var rules: RouteRules {
        RouteRules(
            pausesPlayback: pauses.value, resumesWithin: resumesWithin.value, stopsRecording: stopsRecording.value)
    }

    /// Reads an object and merges it.
    mutating func apply(_ node: Node, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: RoutesDraft.keys) {
            let origin = Origin(file: diagnosis.file, place: member.value.place)
            switch member.key.text {
            case "pause-on-disconnect":
                if let truth = PolicyLoader.truth(member.value) {
                    pauses = Sourced(truth, at: origin)
                } else {
                    diagnosis.error(at: origin, found: member.value.summary, expected: "true or false")
                }
            case "resume-within":
                if let time = diagnosis.duration(member.value) { resumesWithin = Sourced(time, at: origin) }
            default:
                if let stop = diagnosis.word(member.value, of: .recordingStops) {
                    stopsRecording = Sourced(stop, at: origin)
                }
            }
        }
    }
}

/// The draft of how long interruptions last beyond their cause, merged from the sources (N17).
struct InterruptionsDraft: Sendable {
    static let keys = ["resume-within"]

    private(set) var resumesWithin: Sourced<Duration>

    init(_ rules: InterruptionRules) { resumesWithin = Sourced(rules.resumesWithin) }

    /// The finished rules.
    var rules: InterruptionRules { InterruptionRules(resumesWithin: resumesWithin.value) }

    /// Reads an object and merges it.
    mutating func apply(_ node: Node, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: InterruptionsDraft.keys) {
            // An application may ask its user before it resumes, and the user may take minutes.
            if let time = diagnosis.duration(member.value, longest: 600_000) {
                resumesWithin = Sourced(time, at: Origin(file: diagnosis.file, place: member.value.place))
            }
        }
    }
}
