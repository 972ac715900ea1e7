import BusInterface
import FoundationEssentials

extension WireValue {
    /// A JSON object, without the members that are `nil`.
    static func object(_ members: KeyValuePairs<String, WireValue?>) -> WireValue {
        .record(members.compactMap { name, value in value.map { (name, $0) } })
    }

    /// Indented JSON with sorted keys and a final newline.
    func report() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Written(value: self)), as: UTF8.self) + "\n"
    }
}

/// A value as encoders take it.
private struct Written: Encodable {
    let value: WireValue

    func encode(to encoder: any Encoder) throws {
        if let entries = value.entries {
            try Dictionary(entries.map { ($0.key.text ?? "", Written(value: $0.value.bare)) }) { $1 }.encode(
                to: encoder)
        } else if let elements = value.elements {
            try elements.map(Written.init).encode(to: encoder)
        } else if let text = value.text {
            try text.encode(to: encoder)
        } else if let truth = value.truth {
            try truth.encode(to: encoder)
        } else {
            try value.number.encode(to: encoder)
        }
    }
}

/// The service's state as JSON, with the schema version as the first member.
enum SchemaJSON {
    /// In one line, without a newline.
    static func line(_ members: [(String, WireValue)]) -> String {
        WireValue.record([("schema", .uint32(AudioSessionBus.schemaVersion))] + members).json
    }

    /// Indented for people, with a final newline.
    static func text(_ members: [(String, WireValue)]) -> String {
        var text = ""
        write(.record([("schema", .uint32(AudioSessionBus.schemaVersion))] + members), depth: 0, to: &text)
        return text + "\n"
    }

    private static func write(_ value: WireValue, depth: Int, to text: inout String) {
        let indentation = "\n" + String(repeating: "  ", count: depth + 1)
        let end = "\n" + String(repeating: "  ", count: depth)
        if let entries = value.entries, !entries.isEmpty {
            text += "{"
            for (index, entry) in entries.enumerated() {
                text += (index > 0 ? "," : "") + indentation + WireValue.string(entry.key.text ?? entry.key.json).json
                text += ": "
                write(entry.value, depth: depth + 1, to: &text)
            }
            text += end + "}"
        } else if let elements = value.elements, elements.contains(where: { $0.entries != nil || $0.elements != nil }) {
            text += "["
            for (index, element) in elements.enumerated() {
                text += (index > 0 ? "," : "") + indentation
                write(element, depth: depth + 1, to: &text)
            }
            text += end + "]"
        } else {
            // Keep short lists in one line.
            text += value.json
        }
    }
}
