import Foundation

/// The client's end of a unix stream socket, read without blocking.
final class UnixConnection {
    private let descriptor: Int32
    private var pending: [UInt8] = []

    init?(path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result != 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw SystemError(code: errno, context: "send over a socket")
        }
    }

    func receivedLines() throws -> [String] {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { pending += buffer[0..<count] } else { break }
        }
        guard let end = pending.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        defer { pending.removeSubrange(...end) }
        return pending[..<end].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }
}
