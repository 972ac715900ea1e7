import BusInterface
import PolicyEngine
import PolicyFile
import PolicyRuntime

/// Answers to queries about sessions and streams: records, the whole state, explanations.
extension SessionService {
    func record(_ session: EngineSnapshot.Session) -> WireValue {
        let object = session.reference.id.flatMap { self.object($0) }
        return Records.session(session, path: object?.path, displayName: object?.displayName, at: runtime.now)
    }

    /// The snapshot of a referenced session; `nil` if the session is gone or has another description now.
    func snapshot(of reference: SessionReference) -> EngineSnapshot.Session? {
        runtime.engine.session(reference).flatMap { runtime.engine.snapshot(of: $0) }
            .flatMap { $0.reference == reference ? $0 : nil }
    }

    func record(_ stream: EngineSnapshot.Stream) -> WireValue {
        Records.stream(
            stream, runtime.streams[stream.id]?.identity,
            since: realTime(of: runtime.streams[stream.id]?.treatedSince),
            level: runtime.level(of: stream.id), knownBy: knownBy(stream.id))
    }

    /// The record of a session; `nil` if the session has gone or the viewer may not see it.
    private func record(_ number: SessionNumber, for viewer: Viewer) -> WireValue? {
        guard let session = runtime.engine.snapshot(of: number), viewer.maySee(session.reference.application) else {
            return nil
        }
        return hide(record(session), from: viewer)
    }

    /// The record of a stream; `nil` if the stream has gone or the viewer may not see it.
    private func record(_ stream: StreamID, for viewer: Viewer) -> WireValue? {
        guard viewer.maySee(runtime.streams[stream]?.application), let snapshot = runtime.snapshot(of: stream)
        else { return nil }
        return hide(record(snapshot), from: viewer)
    }

    /// The records of all present sessions; each record is made only when the answer is sent up to it.
    func sessionRecords(for viewer: Viewer) -> () -> WireValue? {
        var rest = runtime.engine.sessionNumbers[...]
        return { [weak self] in
            while let self, let number = rest.popFirst() {
                if let record = record(number, for: viewer) { return record }
            }
            return nil
        }
    }

    /// The records of all present streams; each record is made only when the answer is sent up to it.
    func streamRecords(for viewer: Viewer) -> () -> WireValue? {
        var rest = runtime.engine.streamIDs[...]
        return { [weak self] in
            while let self, let stream = rest.popFirst() {
                if let record = record(stream, for: viewer) { return record }
            }
            return nil
        }
    }

    /// The records of all streams that the policy leaves alone; each is made only when the answer is sent up to it.
    func leftAloneRecords(for viewer: Viewer) -> () -> WireValue? {
        var rest = runtime.streams { !$0.isManaged && viewer.maySee($0.application) }[...]
        return { [weak self] in
            while let self, let stream = rest.popFirst() {
                guard let server = stream.server, !stream.isManaged else { continue }
                return Records.leftAlone(
                    stream, server, since: realTime(of: stream.appeared), knownBy: knownBy(stream.id),
                    why: whyLeftAlone(stream.id))
            }
            return nil
        }
    }

    /// Why the policy leaves a stream alone, step by step.
    private func whyLeftAlone(_ stream: StreamID) -> String {
        runtime.classificationSteps(of: stream).joined(separator: "; ")
    }

    /// The properties by which a rule tells a stream's program from others.
    private func knownBy(_ stream: StreamID) -> [String] {
        ProgramProperties.strongest { runtime.streams[stream]?.property($0) }.map { "\($0.key)=\($0.value)" }
    }

    /// Replaces the names of other applications that silence or lower a viewer's own stream.
    private func hide(_ record: WireValue, from viewer: Viewer) -> WireValue {
        guard !viewer.seesAll else { return record }
        return .record(
            (record.entries ?? []).map { entry in
                let name = entry.key.text ?? ""
                if name == "beside" { return (name, .strings([])) }
                let isHidden = name == "by" && !(entry.value.bare.text ?? "").isEmpty
                return (name, isHidden ? .string(Viewer.somebody) : entry.value.bare)
            })
    }

    /// Everything that the viewer may see, for `DumpState`: JSON in parts.
    func dump(for viewer: Viewer = .all) -> () -> String? {
        var head = state.json
        // The lists follow as the object's last members.
        if head.last == "}" { head.removeLast() }
        var parts = [
            (",\"sessions\":[", sessionRecords(for: viewer)), ("],\"streams\":[", streamRecords(for: viewer)),
            ("],\"left-alone\":[", leftAloneRecords(for: viewer)),
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
                // An empty list needs its opening bracket, too.
                let begun = separator == "," ? "" : separator
                separator = parts.first?.0 ?? ""
                if !begun.isEmpty { return begun }
            }
            defer { head = "" }
            return head.isEmpty ? nil : "]}"
        }
    }

    /// The state besides sessions and streams.
    private var state: WireValue {
        .record([
            ("schema", .uint32(AudioSessionBus.schemaVersion)),
            ("version", .string(AudioSessionBus.version)),
            ("server", .string(runtime.host.server.name)), ("server-limits", Records.limits(runtime.host.server)),
            ("preset", .string(runtime.preset)), ("policy", .string(runtime.policyOrigin)),
            (
                "switches",
                .record(
                    Switch.allCases.map { ($0.rawValue, .boolean(switches[$0])) }
                        + [("paused", .boolean(switches.pausedUntil != nil))])
            ),
            (
                "route",
                .record([
                    ("inputs", record(of: runtime.engine.route.inputs)),
                    ("outputs", record(of: runtime.engine.route.outputs)),
                    ("available-inputs", record(of: runtime.engine.availableInputs)),
                    ("available-outputs", record(of: runtime.engine.availableOutputs)),
                ])
            ),
        ])
    }

    /// The whole state as JSON (`DumpState`).
    public var statusJSON: String {
        let next = dump()
        var text = ""
        while let part = next() { text += part }
        return text
    }

    /// A JSON array of texts that explain the treatment of a subject's streams; empty if there is no such subject.
    public func explanationJSON(_ subject: String) -> String {
        // Not with explain(_:for:): if Swift 6.3 inlines that function in a build that counts edges, its closure takes the
        // array of the streams for the service, and writes into the array that all empty arrays share.
        WireValue.strings(streams(of: subject, for: .all).compactMap { explanation(of: $0, for: .all) }).json
    }

    /// The streams of a subject, also those that the policy leaves alone: a stream's number, `pid:` and a process id, or an application.
    private func streams(of subject: String, for viewer: Viewer) -> [StreamID] {
        let process = subject.hasPrefix("pid:") ? UInt32(subject.dropFirst(4)) : nil
        let number = UInt32(subject)
        return runtime.streams { stream in
            let identity = stream.identity
            guard viewer.maySee(identity.application) else { return false }
            if let process { return identity.process == process }
            if let number { return stream.id.rawValue == number }
            return identity.application.name == subject || identity.client.names.contains(subject)
        }.map(\.id)
    }

    /// Frees a subject's streams from what silences or lowers them (N19).
    ///
    /// - Returns: How many streams the subject has, and how many of them were freed.
    func free(_ subject: String) -> (all: Int, freed: Int) {
        let streams = streams(of: subject, for: .all)
        let touched = streams.filter { runtime.engine.treatment(of: $0) != .untouched }
        for stream in touched { runtime.post(.streamFreed(stream, by: .free)) }
        runtime.drain()
        return (streams.count, touched.count { runtime.engine.treatment(of: $0) == .untouched })
    }

    /// Explains the treatment of a subject's streams.
    func explain(_ subject: String, for viewer: Viewer = .all) -> () -> String? {
        var rest = streams(of: subject, for: viewer)[...]
        return { [weak self] in
            while let self, let id = rest.popFirst() {
                if let text = explanation(of: id, for: viewer) { return text }
            }
            return nil
        }
    }

    /// The name of a stream's application, and its program where that is another one.
    private func fullName(_ stream: StreamEntry) -> String {
        let name = stream.application.name
        let program = stream.property("application.process.binary").map(Words.short) ?? ""
        return program.isEmpty || program.lowercased() == name.lowercased() ? name : "\(name) (\(program))"
    }

    private func explanation(of id: StreamID, for viewer: Viewer) -> String? {
        guard var stream = runtime.snapshot(of: id) else {
            guard let entry = runtime.streams[id], entry.server != nil else { return nil }
            return "stream \(id.rawValue) of \(fullName(entry)) is left alone; \(whyLeftAlone(id))"
        }
        let since = runtime.streams[id]?.treatedSince
        let age = since.map { Int(clamping: $0.duration(to: runtime.now).wholeNanoseconds / 1_000_000_000) }
        if !viewer.seesAll { (stream.interrupter, stream.besides) = (nil, []) }
        func visible(_ number: SessionNumber?) -> EngineSnapshot.Session? {
            number.flatMap { runtime.engine.snapshot(of: $0) }.flatMap {
                viewer.maySee($0.reference.application) ? $0 : nil
            }
        }
        let text = Explanations.text(
            stream, of: visible(runtime.engine.session(of: id)), by: visible(stream.treatment.cause?.session),
            policy: runtime.engine.policy, name: runtime.streams[id].map(fullName) ?? "?", seconds: age)
        return ([text] + runtime.classificationSteps(of: id)).joined(separator: "; ")
    }
}
