import Foundation
import TestKit
import Testing

/// Real servers and real clients, as the tests of the modules use them.
@Suite(.serialized) struct LiveTests {
    @Test func aToneComesBackAtItsLevel() async throws {
        try await withServer(PrivateDesktop.start()) { desktop in
            let capture = try await Capture.start(on: desktop)
            let file = try desktop.sandbox.write(Signal.tone(440, amplitude: 0.25, for: .seconds(2)), to: "tone.wav")
            let client = try Client(
                .paplay, file: file,
                as: ApplicationIdentity("music-player", name: "Music Player", id: "org.test.Music"), role: .music,
                on: desktop)
            let stream = try await client.waitForStream(in: [.running])
            #expect(stream.properties["application.process.binary"] == "music-player")
            #expect(stream.properties["application.name"] == "Music Player")
            #expect(stream.properties["application.id"] == "org.test.Music")
            #expect(stream.properties["media.role"] == "Music")
            try await capture.wait(for: Tone(440), at: -12.04, from: 0)
            #expect(try await client.waitForExit() == .exited(0))
            try await capture.wait(for: Tone(440), below: -100)
            let sound = try await capture.stop()
            let envelope = ToneEnvelope(of: sound.left, frequency: 440)
            #expect(abs(envelope.fullLevel + 12.04) < 0.1)
            let heard = soundingFrames(of: sound.left, above: 1e-6)
            #expect(heard.count == 1)
        }
    }

    /// What a disk does for some time now and then: it takes no sound.
    @Test func theCaptureWaitsForItsFile() async throws {
        try await withServer(PrivateDesktop.start()) { desktop in
            let pipe = desktop.sandbox.path("tmp/pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let reader = open(pipe, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            let capture = try desktop.sandbox.start("capture", desktop.captureInvocation(), output: pipe)
            try await desktop.connectCapture()
            // Far more sound than a pipe holds goes by, by the clock of another recording.
            try await Capture.start(on: desktop).record(.seconds(2))
            capture.signal(SIGTERM)
            var bytes = 0
            var block = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(reader, &block, block.count)
                if count == 0 { break }
                if count > 0 { bytes += count }
                if count < 0 { try #require(errno == EAGAIN) }
            }
            #expect(try await capture.waitForExit() == .exited(0))
            let frames = bytes / 8
            print("\(frames) frames, \(capture.log.text)")
            #expect(frames >= Duration.seconds(2).frames && !capture.log.text.contains("not recorded"))
        }
    }
}
