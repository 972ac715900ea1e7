import Foundation

/// A JSON value as the servers' tools print it, with look-ups that do not throw.
public enum JSONValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// Any number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])

    /// Parses a tool's output.
    ///
    /// Not with a `Decoder`, which finds a value's type by catching errors: a test runner records the origin of each
    /// error, and the dump of a thousand streams would take minutes.
    public init(parsing data: Data) throws {
        self.init(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
    }

    private init(_ value: Any) {
        switch value {
        case let value as [String: Any]: self = .object(value.mapValues(JSONValue.init))
        case let value as [Any]: self = .array(value.map(JSONValue.init))
        case let value as String: self = .string(value)
        case let value as NSNumber:
            // In the parser's result, only a boolean has the C type of a character.
            self = String(cString: value.objCType) == "c" ? .bool(value.boolValue) : .number(value.doubleValue)
        default: self = .null
        }
    }

    /// A member of an object, or nil.
    public subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The elements of an array; none of anything else.
    public var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// A string, number or boolean as text, because servers differ in the type of a property.
    public var text: String? {
        switch self {
        case .string(let text): text
        case .bool(let value): "\(value)"
        case .number(let value): Int(exactly: value).map(String.init) ?? "\(value)"
        case .null, .array, .object: nil
        }
    }

    /// A number, or a string that contains one.
    public var number: Double? {
        switch self {
        case .number(let value): value
        case .string(let text): Double(text)
        default: nil
        }
    }

    /// A boolean, or nil.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// An object of strings, numbers and booleans as texts, such as a property list.
    public var texts: [String: String] {
        if case .object(let members) = self { members.compactMapValues(\.text) } else { [:] }
    }
}
