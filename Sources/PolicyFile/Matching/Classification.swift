public import PolicyEngine

/// The result of classifying one stream by the policy, and the reasons.
public struct Classification: Sendable, Equatable {
    /// One step of the classification, for people.
    public struct Step: Sendable, Equatable {
        /// The decision, as a sentence without a full stop.
        public let text: String
        /// The place in a policy file that decided; `nil` for a built-in decision.
        public let origin: Origin?
    }

    /// The stream's description; `nil` if the stream is left alone.
    public let description: SessionDescription?
    /// The stream's description as part of a session that its application has opened. Such a session includes streams
    /// that are left alone only because they have no role. `nil` if the role, a rule or a refused claim leaves the
    /// stream alone.
    public let descriptionInSession: SessionDescription?
    /// The steps that led to the description, in order.
    public let steps: [Step]
    /// The claim that was refused (N11): `phone` or `alarm`.
    public let refusedClaim: String?
    /// Mistakes in the stream's tags (``SessionTags``), as sentences without a full stop.
    public let complaints: [String]
}

/// The access that the program behind a stream or a connection has (N20).
public enum ClientAccess: Sendable, Equatable {
    /// The program runs outside any sandbox and can access everything.
    case outside
    /// The program runs in a sandbox, or nothing about it could be verified.
    ///
    /// - Parameter mayRecord: Whether the sandbox lets it use the microphone.
    case confined(mayRecord: Bool)

    /// The access of a program of which only properties are known, as in a scenario. A program with a sandbox's
    /// application id counts as confined.
    public init(properties: (String) -> String?) {
        self = properties("pipewire.access.portal.app_id") == nil ? .outside : .confined(mayRecord: false)
    }
}
