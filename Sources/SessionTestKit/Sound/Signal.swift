import Foundation

/// The sounds that tests play: made to be told apart and measured in a capture.
public enum Signal {
    /// How long a signal takes to begin and to end, so that the file itself makes no click.
    public static let edge: Duration = .milliseconds(10)

    /// A sine tone.
    ///
    /// - Parameters:
    ///   - frequency: in hertz.
    ///   - amplitude: of full scale.
    ///   - channel: the only channel that sounds, or nil for both.
    public static func tone(
        _ frequency: Double, amplitude: Double = 0.5, for duration: Duration, on channel: Channel? = nil
    ) -> Sound {
        let count = duration.frames
        let step = 2 * Double.pi * frequency / Double(Sound.rate)
        let samples = (0..<count).map { Float(amplitude * envelope($0, of: count) * sin(step * Double($0))) }
        return Sound(left: channel == .right ? [] : samples, right: channel == .left ? [] : samples)
    }

    /// The frames in which the position signal's phase turns once, unless told otherwise: ten seconds.
    public static let framesPerTurn = 480_000

    /// A signal that says by itself where in the file it is: the cosine (left) and sine (right) of a phase that
    /// turns slowly. `atan2` of the two is the position, whatever gain both went through. See `PositionTrack`.
    ///
    /// A gap is found modulo one turn, and is exact to a frame while samples are 32-bit float all the way; rounding
    /// to 16 bits at half amplitude costs some frames of precision per ten seconds of turn.
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

    /// A raised cosine up at the beginning and down at the end.
    private static func envelope(_ frame: Int, of count: Int) -> Double {
        let length = min(edge.frames, count / 2)
        let fromEnd = min(frame, count - 1 - frame)
        return fromEnd >= length ? 1 : 0.5 - 0.5 * cos(.pi * (Double(fromEnd) + 0.5) / Double(length))
    }
}
