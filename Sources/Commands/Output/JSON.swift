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
