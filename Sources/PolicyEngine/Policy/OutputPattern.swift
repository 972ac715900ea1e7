/// Names outputs: by their type, or by their name, id or node, where `*` stands for any characters (N23, N27).
public struct OutputPattern: Sendable, Hashable {
    /// The pattern as policy files have it.
    public let text: String

    /// The longest pattern, in bytes.
    public static let maximumLength = 256

    /// Creates a pattern; `nil` if it is empty or too long.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= OutputPattern.maximumLength else { return nil }
        self.text = text
    }

    /// Whether an output fits, without regard to the case of ASCII letters.
    public func matches(_ port: RoutePort) -> Bool {
        let wanted = Array(text.utf8.lazy.map(OutputPattern.folded))
        func matches(_ name: String) -> Bool {
            name.utf8.count <= 1024
                && OutputPattern.fits(wanted[...], Array(name.utf8.lazy.map(OutputPattern.folded))[...])
        }
        let names = [port.type.policyWord, port.type.rawValue, port.name, port.id, port.nodeName]
        return names.contains { $0.map(matches) ?? false }
    }

    private static func folded(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

    /// Each `*` takes as few characters as possible, and more if the rest does not fit.
    private static func fits(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
        var (pattern, name) = (pattern, name)
        var retry: (pattern: ArraySlice<UInt8>, name: ArraySlice<UInt8>)?
        while let byte = name.first {
            if pattern.first == UInt8(ascii: "*") {
                pattern.removeFirst()
                retry = (pattern, name)
            } else if pattern.first == byte {
                pattern.removeFirst()
                name.removeFirst()
            } else if var (rest, tail) = retry {
                tail.removeFirst()
                retry = (rest, tail)
                swap(&pattern, &rest)
                name = tail
            } else {
                return false
            }
        }
        return pattern.allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
