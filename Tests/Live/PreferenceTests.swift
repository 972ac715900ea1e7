import Foundation
import TestKit
import Testing

/// Preferences of sessions for their streams, against what the server itself says and records.
extension LiveModule {
    @Test("R74 R75 a buffer duration reaches streams and graph while the session is active, and goes without a trace")
    func wishedBufferDuration() async throws {
        try await LiveDesktop.run(
            quantum: .unchanged, own: "forces the graph's quantum", options: { $0.pipeWire.logsGraph() }
        ) { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, #"["mix-with-others"]"#, #""""#)
            _ = try await app.start(desk.invocation(LiveDesktop.music, with: .plain, as: "native", role: .music))
            _ = try await app.start(desk.invocation(LiveDesktop.interrupter, with: .paplay, as: "pulse", role: .music))
            _ = try await app.start(
                Invocation(
                    try builtProgram("odd-client"), ["1", "1320", "0.1", "node.name=silent-about-it"]))
            try await app.session(session, "Activate", "[]")
            try await desk.hear(LiveDesktop.music)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.server.waitForStream("the third stream") {
                $0.properties["node.name"] == "silent-about-it" && $0.state == .running
            }
            let before = try await desk.requests()
            #expect(before.count == 3)
            // It asks for no rate.
            #expect(before["silent-about-it"]?.hasPrefix("- ") == true)
            try await app.session(session, "SetPreference", #""input-gain""#, "0.5")
            #expect(try await desk.requests() == before)
            try await app.session(session, "SetPreference", #""sample-rate""#, "44100.0")
            func expectWish(_ duration: String, frames: Int, quantum: Int) async throws {
                try await app.session(session, "SetPreference", #""buffer-duration""#, duration)
                let requests = try await desk.requests()
                #expect(requests.mapValues { _ in "1/44100 \(frames)/44100" } == requests && requests.count == 3)
                try await desk.log.wait(forLineContaining: "->\(quantum)")
                // Before PipeWire 0.3.69, it is seen when the next cycle begins.
                _ = try await waitUntil("a buffer of \(quantum) frames") { () -> Bool? in
                    let read = try await app.get(session, "BufferDuration").number ?? 0
                    return abs(read - Double(quantum) / 48000) < 1e-9 ? true : nil
                }
                // Not one of the rates that the server may switch to.
                #expect(try await app.get(session, "SampleRate").number == 48000)
            }
            try await expectWish("0.005", frames: 221, quantum: 128)
            try await expectWish("0.0107", frames: 472, quantum: 512)
            // It is heard as before, and one that joins has it, too.
            try await desk.hear(LiveDesktop.music)
            let late = try await app.start(
                desk.invocation(LiveDesktop.secondInterrupter, with: .paplay, as: "late", role: .music))
            _ = try await waitUntil("the late stream's request") {
                try await desk.requests()["late"]?.hasSuffix(" 472/44100") == true ? true : nil
            }
            // The session ends to be active in every way there is. pipewire-pulse has asked for its latency only while the
            // stream had another one.
            try await app.session(session, "Deactivate", "[]")
            #expect(try await desk.requests()["late"] == before["pulse"])
            try await app.stop(late)
            #expect(try await desk.requests() == before)
            try await app.session(session, "Activate", "[]")
            #expect(try await desk.requests() != before)
            let call = try desk.play(LiveDesktop.secondInterrupter, with: .plain, as: "telephone", role: .phone)
            try await app.hear("InterruptionBegan")
            #expect(try await desk.requests().filter { $0.key != "telephone" } == before)
            call.terminate()
            try await app.hear("InterruptionEnded")
            try await app.session(session, "Activate", "[]")
            #expect(try await desk.requests() != before)
            try await app.session(session, "SetPreference", #""buffer-duration""#, "0.0")
            try await app.session(session, "SetPreference", #""sample-rate""#, "0.0")
            #expect(try await desk.requests() == before)
            try await app.session(session, "SetPreference", #""buffer-duration""#, "0.04")
            #expect(try await desk.requests() != before)
            // What the user forces, all have to take.
            try await desk.sandbox.run(
                Invocation("pw-metadata", ["-n", "settings", "0", "clock.force-quantum", "256"]))
            try await app.process.log.wait(forLineContaining: "changed BufferDuration 0.00533333")
            try await app.session(session, "Close")
            #expect(try await desk.requests() == before)
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("R74 a sample rate is granted when the graph begins to run, and the property tells the truth meanwhile")
    func wishedSampleRate() async throws {
        try await LiveDesktop.run(
            quantum: .unchanged, own: "stops the graph",
            options: {
                $0.pipeWire.logsGraph()
                $0.pipeWire.pipeWireFragments["11-rates.conf"] =
                    "context.properties = { default.clock.allowed-rates = [ 44100 48000 ] }"
            }
        ) { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            try await app.session(session, "SetPreference", #""sample-rate""#, "44100.0")
            try await app.session(session, "Activate", "[]")
            func play() async throws -> Int {
                let player = try await app.start(
                    desk.invocation(LiveDesktop.music, with: .paplay, as: "player", role: .music))
                try await desk.server.waitForStream("the player to run") {
                    $0.properties["application.process.binary"] == "player" && $0.state == .running
                }
                return player
            }
            // The capture keeps the graph at its rate.
            let first = try await play()
            #expect(try await desk.requests()["player"]?.hasPrefix("1/44100 ") == true)
            #expect(try await app.get(session, "SampleRate").number == 48000)
            try await app.stop(first)
            _ = try await desk.capture.stop()
            var second = try await play()
            try await desk.pipeWire.waitForGraph(rate: 44100, after: 48000)
            // pipewire-pulse sets its stream's rate once more while the graph begins to run. If the graph runs before the
            // module has set the rate again, it stays at 48 kHz until it stops (PipeWire 1.4.2, 2 of 6 runs).
            _ = try await waitUntil("a graph that began at the session's rate", every: .seconds(2)) {
                if try await app.get(session, "SampleRate").number == 44100 { return true }
                try await app.stop(second)
                second = try await play()
                return nil
            }
            try await app.process.log.wait(forLineContaining: "changed SampleRate 44100.0")
            try await app.session(session, "Deactivate", "[]")
            #expect(try await desk.requests()["player"]?.hasPrefix("1/48000 ") == true)
            try await app.stop(second)
        }
    }

    @Test("R76 an input gain lowers what a session records, not what others record, and leaves the user's volume alone")
    func wishedInputGain() async throws {
        let microphone = """
            context.objects = [ { factory = adapter args = { factory.name = support.null-audio-sink node.name = microphone
                media.class = Audio/Source/Virtual audio.rate = 48000 audio.position = [ FL FR ] object.linger = true } } ]
            """
        try await LiveDesktop.run(
            own: "makes another source the default",
            options: {
                $0.pipeWire.pipeWireFragments["30-microphone.conf"] = microphone
                $0.pulseAudio.modules.append("module-remap-source source_name=microphone master=test-sink.monitor")
            }
        ) { desk in
            for channel in ["FL", "FR"] where desk.server.kind == .pipeWire {
                try await desk.sandbox.run(
                    Invocation("pw-link", ["test-sink:monitor_\(channel)", "microphone:input_\(channel)"]))
            }
            try await desk.sandbox.run(Invocation("pactl", ["set-default-source", "microphone"]))
            _ = try await desk.playMusic()
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""play-and-record""#, #"["mix-with-others"]"#, #""""#)
            let own = try await desk.startRecording("own", by: app)
            let other = try await desk.startRecording("other", by: try await desk.application("other-application"))
            try await app.session(session, "SetPreference", #""input-gain""#, "0.5")
            try await app.session(session, "Activate", "[]")
            try await desk.wait(for: LiveDesktop.full - 6.02, in: own)
            try await desk.wait(for: LiveDesktop.full, in: other)
            #expect(try await app.get(session, "InputGainAvailable").bool == true)
            #expect(try await app.get(session, "InputGain").number == 0.5)
            // On top of the user's own volume, which stays as the user sets it.
            let stream = try await desk.server.waitForStream("the recorder") {
                $0.isCapture && $0.properties["application.process.binary"] == "own"
            }
            #expect(stream.channelVolumes == [1, 1])
            try await desk.server.setSlider(of: stream, to: 0.5)
            try await desk.wait(for: LiveDesktop.full - 6.02 - 18.06, in: own)
            try await desk.server.setSlider(of: stream, to: 1)
            try await desk.wait(for: LiveDesktop.full - 6.02, in: own)
            try await app.session(session, "SetPreference", #""input-gain""#, "3.0")
            try await desk.wait(for: LiveDesktop.full, in: own)
            try await app.session(session, "SetPreference", #""input-gain""#, "0.25")
            try await desk.wait(for: LiveDesktop.full - 12.04, in: own)
            try await app.session(session, "Close")
            try await desk.wait(for: LiveDesktop.full, in: own)
            let after = try await desk.server.streams().first { $0.id == stream.id }
            #expect(after?.channelVolumes == [1, 1])
        }
    }
}

extension DesktopOptions {
    /// Makes the daemon say what it decides about rates and quanta.
    fileprivate mutating func logsGraph() { environment["PIPEWIRE_DEBUG"] = "2,mod.audio-session:4,pw.context:3" }
}

extension LiveDesktop {
    /// What all streams but the capture ask of the graph, as rate and latency, by their programs' or nodes' names.
    fileprivate func requests() async throws -> [String: String] {
        var requests: [String: String] = [:]
        for stream in try await server.streams() where stream.properties["stream.capture.sink"] != "true" {
            let binary = stream.properties["application.process.binary"]
            let name = binary == "odd-client" ? stream.properties["node.name"] : binary
            requests[name ?? "?"] =
                "\(stream.properties["node.rate"] ?? "-") \(stream.properties["node.latency"] ?? "-")"
        }
        return requests
    }

    /// Lets an application record the default source; returns the file that grows.
    func startRecording(_ name: String, by app: SessionApplication) async throws -> String {
        let file = sandbox.path("tmp/\(name).f32")
        let program = try sandbox.copy(of: ClientProgram.plainRecorder.executable, named: name)
        let arguments =
            switch server.kind {
            case .pipeWire: "--latency 1024 --format f32 --rate 48000 --channels 2 -"
            case .pulseAudio: "--latency-msec=20 --raw --format=float32le --rate=48000 --channels=2"
            }
        let command = "exec \(program) --record \(arguments) > \(file)"
        _ = try await app.start(Invocation("/bin/sh", ["-c", command]))
        return file
    }

    /// Waits until the music has a level in what is being recorded, in dBFS.
    fileprivate func wait(for level: Double, in file: String) async throws {
        var last = 0.0
        _ = try await waitUntil("\(level) dBFS in \(file)", evidence: { "last \(last) dBFS" }) { () -> Bool? in
            guard let sound = latestSound(in: file) else { return nil }
            let levels = ToneEnvelope(of: sound.left, frequency: LiveDesktop.music.frequency).levels
            last = levels.last ?? 0
            return !levels.isEmpty && levels.allSatisfy { abs($0 - level) < 0.3 } ? true : nil
        }
    }

    /// The last third of a second of what is being recorded; `nil` before there is half a second.
    func latestSound(in file: String) -> Sound? {
        guard let data = FileManager.default.contents(atPath: file), data.count > 48_000 * 8 / 2 else { return nil }
        // Whole frames.
        let end = data.count / 8 * 8
        return data[(end - 16_000 * 8)..<end].withUnsafeBytes { Sound(interleaved: $0.bindMemory(to: Float.self)) }
    }
}
