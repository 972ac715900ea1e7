import Foundation
import TestKit
import Testing

/// What the module's place in front of a sink's mixer does to streams that nobody lowers: nothing.
extension LiveModule {
    @Test("R37 sound reaches the sink no later than without the module, and bit by bit the same where nobody lowers it")
    func wayIsUnchanged() async throws {
        var stock: StockWay?
        try await LiveDesktop.run(own: "unloads the module", options: { $0.isModuleLate = true }) { desk in
            let music = try await desk.playNoise()
            let delay = try await music.delay(in: desk)
            stock = StockWay(delay: delay, latencies: try await desk.latencies(of: music.node))
        }
        let expected = try #require(stock)
        #expect(!expected.latencies.isEmpty)
        print("without the module: \(expected.delay) frames; \(expected.latencies.count) ports with a latency")
        try await LiveDesktop.run(own: "unloads the module") { desk in
            let music = try await desk.playNoise()
            func expectUnchanged(_ moment: String) async throws {
                let delay = try await music.delay(in: desk)
                print("\(moment): \(delay) frames")
                #expect(delay == expected.delay, "\(moment)")
                #expect(try await desk.latencies(of: music.node) == expected.latencies, "\(moment)")
            }
            /// A prompt, when it has lowered the noise to a tenth, in the mixer.
            func prompt() async throws -> Client {
                let client = try desk.play(
                    LiveDesktop.interrupter, with: .plain, as: "navigator", role: .navigation)
                try await desk.waitForNoise(at: 0.1)
                #expect(
                    try await desk.streams().first { $0["description"] as? String == "music" }?["glides"] as? Bool
                        == true)
                #expect(try await desk.latencies(of: music.node) == expected.latencies, "lowered")
                return client
            }
            try await expectUnchanged("nobody else")
            let first = try await prompt()
            first.terminate()
            try await first.waitUntilGone()
            try await desk.waitForNoise(at: 1)
            try await expectUnchanged("after the prompt")
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await music.client.waitForStream(in: [.idle, .suspended])
            call.terminate()
            try await call.waitUntilGone()
            try await desk.waitForNoise(at: 1)
            try await expectUnchanged("after the call")
            _ = try await prompt()
            try await desk.server.unloadModule()
            try await expectUnchanged("after the module has gone")
        }
    }
}

extension LiveModule {
    @Test("R37 music whose own sound is recorded, as by the meters of a mixer, fades without a click all the same")
    func recordedMusicGlides() async throws {
        try await LiveDesktop.run { desk in
            let music = try await desk.playMusic()
            let node = try #require(try await music.waitForStream(in: [.running]).properties["node.name"])
            _ = try await desk.meterOnlyStream()
            let recording = try await Capture.start(
                on: desk.pipeWire, of: .ports(node: node, prefix: "output"))
            try await recording.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let (start, first) = (desk.capture.frameCount, recording.frameCount)
            let prompt = try desk.play(LiveDesktop.interrupter, with: .plain, as: "navigator", role: .navigation)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            #expect(
                try await desk.streams().first { $0["description"] as? String == "music" }?["glides"] as? Bool == true)
            prompt.terminate()
            try await prompt.waitUntilGone()
            try await desk.hear(LiveDesktop.music)
            try await desk.expectNoClick(since: start)
            // What is recorded is the application's own: nobody has lowered it.
            let recorded = try await desk.heard(from: first, in: recording)[LiveDesktop.music.channel]
            let levels = ToneEnvelope(of: recorded, frequency: LiveDesktop.music.frequency).levels
            let lowest = try #require(levels.min())
            #expect(abs(lowest - LiveDesktop.full) < 0.1, "recorded at \(lowest) dBFS")
        }
    }
}

/// The server's own figures.
private struct StockWay {
    let delay: Int
    let latencies: [String: JSONValue]
}

/// A stream of noise.
private struct Noise {
    let node: String
    let client: Client

    /// How many frames later the noise comes out of the sink than out of its program, where both are the same bit by bit.
    func delay(in desk: LiveDesktop) async throws -> Int {
        try await waitUntil("the noise, bit by bit the same") {
            let capture = try await Capture.start(
                on: desk.pipeWire, of: .pair(left: "\(node):output_FL", right: "\(desk.server.sinkName):monitor_FL"))
            try await capture.record(.milliseconds(500))
            let sound = try await capture.stop()
            return Noise.delay(in: Array(sound.left.suffix(16_384)), Array(sound.right.suffix(16_384)))
        }
    }

    /// By how many frames a channel is later than another one, up to two quanta; nil if it is not the same at all.
    private static func delay(in first: [Float], _ second: [Float]) -> Int? {
        let part = 2048..<first.count - 2048
        return (-2048...2048).first { delay in
            part.allSatisfy { first[$0] == second[$0 + delay] } && part.contains { first[$0] != 0 }
        }
    }
}

extension LiveDesktop {
    /// Plays noise on the left as music.
    fileprivate func playNoise() async throws -> Noise {
        var generator = LinearNoise()
        let samples = (0..<60 * Sound.rate).map { _ in generator.next() }
        let client = try play(Sound(left: samples, right: []), with: .plain, as: "music-player", role: .music)
        let stream = try await client.waitForStream(in: [.running])
        let node = try #require(stream.properties["node.name"])
        try await waitForNoise(at: 1)
        return Noise(node: node, client: client)
    }

    /// Waits until the sink has played the noise at a gain for 200 ms.
    fileprivate func waitForNoise(at gain: Double) async throws {
        // Of samples that are spread evenly up to a quarter.
        let expected = gain * 0.25 / 3.squareRoot()
        _ = try await waitUntil("noise at \(gain)") {
            let start = capture.frameCount
            try await capture.record(.milliseconds(200))
            let samples = try capture.read(from: start).left
            let power = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
            return abs(power.squareRoot() / expected - 1) < 0.03 ? true : nil
        }
    }

    /// The latencies of the ports of a stream and of the sink, as PipeWire shows them to everybody.
    fileprivate func latencies(of node: String) async throws -> [String: JSONValue] {
        let objects = try await pipeWire.dump()
        var names: [String: String] = [:]
        for object in objects where object.type == "Node" { names["\(object.id)"] = object.properties["node.name"] }
        var latencies: [String: JSONValue] = [:]
        for object in objects where object.type == "Port" {
            guard let owner = object.properties["node.id"].flatMap({ names[$0] }),
                [node, server.sinkName].contains(owner)
            else { continue }
            latencies["\(owner):\(object.properties["port.name"] ?? "")"] =
                object.content["info"]?["params"]?["Latency"]
        }
        return latencies
    }
}

/// Noise that is the same each time: a linear congruential generator, with samples up to a quarter of full scale.
private struct LinearNoise {
    private var state: UInt32 = 1

    mutating func next() -> Float {
        state = state &* 1_664_525 &+ 1_013_904_223
        return Float(Int32(bitPattern: state) >> 8) / Float(1 << 25)
    }
}
