import Foundation

/// One of the two channels.
public enum Channel: Int, Sendable, CaseIterable {
    /// The first.
    case left
    /// The second.
    case right
}

/// Stereo sound at 48 kHz, to be played or captured.
public struct Sound: Sendable, Equatable {
    /// Frames in a second; all private servers run at this rate.
    public static let rate = 48_000

    /// The samples of the left channel, full scale ±1.
    public var left: [Float]
    /// The samples of the right channel; as many as of the left.
    public var right: [Float]

    /// Sound from two channels, the shorter one filled with silence.
    public init(left: [Float], right: [Float]) {
        let count = max(left.count, right.count)
        self.left = left + [Float](repeating: 0, count: count - left.count)
        self.right = right + [Float](repeating: 0, count: count - right.count)
    }

    /// Sound from interleaved samples; an incomplete last frame is dropped.
    public init(interleaved samples: UnsafeBufferPointer<Float>) {
        let count = samples.count / 2
        left = [Float](unsafeUninitializedCapacity: count) { buffer, used in
            for index in 0..<count { buffer[index] = samples[2 * index] }
            used = count
        }
        right = [Float](unsafeUninitializedCapacity: count) { buffer, used in
            for index in 0..<count { buffer[index] = samples[2 * index + 1] }
            used = count
        }
    }

    /// The number of frames.
    public var frameCount: Int { left.count }

    /// One channel's samples.
    public subscript(channel: Channel) -> [Float] { channel == .left ? left : right }

    /// This sound followed by another.
    public static func + (first: Sound, second: Sound) -> Sound {
        Sound(left: first.left + second.left, right: first.right + second.right)
    }

    /// Silence.
    public static func silence(_ duration: Duration) -> Sound {
        let samples = [Float](repeating: 0, count: duration.frames)
        return Sound(left: samples, right: samples)
    }
}

extension Duration {
    /// The duration in frames, rounded.
    public var frames: Int { Int((self / .seconds(1) * Double(Sound.rate)).rounded()) }

    /// The duration of a number of frames.
    public static func frames(_ count: Int) -> Duration {
        .nanoseconds(Int64(count) * 1_000_000_000 / Int64(Sound.rate))
    }

    /// In milliseconds, for results and messages.
    public var milliseconds: Double { self / .milliseconds(1) }
}
