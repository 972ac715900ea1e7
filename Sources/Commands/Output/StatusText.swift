import BusInterface
import PolicyEngine

/// The service's state as a tree: the sessions, active ones first, each with its streams and their treatment.
struct StatusText {
    let state: ServiceState
    let style: Style
    /// Microseconds since 1970.
    let now: Int64
    /// The user's home folder.
    var home = environment("HOME")
    /// Whether to say what the sound server cannot do.
    var showsLimits = false

    /// All lines, with a final newline.
    var text: String {
        (headline + route + tree.lines(style) + limits).joined(separator: "\n") + "\n"
    }

    /// The features that the sound server lacks.
    private var limits: [String] {
        guard showsLimits, !state.limits.isEmpty else { return [] }
        let branches = state.limits.map { name, reason in
            Tree(parts: [Tree.Part(style.safe(name), .name), Tree.Part(style.safe(reason, limit: 300), .faint)])
        }
        return lines("Not in \(style.safe(state.server)):", nil) + Tree(parts: [], branches: branches).lines(style)
    }

    /// The policy and the switches that are on; several lines if the policy comes from several files.
    private var headline: [String] {
        var parts = [state.policy.isEmpty ? "unknown" : style.safe(state.policy(below: home), limit: 1000)]
        let switches = state.switches
        if switches.silent { parts.append("silent") }
        if switches.doNotDisturb { parts.append("do not disturb") }
        if switches.locked { parts.append("screen locked") }
        if let pause = switches.pause.words(at: now) { parts.append(pause) }
        if state.sessions.isEmpty && state.streams.isEmpty { parts.append("no sessions") }
        return lines("Policy " + parts.joined(separator: ", "), .name)
    }

    private func lines(_ text: String, _ meaning: Style.Meaning?) -> [String] {
        let pieces = text.wrapped(to: Tree.width - 4, breakingWords: false)
        return pieces.enumerated().map { ($0 == 0 ? "" : "    ") + style.text($1, meaning) }
    }

    /// The ports in use, if known.
    private var route: [String] {
        let words = state.route.words(style)
        return words.isEmpty ? [] : lines(words.prefix(1).uppercased() + words.dropFirst(), nil)
    }

    private var tree: Tree {
        let order = ["active", "starting", "holding", "releasing", "interrupted", "delayed"]
        let sessions = state.sessions.map { session in
            (session, rank: order.firstIndex(of: session.state) ?? order.count)
        }.sorted { ($0.rank, $0.0.id) < ($1.rank, $1.0.id) }.map(\.0)
        var branches = sessions.map { session in
            let streams = state.streams.filter { $0.session == session.id }
            return Tree(parts: parts(of: session, streams), branches: streams.map { Tree(parts: parts(of: $0)) })
        }
        let known = Set(sessions.map(\.id))
        let strays = state.streams.filter { !known.contains($0.session) }
        if !strays.isEmpty {
            branches.append(
                Tree(parts: [Tree.Part("without a session")], branches: strays.map { Tree(parts: parts(of: $0)) }))
        }
        return Tree(parts: [], branches: branches)
    }

    private func parts(of session: SessionRecord, _ streams: [StreamRecord]) -> [Tree.Part] {
        let name = session.name.isEmpty ? "session \(session.id)" : session.name
        // A session without a role is named after its category.
        let role = session.description == session.category ? "" : session.description
        let mode = session.mode == "default" ? "" : session.mode
        let kind = ([session.category] + session.options + [mode]).filter { !$0.isEmpty }.joined(separator: ", ")
        let described = [role, kind].filter { !$0.isEmpty }.joined(separator: ": ")
        var state = Tree.Part(style.safe(session.state), .faint)
        switch session.state {
        case "active", "starting", "releasing": state.meaning = .good
        case "holding", "delayed": state.meaning = .lowered
        case "interrupted":
            state.meaning = .silenced
            let by = session.by.isEmpty ? streams.first(where: \.isSilenced)?.by ?? "" : session.by
            if !by.isEmpty { state.text += " by \(style.safe(by))" }
        default: break
        }
        return [Tree.Part(style.safe(name), .name), Tree.Part(style.safe(described, limit: 300)), state]
    }

    private func parts(of stream: StreamRecord) -> [Tree.Part] {
        let activity = stream.running ? "" : stream.wanted ? "waiting" : "not playing"
        var parts = [
            Tree.Part("\(stream.id) \(style.safe(stream.direction))"), style.treatment(of: stream, at: now),
        ]
        let idle = stream.direction == "capture" && activity == "not playing" ? "not recording" : activity
        // For a stopped stream, "idle" adds nothing.
        if !stream.isSilenced { parts.append(Tree.Part(idle, .faint)) }
        if stream.glides == false, stream.direction == "playback" { parts.append(Tree.Part("fades in steps", .faint)) }
        if stream.muted { parts.append(Tree.Part("muted by its user or application", .faint)) }
        return parts
    }
}

extension Style {
    /// The treatment of a stream, its cause and its duration.
    func treatment(of stream: StreamRecord, at now: Int64?) -> Tree.Part {
        if stream.isFree {
            let beside = stream.beside.map { safe($0) }.joined(separator: ", ")
            return Tree.Part(beside.isEmpty ? "free" : "free beside \(beside), as its user wants it")
        }
        var text = stream.treatment == "player-paused" ? "player paused" : safe(stream.treatment)
        if stream.treatment == "ducked" { text += " \(decibels(stream.gain))" }
        if !stream.by.isEmpty { text += " by \(safe(stream.by))" }
        if let reason = reason(stream.cause) { text += " (\(reason))" }
        if let now, stream.since > 0 { text += " since \(age(from: stream.since, to: now))" }
        return Tree.Part(text, stream.isSilenced ? .silenced : .lowered)
    }

    /// A reason in a few words; `nil` if it adds nothing to the treatment itself.
    private func reason(_ name: String) -> String? {
        if let known = Reason(rawValue: name) { return known.brief }
        return name.isEmpty ? nil : safe(name)
    }

    /// A duration in its largest unit, such as `3 s`; the arguments are in microseconds.
    func age(from start: Int64, to end: Int64) -> String {
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        let seconds = overflow ? 0 : max(0, difference / 1_000_000)
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

extension ServiceState {
    /// The source of the policy, with paths below a home folder as `~`.
    func policy(below home: String?) -> String {
        guard let home, home.count > 1 else { return policy }
        return policy.split(separator: " ", omittingEmptySubsequences: false).map { word in
            word.hasPrefix(home + "/") ? "~" + word.dropFirst(home.count) : String(word)
        }.joined(separator: " ")
    }
}

extension ServiceState.Pause {
    /// The end of the suspension in words; `nil` if the policy is not suspended.
    func words(at now: Int64) -> String? {
        switch self {
        case .none: nil
        case .withoutEnd: "paused until it is resumed"
        case .until(let moment): "paused until \(WallTime(microseconds: Int64(clamping: moment)).words(at: now))"
        }
    }
}
