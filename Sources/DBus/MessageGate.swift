import Glibc

/// Stands between the bus and sd-bus, and cuts off messages that are too long. sd-bus reads a message of any size into
/// memory, and ends the connection for everybody when a message of 128 MiB comes.
///
/// In place of a message that is too long, sd-bus gets its header without a body, so that the sender gets an answer.
/// Outgoing bytes pass unchanged. Nothing blocks: ``pump()`` moves what can be moved now.
final class MessageGate {
    /// The size of the longest message that is let through, in bytes.
    static let longest = 2 << 20
    /// The size of the longest header that is looked at, in bytes.
    private static let longestHeader = 1 << 16
    /// How many bytes may wait for a bus that does not read.
    static let mostOutgoing = 16 << 20
    /// How many bytes are moved at once.
    private static let share = 1 << 16

    /// The socket of the bus.
    let outside: Int32
    /// The other end of sd-bus's socket.
    private let inside: Int32
    /// The bytes that wait for sd-bus, and for the bus.
    private var incoming: ArraySlice<UInt8> = []
    private var outgoing: ArraySlice<UInt8> = []
    /// The line of the bus's greeting that is being read; `nil` once messages follow (D-Bus Specification, "Authentication
    /// Protocol").
    private var line: [UInt8]? = []
    /// The part of a message's header that has come.
    private var header: [UInt8] = []
    /// How many bytes of the present message follow, and whether they are left out.
    private var rest = 0
    private var isCut = false
    /// The messages without their bodies that sd-bus has not given out yet.
    private var cut: Set<MessageKey> = []
    private var hasEnded = false

    /// A message of a sender.
    struct MessageKey: Hashable {
        var sender: String
        var serial: UInt64
    }

    /// Takes the place of a connection that sd-bus has just made. `nil`, with `errno` set, if there are no more descriptors.
    init?(inPlaceOf descriptor: Int32) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        outside = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0, outside >= 0 else {
            inside = -1
            return nil
        }
        inside = pair[0]
        defer { close(pair[1]) }
        guard dup2(pair[1], descriptor) >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0 else { return nil }
    }

    deinit {
        if outside >= 0 { close(outside) }
        if inside >= 0 { close(inside) }
    }

    /// What to wait for at ``outside``.
    var interest: Readiness {
        var wanted = Readiness()
        if incoming.isEmpty, !hasEnded { wanted.insert(.readable) }
        if !outgoing.isEmpty { wanted.insert(.writable) }
        return wanted
    }

    /// Whether more waits for the bus than may.
    var isOverfull: Bool { outgoing.count > Self.mostOutgoing }

    /// Whether a message that sd-bus gives out has lost its body here.
    func hasCut(_ message: MessageKey) -> Bool { cut.remove(message) != nil }

    /// Moves what can be moved without waiting, up to a limit. Returns whether anything reached sd-bus.
    @discardableResult
    func pump() -> Bool {
        send(&outgoing, to: outside)
        // Leaves nothing in sd-bus, which counts waiting messages and not their bytes.
        while !isOverfull, let bytes = receive(from: inside), !bytes.isEmpty {
            outgoing += bytes
            send(&outgoing, to: outside)
        }
        send(&incoming, to: inside)
        guard incoming.isEmpty, !hasEnded, let bytes = receive(from: outside) else { return false }
        if bytes.isEmpty {
            hasEnded = true
            shutdown(inside, Int32(SHUT_WR))
            return true
        }
        take(bytes[...])
        send(&incoming, to: inside)
        return true
    }

    // MARK: - Bytes

    /// The next bytes; empty at the end, `nil` if none are there now.
    private func receive(from socket: Int32) -> [UInt8]? {
        var result: Int
        var bytes: [UInt8]
        repeat {
            result = 0
            bytes = [UInt8](unsafeUninitializedCapacity: Self.share) { buffer, count in
                result = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                count = max(0, result)
            }
        } while result < 0 && errno == EINTR
        if result < 0 { return errno == EAGAIN ? nil : [] }
        return bytes
    }

    private func send(_ bytes: inout ArraySlice<UInt8>, to socket: Int32) {
        while !bytes.isEmpty {
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, flags) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                // A socket that has ended takes no more bytes; the next read reports the end.
                if errno != EAGAIN { bytes = [] }
                return
            }
        }
        bytes = []
    }

    // MARK: - Messages

    private func take(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        while let byte = bytes.first {
            if line != nil {
                bytes.removeFirst()
                incoming.append(byte)
                line?.append(byte)
                guard byte == UInt8(ascii: "\n"), let whole = line else { continue }
                // sd-bus makes no request that the bus would answer after this line.
                line = whole.starts(with: Array("OK ".utf8)) ? nil : []
            } else if rest > 0 {
                let part = bytes.prefix(rest)
                if !isCut { incoming += part }
                rest -= part.count
                bytes = bytes.dropFirst(part.count)
            } else {
                let part = bytes.prefix(max(1, missing))
                header += part
                bytes = bytes.dropFirst(part.count)
                readHeader()
            }
        }
    }

    /// The length of the fixed part of a header, in bytes (D-Bus Specification, "Message Format").
    private static let fixedLength = 16

    /// How many bytes of the header are missing, as far as it is known.
    private var missing: Int {
        guard header.count >= Self.fixedLength else { return Self.fixedLength - header.count }
        return Self.fixedLength + Self.padded(number(at: 12)) - header.count
    }

    private func readHeader() {
        guard header.count >= Self.fixedLength else { return }
        let length = Self.fixedLength + Self.padded(number(at: 12))
        let body = number(at: 4)
        isCut = length + body > Self.longest
        if isCut, length <= Self.longestHeader, header.count < length { return }
        rest = length + body - header.count
        if !isCut {
            incoming += header
        } else if let (short, key) = withoutBody() {
            incoming += short
            cut.insert(key)
        }
        header = []
    }

    private static func padded(_ length: Int) -> Int { (length + 7) & ~7 }

    /// A number of four bytes in the header, in the message's byte order.
    private func number(at index: Int) -> Int {
        let bytes = header[index..<index + 4]
        let ordered = header[0] == UInt8(ascii: "l") ? Array(bytes.reversed()) : Array(bytes)
        return ordered.reduce(0) { $0 << 8 | Int($1) }
    }

    private func bytes(_ number: Int) -> [UInt8] {
        let ordered = (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return header[0] == UInt8(ascii: "l") ? ordered : ordered.reversed()
    }

    /// The header of a message without arguments and descriptors, with its key; `nil` if it is none.
    private func withoutBody() -> (bytes: [UInt8], key: MessageKey)? {
        let end = Self.fixedLength + number(at: 12)
        guard header.count >= end else { return nil }
        var short = Array(header.prefix(Self.fixedLength))
        var sender = ""
        var index = Self.fixedLength
        while index < end {
            // A field: its code, the signature of its value, which is one letter, and the value.
            let start = index
            guard index + 4 <= end, header[index + 1] == 1 else { return nil }
            let code = header[index]
            let kind = header[index + 2]
            index += 4
            let text: Range<Int>
            switch kind {
            case UInt8(ascii: "s"), UInt8(ascii: "o"):
                guard index + 4 <= end else { return nil }
                text = index + 4..<index + 4 + number(at: index)
                index = text.upperBound + 1
            case UInt8(ascii: "g"):
                guard index < end else { return nil }
                text = index + 1..<index + 1 + Int(header[index])
                index = text.upperBound + 1
            case UInt8(ascii: "u"):
                text = index..<index
                index += 4
            default: return nil
            }
            guard index <= end else { return nil }
            if code == Self.senderField { sender = String(decoding: header[text], as: UTF8.self) }
            // sd-bus answers these calls itself and gives them out to nobody, so nobody would ask for the key.
            if code == Self.interfaceField, header[text].elementsEqual("org.freedesktop.DBus.Peer".utf8) { return nil }
            if code != Self.signatureField, code != Self.descriptorsField {
                short += [UInt8](repeating: 0, count: Self.padded(short.count) - short.count)
                short += header[start..<index]
            }
            index = Self.padded(index)
        }
        short.replaceSubrange(4..<8, with: bytes(0))
        short.replaceSubrange(12..<16, with: bytes(short.count - Self.fixedLength))
        short += [UInt8](repeating: 0, count: Self.padded(short.count) - short.count)
        return (short, MessageKey(sender: sender, serial: UInt64(number(at: 8))))
    }

    /// The codes of header fields (D-Bus Specification, "Header Fields").
    private static let interfaceField: UInt8 = 2
    private static let senderField: UInt8 = 7
    private static let signatureField: UInt8 = 8
    private static let descriptorsField: UInt8 = 9
}
