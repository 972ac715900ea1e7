import PolicyFile
import SessionCore

/// A scenario, played through the engine.
struct Simulation {
    /// A decision about a stream, with the moment at which it had come true.
    struct Decided {
        var moment: Duration
        var stream: Int
        var decision: Decision
        /// What was decided before.
        var former: Decision
        /// `nil` when something else was decided first, or the story ended.
        var reached: Duration?
    }

    /// An expectation and what became of it.
    struct Outcome {
        var expectation: Scenario.Expectation
        var state: LaneState

        var isMet: Bool { expectation.condition.holds(of: state) }
    }

    let scenario: Scenario
    let lanes: [VirtualServer.Lane]
    let outcomes: [Outcome]
    /// What the module would have written to the server's log.
    let log: [(moment: Duration, text: String)]
    /// What was decided, in its order.
    let decisions: [Decided]

    /// Plays a scenario.
    init(of scenario: Scenario) {
        let server = VirtualServer(scenario.streams, under: scenario.policy)
        var outcomes: [Outcome] = []
        var rest = scenario.expectations[...]
        // What happens at a moment happens before what is expected of it.
        func look(before end: Duration) {
            while let next = rest.first, next.moment < end {
                rest.removeFirst()
                server.advance(to: next.moment)
                outcomes.append(Outcome(expectation: next, state: server.lanes[next.stream].state))
            }
        }
        for event in scenario.events {
            look(before: event.moment)
            server.advance(to: event.moment)
            server.perform(event.action)
        }
        look(before: scenario.length)
        server.advance(to: scenario.length)
        self.scenario = scenario
        self.outcomes = outcomes
        lanes = server.lanes
        log = server.lines
        decisions = server.lanes.indices.flatMap { Self.decisions(about: $0, server.lanes[$0].history) }
            .enumerated().sorted { ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset) }.map(\.element)
    }

    private static func decisions(
        about stream: Int, _ history: [(moment: Duration, state: LaneState)]
    ) -> [Decided] {
        var result: [Decided] = []
        var former = Decision.free
        for (position, entry) in history.enumerated() where entry.state.decision != former {
            defer { former = entry.state.decision }
            // Nobody decides about what is gone.
            guard entry.state.isPresent else { continue }
            let rest = history[position...].prefix { $0.state.decision == entry.state.decision }
            result.append(
                Decided(
                    moment: entry.moment, stream: stream, decision: entry.state.decision, former: former,
                    reached: rest.first { $0.state.isReached }?.moment))
        }
        return result
    }

    /// The expectations that were not met, as mistakes of the scenario file.
    var failures: [Diagnostic] {
        var diagnosis = Diagnosis(file: scenario.file)
        for outcome in outcomes where !outcome.isMet {
            let stream = printable(scenario.streams[outcome.expectation.stream].name)
            diagnosis.error(
                at: outcome.expectation.place,
                found: "\(stream) \(outcome.state.text) at \(outcome.expectation.moment.fixed) s",
                expected: "\(outcome.expectation.condition.text)")
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
            default: text = "is restored"
            }
        case .ducked(let gain): text = "is ducked to \(gain.words)"
        case .muted: text = "is muted"
        case .corked: text = "is corked"
        case .held: return "is held until the others are silent"
        case .superseded: return "stays silent: \(actor) took over, its application has to resume"
        case .rejected: return "may not begin: \(actor) is heard, its application has to ask again"
        case .leftAlone: return "is left alone"
        }
        if let reached = decided.reached {
            let length = reached - decided.moment
            text += length > .zero ? " within \(length.words)" : " at once"
        }
        return decided.decision.kind == .free ? text : "\(text): \(actor) plays"
    }
}
