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
    /// How that came about, in order.
    public let steps: [Step]
    /// The claim that was not granted (N11): `phone` or `alarm`.
    public let refusedClaim: String?
}

/// Tells what streams are, by their properties.
public struct Classifier: Sendable, Equatable {
    private let policy: Policy

    /// The classifier of a policy that has no rules.
    public init(_ policy: Policy) { self.policy = policy }

    /// Tells what a stream is (R2, N11).
    ///
    /// - Parameters:
    ///   - direction: Which way its sound goes.
    ///   - property: The value of one of its properties, its client's where it has none of its own; `nil` when neither
    ///     has it.
    public func classify(direction: StreamDirection, property: (String) -> String?) -> Classification {
        let role = property("media.role").flatMap { Role($0) }
        return Classification(
            description: policy.description(of: role, direction: direction), steps: [], refusedClaim: nil)
    }
}
