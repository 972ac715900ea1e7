import Foundation

/// The measurements of one interruption. In the capture, the interrupted stream plays a tone on one channel and the
/// interrupter another tone on the other channel.
public struct InterruptionFigures: Sendable, Equatable, CustomStringConvertible {
    /// The frames in which the interrupter has at least half its amplitude.
    public let interrupter: Range<Int>
    /// The interrupted tone's undisturbed level, in dBFS.
    public let fullLevel: Double
    /// The interrupted tone's level in the second half of the interruption, relative to its full level, in dB; nil for
    /// silence.
    public let levelWhileInterrupted: Double?
    /// How long both tones sounded: the interrupter, and the interrupted tone above the middle between its full and its
    /// reduced amplitude.
    public let overlap: Duration
    /// How long both tones sounded at any level above ``audible``. Exact to the frame.
    public let audibleOverlap: Duration
    /// The time from the interrupter's end until the interrupted tone is within 1 dB of its full level; nil if it never
    /// is.
    public let backAfter: Duration?
    /// The loudest click on the interrupted stream's channel around the interrupter's start, in dBFS.
    public let clickAtBegin: Double
    /// The loudest click on the same channel around the interrupter's end, in dBFS.
    public let clickAtEnd: Double
    /// The click meter's value where nothing happens, in dBFS.
    public let noiseFloor: Double

    /// The amplitude of −60 dBFS, above which a tone counts for ``audibleOverlap``.
    public static let audible: Float = 1e-3

    /// Measures a capture with one interruption; nil if one of the tones is missing, or if the capture does not cover what
    /// is to be measured.
    ///
    /// - Parameters:
    ///   - margin: How long before the interrupter's start and after its end clicks are counted. Before that, the
    ///     interrupted tone must have sounded for half a second, for the noise floor.
    ///   - marginAtEnd: The margin after the end, if different.
    public init?(
        of sound: Sound, interrupted: Tone, by interrupting: Tone, margin: Duration = .milliseconds(800),
        marginAtEnd: Duration? = nil
    ) {
        let victim = ToneEnvelope(of: sound[interrupted.channel], frequency: interrupted.frequency)
        let other = ToneEnvelope(of: sound[interrupting.channel], frequency: interrupting.frequency)
        let half = 6.02
        guard victim.fullLevel > -80, other.fullLevel > -80,
            let interrupter = other.intervals(above: other.fullLevel - half).max(by: { $0.count < $1.count }),
            let victimStart = victim.intervals(above: victim.fullLevel - half).first?.lowerBound
        else { return nil }
        self.interrupter = interrupter
        fullLevel = victim.fullLevel
        let middle = interrupter.lowerBound + interrupter.count / 2
        let reduced = victim.steadyLevel(in: middle..<interrupter.upperBound - 480)
        levelWhileInterrupted = reduced > fullLevel - 80 ? reduced - fullLevel : nil

        let midpoint = decibels((pow(10, fullLevel / 20) + pow(10, reduced / 20)) / 2)
        overlap = TestKit.overlap(victim.intervals(above: midpoint), [interrupter])
        // The samples themselves: a window of the envelope would see a tone before it begins and after it has ended.
        audibleOverlap = TestKit.overlap(
            soundingFrames(of: sound[interrupted.channel], above: InterruptionFigures.audible),
            soundingFrames(of: sound[interrupting.channel], above: InterruptionFigures.audible))
        backAfter = victim.firstFrame(from: interrupter.upperBound, above: fullLevel - 1)
            .map { .frames($0 - interrupter.upperBound) }

        let samples = sound[interrupted.channel]
        let meter = ClickMeter()
        let begin = max(victimStart + 960, interrupter.lowerBound - margin.frames)
        let quiet = max(victimStart + 960, begin - Duration.milliseconds(500).frames)
        // The interrupted stream's own end is no click of the policy, but a player that ends is faded out anyway.
        guard let clickAtBegin = meter.loudest(in: samples, frames: begin..<max(begin, middle)),
            let clickAtEnd = meter.loudest(
                in: samples, frames: middle..<interrupter.upperBound + (marginAtEnd ?? margin).frames),
            let noiseFloor = meter.loudest(in: samples, frames: quiet..<max(quiet, begin - 480))
        else { return nil }
        self.clickAtBegin = clickAtBegin
        self.clickAtEnd = clickAtEnd
        self.noiseFloor = noiseFloor
    }

    /// One line of a table.
    public var description: String {
        func number(_ value: Double?) -> String { value.map { String(format: "%.1f", $0) } ?? "silent" }
        let back = backAfter.map { String(format: "%.0f ms", $0.milliseconds) } ?? "never"
        return """
            overlap \(String(format: "%.1f", overlap.milliseconds)) ms \
            (\(String(format: "%.1f", audibleOverlap.milliseconds)) at any level), level \(number(levelWhileInterrupted)) dB, \
            back after \(back), clicks \(number(clickAtBegin)) / \(number(clickAtEnd)) dBFS (\(number(noiseFloor)))
            """
    }
}
