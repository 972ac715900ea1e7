import PolicyFile
import SessionCore

/// A scenario, played through the engine.
struct Simulation {
    /// A decision about a stream, with the moment at which it had come true.
    struct Decided {
        var moment: Duration
        /// Tells what came first within a moment.
        var step: Int
        var stream: Int
        var decision: Decision
        /// What was decided before.
        var former: Decision
        /// Whether that had come true.
        var wasReached: Bool
        /// Whether the stream's application wants it to run.
        var isWanted: Bool
        /// `nil` when something else was decided first, or the story ended.
        var reached: Duration?
    }

    /// An expectation and what became of it.
    struct Outcome {
        var expectation: Scenario.Expectation
        /// What was there instead, or is as expected, in words.
        var found: String
        var isMet: Bool
        /// Of an expectation of a stream, what it was.
        var state: LaneState?
    }

    /// What a session was told at the end that no expectation is about.
    struct Remainder {
        var session: Int
        var told: [Told]
        /// The last expectation of what it is told.
        var place: Place
    }

    let scenario: Scenario
    let lanes: [VirtualServer.Lane]
    /// What became of the sessions.
    let players: [VirtualSession]
    let outcomes: [Outcome]
    let remainders: [Remainder]
    /// What the module would have written to the server's log.
    let log: [(moment: Duration, text: String)]
    /// What was decided, in its order.
    let decisions: [Decided]
    /// The step that each event of the scenario was.
    let eventSteps: [Int]

    /// Plays a scenario.
    init(of scenario: Scenario) {
        let server = VirtualServer(scenario)
        var judge = Judge(scenario)
        var outcomes: [Outcome] = []
        var eventSteps: [Int] = []
        var rest = scenario.expectations[...]
        // What happens at a moment happens before what is expected of it.
        func look(before end: Duration) {
            while let next = rest.first, next.moment < end {
                rest.removeFirst()
                server.advance(to: next.moment)
                outcomes.append(judge.outcome(of: next, on: server))
            }
        }
        for event in scenario.events {
            look(before: event.moment)
            server.advance(to: event.moment)
            server.perform(event.action)
            eventSteps.append(server.step)
        }
        look(before: scenario.length)
        server.advance(to: scenario.length)
        self.scenario = scenario
        self.outcomes = outcomes
        self.eventSteps = eventSteps
        remainders = judge.remainders(on: server)
        lanes = server.lanes
        players = server.players
        log = server.lines
        decisions = server.lanes.indices.flatMap { Self.decisions(about: $0, server.lanes[$0].history) }
            .sorted { ($0.step, $0.stream) < ($1.step, $1.stream) }
    }

    private static func decisions(about stream: Int, _ history: [VirtualServer.Entry]) -> [Decided] {
        var result: [Decided] = []
        var former = LaneState()
        for (position, entry) in history.enumerated() {
            defer { former = entry.state }
            // Nobody decides about what is gone.
            guard entry.state.decision != former.decision, entry.state.isPresent else { continue }
            let rest = history[position...].prefix { $0.state.decision == entry.state.decision }
            result.append(
                Decided(
                    moment: entry.moment, step: entry.step, stream: stream, decision: entry.state.decision,
                    former: former.decision, wasReached: former.isReached, isWanted: entry.state.isWanted,
                    reached: rest.first { $0.state.isReached }?.moment))
        }
        return result
    }

    /// The expectations that were not met, as mistakes of the scenario file.
    var failures: [Diagnostic] {
        var diagnosis = Diagnosis(file: scenario.file)
        for outcome in outcomes where !outcome.isMet {
            let moment = outcome.expectation.moment.fixed
            let found: String
            let expected: String
            switch outcome.expectation.subject {
            case .stream(let stream, let condition):
                found = "\(printable(scenario.streams[stream].name)) \(outcome.found) at \(moment) s"
                expected = condition.text
            case .session(let session, let condition):
                found = "\(printable(scenario.sessions[session].name)) \(outcome.found) at \(moment) s"
                expected = condition.rawValue
            case .told(let session, let list):
                found = "\(printable(scenario.sessions[session].name)) told \(outcome.found) by \(moment) s"
                expected = Told.text(of: list)
            }
            diagnosis.error(at: outcome.expectation.place, found: found, expected: expected)
        }
        for remainder in remainders {
            diagnosis.error(
                at: remainder.place,
                found: "\(printable(scenario.sessions[remainder.session].name)) told "
                    + "\(Told.text(of: remainder.told)) after that",
                expected: "another expectation of what it is told, or nothing")
        }
        return diagnosis.diagnostics
    }

    /// A decision in words.
    func text(_ decided: Decided) -> String {
        let actor = decided.decision.actor ?? "somebody else"
        var text: String
        switch decided.decision.kind {
        case .free:
            switch decided.former.kind {
            case .held: return "begins: the others are silent"
            case .leftAlone: return "is no longer left alone"
            default:
                guard decided.isWanted else { return "is let go, but is paused" }
                text = "is restored"
            }
        case .ducked(let gain): text = "is ducked to \(gain.words)"
        case .muted: text = "is muted"
        case .corked where decided.former.kind == .corked && decided.wasReached:
            return "stays corked: \(decided.decision.reason)"
        case .corked: text = "is corked"
        case .held: return "is held until the others are silent"
        case .superseded where decided.decision.loss != nil:
            let verb = decided.former.kind == .corked ? "stays silent" : "is stopped"
            return "\(verb): \(decided.decision.reason), its application has to resume"
        case .superseded: return "stays silent: \(actor) took over, its application has to resume"
        case .rejected: return "may not begin: \(actor) is heard, its application has to ask again"
        case .leftAlone: return "is left alone"
        }
        if let reached = decided.reached {
            let length = reached - decided.moment
            text += length > .zero ? " within \(length.words)" : " at once"
        }
        return decided.decision.kind == .free ? text : "\(text): \(decided.decision.reason)"
    }

    /// What sessions were told, in its order; of changes of the route and of hints, those of which something is expected.
    var relevantNews: [(session: Int, news: VirtualSession.News)] {
        let extras = scenario.sessions.indices.map { scenario.extras(of: $0) }
        return news.filter { line in line.news.told.extra.map { extras[line.session].contains($0) } ?? true }
    }

    /// All that sessions were told, in its order.
    var news: [(session: Int, news: VirtualSession.News)] {
        players.enumerated().flatMap { index, player in player.news.map { (session: index, news: $0) } }
            .enumerated().sorted { ($0.element.news.step, $0.offset) < ($1.element.news.step, $1.offset) }
            .map(\.element)
    }
}
