import Foundation

/// The sounds that tests play, designed to be distinguished and measured in a capture.
public enum Signal {
    /// The length of a signal's fade-in and fade-out, so that the file itself has no click.
    public static let edge: Duration = .milliseconds(10)

    /// A sine tone.
    ///
    /// - Parameters:
    ///   - frequency: In hertz.
    ///   - amplitude: Relative to full scale.
    ///   - channel: The only channel with sound, or nil for both.
    public static func tone(
        _ frequency: Double, amplitude: Double = 0.5, for duration: Duration, on channel: Channel? = nil
    ) -> Sound {
        let count = duration.frames
        let step = 2 * Double.pi * frequency / Double(Sound.rate)
        let samples = (0..<count).map { Float(amplitude * envelope($0, of: count) * sin(step * Double($0))) }
        return Sound(left: channel == .right ? [] : samples, right: channel == .left ? [] : samples)
    }

    /// The frames in which the phase of the position signal turns once by default: ten seconds.
    public static let framesPerTurn = 480_000

    /// A signal that contains its own position in the file: cosine (left) and sine (right) of a slowly turning phase.
    /// `atan2` of the two is the position, whatever gain was applied to both. See `PositionTrack`.
    ///
    /// A gap is measured modulo one turn. The result is exact to a frame with 32-bit float throughout; rounding to 16
    /// bits at half amplitude costs some frames of precision per ten seconds of turn.
    public static func position(
        amplitude: Double = 0.5, for duration: Duration, framesPerTurn: Int = framesPerTurn
    ) -> Sound {
        let count = duration.frames
        let step = 2 * Double.pi / Double(framesPerTurn)
        let gains = (0..<count).map { amplitude * envelope($0, of: count) }
        return Sound(
            left: (0..<count).map { Float(gains[$0] * cos(step * Double($0))) },
            right: (0..<count).map { Float(gains[$0] * sin(step * Double($0))) })
    }

    /// A raised-cosine fade at the beginning and the end.
    private static func envelope(_ frame: Int, of count: Int) -> Double {
        let length = min(edge.frames, count / 2)
        let fromEnd = min(frame, count - 1 - frame)
        return fromEnd >= length ? 1 : 0.5 - 0.5 * cos(.pi * (Double(fromEnd) + 0.5) / Double(length))
    }
}
