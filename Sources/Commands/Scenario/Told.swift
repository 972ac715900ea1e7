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
        case .active, .inactive, .began, .ended, .granted, .delayed, .refused, .mistaken: nil
        }
    }

    /// The name in the message.
    var name: String? {
        switch self {
        case .began(_, let name), .refused(let name): name
        case .active, .inactive, .ended, .granted, .delayed, .mistaken, .route, .hint: nil
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

    /// The words that have to follow some verbs, and what they say.
    private static let words = [
        "began": ("why it began", reasons), "ended": ("how it ended", ["resume", "stay"]),
        "mistaken": ("what is wrong", mistakes), "route": ("why the route changed", routeReasons),
        "hint": ("what is hinted", ["on", "off"]),
    ]

    /// Parses a message in the syntax of scenario files.
    static func read(_ text: String) throws(Mistake) -> Told {
        let parts = text.split(separator: " ").map(String.init)
        let verb = parts.first
        var rest = parts.dropFirst()
        var word = ""
        if let verb, let (what, known) = words[verb] {
            guard let first = rest.first, known.contains(first) else {
                throw Mistake(
                    expected: "\(what): \(list(known))", nearest: rest.first.flatMap { nearest(to: $0, among: known) })
            }
            word = rest.removeFirst()
        }
        let told: Told
        // A name may contain blanks.
        let name = rest.first == "by" && rest.count > 1 ? rest.dropFirst().joined(separator: " ") : nil
        switch verb {
        case "active": told = .active
        case "inactive": told = .inactive
        case "granted": told = .granted
        case "delayed": told = .delayed
        case "began": told = .began(reason: InterruptionReason(rawValue: word) ?? .default, by: name)
        case "ended": told = .ended(shouldResume: word == "resume")
        case "refused": told = .refused(by: name)
        case "mistaken": told = .mistaken(word)
        case "route": told = .route(word)
        case "hint": told = .hint(word == "on")
        default:
            let verbs = forms.map { String($0.prefix { $0 != " " }) }
            throw Mistake(
                expected: "what the session is told: \(list(forms))",
                nearest: verb.flatMap { nearest(to: $0, among: verbs) })
        }
        if !rest.isEmpty, told.name == nil {
            let before = "'\(parts.dropLast(rest.count).joined(separator: " "))'"
            throw Mistake(
                expected: ["began", "refused"].contains(verb)
                    ? "by NAME after \(before), or nothing" : "nothing after \(before)")
        }
        return told
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
