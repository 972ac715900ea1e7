import Foundation
import TestKit
import Testing

/// Waits for tones in a recording that exists already.
@Suite struct CaptureTests {
    private static let tone = Tone(440, on: .left)

    /// Has a recording of a sound examined, whose recorder still runs or has ended.
    private func recording(of sound: Sound, hasEnded: Bool = false, _ body: (Capture) async throws -> Void) async throws
    {
        let sandbox = try Sandbox()
        let samples = zip(sound.left, sound.right).flatMap { [$0, $1] }
        let path = sandbox.path("tmp/sound.f32")
        try samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: path))
        let recorder = try sandbox.start("recorder", Invocation("sleep", ["60"]))
        let capture = try await Capture.start(following: path, writtenBy: recorder)
        if hasEnded {
            recorder.signal(SIGKILL)
            try await recorder.waitForExit()
        }
        try await body(capture)
        recorder.signal(SIGKILL)
        try await recorder.waitForExit()
    }

    /// A tone that is left out for some milliseconds of each hundred.
    private func tone(amplitude: Double, gap: Int = 0) -> Sound {
        var sound = Signal.tone(440, amplitude: amplitude, for: .seconds(1), on: .left)
        for frame in sound.left.indices where frame % 4800 < gap * 48 { sound.left[frame] = 0 }
        return sound
    }

    @Test("a tone is found at its level", arguments: [0.5, 0.46, 0.54]) func toneIsFoundAtItsLevel(amplitude: Double)
        async throws
    {
        try await recording(of: tone(amplitude: amplitude)) { capture in
            let frame = try await capture.wait(
                for: Self.tone, at: -6.02, lasting: .milliseconds(300), from: 0)
            #expect(frame < 4800)
        }
    }

    @Test("a tone that is too loud or too soft is waited for in vain", arguments: [1, 0.6, 0.4, 0.25])
    func toneThatIsTooLoudOrTooSoftIsWaitedForInVain(
        amplitude: Double
    ) async throws {
        // Without the fades of a file, on whose way every level is passed.
        var sound = tone(amplitude: amplitude)
        sound.left = Array(sound.left[4800..<43_200])
        sound.right = []
        try await recording(of: Sound(left: sound.left, right: sound.right), hasEnded: true) { capture in
            await #expect(throws: CommandFailure.self) {
                try await capture.wait(
                    for: Self.tone, at: -6.02, lasting: .milliseconds(50), from: 0)
            }
        }
    }

    @Test("a tone with gaps is waited for in vain") func toneWithGapsIsWaitedForInVain() async throws {
        try await recording(of: tone(amplitude: 0.5, gap: 20), hasEnded: true) { capture in
            await #expect(throws: CommandFailure.self) {
                try await capture.wait(
                    for: Self.tone, at: -6.02, lasting: .milliseconds(300), from: 0)
            }
        }
    }

    @Test("sound that never comes, and silence that never comes, are waited for in vain")
    func soundThatNeverComesAndSilenceThatNeverComes() async throws {
        try await recording(of: Sound.silence(.seconds(1)), hasEnded: true) { capture in
            await #expect(throws: CommandFailure.self) {
                try await capture.wait(for: Self.tone, at: -6.02, from: 0)
            }
        }
        try await recording(of: tone(amplitude: 0.001), hasEnded: true) { capture in
            await #expect(throws: CommandFailure.self) {
                try await capture.wait(
                    for: Self.tone, below: -90, lasting: .milliseconds(100), from: 0)
            }
        }
    }
}
