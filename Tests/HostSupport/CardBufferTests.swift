import HostSupport
import Testing

@Suite struct CardBufferTests {
    @Test(
        "N16 the length of an ALSA card's buffer in PipeWire",
        arguments: [
            // As PipeWire 1.4 states it of HDA: a buffer of 32,768 frames.
            ("16384/48000", "1024", "32", 682_666),
            // The card's own rate counts, not that of the graph.
            ("16384/192000", "1024", "32", 170_666), (nil, "256", "4", 21_333),
            // A card that is closed, or no card.
            (nil, "1024", nil, 0), (nil, nil, nil, 0), (nil, "0", "0", 0),
            // Nonsense.
            ("16384/0", "1024", "32", 0), ("1/2/3", "-1", "4", 0), ("a/48000", "1024", "x", 0),
            ("4294967295/1", nil, nil, 10_000_000), (nil, "4294967295", "4294967295", 10_000_000),
        ] as [(String?, String?, String?, Int64)])
    func alsa(maximum: String?, size: String?, periods: String?, microseconds: Int64) {
        let length = CardBuffer.alsa(maximumLatency: maximum, periodSize: size, periods: periods, rate: 48_000)
        #expect(Int64(length / .microseconds(1)) == microseconds)
    }

    @Test(
        "N16 the length of a card's buffer in PulseAudio",
        arguments: [("352800", 2_000_000), (nil, 0), ("", 0), ("-1", 0), ("4294967295", 10_000_000)]
            as [(String?, Int64)])
    func pulse(size: String?, microseconds: Int64) {
        let length = CardBuffer.pulse(size: size, bytesPerSecond: 176_400)
        #expect(Int64(length / .microseconds(1)) == microseconds)
        #expect(CardBuffer.pulse(size: size, bytesPerSecond: 0) == .zero)
    }
}
