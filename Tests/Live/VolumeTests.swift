import Foundation
import TestKit
import Testing

/// Volumes of routes (R65), which the session manager remembers and nothing here writes.
extension LiveModule {
    @Test("R14 R60 a session is told the volume and the channels of the sink that it is heard on, which its user sets")
    func outputVolume() async throws {
        try await LiveDesktop.run(own: "sets the sink's volume") { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, #"["mix-with-others"]"#, #""""#)
            func expectVolume(_ expected: Double, after set: String...) async throws {
                try await desk.sandbox.run(Invocation("pactl", set))
                try await app.process.log.wait(forLineContaining: "changed OutputVolume \(expected)")
                let read = try #require(try await app.get(session, "OutputVolume").number)
                #expect(abs(read - expected) < 0.001)
            }
            try await expectVolume(0.5, after: "set-sink-volume", "test-sink", "50%")
            try await expectVolume(0.25, after: "set-sink-volume", "test-sink", "25%")
            try await expectVolume(0, after: "set-sink-mute", "test-sink", "1")
            let seen = app.process.log.lineCount
            try await desk.sandbox.run(Invocation("pactl", ["set-sink-mute", "test-sink", "0"]))
            try await app.process.log.wait(forLineContaining: "changed OutputVolume 0.25", after: seen)
            // Beyond the full level it is told as full.
            try await desk.sandbox.run(Invocation("pactl", ["set-sink-volume", "test-sink", "120%"]))
            try await app.process.log.wait(forLineContaining: "changed OutputVolume 1", after: seen)
            #expect(try await app.get(session, "OutputChannels").number == 2)
            #expect(try await app.get(session, "InputChannels").number == 0)
            try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
            _ = try await waitUntil("no output") {
                try await app.get(session, "OutputChannels").number == 0 ? true : nil
            }
            // R68: the device's volume, whatever the category.
            #expect(try await app.get(session, "OutputVolume").number == 1)
        }
    }

    @Test("R60 R75 a session is told how long its sound takes, as the server shows it, and of every change")
    func latencies() async throws {
        try await LiveDesktop.run { desk in
            let app = try await desk.application()
            let session = try await app.open()
            func wait(for latency: Double, of property: String) async throws {
                var last = -1.0
                _ = try await waitUntil("\(property) \(latency)", evidence: { "last \(last)" }) {
                    last = try await app.get(session, property).number ?? -1
                    return abs(last - latency) < 0.0005 ? true : nil
                }
                _ = try await waitUntil("the news of \(property) \(latency)", evidence: { app.process.log.tail() }) {
                    let changes = app.process.log.text.split(separator: "\n").filter {
                        $0.hasPrefix("changed \(property)")
                    }
                    let told = changes.last?.split(separator: " ").last.flatMap { Double($0) } ?? -1
                    return abs(told - latency) < 0.0005 ? true : nil
                }
            }
            switch desk.server.kind {
            case .pipeWire:
                // A source that says so; a null sink does not.
                let card = try #require(try await desk.card(.laptop) as? FixtureCard)
                try await desk.log.wait(forLineContaining: "from Internal Microphone")
                try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
                for milliseconds in [150, 40] {
                    try await card.setLatency(.milliseconds(milliseconds), of: "internal-mic")
                    try await wait(for: Double(milliseconds) / 1000, of: "InputLatency")
                    // A minute is the most that is told, whatever a client states of its source.
                    try await card.setLatency(nil, of: "internal-mic")
                    try await wait(for: 60, of: "InputLatency")
                }
            case .pulseAudio:
                try await app.session(session, "SetCategory", #""playback""#, #"["mix-with-others"]"#, #""""#)
                // The recording of the test has the sink at 20 ms.
                var former = 20_000.0
                for milliseconds in [16, 8] {
                    var invocation = try desk.invocation(
                        LiveDesktop.music, with: .paplay, as: "player-\(milliseconds)", role: .music)
                    invocation.arguments.insert("--latency-msec=\(milliseconds)", at: 0)
                    let player = try desk.sandbox.start("player", invocation)
                    let shown = try await waitUntil("the sink's latency") {
                        let text = try await desk.pactl("list", "sinks")
                        let line = text.split(separator: "\n").first { $0.contains("configured") }
                        let number = line?.split(separator: " ").dropLast().last.flatMap { Double($0) }
                        return number.flatMap { $0 > 0 && $0 < former ? $0 : nil }
                    }
                    former = shown
                    try await wait(for: shown / 1_000_000, of: "OutputLatency")
                    player.signal(SIGKILL)
                    _ = try await player.waitForExit()
                }
            }
        }
    }

    @Test("R65 R64 headphones and speaker have volumes of their own, and have them again after every plug")
    func volumePerRoute() async throws {
        try await LiveDesktop.run { desk in
            let card = try await desk.card(.laptop)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            let sink = try await desk.sink(like: "pci-")
            /// As a slider does: its position is the cube root of the factor.
            func setVolume(_ percentage: Int, of plug: String) async throws {
                try await desk.pactl("set-sink-volume", sink, "\(percentage)%")
                try await expectVolume(percentage, of: plug)
            }
            func expectVolume(_ percentage: Int, of plug: String) async throws {
                let factor = pow(Double(percentage) / 100, 3)
                try await card.wait(for: "\(percentage) % on \(plug)") {
                    $0.heard == plug && abs(($0.volumes[plug] ?? 0) - factor) < 0.001
                }
            }
            func hear(_ percentage: Int, on outlet: Capture) async throws {
                let level = LiveDesktop.full + 60 * log10(Double(percentage) / 100)
                try await outlet.wait(for: LiveDesktop.music, at: level, lasting: .milliseconds(200))
            }
            let music = try desk.play(LiveDesktop.music, with: .mpvPulse, as: "music-player", role: .music)
            try await music.waitForStream(in: [.running])
            try await setVolume(80, of: "headphones")
            try await hear(80, on: headphones)
            try await card.unplug("headphones")
            try await card.wait(untilHeardFrom: "speaker")
            try await setVolume(30, of: "speaker")
            for _ in 0..<3 {
                // Its user wants it on the speaker.
                try await music.pause()
                // As long as anybody needs to press a key again.
                try await speaker.record(.milliseconds(400))
                try await music.unpause()
                try await hear(30, on: speaker)
                try await card.plug("headphones")
                try await expectVolume(80, of: "headphones")
                try await hear(80, on: headphones)
                try await card.unplug("headphones")
                try await expectVolume(30, of: "speaker")
                // What is stopped and what goes on leaves the stream's own volume alone, too.
                let stream = try #require(try await music.stream())
                #expect(stream.isAtFullVolume && !stream.isMuted)
            }
        }
    }
}
