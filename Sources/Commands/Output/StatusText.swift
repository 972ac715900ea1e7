import BusInterface

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
        let origin = state.policy == "built-in \(state.preset)" ? "built in" : state.policy.below(home)
        let policy = [state.preset, origin].filter { !$0.isEmpty }.joined(separator: ": ")
        var parts = [policy.isEmpty ? "unknown" : style.safe(policy, limit: 1000)]
        let switches = state.switches
        parts += switches.on.map(\.brief)
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
        return words.isEmpty ? [] : lines(words, nil)
    }

    private var tree: Tree {
        let order = ["active", "starting", "holding", "releasing", "interrupted", "delayed"]
        let sessions = state.sessions.map { session in
            (session, rank: order.firstIndex(of: session.state) ?? order.count)
        }.sorted { ($0.rank, $0.0.id) < ($1.rank, $1.0.id) }.map(\.0)
        func branches(_ streams: [StreamRecord]) -> [Tree] { streams.map { Tree(parts: parts(of: $0)) } }
        var trees = sessions.map { session in
            let streams = state.streams(of: session)
            return Tree(parts: parts(of: session, streams), branches: branches(streams))
        }
        if !state.strays.isEmpty {
            trees.append(Tree(parts: [Tree.Part("without a session")], branches: branches(state.strays)))
        }
        if !state.leftAlone.isEmpty {
            trees.append(Tree(parts: [Tree.Part("left alone")], branches: state.leftAlone.map(leftAlone)))
        }
        return Tree(parts: [], branches: trees)
    }

    private func parts(of session: SessionRecord, _ streams: [StreamRecord]) -> [Tree.Part] {
        // A session without a role is named after its category.
        let role = session.description == session.category ? "" : session.description
        let described = [role, session.traits.joined(separator: ", ")].filter { !$0.isEmpty }.joined(separator: ": ")
        let by = session.state == "interrupted" ? session.interrupter(of: streams) : ""
        let state = style.safe(session.state) + (by.isEmpty ? "" : " by \(style.safe(by))")
        return [
            Tree.Part(style.safe(session.label), .name), Tree.Part(style.safe(described, limit: 300)),
            Tree.Part(state, session.meaning),
        ]
    }

    /// A stream that is left alone, and why.
    private func leftAlone(_ stream: StreamRecord) -> Tree {
        Tree(parts: [
            Tree.Part("\(stream.id) \(style.safe(stream.direction))"), Tree.Part(style.safe(stream.application), .name),
            Tree.Part(style.safe((stream.leftAlone ?? "").below(home), limit: 1000), .faint),
        ])
    }

    private func parts(of stream: StreamRecord) -> [Tree.Part] {
        var parts = [
            Tree.Part("\(stream.id) \(style.safe(stream.direction))"), style.treatment(of: stream, at: now),
        ]
        // For a stopped stream, "idle" adds nothing.
        if !stream.isSilenced, !stream.running {
            let idle = stream.isCapture ? "not recording" : "not playing"
            parts.append(Tree.Part(stream.wanted ? "waiting" : idle, .faint))
        }
        if stream.glides == false, stream.direction == "playback" { parts.append(Tree.Part("fades in steps", .faint)) }
        if stream.muted { parts.append(Tree.Part("muted by its user or application", .faint)) }
        return parts
    }
}

extension String {
    /// A text in which paths below a home folder begin with `~`.
    func below(_ home: String?) -> String {
        guard let home, home.count > 1 else { return self }
        return split(separator: " ", omittingEmptySubsequences: false).map { word in
            let path = word.drop { $0 == "(" }
            return path.hasPrefix(home + "/") ? word.prefix { $0 == "(" } + "~" + path.dropFirst(home.count) : word
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
