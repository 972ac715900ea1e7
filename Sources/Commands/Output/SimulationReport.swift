import PolicyEngine

/// A simulation as JSON. Times are in seconds since the beginning, gains in decibels.
struct SimulationReport: Encodable {
    struct Stream: Encodable {
        var name: String
        var application: String
        var direction: String
        var properties: [String: String]
    }

    struct Session: Encodable {
        var name: String
        var application: String
        var properties: [String: String]
    }

    /// A message to a session's application.
    struct Message: Encodable {
        var at: Double
        var session: String
        /// The message, as scenario files write it in `told`.
        var told: String
    }

    struct Event: Encodable {
        var at: Double
        var event: String
        var stream: String?
        var session: String?
        var text: String
    }

    struct Decided: Encodable {
        var at: Double
        var stream: String
        /// A word that expectations also use.
        var decision: String
        var gain: Double?
        /// The description of the session that causes the decision.
        var by: String?
        /// When the stream reached the decided state.
        var reached: Double?
        var text: String
    }

    struct Expectation: Encodable {
        var at: Double
        var stream: String?
        var session: String?
        var expected: String
        var found: String
        var met: Bool
    }

    struct Line: Encodable {
        var at: Double
        var text: String
    }

    /// The version of this JSON schema.
    let schema = 1
    var title: String
    var policy: String
    var length: Double
    var streams: [Stream]
    /// `nil`, like `told`, for a scenario without sessions.
    var sessions: [Session]?
    var events: [Event]
    var decisions: [Decided]
    var told: [Message]?
    var expectations: [Expectation]
    /// The lines that the module would have written to the server's log.
    var log: [Line]

    init(_ simulation: Simulation) {
        let scenario = simulation.scenario
        func seconds(_ moment: Duration) -> Double { (moment.seconds * 1000).rounded() / 1000 }
        title = scenario.title
        policy = scenario.policy.origin
        length = seconds(scenario.length)
        streams = scenario.streams.map { stream in
            Stream(
                name: stream.name, application: stream.application.name, direction: stream.direction.word,
                properties: Dictionary(stream.properties.map { ($0.key, $0.value) }) { $1 })
        }
        events = scenario.events.map { event in
            Event(
                at: seconds(event.moment), event: event.keyword, stream: event.stream.map { scenario.streams[$0].name },
                session: event.session.map { scenario.sessions[$0].name }, text: event.text(scenario))
        }
        decisions = simulation.decisions.map { decided in
            Decided(
                at: seconds(decided.moment), stream: scenario.streams[decided.stream].name,
                decision: decided.decision.word, gain: decided.decision.gain?.value, by: decided.decision.actor,
                reached: decided.reached.map(seconds), text: simulation.text(decided))
        }
        if !scenario.sessions.isEmpty {
            sessions = scenario.sessions.map { session in
                Session(
                    name: session.name, application: session.application.name,
                    properties: Dictionary(session.properties.map { ($0.key, $0.value) }) { $1 })
            }
            told = simulation.messages.map { session, message in
                Message(
                    at: seconds(message.moment), session: scenario.sessions[session].name, told: message.told.text)
            }
        }
        expectations = simulation.outcomes.map { outcome in
            var stream: String?
            var session: String?
            let expected: String
            switch outcome.expectation.subject {
            case .stream(let index, let condition):
                stream = scenario.streams[index].name
                expected = condition.text
            case .session(let index, let condition):
                session = scenario.sessions[index].name
                expected = condition.rawValue
            case .told(let index, let list):
                session = scenario.sessions[index].name
                expected = Told.text(of: list)
            }
            return Expectation(
                at: seconds(outcome.expectation.moment), stream: stream, session: session, expected: expected,
                found: outcome.found, met: outcome.isMet)
        }
        log = simulation.log.map { Line(at: seconds($0.moment), text: $0.text) }
    }
}
