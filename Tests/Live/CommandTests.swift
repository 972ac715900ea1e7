import Foundation
import PolicyRuntime
import TestKit
import Testing

/// The command line against the module in a real server.
extension LiveModule {
    @Test("N12 audio-session tells what the module does to whom, and why")
    func commandsTell() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            #expect(try await desk.stream(of: "music-player")?["treatment"] as? String == "untouched")
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            let stream = try #require(try await desk.stream(of: "music-player"))
            #expect(stream["treatment"] as? String == "corked")
            #expect((stream["by"] as? String)?.contains("telephone") == true, "\(stream)")
            let explanation = try await desk.command("explain", "music-player")
            #expect(explanation.contains("telephone"), "\(explanation)")
            // The same stream by its number, and by its process.
            for key in ["id", "process"] {
                let number = try #require(stream[key] as? Int)
                let text = try await desk.command("explain", "\(number)")
                #expect(text.contains("music-player") && text.contains("telephone"), "\(text)")
            }
            let tree = try await desk.command("status")
            #expect(tree.contains("corked by"), "\(tree)")
            #expect(tree.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(tree)")
            #expect(try await desk.command("list", "streams").split(separator: "\n").count == 3)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            #expect(try await desk.stream(of: "music-player")?["treatment"] as? String == "untouched")
        }
    }

    @Test("audio-session status says which server it is, and what that one cannot do")
    func statusShowsLimits() async throws {
        try await LiveDesktop.run { desk in
            let limits: [ServerLimit]
            let name: String
            switch desk.server.kind {
            case .pipeWire: (limits, name) = (ServerLimit.ofPipeWire, "PipeWire")
            case .pulseAudio: (limits, name) = (ServerLimit.ofPulseAudio, "PulseAudio")
            }
            let record = try #require(
                try await JSONSerialization.jsonObject(with: Data(desk.command("status", "--json").utf8))
                    as? [String: Any])
            #expect((record["server"] as? String)?.hasPrefix(name + " ") == true, "\(record["server"] ?? "")")
            let told = try #require(record["server-limits"] as? [String: String])
            #expect(told == Dictionary(uniqueKeysWithValues: limits.map { ($0.rawValue, $0.reason) }))
            #expect(try await desk.command("status").contains("Not in") == false)
            let tree = try await desk.command("status", "--limits")
            #expect(tree.contains("Not in \(name) "), "\(tree)")
            for limit in limits { #expect(tree.contains(limit.rawValue), "\(tree)") }
        }
    }

    @Test("N11 audio-session treat makes a program a call, leaves another one alone, and takes both back")
    func commandTreats() async throws {
        // A policy of the test's own, so that no other test has this server.
        let files = ["audio-session/policy.conf": "preset = desktop\n"]
        try await LiveDesktop.run(options: { $0.configurationFiles.merge(files) { $1 } }) { desk in
            _ = try await desk.playMusic()
            let chatter = try desk.play(LiveDesktop.interrupter, with: .plain, as: "chatter", role: nil)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hear(LiveDesktop.music)
            // Right after another file, which the module has not read yet.
            try desk.server.sandbox.write(
                "preset = desktop\n", to: "home/.config/audio-session/policy.conf.d/20-other.conf")
            let said = try await desk.command("treat", "chatter", "as", "call")
            #expect(said.hasPrefix("chatter: what it plays is a call"), "\(said)")
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.command("treat", "music-player", "as", "alone")
            try await desk.hear(LiveDesktop.music)
            try await desk.command("treat", "undo")
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.command("treat", "chatter", "as", "default")
            try await desk.hear(LiveDesktop.music)
            #expect(chatter.process.isRunning)
        }
    }

    @Test("N12 audio-session monitor shows an interruption while it happens")
    func commandMonitors() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let file = desk.sandbox.path("tmp/events")
            let monitor = try desk.sandbox.start(
                "monitor", Invocation(try builtProgram("audio-session"), ["monitor", "--json"]),
                output: file)
            func events() throws -> [[String: Any]] {
                let text = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
                // The last line may not be whole yet.
                return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
                    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                }
            }
            /// What was done to the music, one after the other.
            func treatments() throws -> [String] {
                try events().compactMap { event in
                    let details = event["details"] as? [String: Any]
                    guard details?["application"] as? String == "music-player" else { return nil }
                    return details?["treatment"] as? String
                }
            }
            _ = try await waitUntil("the snapshot", evidence: { monitor.log.tail() }) {
                try events().first?["kind"] as? String
            }
            #expect(try events().first?["kind"] as? String == "snapshot")
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            _ = try await waitUntil("music corked in the monitor", evidence: { monitor.log.tail() }) {
                try treatments().last == "corked" ? true : nil
            }
            call.terminate()
            _ = try await waitUntil("music untouched in the monitor", evidence: { monitor.log.tail() }) {
                try treatments().last == "untouched" ? true : nil
            }
            #expect(try events().allSatisfy { $0["schema"] as? Int == 2 && $0["time"] is Int })
            monitor.signal(SIGTERM)
            #expect(try await monitor.waitForExit() == .exited(0))
        }
    }

    @Test("N12 R63 audio-session names the output that has gone, and says each state once")
    func commandsNameLostOutput() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.laptop)
            let headphones = try await card.record("headphones")
            _ = try desk.play(LiveDesktop.music, with: .plain, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let file = desk.sandbox.path("tmp/events")
            let monitor = try desk.sandbox.start(
                "monitor", Invocation(try builtProgram("audio-session"), ["monitor"]), output: file)
            func lines() -> [String] {
                let text = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
                return text.split(separator: "\n").map(String.init)
            }
            _ = try await waitUntil("the snapshot", evidence: { monitor.log.tail() }) { lines().first }
            let name = try #require(try await desk.outputInUse())
            try await card.unplug("headphones")
            try await card.wait(untilHeardFrom: "speaker")
            let tree = try await desk.command("status")
            #expect(tree.contains("corked by \(name) (output)"), "\(tree)")
            let explanation = try await desk.command("explain", "music-player")
            #expect(explanation.contains("the output on which it was heard has gone"), "\(explanation)")
            #expect(!explanation.contains("Origin"), "\(explanation)")
            try await card.plug("headphones")
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            await monitor.stop()
            #expect(lines().contains { $0.contains(" corked by \(name) (output)") }, "\(lines())")
            #expect(!lines().contains { $0.contains("?") }, "\(lines())")
            // Without the time.
            let told = lines().map { String($0.drop { $0 != " " }) }
            #expect(!zip(told, told.dropFirst()).contains { $0 == $1 }, "\(lines())")
        }
    }

    @Test("N16 audio-session pause suspends the policy, and resume puts it in force again")
    func commandPauses() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            #expect(try await desk.command("pause", "1h").hasPrefix("paused until "))
            try await desk.hear(LiveDesktop.music)
            try await desk.command("resume")
            try await desk.hearNothing(of: LiveDesktop.music)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            try await desk.expectNoClick(since: start)
        }
    }

    @Test("R36 audio-session interrupt silences others for as long as it runs", arguments: [SIGTERM, SIGKILL])
    func commandInterrupts(signal: Int32) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let alarm = try desk.sandbox.start(
                "alarm", Invocation(try builtProgram("audio-session"), ["interrupt", "begin", "alarm"]))
            try await desk.hearNothing(of: LiveDesktop.music)
            alarm.signal(signal)
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test(
        "R36 what a command plays within an interruption is part of it, and ends it",
        arguments: ["phone", "duck"], ClientProgram.interrupters)
    func commandWithinInterruption(kind: String, program: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let player = program.executable
            let file = try desk.sandbox.write(
                Signal.tone(LiveDesktop.interrupter.frequency, for: .seconds(3), on: LiveDesktop.interrupter.channel),
                to: "command-\(UUID().uuidString.prefix(6)).wav")
            let command = try desk.sandbox.start(
                "interrupt",
                Invocation(try builtProgram("audio-session"), ["interrupt", "begin", kind, "--", player, file]))
            try await desk.hear(LiveDesktop.interrupter)
            if kind == "duck" {
                try await desk.hear(LiveDesktop.music, lowered: 14)
            } else {
                try await desk.hearNothing(of: LiveDesktop.music)
            }
            try await desk.expect(LiveDesktop.interrupter, at: LiveDesktop.full, during: .milliseconds(500))
            #expect(try await command.waitForExit() == .exited(0))
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test(
        "R15 R17 R40 audio-session run says what an application's sound is for",
        arguments: ClientProgram.interrupters)
    func commandTags(program: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let player = program.executable
            func play(_ options: String...) throws -> ChildProcess {
                let file = try desk.sandbox.write(
                    Signal.tone(
                        LiveDesktop.interrupter.frequency, for: .seconds(60), on: LiveDesktop.interrupter.channel),
                    to: "tagged-\(UUID().uuidString.prefix(6)).wav")
                return try desk.sandbox.start(
                    player,
                    Invocation(try builtProgram("audio-session"), ["run"] + options + ["--", player, file]))
            }
            // The default gain of ducking.
            let prompt = try play("--category", "playback", "--option", "duck-others")
            try await desk.hear(LiveDesktop.music, lowered: 14)
            await prompt.stop()
            try await desk.hear(LiveDesktop.music)
            // Decoration obeys the silent switch.
            let decoration = try play("--category", "ambient")
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hear(LiveDesktop.music)
            try await desk.command("silent", "on")
            try await desk.hearNothing(of: LiveDesktop.interrupter)
            #expect(try await desk.command("silent") == "on\n")
            try await desk.hear(LiveDesktop.music)
            try await desk.command("silent", "off")
            try await desk.hear(LiveDesktop.interrupter)
            await decoration.stop()
        }
    }
}

extension LiveDesktop {
    /// Runs the command line to its end, and returns what it printed.
    @discardableResult func command(_ arguments: String...) async throws -> String {
        let output = try await sandbox.run(Invocation(try builtProgram("audio-session"), arguments))
        return String(decoding: output, as: UTF8.self)
    }

    /// What `audio-session list streams` says of an application's stream.
    func stream(of application: String) async throws -> [String: Any]? {
        try await streams().first { $0["application"] as? String == application }
    }
    /// The streams as `audio-session list` says them.
    func streams() async throws -> [[String: Any]] {
        let text = try await command("list", "streams", "--json")
        let read = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return read?["streams"] as? [[String: Any]] ?? []
    }
    /// The name of the output that is in use, as `audio-session route` says it.
    func outputInUse() async throws -> String? {
        let read = try JSONSerialization.jsonObject(with: Data(try await command("route", "--json").utf8))
        let route = (read as? [String: Any])?["route"] as? [String: Any]
        return (route?["outputs"] as? [[String: Any]])?.first?["name"] as? String
    }
}
