import SessionCore

/// What an expectation can say of an opened session: one property of it each, as D-Bus shows it.
enum SessionCondition: String, CaseIterable {
    /// `Active`.
    case active
    /// Not `Active`, for whatever reason.
    case inactive
    /// `Interrupted`.
    case interrupted
    /// `ActivationDelayed`.
    case delayed

    /// All words, for messages.
    static var known: [String] { allCases.map(\.rawValue) }

    /// Whether a session is that now.
    func holds(of state: SessionState?) -> Bool {
        switch self {
        case .active: state?.isActive == true
        case .inactive: state?.isActive == false
        case .interrupted: state?.isInterrupted == true
        case .delayed: state?.isDelayed == true
        }
    }

    /// What a session is, in words, for somebody who expected something else; `nil` is one that is not open.
    static func text(of state: SessionState?) -> String {
        guard let state else { return "not open" }
        var words = [state.isActive ? "active" : "inactive"]
        if state.isInterrupted { words.append("interrupted") }
        if state.isDelayed { words.append("delayed") }
        return words.joined(separator: ", ")
    }
}
