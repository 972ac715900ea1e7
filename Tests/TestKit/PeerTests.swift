import Foundation
import TestKit
import Testing

extension LiveTests {
    /// PulseAudio's own policies, measured: a check of the measure against servers whose behaviour is known.
    @Test(arguments: [
        ("module-role-cork trigger_roles=phone cork_roles=music", nil as Double?),
        ("module-role-ducking trigger_roles=phone ducking_roles=music volume=-20dB", -20),
    ])
    func pulseAudioPeer(module: String, level: Double?) async throws {
        try await withServer(PrivatePulseAudio.start(modules: [module])) { server in
            let capture = try await Capture.start(on: server)
            let (music, call) = (Tone(440, on: .left), Tone(880, on: .right))
            let musicFile = try server.sandbox.write(
                Signal.tone(440, for: .seconds(12), on: .left), to: "music.wav")
            let callFile = try server.sandbox.write(Signal.tone(880, for: .seconds(2), on: .right), to: "call.wav")
            _ = try Client(.paplay, file: musicFile, as: ApplicationIdentity("music"), role: .music, on: server)
            try await capture.wait(for: music, at: -6.02, lasting: .milliseconds(1500), from: 0)
            let interrupter = try Client(
                .paplay, file: callFile, as: ApplicationIdentity("call"), role: .phone, on: server)
            try await capture.wait(for: call, at: -6.02)
            try await interrupter.waitForExit()
            try await capture.wait(for: music, at: -6.02, lasting: .milliseconds(1000))
            let sound = try await capture.stop()
            let measured = InterruptionFigures(of: sound, interrupted: music, by: call)
            let figures = try #require(measured)
            print("\(module.split(separator: " ")[0]): \(figures)")
            #expect(abs(figures.fullLevel + 6.02) < 0.2)
            #expect(abs(figures.interrupter.count - 96_000) < 2_400)
            #expect(figures.overlap < .milliseconds(20))
            #expect(figures.noiseFloor < -80)
            if let level {
                #expect(abs(try #require(figures.levelWhileInterrupted) - level) < 1)
            } else {
                #expect(figures.levelWhileInterrupted == nil)
            }
            #expect(try #require(figures.backAfter) < .milliseconds(200))
            #expect(figures.clickAtBegin > -50 && figures.clickAtEnd > -50)
        }
    }
}
