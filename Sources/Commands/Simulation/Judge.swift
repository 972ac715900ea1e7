import PolicyFile

/// Compares expectations with the state of a ``VirtualServer``.
struct Judge {
    private let scenario: Scenario
    /// The number of messages to each session that have been compared.
    private var compared: [Int]

    init(_ scenario: Scenario) {
        self.scenario = scenario
        compared = scenario.sessions.map { _ in 0 }
    }

    /// The result of an expectation whose time has come.
    mutating func outcome(of expectation: Scenario.Expectation, on server: VirtualServer) -> Simulation.Outcome {
        switch expectation.subject {
        case .stream(let stream, let condition):
            let state = server.lanes[stream].state
            return Simulation.Outcome(
                expectation: expectation, found: state.text, isMet: condition.holds(of: state), state: state)
        case .session(let session, let condition):
            let state = server.sessions[session].state
            return Simulation.Outcome(
                expectation: expectation, found: SessionCondition.text(of: state), isMet: condition.holds(of: state))
        case .told(let session, let list):
            let found = nextMessages(to: session, on: server)
            return Simulation.Outcome(
                expectation: expectation, found: Told.text(of: found), isMet: scenario.isMet(list, by: found))
        }
    }

    /// The messages after the last expectation about messages, for sessions that have such an expectation.
    mutating func unexpectedMessages(on server: VirtualServer) -> [Simulation.UnexpectedMessages] {
        scenario.sessions.indices.compactMap { session in
            guard let place = scenario.lastTold(of: session) else { return nil }
            let rest = nextMessages(to: session, on: server)
            return rest.isEmpty ? nil : Simulation.UnexpectedMessages(session: session, told: rest, place: place)
        }
    }

    /// The messages since the last call that count for a session's expectations.
    private mutating func nextMessages(to session: Int, on server: VirtualServer) -> [Told] {
        let messages = server.sessions[session].messages
        let extras = scenario.extras(of: session)
        defer { compared[session] = messages.count }
        return messages[compared[session]...].map(\.told).filter { $0.extra.map { extras.contains($0) } ?? true }
    }
}
