import BusInterface
import Foundation
import TestKit
import Testing

@testable import Commands

/// `audio-session treat`: a word of the user's about a program, in a policy file.
@Suite struct TreatTests {
    /// A desk whose module reads the policy files of the folder `config`, and the path of the file that is written there.
    private func run(_ body: (CannedDesk, _ path: String, _ treat: (String...) throws -> Outcome) throws -> Void)
        async throws
    {
        try await CannedDesk.run { desk in
            let config = desk.sandbox.path("config")
            let environment = ["XDG_CONFIG_HOME": config]
            var known = WireValue.string("")
            func treat(_ words: String...) throws -> Outcome {
                // The module reads what this user's command reads, unless a test says otherwise.
                if desk.manager.properties["Policy"] == known {
                    let check = try desk.run("check", environment: environment).output
                    known = .string(String(check.prefix { $0 != "\n" }.dropFirst("policy: ".count)))
                    desk.manager.properties["Policy"] = known
                }
                let command = try desk.start(["treat"] + words, environment: environment)
                return Outcome(
                    status: try desk.end(of: command), output: command.output, complaints: command.complaints)
            }
            desk.manager.properties["Policy"] = known
            // The module takes every change.
            desk.manager.eventsAfter = ["Subscribe": ("policy-changed", .record([]))]
            try body(desk, "\(config)/audio-session/policy.conf.d/90-treated.conf", treat)
        }
    }

    private struct Outcome {
        var status: TestKit.ExitStatus
        var output: String
        var complaints: String
    }

    private static let undo = "To take it back: audio-session treat undo\n"

    @Test("a program is a call from now on, is listed, and is taken back") func callAndBack() async throws {
        try await run { desk, path, treat in
            #expect(try treat().output.hasPrefix("No program is in the list."))
            #expect(try treat("undo").complaints.contains("has changed nothing yet"))
            desk.manager.explanations["15"] = ["stream 15 of Audacity is free; a rule makes it phone (\(path):5:5)"]
            let said = try treat("audacity", "as", "call")
            #expect(said.status == .exited(0) && said.complaints == "", "\(said)")
            #expect(
                said.output
                    == """
                    Audacity: what it records is a call, and so is what it plays meanwhile. It is known by \
                    application.process.binary = audacity.
                      stream 15, capture: a rule makes it phone (\(path):5:5)

                    """ + Self.undo)
            let rule = """
                    { matches = [ { application.process.binary = audacity  media.class = "Stream/Input/Audio" } ]  \
                actions = { update-session = { role = phone } } }
                """
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("\n    # Audacity\n\(rule)\n]\n"))
            let table = try treat().output
            #expect(
                table == """
                    PROGRAM   AS                 KNOWN BY
                    Audacity  call (recordings)  application.process.binary = audacity

                    """)
            // Said again, it is what it is; said otherwise, only the last word holds.
            #expect(try treat("Audacity", "as", "call").output == said.output)
            #expect(try treat("auda", "as", "alone").status == .exited(0))
            #expect(try treat("15", "as", "alone").status == .exited(0))
            #expect(try treat().output.hasSuffix("\nAudacity  alone  application.process.binary = audacity\n"))
            let isCall = "Audacity: what it records is a call, and so is what it plays meanwhile.\n"
            #expect(try treat("undo").output == isCall + "To do the change again: audio-session treat undo\n")
            #expect(try treat().output == table)
            let back = try treat("Audacity", "as", "default")
            #expect(back.output == "Audacity: taken from the list.\n" + Self.undo)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(try treat("undo").output.hasPrefix(isCall))
            // Nothing but the file and what it was before is left.
            let folder = URL(filePath: path).deletingLastPathComponent().path()
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                    == ["90-treated.conf", "90-treated.conf~"])
        }
    }

    @Test("what only plays is a call by what it plays, and several streams of a name are all meant") func playback()
        async throws
    {
        try await run { desk, path, treat in
            func stream(_ id: UInt32, _ binary: String, capture: Bool = false) -> WireValue {
                let record = Canned.stream(id, node: id, "Talk", process: id, capture: capture, session: 0, "untagged")
                let known = WireValue.strings(["application.process.binary=python3", "application.name=\(binary)"])
                return .record(
                    (record.entries ?? []).map { ($0.key.text ?? "", $0.value.bare) } + [("known-by", known)])
            }
            desk.manager.streams = [stream(1, "a \"b\"\\"), stream(2, "c"), stream(3, "c", capture: true)]
            let said = try treat("talk", "as", "call", "--json")
            let read = try #require(try JSONSerialization.jsonObject(with: Data(said.output.utf8)) as? [String: Any])
            #expect(read["file"] as? String == path)
            let programs = try #require(read["programs"] as? [[String: Any]])
            #expect(programs.map { $0["recordings"] as? Bool } == [false, true])
            // What is not what it seems is said.
            desk.manager.explanations["3"] = ["stream 3 of Talk is free; a rule makes it phone (\(path):7:5)"]
            let warned = try treat("talk", "as", "call").output
            #expect(warned.contains("But stream 1 belongs to another process than the recording"), "\(warned)")
            desk.manager.streams = [stream(2, "c")]
            #expect(try treat("talk", "as", "call").output.contains("give the command again during a call"))
            desk.manager.streams = [stream(1, "a \"b\"\\"), stream(2, "c"), stream(3, "c", capture: true)]
            #expect(
                programs.first?["known-by"] as? [String: String]
                    == ["application.process.binary": "python3", "application.name": "a \"b\"\\"])
            #expect((read["streams"] as? [Any])?.count == 0)
            #expect(try treat("Talk", "as", "default").status == .exited(0))
            #expect(try treat().output.hasPrefix("No program"))
        }
    }

    @Test("a program that is not there is named by a property") func property() async throws {
        try await run { desk, path, treat in
            let missing = try treat("Some", "Player", "as", "music")
            #expect(missing.status == .exited(1))
            #expect(
                missing.complaints.hasPrefix(
                    "audio-session: no program of the name 'Some Player' plays or records now, but Audacity, "))
            #expect(missing.complaints.contains("--property application.process.binary=PROGRAM as music"))
            let said = try treat("Some", "Player", "--property", "application.name=~x", "as", "music")
            #expect(
                said.output.hasPrefix("Some Player: what it plays is music. It is known by application.name = ~^~x$.\n")
            )
            #expect(said.output.contains("It has no stream now."))
            #expect(try treat("Another", "as", "default").complaints.contains("which has Some Player"))
            desk.stopService()
            let late = try treat("b", "--property", "application.name=b", "as", "alone")
            #expect(late.status == .exited(0) && late.complaints.contains("there is no module now"), "\(late)")
            #expect(try treat().output.split(separator: "\n").count == 3)
            #expect(try treat("mpv", "as", "music").complaints.contains("audio-session doctor"))
        }
    }

    @Test("nothing is written where it would be lost or not read") func refusals() async throws {
        try await run { desk, path, treat in
            desk.manager.properties["Policy"] = .string("/etc/mine.conf with module arguments")
            let other = try treat("Audacity", "as", "alone")
            #expect(other.status == .exited(1))
            #expect(other.complaints.contains("reads its policy from /etc/mine.conf, and not from "), "\(other)")
            #expect(!FileManager.default.fileExists(atPath: path))
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("# mine\n".utf8).write(to: URL(filePath: path))
            let foreign = try treat("Audacity", "as", "alone")
            #expect(foreign.status == .exited(1))
            #expect(foreign.complaints.hasPrefix("audio-session: \(path):1: found a line that"), "\(foreign)")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "# mine\n")
            let command = try desk.start(
                ["treat", "x", "as", "music", "--property", "a=b"], environment: ["XDG_CONFIG_HOME": "/dev/null"])
            desk.manager.properties["Policy"] = .string("not in force, as another policy is there: x")
            #expect(try desk.end(of: command) == .exited(1))
            #expect(command.complaints.contains("90-treated.conf"), "\(command.complaints)")
        }
    }

    @Test("of several commands at once, none loses what another one has said") func atOnce() async throws {
        try await run { desk, path, treat in
            desk.stopService()
            let names = (1...8).map { "player-\($0)" }
            let commands = try names.map {
                try desk.start(
                    ["treat", $0, "--property", "application.name=\($0)", "as", "music"],
                    environment: ["XDG_CONFIG_HOME": desk.sandbox.path("config")])
            }
            for command in commands { #expect(try desk.end(of: command) == .exited(0), "\(command.complaints)") }
            let said = try treat().output
            for name in names { #expect(said.contains("\(name) "), "\(said)") }
        }
    }

    @Test("a module that does not take it is said") func notTaken() async throws {
        try await run { desk, _, treat in
            desk.manager.eventsAfter = [:]
            let said = try treat("Audacity", "as", "alone")
            #expect(said.status == .exited(0))
            #expect(said.complaints.contains("the module has not taken it"), "\(said)")
        }
    }

    @Test("shells complete what plays, and what it can be") func completion() async throws {
        try await run { desk, _, _ in
            func complete(_ words: String...) throws -> [Substring] {
                let arguments = ["---completion", "treat", "--", "positional@0", String(words.count + 1), "0"]
                return try desk.run(
                    Project.command.path(), arguments + ["audio-session", "treat"] + words
                ).output.split(separator: "\n")
            }
            let names = try complete("")
            #expect(names.contains("Audacity") && names.last == "undo", "\(names)")
            #expect(try complete("Audacity", "") == ["as"])
            #expect(try complete("Audacity", "as", "") == ["call", "music", "speech", "alone", "default"])
        }
    }
}
