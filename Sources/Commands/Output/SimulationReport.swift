import BusInterface
import PolicyEngine

/// A simulation as JSON. Times are in seconds since the beginning, gains in decibels; decisions, messages and expectations
/// are in the words of scenario files.
extension Simulation {
    /// Indented JSON.
    func json() throws -> String { try report.report() }

    private var report: WireValue {
        // A scenario without sessions says nothing of them.
        let hasSessions = !scenario.sessions.isEmpty
        return .object([
            "schema": .int32(1), "title": .string(scenario.title), "policy": .string(scenario.policy.origin),
            "length": seconds(scenario.length),
            "streams": .records(
                scenario.streams.map { stream in
                    .object([
                        "name": .string(stream.name), "application": .string(stream.application.name),
                        "direction": .string(stream.direction.word), "properties": texts(stream.properties),
                    ])
                }),
            "sessions": hasSessions
                ? .records(
                    scenario.sessions.map { session in
                        .object([
                            "name": .string(session.name), "application": .string(session.application.name),
                            "properties": texts(session.properties),
                        ])
                    }) : nil,
            "events": .records(
                scenario.events.map { event in
                    .object([
                        "at": seconds(event.moment), "event": .string(event.keyword),
                        "stream": stream(event.subject), "session": session(event.subject),
                        "text": .string(event.text(scenario)),
                    ])
                }),
            "decisions": .records(
                decisions.map { decided in
                    .object([
                        "at": seconds(decided.moment), "stream": stream(.stream(decided.stream)),
                        "decision": .string(decided.decision.kind.rawValue),
                        "gain": decided.decision.gain.map { .double($0.value) },
                        "by": decided.decision.actor.map { .string($0) }, "reached": decided.reached.map(seconds),
                        "text": .string(text(decided)),
                    ])
                }),
            "told": hasSessions
                ? .records(
                    messages.map { index, message in
                        .object([
                            "at": seconds(message.moment), "session": session(.session(index)),
                            "told": .string(message.told.text),
                        ])
                    }) : nil,
            "expectations": .records(
                outcomes.map { outcome in
                    let expectation = outcome.expectation
                    return .object([
                        "at": seconds(expectation.moment), "stream": stream(expectation.party),
                        "session": session(expectation.party), "expected": .string(expectation.text),
                        "found": .string(outcome.found), "met": .boolean(outcome.isMet),
                    ])
                }),
            "log": .records(log.map { .object(["at": seconds($0.moment), "text": .string($0.text)]) }),
        ])
    }

    private func seconds(_ moment: Duration) -> WireValue { .double((moment.seconds * 1000).rounded() / 1000) }

    private func texts(_ properties: [Property]) -> WireValue {
        .record(properties.values.map { ($0.key, .string($0.value)) })
    }

    private func stream(_ party: Scenario.Party?) -> WireValue? {
        if case .stream(let index) = party { .string(scenario.streams[index].name) } else { nil }
    }

    private func session(_ party: Scenario.Party?) -> WireValue? {
        if case .session(let index) = party { .string(scenario.sessions[index].name) } else { nil }
    }
}
