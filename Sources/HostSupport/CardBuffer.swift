/// How long a card's buffer lasts. A card goes on with what its buffer holds when nobody writes into it any more, for example
/// because the kernel has stopped all programs before the machine sleeps (N16).
public enum CardBuffer {
    /// Longer than any card's. Programs may state anything of the nodes that they make.
    static let longest = Duration.seconds(10)

    /// The buffer of an ALSA card in PipeWire, by the properties of its node.
    ///
    /// - Parameters:
    ///   - maximumLatency: `node.max-latency`, half of the buffer: frames, a slash and the rate. PipeWire leaves it out where
    ///     the card's interrupts give the time.
    ///   - periodSize: `api.alsa.period-size`, in frames.
    ///   - periods: `api.alsa.period-num`.
    ///   - rate: The rate to assume where the properties say none, in Hz.
    public static func alsa(maximumLatency: String?, periodSize: String?, periods: String?, rate: Double) -> Duration {
        if let parts = maximumLatency?.split(separator: "/", maxSplits: 1).map({ UInt32($0) }), parts.count == 2,
            let half = parts[0], let rate = parts[1]
        {
            return length(frames: 2 * Double(half), rate: Double(rate))
        }
        let numbers = [periodSize, periods].map { $0.flatMap { UInt32($0) } ?? 0 }
        return length(frames: Double(numbers[0]) * Double(numbers[1]), rate: rate)
    }

    /// The buffer of a card in PulseAudio.
    ///
    /// - Parameters:
    ///   - size: The sink's property `device.buffering.buffer_size`, in bytes.
    ///   - bytesPerSecond: What the sink plays in a second.
    public static func pulse(size: String?, bytesPerSecond: Int) -> Duration {
        length(frames: Double(size.flatMap { UInt32($0) } ?? 0), rate: Double(bytesPerSecond))
    }

    private static func length(frames: Double, rate: Double) -> Duration {
        rate > 0 ? .seconds(min(frames / rate, longest / .seconds(1))) : .zero
    }
}
