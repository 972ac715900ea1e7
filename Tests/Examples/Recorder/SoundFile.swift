import Glibc

/// A WAV file of one channel. It can be played at any time, whatever ends the program that writes it.
struct SoundFile: ~Copyable {
    /// Why the file cannot be written, in the system's words.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ path: String) { description = "\(path): \(String(cString: strerror(errno)))" }
    }

    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Failure(path) }
        try write(Self.header(size: 0), at: 0)
    }

    deinit { close(descriptor) }

    /// Appends samples, and says in the file's head how much there is now.
    func append(_ samples: [UInt8]) throws(Failure) {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw Failure(path) }
        try write(samples, at: end)
        try write(Self.header(size: UInt32(clamping: Int(end) + samples.count - Self.headerSize)), at: 0)
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(Failure) {
        guard pwrite(descriptor, bytes, bytes.count, offset) == bytes.count else { throw Failure(path) }
    }

    private static let headerSize = 44

    /// The head of a file with so many bytes of sound.
    private static func header(size: UInt32) -> [UInt8] {
        func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        let rate = UInt32(Input.sampleRate)
        // Format 1: plain samples; one channel; bytes for each second and frame; bits of a sample.
        let format =
            bytes(UInt16(1)) + bytes(UInt16(1)) + bytes(rate) + bytes(rate * 2) + bytes(UInt16(2)) + bytes(UInt16(16))
        return Array("RIFF".utf8) + bytes(size &+ 36) + Array("WAVEfmt ".utf8) + bytes(UInt32(format.count)) + format
            + Array("data".utf8) + bytes(size)
    }
}
