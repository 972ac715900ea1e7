import SessionCore

/// A simulation for machines. Times are in seconds since the beginning, gains in decibels.
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

    /// What a session's application was told.
    struct News: Encodable {
        var at: Double
        var session: String
        /// As expectations write it.
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
        /// A word that expectations use, too.
        var decision: String
        var gain: Double?
        /// The description of the session because of which it is so.
        var by: String?
        /// When it had come true.
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

    /// The version of these keys.
    let schema = 1
    var title: String
    var policy: String
    var length: Double
    var streams: [Stream]
    /// Missing, as what they were told, in a story without sessions.
    var sessions: [Session]?
    var events: [Event]
    var decisions: [Decided]
    var told: [News]?
    var expectations: [Expectation]
    /// What the module would have written to the server's log.
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
            told = simulation.news.map { news in
                News(
                    at: seconds(news.news.moment), session: scenario.sessions[news.session].name,
                    told: news.news.told.text)
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
