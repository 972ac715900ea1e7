import PolicyEngine

/// An expected condition of a stream.
enum Condition: Equatable {
    /// The stream is untreated, and no fade is left over.
    case free
    /// The stream is lowered; by the given amount, if any.
    case ducked(Decibels?)
    /// The stream runs unheard.
    case muted
    /// The stream is stopped and keeps its position.
    case corked
    /// The stream waits until others are silent.
    case held
    /// The cause of the silence is gone, but the application must resume the stream (R31).
    case superseded
    /// The stream was not allowed to start (R8).
    case rejected
    /// The policy does not manage the stream.
    case leftAlone
    /// The stream is audible, or recording.
    case heard
    /// The stream is inaudible, for any reason.
    case silent
    /// The application does not want the stream to run.
    case paused

    private static let words: [(word: String, condition: Condition)] = [
        ("free", .free), ("ducked", .ducked(nil)), ("muted", .muted), ("corked", .corked), ("held", .held),
        ("superseded", .superseded), ("rejected", .rejected), ("left-alone", .leftAlone), ("heard", .heard),
        ("silent", .silent), ("paused", .paused),
    ]

    /// All words, for error messages.
    static var known: [String] { words.map(\.word) }

    /// Parses `corked`, `ducked` or `ducked -20`.
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

    /// The condition in the syntax of scenario files.
    var text: String {
        if case .ducked(let gain?) = self { return "ducked \(gain.value.short)" }
        if case .ducked = self { return "ducked" }
        return Self.words.first { $0.condition == self }?.word ?? ""
    }

    /// Whether a stream has reached this condition; a fade towards it does not count.
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
