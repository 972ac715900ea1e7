import PolicyEngine

/// An expected condition of a stream.
enum Condition: Equatable {
    /// What was decided about the stream; if it is ducked, by the given amount, if any.
    case decided(Decision.Kind, Decibels? = nil)
    /// The stream is audible, or recording.
    case heard
    /// The stream is inaudible, for any reason.
    case silent
    /// The application does not want the stream to run.
    case paused

    private static let all = Decision.Kind.allCases.map { Condition.decided($0) } + [.heard, .silent, .paused]

    /// All words, for error messages.
    static var known: [String] { all.map(\.text) }

    /// Parses `corked`, `ducked` or `ducked -20`.
    init?(_ text: String) {
        let parts = text.split(separator: " ").map(String.init)
        guard let found = Self.all.first(where: { $0.text == parts.first }) else { return nil }
        self = found
        if parts.count > 1 {
            guard found == .decided(.ducked), parts.count == 2, let gain = Double(parts[1]), -144...0 ~= gain
            else { return nil }
            self = .decided(.ducked, Decibels(gain))
        }
    }

    /// The condition in the syntax of scenario files.
    var text: String {
        switch self {
        case .decided(let kind, let gain): kind.rawValue + (gain.map { " \($0.value.short)" } ?? "")
        case .heard: "heard"
        case .silent: "silent"
        case .paused: "paused"
        }
    }

    /// Whether a stream has reached this condition; a fade towards it does not count.
    func holds(of state: LaneState) -> Bool {
        switch self {
        case .heard: return state.isHeard
        case .silent: return !state.isHeard
        case .paused: return state.isPresent && !state.isWanted
        case .decided(let kind, let gain):
            guard state.isPresent, state.decision.kind == kind else { return false }
            if let gain, abs((state.decision.gain ?? gain).value - gain.value) >= 0.1 { return false }
            switch kind {
            case .free, .ducked, .muted, .corked: return state.isReached
            case .held, .superseded, .rejected, .leftAlone: return true
            }
        }
    }
}

/// An expected condition of an opened session: one of its D-Bus properties.
enum SessionCondition: String, CaseIterable {
    /// `Active` is true.
    case active
    /// `Active` is false, for any reason.
    case inactive
    /// `Interrupted` is true.
    case interrupted
    /// `ActivationDelayed` is true.
    case delayed

    /// All words, for error messages.
    static var known: [String] { allCases.map(\.rawValue) }

    /// Whether a session has this condition.
    func holds(of state: SessionState?) -> Bool {
        switch self {
        case .active: state?.isActive == true
        case .inactive: state?.isActive == false
        case .interrupted: state?.isInterrupted == true
        case .delayed: state?.isDelayed == true
        }
    }

    /// A session's state for the message about a failed expectation; `nil` if the session is not open.
    static func text(of state: SessionState?) -> String {
        guard let state else { return "not open" }
        var words = [state.isActive ? "active" : "inactive"]
        if state.isInterrupted { words.append("interrupted") }
        if state.isDelayed { words.append("delayed") }
        return words.joined(separator: ", ")
    }
}
