import SessionCore

/// What an expectation can say of a stream.
enum Condition: Equatable {
    /// Nothing is done to it, and nothing of what was done is left.
    case free
    /// It is lowered, by so much where that is said.
    case ducked(Decibels?)
    /// It runs on unheard.
    case muted
    /// It is stopped where it is.
    case corked
    /// It waits until the others are silent.
    case held
    /// What silenced it is gone, and its application has to resume (R31).
    case superseded
    /// It was not let begin (R8).
    case rejected
    /// The policy leaves it alone.
    case leftAlone
    /// It can be heard, or is recording.
    case heard
    /// It cannot be heard, for whatever reason.
    case silent
    /// Its own application does not want it to run.
    case paused

    private static let words: [(word: String, condition: Condition)] = [
        ("free", .free), ("ducked", .ducked(nil)), ("muted", .muted), ("corked", .corked), ("held", .held),
        ("superseded", .superseded), ("rejected", .rejected), ("left-alone", .leftAlone), ("heard", .heard),
        ("silent", .silent), ("paused", .paused),
    ]

    /// All words, for messages.
    static var known: [String] { words.map(\.word) }

    /// Reads `corked`, `ducked` or `ducked -20`.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard let first = parts.first, let found = Self.words.first(where: { $0.word == first }) else { return nil }
        self = found.condition
        if parts.count > 1 {
            guard case .ducked = found.condition, parts.count == 2, let gain = Double(parts[1]), -144...0 ~= gain
            else { return nil }
            self = .ducked(Decibels(gain))
        }
    }

    /// As a scenario file writes it.
    var text: String {
        if case .ducked(let gain?) = self { return "ducked \(gain.value.short)" }
        if case .ducked = self { return "ducked" }
        return Self.words.first { $0.condition == self }?.word ?? ""
    }

    /// Whether a stream is that now, not only about to become it.
    func holds(of state: LaneState) -> Bool {
        switch self {
        case .heard: state.isHeard
        case .silent: !state.isHeard
        case .paused: state.isPresent && !state.isWanted
        case .ducked(nil):
            if case .ducked = state.decision.kind { state.isReached } else { false }
        case .ducked(let gain?):
            if case .ducked(let actual) = state.decision.kind {
                abs(actual.value - gain.value) < 0.1 && state.isReached
            } else {
                false
            }
        case .free: state.isPresent && state.decision.kind == .free && state.isReached
        case .muted: state.decision.kind == .muted && state.isReached
        case .corked: state.decision.kind == .corked && state.isReached
        case .held: state.decision.kind == .held
        case .superseded: state.decision.kind == .superseded
        case .rejected: state.decision.kind == .rejected
        case .leftAlone: state.isPresent && state.decision.kind == .leftAlone
        }
    }
}
