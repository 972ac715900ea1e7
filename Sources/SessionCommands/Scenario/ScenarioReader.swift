import PolicyFile
import SessionCore

/// Reads scenario files: the syntax of policy files, with all mistakes of a file at once, each at its place.
struct ScenarioReader {
    private static let keys = ["title", "policy", "streams", "events", "expect"]
    private static let actions = ["play", "pause", "stop", "kill", "volume", "plug", "unplug", "route", "policy"]

    private let file: String
    private var diagnosis: Diagnosis
    /// What is wrong with the policies inside the file.
    private var inPolicies: [Diagnostic] = []
    private var streams: [Scenario.Stream] = []
    private let presetFolders: [String]
    /// The policy that events go on from.
    private var policy: PolicyInUse?

    /// Reads a file.
    ///
    /// - Parameter policy: What is in force in place of the scenario's own policy.
    /// - Returns: The scenario, `nil` if there are errors, and all mistakes.
    static func read(_ path: String, under policy: PolicyInUse? = nil) -> (scenario: Scenario?, [Diagnostic]) {
        switch FileContents.read(path) {
        case .success(let bytes): return read(bytes, named: path, under: policy)
        case .failure(let failure):
            var diagnosis = Diagnosis(file: path)
            diagnosis.error(at: nil, found: failure.found, expected: failure.expected)
            return (nil, diagnosis.diagnostics)
        }
    }

    /// Reads the contents of a file.
    ///
    /// - Parameter presetFolders: Where presets are that are not built in; `nil` for the usual places.
    static func read(
        _ bytes: [UInt8], named name: String, presetFolders: [String]? = nil, under policy: PolicyInUse? = nil
    ) -> (scenario: Scenario?, [Diagnostic]) {
        var reader = ScenarioReader(file: name, presetFolders: presetFolders ?? usualFolders(name), policy: policy)
        let document = Document(bytes, named: name)
        reader.diagnosis = document.mistakes
        let scenario = reader.scenario(document, isFixed: policy != nil)
        let start = Place(line: 0, column: 0)
        let diagnostics = (reader.diagnosis.diagnostics + reader.inPolicies).enumerated().sorted {
            ($0.element.place ?? start, $0.offset) < ($1.element.place ?? start, $1.offset)
        }.map(\.element)
        return (diagnostics.contains { $0.severity == .error } ? nil : scenario, diagnostics)
    }

    private init(file: String, presetFolders: [String], policy: PolicyInUse?) {
        self.file = file
        self.presetFolders = presetFolders
        self.policy = policy
        diagnosis = Diagnosis(file: file)
    }

    /// A scenario can bring its presets along: they lie beside it or, as with those that are delivered, above it.
    private static func usualFolders(_ file: String) -> [String] {
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        return PolicyInUse.presetFolders + ["\(folder)..", "\(folder)."]
    }

    private mutating func scenario(_ document: Document, isFixed: Bool) -> Scenario? {
        let members = diagnosis.members(of: document.members, known: Self.keys)
        func value(_ key: String) -> Node? { members.last { $0.key.text == key }?.value }

        var title = file
        if let node = value("title") { title = text(node, "a title, such as \"The phone rings\"") ?? title }
        if let node = value("policy") {
            let own = readPolicy(node)
            if !isFixed { policy = own }
        } else if !isFixed {
            policy = try? .preset("desktop")
        }
        if let node = value("streams") { readStreams(node) }
        if streams.isEmpty, !diagnosis.hasErrors {
            diagnosis.error(at: nil, found: "no streams", expected: "streams = { NAME = { … } … }")
        }
        let events = value("events").map { readEvents($0) } ?? []
        let expectations = value("expect").map { readExpectations($0) } ?? []
        guard let policy else { return nil }
        return Scenario(
            file: file, title: title, policy: policy, streams: streams,
            events: Self.sorted(events, by: \.moment), expectations: Self.sorted(expectations, by: \.moment))
    }

    /// By time; what happens at the same moment in the order of the file.
    private static func sorted<Element>(_ list: [Element], by moment: KeyPath<Element, Duration>) -> [Element] {
        list.enumerated().sorted { ($0.element[keyPath: moment], $0.offset) < ($1.element[keyPath: moment], $1.offset) }
            .map(\.element)
    }

    // MARK: - Sections

    private mutating func readPolicy(_ node: Node) -> PolicyInUse? {
        do throws(PolicyInUse.Unusable) {
            let result: PolicyInUse
            switch node.content {
            case .text: result = try .preset(node, named: file, presetFolders: presetFolders)
            case .object(let members): result = try .inline(members, named: file, presetFolders: presetFolders)
            case .array:
                diagnosis.error(
                    at: node.place, found: node.summary, expected: "a preset or a policy, { key = value … }")
                return nil
            }
            inPolicies += result.diagnostics
            return result
        } catch {
            inPolicies += error.diagnostics
            return nil
        }
    }

    private mutating func readStreams(_ node: Node) {
        guard let members = diagnosis.object(node) else { return }
        for member in members {
            if streams.contains(where: { $0.name == member.key.text }) {
                diagnosis.error(
                    at: member.key.place, found: "'\(printable(member.key.text))' again", expected: "each stream once")
                continue
            }
            guard let properties = diagnosis.object(member.value) else { continue }
            var stream = Scenario.Stream(name: member.key.text, direction: .playback, properties: [])
            for property in diagnosis.members(of: properties, known: nil) {
                guard let value = text(property.value, "the value of a property") else { continue }
                guard property.key.text == "direction" else {
                    stream.properties.append(Property(key: property.key.text, value: value))
                    continue
                }
                switch value {
                case "playback": stream.direction = .playback
                case "capture": stream.direction = .capture
                default:
                    diagnosis.error(
                        at: property.value.place, found: property.value.summary, expected: "playback or capture",
                        nearest: nearest(to: value, among: ["playback", "capture"]))
                }
            }
            streams.append(stream)
        }
    }

    private mutating func readEvents(_ node: Node) -> [Scenario.Event] {
        objects(node, "events, { at = 1s play = NAME }").compactMap { place, members in
            let members = diagnosis.members(of: members, known: ["at", "to"] + Self.actions)
            let moment = moment(members, place)
            let actions = members.filter { Self.actions.contains($0.key.text) }
            guard let action = actions.first, actions.count == 1 else {
                diagnosis.error(
                    at: actions.dropFirst().first?.key.place ?? place,
                    found: actions.isEmpty ? "an event in which nothing happens" : "a second thing in one event",
                    expected: "one of \(list(Self.actions))")
                return nil
            }
            guard let read = readAction(action, members.last { $0.key.text == "to" }), let moment else { return nil }
            return Scenario.Event(moment: moment, action: read)
        }
    }

    private mutating func readAction(_ member: Member, _ to: Member?) -> Scenario.Action? {
        if let to, member.key.text != "volume" {
            diagnosis.warning(at: to.key.place, found: "'to' without volume", expected: "both (it has no effect)")
        }
        switch member.key.text {
        case "route":
            return text(member.value, "the name of an output, such as headphones").map { .route($0) }
        case "plug": return socket(member.value).map { .plug($0) }
        case "unplug": return socket(member.value).map { .unplug($0) }
        case "policy":
            return readPolicy(member.value).map { .policy($0) }
        default: break
        }
        guard let stream = stream(member.value) else { return nil }
        switch member.key.text {
        case "play": return .play(stream)
        case "pause": return .pause(stream)
        case "stop": return .stop(stream)
        case "kill": return .kill(stream)
        default:
            guard let to else {
                diagnosis.error(
                    at: member.key.place, found: "volume without 'to'", expected: "both, volume = NAME to = 40%")
                return nil
            }
            return factor(to.value).map { .volume(stream, $0) }
        }
    }

    private mutating func readExpectations(_ node: Node) -> [Scenario.Expectation] {
        objects(node, "expectations, { at = 1s stream = NAME is = corked }").compactMap { place, members in
            let members = diagnosis.members(of: members, known: ["at", "stream", "is"])
            let moment = moment(members, place)
            var parts: [String: Node] = [:]
            for key in ["stream", "is"] {
                parts[key] = members.last { $0.key.text == key }?.value
                if parts[key] == nil {
                    diagnosis.error(at: place, found: "an expectation without '\(key)'", expected: "\(key) = …")
                }
            }
            guard let named = parts["stream"], let word = parts["is"] else { return nil }
            let stream = stream(named)
            guard let condition = word.text.flatMap({ Condition($0) }) else {
                diagnosis.error(
                    at: word.place, found: word.summary,
                    expected: "what the stream is: \(list(Condition.known)), or \"ducked -20\"",
                    nearest: word.text.flatMap { nearest(to: $0, among: Condition.known) })
                return nil
            }
            guard let stream, let moment else { return nil }
            return Scenario.Expectation(moment: moment, stream: stream, condition: condition, place: word.place)
        }
    }

    // MARK: - Values

    /// The objects in an array, each with its place.
    private mutating func objects(_ node: Node, _ expected: String) -> [(Place, [Member])] {
        guard case .array(let elements) = node.content else {
            diagnosis.error(at: node.place, found: node.summary, expected: "an array of \(expected)")
            return []
        }
        return elements.compactMap { element in diagnosis.object(element).map { (element.place, $0) } }
    }

    private mutating func text(_ node: Node, _ expected: String) -> String? {
        if let text = node.text { return text }
        diagnosis.error(at: node.place, found: node.summary, expected: expected)
        return nil
    }

    /// The name of an output that can be plugged in and pulled out.
    private mutating func socket(_ node: Node) -> String? {
        let expected = "the name of an output that comes and goes, such as headphones"
        guard let name = text(node, expected) else { return nil }
        if name != VirtualOutputs.speaker { return name }
        diagnosis.error(at: node.place, found: "\(node.summary), which is always there", expected: expected)
        return nil
    }

    private mutating func stream(_ node: Node) -> Int? {
        if let name = node.text, let index = streams.firstIndex(where: { $0.name == name }) { return index }
        diagnosis.error(
            at: node.place, found: node.summary, expected: "the name of one of the streams",
            nearest: node.text.flatMap { nearest(to: $0, among: streams.map(\.name)) })
        return nil
    }

    private mutating func moment(_ members: [Member], _ place: Place) -> Duration? {
        guard let node = members.last(where: { $0.key.text == "at" })?.value else {
            diagnosis.error(at: place, found: "no moment", expected: "at = …")
            return nil
        }
        if let moment = node.text.flatMap({ ScenarioTime.read($0) }) { return moment }
        diagnosis.error(
            at: node.place, found: node.summary, expected: "a time from 0 to 24 h, such as 1500, 1500ms or 1.5s")
        return nil
    }

    /// A factor from 0 to 1, `0.4` or `40%`.
    private mutating func factor(_ node: Node) -> Double? {
        if let text = node.text {
            let isPercentage = text.hasSuffix("%")
            if let number = Double(isPercentage ? String(text.dropLast()) : text), number.isFinite {
                let factor = isPercentage ? number / 100 : number
                if 0...1 ~= factor { return factor }
            }
        }
        diagnosis.error(at: node.place, found: node.summary, expected: "a volume from 0% to 100%")
        return nil
    }
}

/// Times in scenario files: as in policy files, but stories are longer than fades.
enum ScenarioTime {
    /// The longest story.
    static let longest = Duration.seconds(24 * 3600)

    /// Reads `1500`, `1500ms` (milliseconds), `1.5s` or `2min`.
    static func read(_ text: String) -> Duration? {
        let digits = text.prefix { "+-.0123456789".contains($0) }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        guard let number = Double(digits), let scale = ["": 1.0, "ms": 1, "s": 1000, "min": 60_000][unit] else {
            return nil
        }
        let milliseconds = number * scale
        guard 0...longest.seconds * 1000 ~= milliseconds else { return nil }
        return .nanoseconds(Int64((milliseconds * 1_000_000).rounded()))
    }
}
