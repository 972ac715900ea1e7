import Foundation
import TestKit
import Testing

@testable import Commands

/// `audio-session run`, with /usr/bin/env for an application.
@Suite struct RunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> CommandRun {
        try CommandRun(["run"] + arguments, environment: environment, folder: folder)
    }

    private func variables(_ run: CommandRun) -> [String: String] {
        let pairs = run.output.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
    }

    @Test("an application is tagged for both kinds of clients") func applicationIsTaggedForBothKindsOfClients() throws {
        let result = try run([
            "--category", "playback", "--option", "duck-others", "--option", "mix-with-others", "--mode",
            "spoken-audio",
            "--role", "music", "--", "env",
        ])
        #expect(result.status == 0)
        #expect(result.complaints == "")
        let variables = variables(result)
        let expected = [
            "media.role": "music", "audio-session.category": "playback",
            "audio-session.options": "duck-others mix-with-others", "audio-session.mode": "spoken-audio",
        ]
        let pipeWire = try JSONSerialization.jsonObject(with: Data((variables["PIPEWIRE_PROPS"] ?? "").utf8))
        #expect(pipeWire as? [String: String] == expected)
        #expect(
            variables["PULSE_PROP"]
                == "media.role=\"music\" audio-session.category=\"playback\" "
                + "audio-session.options=\"duck-others mix-with-others\" audio-session.mode=\"spoken-audio\"")
    }

    @Test(
        "what PIPEWIRE_PROPS has already stays",
        arguments: [
            ("", #"{ "media.role": "x" }"#),
            ("{ }", #"{ "media.role": "x" }"#),
            ("a = b", #"{ "a": b, "media.role": "x" }"#),
            ("{ a = b, c = \"d e\" } # }", #"{ "a": b, "c": "d e", "media.role": "x" }"#),
            ("{ media.role = y a = [ 1 { b = null } ] }", #"{ "a": [ 1, { "b": null } ], "media.role": "x" }"#),
            (#"{ "a\"\\\n" = "\t" }"#, #"{ "a\"\\\n": "\t", "media.role": "x" }"#),
        ])
    func earlierPipeWirePropsStay(present: String, expected: String) {
        let result = PipeWireProperties.adding([Property(key: "media.role", value: "x")], to: present)
        #expect(result.value == expected)
        #expect(result.mistakes == [])
    }

    @Test(
        "a PIPEWIRE_PROPS that cannot be read is an error", arguments: ["{ a = ", "{ a = b } }", "= b", "{ a = \"b }"])
    func unreadablePipeWirePropsAreAnError(present: String) throws {
        let result = try run(["--role", "x", "--", "env"], ["PIPEWIRE_PROPS": present])
        #expect(result.status == 125)
        #expect(result.output == "")
        #expect(result.complaints.hasPrefix("PIPEWIRE_PROPS:1:"))
    }

    @Test(
        "what PULSE_PROP has already stays",
        arguments: [
            (nil, "media.role=\"x\""), ("", "media.role=\"x\""), ("a=b", "a=b media.role=\"x\""),
            ("a='b c' d=\"\\\"\" e=", "a='b c' d=\"\\\"\" e= media.role=\"x\""),
        ])
    func earlierPulsePropStays(present: String?, expected: String) {
        #expect(PulseProperties.adding([Property(key: "media.role", value: "x")], to: present) == expected)
    }

    @Test("values are quoted for PulseAudio") func valuesAreQuotedForPulseAudio() {
        let value = PulseProperties.adding([Property(key: "media.role", value: "a \"b\" \\")], to: nil)
        #expect(value == #"media.role="a \"b\" \\""#)
    }

    @Test("a PULSE_PROP that cannot be read is an error", arguments: ["a", "=b", "a ", "a='b", "a=\"b\\\"", "a b=c"])
    func unreadablePulsePropIsAnError(present: String) throws {
        let result = try run(["--role", "x", "--", "env"], ["PULSE_PROP": present])
        #expect(result.status == 125)
        #expect(result.complaints.contains("expected key=value"))
    }

    @Test("the properties arrive at a real server", arguments: ["pw-play", "paplay"]) func propertiesArriveAtRealServer(
        player: String
    ) async throws {
        try await withServer(PrivateDesktop.start()) { desktop in
            let sound = Signal.tone(440, for: .seconds(30), on: .left)
            let file = try desktop.sandbox.write(sound, to: "tone.wav")
            let child = try desktop.sandbox.start(
                player,
                Invocation(
                    Project.command.path(),
                    [
                        "run", "--category", "playback", "--option", "duck-others", "--option", "mix-with-others",
                        "--role",
                        "navigation", "--", player, file,
                    ],
                    environment: [
                        "PULSE_PROP": "media.filename='a b'", "PIPEWIRE_PROPS": "{ media.filename = \"a b\" }",
                    ]))
            let stream = try await desktop.waitForStream("a stream of \(player)") { $0.processID == child.processID }
            for (key, value) in [
                "audio-session.category": "playback", "audio-session.options": "duck-others mix-with-others",
                "media.role": "navigation", "media.filename": "a b",
            ] {
                #expect(stream.properties[key] == value, "\(key)")
            }
        }
    }

    @Test("the status is the application's", arguments: [0, 3, 42]) func statusIsApplications(status: Int) throws {
        let result = try run(["--role", "x", "sh", "-c", "echo \"$0 $@\"; exit \(status)", "--role", "-- y"])
        #expect(result.status == Int32(status))
        #expect(result.output == "--role -- y\n")
    }

    @Test("the process stays the same") func processStaysSame() throws {
        let result = try CommandRun(
            "sh", ["-c", "echo $$; exec \"$0\" run --role x -- sh -c 'echo $$'", Project.command.path()], folder: folder
        )
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 2 && lines.first == lines.last, "\(result.output) \(result.complaints)")
    }

    @Test("the help that errors recommend is there", arguments: [["--help"], ["-h"], ["--role", "music", "--help"]])
    func help(arguments: [String]) throws {
        let run = try run(arguments)
        #expect(run.status == 0 && run.output.hasPrefix("OVERVIEW: Starts an application"))
        #expect(try self.run(["--role", "music", "--", "printf", "%s", "--help"]).output == "--help")
    }

    @Test("a command that cannot be run is told from one that is missing") func commandThatCannotBeRunIsTold() throws {
        #expect(try run(["--role", "x", "--", "no-such-command"]).status == 127)
        let file = try folder.file("plain", "")
        let result = try run(["--role", "x", "--", file])
        #expect(result.status == 126)
        #expect(result.complaints == "audio-session: \(file): Permission denied\n")
    }

    @Test(
        "a wrong use says what would be right",
        arguments: [
            (["--category", "playbak", "--", "env"], "found 'playbak', expected a category: ambient, solo-ambient, "),
            (["--category", "playbak", "--", "env"], "did you mean 'playback'?"),
            (["--category", "ui-sound", "--", "env"], "expected a category"),
            (["--option", "mix", "--", "env"], "expected an option: mix-with-others, "),
            (["--mode", "loud", "--", "env"], "expected a mode: default, voice-chat, "),
            (["--role", "", "--", "env"], "expected a role of 1 to 64 bytes"),
            (["--role", "x"], "Missing expected argument '<COMMAND> ...'"),
            (["--role", "x", "--"], "there is no command to run"),
            (["--", "env"], "found none of --category"),
            (["--categroy", "playback", "--", "env"], "unknown option '--categroy'"),
        ])
    func wrongUseSaysWhatWouldBeRight(arguments: [String], text: String) throws {
        let result = try run(arguments)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.complaints.contains(text), "\(result.complaints)")
    }
}
