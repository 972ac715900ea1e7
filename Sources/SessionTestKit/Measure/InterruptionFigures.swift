import Foundation

/// The figures of one interruption, from a capture in which the interrupted stream plays a tone on one channel and
/// the interrupting one another tone on the other.
public struct InterruptionFigures: Sendable, Equatable, CustomStringConvertible {
    /// The frames in which the interrupter sounds at half its amplitude or more.
    public let interrupter: Range<Int>
    /// The interrupted tone's level when nothing reduces it, in dBFS.
    public let fullLevel: Double
    /// Its level during the second half of the interruption relative to that, in dB; nil for silence.
    public let levelWhileInterrupted: Double?
    /// How long both sounded: the interrupter, and the other still above the middle between its full and its reduced
    /// amplitude.
    public let overlap: Duration
    /// From the interrupter's end until the other is back within 1 dB of its full level; nil if it never was.
    public let backAfter: Duration?
    /// The loudest click on the interrupted stream's channel around the interrupter's beginning, in dBFS.
    public let clickAtBegin: Double
    /// The same around its end.
    public let clickAtEnd: Double
    /// What the same measure says where nothing happens.
    public let noiseFloor: Double

    /// Measures a capture with one interruption; nil when one of the tones cannot be found.
    ///
    /// - Parameters:
    ///   - margin: how long before the interrupter's beginning and after its end clicks belong to it. Before that, the
    ///     interrupted tone must have sounded for half a second, for the noise floor.
    ///   - marginAtEnd: how long after its end, where that is another time.
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
        overlap = SessionTestKit.overlap(victim.intervals(above: midpoint), [interrupter])
        backAfter = victim.firstFrame(from: interrupter.upperBound, above: fullLevel - 1)
            .map { .frames($0 - interrupter.upperBound) }

        let samples = sound[interrupted.channel]
        let meter = ClickMeter()
        let begin = max(victimStart + 960, interrupter.lowerBound - margin.frames)
        clickAtBegin = meter.loudest(in: samples, frames: begin..<max(begin, middle))
        // The victim's own end is no click of the policy, but a player that ends is faded anyway.
        clickAtEnd = meter.loudest(
            in: samples, frames: middle..<interrupter.upperBound + (marginAtEnd ?? margin).frames)
        let quiet = max(victimStart + 960, begin - Duration.milliseconds(500).frames)
        noiseFloor = meter.loudest(in: samples, frames: quiet..<max(quiet, begin - 480))
    }

    /// One line of a table.
    public var description: String {
        func number(_ value: Double?) -> String { value.map { String(format: "%.1f", $0) } ?? "silent" }
        let back = backAfter.map { String(format: "%.0f ms", $0.milliseconds) } ?? "never"
        return """
            overlap \(String(format: "%.1f", overlap.milliseconds)) ms, level \(number(levelWhileInterrupted)) dB, \
            back after \(back), clicks \(number(clickAtBegin)) / \(number(clickAtEnd)) dBFS (\(number(noiseFloor)))
            """
    }
}
