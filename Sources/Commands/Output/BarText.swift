import BusInterface
import PolicyEngine

/// What a status bar shows of the service: the members that waybar's custom modules read.
struct BarText: Equatable {
    /// What is most worth knowing; the raw value is the word for `alt` and `class`.
    enum Situation: String, CaseIterable {
        case absent
        case paused
        case call
        case interrupted
        case ducked
        case silent
        case doNotDisturb = "do-not-disturb"
        case idle
    }

    /// A few words, as Pango markup; empty while nobody plays.
    var text: String
    /// The situation that is named first.
    var situation: Situation
    /// All present situations, ``situation`` first.
    var situations: [Situation]
    /// Each session with its state and its cause, a line for each, as Pango markup.
    var tooltip: String
    /// The level that is left of the stream that is lowered most: 100 while nothing is done to any.
    var percentage: Int

    /// The longest name in the text, in characters.
    private static let longestName = 24
    /// The largest number of sessions in the tooltip.
    private static let mostLines = 20

    /// Without a service.
    ///
    /// - Parameter complaint: What the service answers in place of its state; `nil` if there is none.
    init(without complaint: String?) {
        situation = .absent
        situations = [.absent]
        text = "no service"
        tooltip = Markup.escaped(
            complaint.map { printable($0, limit: 300) }
                ?? "There is no service \(AudioSessionBus.name). See: audio-session doctor")
        percentage = 0
    }

    /// - Parameter now: Microseconds since 1970.
    init(_ state: ServiceState, at now: Int64) {
        let sessions = state.sessionsByStrength.filter { $0.state != "inactive" }
        let heard = sessions.filter { ["active", "starting", "releasing"].contains($0.state) }
        let calls = heard.filter { $0.priority >= Int64(Priority.phone.rawValue) }
        let stopped = sessions.filter { $0.state == "interrupted" }
        let lowered = state.streams.filter { $0.treatment == "ducked" && $0.wanted }
        let known: [(isSo: Bool, situation: Situation)] = [
            (state.switches.pause != .none, .paused), (!calls.isEmpty, .call), (!stopped.isEmpty, .interrupted),
            (!lowered.isEmpty, .ducked),
            (state.switches.on.contains(.silent), .silent),
            (state.switches.on.contains(.doNotDisturb), .doNotDisturb),
        ]
        situations = known.filter(\.isSo).map(\.situation)
        if situations.isEmpty { situations = [.idle] }
        let first = situations[0]
        situation = first
        let words: String =
            switch first {
            case .paused: "paused"
            case .call: Self.names(calls.map(\.name))
            // The text names whoever is heard at present, not the interrupted.
            case .interrupted: Self.names(heard.isEmpty ? stopped.map(\.name) : heard.map(\.name))
            case .ducked: Self.names(lowered.map(\.by))
            case .silent: Switch.silent.brief
            case .doNotDisturb: Switch.doNotDisturb.brief
            case .idle, .absent: Self.names(heard.map(\.name))
            }
        text = Markup.escaped(words)
        tooltip = Markup.escaped(Self.lines(state, sessions, at: now).joined(separator: "\n"))
        percentage = state.streams.filter { $0.wanted && !$0.isCapture }.map { $0.level() }.min() ?? 100
    }

    /// The first name, and how many more there are.
    private static func names(_ names: [String]) -> String {
        var different: [String] = []
        for name in names where !name.isEmpty && !different.contains(name) { different.append(name) }
        guard let first = different.first else { return "" }
        let more = different.count > 1 ? " +\(different.count - 1)" : ""
        return printable(first, limit: longestName) + more
    }

    private static func lines(_ state: ServiceState, _ sessions: [SessionRecord], at now: Int64) -> [String] {
        let style = Style(isColoured: false, isUnicode: true)
        var lines = sessions.prefix(mostLines).map { session in
            let role = session.description.isEmpty ? "" : " (\(style.safe(session.description)))"
            return "\(style.safe(session.label))\(role): \(Self.state(of: session, state.streams(of: session), style))"
        }
        if sessions.count > mostLines { lines.append("and \(sessions.count - mostLines) more") }
        if lines.isEmpty { lines = ["Nobody plays or records"] }
        lines += state.switches.on.map { $0.sentence.prefix(1).uppercased() + $0.sentence.dropFirst() }
        if let pause = state.switches.pause.words(at: now) { lines.append("Policy: \(pause)") }
        let route = state.route.words(style)
        if !route.isEmpty { lines.append(route) }
        return lines
    }

    /// A session's state and its cause. Without times, which would change the line each second.
    private static func state(of session: SessionRecord, _ streams: [StreamRecord], _ style: Style) -> String {
        if session.state == "interrupted" {
            let by = session.interrupter(of: streams)
            return "interrupted" + (by.isEmpty ? "" : " by \(style.safe(by))")
        }
        guard let treated = streams.first(where: { !$0.isFree }) else { return style.safe(session.state) }
        return style.treatment(of: treated, at: nil).text
    }

    /// The members as JSON in one line, without a newline.
    var json: String {
        WireValue.record([
            ("text", .string(text)), ("alt", .string(situation.rawValue)), ("tooltip", .string(tooltip)),
            ("class", .strings(situations.map(\.rawValue))), ("percentage", .int32(Int32(percentage))),
        ]).json
    }
}
