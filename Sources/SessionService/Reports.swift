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

    func sessionRecords(_ report: Report, for viewer: Viewer) -> WireValue {
        .records(
            report.sessions.filter { viewer.maySee($0.reference.application) }.map { hide(record($0), from: viewer) })
    }

    func streamRecords(_ report: Report, for viewer: Viewer) -> WireValue {
        .records(
            report.streams.filter { viewer.maySee(streams[$0.id]?.application) }.map { hide(record($0), from: viewer) })
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

    /// Everything that somebody may see, for `DumpState`.
    func dump(for viewer: Viewer = .all) -> WireValue {
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
            ("sessions", sessionRecords(report, for: viewer)),
            ("streams", streamRecords(report, for: viewer)),
        ])
    }

    /// Everything there is, as JSON (`DumpState`).
    public var statusJSON: String { dump().json }

    /// Why the streams of a subject are treated as they are, as a JSON array of texts; none of a subject that is not there.
    public func explanationJSON(_ subject: String) -> String { WireValue.strings(explain(subject)).json }

    /// Why the streams of a subject are treated as they are: a stream's number, `pid:` and a process, or an application.
    func explain(_ subject: String, for viewer: Viewer = .all) -> [String] {
        let report = report()
        var visible = report
        visible.sessions.removeAll { !viewer.maySee($0.reference.application) }
        let process = subject.hasPrefix("pid:") ? UInt32(subject.dropFirst(4)) : nil
        let number = UInt32(subject)
        return report.streams.filter { stream in
            let identity = streams[stream.id]
            guard viewer.maySee(identity?.application) else { return false }
            if let process { return identity?.process == process }
            if let number { return stream.id.rawValue == number }
            return identity?.application.name == subject || identity?.client.names.contains(subject) == true
        }.map { stream in
            let since = runtime.treated(since: stream.id)
            let age = since.map { Int(clamping: $0.duration(to: runtime.now).wholeNanoseconds / 1_000_000_000) }
            var shown = stream
            if !viewer.seesAll { shown.interrupter = nil }
            let text = Explanations.text(
                shown, in: visible, policy: runtime.policy, name: streams[stream.id]?.application.name ?? "?",
                seconds: age)
            return ([text] + host.steps(of: stream.id)).joined(separator: "; ")
        }
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
