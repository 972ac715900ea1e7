import CLibPulse
import Glibc

/// A stream to the sound server, over PulseAudio's simple interface. Its sound ends when it is released.
struct Output: ~Copyable {
    /// Frames per second, of one channel.
    static let sampleRate = 48000

    /// Why there is no stream, in libpulse's words.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ code: Int32) { description = pa_strerror(code).map { String(cString: $0) } ?? "error \(code)" }
    }

    private let stream: OpaquePointer

    init() throws(Failure) {
        var format = pa_sample_spec(format: PA_SAMPLE_S16LE, rate: UInt32(Self.sampleRate), channels: 1)
        var code: Int32 = 0
        let stream = pa_simple_new(
            nil, "audio-session-player", PA_STREAM_PLAYBACK, nil, "Tone", &format, nil, nil, &code)
        guard let stream else { throw Failure(code) }
        self.stream = stream
    }

    deinit { pa_simple_free(stream) }

    /// Waits until there is room for the samples.
    func write(_ samples: [Int16]) throws(Failure) {
        var code: Int32 = 0
        let result = pa_simple_write(stream, samples, samples.count * MemoryLayout<Int16>.size, &code)
        if result < 0 { throw Failure(code) }
    }
}

/// A sine of 440 Hz, at an eighth of the full level.
struct Tone {
    private var frame = 0

    /// The next 20 ms.
    mutating func next() -> [Int16] {
        let first = frame
        frame = (frame + Output.sampleRate / 50) % Output.sampleRate
        return (first..<first + Output.sampleRate / 50).map { frame in
            Int16(4096 * sin(2 * Double.pi * 440 * Double(frame) / Double(Output.sampleRate))).littleEndian
        }
    }
}
