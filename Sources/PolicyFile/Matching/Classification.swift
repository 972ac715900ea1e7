public import SessionCore

/// What a policy makes of one stream, and why.
public struct Classification: Sendable, Equatable {
    /// One thing that was decided on the way, for people.
    public struct Step: Sendable, Equatable {
        /// What was decided, as a sentence without its end.
        public let text: String
        /// The file and place that say so; `nil` for what is built in.
        public let origin: Origin?
    }

    /// What the stream is; `nil` when it is left alone.
    public let description: SessionDescription?
    /// What it is when a session has it that its application has opened. Such a session takes what is left alone only for
    /// want of a role; `nil` when the role, a rule or a refused claim has it left alone.
    public let descriptionInSession: SessionDescription?
    /// What the stream is without what it says of itself (``SessionTags``).
    public let withoutTags: SessionDescription?
    /// ``descriptionInSession`` without what the stream says of itself.
    public let withoutTagsInSession: SessionDescription?
    /// How that came about, in order.
    public let steps: [Step]
    /// The claim that was not granted (N11): `phone` or `alarm`.
    public let refusedClaim: String?
    /// What is wrong with what the stream says of itself (``SessionTags``), as sentences without their end.
    public let complaints: [String]
}

/// What the program behind a stream or a connection can reach (N20).
public enum ClientAccess: Sendable, Equatable {
    /// Everything: it runs outside of any sandbox.
    case outside
    /// It runs in a sandbox, or nothing about it could be verified.
    ///
    /// - Parameter mayRecord: Whether the sandbox lets it use the microphone.
    case confined(mayRecord: Bool)

    /// What a program can reach of which only properties are known, as in a scenario: one with the application id of a sandbox
    /// is inside.
    public init(properties: (String) -> String?) {
        self = properties("pipewire.access.portal.app_id") == nil ? .outside : .confined(mayRecord: false)
    }
}
