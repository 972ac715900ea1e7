import Glibc

/// Wakes a thread that waits for a descriptor.
final class Doorbell: Sendable {
    /// Readable once it was rung, until ``silence()``. -1 if the process has no descriptor left.
    let descriptor: Int32
    private let button: Int32

    init() {
        var pair: [Int32] = [-1, -1]
        // Sockets, because a pipe cannot be made so that no child inherits it.
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        if socketpair(AF_UNIX, Int32(kind), 0, &pair) < 0 { pair = [-1, -1] }
        (descriptor, button) = (pair[0], pair[1])
    }

    deinit {
        for end in [descriptor, button] where end >= 0 { close(end) }
    }

    /// A full socket is readable already.
    func ring() {
        var byte: UInt8 = 0
        _ = write(button, &byte, 1)
    }

    func silence() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
