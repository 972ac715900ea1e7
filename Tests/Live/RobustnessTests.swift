import Foundation
import Synchronization
import TestKit
import Testing

extension LiveModule {
    @Test("position: a corked stream goes on at the sample where it stopped", arguments: ClientProgram.victims)
    func position(victim: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            _ = try desk.play(Signal.position(for: .seconds(60)), with: victim, as: "music-player", role: .music)
            // In its first second a player may have a gap of its own.
            try await desk.capture.record(.seconds(2))
            let start = desk.capture.frameCount
            let times = 3
            for _ in 0..<times {
                let log = try desk.log.fromNow
                let ringing = try desk.play(
                    Signal.tone(880, amplitude: 0.001, for: .seconds(2)), with: .plain, as: "telephone",
                    role: .ringtone)
                try await log.wait(forLineContaining: "was interrupted by telephone")
                ringing.kill()
                try await log.wait(forLineContaining: "interruption of music-player (music) has ended")
                try await desk.capture.record(.seconds(1))
            }
            // The ringing is so faint that it does not disturb, and ends before the track is looked at again.
            let track = PositionTrack(of: try await desk.heard(from: start), threshold: 2e-3)
            print("position after corks of \(victim): \(track.breaks)")
            try #require(track.breaks.count == times)
            // The last and the first quarter of a fade are below −60 dB, and so below the threshold: 50 ms of the two. In
            // PipeWire, two cycles of 1,024 frames may pass unheard besides: where the gain has landed and the cork has not,
            // and where the stream is let go and its gain has not risen.
            let most = 2400 + (desk.server.kind == .pipeWire ? 2 * 1024 : 0) + 160
            // A daemon that waits for a processor corks later, but not each time; a mistake is there each time.
            let lost = track.breaks.map(\.skipped)
            #expect(lost.contains { $0 <= most }, "lost \(lost) frames")
            let latest = most + MachineWatch.shortestBuffer.frames
            #expect(lost.allSatisfy { $0 <= latest }, "lost \(lost) frames")
            // None was repeated in any run; so many are rounding.
            #expect(lost.allSatisfy { $0 >= -16 }, "lost \(lost) frames")
        }
    }

    @Test("unloading the module gives every stream back", arguments: [MediaRole.navigation, .phone])
    func unload(role: MediaRole) async throws {
        try await LiveDesktop.run(own: "unloads the module") { desk in
            let music = try await desk.playMusic()
            _ = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: role)
            if role == .phone {
                try await desk.hearNothing(of: LiveDesktop.music)
            } else {
                try await desk.hear(LiveDesktop.music, lowered: 20)
            }
            // At once, with a click: a module that leaves has no time for a fade.
            try await desk.server.unloadModule()
            try await desk.hear(LiveDesktop.music)
            #expect(try await music.waitForStream().state == .running)
        }
    }

    @Test(
        "a server that is stopped with streams ducked and corked leaves nothing behind", arguments: [SIGTERM, SIGKILL])
    func serverStopped(signal: Int32) async throws {
        try await LiveDesktop.run(own: "ends the server", options: { $0.remembersVolumes = true }) { desk in
            let music = try await desk.playMusic()
            let prompt = try desk.play(LiveDesktop.interrupter, with: .plain, as: "navigator", role: .navigation)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            music.terminate()
            prompt.terminate()
            if signal == SIGKILL { try await desk.server.outliveStart() }
            try await desk.server.stopDaemon(signal: signal)
            await desk.server.stopServers()
            try await desk.server.startServers()
            let capture = try await Capture.start(on: desk.server)
            let again = LiveDesktop(server: desk.server, capture: capture)
            let second = try await again.playMusic()
            #expect(try await second.waitForStream().isAtFullVolume)
        }
    }

    @Test("a module that did not survive its last start is not loaded again, until its mark is removed")
    func startNotSurvived() async throws {
        // As the file that loads the module has it: the daemon goes on without what cannot be loaded.
        try await LiveDesktop.run(
            own: "ends the server", options: { $0.pulseAudio.daemonArguments.append("--fail=no") }
        ) { desk in
            let begun = FileManager.default.fileExists(atPath: desk.server.startMark)
            #expect(begun, "the start is not marked")
            try await desk.server.stopDaemon(signal: SIGKILL)
            await desk.server.stopServers()
            try await desk.server.startServers()
            let refused = try #require(desk.server.daemon)
            let line = try await refused.log.wait(forLineContaining: "is not loaded again; to try again, remove ")
            #expect(line.contains(desk.server.startMark))
            // Nothing is done to anybody.
            let capture = try await Capture.start(on: desk.server)
            let without = LiveDesktop(server: desk.server, capture: capture)
            _ = try await without.playMusic()
            let call = try without.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await without.hear(LiveDesktop.interrupter)
            try await without.hear(LiveDesktop.music)
            call.terminate()
            // A daemon that ends in good order takes its mark along, and one that is refused leaves it.
            try await desk.server.stopDaemon(signal: SIGTERM)
            await desk.server.stopServers()
            try FileManager.default.removeItem(atPath: desk.server.startMark)
            try await desk.server.startServers()
            #expect(FileManager.default.fileExists(atPath: desk.server.startMark))
            try await desk.server.stopDaemon(signal: SIGTERM)
            #expect(!FileManager.default.fileExists(atPath: desk.server.startMark))
            await desk.server.stopServers()
            try await desk.server.startServers()
            #expect(FileManager.default.fileExists(atPath: desk.server.startMark))
        }
    }

    @Test("roles that are left alone neither act nor are acted upon", arguments: ["Production", "DSP", "Test"])
    func leftAlone(role: String) async throws {
        try await LiveDesktop.run { desk in
            _ = try desk.play(LiveDesktop.music, with: .plain, as: "studio", role: MediaRole(role))
            try await desk.hear(LiveDesktop.music)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hear(LiveDesktop.music)
            call.terminate()
        }
    }

    @Test("N10 a stream that is lowered, and then says that it is one to be left alone, has its own level again")
    func roleChangesWhileLowered() async throws {
        try await LiveDesktop.run { desk in
            let tone = LiveDesktop.secondInterrupter
            let studio = try desk.playOddly(
                frequency: tone.frequency, properties: ["media.role=music"], laterRole: .production)
            try await desk.hear(tone)
            let prompt = try desk.play(LiveDesktop.music, with: .plain, as: "navigator", role: .navigation)
            try await desk.hear(tone, lowered: 20)
            studio.signal(SIGUSR1)
            try await desk.hear(tone)
            // Nor does the end of the prompt do anything to it.
            prompt.terminate()
            try await prompt.waitUntilGone()
            try await desk.hear(tone)
        }
    }

    @Test("R36 a stream whose node is not to be paused is muted during a call, and runs on")
    func muteInsteadOfPause() async throws {
        try await LiveDesktop.run { desk in
            let tone = LiveDesktop.secondInterrupter
            let music = try desk.playOddly(
                frequency: tone.frequency, properties: ["media.role=Music", "node.pause-on-idle=false"])
            try await desk.hear(tone)
            let call = try desk.play(LiveDesktop.music, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: tone)
            let process = music.processID
            let state = try await desk.server.streams().first { $0.processID == process }?.state
            #expect(state == .running)
            call.terminate()
            try await desk.hear(tone)
        }
    }

    @Test("loopbacks and monitors are left alone")
    func loopbacks() async throws {
        let loopback = """
            context.modules = [
                { name = libpipewire-module-loopback
                  args = {
                      capture.props = { node.name = loop-in media.class = Audio/Sink audio.position = [ FL FR ] }
                      playback.props = { node.name = loop-out media.role = Music target.object = test-sink }
                  } }
            ]
            """
        try await LiveDesktop.run(
            own: "loads a loopback",
            options: {
                $0.pipeWire.pipeWireFragments["60-loopback.conf"] = loopback
                $0.pulseAudio.modules += [
                    "module-null-sink sink_name=loop-in format=float32le rate=48000 channels=2",
                    "module-loopback source=loop-in.monitor sink=test-sink sink_input_properties=media.role=music",
                ]
            }
        ) { desk in
            let file = try desk.sandbox.write(Signal.tone(440, for: .seconds(30), on: .left), to: "loop.wav")
            _ = try Client(
                .plain, file: file, as: ApplicationIdentity("studio"), role: MediaRole("Production"),
                arguments: ClientProgram.plain.argumentsForSink("loop-in"), on: desk.server)
            try await desk.hear(LiveDesktop.music)
            _ = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            // The capture is a monitor and goes on too, or nothing could be heard here.
            try await desk.hear(LiveDesktop.music)
            #expect(try !desk.moduleLog.contains("loop"))
        }
    }

    @Test("R1 R79 streams of one application do not touch each other")
    func oneApplication() async throws {
        try await LiveDesktop.run { desk in
            let messenger = try await SessionApplication(
                "messenger", as: "messenger", isShared: true, in: desk.sandbox)
            _ = try await messenger.start(
                desk.invocation(LiveDesktop.music, with: .paplay, as: "messenger", role: .music, isShared: true))
            try await desk.hear(LiveDesktop.music)
            let ringing = try await messenger.start(
                desk.invocation(LiveDesktop.interrupter, with: .paplay, as: "messenger", role: .phone, isShared: true))
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hear(LiveDesktop.music)
            try await messenger.stop(ringing)
        }
    }

    @Test(
        "N18 two players of the same program that were started one by one are two applications",
        arguments: [ClientProgram.plain, .mpvPulse])
    func sameProgram(program: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            let music = try desk.play(LiveDesktop.music, with: program, as: "player", role: .music)
            try await desk.hear(LiveDesktop.music)
            let call = try desk.play(LiveDesktop.interrupter, with: program, as: "player", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            music.terminate()
        }
    }

    @Test("R2 a stream that exists but does not run touches nobody")
    func existsOnly() async throws {
        try await LiveDesktop.run { desk in
            let call = try desk.play(LiveDesktop.interrupter, with: .mpvPulse, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            try await call.pause()
            _ = try await desk.playMusic()
            #expect(try await call.stream() != nil)
            try await call.unpause()
            try await desk.hearNothing(of: LiveDesktop.music)
            try await call.pause()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("a role of 64 KB is no role, and text that is not UTF-8 does no harm")
    func hostileProperties() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let long = String(repeating: "phone", count: 13_107)
            let rubbish = #"\xff\xfe\xc3\x28\xf0\x9f\x80"#
            let hostile: [[String]] = [
                ["media.role=\(long)"],
                ["application.process.binary=\(long)", "application.name=\(long)"],
                ["media.role=\(rubbish)", "application.name=\(rubbish)", "application.process.binary=\(rubbish)"],
                ["media.role=\(rubbish)phone", "media.name=\(rubbish)", "node.latency=\(rubbish)"],
                ["media.role=", "application.name=", "application.process.binary=", "node.latency=0/0"],
                ["node.link-group=\(rubbish)"],
            ]
            for properties in hostile {
                let client = try desk.playOddly(properties: properties)
                try await desk.hear(LiveDesktop.interrupter)
                try await desk.hear(LiveDesktop.music)
                client.signal(SIGTERM)
                try await client.waitForExit()
            }
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("very many streams at once are corked and given back")
    func manyStreams() async throws {
        let wanted = 200
        // Clients of PipeWire 0.3 lose track of their memory with many more streams on one connection, and a sink of
        // PipeWire 0.3 mixes 128 streams at the most; so there are several of both.
        let (streamsOnEach, clientsOnEach) = (25, 4)
        let clients = (wanted + streamsOnEach - 1) / streamsOnEach
        let sinks = (clients + clientsOnEach - 1) / clientsOnEach
        let more = (1..<max(sinks, 2)).map { number in
            """
                { factory = adapter
                  args = { factory.name = support.null-audio-sink node.name = sink-\(number) media.class = Audio/Sink
                           audio.rate = 48000 audio.position = [ FL FR ] } }
            """
        }
        let fragment = "context.objects = [\n\(more.joined(separator: "\n"))\n]\n"
        try await LiveDesktop.run(options: {
            // The kernel ends a daemon whose thread needs more time than there is, as a hundred streams of 20 ms on one
            // sink may on a busy machine, whoever tells them to stop.
            $0.pulseAudio.configuration = ["rlimit-rttime = -1"]
            $0.pipeWire.pipeWireFragments["60-sinks.conf"] = fragment
            $0.pulseAudio.modules += (1..<max(sinks, 2)).map {
                "module-null-sink sink_name=sink-\($0) format=float32le rate=48000 channels=2"
            }
        }) { desk in
            let log = try desk.log
            func lines(containing text: String) -> Int { log.text.components(separatedBy: text).count - 1 }
            var crowds: [ChildProcess] = []
            for number in 0..<clients {
                let sink = number / clientsOnEach
                crowds.append(
                    try desk.playOddly(
                        count: streamsOnEach, amplitude: 0.001, frequency: LiveDesktop.secondInterrupter.frequency,
                        properties: ["media.role=Music", "application.process.binary=player-\(number)-%d"],
                        on: sink == 0 ? desk.server.sinkName : "sink-\(sink)"))
            }
            @Sendable func players() async throws -> [ServerStream] {
                try await desk.server.streams().filter {
                    $0.properties["application.process.binary"]?.hasPrefix("player-") ?? false
                }
            }
            // Asked of the module: with a thousand streams, pw-dump takes minutes.
            let shell = try await SessionApplication("shell", in: desk.sandbox)
            @Sendable func music(_ isCounted: (JSONValue) -> Bool) async throws -> Int {
                try await shell.manager("ListStreams").elements.filter {
                    $0["description"]?.text == "music" && isCounted($0)
                }.count
            }
            // Clients of PipeWire 0.3 lose a stream now and then when so many start at once, so it is counted how many play
            // when no more of them begin.
            let count = try await waitUntil("\(wanted) streams") {
                let count = try await music { $0["running"]?.bool == true }
                try await desk.capture.record(.seconds(3))
                let later = try await music { $0["running"]?.bool == true }
                return count >= wanted * 9 / 10 && count == later ? count : nil
            }
            // It links itself, too; the session manager would take longer than anybody lets a telephone ring. It rings
            // at -48 dBFS, because a loud tone on the same channel hides the others.
            let ringing = try desk.playOddly(
                amplitude: 0.004, properties: ["media.role=Ringtone", "application.process.binary=telephone"],
                on: desk.server.sinkName)
            // A single one of the others would be at -60 dBFS.
            try await desk.capture.wait(
                for: LiveDesktop.secondInterrupter, below: -90, lasting: .seconds(1))
            try await desk.capture.wait(for: LiveDesktop.interrupter, at: -48, lasting: .milliseconds(300))
            let corked = try await music { $0["treatment"]?.text == "corked" }
            #expect(corked >= count)
            // Each of the clients is one application.
            let interruptions = lines(containing: "was interrupted by ")
            #expect(interruptions == clients)
            ringing.signal(SIGTERM)
            try await ringing.waitForExit()
            _ = try await waitUntil(
                "\(interruptions) sessions to resume", every: .milliseconds(200)
            ) {
                lines(containing: "has ended, it resumes") == interruptions ? true : nil
            }
            let seen = SeenStreams()
            _ = try await waitUntil(
                "every stream to be as its client wants it", every: .seconds(1),
                evidence: { "\(seen.counts.withLock { $0 })" }
            ) {
                let streams = try await players()
                let kinds = streams.map { "\($0.state) \($0.effectiveVolumes)" }
                let counts = Dictionary(grouping: kinds, by: \.self).mapValues(\.count)
                seen.counts.withLock { $0 = counts }
                let isUntouched = counts.keys.allSatisfy { $0.hasSuffix(" [1.0, 1.0]") || $0.hasSuffix(" [1.0]") }
                return counts["running [1.0, 1.0]"] == count && isUntouched ? true : nil
            }
            for crowd in crowds { crowd.signal(SIGKILL) }
            for crowd in crowds { try await crowd.waitForExit() }
        }
    }

    @Test("streams that vanish in the middle of anything leave nothing ducked or corked")
    func vanishing() async throws {
        try await LiveDesktop.run { desk in
            let survivor = try await desk.playMusic(with: .mpvPulse)
            var generator = SeededGenerator(seed: 7)
            for round in 0..<12 {
                let role = [MediaRole.phone, .ringtone, .navigation, .alarm][round % 4]
                let program = ClientProgram.victims[round % ClientProgram.victims.count]
                let victim = try desk.play(
                    LiveDesktop.secondInterrupter, with: program, as: "victim-\(round)", role: .music)
                let interrupter = try desk.play(
                    LiveDesktop.interrupter, with: .plain, as: "interrupter-\(round)", role: role)
                // From before the fade begins to after it has ended.
                try await desk.capture.record(.milliseconds(Int.random(in: 50...900, using: &generator)))
                if Bool.random(using: &generator) { victim.kill() } else { interrupter.kill() }
                try await desk.capture.record(.milliseconds(Int.random(in: 0...600, using: &generator)))
                victim.kill()
                interrupter.kill()
            }
            try await desk.hear(LiveDesktop.music)
            #expect(try await survivor.waitForStream().isAtFullVolume)
        }
    }

    @Test("WirePlumber's own role policy makes the module step back")
    func stepsBack() async throws {
        try await LiveDesktop.run(options: {
            $0.configurationFiles = PrivateDesktop.rolePolicy
            $0.owner = "stepsBack"
            $0.pipeWire.linksCapture = false
        }) { desk in
            try await desk.log.wait(forLineContaining: "steps back")
            // What is heard now is WirePlumber's affair.
            for name in ["music-player", "telephone"] {
                let client = try desk.play(
                    LiveDesktop.music, with: .plain, as: name, role: name == "telephone" ? .phone : .music)
                try await client.waitForStream()
            }
            let log = try desk.log.text
            #expect(!log.contains("is active"))
        }
    }

    @Test("the role loopbacks of WirePlumber 0.5 make the module step back")
    func stepsBackFromLoopbacks() async throws {
        // What its libpipewire-module-loopback leaves in the graph, for servers that come with an older WirePlumber.
        let loopback = """
            context.objects = [
                { factory = adapter
                  args = {
                      factory.name = support.null-audio-sink
                      node.name = "input.loopback.sink.role.phone"
                      media.class = Audio/Sink
                      policy.role-based.priority = 60
                      audio.position = [ FL FR ]
                  } }
            ]
            """
        try await LiveDesktop.run(options: { $0.pipeWire.pipeWireFragments["60-roles.conf"] = loopback }) { desk in
            try await desk.log.wait(forLineContaining: "steps back")
            _ = try await desk.playMusic()
            _ = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("a wrong policy is named with line and column, and the built-in one serves")
    func wrongPolicy() async throws {
        let file = "preset = desktop\nroles = {\n    phone = { category = playbock }\n}\n"
        try await LiveDesktop.run(options: { $0.configurationFiles["audio-session/policy.conf"] = file }) { desk in
            let line = try await desk.log.wait(forLineContaining: "policy.conf:3:")
            #expect(line.contains("playbock"))
            _ = try await desk.playMusic()
            _ = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
        }
    }
}

extension ServerStream {
    /// Whether its user's volume is the whole, on each of its channels, of which there is one at least.
    var isAtFullVolume: Bool { !channelVolumes.isEmpty && channelVolumes.allSatisfy { $0 == 1 } }
}

/// Random numbers that are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

/// How many streams were seen in each state.
private final class SeenStreams: Sendable {
    let counts = Mutex<[String: Int]>([:])
}
