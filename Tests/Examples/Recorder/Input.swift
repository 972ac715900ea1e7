import CLibPulse

/// A stream from the sound server, over PulseAudio's simple interface.
struct Input: ~Copyable {
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
        // The server's default would hand over two seconds at a time.
        var buffer = pa_buffer_attr(
            maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: UInt32(Self.sampleRate / 50 * 2))
        var code: Int32 = 0
        let stream = pa_simple_new(
            nil, "audio-session-recorder", PA_STREAM_RECORD, nil, "Recording", &format, nil, &buffer, &code)
        guard let stream else { throw Failure(code) }
        self.stream = stream
    }

    deinit { pa_simple_free(stream) }

    /// Waits for 20 ms of sound. Each sample has 16 bits, the lower ones first.
    func read() throws(Failure) -> [UInt8] {
        var samples = [UInt8](repeating: 0, count: Self.sampleRate / 50 * 2)
        var code: Int32 = 0
        if pa_simple_read(stream, &samples, samples.count, &code) < 0 { throw Failure(code) }
        return samples
    }
}
