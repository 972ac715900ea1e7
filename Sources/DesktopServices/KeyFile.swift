/// Reads files of groups, keys and values, as used by desktops and Flatpak (Desktop Entry Specification, version 1.5).
enum KeyFile {
    /// Reads the keys of a file in order, without the blanks around keys and values.
    ///
    /// - Parameter body: Receives the group's name, the key and the value; reading ends when it returns `false`.
    static func read(
        _ text: [UInt8], _ body: (_ group: String, _ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Bool
    ) {
        var group = ""
        for line in text.split(separator: UInt8(ascii: "\n")) {
            if line.first == UInt8(ascii: "[") {
                group = String(decoding: line.dropFirst().prefix { $0 != UInt8(ascii: "]") }, as: UTF8.self)
            } else if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
                guard body(group, trimmed(line[..<equals]), trimmed(line[equals...].dropFirst())) else { return }
            }
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == 13 }
        let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? bytes.startIndex
        return bytes[..<end].drop { isBlank($0) }
    }
}
