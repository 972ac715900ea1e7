import PolicyEngine
import PolicyFile
import PolicyRuntime

/// Reads the expectations of a scenario.
extension ScenarioReader {
    mutating func readExpectations(_ node: Node) -> [Scenario.Expectation] {
        objects(node, "expectations, { at = 1s stream = NAME is = corked }").compactMap { place, members in
            let members = diagnosis.members(of: members, known: ["at", "stream", "session", "is", "told"])
            let moment = moment(members, place)
            func value(_ key: String) -> Node? { members.last { $0.key.text == key }?.value }
            let (word, told) = (value("is"), value("told"))
            let subject: Scenario.Expectation.Subject?
            switch (value("stream"), value("session")) {
            case (let named?, nil): subject = readStream(named, word, told, place)
            case (nil, let named?): subject = readSession(named, word, told, place)
            case (_?, let second?):
                diagnosis.error(
                    at: second.place, found: "a stream and a session in one expectation", expected: "one of them")
                return nil
            case (nil, nil):
                subject = missing("'stream' or 'session'", "stream = … or session = …", place)
                if word == nil, told == nil { return missing("'is'", "is = …", place) }
            }
            guard let subject, let moment else { return nil }
            return Scenario.Expectation(moment: moment, subject: subject, place: (word ?? told)?.place ?? place)
        }
    }

    /// Reports what an expectation lacks. The expectation is left out.
    private mutating func missing<Value>(_ what: String, _ expected: String, _ place: Place) -> Value? {
        diagnosis.error(at: place, found: "an expectation without \(what)", expected: expected)
        return nil
    }

    private mutating func readStream(
        _ named: Node, _ word: Node?, _ told: Node?, _ place: Place
    ) -> Scenario.Expectation.Subject? {
        if let told {
            diagnosis.error(
                at: told.place, found: "what a stream is told", expected: "is = …, as only sessions are told something")
        }
        let stream = stream(named)
        guard let word else { return missing("'is'", "is = …", place) }
        guard let condition = word.text.flatMap({ Condition($0) }) else {
            return unexpected(
                word, "what the stream is: \(list(Condition.known)), or \"ducked -20\"", among: Condition.known)
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
        case (nil, nil): return missing("'is' or 'told'", "is = … or told = [ … ]", place)
        }
    }

    private mutating func readTold(_ node: Node) -> [Told]? {
        var result: [Told] = []
        for element in elements(node, "what it was told, [ active \"ended resume\" ]") ?? [] {
            guard let text = text(element, "what the session is told: \(list(Told.forms))") else { return nil }
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
        let labels = scenario.labels
        for expectation in scenario.expectations {
            guard case .told(_, let list) = expectation.subject else { continue }
            for name in list.compactMap(\.name) where !labels.contains(where: { $0.name == name }) {
                diagnosis.error(
                    at: expectation.place, found: "'by \(printable(name))'",
                    expected: "the name of a session, stream, interruption, output or input, or "
                        + MachineInterruption.allCases.map(\.rawValue).joined(separator: ", "),
                    nearest: nearest(to: name, among: labels.map(\.name)))
            }
        }
    }
}
