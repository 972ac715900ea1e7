import Foundation

/// The sample formats of written files.
public enum SampleFormat: Sendable, CaseIterable {
    /// 32-bit float, the default, because it adds no rounding.
    case float32
    /// 16-bit signed integer, as in most files.
    case signed16
}

extension Sound {
    /// The bytes of a WAV file with so many channels in floating point: the left one, the right one, and silence in those
    /// beyond; with one channel, the left one.
    public func waveFile(channels: Int) -> Data {
        var samples = [Float](repeating: 0, count: frameCount * channels)
        for (channel, values) in [left, right].prefix(channels).enumerated() {
            for (frame, value) in values.enumerated() { samples[frame * channels + channel] = value }
        }
        var data = Self.header(.float32, channels: channels, frameCount: frameCount)
        samples.withUnsafeBytes { data.append(contentsOf: $0) }
        return data
    }

    private static func header(_ format: SampleFormat, channels: Int, frameCount: Int) -> Data {
        let bytesPerSample = format == .float32 ? 4 : 2
        let size = frameCount * channels * bytesPerSample
        var data = Data(capacity: size + 44)
        func append<Value: FixedWidthInteger>(_ value: Value) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        data.append(contentsOf: "RIFF".utf8)
        append(UInt32(36 + size))
        data.append(contentsOf: "WAVEfmt ".utf8)
        append(UInt32(16))
        append(UInt16(format == .float32 ? 3 : 1))
        append(UInt16(channels))
        append(UInt32(Sound.rate))
        append(UInt32(Sound.rate * channels * bytesPerSample))
        append(UInt16(channels * bytesPerSample))
        append(UInt16(8 * bytesPerSample))
        data.append(contentsOf: "data".utf8)
        append(UInt32(size))
        return data
    }

    /// The bytes of a stereo WAV file with this sound.
    public func waveFile(_ format: SampleFormat = .float32) -> Data {
        var data = Self.header(format, channels: 2, frameCount: frameCount)
        switch format {
        case .float32:
            let samples = [Float](unsafeUninitializedCapacity: 2 * frameCount) { buffer, used in
                for index in 0..<frameCount {
                    buffer[2 * index] = left[index]
                    buffer[2 * index + 1] = right[index]
                }
                used = 2 * frameCount
            }
            samples.withUnsafeBytes { data.append(contentsOf: $0) }
        case .signed16:
            let samples = [Int16](unsafeUninitializedCapacity: 2 * frameCount) { buffer, used in
                func rounded(_ sample: Float) -> Int16 { Int16((max(-1, min(1, sample)) * 32767).rounded()) }
                for index in 0..<frameCount {
                    buffer[2 * index] = rounded(left[index])
                    buffer[2 * index + 1] = rounded(right[index])
                }
                used = 2 * frameCount
            }
            samples.withUnsafeBytes { data.append(contentsOf: $0) }
        }
        return data
    }
}

extension Sandbox {
    /// Writes a sound to a WAV file in the sandbox and returns its absolute path.
    public func write(_ sound: Sound, to name: String, format: SampleFormat = .float32) throws -> String {
        let path = path("home/\(name)")
        try sound.waveFile(format).write(to: URL(fileURLWithPath: path))
        return path
    }
}
