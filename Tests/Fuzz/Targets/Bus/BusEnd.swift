import Glibc

/// The bus's end of a connection, in the same thread: receives what sd-bus writes, and sends messages to sd-bus.
final class BusEnd {
    /// The address for the other end.
    let address: String
    /// The unique name that the other end gets.
    let uniqueName: String
    /// The number of connections so far.
    private(set) var connections = 0
    /// The number of messages in both directions. While it grows, the connection is not at rest.
    private(set) var traffic = 0
    private let listener: CInt
    private var socket: CInt = -1
    /// Connections that wanted to be monitors. They get no answer, and hear nothing.
    private var monitors: [CInt] = []
    private var isAuthenticated = false
    private var input: [UInt8] = []
    private var lastSerial: UInt32 = 0

    init(_ name: String, uniqueName: String) {
        self.uniqueName = uniqueName
        let path = "audio-session-fuzz-\(getpid())-\(name)"
        address = "unix:abstract=\(path)"
        listener = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        let length = withUnsafeMutableBytes(of: &place) { memory in
            let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
            // The address of an abstract socket begins with a zero.
            for (index, byte) in path.utf8.enumerated() { memory[start + 1 + index] = byte }
            return start + 1 + path.utf8.count
        }
        let code = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(length)) }
        }
        if code < 0 || listen(listener, 16) < 0 { fatalError("no socket for the bus: \(errno)") }
    }

    deinit { close(listener) }

    var isConnected: Bool { socket >= 0 && isAuthenticated }

    /// Closes the connection, as a bus that ends does, and all connections that wait to be accepted.
    func hangUp() {
        drop()
        while case let waiting = accept(listener, nil, nil), waiting >= 0 { close(waiting) }
    }

    private func drop() {
        for socket in monitors + [socket] where socket >= 0 { close(socket) }
        monitors = []
        socket = -1
        isAuthenticated = false
        input = []
    }

    /// The messages received since the last call.
    func receive() -> [BusMessage] {
        if socket < 0 {
            socket = accept(listener, nil, nil)
            if socket < 0 { return [] }
            connections += 1
            traffic += 1
        }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &chunk, chunk.count, BusEnd.flags)
            if count > 0 {
                traffic += count
                input.append(contentsOf: chunk.prefix(count))
                if count == chunk.count { continue }
            } else if count == 0 || errno != EAGAIN {
                drop()
                return []
            }
            break
        }
        if !isAuthenticated { authenticate() }
        var letters: [BusMessage] = []
        var rest = input[...]
        if isAuthenticated {
            while let (letter, length) = BusMessage.first(in: rest) {
                letters.append(letter)
                rest = rest.dropFirst(length)
            }
            input = Array(rest)
        }
        if letters.contains(where: { $0.member == "BecomeMonitor" }) {
            monitors.append(socket)
            socket = -1
            isAuthenticated = false
            input = []
            return []
        }
        return letters
    }

    /// Answers the client's authentication (D-Bus Specification, "Authentication Protocol").
    private func authenticate() {
        while let end = input.firstIndex(of: 0x0A) {
            let line = String(decoding: input[..<end].drop { $0 == 0 }, as: UTF8.self)
            input.removeSubrange(...end)
            if line.hasPrefix("AUTH EXTERNAL") {
                write(Array((line.split(separator: " ").count > 2 ? BusEnd.welcome : "DATA\r\n").utf8))
            } else if line.hasPrefix("DATA") {
                write(Array(BusEnd.welcome.utf8))
            } else if line.hasPrefix("NEGOTIATE_UNIX_FD") {
                write(Array("AGREE_UNIX_FD\r\n".utf8))
            } else if line.hasPrefix("BEGIN") {
                isAuthenticated = true
                return
            }
        }
    }

    /// Never block, and raise no SIGPIPE when the other end has gone.
    private static let flags = CInt(MSG_DONTWAIT | MSG_NOSIGNAL)
    private static let welcome = "OK 0123456789abcdef0123456789abcdef\r\n"

    /// Sends a message with the next serial, and returns the serial.
    @discardableResult func send(_ letter: BusMessage) -> UInt32 {
        lastSerial &+= 1
        if lastSerial == 0 { lastSerial = 1 }
        var letter = letter
        letter.serial = lastSerial
        if letter.destination.isEmpty { letter.destination = uniqueName }
        write(letter.bytes)
        return lastSerial
    }

    private func write(_ bytes: [UInt8]) {
        guard socket >= 0 else { return }
        let count = Glibc.send(socket, bytes, bytes.count, BusEnd.flags)
        traffic += 1
        // The other end does not read.
        if count != bytes.count { drop() }
    }
}
