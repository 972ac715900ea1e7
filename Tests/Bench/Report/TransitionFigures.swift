import Foundation
import TestKit

/// One interruption in a recording of the sink: the interrupted stream (the victim) plays a tone on one channel, the
/// interrupter another tone on the other.
public struct RecordedInterruption: Sendable {
    /// The recording.
    public let sound: Sound
    /// The victim's tone.
    public let victim: Tone
    /// The interrupter's tone.
    public let interrupter: Tone
    /// The frame at which the interrupter's program was started. Before, the victim is at its own level.
    public let launch: Int

    /// An interruption to be measured.
    public init(sound: Sound, victim: Tone, interrupter: Tone, launch: Int) {
        self.sound = sound
        self.victim = victim
        self.interrupter = interrupter
        self.launch = launch
    }
}

/// A value for each level above which the victim counts as heard, relative to its own level.
public struct ByLevel<Value: Sendable & Codable & Equatable>: Sendable, Codable, Equatable {
    /// Half of its amplitude, −6 dB.
    public var half: Value
    /// A tenth of its amplitude, −20 dB.
    public var minus20: Value
    /// A thousandth of its amplitude, −60 dB.
    public var minus60: Value

    /// Computes the value for each level from its factor.
    init(_ value: (Float) -> Value) {
        half = value(0.5)
        minus20 = value(0.1)
        minus60 = value(0.001)
    }
}

/// What one interruption sounded like. Times are in milliseconds; nothing is subtracted from them.
public struct TransitionFigures: Sendable, Codable, Equatable {
    /// The victim's own level in dBFS: the median of half a second before the interrupter was started.
    public var ownLevel: Double
    /// From the start of the interrupter's program to its first sound, as the recording shows it: to be compared only with
    /// others of the same server. Negative where the server mixes ahead.
    public var start: Double
    /// From the interrupter's first sound to its last.
    public var length: Double
    /// From the interrupter's first sound until the victim is heard for the last time; nil if the victim is still heard
    /// in the interrupter's last 20 ms.
    public var heard: ByLevel<Double?>
    /// How long both are heard.
    public var both: ByLevel<Double>
    /// The victim's level in the second half of the interruption, in decibels relative to its own; nil for silence.
    public var level: Double?
    /// From the interrupter's last sound until the victim is within 1 dB of its own level for 20 ms; nil for never.
    public var back: Double?
    /// The victim's level at the end of the recording, in decibels relative to its own; nil for silence.
    public var returned: Double?
    /// The loudest click on the victim's channel from the interrupter's start to the middle of its sound, in dBFS.
    public var clickAtBegin: Double
    /// The loudest click on the victim's channel from that middle to the end of the recording, in dBFS.
    public var clickAtEnd: Double
    /// The click meter's value before the interrupter was started, in dBFS.
    public var noiseFloor: Double
    /// The loudest click in the interrupter's own tone, in dBFS, without its first and last 30 ms. No policy touches that
    /// tone: a click there is a gap of the machine.
    public var witness: Double

    /// The amplitude from which on the interrupter is heard, −60 dBFS.
    public static let audible: Float = 1e-3
    /// How much earlier than the interrupter's start something may be in the recording: PulseAudio mixes ahead, and mixes
    /// anew what it has not played yet.
    static let ahead = Duration.milliseconds(50)

    /// Measures an interruption; nil if a tone is missing.
    public init?(of recorded: RecordedInterruption) {
        let sound = recorded.sound
        let other = sound[recorded.interrupter.channel]
        let victim = AmplitudeTrack(of: sound[recorded.victim.channel], frequency: recorded.victim.frequency)
        let since = max(0, recorded.launch - TransitionFigures.ahead.frames)
        let baseline = max(0, since - Duration.milliseconds(500).frames)..<since
        let own = victim.steady(in: baseline)
        // One sample may be a gap of the machine; a tone has more.
        let heard = soundingFrames(of: other, above: TransitionFigures.audible)
            .filter { $0.lowerBound >= since && $0.count > Duration.milliseconds(50).frames }
        guard own > 0.01, let first = heard.first?.lowerBound, let last = heard.last?.upperBound else { return nil }
        let during = first..<last
        ownLevel = 20 * log10(Double(own))
        start = Duration.frames(first - recorded.launch).milliseconds
        length = Duration.frames(last - first).milliseconds
        self.heard = ByLevel { factor in
            guard let end = victim.last(above: factor * own, in: during) else { return 0 }
            return end >= last - Duration.milliseconds(20).frames ? nil : Duration.frames(end + 1 - first).milliseconds
        }
        both = ByLevel { Duration.frames(victim.count(above: $0 * own, in: during)).milliseconds }
        let middle = first + (last - first) / 2
        let edge = Duration.milliseconds(30).frames
        level = decibels(victim.steady(in: middle..<max(middle, last - edge)), relativeTo: own)
        back = victim.first(atLeast: own * 0.8913, from: last).map { Duration.frames($0 - last).milliseconds }
        returned = decibels(
            victim.steady(in: max(last, sound.frameCount - edge)..<max(last, sound.frameCount)), relativeTo: own)

        let meter = ClickMeter()
        let samples = sound[recorded.victim.channel]
        guard let begin = meter.loudest(in: samples, frames: since..<middle),
            let end = meter.loudest(in: samples, frames: middle..<sound.frameCount),
            let floor = meter.loudest(in: samples, frames: baseline),
            let witness = meter.loudest(in: other, frames: first + edge..<max(first + edge, last - edge))
        else { return nil }
        clickAtBegin = begin
        clickAtEnd = end
        noiseFloor = floor
        self.witness = witness
    }
}

/// One interruption, measured, and how much the machine disturbed it.
public struct Trial: Sendable, Codable {
    /// What was heard.
    public var figures: TransitionFigures
    /// How much of the sound the server left out or was late by meanwhile, in milliseconds.
    public var lost: Double

    /// A measured interruption.
    public init(figures: TransitionFigures, lost: Double) {
        self.figures = figures
        self.lost = lost
    }

    /// Whether the machine was too busy for the server, judged by what no policy touches: the victim before the
    /// interruption, the interrupter's own tone, and the server's clock.
    public var isDisturbed: Bool { figures.noiseFloor > -80 || figures.witness > -80 || lost > 10 }
}

/// The levels of both tones around an interruption, one value for each millisecond, in decibels relative to each tone's own
/// level; −80 for silence.
public struct TransitionCurves: Sendable {
    /// A part of the curves.
    public struct Part: Sendable {
        /// The victim.
        public var victim: [Double]
        /// The interrupter.
        public var interrupter: [Double]
    }

    /// From 200 ms before to 600 ms after the interrupter's first sound.
    public var begin: Part
    /// From 100 ms before to 1,500 ms after the interrupter's last sound.
    public var end: Part

    /// The moments of ``begin`` relative to the interrupter's first sound, in milliseconds.
    public static let beginRange = -200..<600
    /// The moments of ``end`` relative to the interrupter's last sound, in milliseconds.
    public static let endRange = -100..<1500

    /// Takes the curves of a measured interruption.
    public init(of recorded: RecordedInterruption, _ figures: TransitionFigures) {
        let victim = AmplitudeTrack(
            of: recorded.sound[recorded.victim.channel], frequency: recorded.victim.frequency)
        let other = AmplitudeTrack(
            of: recorded.sound[recorded.interrupter.channel], frequency: recorded.interrupter.frequency)
        let first = recorded.launch + Duration.nanoseconds(Int64(figures.start * 1e6)).frames
        let last = first + Duration.nanoseconds(Int64(figures.length * 1e6)).frames
        let own = Float(pow(10, figures.ownLevel / 20))
        let loud = other.steady(in: first..<last)
        func part(_ moments: Range<Int>, around frame: Int) -> Part {
            let step = Duration.milliseconds(1).frames
            let frames = frame + moments.lowerBound * step..<frame + moments.upperBound * step
            return Part(
                victim: victim.levels(in: frames, relativeTo: own),
                interrupter: other.levels(in: frames, relativeTo: loud))
        }
        begin = part(TransitionCurves.beginRange, around: first)
        end = part(TransitionCurves.endRange, around: last)
    }
}
