import PolicyEngine

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
