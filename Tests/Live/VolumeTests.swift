import Foundation
import SessionTestKit
import Testing

/// Volumes of routes (R65), which the session manager remembers and nothing here writes.
extension LiveModule {
    @Test("R65 R64 headphones and speaker have volumes of their own, and have them again after every plug")
    func volumePerRoute() async throws {
        try await Desk.run { desk in
            let card = try await desk.card(.laptop)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            /// As a slider does: its position is the cube root of the factor.
            func setVolume(_ percentage: Int, of plug: String) async throws {
                try await desk.sandbox.run(
                    Invocation("pactl", ["set-sink-volume", "@DEFAULT_SINK@", "\(percentage)%"]))
                try await expectVolume(percentage, of: plug)
            }
            func expectVolume(_ percentage: Int, of plug: String) async throws {
                let factor = pow(Double(percentage) / 100, 3)
                try await card.wait(for: "\(percentage) % on \(plug)") {
                    $0.heard == plug && abs(($0.volumes[plug] ?? 0) - factor) < 0.001
                }
            }
            func hear(_ percentage: Int, on outlet: Capture) async throws {
                let level = Desk.full + 60 * log10(Double(percentage) / 100)
                try await outlet.wait(for: Desk.music, above: level - 1, lasting: .milliseconds(200))
                try await outlet.wait(for: Desk.music, below: level + 1, lasting: .milliseconds(200))
            }
            let music = try desk.play(Desk.music, with: .mpvPulse, as: "music-player", role: .music)
            try await music.waitForStream(in: [.running])
            try await setVolume(80, of: "headphones")
            try await hear(80, on: headphones)
            try await card.unplug("headphones")
            try await card.wait(untilHeardFrom: "speaker")
            try await setVolume(30, of: "speaker")
            for _ in 0..<3 {
                // Its user wants it on the speaker.
                try await music.pause()
                try await music.unpause()
                try await hear(30, on: speaker)
                try await card.plug("headphones")
                try await expectVolume(80, of: "headphones")
                try await hear(80, on: headphones)
                try await card.unplug("headphones")
                try await expectVolume(30, of: "speaker")
                // What is stopped and what goes on leaves the stream's own volume alone, too.
                let stream = try #require(try await music.stream())
                #expect(stream.channelVolumes.allSatisfy { $0 == 1 } && !stream.isMuted)
            }
        }
    }
}
