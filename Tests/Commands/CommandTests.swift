import Foundation
import Testing

/// The built command, as a shell sees it: what it prints where, and how it ends.
@Suite struct CommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String..., environment: [String: String] = [:]) throws -> CommandRun {
        try CommandRun(arguments, environment: environment, folder: folder)
    }

    // MARK: - check

    @Test("mistakes are shown in their lines, and the status says so")
    func mistakesAreShownInTheirLinesAndStatusSaysSo() throws {
        let path = try folder.file("a.conf", "preset = phone\nroles = { music = {\n\tfade = soon\n} }\nblue = 1\n")
        let result = try run("check", path)
        #expect(result.status == 1)
        #expect(result.output == "")
        let lines = result.complaints.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.prefix(3) == [
                "\(path):3:9: error: found 'soon', expected a time from 10 ms to 60 s, such as 250 or \"250 ms\"",
                "\tfade = soon",
                "\t       ^",
            ])
        #expect(lines.count == 7)
        #expect(lines[3].hasPrefix("\(path):5:1: warning: found the unknown key 'blue', expected "))
        #expect(lines[4...] == ["blue = 1", "^", ""])
    }

    @Test("warnings alone leave the status as it is") func warningsAloneLeaveStatusAsItIs() throws {
        let result = try run("check", folder.file("a.conf", "prset = phone\n"))
        #expect(result.status == 0)
        #expect(result.complaints.contains("warning: found the unknown key 'prset'"))
        #expect(result.complaints.contains("did you mean 'preset'?"))
    }

    @Test("all files are looked at") func allFilesAreLookedAt() throws {
        let good = try folder.file("good.conf", "preset = phone\n")
        let bad = try folder.file("bad.conf", "preset = fone\n")
        let worse = try folder.file("worse.conf", "roles = [ ]\n")
        let result = try run("check", bad, good, worse)
        #expect(result.status == 1)
        #expect(result.complaints.contains("\(bad):1:10: error: "))
        #expect(result.complaints.contains("\(worse):1:9: error: "))
        #expect(!result.complaints.contains("good.conf"))
        #expect(result.output == "\(good): no mistake (0 roles, 0 rules)\n")
    }

    @Test("a file that is missing is an error") func fileThatIsMissingIsError() throws {
        let result = try run("check", "nowhere.conf")
        #expect(result.status == 1)
        #expect(result.complaints == "nowhere.conf: error: found no such file, expected one that can be read\n")
    }

    @Test("without files the user's own policy is looked at") func withoutFilesUsersOwnPolicyIsLookedAt() throws {
        let path = try folder.file(".config/audio-session/policy.conf", "untagged = { fade = soon }\n")
        let result = try run("check")
        #expect(result.status == 1)
        #expect(result.complaints.contains("/audio-session/policy.conf:1:21: error: "))
        _ = try folder.file("elsewhere/audio-session/policy.conf", "preset = phone\n")
        let other = try run(
            "check", environment: ["XDG_CONFIG_HOME": folder.url.appending(path: "elsewhere").path()])
        #expect(other.status == 0)
        #expect(other.complaints == "")
        #expect(other.output.hasSuffix("/elsewhere/audio-session/policy.conf: no mistake (0 roles, 0 rules)\n"))
        #expect(!path.isEmpty)
    }

    @Test("no colours go into a file") func noColoursGoIntoFile() throws {
        let result = try run(
            "check", folder.file("a.conf", "preset = fone\n"), environment: ["TERM": "xterm-256color"])
        #expect(!result.complaints.contains("\u{1B}"))
    }

    @Test("the merged policy says where each value is from") func mergedPolicySaysWhereEachValueIsFrom() throws {
        let weaker = try folder.file(
            ".config/audio-session/policy.conf", "preset = phone\nroles = { music = { priority = 1  fade = 100 } }\n")
        let stronger = try folder.file(
            ".config/audio-session/policy.conf.d/50.conf", "roles = {\n    music = { priority = 2 }\n}\n")
        let wrong = try folder.file(".config/audio-session/policy.conf.d/60.conf", "roles = { music = { fade = 1 } }\n")
        let result = try run("check", "--effective")
        // The file with the mistake is left out; the rest is in force, and printed.
        #expect(result.status == 1)
        #expect(result.complaints.contains("60.conf:1:28: error: "))
        func comments(_ value: String) -> [String] {
            result.output.split(separator: "\n").filter { $0.trimmingPrefix { $0 == " " }.hasPrefix(value + " ") }
                .map { String($0.drop { $0 != "#" }) }
        }
        #expect(comments("preset = phone") == ["# \(weaker):1:10"])
        #expect(comments("priority = 2") == ["# \(stronger):2:26"])
        #expect(comments("fade = 100").contains("# \(weaker):2:42"))
        #expect(comments("priority = 1") == [])
        // Of untagged recordings, and of dictation.
        #expect(comments("category = record") == ["# built-in phone", "# built-in phone"])
        #expect(!wrong.isEmpty)
    }

    @Test("the merged policy is a policy file, and amounts to itself") func mergedPolicyIsPolicyFileAndAmountsToItself()
        throws
    {
        let path = try folder.file("a.conf", "preset = phone\nroles = { music = { priority = 7 } }\n")
        let first = try run("check", "--effective", path)
        #expect(first.status == 0)
        let again = try run("check", "--effective", folder.file("b.conf", first.output))
        #expect(again.status == 0)
        #expect(again.complaints == "")
        func values(_ text: String) -> [Substring] {
            text.split(separator: "\n").map { $0.prefix { $0 != "#" } }
        }
        #expect(values(again.output) == values(first.output))
    }

    @Test("a file with an error amounts to nothing") func fileWithErrorAmountsToNothing() throws {
        let result = try run("check", "--effective", folder.file("a.conf", "preset = fone\n"))
        #expect(result.status == 1)
        #expect(result.output == "")
    }

    @Test("machines are told the places of mistakes") func machinesAreToldPlacesOfMistakes() throws {
        let path = try folder.file("a.conf", "preset = phone\nroles = { music = {\n\tfade = soon\n} }\nblue = 1\n")
        let result = try run("check", "--json", path)
        #expect(result.status == 1)
        #expect(result.complaints == "")
        let read = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(read["schema"] as? Int == 1)
        let mistakes = try #require(read["diagnostics"] as? [[String: Any]])
        #expect(mistakes.map { $0["severity"] as? String } == ["error", "warning"])
        #expect(mistakes.map { $0["line"] as? Int } == [3, 5])
        #expect(mistakes.map { $0["file"] as? String } == [path, path])
        #expect((mistakes.first?["message"] as? String)?.hasPrefix("found 'soon', expected a time") == true)
        let good = try run("check", "--json", folder.file("b.conf", "preset = phone\n"))
        #expect(good.status == 0)
        #expect(good.output.contains("\"diagnostics\" : ["))
    }

    // MARK: - explain

    @Test("a stream is explained in words") func streamIsExplainedInWords() throws {
        let result = try run(
            "explain", "--preset", "desktop", "--properties", "media.role=Navigation", "application.name=My Maps")
        #expect(result.status == 0)
        #expect(result.complaints == "")
        let expected = """
            A playback stream with
                application.name = My Maps
                media.role = Navigation
            is 'navigation':
                category         playback
                options          duck-others
                mode             voice-prompt
                priority         normal (0)
                duck             gain -20 dB, attack 250 ms, hold 300 ms, release 700 ms
                fade             500 ms
                handover         overlap
                resume           transient
                release-delay    300 ms
                interruptible    true
                pause-player     false

            The policy is desktop.

            """
        #expect(result.output.hasPrefix(expected))
    }

    @Test("N11 N12 the file and line of every decision are said") func fileAndLineOfEveryDecisionAreSaid() throws {
        let path = try folder.file(
            "a.conf",
            """
            claims = { phone = { allow = [ { application.name = Calls } ]  otherwise = music } }
            rules = [
                {   matches = [ { media.name = "~^Intro" } ]
                    actions = { update-session = { priority = 7 } } }
            ]

            """)
        let words = try run(
            "explain", "--policy", path, "--properties", "media.role=phone", "media.name=Intro 1")
        #expect(words.status == 0)
        #expect(words.output.contains("is 'music':\n"))
        #expect(words.output.contains("    priority         7\n"))
        #expect(words.output.contains("It may not claim to be phone.\n"))
        #expect(words.output.contains("\n        \(path):1:30\n"))
        #expect(words.output.hasSuffix("\n        \(path):3:5\n"))
        let json = try run(
            "explain", "--json", "--policy", path, "--properties", "media.role=phone", "media.name=Intro 1")
        let read = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(read["refusedClaim"] as? String == "phone")
        let steps = try #require(read["steps"] as? [[String: Any]])
        #expect(steps.last?["file"] as? String == path)
        #expect(steps.last?["line"] as? Int == 3)
        #expect(steps.last?["column"] as? Int == 5)
    }

    @Test("all layers of the user are read, and the strongest wins") func allLayersOfUserAreReadAndStrongestWins()
        throws
    {
        _ = try folder.file(".config/audio-session/policy.conf", "roles = { music = { priority = 1  fade = 100 } }\n")
        _ = try folder.file(
            ".config/audio-session/policy.conf.d/50.conf", "roles = { music = { priority = 2 } }\n")
        let result = try run("explain", "--properties", "media.role=music")
        #expect(result.status == 0)
        #expect(result.output.contains("    priority         2\n"))
        #expect(result.output.contains("    fade             100 ms\n"))
        #expect(result.output.contains("policy.conf.d/50.conf"))
    }

    @Test("a stream that is left alone is said to be") func streamThatIsLeftAloneIsSaidToBe() throws {
        let result = try run("explain", "--preset", "desktop", "--capture")
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("A capture stream without properties is left alone.\n"))
    }

    @Test(
        "a stream's direction and its media class are one",
        arguments: [
            ["--capture"], ["--properties", "media.class=Stream/Input/Audio"],
            ["--capture", "--properties", "media.class=Stream/Input/Audio"],
        ])
    func streamIsExplainedByDirection(arguments: [String]) throws {
        let rule = """
            rules = [ {
                matches = [ { media.class = "Stream/Input/Audio" } ]
                actions = { update-session = { role = phone } }
            } ]

            """
        let path = try folder.file("a.conf", rule)
        let result = try CommandRun(
            ["explain", "--json", "--policy", path] + arguments, environment: [:], folder: folder)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect((read["description"] as? [String: Any])?["name"] as? String == "phone")
        #expect(read["direction"] as? String == "capture")
        let playback = try run("explain", "--policy", path, "--properties", "media.role=music")
        #expect(!playback.output.contains("phone"))
    }

    @Test("a stream that records and plays is not explained") func streamOfTwoDirectionsIsNotExplained() throws {
        let result = try run("explain", "--capture", "--properties", "media.class=Stream/Output/Audio")
        #expect(result.status == 1)
        #expect(
            result.complaints
                == "audio-session: media.class=Stream/Output/Audio: expected Stream/Input/Audio with --capture\n")
    }

    @Test("a stream is explained to machines") func streamIsExplainedToMachines() throws {
        let path = try folder.file("a.conf", "roles = { music = { priority = alarm } }\n")
        let result = try run("explain", "--json", "--policy", path, "--properties", "media.role=music", "a=b=c")
        #expect(result.status == 0)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let description = try #require(read["description"] as? [String: Any])
        #expect(description["name"] as? String == "music")
        #expect(description["priority"] as? Int == 100)
        #expect(read["properties"] as? [String: String] == ["media.role": "music", "a": "b=c"])
        #expect(read["direction"] as? String == "playback")
        #expect(read["schema"] as? Int == 1)
    }

    @Test("nothing is explained by a policy with errors") func nothingIsExplainedByPolicyWithErrors() throws {
        let path = try folder.file("a.conf", "preset = fone\n")
        let result = try run("explain", "--policy", path)
        #expect(result.status == 1)
        #expect(result.output == "")
        #expect(result.complaints.contains("\(path):1:10: error: "))
    }

    // MARK: - simulate

    private static let story = """
        title = "Short"
        streams = { music = { media.role = music } call = { media.role = phone } }
        events = [ { at = 0 play = music } { at = 1s play = call } { at = 3s stop = call } ]
        expect = [ { at = 2s stream = music is = corked } ]

        """

    @Test("a story is told, and ends well") func storyIsToldAndEndsWell() throws {
        let result = try run("simulate", folder.file("a.scenario", Self.story))
        #expect(result.status == 0)
        #expect(result.complaints == "")
        #expect(
            result.output == """
                Short (policy: desktop)

                     TIME  EVENT        STREAM  DECISION
                  0.000 s  music plays
                  1.000 s  call plays   music   is corked within 85 ms: phone is heard
                  3.000 s  call ends
                  3.300 s               music   is restored within 80 ms

                """)
    }

    @Test("an expectation that is not met ends it badly") func expectationThatIsNotMetEndsItBadly() throws {
        let path = try folder.file("a.scenario", Self.story.replacing("is = corked", with: "is = free"))
        let result = try run("simulate", path)
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("Short (policy: desktop)\n"))
        #expect(
            result.complaints == """
                \(path):4:42: error: found music corked at 2.000 s, expected free
                expect = [ { at = 2s stream = music is = free } ]
                                                         ^

                """)
    }

    @Test("another level than the expected one ends it badly, too") func anotherLevelThanExpectedOneEndsItBadlyToo()
        throws
    {
        let lowering = Self.story.replacing("role = phone", with: "role = navigation")
        func simulate(_ level: String) throws -> CommandRun {
            let text = lowering.replacing("is = corked", with: "is = \"ducked \(level)\"")
            return try run("simulate", folder.file("a.scenario", text))
        }
        #expect(try simulate("-20").status == 0)
        let result = try simulate("-19")
        #expect(result.status == 1)
        #expect(result.complaints.contains("error: found music ducked -20 at 2.000 s, expected ducked -19"))
    }

    @Test("another policy tells another story") func anotherPolicyTellsAnotherStory() throws {
        let path = try folder.file("a.scenario", Self.story)
        let policy = try folder.file("a.conf", "roles = { phone = none }\n")
        let result = try run("simulate", path, "--policy", policy)
        #expect(result.status == 1)
        #expect(result.output.contains("call    is left alone"))
        #expect(result.complaints.contains("error: found music free at 2.000 s, expected corked"))
        #expect(try run("simulate", path, "--preset", "phone").status == 0)
    }

    @Test("each format can go into a file", arguments: ["table", "json", "svg"]) func eachFormatCanGoIntoFile(
        format: String
    ) throws {
        let path = try folder.file("a.scenario", Self.story)
        let printed = try run("simulate", path, "--format", format)
        let written = try run("simulate", path, "--format", format, "--output", "result")
        #expect(printed.status == 0)
        #expect(written.status == 0)
        #expect(written.output == "")
        let file = folder.url.appending(path: "result")
        #expect(try String(contentsOf: file, encoding: .utf8) == printed.output)
        #expect(!printed.output.isEmpty)
    }

    @Test("a story finds its preset beside it") func storyFindsItsPresetBesideIt() throws {
        _ = try folder.file("quiet.conf", "roles = { phone = none }\n")
        let path = try folder.file(
            "a.scenario", Self.story.replacing("is = corked", with: "is = free") + "policy = quiet\n")
        let result = try run("simulate", path)
        #expect(result.complaints == "")
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("Short (policy: quiet)\n"))
        #expect(try run("simulate", "a.scenario").status == 0)
        // Also one that the user names.
        let plain = try folder.file("plain.scenario", Self.story.replacing("is = corked", with: "is = free"))
        let named = try run("simulate", "--preset", "quiet", plain)
        #expect(named.complaints == "")
        #expect(named.output.hasPrefix("Short (policy: quiet)\n"))
    }

    @Test("a file that cannot be written is an error") func fileThatCannotBeWrittenIsError() throws {
        let path = try folder.file("a.scenario", Self.story)
        let result = try run("simulate", path, "--output", "nowhere/result")
        #expect(result.status == 1)
        #expect(result.complaints == "audio-session: nowhere/result cannot be written: No such file or directory\n")
        #expect(try run("simulate", path, "--output", "/dev/full").status == 1)
    }

    // MARK: - In general

    @Test(
        "a wrong use is told from a wrong file",
        arguments: [
            [], ["frobnicate"], ["check", "--frobnicate"], ["simulate"], ["explain", "--properties", "media.role"],
            ["explain", "--preset", "desktop", "--policy", "x"], ["simulate", "x", "--format", "png"],
            ["check", "--effective", "a", "b"], ["check", "--effective", "--json"], ["list", "everything"],
            ["explain", "mpv", "--preset", "desktop"], ["explain", "mpv", "--properties", "a=b"], ["silent", "maybe"],
            ["pause", "soon"], ["interrupt", "begin"], ["run"], ["treat", "mpv"], ["treat", "mpv", "as", "noise"],
            ["treat", "as", "music"],
        ]) func wrongUseIsToldFromWrongFile(arguments: [String]) throws
    {
        let result = try CommandRun(arguments, folder: folder)
        // Without a subcommand there is help, and nothing wrong.
        #expect(result.status == (arguments.isEmpty ? 0 : 64))
    }

    @Test("shells can complete", arguments: ["bash", "zsh", "fish"]) func shellsCanComplete(shell: String) throws {
        let result = try run("--generate-completion-script", shell)
        #expect(result.status == 0)
        for word in [
            "check", "explain", "simulate", "properties", "preset", "status", "monitor", "do-not-disturb", "interrupt",
            "audio-processing", "spoken-audio", "treat",
        ] { #expect(result.output.contains(word)) }
    }

    @Test("it needs no Swift where it is installed") func itNeedsNoSwiftWhereItIsInstalled() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ldd")
        process.arguments = [try Project.command.path()]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(output.contains("libc.so"))
        for word in ["swift", "Foundation", "not found"] { #expect(!output.contains(word), "\(output)") }
    }
}
