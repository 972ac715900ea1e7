import PolicyEngine
import PolicyFile
import PolicyRuntime

/// Reads the events of a scenario.
extension ScenarioReader {
    /// All actions; the first one that an event contains is the event's action.
    private static let actions =
        [
            "play", "pause", "stop", "kill", "volume", "mute", "unmute", "sound", "quiet", "free", "move", "open",
            "category", "mode", "activate", "deactivate",
            "cancel", "close", "begin", "end", "mute-input", "unmute-input", "plug", "unplug", "route", "policy",
        ] + MachineInterruption.allCases.map(\.rawValue) + Switch.allCases.map(\.policyWord)
    /// The additional keys, each with the actions that allow it.
    private static let details: [(key: String, actions: [String])] = [
        ("to", ["volume", "move", "category", "mode"]), ("options", ["category"]), ("mode", ["category"]),
        ("flags", ["activate", "deactivate"]),
    ]
    private static let optionNames = CategoryOption.allCases.map(\.rawValue)
    private static let categories = Category.ofApplications.map(\.rawValue)

    mutating func readEvents(_ node: Node) -> [Scenario.Event] {
        objects(node, "events, { at = 1s play = NAME }").compactMap { place, members in
            let details = Self.details.map(\.key).filter { $0 != "mode" }
            let members = diagnosis.members(of: members, known: ["at"] + details + Self.actions)
            let moment = moment(members, place)
            var actions = members.filter { Self.actions.contains($0.key.text) }
            // With a category, the mode is part of the same action.
            if actions.contains(where: { $0.key.text == "category" }) { actions.removeAll { $0.key.text == "mode" } }
            guard let action = actions.first, actions.count == 1 else {
                diagnosis.error(
                    at: actions.dropFirst().first?.key.place ?? place,
                    found: actions.isEmpty ? "an event without an action" : "a second action in one event",
                    expected: "one of \(list(Self.actions))")
                return nil
            }
            for (key, takers) in Self.details where !takers.contains(action.key.text) && key != action.key.text {
                guard let stray = members.last(where: { $0.key.text == key }) else { continue }
                diagnosis.warning(
                    at: stray.key.place, found: "'\(key)' without \(list(takers))",
                    expected: "both (it has no effect)")
            }
            guard let read = readAction(action, members), let moment else { return nil }
            return Scenario.Event(
                moment: moment, action: read, keyword: action.key.text, place: action.value.place)
        }
    }

    private mutating func readAction(_ member: Member, _ members: [Member]) -> Scenario.Action? {
        func detail(_ key: String) -> Node? { members.last { $0.key.text == key }?.value }
        let node = member.value
        switch member.key.text {
        case "play": return stream(node).map { .play($0) }
        case "pause": return stream(node).map { .pause($0) }
        case "stop": return stream(node).map { .stop($0) }
        case "volume":
            let stream = stream(node)
            guard let factor = to(detail("to"), member, "40%").flatMap({ factor($0) }) else { return nil }
            return stream.map { .volume($0, factor) }
        case "mute", "unmute": return stream(node).map { .muteStream($0, member.key.text == "mute") }
        case "sound", "quiet": return stream(node).map { .sound($0, member.key.text == "sound") }
        case "free": return stream(node).map { .free($0) }
        case "move":
            let stream = stream(node)
            guard let to = to(detail("to"), member, "headphones"),
                let name = text(to, "the name of an output or input, such as headphones"), let stream
            else { return nil }
            let isInput = isInput(name)
            if isInput == (streams[stream].direction == .capture) { return .move(stream, to: name) }
            diagnosis.error(
                at: to.place, found: "the \(isInput ? "input" : "output") \(to.summary)",
                expected: isInput ? "an output, as the stream plays" : "one of the inputs, as the stream records")
            return nil
        case "kill": return party(node).map { .kill($0) }
        case "open": return session(node).map { .open($0) }
        case "category": return readCategory(member, to: detail("to"), options: detail("options"), mode: detail("mode"))
        case "mode":
            let session = session(node)
            guard let mode = to(detail("to"), member, "voice-chat").flatMap({ mode($0) }) else { return nil }
            return session.map { .mode($0, mode) }
        case "activate", "deactivate":
            let isActivation = member.key.text == "activate"
            let session = session(node)
            guard let hasFlag = hasFlag(detail("flags"), isActivation: isActivation) else { return nil }
            return session.map {
                isActivation ? .activate($0, mayWait: hasFlag) : .deactivate($0, notifyOthers: hasFlag)
            }
        case "cancel": return session(node).map { .cancel($0) }
        case "close": return session(node).map { .close($0) }
        case "begin": return interruption(node).map { .begin($0) }
        case "end": return interruption(node).map { .end($0) }
        case "mute-input", "unmute-input":
            let isMuted = member.key.text == "mute-input"
            return word(node, among: [VirtualPorts.microphone] + inputs, "an input").map { .mute($0, isMuted) }
        case "plug": return pluggablePort(node).map { .plug($0) }
        case "unplug": return pluggablePort(node).map { .unplug($0) }
        case "route":
            guard let name = text(node, "the name of an output, such as headphones") else { return nil }
            guard !isInput(name) else {
                diagnosis.error(
                    at: node.place, found: "the input \(node.summary)",
                    expected: "the name of an output, such as headphones")
                return nil
            }
            return .route(name)
        case "policy": return readPolicy(node).map { .policy($0) }
        case let word:
            if let event = MachineInterruption(rawValue: word) { return isOn(node).map { .machine(event, $0) } }
            guard let one = Switch.allCases.first(where: { $0.policyWord == word }) else { return nil }
            return isOn(node).map { .flip(one, $0) }
        }
    }

    /// The target value of an action: a stream's volume or place, or a session's category or mode.
    private mutating func to(_ node: Node?, _ member: Member, _ example: String) -> Node? {
        if node == nil {
            diagnosis.error(
                at: member.key.place, found: "\(member.key.text) without 'to'",
                expected: "both, \(member.key.text) = NAME to = \(example)")
        }
        return node
    }

    private mutating func readCategory(
        _ member: Member, to: Node?, options: Node?, mode: Node?
    ) -> Scenario.Action? {
        let session = session(member.value)
        let category = self.to(to, member, "playback").flatMap { word($0, among: Self.categories, "a category") }
        let names = options.map { words($0, among: Self.optionNames, "options") } ?? []
        let read = mode.map { self.mode($0) }
        guard let session, let category = category.flatMap({ Category(rawValue: $0) }), let names else { return nil }
        if case .some(nil) = read { return nil }
        let set = CategoryOptions(names.compactMap(CategoryOption.init))
        return .category(session, category, set, read ?? nil)
    }

    private mutating func mode(_ node: Node) -> Mode? {
        word(node, among: Mode.allCases.map(\.rawValue), "a mode").flatMap { Mode(rawValue: $0) }
    }

    private func isInput(_ name: String) -> Bool { inputs.contains(name) || name == VirtualPorts.microphone }

    /// Whether a call has its flag. The flag of the other call is an error that names that call (R11).
    private mutating func hasFlag(_ node: Node?, isActivation: Bool) -> Bool? {
        guard let node else { return false }
        let calls = [("activate", "delayed"), ("deactivate", "notify-others")]
        let ((call, flag), (otherCall, other)) = isActivation ? (calls[0], calls[1]) : (calls[1], calls[0])
        if case .array(let elements) = node.content, let stray = elements.first(where: { $0.text == other }) {
            diagnosis.error(
                at: stray.place, found: "'\(other)', which is a flag of \(otherCall)",
                expected: "flags of \(call): \(flag)")
            return nil
        }
        return words(node, among: [flag], "flags").map { !$0.isEmpty }
    }

    /// The stream or session that stands for an application.
    private mutating func party(_ node: Node) -> Scenario.Party? {
        let stream = streams.firstIndex { $0.name == node.text }
        let session = sessions.firstIndex { $0.name == node.text }
        if let stream, let session, streams[stream].application != sessions[session].application {
            diagnosis.error(
                at: node.place, found: "\(node.summary), which is a stream and a session of two applications",
                expected: "a name that only one of them has")
            return nil
        }
        return stream.map { .stream($0) } ?? session.map { .session($0) }
            ?? unexpected(
                node, "the name of one of the streams" + (sessions.isEmpty ? "" : " or sessions"),
                among: streams.map(\.name) + sessions.map(\.name))
    }

    // MARK: - The whole scenario

    /// Reports events that are impossible at their time: a session must be open, an interruption begun, an output
    /// plugged in.
    mutating func check(_ scenario: Scenario) {
        let policy = scenario.policy.policy
        for interruption in scenario.interruptions
        where !interruption.kind.isEmpty && SystemInterruption.meaning(of: interruption.kind, in: policy) == nil {
            let kinds = SystemInterruption.kinds(of: policy)
            diagnosis.error(
                at: interruption.place, found: "'\(printable(interruption.kind))'", expected: "one of \(list(kinds))",
                nearest: nearest(to: interruption.kind, among: kinds))
        }
        var open: Set<Int> = []
        var begun: Set<Int> = []
        var ports: Set<String> = [VirtualPorts.speaker, VirtualPorts.microphone]
        for event in scenario.events {
            func wrong(_ name: String, _ state: String, _ before: String) {
                diagnosis.error(
                    at: event.place, found: "'\(printable(name))', which \(state) at \(event.moment.fixed) s",
                    expected: before)
            }
            switch event.action {
            case .open(let index):
                if !open.insert(index).inserted {
                    wrong(
                        sessions[index].name, "is open already", "close = NAME before, or a session with another name")
                }
            case .category(let index, _, _, _), .mode(let index, _), .activate(let index, _),
                .deactivate(let index, _), .cancel(let index), .close(let index):
                if !open.contains(index) { wrong(sessions[index].name, "is not open", "open = NAME before") }
                if case .close = event.action { open.remove(index) }
            case .kill(let party):
                let application = scenario.application(of: party)
                open = open.filter { sessions[$0].application != application }
            case .begin(let index):
                if !begun.insert(index).inserted {
                    wrong(interruptions[index].name, "has begun already", "end = NAME before")
                }
            case .end(let index):
                if begun.remove(index) == nil {
                    wrong(interruptions[index].name, "has not begun", "begin = NAME before")
                }
            case .plug(let name), .route(let name): ports.insert(name)
            case .unplug(let name): ports.remove(name)
            case .move(_, let name), .mute(let name, _):
                if !ports.contains(name) { wrong(name, "is not plugged in", "plug = NAME before") }
            case .play, .pause, .stop, .volume, .muteStream, .sound, .free, .machine, .flip,
                .policy:
                break
            }
        }
        checkNames(scenario)
    }
}
