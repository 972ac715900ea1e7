/// A key that `audio-session top` knows.
enum TopKey: Equatable {
    case up, down, pageUp, pageDown, home, end
    case enter, escape
    /// Any other key of printable ASCII.
    case character(Character)
}

/// Makes keys of the bytes that a terminal sends (ECMA-48, and xterm's control sequences for arrows).
struct TopKeyReader {
    /// The beginning of a sequence whose end has not come.
    private var pending: [UInt8] = []

    /// Whether an escape character waits: the next byte shows whether it is a key or begins a sequence.
    var isWaiting: Bool { !pending.isEmpty }

    private static let longest = 16
    private static let escape: UInt8 = 0x1B

    /// The keys in these bytes.
    mutating func read(_ bytes: some Sequence<UInt8>) -> [TopKey] {
        var keys: [TopKey] = []
        for byte in bytes {
            if pending.isEmpty {
                if byte == Self.escape { pending = [byte] } else if let key = Self.plain(byte) { keys.append(key) }
                continue
            }
            if byte == Self.escape {
                // The former escape character was a key of its own.
                keys += pending.count == 1 ? [.escape] : []
                pending = [byte]
                continue
            }
            pending.append(byte)
            if pending.count == 2 {
                if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") { continue }
                // The key that is pressed with the Alt key has no meaning here.
                pending = []
            } else if (0x40...0x7E).contains(byte) {
                if let key = Self.sequence(pending.dropFirst(2)) { keys.append(key) }
                pending = []
            } else if pending.count > Self.longest {
                pending = []
            }
        }
        return keys
    }

    /// Takes the waiting bytes as keys, because no byte has followed.
    mutating func giveUp() -> [TopKey] {
        defer { pending = [] }
        return pending.count == 1 ? [.escape] : []
    }

    private static func plain(_ byte: UInt8) -> TopKey? {
        switch byte {
        case 0x0A, 0x0D: .enter
        case 0x02: .pageUp
        case 0x06: .pageDown
        case 0x20...0x7E: .character(Character(Unicode.Scalar(byte)))
        default: nil
        }
    }

    private static func sequence(_ bytes: ArraySlice<UInt8>) -> TopKey? {
        switch String(decoding: bytes, as: UTF8.self) {
        case "A": .up
        case "B": .down
        case "H", "1~", "7~": .home
        case "F", "4~", "8~": .end
        case "5~": .pageUp
        case "6~": .pageDown
        default: nil
        }
    }
}
