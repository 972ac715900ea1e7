import PolicyEngine

// Values in the syntax of policy files.

extension Duration {
    /// Whole milliseconds, `250 ms`.
    var words: String { "\(wholeNanoseconds / 1_000_000) ms" }

    /// In seconds.
    var seconds: Double { Double(wholeNanoseconds) / 1_000_000_000 }

    /// In seconds with three decimals, `2.500`.
    var fixed: String {
        let milliseconds = (wholeNanoseconds + 500_000) / 1_000_000
        return "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
    }
}

extension String {
    /// As one word of a shell.
    var quoted: String {
        let isPlain = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:@%+".contains($0)) }
        return isPlain
            ? self : "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}

extension Double {
    /// As text; a whole number without a fraction.
    var short: String { self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : String(self) }
}

extension Decibels {
    /// `-20 dB`.
    var words: String { "\(value.short) dB" }
}

extension Priority {
    /// `phone (200)`, or only the number if it has no name.
    var words: String {
        let name = Priority.named.first { $0.priority == self }?.name
        return name.map { "\($0) (\(rawValue))" } ?? String(rawValue)
    }
}

extension StreamDirection {
    /// `playback` or `capture`.
    var word: String { self == .playback ? "playback" : "capture" }
}
