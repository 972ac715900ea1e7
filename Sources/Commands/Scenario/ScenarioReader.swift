import PolicyEngine
import PolicyFile
import PolicyRuntime

/// Reads scenario files, in the syntax of policy files; reports all mistakes of a file, each at its place.
struct ScenarioReader {
    private static let keys = [
        "title", "policy", "sessions", "interruptions", "inputs", "streams", "events", "expect",
    ]

    private let file: String
    var diagnosis: Diagnosis
    /// The mistakes in the policies inside the file.
    private var inPolicies: [Diagnostic] = []
    private(set) var sessions: [Scenario.Session] = []
    private(set) var interruptions: [Scenario.Interruption] = []
    private(set) var inputs: [String] = []
    private(set) var streams: [Scenario.Stream] = []
    private let presetFolders: [String]
    /// The policy on which later policies of the events are based.
    private var policy: PolicyInUse?

    /// Reads a file.
    ///
    /// - Parameter policy: A policy in place of the scenario's own.
    /// - Returns: The scenario, `nil` if there are errors; and all mistakes.
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
    /// - Parameter presetFolders: The folders with presets that are not built in; `nil` for the usual ones.
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

    /// A scenario can have its own presets, in the same folder or, for the delivered scenarios, in one above.
    static func usualFolders(_ file: String) -> [String] {
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
        // Sessions first, because streams name them; events name both.
        if let node = value("sessions") { readSessions(node) }
        if let node = value("interruptions") { readInterruptions(node) }
        if let node = value("inputs") { readInputs(node) }
        if let node = value("streams") { readStreams(node) }
        if streams.isEmpty, sessions.isEmpty, !diagnosis.hasErrors {
            diagnosis.error(at: nil, found: "no streams", expected: "streams = { NAME = { … } … }")
        }
        let events = value("events").map { readEvents($0) } ?? []
        let expectations = value("expect").map { readExpectations($0) } ?? []
        guard let policy else { return nil }
        let scenario = Scenario(
            file: file, title: title, policy: policy, streams: streams, sessions: sessions,
            interruptions: interruptions, inputs: inputs, events: Self.sorted(events, by: \.moment),
            expectations: Self.sorted(expectations, by: \.moment))
        if !diagnosis.hasErrors { check(scenario) }
        return scenario
    }

    /// Sorts by time, stable within a moment.
    private static func sorted<Element>(_ list: [Element], by moment: KeyPath<Element, Duration>) -> [Element] {
        list.enumerated().sorted { ($0.element[keyPath: moment], $0.offset) < ($1.element[keyPath: moment], $1.offset) }
            .map(\.element)
    }

    // MARK: - Sections

    mutating func readPolicy(_ node: Node) -> PolicyInUse? {
        do throws(PolicyInUse.Unusable) {
            var result: PolicyInUse
            switch node.content {
            case .text: result = try .preset(node, named: file, presetFolders: presetFolders)
            case .object(let members): result = try .inline(members, named: file, presetFolders: presetFolders)
            case .array: return unexpected(node, "a preset or a policy, { key = value … }")
            }
            inPolicies += result.diagnostics
            result.source = node
            return result
        } catch {
            inPolicies += error.diagnostics
            return nil
        }
    }

    private mutating func readSessions(_ node: Node) {
        for (name, members) in named(node, among: sessions.map(\.name), "session") {
            let keys = ["no-interruptions-from-system-alerts", "interruption-on-route-disconnect"]
            let (own, properties) = divided(members, keys)
            sessions.append(
                Scenario.Session(
                    name: name, properties: properties, application: properties.application(otherwise: name),
                    avoidsAlerts: own[keys[0]].flatMap { truth($0) } ?? false,
                    isInterruptedOnDisconnect: own[keys[1]].flatMap { truth($0) }))
        }
    }

    private mutating func readInterruptions(_ node: Node) {
        for (name, members) in named(node, among: interruptions.map(\.name), "interruption") {
            let (own, properties) = divided(members, ["kind", "display-name"])
            let kind = own["kind"].flatMap { text($0, "what it is") } ?? ""
            let displayName = own["display-name"].flatMap { text($0, "what it is called") } ?? name
            let place = members.last?.key.place ?? node.place
            if kind.isEmpty {
                diagnosis.error(
                    at: place, found: "the interruption '\(printable(name))' without 'kind'",
                    expected: "both, such as kind = phone")
            }
            interruptions.append(
                Scenario.Interruption(
                    name: name, kind: kind, place: own["kind"]?.place ?? place, displayName: displayName,
                    properties: properties))
        }
    }

    private mutating func readInputs(_ node: Node) {
        for (name, members) in named(node, among: [VirtualPorts.microphone, VirtualPorts.speaker] + inputs, "input") {
            _ = diagnosis.members(of: members, known: [])
            inputs.append(name)
        }
    }

    private mutating func readStreams(_ node: Node) {
        for (name, members) in named(node, among: streams.map(\.name), "stream") {
            let (own, properties) = divided(members, ["direction", "session"])
            let direction = own["direction"].flatMap { word($0, among: ["playback", "capture"]) }
            let session = own["session"].flatMap { self.session($0) }
            let owner = session.map { sessions[$0] }
            let application = properties.application(otherwise: owner?.application.name ?? name)
            if let owner, application != owner.application {
                diagnosis.error(
                    at: own["session"]?.place, found: "a session of '\(printable(owner.application.name))'",
                    expected: "one of the stream's own application, '\(printable(application.name))'")
            }
            streams.append(
                Scenario.Stream(
                    name: name, direction: direction == "capture" ? .capture : .playback, properties: properties,
                    session: session, application: application))
        }
    }

    /// The values of some keys, and the other members as properties, in the order of the file.
    private mutating func divided(
        _ members: [Member], _ keys: [String]
    ) -> (own: [String: Node], properties: [Property]) {
        var own: [String: Node] = [:]
        var properties: [Property] = []
        for member in diagnosis.members(of: members, known: nil) {
            if keys.contains(member.key.text) {
                own[member.key.text] = member.value
            } else if let value = text(member.value, "the value of a property") {
                properties.append(Property(key: member.key.text, value: value))
            }
        }
        return (own, properties)
    }

    /// The objects of a section with their names, each name once.
    private mutating func named(_ node: Node, among known: [String], _ kind: String) -> [(String, [Member])] {
        guard let members = diagnosis.object(node) else { return [] }
        var names = Set(known)
        return members.compactMap { member in
            guard names.insert(member.key.text).inserted else {
                diagnosis.error(
                    at: member.key.place, found: "'\(printable(member.key.text))' again",
                    expected: "each \(kind) once")
                return nil
            }
            return diagnosis.object(member.value).map { (member.key.text, $0) }
        }
    }
}
