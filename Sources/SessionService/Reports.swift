import SessionCore
import SessionWire

/// What is told of the whole state.
extension SessionService {
    func report() -> Report { runtime.report }

    func record(_ session: Report.Session) -> WireValue {
        let object = session.reference.id.flatMap { objects[$0] }
        return Records.session(session, path: object?.path, displayName: object?.displayName)
    }

    func record(_ stream: Report.Stream) -> WireValue {
        Records.stream(stream, streams[stream.id], since: realTime(of: runtime.treated(since: stream.id)))
    }

    func sessionRecords(_ report: Report) -> WireValue { .records(report.sessions.map { record($0) }) }

    func streamRecords(_ report: Report) -> WireValue { .records(report.streams.map { record($0) }) }

    /// Everything, for `DumpState`.
    func dump() -> WireValue {
        let report = report()
        return .record([
            ("schema", .uint32(AudioSessionBus.schemaVersion)),
            ("version", .string(ManagerObject.version)),
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
            ("sessions", sessionRecords(report)),
            ("streams", streamRecords(report)),
        ])
    }

    /// Everything there is, as JSON (`DumpState`).
    public var statusJSON: String { dump().json }

    /// Why the streams of a subject are treated as they are, as a JSON array of texts; none of a subject that is not there.
    public func explanationJSON(_ subject: String) -> String { WireValue.strings(explain(subject)).json }

    /// Why the streams of a subject are treated as they are: a stream's number, `pid:` and a process, or an application.
    func explain(_ subject: String) -> [String] {
        let report = report()
        let process = subject.hasPrefix("pid:") ? UInt32(subject.dropFirst(4)) : nil
        let number = UInt32(subject)
        return report.streams.filter { stream in
            let identity = streams[stream.id]
            if let process { return identity?.process == process }
            if let number { return stream.id.rawValue == number }
            return identity?.application.name == subject
        }.map { stream in
            let since = runtime.treated(since: stream.id)
            let age = since.map { Int(clamping: $0.duration(to: runtime.now).wholeNanoseconds / 1_000_000_000) }
            let text = Explanations.text(
                stream, in: report, policy: runtime.policy, name: streams[stream.id]?.application.name ?? "?",
                seconds: age)
            return ([text] + host.steps(of: stream.id)).joined(separator: "; ")
        }
    }
}
