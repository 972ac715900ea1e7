import ArgumentParser
import PolicyEngine
import PolicyFile

/// A duration on the command line: whole numbers with units, such as `90s` or `1h30m`.
struct Length {
    /// From 1 to a year.
    let milliseconds: UInt64

    private static let units: [(name: String, milliseconds: UInt64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]
    private static let longest: UInt64 = 365 * 86_400_000

    /// Parses a duration.
    ///
    /// - Throws: An error that says how to write a duration.
    init(_ text: String) throws {
        guard let milliseconds = Self.read(text) else {
            throw ValidationError(
                "found '\(printable(text))', expected a length of up to a year with units, such as 90s, 30m or 1h30m")
        }
        self.milliseconds = milliseconds
    }

    /// Parses units in descending order, each at most once.
    private static func read(_ text: String) -> UInt64? {
        var rest = text.utf8[...]
        var next = 0
        var sum: UInt64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            rest = rest.dropFirst(letters.count)
            guard digits.count <= 12, let number = UInt64(Substring(digits)),
                let unit = units[next...].firstIndex(where: { Substring(letters) == $0.name })
            else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: units[unit].milliseconds)
            guard !overflow, product <= longest else { return nil }
            sum += product
            next = unit + 1
        }
        return sum >= 1 && sum <= longest ? sum : nil
    }
}
