/// Adds properties to the variable PULSE_PROP, which PulseAudio clients apply to themselves; their streams inherit
/// them.
///
/// The syntax is that of `pa_proplist_from_string`: `key=value` separated by blanks, with values in single or double
/// quotes and `\` as the escape character. The last value of a key counts.
enum PulseProperties {
    /// The variable's name.
    static let variable = "PULSE_PROP"

    /// The new value of the variable.
    ///
    /// - Parameters:
    ///   - present: The present value, kept unchanged at the beginning.
    ///   - added: The properties to add.
    /// - Returns: `nil` if the present value cannot be parsed, because clients would then take no property at all.
    static func adding(_ added: [Property], to present: String?) -> String? {
        let present = present ?? ""
        guard isReadable(present) else { return nil }
        return ([present].filter { !$0.isEmpty } + added.map(written)).joined(separator: " ")
    }

    private static func written(_ property: Property) -> String {
        let value = property.value.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        return "\(property.key)=\"\(value)\""
    }

    private enum State: Equatable {
        case between
        case key
        /// After the equals sign.
        case start
        case bare
        case quoted(Unicode.Scalar)
        case escaped(Unicode.Scalar)
    }

    /// Whether PulseAudio can parse a text.
    private static func isReadable(_ text: String) -> Bool {
        var state = State.between
        for scalar in text.unicodeScalars {
            let isSpace = scalar.properties.isWhitespace && scalar.isASCII
            switch state {
            case .between:
                if scalar == "=" { return false }
                if !isSpace { state = .key }
            case .key:
                if isSpace { return false }
                if scalar == "=" { state = .start }
            case .start:
                state = isSpace ? .between : scalar == "\"" || scalar == "'" ? .quoted(scalar) : .bare
            case .bare: if isSpace { state = .between }
            case .quoted(let mark): state = scalar == "\\" ? .escaped(mark) : scalar == mark ? .between : state
            case .escaped(let mark): state = .quoted(mark)
            }
        }
        return state == .between || state == .start || state == .bare
    }
}
