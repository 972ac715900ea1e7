import PolicyFile

/// Compares what is expected with what there is on a ``VirtualServer``.
struct Judge {
    private let scenario: Scenario
    /// How much of what each session was told has been compared.
    private var compared: [Int]

    init(_ scenario: Scenario) {
        self.scenario = scenario
        compared = scenario.sessions.map { _ in 0 }
    }

    /// What became of an expectation whose moment is now.
    mutating func outcome(of expectation: Scenario.Expectation, on server: VirtualServer) -> Simulation.Outcome {
        switch expectation.subject {
        case .stream(let stream, let condition):
            let state = server.lanes[stream].state
            return Simulation.Outcome(
                expectation: expectation, found: state.text, isMet: condition.holds(of: state), state: state)
        case .session(let session, let condition):
            let state = server.players[session].state
            return Simulation.Outcome(
                expectation: expectation, found: SessionCondition.text(of: state), isMet: condition.holds(of: state))
        case .told(let session, let list):
            let found = takeNews(of: session, on: server)
            return Simulation.Outcome(
                expectation: expectation, found: Told.text(of: found), isMet: scenario.isMet(list, by: found))
        }
    }

    /// What the sessions were told that was not compared, of those of which something is expected.
    mutating func remainders(on server: VirtualServer) -> [Simulation.Remainder] {
        scenario.sessions.indices.compactMap { session in
            guard let place = scenario.lastTold(of: session) else { return nil }
            let rest = takeNews(of: session, on: server)
            return rest.isEmpty ? nil : Simulation.Remainder(session: session, told: rest, place: place)
        }
    }

    private mutating func takeNews(of session: Int, on server: VirtualServer) -> [Told] {
        let news = server.players[session].news
        let extras = scenario.extras(of: session)
        defer { compared[session] = news.count }
        return news[compared[session]...].map(\.told).filter { $0.extra.map { extras.contains($0) } ?? true }
    }
}
