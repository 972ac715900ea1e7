/// A value of D-Bus's type system, to be written into a message or read from one.
///
/// Source: D-Bus Specification, "Type System".
public indirect enum WireValue: Sendable, Hashable {
    case boolean(Bool)
    case byte(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// A descriptor that belongs to the message; duplicate it to keep it.
    case unixDescriptor(Int32)
    /// Values of one type. The array carries the type's signature because it may be empty.
    case array(of: String, [WireValue])
    /// The type `a{kv}`: entries in order, with the signatures of keys and values.
    case dictionary(key: String, value: String, [Entry])
    case structure([WireValue])
    case variant(WireValue)

    /// One entry of a dictionary.
    public struct Entry: Sendable, Hashable {
        /// A value of a basic type.
        public var key: WireValue
        /// Any value.
        public var value: WireValue

        /// Creates an entry.
        public init(_ key: WireValue, _ value: WireValue) {
            self.key = key
            self.value = value
        }
    }

    /// The value's type signature.
    public var typeSignature: String {
        switch self {
        case .boolean: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .unixDescriptor: "h"
        case .array(let element, _): "a" + element
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .structure(let members): "(" + members.map(\.typeSignature).joined() + ")"
        case .variant: "v"
        }
    }

    /// `a{sv}` of named values, in this order: D-Bus interfaces use it for records that may grow.
    public static func record(_ members: [(String, WireValue)]) -> WireValue {
        .dictionary(key: "s", value: "v", members.map { Entry(.string($0.0), .variant($0.1)) })
    }

    /// `as` of texts.
    public static func strings(_ texts: some Sequence<String>) -> WireValue {
        .array(of: "s", texts.map(WireValue.string))
    }

    /// `aa{sv}` of records.
    public static func records(_ records: [WireValue]) -> WireValue { .array(of: "a{sv}", records) }
}

// MARK: - Taking values apart

extension WireValue {
    /// The value inside any number of variants.
    public var bare: WireValue {
        if case .variant(let value) = self { return value.bare }
        return self
    }

    /// The text of a string, object path or signature; nil for other types.
    public var text: String? {
        switch bare {
        case .string(let text), .objectPath(let text), .signature(let text): text
        default: nil
        }
    }

    /// The value of a boolean; nil for other types.
    public var truth: Bool? {
        if case .boolean(let truth) = bare { return truth }
        return nil
    }

    /// The value of any integer type if it fits into 64 bits with sign; otherwise nil.
    public var integer: Int64? {
        switch bare {
        case .byte(let number): Int64(number)
        case .int16(let number): Int64(number)
        case .uint16(let number): Int64(number)
        case .int32(let number): Int64(number)
        case .uint32(let number): Int64(number)
        case .int64(let number): number
        case .uint64(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// The value of a double or of any integer type; nil for other types.
    public var number: Double? {
        if case .double(let number) = bare { return number }
        if case .uint64(let number) = bare { return Double(number) }
        return integer.map(Double.init)
    }

    /// The elements of an array or the members of a structure; nil for other types.
    public var elements: [WireValue]? {
        switch bare {
        case .array(_, let elements), .structure(let elements): elements
        default: nil
        }
    }

    /// The entries of a dictionary; nil for other types.
    public var entries: [Entry]? {
        if case .dictionary(_, _, let entries) = bare { return entries }
        return nil
    }

    /// The value under a string key of a dictionary, without its variant.
    public subscript(name: String) -> WireValue? { entries?.first { $0.key.text == name }?.value.bare }
}
