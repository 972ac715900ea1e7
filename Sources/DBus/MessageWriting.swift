import BusInterface
import CSystemdBus
import Glibc

extension Message {
    /// Appends arguments. An invalid value throws here, because the bus would close the connection over an invalid
    /// message.
    func append(_ arguments: [WireValue]) throws(WireError) {
        var length = 0
        for argument in arguments {
            length += argument.typeSignature.utf8.count
            try append(argument, depth: 0)
        }
        guard length <= MessageLimit.signature else { throw Self.invalid("more than 255 types in one message") }
    }

    func append(_ value: WireValue, depth: Int) throws(WireError) {
        switch value {
        case .boolean(let truth): try append("b", Int32(truth ? 1 : 0))
        case .byte(let number): try append("y", number)
        case .int16(let number): try append("n", number)
        case .uint16(let number): try append("q", number)
        case .int32(let number): try append("i", number)
        case .uint32(let number): try append("u", number)
        case .int64(let number): try append("x", number)
        case .uint64(let number): try append("t", number)
        case .double(let number): try append("d", number)
        case .unixDescriptor(let number): try append("h", number)
        case .string(let text): try append("s", text: text)
        case .objectPath(let path): try append("o", text: path)
        case .signature(let types):
            guard WireSignature.isValid(types) else { throw Self.invalid("\"\(types)\" is no signature") }
            try append("g", text: types)
        case .variant(let inner):
            try open("v", inner.typeSignature, depth)
            try append(inner, depth: depth + 1)
            try close()
        case .structure(let members):
            guard !members.isEmpty else { throw Self.invalid("a structure without members") }
            var types = ""
            for member in members { types += member.typeSignature }
            try open("r", types, depth)
            for member in members { try append(member, depth: depth + 1) }
            try close()
        case .array(let element, let elements):
            try open("a", element, depth)
            for element in elements { try append(element, depth: depth + 1) }
            try close()
        case .dictionary(let key, let value, let entries):
            try open("a", "{" + key + value + "}", depth)
            for entry in entries { try append(entry, of: key + value, depth: depth) }
            try close()
        }
    }

    func append(_ entry: WireValue.Entry, of types: String, depth: Int) throws(WireError) {
        try open("e", types, depth)
        try append(entry.key, depth: depth + 1)
        try append(entry.value, depth: depth + 1)
        try close()
    }

    private func append<Number: BitwiseCopyable>(_ type: Unicode.Scalar, _ number: Number) throws(WireError) {
        var number = number
        try check(sd_bus_message_append_basic(pointer, CChar(truncatingIfNeeded: type.value), &number), type)
    }

    private func append(_ type: Unicode.Scalar, text: String) throws(WireError) {
        let letter = CChar(truncatingIfNeeded: type.value)
        // A text with a NUL would be cut there.
        var code = text.withCString {
            strlen($0) == text.utf8.count ? sd_bus_message_append_basic(pointer, letter, $0) : -EINVAL
        }
        // One application's invalid name must not prevent a list of all others.
        if code == -EINVAL, type == "s" { code = sd_bus_message_append_basic(pointer, letter, Self.acceptable(text)) }
        try check(code, type)
    }

    /// The text as sd-bus accepts it in a message: NUL, which would end the text, and noncharacters are replaced.
    static func acceptable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isCharacter =
                scalar.value != 0 && scalar.value & 0xFFFE != 0xFFFE && !(0xFDD0...0xFDEF).contains(scalar.value)
            result.unicodeScalars.append(isCharacter ? scalar : "\u{FFFD}")
        }
        return result
    }

    func open(_ type: Unicode.Scalar, _ contents: String, _ depth: Int) throws(WireError) {
        guard depth < MessageLimit.depth else {
            throw WireError(WireErrorName.limitsExceeded, "values more than \(MessageLimit.depth) containers deep")
        }
        // sd-bus checks the content of a container's signature, but not its length.
        guard contents.utf8.count < MessageLimit.signature else {
            throw Self.invalid("a type of more than 255 letters")
        }
        try check(sd_bus_message_open_container(pointer, CChar(truncatingIfNeeded: type.value), contents), type)
    }

    func close() throws(WireError) {
        let code = sd_bus_message_close_container(pointer)
        if code < 0 { throw WireError(code: code, "cannot end a container") }
    }

    private func check(_ code: Int32, _ type: Unicode.Scalar) throws(WireError) {
        if code < 0 { throw WireError(code: code, "cannot put a value of the type \(type) there") }
    }

    private static func invalid(_ what: String) -> WireError { WireError(WireErrorName.invalidArguments, what) }
}
