import BusInterface
import Foundation
import PolicyFile
import TestKit
import Testing

@testable import Commands

/// What `audio-session doctor` makes of what it finds, and what it finds.
@Suite struct DoctorTests {
    private static let module = "/usr/lib/x/pipewire-0.3/libpipewire-module-audio-session.so"

    private static func process(_ number: Int32, _ name: String, module: Evidence.LoadedFile? = nil)
        -> Evidence.ServerProcess
    {
        Evidence.ServerProcess(
            number: number, name: name, runtimeFolder: "/run/user/1000", busAddress: "unix:path=/run/user/1000/bus",
            module: module)
    }

    private static func state(
        streams: [WireValue] = [], leftAlone: [WireValue] = [], silent: Bool = false, pausedUntil: UInt64 = 0
    ) -> ServiceState {
        var properties = Canned.properties(silent: silent, locked: false, pausedUntil: pausedUntil, hasPorts: false)
        properties.removeAll { ["Version", "Server"].contains($0.0) }
        properties += [("Version", .string(AudioSessionBus.version)), ("Server", .string("PipeWire 1.4.2"))]
        return ServiceState(
            properties: .record(properties), sessions: .records([]), streams: .records(streams),
            leftAlone: .records(leftAlone))
    }

    /// A desktop on which all is well.
    private static var healthy: Evidence {
        var evidence = Evidence()
        evidence.system = "Debian GNU/Linux 13 (trixie)"
        evidence.surroundings = Evidence.Surroundings(
            runtimeFolder: "/run/user/1000", busAddress: "unix:path=/run/user/1000/bus,guid=1")
        evidence.owner = 10
        evidence.state = state()
        evidence.processes = [
            process(10, "pipewire", module: Evidence.LoadedFile(path: module, number: 7, isDeleted: false)),
            process(11, "wireplumber"), process(12, "pipewire-pulse"),
        ]
        evidence.modules = [Evidence.ModuleFile(sound: .pipeWire, path: module, number: 7)]
        evidence.folders = [.pipeWire: ["/usr/lib/x/pipewire-0.3"]]
        evidence.loaders = [.pipeWire: ["/usr/share/pipewire/pipewire.conf.d/audio-session.conf"]]
        evidence.policyOrigin = "desktop"
        evidence.programsSay.releases = ["WirePlumber 0.5.8"]
        evidence.log = []
        return evidence
    }

    private func findings(_ evidence: Evidence) -> [Finding] { Examination(evidence: evidence).findings }

    /// What is not as it should be, with its advice, after a change.
    private func complaints(_ change: (inout Evidence) -> Void) -> [Finding] {
        var evidence = Self.healthy
        change(&evidence)
        return findings(evidence).filter { $0.mark != .ok }
    }

    @Test("nothing is found where all is well") func nothingIsFoundWhereAllIsWell() throws {
        let report = DoctorReport(findings: findings(Self.healthy), version: "1.2")
        #expect(!report.hasProblems)
        try Project.compare(
            report.text(.plain).replacingOccurrences(of: AudioSessionBus.version, with: "1.2"),
            withSnapshot: "doctor-healthy.txt")
    }

    @Test("where nothing is there, that is said") func whereNothingIsThereThatIsSaid() throws {
        var evidence = Evidence()
        evidence.busError = "no connection to the bus"
        evidence.policyOrigin = "built-in desktop"
        let report = DoctorReport(findings: findings(evidence), version: "1.2")
        #expect(report.hasProblems)
        try Project.compare(report.text(.plain), withSnapshot: "doctor-nothing.txt")
    }

    @Test("each thing that stands in the way is said with what to do") func eachThingInTheWayIsSaid() throws {
        let other = Evidence.LoadedFile(path: Self.module, number: 6, isDeleted: false)
        let changes: [(String, (inout Evidence) -> Void)] = [
            ("sudo", { $0.surroundings.isBySudo = true }),
            ("runtime folder", { $0.surroundings.hasRuntimeFolder = false }),
            ("no runtime folder", { $0.surroundings.runtimeFolder = nil }),
            ("other bus", { $0.surroundings.busAddress = "unix:path=/tmp/bus" }),
            ("no manager", { $0.processes.remove(at: 1) }),
            ("no front end", { $0.processes.remove(at: 2) }),
            ("two front ends", { $0.processes.append(Self.process(13, "pulseaudio")) }),
            (
                "other session",
                {
                    $0.processes = $0.processes.map {
                        var it = $0; it.isOfThisSession = false; return it
                    }
                }
            ),
            ("no programs", { $0.programsSay.missing = ["pw-dump", "pactl"] }),
            ("not installed", { $0.modules = [] }),
            ("twice", { $0.modules.append(Evidence.ModuleFile(sound: .pipeWire, path: "/other.so", number: 8)) }),
            ("not configured", { $0.loaders = [:] }),
            ("closed", { $0.processes[0].isReadable = false }),
            ("replaced", { $0.processes[0].module = other }),
            ("removed", { $0.processes[0].module?.isDeleted = true }),
            (
                "not loaded",
                {
                    $0.processes[0].module = nil
                    $0.owner = nil
                    $0.state = nil
                }
            ),
            (
                "not loaded from a home",
                {
                    let folder = "/home/user/.local/lib/audio-session"
                    $0.processes[0].module = nil
                    $0.modules = [Evidence.ModuleFile(sound: .pipeWire, path: "\(folder)/module.so", number: 9)]
                    $0.folders[.pipeWire] = ["/usr/lib/x/pipewire-0.3", folder]
                }
            ),
            (
                "loaded and silent",
                {
                    $0.owner = nil
                    $0.state = nil
                }
            ),
            (
                "not survived",
                {
                    $0.owner = nil
                    $0.state = nil
                    $0.leftovers = ["/run/user/1000/audio-session-pipewire.starting"]
                }
            ),
            (
                "no answer",
                {
                    $0.state = nil
                    $0.stateError = "timeout"
                }
            ),
            ("stranger", { $0.owner = 99 }),
            ("other version", { $0.state?.version = "0.1" }),
            ("arguments", { $0.state?.policy = "desktop with module arguments" }),
            ("other files", { $0.policyOrigin = "/home/somebody/.config/audio-session/policy.conf" }),
            ("role nodes", { $0.programsSay.hasRoleNodes = true }),
            ("role modules", { $0.programsSay.roleModules = ["module-role-cork", "module-role-ducking"] }),
            ("pause", { $0.programsSay.pausesPlayback = true }),
            (
                "muted output",
                {
                    let output = Evidence.MutedOutput(title: "HDMI / DisplayPort", name: "alsa_output.hdmi")
                    $0.programsSay.mutedOutputs = [output]
                }
            ),
            ("paused", { $0.state = Self.state(silent: true, pausedUntil: .max) }),
            ("claims", { $0.explanations = ["stream 1 is not touched; it may not claim the priority of phone: x"] }),
        ]
        var text = ""
        for (name, change) in changes {
            let found = complaints(change)
            #expect(!found.isEmpty, "\(name)")
            for finding in found where finding.mark == .problem { #expect(!finding.advice.isEmpty, "\(finding)") }
            let report = DoctorReport(findings: found, version: "1.2", home: "/home/somebody")
            text +=
                "--- \(name)\n" + report.text(.plain).split(separator: "\n").dropFirst().joined(separator: "\n") + "\n"
        }
        try Project.compare(
            text.replacingOccurrences(of: " version \(AudioSessionBus.version)", with: " version 1.2")
                .replacingOccurrences(of: "Session1 \(AudioSessionBus.version)", with: "Session1 1.2"),
            withSnapshot: "doctor.txt")
    }

    @Test("a file that is left out is said with its place") func fileThatIsLeftOutIsSaidWithItsPlace() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("bad.conf", "preset = desktop\nroles = [ ]\n")
        let found = complaints { $0.mistakes = PolicyFile(path: path, presetFolders: []).diagnostics }
        #expect(found.map(\.mark) == [.problem])
        #expect(found.first?.details.first?.hasPrefix("\(path):2:9: error: ") == true)
    }

    @Test("streams without a role are counted, and what to say of one is shown") func streamsWithoutRoleAreCounted() {
        func stream(_ id: UInt32, _ name: String, capture: Bool = false, _ description: String = "untagged")
            -> WireValue
        {
            Canned.stream(id, node: 1, name, process: 41, capture: capture, session: 1, description)
        }
        let streams = [stream(1, "foo"), stream(2, "foo"), stream(3, "it's")]
        let found = complaints { $0.state = Self.state(streams: streams) }
        #expect(found.map(\.mark) == [.note])
        #expect(found[0].text.hasSuffix(": foo (2 streams), it's"))
        #expect(found[0].advice.first?.hasSuffix(": audio-session treat foo as music") == true)
        let odd = complaints { $0.state = Self.state(streams: [streams[2]]) }
        #expect(odd[0].advice.first?.hasSuffix(#": audio-session treat 'it'\''s' as music"#) == true)
        // What records may be in a call; and is told by that, if it records in a role.
        let recording = stream(4, "foo", capture: true, "")
        let call = complaints { $0.state = Self.state(streams: streams, leftAlone: [recording]) }
        #expect(call[0].advice.first?.hasSuffix(": audio-session treat foo as call") == true)
        let known = complaints {
            $0.state = Self.state(streams: [streams[0], stream(4, "foo", capture: true, "phone")])
        }
        #expect(known.isEmpty)
    }

    @Test("a program that records for long while it plays may be in a call", arguments: [9, 10])
    func recordsForLong(seconds: Int64) {
        func stream(_ id: UInt32, capture: Bool, _ description: String) -> WireValue {
            Canned.stream(id, node: 1, "it's", process: 41, capture: capture, session: 1, description)
        }
        let found = complaints {
            $0.state = Self.state(
                streams: [stream(1, capture: false, "music")], leftAlone: [stream(2, capture: true, "")])
            $0.state?.leftAlone[0].since = 1_000_000
            $0.moment = 1_000_000 + seconds * 1_000_000
        }
        #expect(found.map(\.subject) == (seconds == 10 ? ["microphones"] : []))
        if let first = found.first {
            #expect(first.advice == [#"if it is one: audio-session treat 'it'\''s' as call"#])
        }
    }

    @Test("neither homes nor control characters get into a report") func neitherHomesNorControlCharacters() throws {
        let finding = Finding(
            mark: .problem, subject: "x", text: "/home/me/a /home/me /home/mean \u{1B}[2J", details: ["/home/me/b"],
            advice: ["rm /home/me/c"])
        let report = DoctorReport(findings: [finding], version: "1.2", home: "/home/me")
        #expect(
            report.text(.plain) == """
                audio-session 1.2
                problem  x              ~/a ~ /home/mean ?[2J
                                        ~/b
                                        -> rm ~/c

                1 problem.

                """)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
        #expect(read["problems"] as? Int == 1)
        let first = try #require((read["findings"] as? [[String: Any]])?.first)
        #expect(first["text"] as? String == "~/a ~ /home/mean \u{FFFD}[2J")
        #expect(first["details"] as? [String] == ["~/b"])
        #expect(first["advice"] as? [String] == ["rm ~/c"])
        #expect(first["mark"] as? String == "problem")
    }

    // MARK: - What others print

    @Test("what other programs print is understood") func whatOtherProgramsPrintIsUnderstood() {
        var says = Evidence.ProgramsSay()
        says.readDump("  \"node.name\": \"x\",\n  \"wireplumber.is-endpoint\": false\n")
        #expect(!says.hasRoleNodes)
        says.readDump("  \"policy.role-based.priority\": 20,\n")
        #expect(says.hasRoleNodes)
        says.readDump(
            """
            { "subject": 0, "key": "linking.pause-playback", "type": "Spa:String:JSON",
              "value": true }
            { "subject": 0, "key": "other",
              "value": false }
            """)
        #expect(says.pausesPlayback == true)
        says.readModules("1\tmodule-role-cork\t\n2\tmodule-x\tmodule-role-ducking\n")
        #expect(says.roleModules == ["module-role-cork"])
        says.readServer("Server Name: PulseAudio (on PipeWire 1.4.2)\nServer Version: 15.0.0\n")
        says.readServer("Server Name: pulseaudio\nServer Version: 16.1\n")
        says.readServer("Connection failure: Connection refused\n")
        says.readOutputs(
            """
            Sink #1
            \tState: SUSPENDED
            \tName: one
            \tDescription: The First
            \tMute: yes
            Sink #2
            \tState: RUNNING
            \tName: two
            \tDescription: The Second
            \tMute: yes
            Sink #3
            \tState: IDLE
            \tName: three
            \tMute: no
            Sink #4
            \tState: IDLE
            \tName: four
            \tMute: yes
            """, "Server Name: pulseaudio\nDefault Sink: one\n")
        #expect(says.mutedOutputs.map(\.title) == ["The First", "The Second"])
        says.readManager("wireplumber\nCompiled with libwireplumber 0.4.13\nLinked with libwireplumber 0.4.14\n")
        #expect(
            says.releases == [
                "pipewire-pulse: PulseAudio (on PipeWire 1.4.2)", "PulseAudio 16.1", "WirePlumber 0.4.14",
            ])
    }

    @Test("a program that is not there is told from one that says nothing") func programThatIsNotThere() {
        #expect(ProgramOutput.of(["no-such-program-anywhere"]) == nil)
        #expect(ProgramOutput.of(["true"]) == "")
        #expect(ProgramOutput.of(["sh", "-c", "echo $LC_ALL $X; cat"], environment: ["X": "y"]) == "C y\n")
    }

    @Test("the module is found in a process's memory") func moduleIsFoundInMemory() {
        let line = "7f00-7f01 r-xp 00000000 fe:01 1234                       /a b/libpipewire-module-audio-session.so"
        let other = "7f00-7f01 r-xp 00000000 fe:01 1 /lib/libc.so.6\n7f00-7f01 rw-p 00000000 00:00 0\n"
        let path = "/a b/libpipewire-module-audio-session.so"
        #expect(Processes.loadedModule(other) == nil)
        #expect(
            Processes.loadedModule(other + line) == Evidence.LoadedFile(path: path, number: 1234, isDeleted: false))
        #expect(
            Processes.loadedModule(line + " (deleted)\n")
                == Evidence.LoadedFile(path: path, number: 1234, isDeleted: true))
    }

    @Test(
        "a start that was not survived is told from one that goes on, and from that of another module",
        arguments: [
            ("/m.so 1 2 3.4\nPipeWire 1\n7 100\n", true), ("/m.so 1 2 3.4\nPipeWire 1\n8 100\n", false),
            ("/m.so 1 2 9.9\nPipeWire 1\n7 100\n", false), ("/gone.so 1 2 3.4\nPipeWire 1\n7 100\n", false),
            ("/m.so 1 2 3.4\nPipeWire 1\n", false), ("", false), ("/m.so 1 2 3.4\nx\na b\n", false),
        ])
    func startThatWasNotSurvived(text: String, isLeftover: Bool) {
        #expect(
            Installation.isLeftover(
                text, identity: { $0 == "/m.so" ? "/m.so 1 2 3.4" : nil }, beginning: { $0 == 8 ? 100 : nil })
                == isLeftover)
    }

    // MARK: - The command

    @Test("it needs nothing, and its status says that there are problems") func itNeedsNothing() async throws {
        try await CannedDesk.run(hasBus: false, hasService: false) { desk in
            let text = try desk.run("doctor")
            #expect(text.status == .exited(1))
            #expect(text.complaints == "")
            #expect(text.output.contains("problem  session bus"))
            #expect(text.output.contains("problem  sound server"))
            let json = try desk.run("doctor", "--json")
            let read = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect((read["problems"] as? Int ?? 0) >= 2)
            #expect(read["schema"] as? Int == 2)
        }
    }

    @Test("it asks the service, and changes nothing") func itAsksTheServiceAndChangesNothing() async throws {
        try await CannedDesk.run { desk in
            let result = try desk.run("doctor")
            #expect(result.output.contains("the silent switch is on and the screen is locked"))
            #expect(result.output.contains("in force: desktop"))
            #expect(desk.manager.asked.allSatisfy { $0.hasPrefix("List") || $0.hasPrefix("Explain") })
        }
    }
}
