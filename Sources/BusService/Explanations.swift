import PolicyEngine

/// Explains a stream's treatment in words (N12).
enum Explanations {
    /// The treatment of a stream, its cause and the rule behind it.
    ///
    /// - Parameters:
    ///   - victim: The stream's session; `nil` if the viewer may not see it.
    ///   - acting: The session that causes the treatment; `nil` if there is none, or the viewer may not see it.
    static func text(
        _ stream: EngineSnapshot.Stream, of victim: EngineSnapshot.Session?, by acting: EngineSnapshot.Session?,
        policy: Policy, name: String,
        seconds: Int?
    ) -> String {
        var text = "stream \(stream.id.rawValue) of \(name) (\(stream.description)) is "
        let since = seconds.map { $0 == 0 ? " just now" : " for \($0) s now" } ?? ""
        text += TreatmentText(stream.treatment, by: stream.interrupter?.label).sentence(since: since)
        let besides = stream.besides.map(\.label)
        if !besides.isEmpty { text += "; its user wants to hear it beside \(besides.joined(separator: ", "))" }
        if stream.isMuted { text += "; it is muted by its user or application" }
        if let output = stream.output { text += "; the output of its role is \(output.text)" }
        if let rule = rule(stream, of: victim, by: acting, policy) { text += "; \(rule)" }
        return text
    }

    /// The rule by which the acting session has this effect; `nil` if a session is unknown.
    private static func rule(
        _ stream: EngineSnapshot.Stream, of victim: EngineSnapshot.Session?, by acting: EngineSnapshot.Session?,
        _ policy: Policy
    ) -> String? {
        guard let victim, let acting else { return nil }
        let own = acting.description
        let other = victim.description
        let rule = InterplayRules.rule(among: policy.interplay.rules(of: own), for: other)
        let said = [rule?.playing, rule?.newcomer].compactMap { $0?.kind }
        if said.contains(where: { $0 != .usual }) {
            return "the policy says so of \(own.name) and \(other.name)"
        }
        if stream.treatment.reason == .ducked { return "\(own.name) has the option duck-others" }
        if other.mode == .spokenAudio && own.interruptsSpokenAudio {
            return "speech is stopped rather than spoken over"
        }
        if own.priority > other.priority {
            return "\(own.name) has the priority \(own.priority.rawValue), and \(other.name) \(other.priority.rawValue)"
        }
        if own.category == .record { return "a recording silences all playback" }
        return "neither of the two mixes with others"
    }
}
