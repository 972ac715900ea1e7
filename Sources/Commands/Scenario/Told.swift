import PolicyEngine
import PolicyFile

/// One message to a session's application: a change of `Active`, a signal, or an answer other than "done".
enum Told: Equatable {
    /// `Active` became true.
    case active
    /// `Active` became false.
    case inactive
    /// `InterruptionBegan`; an expectation without a name matches any interrupter.
    case began(reason: InterruptionReason, by: String?)
    /// `InterruptionEnded`.
    case ended(shouldResume: Bool)
    /// `ActivationGranted` (N9).
    case granted
    /// The answer to an activation that has to wait (N9).
    case delayed
    /// The answer to an activation that another session prevents (R8); an expectation without a name matches any
    /// session.
    case refused(by: String?)
    /// Another error, by name.
    case mistaken(String)
    /// `RouteChanged`, with the name of its reason.
    case route(String)
    /// `SecondaryAudioHint`.
    case hint(Bool)

    /// The kinds of messages that count only if the session's expectations mention them.
    enum Extra: Hashable {
        case route, hint
    }

    /// The reasons of an interruption (N7).
    static let reasons = InterruptionReason.allCases.map(\.rawValue).sorted()
    /// The names of errors in scenario files.
    static let mistakes = ["incompatible-category", "mode-not-changeable", "not-found", "limits-exceeded"]
    static let routeReasons = RouteChangeReason.allCases.map(\.name)

    /// The syntax of each message, for error messages.
    static let forms = [
        "active", "inactive", "began REASON [by NAME]", "ended resume", "ended stay", "granted", "delayed",
        "refused [by NAME]", "mistaken WORD", "route REASON", "hint on", "hint off",
    ]

    /// The optional kind of the message; `nil` if it always counts.
    var extra: Extra? {
        switch self {
        case .route: .route
        case .hint: .hint
        default: nil
        }
    }

    /// The name in the message.
    var name: String? {
        switch self {
        case .began(_, let name), .refused(let name): name
        default: nil
        }
    }

    /// The message in the syntax of scenario files.
    var text: String {
        switch self {
        case .active: "active"
        case .inactive: "inactive"
        case .began(let reason, let name): "began \(reason.rawValue)" + (name.map { " by \($0)" } ?? "")
        case .ended(let shouldResume): "ended \(shouldResume ? "resume" : "stay")"
        case .granted: "granted"
        case .delayed: "delayed"
        case .refused(let name): "refused" + (name.map { " by \($0)" } ?? "")
        case .mistaken(let word): "mistaken \(word)"
        case .route(let reason): "route \(reason)"
        case .hint(let isOn): "hint \(isOn ? "on" : "off")"
        }
    }

    /// Thrown for a text that cannot be parsed as a message.
    struct Mistake: Error {
        var expected: String
        var nearest: String?
    }

    /// Parses a message in the syntax of scenario files.
    static func read(_ text: String) throws(Mistake) -> Told {
        let parts = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        let rest = Array(parts.dropFirst())
        func word(of known: [String], _ what: String) throws(Mistake) -> String {
            guard let word = rest.first, known.contains(word) else {
                throw Mistake(
                    expected: "\(what): \(list(known))", nearest: rest.first.flatMap { nearest(to: $0, among: known) })
            }
            return word
        }
        func end(after count: Int) throws(Mistake) {
            if parts.count > count {
                throw Mistake(expected: "nothing after '\(parts[..<count].joined(separator: " "))'")
            }
        }
        /// The name in `by NAME` after the given number of words; a name may contain blanks.
        func who(after count: Int) throws(Mistake) -> String? {
            guard parts.count > count else { return nil }
            guard parts[count] == "by", parts.count > count + 1 else {
                throw Mistake(expected: "by NAME after '\(parts[..<count].joined(separator: " "))', or nothing")
            }
            return parts[(count + 1)...].joined(separator: " ")
        }
        switch parts.first {
        case "active":
            try end(after: 1)
            return .active
        case "inactive":
            try end(after: 1)
            return .inactive
        case "granted":
            try end(after: 1)
            return .granted
        case "delayed":
            try end(after: 1)
            return .delayed
        case "began":
            let reason = try word(of: reasons, "why it began")
            return .began(reason: InterruptionReason(rawValue: reason) ?? .default, by: try who(after: 2))
        case "ended":
            let word = try word(of: ["resume", "stay"], "how it ended")
            try end(after: 2)
            return .ended(shouldResume: word == "resume")
        case "refused": return .refused(by: try who(after: 1))
        case "mistaken":
            let word = try word(of: mistakes, "what is wrong")
            try end(after: 2)
            return .mistaken(word)
        case "route":
            let reason = try word(of: routeReasons, "why the route changed")
            try end(after: 2)
            return .route(reason)
        case "hint":
            let word = try word(of: ["on", "off"], "what is hinted")
            try end(after: 2)
            return .hint(word == "on")
        default:
            let verbs = forms.map { String($0.prefix { $0 != " " }) }
            throw Mistake(
                expected: "what the session is told: \(list(forms))",
                nearest: parts.first.flatMap { nearest(to: $0, among: verbs) })
        }
    }

    /// The message for the answer to a call; `nil` for `done`, which scenarios do not mention.
    init?(_ answer: SessionAnswer) {
        switch answer {
        case .done: return nil
        case .delayed: self = .delayed
        case .refused(let other): self = .refused(by: other.application.name)
        case .mistaken(.modeIsFixed): self = .mistaken("mode-not-changeable")
        case .mistaken: self = .mistaken("incompatible-category")
        case .nothingDelayed, .unknown: self = .mistaken("not-found")
        }
    }

    /// Several messages in the syntax of scenario files.
    static func text(of list: [Told]) -> String {
        if list.isEmpty { return "nothing" }
        let words = list.map { $0.text.contains(" ") ? "\"\($0.text)\"" : $0.text }
        return "[ \(words.joined(separator: " ")) ]"
    }
}
