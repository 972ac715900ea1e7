/// What a stream says it is for: PulseAudio's and PipeWire's `media.role`, without regard to case.
public struct Role: Sendable, Hashable {
    /// The role in lower case; empty when the stream has none.
    public let name: String

    /// The maximum length, in UTF-8 bytes. Longer values are no role; the longest known role of a server has 13.
    public static let maximumLength = 64

    /// Creates a role from a property's value; `nil` when the value is empty or longer than ``maximumLength``.
    public init?(_ value: String) {
        guard !value.isEmpty, value.utf8.count <= Role.maximumLength else { return nil }
        name = value.lowercased()
    }
}
