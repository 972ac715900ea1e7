import PolicyEngine

/// The draft of what follows when a user wants to hear what the policy keeps silent, merged from the sources (N19).
struct UserDraft: Sendable {
    static let keys = [UserAction.play, .unmute, .raise].map(\.rawValue)

    private(set) var play: Sourced<UserSay>
    private(set) var unmute: Sourced<UserSay>
    private(set) var raise: Sourced<UserSay>

    init(_ rules: UserRules) {
        play = Sourced(rules.play)
        unmute = Sourced(rules.unmute)
        raise = Sourced(rules.raise)
    }

    /// The finished rules.
    var rules: UserRules { UserRules(play: play.value, unmute: unmute.value, raise: raise.value) }

    /// Every key with its word, in their usual order.
    var words: [(key: String, word: Sourced<UserSay>)] {
        zip(UserDraft.keys, [play, unmute, raise]).map { (key: $0, word: $1) }
    }

    /// Reads an object and merges it.
    mutating func apply(_ node: Node, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: UserDraft.keys) {
            guard let say = diagnosis.word(member.value, of: .userSays) else { continue }
            let word = Sourced(say, at: Origin(file: diagnosis.file, place: member.value.place))
            switch UserAction(rawValue: member.key.text) {
            case .play: play = word
            case .unmute: unmute = word
            default: raise = word
            }
        }
    }
}
