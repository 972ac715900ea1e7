/// How long a card sounds on from its buffer when nobody writes, for example because the kernel has stopped all
/// programs before the machine sleeps (N16).
public enum CardBuffer {
    /// Longer than any card's: programs may state anything of their nodes.
    static let longest = Duration.seconds(10)

    /// The buffer of an ALSA card in PipeWire, by its node's properties: `node.max-latency` (half of the buffer, as
    /// frames, slash and rate; absent where the card's interrupts give the time), or else `api.alsa.period-size`
    /// (frames), `api.alsa.period-num` and the assumed rate in Hz.
    public static func alsa(maximumLatency: String?, periodSize: String?, periods: String?, rate: Double) -> Duration {
        if let parts = maximumLatency?.split(separator: "/", maxSplits: 1).map({ UInt32($0) }), parts.count == 2,
            let half = parts[0], let rate = parts[1]
        {
            return length(frames: 2 * Double(half), rate: Double(rate))
        }
        let numbers = [periodSize, periods].map { $0.flatMap { UInt32($0) } ?? 0 }
        return length(frames: Double(numbers[0]) * Double(numbers[1]), rate: rate)
    }

    /// The buffer of a card in PulseAudio, by the sink's property `device.buffering.buffer_size` in bytes.
    public static func pulse(size: String?, bytesPerSecond: Int) -> Duration {
        length(frames: Double(size.flatMap { UInt32($0) } ?? 0), rate: Double(bytesPerSecond))
    }

    private static func length(frames: Double, rate: Double) -> Duration {
        rate > 0 ? .seconds(min(frames / rate, longest / .seconds(1))) : .zero
    }
}
