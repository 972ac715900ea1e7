/// The arguments of the PulseAudio module, in the daemon's syntax: `policy=… preset=… dbus=yes|no`, quoted for blanks.
public struct ModuleArguments: Equatable, Sendable {
    /// The path of a file that replaces all policy files.
    public var policy: String?
    /// The name of a built-in preset, or of one in the policy's folders.
    public var preset: String?
    /// Whether to run the service on the session bus.
    public var servesBus = true

    /// A mistake in the arguments, and what would be valid.
    public struct Mistake: Error, Equatable {
        /// Text for the log.
        public let text: String
    }

    /// Creates the default arguments.
    public init() {}

    private static let usage = "there are: policy=/PATH preset=NAME dbus=yes|no"

    /// Parses the text after the module's name.
    public static func read(_ text: String) -> Result<ModuleArguments, Mistake> {
        var arguments = ModuleArguments()
        var seen: Set<String> = []
        var rest = Substring(text).drop(while: \.isWhitespace)
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "="), !rest[..<equals].contains(where: \.isWhitespace) else {
                return mistake("'\(rest.prefix(32))' is not KEY=VALUE")
            }
            let key = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            var value = ""
            if let mark = rest.first, mark == "\"" || mark == "'" {
                rest = rest.dropFirst()
                guard let end = rest.firstIndex(of: mark) else { return mistake("the value of \(key) has no end") }
                value = String(rest[..<end])
                rest = rest[rest.index(after: end)...]
            } else {
                value = String(rest.prefix { !$0.isWhitespace })
                rest = rest.dropFirst(value.count)
            }
            guard rest.first.map(\.isWhitespace) ?? true else {
                return mistake("there is no blank after the value of \(key)")
            }
            rest = rest.drop(while: \.isWhitespace)
            guard seen.insert(key).inserted else { return mistake("\(key) is there twice") }
            switch key {
            case "policy":
                guard value.hasPrefix("/") else {
                    return mistake("policy=\(value) is not the path of a file, which begins with /")
                }
                arguments.policy = value
            case "preset":
                guard !value.isEmpty, !value.contains("/") else { return mistake("preset=\(value) is not a name") }
                arguments.preset = value
            case "dbus":
                switch value {
                case "yes", "true", "1", "on": arguments.servesBus = true
                case "no", "false", "0", "off": arguments.servesBus = false
                default: return mistake("dbus=\(value) is neither yes nor no")
                }
            default: return mistake("there is no argument \(key)")
            }
        }
        return .success(arguments)
    }

    private static func mistake(_ text: String) -> Result<ModuleArguments, Mistake> {
        .failure(Mistake(text: "module arguments: \(text); \(usage)"))
    }

    /// The same arguments in the syntax of policy files; `nil` if none concern the policy.
    public var policyText: String? {
        let members = [("policy", policy), ("preset", preset)].compactMap { key, value in
            value.map { "\(key) = \"\(ModuleArguments.escaped($0))\"" }
        }
        return members.isEmpty ? nil : "{ \(members.joined(separator: " ")) }"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value {
            if character == "\"" || character == "\\" { text.append("\\") }
            text.append(character)
        }
        return text
    }
}
