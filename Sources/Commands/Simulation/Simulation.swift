import PolicyEngine
import PolicyFile

/// A scenario, played through the engine.
struct Simulation {
    /// A decision about a stream, with the time at which the stream reached the decided state.
    struct Decided {
        var moment: Duration
        /// Orders events of the same moment.
        var step: Int
        var stream: Int
        var decision: Decision
        /// The previous decision.
        var former: Decision
        /// Whether the previous decision had been reached.
        var wasReached: Bool
        /// Whether the application wants the stream to run.
        var isWanted: Bool
        /// `nil` if another decision came first, or the story ended.
        var reached: Duration?
    }

    /// An expectation and its result.
    struct Outcome {
        var expectation: Scenario.Expectation
        /// The actual state in words, or that it is as expected.
        var found: String
        var isMet: Bool
        /// For an expectation about a stream, the stream's actual state.
        var state: LaneState?
    }

    let scenario: Scenario
    let lanes: [Lane]
    /// The sessions, with all messages to their applications.
    let sessions: [VirtualSession]
    let outcomes: [Outcome]
    /// The messages to sessions after their last expectation about messages, with the place of that.
    private let unexpected: [(session: Int, told: [Told], place: Place)]
    /// The lines that the module would have written to the server's log.
    let log: [(moment: Duration, text: String)]
    /// All decisions in order.
    let decisions: [Decided]
    /// The step number of each event of the scenario.
    let eventSteps: [Int]

    /// Plays a scenario.
    init(of scenario: Scenario) {
        let server = VirtualServer(scenario)
        var outcomes: [Outcome] = []
        var eventSteps: [Int] = []
        var rest = scenario.expectations[...]
        // The number of messages to each session that have been compared.
        var compared = scenario.sessions.map { _ in 0 }
        func nextMessages(to session: Int) -> [Told] {
            let messages = server.sessions[session].messages.map(\.told)
            defer { compared[session] = messages.count }
            return messages[compared[session]...].filter { scenario.counts($0, to: session) }
        }
        func judge(_ expectation: Scenario.Expectation) -> Outcome {
            switch expectation.subject {
            case .stream(let stream, let condition):
                let state = server.lanes[stream].state
                return Outcome(
                    expectation: expectation, found: state.text, isMet: condition.holds(of: state), state: state)
            case .session(let session, let condition):
                let state = server.sessions[session].state
                return Outcome(
                    expectation: expectation, found: SessionCondition.text(of: state),
                    isMet: condition.holds(of: state))
            case .told(let session, let list):
                let found = nextMessages(to: session)
                return Outcome(
                    expectation: expectation, found: Told.text(of: found), isMet: scenario.isMet(list, by: found))
            }
        }
        // Events of a moment happen before the expectations of the same moment are checked.
        func judgeExpectations(before end: Duration) {
            while let next = rest.first, next.moment < end {
                rest.removeFirst()
                server.advance(to: next.moment)
                outcomes.append(judge(next))
            }
        }
        for event in scenario.events {
            judgeExpectations(before: event.moment)
            server.advance(to: event.moment)
            server.perform(event.action)
            eventSteps.append(server.step)
        }
        judgeExpectations(before: scenario.length)
        server.advance(to: scenario.length)
        self.scenario = scenario
        self.outcomes = outcomes
        self.eventSteps = eventSteps
        unexpected = scenario.sessions.indices.compactMap { session in
            guard let place = scenario.lastTold(of: session) else { return nil }
            let rest = nextMessages(to: session)
            return rest.isEmpty ? nil : (session, rest, place)
        }
        lanes = server.lanes
        sessions = server.sessions
        log = server.lines
        decisions = server.lanes.indices.flatMap { Self.decisions(about: $0, server.lanes[$0].history) }
            .sorted { ($0.step, $0.stream) < ($1.step, $1.stream) }
    }

    private static func decisions(about stream: Int, _ history: [VirtualServer.Entry<LaneState>]) -> [Decided] {
        var result: [Decided] = []
        var former = LaneState()
        for (position, entry) in history.enumerated() {
            defer { former = entry.state }
            // A stream that has gone gets no decisions.
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

    /// The failed expectations, as mistakes of the scenario file.
    var failures: [Diagnostic] {
        var diagnosis = Diagnosis(file: scenario.file)
        for outcome in outcomes where !outcome.isMet {
            let expectation = outcome.expectation
            let isTold = if case .told = expectation.subject { true } else { false }
            let name = printable(scenario.name(of: expectation.party))
            let found = isTold ? "told \(outcome.found) by" : "\(outcome.found) at"
            diagnosis.error(
                at: expectation.place, found: "\(name) \(found) \(expectation.moment.fixed) s",
                expected: expectation.text)
        }
        for (session, told, place) in unexpected {
            diagnosis.error(
                at: place,
                found: "\(printable(scenario.sessions[session].name)) told \(Told.text(of: told)) after that",
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
            case .free, .ducked, .muted, .corked, .superseded, .rejected:
                guard decided.isWanted else { return "is let go, but is paused" }
                text = "is restored"
            }
        case .ducked: text = "is ducked to \(decided.decision.gain?.words ?? "")"
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

    /// The messages to sessions, in order. Route changes and hints are left out unless an expectation of the session
    /// mentions them.
    var relevantMessages: [(session: Int, message: VirtualSession.Message)] {
        messages.filter { scenario.counts($0.message.told, to: $0.session) }
    }

    /// All messages to sessions, in order.
    var messages: [(session: Int, message: VirtualSession.Message)] {
        sessions.enumerated().flatMap { index, session in session.messages.map { (session: index, message: $0) } }
            .enumerated().sorted { ($0.element.message.step, $0.offset) < ($1.element.message.step, $1.offset) }
            .map(\.element)
    }
}
