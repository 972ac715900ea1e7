import Foundation
import TestKit
import Testing

@Suite struct WaveFileTests {
    @Test(arguments: SampleFormat.allCases)
    func headerAndSize(format: SampleFormat) {
        let bytes = [UInt8](Signal.tone(440, for: .milliseconds(100)).waveFile(format))
        let perFrame = format == .float32 ? 8 : 4
        #expect(bytes.count == 44 + 4_800 * perFrame)
        #expect(Array(bytes[0..<4]) == Array("RIFF".utf8) && Array(bytes[8..<16]) == Array("WAVEfmt ".utf8))
        #expect(bytes[20] == (format == .float32 ? 3 : 1) && bytes[22] == 2)
    }

    @Test func aFileBeginsAndEndsInSilence() {
        let tone = Signal.tone(440, amplitude: 1, for: .milliseconds(100), on: .right)
        #expect(tone.left.allSatisfy { $0 == 0 })
        #expect(tone.right[0].magnitude < 0.001 && (tone.right.last ?? 1).magnitude < 0.001)
    }
}
