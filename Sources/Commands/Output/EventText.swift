import BusInterface

/// An event from the service's signal `Event`, or the loss or return of the service.
struct EventText {
    /// Microseconds since 1970.
    var time: Int64
    /// A kind defined by the interface, or `services-lost` or `services-reset` (R82).
    var kind: String
    /// `a{sv}`
    var details: WireValue

    /// The event as JSON in one line, without a newline.
    var json: String {
        SchemaJSON.line([("time", .int64(time)), ("kind", .string(kind)), ("details", ordered)])
    }

    /// The event for people: time, event, cause; without a newline.
    func line(_ style: Style) -> String {
        let when = style.text(WallTime(microseconds: time).exactClock, .faint)
        return "\(when)  \(words(style))"
    }

    private var ordered: WireValue {
        isAboutStream ? StreamRecord(details).record : SessionRecord(details).record
    }

    private var isAboutStream: Bool { kind.hasPrefix("stream-") }

    /// The stream or session whose state the event tells; `nil` for all other events.
    var subject: String? {
        switch kind {
        case "stream-appeared", "stream-changed", "stream-removed": "stream \(StreamRecord(details).id)"
        case "session-opened", "session-changed", "session-closed": "session \(SessionRecord(details).id)"
        default: nil
        }
    }

    /// Whether nothing more will be told of the subject.
    var isLast: Bool { kind == "stream-removed" || kind == "session-closed" }

    /// What happened, for people.
    func words(_ style: Style) -> String {
        switch kind {
        case "stream-appeared", "stream-changed", "stream-removed": return streamWords(style)
        case "session-opened": return sessionWords(style, "opened: ", isWithKind: true)
        case "session-changed": return sessionWords(style, "", isWithKind: true)
        case "session-closed": return sessionWords(style, "closed", isWithKind: false)
        case "interruption-began":
            let by = details["by"]?.text.map { $0.isEmpty ? "" : " by \(style.safe($0))" } ?? ""
            let reason = details["reason"]?.text ?? ""
            let why = reason.isEmpty || reason == "default" ? "" : " (\(style.safe(reason)))"
            return sessionWords(style, "interrupted\(by)\(why)", isWithKind: false, .silenced)
        case "interruption-ended":
            let shouldResume = details["should-resume"]?.truth == true
            return sessionWords(
                style, "interruption ended, should \(shouldResume ? "" : "not ")resume", isWithKind: false, .good)
        case "switch-changed":
            let name = details["name"]?.text ?? "?"
            let pause = ServiceState.Pause(details["value"])
            if name == "paused-until" { return pause.words(at: time) ?? "the policy is in force again" }
            return "switch \(style.safe(name)): \(value(details["value"], style))"
        case "route-changed": return routeWords(style)
        case "policy-changed":
            return "policy changed" + (details["policy"]?.text.map { ": \(style.safe($0, limit: 100))" } ?? "")
        case "services-lost": return style.text("the service has gone; waiting for it", .silenced)
        case "services-reset": return style.text("the service is back", .good)
        default:
            // An event of a later version.
            let pairs = (details.entries ?? []).map { "\(style.safe($0.key.text ?? "")) \(value($0.value, style))" }
            return ([style.safe(kind)] + pairs).joined(separator: "  ")
        }
    }

    private func streamWords(_ style: Style) -> String {
        let stream = StreamRecord(details)
        let name = stream.application.isEmpty ? "" : " of \(style.text(style.safe(stream.application), .name))"
        let role = stream.description.isEmpty ? "" : " (\(style.safe(stream.description)))"
        let subject = "stream \(stream.id)\(name)\(role)"
        switch kind {
        case "stream-removed": return "\(subject) removed"
        case "stream-appeared" where stream.isFree: return "\(subject) appeared"
        default:
            let treatment = style.treatment(of: stream, at: nil)
            let appeared = kind == "stream-appeared" ? " appeared," : ""
            let activity = stream.isSilenced ? "" : stream.running ? ", running" : stream.wanted ? "" : ", not playing"
            return "\(subject)\(appeared) \(style.text(treatment.text, treatment.meaning))\(activity)"
        }
    }

    private func sessionWords(
        _ style: Style, _ text: String, isWithKind: Bool, _ meaning: Style.Meaning? = nil
    ) -> String {
        let session = SessionRecord(details)
        let name = session.name.isEmpty ? "\(session.id)" : style.text(style.safe(session.name), .name)
        var words = style.text(text, meaning)
        if isWithKind {
            let kind = session.traits.map { style.safe($0) }.joined(separator: ", ")
            // For a session that has gone, only the name is known.
            words += [session.state.isEmpty ? "is over" : style.safe(session.state), kind.isEmpty ? "" : "(\(kind))"]
                .filter { !$0.isEmpty }
                .joined(separator: " ")
        }
        return "session \(name) \(words)"
    }

    private func routeWords(_ style: Style) -> String {
        let (previous, current) = (RouteRecord(details["previous"]), RouteRecord(details["current"]))
        func names(_ ports: [PortRecord]) -> String {
            ports.isEmpty ? "none" : ports.map { style.text(style.safe($0.label), .name) }.joined(separator: " + ")
        }
        let arrow = style.isUnicode ? "→" : "->"
        func change(_ old: [PortRecord], _ new: [PortRecord]) -> String? {
            old.map(\.id) == new.map(\.id) ? nil : "\(names(old)) \(arrow) \(names(new))"
        }
        var changes: [String] = []
        if let output = change(previous.outputs, current.outputs) { changes.append(output) }
        if let input = change(previous.inputs, current.inputs) { changes.append("input \(input)") }
        // A change without a suitable port is printed even if the ports stay the same.
        if changes.isEmpty { changes.append(names(current.outputs)) }
        let reason = style.safe(String((details["reason"]?.text ?? "").map { $0 == "-" ? " " : $0 }))
        let why = reason.isEmpty || reason == "unknown" ? "" : " (\(reason))"
        return "route: \(changes.joined(separator: ", "))\(why)"
    }

    private func value(_ value: WireValue?, _ style: Style) -> String {
        guard let value = value?.bare else { return "" }
        if let truth = value.truth { return truth ? "on" : "off" }
        return style.safe(value.text ?? value.json, limit: 100)
    }
}
