import Foundation
import TestKit
import Testing

/// The blocks of memory that are in use in a daemon, as `Tests/LiveBlocks` counts them by who has asked for them.
private struct BlockCount: CustomStringConvertible {
    var ours = 0
    /// A table that grows is one block, however large.
    var bytesOfOurs = 0
    var others = 0

    /// Runs a daemon with the library in it.
    static func daemonPrefix() throws -> [String] {
        ["env", "LD_BIND_NOW=1", "LD_PRELOAD=\(try builtProgram("liblive-blocks.so"))"]
    }

    init(in desk: LiveDesktop) async throws {
        let report = try await desk.sandbox.run(Invocation("sed", ["/^end$/q", desk.sandbox.path("run/live-blocks")]))
        for line in String(decoding: report, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let count = Int(words[0]), let bytes = Int(words[1]) else { continue }
            if words[2].contains("module-audio-session") {
                ours += count
                bytesOfOurs += bytes
            } else {
                others += count
            }
        }
    }

    var description: String { "\(ours) blocks of the module with \(bytesOfOurs) bytes, and \(others) others" }

    /// A leak is a block more for each life, or a pointer more in a table. The daemon keeps some hundred freed blocks for
    /// later.
    func expectNoMore(than before: BlockCount, after lives: Int) {
        print("\(lives) more lives: \(before) before, \(self) after")
        #expect(before.ours > 0)
        #expect(ours - before.ours < max(2, lives / 50))
        #expect(bytesOfOurs - before.bytesOfOurs < lives * MemoryLayout<Int>.size)
        #expect(others - before.others < max(100, lives / 4))
    }
}

extension LiveModule {
    @Test("streams that come and go leave no memory behind")
    func streamsComeAndGo() async throws {
        let prefix = try BlockCount.daemonPrefix()
        try await LiveDesktop.run(
            servesBus: false, own: "counts the server's blocks of memory",
            options: {
                $0.pipeWire.daemonPrefix = prefix
                $0.pulseAudio.logLevel = "error"
                $0.pulseAudio.daemonPrefix = prefix
            }
        ) { desk in
            func churn(_ count: Int) async throws -> BlockCount {
                // pipewire-pulse of PipeWire 0.3 crashes when very many end at the same time.
                let atOnce = desk.server.kind == .pipeWire ? 2 : 20
                let output = try await desk.sandbox.run(
                    Invocation(try builtProgram("stream-churn"), ["\(count)", "\(atOnce)"]))
                #expect(String(decoding: output, as: UTF8.self) == "\(count) of \(count) streams played\n")
                _ = try await waitUntil("no stream is left") {
                    try await desk.server.streams().contains { !$0.isCapture } ? nil : true
                }
                return try await BlockCount(in: desk)
            }
            let before = try await churn(200)
            try await churn(400).expectNoMore(than: before, after: 400)
        }
    }

    @Test("the module comes and goes 200 times in one daemon, and leaves what plays as it was")
    func loadsAndUnloads() async throws {
        let prefix = try BlockCount.daemonPrefix()
        try await LiveDesktop.run(
            servesBus: false, own: "loads the module again", options: { $0.pulseAudio.daemonPrefix = prefix }
        ) { desk in
            let music = try await desk.playMusic()
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            func reload(_ times: Int) async throws {
                for _ in 0..<times {
                    try await desk.server.unloadModule()
                    try await desk.sandbox.run(
                        Invocation("pactl", ["load-module", "module-audio-session", "dbus=no"]))
                }
            }
            try await reload(50)
            let before = try await BlockCount(in: desk)
            try await reload(150)
            try await BlockCount(in: desk).expectNoMore(than: before, after: 150)
            try await desk.hearNothing(of: LiveDesktop.music)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            #expect(try await music.waitForStream().state == .running)
        }
    }

    @Test(
        "R12 a client that dies in any phase of its stream's life leaves nothing behind",
        arguments: ["connecting", "creating", "ready", "playing", "corked", "draining"])
    func diesInPhase(phase: String) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            for role in ["phone", "music", "Ringtone"] {
                let client = try desk.sandbox.start(
                    "dying", Invocation(try builtProgram("stream-churn"), ["die-\(phase)", role]))
                try await client.waitForExit()
                try await desk.hear(LiveDesktop.music)
            }
            // All streams but that of the music are gone.
            try await desk.server.waitForStream("the music alone") { _ in true }
            #expect(try await desk.server.streams().filter { !$0.isCapture }.count == 1)
        }
    }

    @Test("R10 N7 clients are told of an interruption and its end by events of their stream")
    func streamEvents() async throws {
        try await LiveDesktop.run { desk in
            let file = try desk.sandbox.write(Signal.tone(440, for: .seconds(60), on: .left), to: "music.wav")
            let music = try desk.sandbox.start(
                "listener",
                Invocation("paplay", ["--verbose", "--property=media.role=music", file]))
            try await desk.hear(LiveDesktop.music)
            let call = try desk.play(
                LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone, for: .seconds(2))
            try await music.log.wait(forLineContaining: "Got event 'request-cork'")
            try await music.log.wait(
                forLineContaining: """
                    audio-session.interruption = "began", audio-session.reason = "default", audio-session.by = "phone"
                    """)
            // R26: it has corked itself, as it was asked to.
            try await desk.server.waitForStream("a corked stream") { $0.state != .running }
            try await call.waitForExit()
            try await music.log.wait(
                forLineContaining: "audio-session.interruption = \"ended\", audio-session.should-resume = \"true\"")
            try await music.log.wait(forLineContaining: "Got event 'request-uncork'")
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("R8 R36 what a call does not let begin is silent, however late the daemon tells that it was started")
    func startIsToldLate() async throws {
        let policy = "interplay = { phone = { any = { newcomer = reject } } }"
        try await LiveDesktop.run(policy: policy, own: "loads a card") { desk in
            // Nothing but its delay is of use here.
            _ = try await PulseCard.start(.laptop, isAbsent: true, delay: .milliseconds(50), on: desk.pulseAudio)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            let start = desk.capture.frameCount
            let music = try desk.play(LiveDesktop.music, with: .mpvPulse, as: "music-player", role: .music)
            try await desk.log.wait(forLineContaining: "does not let it begin")
            // What corks at once has followed the request to cork, what corks later has been paused by its user.
            for _ in 0..<2 {
                let lines = try desk.log.lineCount
                try await music.pause()
                try await music.unpause()
                try await desk.log.wait(forLineContaining: "does not let it begin", after: lines)
                try await desk.capture.record(.seconds(1))
            }
            try await music.pause()
            call.terminate()
            try await desk.log.wait(forLineContaining: "session of telephone (phone) is over")
            try await desk.capture.record(.milliseconds(500))
            #expect(try await desk.highestLevel(of: LiveDesktop.music, from: start) < -90)
            try await music.unpause()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("N12 status and explain are answered as messages, in JSON, without a bus too", arguments: [true, false])
    func messages(servesBus: Bool) async throws {
        try await LiveDesktop.run(servesBus: servesBus) { desk in
            _ = try await desk.playMusic()
            func ask(_ words: String...) async throws -> JSONValue {
                try JSONValue(
                    parsing: try await desk.sandbox.run(
                        Invocation("pactl", ["send-message", "/audio-session"] + words)))
            }
            let status = try await ask("status")
            #expect(status["streams"]?.elements.first?["description"]?.text == "music")
            let explanation = try await ask("explain", "\"music-player\"")
            #expect(explanation.elements.first?.text?.contains("is not touched") == true)
            #expect(try await ask("explain", "\"nobody\"").elements.isEmpty)
            await #expect(throws: CommandFailure.self) { _ = try await ask("explode") }
        }
    }

    @Test("a wrong argument is named, with those that there are, and a second module refused")
    func wrongArguments() async throws {
        try await LiveDesktop.run { desk in
            func load(_ arguments: String...) async throws {
                try await desk.sandbox.run(Invocation("pactl", ["load-module", "module-audio-session"] + arguments))
            }
            await #expect(throws: CommandFailure.self) { try await load("bogus=1") }
            try await desk.log.wait(
                forLineContaining: "there is no argument bogus; there are: policy=/PATH preset=NAME dbus=yes|no")
            await #expect(throws: CommandFailure.self) { try await load("dbus=no") }
            try await desk.log.wait(forLineContaining: "the module is loaded already")
        }
    }

    @Test("the daemon's own role modules make way, and come back when the module goes")
    func stockModulesMakeWay() async throws {
        try await LiveDesktop.run(
            own: "loads and unloads modules",
            options: { $0.pulseAudio.modules.append("module-role-cork cork_roles=music") }
        ) {
            desk in
            func modules() async throws -> String {
                String(
                    decoding: try await desk.sandbox.run(Invocation("pactl", ["list", "short", "modules"])),
                    as: UTF8.self)
            }
            func wait(forRoleCork isThere: Bool) async throws {
                _ = try await waitUntil("module-role-cork is \(isThere ? "" : "not ")there") {
                    try await modules().contains("module-role-cork") == isThere ? true : nil
                }
            }
            try await wait(forRoleCork: false)
            // What is loaded later makes way too.
            try await desk.sandbox.run(Invocation("pactl", ["load-module", "module-role-ducking"]))
            _ = try await waitUntil("module-role-ducking is gone") {
                try await modules().contains("module-role-ducking") ? nil : true
            }
            // And the policy may change its mind.
            try await desk.save("stock-modules = keep", .byRenaming)
            try await wait(forRoleCork: true)
            try await desk.save("stock-modules = unload", .byRenaming)
            try await wait(forRoleCork: false)
            try await desk.server.unloadModule()
            try await wait(forRoleCork: true)
            let lines = try await modules().split(separator: "\n")
            #expect(lines.contains { $0.contains("module-role-cork\tcork_roles=music") })
            #expect(lines.contains { $0.contains("module-role-ducking") })
        }
    }

    @Test("where the policy keeps the daemon's own role modules, they stay and are warned of")
    func stockModulesStay() async throws {
        try await LiveDesktop.run(
            policy: "stock-modules = keep", options: { $0.pulseAudio.modules.append("module-role-cork") }
        ) { desk in
            try await desk.log.wait(forLineContaining: "module-role-cork is loaded: it and audio sessions work against")
            let list = try await desk.sandbox.run(Invocation("pactl", ["list", "short", "modules"]))
            #expect(String(decoding: list, as: UTF8.self).contains("module-role-cork"))
        }
    }

    @Test("R15 N16 what passes through the daemon as it is has no volume, and is stopped where others are muted")
    func passthroughIsStopped() async throws {
        try await LiveDesktop.run(own: "closes the monitor of the sink") { desk in
            // The daemon closes a sink's monitor meanwhile, so what counts is whether the sound is taken.
            let length = Duration.seconds(4)
            let file = try desk.sandbox.write(Signal.tone(880, for: length, on: .right), to: "film.wav")
            let app = try await desk.application()
            let player = try desk.sandbox.start(
                "player",
                Invocation(
                    "paplay",
                    ["--verbose", "--passthrough", "--client-name=player", "--property=media.role=game", file]))
            let process = player.processID
            let clock = ContinuousClock()
            let start = clock.now
            try await desk.server.waitForStream("a film that runs") {
                $0.processID == process && $0.state == .running
            }
            // It does not do what it is asked to, so that only the daemon can stop it.
            player.signal(SIGSTOP)
            try await app.set("Silent", "true")
            let played = start.duration(to: clock.now)
            // In that time what it has sent ahead would be taken: that it is not cannot be waited for.
            try await Task.sleep(for: length)
            let release = clock.now
            try await app.set("Silent", "false")
            player.signal(SIGCONT)
            try await player.log.wait(forLineContaining: "Got event 'request-cork'")
            #expect(try await player.waitForExit() == .exited(0))
            // All of it was played; what was there when it was stopped, too. A slow machine makes this longer, and the bound lower.
            #expect(release.duration(to: clock.now) > length - played - .milliseconds(500))
        }
    }

    @Test(
        "R12 a recording of what a sink plays is left alone, until it is moved to a microphone, and when it is moved back"
    )
    func recorderMoves() async throws {
        try await LiveDesktop.run(own: "moves recordings between sources") { desk in
            let recorder = try await Recorder.start(on: desk, from: "@DEFAULT_MONITOR@", as: .phone)
            func wait(untilManaged isManaged: Bool) async throws {
                _ = try await waitUntil("a recorder that is \(isManaged ? "" : "not ")managed") {
                    try await desk.command("list", "streams", "--json").contains("\"capture\"") == isManaged
                        ? true : nil
                }
            }
            try await wait(untilManaged: false)
            try await recorder.move(to: "no-microphone")
            try await wait(untilManaged: true)
            try await recorder.move(to: "@DEFAULT_MONITOR@")
            try await wait(untilManaged: false)
        }
    }

    @Test("R34 a player that answers a request late, on a busy machine, is given back all the same")
    func answersCallLate() async throws {
        try await LiveDesktop.run { desk in
            let music = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await desk.hear(LiveDesktop.music)
            let call = try await desk.call(answeredLateBy: music, while: desk.capture)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            _ = try await waitUntil("music that is wanted") {
                try await desk.stream(of: "music-player")?["wanted"] as? Bool == true ? true : nil
            }
        }
    }

    @Test("R35 R36 who does not go on when it is asked to is not taken for one that plays, nor after two calls")
    func doesNotGoOn() async throws {
        try await LiveDesktop.run { desk in
            let music = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await desk.hear(LiveDesktop.music)
            var firstEnd = StallMeter.now
            for isFirst in [true, false] {
                let lines = try desk.log.lineCount
                let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
                try await desk.log.wait(forLineContaining: "music-player (music) was interrupted", after: lines)
                if isFirst {
                    try await music.waitForStream(in: [.idle, .suspended])
                    music.process.signal(SIGSTOP)
                    firstEnd = StallMeter.now
                }
                call.terminate()
                try await desk.log.wait(
                    forLineContaining: "interruption of music-player (music) has ended", after: lines)
            }
            // The second call is over before it is said of the first one that the player did not go on, but on a slow machine.
            // What holds then is shown by CorkRequestTests, too.
            let isWanted = try await desk.stream(of: "music-player")?["wanted"] as? Bool
            if StallMeter.now - firstEnd < .seconds(1) { #expect(isWanted == true) }
            _ = try await waitUntil("music that is not wanted") {
                try await desk.stream(of: "music-player")?["wanted"] as? Bool == false ? true : nil
            }
            music.process.signal(SIGCONT)
            try await desk.hear(LiveDesktop.music)
            #expect(try await desk.stream(of: "music-player")?["wanted"] as? Bool == true)
        }
    }

    @Test("R33 a recorder that was asked to stop is asked to go on when it is moved to what a sink plays")
    func recorderLeavesDuringCall() async throws {
        // A recording without a role is left alone unless the policy says otherwise, whatever the recorder says of music.
        let policy = "preset = desktop\nuntagged-capture = { category = record }\n"
        try await LiveDesktop.run(options: { $0.configurationFiles["audio-session/policy.conf"] = policy }) { desk in
            let recorder = try await Recorder.start(on: desk, from: "no-microphone", as: .music)
            _ = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await recorder.process.log.wait(forLineContaining: "Got event 'request-cork'")
            try await recorder.move(to: "@DEFAULT_MONITOR@")
            try await recorder.process.log.wait(forLineContaining: "Got event 'request-uncork'")
            try await recorder.process.log.wait(forLineContaining: "audio-session.interruption = \"ended\"")
        }
    }

    @Test("R26 what says more of itself during a call stays silent, and is not asked to go on in between")
    func propertiesChangeDuringCall() async throws {
        try await LiveDesktop.run { desk in
            let tone = LiveDesktop.secondInterrupter
            let music = try desk.playOddly(
                frequency: tone.frequency, properties: ["media.role=music"], laterRole: .video)
            try await desk.hear(tone)
            let call = try desk.play(LiveDesktop.music, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: tone)
            try await music.log.wait(forLineContaining: "request-cork")
            let process = music.processID
            try await desk.server.waitForStream("a stream that has corked itself") {
                $0.processID == process && $0.state != .running
            }
            let begin = desk.capture.frameCount
            music.signal(SIGUSR1)
            _ = try await waitUntil("a stream with another role") {
                try await desk.stream(of: "odd-pulse-client")?["description"] as? String == "video" ? true : nil
            }
            #expect(try await desk.stream(of: "odd-pulse-client")?["treatment"] as? String == "corked")
            try await desk.capture.record(.milliseconds(500))
            #expect(try await desk.highestLevel(of: tone, from: begin) < -90)
            #expect(!music.log.text.contains("request-uncork"))
            call.terminate()
            try await desk.hear(tone)
        }
    }
}

/// A program that records, and logs the events of its stream.
private struct Recorder {
    let process: ChildProcess
    private let stream: UInt32
    private let desk: LiveDesktop

    static func start(on desk: LiveDesktop, from source: String, as role: MediaRole) async throws -> Recorder {
        let process = try desk.sandbox.start(
            "recorder",
            Invocation(
                "parec",
                [
                    "--verbose", "--device=\(source)", "--client-name=recorder", "--property=media.role=\(role.pulse)",
                    desk.sandbox.path("tmp/recording"),
                ]))
        let number = process.processID
        let stream = try await desk.server.waitForStream("the recorder") { $0.processID == number }
        return Recorder(process: process, stream: stream.id, desk: desk)
    }

    func move(to source: String) async throws {
        try await desk.sandbox.run(Invocation("pactl", ["move-source-output", "\(stream)", source]))
    }
}
