import Glibc

/// The bytes of one input, read from the front; zeros after the end.
struct Input {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(byte()) % bound : 0 }

    mutating func oneIn(_ chances: Int) -> Bool { below(chances) == chances - 1 }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return taken
    }

    /// A small number, one at the limits of integer types, or any.
    mutating func number() -> UInt64 {
        let kind = byte()
        switch kind {
        case 250: return .max
        case 251: return UInt64(Int64.max)
        case 252: return UInt64(UInt32.max)
        case 253: return UInt64(bitPattern: Int64.min)
        case 254: return UInt64(UInt32.max) + 1
        case 255: return bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        default: return UInt64(kind)
        }
    }

    /// Up to 63 of the next bytes, as text.
    mutating func text() -> String { String(decoding: bytes(below(64)), as: UTF8.self) }
}

/// Whether to print the steps of an input.
private let printsSteps = getenv("AUDIO_SESSION_FUZZ_STEPS") != nil

/// Prints a step of an input, if AUDIO_SESSION_FUZZ_STEPS is set.
func printStep(_ step: @autoclosure () -> String) {
    guard printsSteps else { return }
    print(step())
    fflush(nil)
}

/// Reports a finding, if `isWrong`: prints the text and ends the program.
func found(_ text: @autoclosure () -> String, _ isWrong: Bool = true) {
    if isWrong { fatalError(text()) }
}
