public import SessionCore

/// What a stream says of its session in properties of its own, as `audio-session run` sets them.
///
/// It changes what the policy has made of the stream by its role and by rules. The priority is the policy's alone (N11).
public struct SessionTags: Sendable, Equatable {
    /// The property with the name of a category.
    public static let categoryKey = "audio-session.category"
    /// The property with the names of options, separated by blanks or commas.
    public static let optionsKey = "audio-session.options"
    /// The property with the name of a mode.
    public static let modeKey = "audio-session.mode"
    /// The longest value that is looked at, in UTF-8 bytes.
    public static let maximumLength = 256
    /// What an application may choose from: the phone's six (R15–R20).
    public static let categories = Category.allCases.filter { $0 != .uiSound }

    /// The category, if a valid one is said (R15–R20).
    public private(set) var category: Category?
    /// The options, if any are said, all valid (R39–R43).
    public private(set) var options: CategoryOptions?
    /// The mode, if a valid one is said (R50–R53).
    public private(set) var mode: Mode?
    /// What is wrong with what is said, as sentences without their end: it is passed over.
    public private(set) var complaints: [String] = []

    /// Reads the properties of a stream; each of the three is asked for once.
    ///
    /// - Parameter property: The value of a property; `nil` where there is none.
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
                    complain(Self.optionsKey, word, "no option", CategoryOptions.named.map(\.name))
                }
            }
            // Where no word of it is known, nothing is said.
            options = said.isEmpty ? nil : said
        }
        if let word = text(property(Self.modeKey), Self.modeKey) {
            mode = Mode(rawValue: word)
            if mode == nil { complain(Self.modeKey, word, "no mode", Mode.allCases.map(\.rawValue)) }
        }
    }

    /// Changes a description. A category alone also takes its former options away, as they belonged to the former
    /// category (R39, R43).
    ///
    /// - Returns: The keys that are said, for explanations.
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
            for (word, option) in CategoryOptions.named
            where options.contains(option) && !description.category.takes(option) {
                complaints.append(
                    "its \(Self.optionsKey) has \(word), which does not go with \(description.category.rawValue)")
            }
        }
        if let mode {
            description.mode = mode
            keys.append("mode")
        }
        if !keys.isEmpty { description = description.consistent }
        return keys
    }

    /// A value that can be looked at; an empty one says nothing.
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
