import Foundation
import SessionTestKit
import StandstillTrait
import Testing

/// Listens from its beginning for gaps and clicks in a tone that nobody has a reason to touch.
///
/// Those that come while the machine itself stands still are the machine's: a server that does not get its processor
/// loses a quantum, whoever plays. All others are failures.
struct GapMeter {
    private let capture: Capture
    private let stalls = StallMeter()
    private let start: (frame: Int, moment: Duration)

    /// What a client may lose by a stall: two threads have to be in time, each within its part of a quantum.
    private static let stall = Duration.frames(1024) / 4
    /// How far a stall may be from what is heard of it. The recorder writes blocks, and a server catches up.
    private static let distance = Duration.milliseconds(150)

    /// Begins to listen.
    init(_ capture: Capture) {
        self.capture = capture
        start = (capture.frameCount, StallMeter.now)
    }

    /// Checks that a tone has been heard all the time at its full level, and without a click.
    func expectNone(in tone: Tone) throws {
        let sound = try capture.read(from: start.frame)[tone.channel]
        let end = StallMeter.now
        let envelope = ToneEnvelope(of: sound, frequency: tone.frequency)
        // The ends of the measure are those of its window.
        let measured = envelope.levels.enumerated().dropFirst(10).dropLast(10)
        try #require(!measured.isEmpty, "nothing was recorded")
        var places: [(frame: Int, what: String)] = []
        for (index, level) in measured where abs(level - LiveDesktop.full) > 0.5 {
            places.append((envelope.frame(of: index), "a level of \(level) dBFS"))
        }
        let meter = ClickMeter()
        for block in stride(from: 0, to: sound.count, by: envelope.hop) {
            // The ends of the recording cannot be measured.
            let peak = meter.peak(in: sound, frames: block..<block + envelope.hop)
            if let peak, let frame = peak.frame, peak.level > -60 {
                places.append((frame, "a click, of \(peak.level) dBFS"))
            }
        }
        let stalls = stalls.stalls(of: GapMeter.stall)
        // Frames that were lost make the recording shorter than the time, so that their clock is the mean one.
        let frameLength = (end - start.moment) / max(1, sound.count)
        let longest = Int(self.stalls.longest.milliseconds)
        let standstill = "the machine stood still \(stalls.count) times, \(longest) ms at the most"
        let unexplained = places.filter { place in
            let moment = start.moment + frameLength * place.frame
            return !stalls.contains {
                $0.lowerBound - GapMeter.distance < moment && moment < $0.upperBound + GapMeter.distance
            }
        }
        if unexplained.count < places.count {
            let whole = Int(Duration.frames(sound.count).milliseconds)
            print("\(standstill): heard in \(places.count - unexplained.count) ms of \(whole)")
        }
        if let first = unexplained.first {
            Issue.record(
                SoundFailure(
                    """
                    the music had \(first.what) after \(Int(Duration.frames(first.frame).milliseconds)) ms, and \
                    \(unexplained.count - 1) ms more of such; \(standstill)
                    """))
        }
    }
}
