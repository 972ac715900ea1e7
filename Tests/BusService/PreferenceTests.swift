import Foundation
import ServiceFixture
import TestKit
import Testing

/// Preferences over the bus, and what came of them.
@Suite struct PreferenceTests {
    @Test("R74 R75 R76 wishes are taken, clamped or refused, and the properties say what came of them")
    func wishing() async throws {
        let desk = try await ServiceFixture()
        let app = try await SessionApplication(in: desk.sandbox)
        let session = try await waitUntil("the service") { try? await app.open() }
        // From now on it is its application alone that activates it.
        try await app.session(session, "Deactivate", "[]")
        desk.play(1, process: UInt32(app.process.processID))
        desk.play(2, process: UInt32(app.process.processID), isCapture: true)
        func figures() async throws -> [Double?] {
            var values: [Double?] = []
            for name in ["SampleRate", "BufferDuration", "InputGain"] {
                values.append(try await app.get(session, name).number)
            }
            return values
        }
        func prefer(_ name: String, _ value: String) async throws {
            try await app.session(session, "SetPreference", "\"\(name)\"", value)
        }
        try await prefer("sample-rate", "44100.0")
        try await prefer("buffer-duration", "0.005")
        try await prefer("input-gain", "0.5")
        #expect(try await figures() == [48000, 0.02, 1])
        try await app.session(session, "Activate", "[]")
        #expect(try await figures() == [44100, 0.005, 0.5])
        #expect(try await app.get(session, "InputGainAvailable").bool == true)
        for change in ["SampleRate 44100.0", "BufferDuration 0.005", "InputGain 0.5"] {
            try await app.process.log.wait(forLineContaining: "changed \(change)")
        }
        // R76: clamped without a word.
        for (gain, taken) in [("7.5", 1.0), ("-1.0", 0)] {
            try await prefer("input-gain", gain)
            #expect(try await app.get(session, "InputGain").number == taken)
            #expect(try await app.get(session, "Preferences")["input-gain"]?.number == taken)
        }
        for (name, value) in [
            ("sample-rate", "0.5"), ("sample-rate", "1e9"), ("sample-rate", #""high""#), ("buffer-duration", "-0.1"),
            ("buffer-duration", "11.0"), ("input-gain", "true"), ("input-gain", "NaN"),
        ] {
            await #expect(throws: SessionApplication.Failure.self) { try await prefer(name, value) }
        }
        // Taken back.
        try await prefer("sample-rate", "0.0")
        #expect(try await figures() == [48000, 0.005, 0])
        try await app.session(session, "Deactivate", "[]")
        #expect(try await figures() == [48000, 0.02, 1])
        try await app.process.log.wait(forLineContaining: "changed BufferDuration 0.02")
        await desk.stop()
    }
}
