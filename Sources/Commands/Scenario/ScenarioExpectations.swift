import PolicyEngine
import PolicyFile

/// Reads the expectations of a scenario.
extension ScenarioReader {
    mutating func readExpectations(_ node: Node) -> [Scenario.Expectation] {
        objects(node, "expectations, { at = 1s stream = NAME is = corked }").compactMap { place, members in
            let members = diagnosis.members(of: members, known: ["at", "stream", "session", "is", "told"])
            let moment = moment(members, place)
            func value(_ key: String) -> Node? { members.last { $0.key.text == key }?.value }
            let subject: Scenario.Expectation.Subject?
            var position = place
            switch (value("stream"), value("session")) {
            case (let named?, nil):
                subject = readStream(named, value("is"), place)
                position = value("is")?.place ?? place
                if let stray = value("told") {
                    diagnosis.error(
                        at: stray.place, found: "what a stream is told",
                        expected: "is = …, as only sessions are told something")
                }
            case (nil, let named?):
                subject = readSession(named, value("is"), value("told"), place)
                position = (value("is") ?? value("told"))?.place ?? place
            case (_?, let second?):
                diagnosis.error(
                    at: second.place, found: "a stream and a session in one expectation", expected: "one of them")
                return nil
            case (nil, nil):
                diagnosis.error(
                    at: place, found: "an expectation without 'stream' or 'session'",
                    expected: "stream = … or session = …")
                if value("is") == nil, value("told") == nil {
                    diagnosis.error(at: place, found: "an expectation without 'is'", expected: "is = …")
                }
                return nil
            }
            guard let subject, let moment else { return nil }
            return Scenario.Expectation(moment: moment, subject: subject, place: position)
        }
    }

    private mutating func readStream(
        _ named: Node, _ word: Node?, _ place: Place
    ) -> Scenario.Expectation.Subject? {
        let stream = stream(named)
        guard let word else {
            diagnosis.error(at: place, found: "an expectation without 'is'", expected: "is = …")
            return nil
        }
        guard let condition = word.text.flatMap({ Condition($0) }) else {
            diagnosis.error(
                at: word.place, found: word.summary,
                expected: "what the stream is: \(list(Condition.known)), or \"ducked -20\"",
                nearest: word.text.flatMap { nearest(to: $0, among: Condition.known) })
            return nil
        }
        return stream.map { .stream($0, condition) }
    }

    private mutating func readSession(
        _ named: Node, _ word: Node?, _ told: Node?, _ place: Place
    ) -> Scenario.Expectation.Subject? {
        let session = session(named)
        switch (word, told) {
        case (let word?, nil):
            let read = self.word(word, among: SessionCondition.known, "what the session is")
            guard let session, let condition = read.flatMap({ SessionCondition(rawValue: $0) }) else { return nil }
            return .session(session, condition)
        case (nil, let told?):
            guard let list = readTold(told) else { return nil }
            return session.map { .told($0, list) }
        case (_?, let second?):
            diagnosis.error(
                at: second.place, found: "'is' and 'told' in one expectation", expected: "an expectation for each")
            return nil
        case (nil, nil):
            diagnosis.error(
                at: place, found: "an expectation without 'is' or 'told'", expected: "is = … or told = [ … ]")
            return nil
        }
    }

    private mutating func readTold(_ node: Node) -> [Told]? {
        guard case .array(let elements) = node.content else {
            diagnosis.error(
                at: node.place, found: node.summary,
                expected: "an array of what it was told, [ active \"ended resume\" ]")
            return nil
        }
        var result: [Told] = []
        for element in elements {
            guard let text = element.text else {
                diagnosis.error(
                    at: element.place, found: element.summary,
                    expected: "what the session is told: \(list(Told.forms))")
                return nil
            }
            do throws(Told.Mistake) {
                result.append(try Told.read(text))
            } catch {
                diagnosis.error(
                    at: element.place, found: element.summary, expected: error.expected, nearest: error.nearest)
                return nil
            }
        }
        return result
    }

    /// Reports names in expected messages that the story does not contain.
    mutating func checkNames(_ scenario: Scenario) {
        let names =
            scenario.sessions.map(\.name) + scenario.streams.map(\.name) + scenario.interruptions.map(\.name)
            + scenario.ports + [Scenario.sleeper]
        for expectation in scenario.expectations {
            guard case .told(_, let list) = expectation.subject else { continue }
            for name in list.compactMap(\.name) where scenario.label(of: name) == nil {
                diagnosis.error(
                    at: expectation.place, found: "'by \(printable(name))'",
                    expected: "the name of a session, stream, interruption, output or input, or sleep",
                    nearest: nearest(to: name, among: names))
            }
        }
    }
}
