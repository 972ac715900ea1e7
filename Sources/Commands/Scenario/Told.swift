import PolicyEngine
import PolicyFile

/// One message to a session's application: a change of `Active`, a signal, or an answer other than "done".
struct Told: Equatable {
    /// What it is; the raw value is the word in scenario files.
    enum Kind: String, CaseIterable {
        /// `Active` became true, or false.
        case active, inactive
        /// `InterruptionBegan` and `InterruptionEnded`.
        case began, ended
        /// `ActivationGranted` (N9).
        case granted
        /// The answer to an activation that has to wait (N9).
        case delayed
        /// The answer to an activation that another session prevents (R8).
        case refused
        /// Another error, by name.
        case mistaken
        /// `RouteChanged`, with the name of its reason.
        case route
        /// `SecondaryAudioHint`.
        case hint

        /// Whether it counts only if the session's expectations mention it.
        var isOptional: Bool { self == .route || self == .hint }

        /// Whether it says who interrupts or prevents.
        fileprivate var hasName: Bool { self == .began || self == .refused }

        /// The meaning of the word that follows, and the known words; `nil` if no word follows.
        fileprivate var words: (what: String, known: [String])? {
            switch self {
            case .active, .inactive, .granted, .delayed, .refused: nil
            case .began: ("why it began", InterruptionReason.allCases.map(\.rawValue).sorted())
            case .ended: ("how it ended", ["resume", "stay"])
            case .mistaken:
                ("what is wrong", ["incompatible-category", "mode-not-changeable", "not-found", "limits-exceeded"])
            case .route: ("why the route changed", RouteChangeReason.allCases.map(\.name))
            case .hint: ("what is hinted", ["on", "off"])
            }
        }
    }

    var kind: Kind
    var word: String?
    /// Who interrupts or prevents; an expectation without a name matches anybody.
    var name: String?

    static let active = Told(kind: .active)
    static let inactive = Told(kind: .inactive)
    static let granted = Told(kind: .granted)
    static let delayed = Told(kind: .delayed)
    static func began(reason: InterruptionReason, by name: String?) -> Told {
        Told(kind: .began, word: reason.rawValue, name: name)
    }
    static func ended(shouldResume: Bool) -> Told { Told(kind: .ended, word: shouldResume ? "resume" : "stay") }
    static func refused(by name: String?) -> Told { Told(kind: .refused, name: name) }
    static func mistaken(_ word: String) -> Told { Told(kind: .mistaken, word: word) }
    static func route(_ reason: String) -> Told { Told(kind: .route, word: reason) }
    static func hint(_ isOn: Bool) -> Told { Told(kind: .hint, word: isOn ? "on" : "off") }

    /// The message in the syntax of scenario files.
    var text: String { [kind.rawValue, word, name.map { "by \($0)" }].compactMap { $0 }.joined(separator: " ") }

    /// The syntax of each message, for error messages.
    static let forms = [
        "active", "inactive", "began REASON [by NAME]", "ended resume", "ended stay", "granted", "delayed",
        "refused [by NAME]", "mistaken WORD", "route REASON", "hint on", "hint off",
    ]

    /// Thrown for a text that cannot be parsed as a message.
    struct Mistake: Error {
        var expected: String
        var nearest: String?
    }

    /// Parses a message in the syntax of scenario files.
    static func read(_ text: String) throws(Mistake) -> Told {
        let parts = text.split(separator: " ").map(String.init)
        guard let kind = parts.first.flatMap({ Kind(rawValue: $0) }) else {
            throw Mistake(
                expected: "what the session is told: \(list(forms))",
                nearest: parts.first.flatMap { nearest(to: $0, among: Kind.allCases.map(\.rawValue)) })
        }
        var told = Told(kind: kind)
        var rest = parts.dropFirst()
        if let (what, known) = kind.words {
            guard let word = rest.first, known.contains(word) else {
                throw Mistake(
                    expected: "\(what): \(list(known))", nearest: rest.first.flatMap { nearest(to: $0, among: known) })
            }
            told.word = rest.removeFirst()
        }
        if rest.isEmpty { return told }
        guard kind.hasName, rest.first == "by", rest.count > 1 else {
            let before = "'\(parts.dropLast(rest.count).joined(separator: " "))'"
            throw Mistake(
                expected: kind.hasName ? "by NAME after \(before), or nothing" : "nothing after \(before)")
        }
        // A name may contain blanks.
        told.name = rest.dropFirst().joined(separator: " ")
        return told
    }

    /// Several messages in the syntax of scenario files.
    static func text(of list: [Told]) -> String {
        if list.isEmpty { return "nothing" }
        let words = list.map { $0.text.contains(" ") ? "\"\($0.text)\"" : $0.text }
        return "[ \(words.joined(separator: " ")) ]"
    }
}

extension Told {
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
}
