import SessionCore
import SessionWire

/// What is told of the whole state.
extension SessionService {
    func record(_ session: Report.Session) -> WireValue {
        let object = session.reference.id.flatMap { objects[$0] }
        return Records.session(session, path: object?.path, displayName: object?.displayName)
    }

    /// What is known of a session that is spoken of; `nil` if it is gone, or is something else now.
    func report(of reference: SessionReference) -> Report.Session? {
        runtime.session(reference).flatMap { runtime.report(of: $0) }.flatMap { $0.reference == reference ? $0 : nil }
    }

    func record(_ stream: Report.Stream) -> WireValue {
        Records.stream(stream, streams[stream.id], since: realTime(of: runtime.treated(since: stream.id)))
    }

    /// The record of a session; `nil` of one that is gone, or not for somebody to see.
    private func record(_ number: SessionNumber, for viewer: Viewer) -> WireValue? {
        guard let session = runtime.report(of: number), viewer.maySee(session.reference.application) else { return nil }
        return hide(record(session), from: viewer)
    }

    /// The same of a stream.
    private func record(_ stream: StreamID, for viewer: Viewer) -> WireValue? {
        guard viewer.maySee(streams[stream]?.application), let report = runtime.report(of: stream) else { return nil }
        return hide(record(report), from: viewer)
    }

    /// The records of the sessions that there are now, each as it is when its turn comes.
    func sessionRecords(for viewer: Viewer) -> () -> WireValue? {
        var rest = runtime.sessionNumbers[...]
        return { [weak self] in
            while let self, let number = rest.popFirst() {
                if let record = record(number, for: viewer) { return record }
            }
            return nil
        }
    }

    /// The same of the streams.
    func streamRecords(for viewer: Viewer) -> () -> WireValue? {
        var rest = runtime.streamIDs[...]
        return { [weak self] in
            while let self, let stream = rest.popFirst() {
                if let record = record(stream, for: viewer) { return record }
            }
            return nil
        }
    }

    /// Who silences or lowers what is somebody's own is not for everybody to know.
    private func hide(_ record: WireValue, from viewer: Viewer) -> WireValue {
        guard !viewer.seesAll else { return record }
        return .record(
            (record.entries ?? []).map { entry in
                let name = entry.key.text ?? ""
                let isHidden = name == "by" && !(entry.value.bare.text ?? "").isEmpty
                return (name, isHidden ? .string(Viewer.somebody) : entry.value.bare)
            })
    }

    /// Everything that somebody may see, for `DumpState`: JSON, in parts.
    func dump(for viewer: Viewer = .all) -> () -> String? {
        var head = state.json
        // As the last member of it.
        if head.last == "}" { head.removeLast() }
        var parts = [
            (",\"sessions\":[", sessionRecords(for: viewer)), ("],\"streams\":[", streamRecords(for: viewer)),
        ][...]
        var separator = ""
        var isBegun = false
        return {
            if !isBegun {
                isBegun = true
                separator = parts.first?.0 ?? ""
                return head
            }
            while let (_, next) = parts.first {
                if let record = next() {
                    defer { separator = "," }
                    return separator + record.json
                }
                parts.removeFirst()
                // An empty list has its beginning, too.
                let begun = separator == "," ? "" : separator
                separator = parts.first?.0 ?? ""
                if !begun.isEmpty { return begun }
            }
            defer { head = "" }
            return head.isEmpty ? nil : "]}"
        }
    }

    /// What there is besides sessions and streams.
    private var state: WireValue {
        .record([
            ("schema", .uint32(AudioSessionBus.schemaVersion)),
            ("version", .string(AudioSessionBus.version)),
            ("server", .string(host.server.name)), ("server-limits", Records.limits(host.server)),
            ("policy", .string(host.policyOrigin)),
            (
                "switches",
                .record([
                    ("silent", .boolean(switches.isSilent)), ("do-not-disturb", .boolean(switches.isUndisturbed)),
                    ("locked", .boolean(switches.isLocked)), ("paused", .boolean(switches.pausedUntil != nil)),
                ])
            ),
            (
                "route",
                .record([
                    ("inputs", Records.ports(runtime.route.inputs)), ("outputs", Records.ports(runtime.route.outputs)),
                    ("available-inputs", Records.ports(runtime.availableInputs)),
                    ("available-outputs", Records.ports(runtime.availableOutputs)),
                ])
            ),
        ])
    }

    /// Everything there is, as JSON (`DumpState`).
    public var statusJSON: String {
        let next = dump()
        var text = ""
        while let part = next() { text += part }
        return text
    }

    /// Why the streams of a subject are treated as they are, as a JSON array of texts; none of a subject that is not there.
    public func explanationJSON(_ subject: String) -> String {
        let next = explain(subject)
        var texts: [String] = []
        while let text = next() { texts.append(text) }
        return WireValue.strings(texts).json
    }

    /// Why the streams of a subject are treated as they are: a stream's number, `pid:` and a process, or an application.
    func explain(_ subject: String, for viewer: Viewer = .all) -> () -> String? {
        let process = subject.hasPrefix("pid:") ? UInt32(subject.dropFirst(4)) : nil
        let number = UInt32(subject)
        var rest = runtime.streamIDs.filter { id in
            let identity = streams[id]
            guard viewer.maySee(identity?.application) else { return false }
            if let process { return identity?.process == process }
            if let number { return id.rawValue == number }
            return identity?.application.name == subject || identity?.client.names.contains(subject) == true
        }[...]
        return { [weak self] in
            while let self, let id = rest.popFirst() {
                if let text = explanation(of: id, for: viewer) { return text }
            }
            return nil
        }
    }

    private func explanation(of id: StreamID, for viewer: Viewer) -> String? {
        guard var stream = runtime.report(of: id) else { return nil }
        let since = runtime.treated(since: id)
        let age = since.map { Int(clamping: $0.duration(to: runtime.now).wholeNanoseconds / 1_000_000_000) }
        if !viewer.seesAll { stream.interrupter = nil }
        func visible(_ number: SessionNumber?) -> Report.Session? {
            number.flatMap { runtime.report(of: $0) }.flatMap { viewer.maySee($0.reference.application) ? $0 : nil }
        }
        let text = Explanations.text(
            stream, of: visible(runtime.session(of: id)), by: visible(stream.treatment.cause?.session),
            policy: runtime.policy, name: streams[id]?.application.name ?? "?", seconds: age)
        return ([text] + host.steps(of: id)).joined(separator: "; ")
    }
}

/// Whose sessions and streams somebody may see (N20).
struct Viewer {
    /// Who may see everything.
    static let all = Viewer(own: nil)
    /// What others are called to those who may not see them.
    static let somebody = "another application"

    /// Who sees only what is their own; `nil` for those who see everything.
    var own: ApplicationID?

    var seesAll: Bool { own == nil }

    func maySee(_ application: ApplicationID?) -> Bool { own == nil || application == own }
}

extension SessionService {
    /// Whether somebody may do what concerns the whole desktop.
    func mayControlDesktop(_ owner: Owner) -> Bool { host.mayControlDesktop(owner.identity) }

    func viewer(_ owner: Owner) -> Viewer {
        mayControlDesktop(owner) ? .all : Viewer(own: owner.identity.application)
    }
}
