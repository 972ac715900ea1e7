import FoundationEssentials

extension Encodable {
    /// As JSON for machines that people can read too: indented, the keys in alphabetical order, with a line's end.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
        }
    }
}
