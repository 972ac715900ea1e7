/// A value in a source, with the place where it begins.
struct Node: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// A bare word or a quoted string; the two are the same to whoever reads them.
        case text(String, isQuoted: Bool)
        case array([Node])
        case object([Member])
    }

    var content: Content
    var place: Place

    /// The word or the string; `nil` for an array and an object.
    var text: String? {
        if case .text(let text, _) = content { text } else { nil }
    }

    /// What this is, as part of a message.
    var summary: String {
        switch content {
        case .text(let text, _): "'\(printable(text))'"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A key in a source, with the place where it begins.
struct Key: Sendable, Hashable {
    var text: String
    var place: Place
}

/// A key with its value.
struct Member: Sendable, Hashable {
    var key: Key
    var value: Node
}
