import SessionCore

/// A simulation for machines. Times are in seconds since the beginning, gains in decibels.
struct Report: Encodable {
    struct Stream: Encodable {
        var name: String
        var application: String
        var direction: String
        var properties: [String: String]
    }

    struct Event: Encodable {
        var at: Double
        var event: String
        var stream: String?
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
        var stream: String
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
    var events: [Event]
    var decisions: [Decided]
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
                text: event.text(scenario.streams))
        }
        decisions = simulation.decisions.map { decided in
            Decided(
                at: seconds(decided.moment), stream: scenario.streams[decided.stream].name,
                decision: decided.decision.word, gain: decided.decision.gain?.value, by: decided.decision.actor,
                reached: decided.reached.map(seconds), text: simulation.text(decided))
        }
        expectations = simulation.outcomes.map { outcome in
            Expectation(
                at: seconds(outcome.expectation.moment), stream: scenario.streams[outcome.expectation.stream].name,
                expected: outcome.expectation.condition.text, found: outcome.state.text, met: outcome.isMet)
        }
        log = simulation.log.map { Line(at: seconds($0.moment), text: $0.text) }
    }
}
