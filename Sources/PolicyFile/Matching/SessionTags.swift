public import PolicyEngine

/// A stream's own statements about its session, in properties such as `audio-session run` sets.
///
/// They change the description that the policy gives the stream by its role and by rules. Only the policy sets the
/// priority (N11).
public struct SessionTags: Sendable, Equatable {
    /// The property with the name of a category.
    public static let categoryKey = "audio-session.category"
    /// The property with the names of options, separated by blanks or commas.
    public static let optionsKey = "audio-session.options"
    /// The property with the name of a mode.
    public static let modeKey = "audio-session.mode"
    /// The longest value that is looked at, in UTF-8 bytes.
    public static let maximumLength = 256
    /// The categories that an application may choose: the phone's six (R15–R20).
    public static let categories = Category.ofApplications

    /// The category, if a valid one is set (R15–R20).
    public private(set) var category: Category?
    /// The options, if any valid ones are set (R39–R43).
    public private(set) var options: CategoryOptions?
    /// The mode, if a valid one is set (R50–R53).
    public private(set) var mode: Mode?
    /// Mistakes in the tags, as sentences without a full stop. Mistaken tags are ignored.
    public private(set) var complaints: [String] = []

    /// Reads a stream's tags; each of the three properties is read once.
    ///
    /// - Parameter property: The value of a property; `nil` if there is none.
    public init(_ property: (String) -> String?) {
        if let word = text(property(Self.categoryKey), Self.categoryKey) {
            category = Self.categories.first { $0.rawValue == word }
            if category == nil {
                complain(Self.categoryKey, word, "no category", Self.categories.map(\.rawValue))
            }
        }
        if let list = text(property(Self.optionsKey), Self.optionsKey) {
            var said: CategoryOptions = []
            for part in list.unicodeScalars.split(whereSeparator: { $0 == " " || $0 == "," }) {
                let word = String(String.UnicodeScalarView(part))
                if let option = Vocabulary<CategoryOptions>.options[word] {
                    said.insert(option)
                } else {
                    complain(Self.optionsKey, word, "no option", CategoryOption.allCases.map(\.rawValue))
                }
            }
            // If no option is known, the property counts as missing.
            options = said.isEmpty ? nil : said
        }
        if let word = text(property(Self.modeKey), Self.modeKey) {
            mode = Mode(rawValue: word)
            if mode == nil { complain(Self.modeKey, word, "no mode", Mode.allCases.map(\.rawValue)) }
        }
    }

    /// Applies the tags to a description. A category without options also removes the former options, which belonged to
    /// the former category (R39, R43).
    ///
    /// - Returns: The keys that are set, for explanations.
    mutating func apply(to description: inout SessionDescription) -> [String] {
        var keys: [String] = []
        if let category {
            description.category = category
            description.options = []
            keys.append("category")
        }
        if let options {
            description.options = options
            keys.append("options")
            for option in options.options where !description.category.takes(option) {
                complaints.append(
                    "its \(Self.optionsKey) has \(option.rawValue), which does not go with \(description.category.rawValue)"
                )
            }
        }
        if let mode {
            description.mode = mode
            keys.append("mode")
        }
        if !keys.isEmpty { description = description.consistent }
        return keys
    }

    /// A value that is not empty and not too long; `nil` otherwise.
    private mutating func text(_ value: String?, _ key: String) -> String? {
        guard let value, !value.isEmpty else { return nil }
        guard value.utf8.count <= Self.maximumLength else {
            complaints.append("its \(key) is too long")
            return nil
        }
        return value
    }

    private mutating func complain(_ key: String, _ word: String, _ what: String, _ known: [String]) {
        complaints.append("its \(key) has '\(printable(word))', which is \(what), expected \(list(known))")
    }
}
