import Foundation
import TestKit
import Testing

extension LiveTests {
    /// What the tests of the modules rely on where the server is PulseAudio.
    @Test func aStockPulseAudioRemembersAndCanBeStartedAgain() async throws {
        try await withServer(PrivatePulseAudio.start(.stock)) { server in
            let capture = try await Capture.start(on: server)
            let file = try server.sandbox.write(Signal.tone(440, for: .seconds(60), on: .left), to: "music.wav")
            let client = try Client(.paplay, file: file, as: ApplicationIdentity("player"), role: .music, on: server)
            try await capture.wait(for: Tone(440, on: .left), at: -6.02)
            let stream = try await client.waitForStream(in: [.running])
            #expect(stream.properties["media.role"] == "music")
            #expect(stream.effectiveVolumes == [1, 1])
            #expect(!server.hasSaved(slider: 0.9, of: .music))
            let before = server.savedState()
            try await client.setSlider(to: 0.9)
            _ = try await waitUntil("the volume to be saved") {
                server.hasSaved(slider: 0.9, of: .music) ? true : nil
            }
            #expect(server.savedState() != before)
            client.terminate()
            try await client.waitUntilGone()

            let first = try #require(server.daemon)
            try await server.stopDaemon(signal: SIGKILL)
            #expect(first.exitStatus == .signalled(SIGKILL))
            try await server.startServers()
            #expect(try #require(server.daemon).processID != first.processID)
            let again = try Client(.paplay, file: file, as: ApplicationIdentity("player"), role: .music, on: server)
            // It remembers.
            let volumes = try await again.waitForStream().channelVolumes
            #expect(volumes.count == 2 && volumes.allSatisfy { abs($0 - 0.729) < 0.001 })
            try await server.stopBus()
            try await server.startBusAgain()
        }
    }
}
