import Foundation
import SessionTestKit
import Testing

/// A minute of capture is measured in seconds, in a debug build too, and whatever the capture contains.
@Suite struct TimingTests {
    @Test func aMinuteOfSound() {
        let tone = Signal.tone(440, for: .seconds(60))
        let duration = ContinuousClock().measure {
            _ = ToneEnvelope(of: tone.left, frequency: 440)
            _ = ClickMeter().loudest(in: tone.left)
            _ = PositionTrack(of: tone)
            _ = soundingFrames(of: tone.left)
        }
        print("a minute of sound measured in \(duration)")
        #expect(duration < .seconds(30))
    }
}
