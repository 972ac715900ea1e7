import PolicyEngine

/// A value in a source, with the place where it begins.
package struct Node: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A bare word or a quoted string; both mean the same.
        case text(String, isQuoted: Bool)
        case array([Node])
        case object([Member])
    }

    package var content: Content
    package var place: Place

    package init(content: Content, place: Place) {
        self.content = content
        self.place = place
    }

    /// The word or the string; `nil` for an array and an object.
    package var text: String? {
        if case .text(let text, _) = content { text } else { nil }
    }

    /// A summary of the value, as part of a message.
    package var summary: String {
        switch content {
        case .text(let text, _): "'\(printable(text))'"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A key in a source, with the place where it begins.
package struct Key: Sendable, Hashable {
    package var text: String
    package var place: Place

    package init(text: String, place: Place) {
        self.text = text
        self.place = place
    }
}

/// A key with its value.
package struct Member: Sendable, Hashable {
    package var key: Key
    package var value: Node

    package init(key: Key, value: Node) {
        self.key = key
        self.value = value
    }
}
