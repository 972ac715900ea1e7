public import PolicyEngine

/// A policy, what streams are under it, and where it comes from.
public struct PolicyInForce: Sendable, Equatable {
    /// The policy.
    public var policy: Policy
    /// Tells what streams are under it.
    public var classifier: Classifier
    /// The name of the preset that it begins with.
    public var preset: String
    /// Where it comes from, for people.
    public var origin: String

    /// Puts a policy together.
    public init(policy: Policy, classifier: Classifier, preset: String, origin: String) {
        self.policy = policy
        self.classifier = classifier
        self.preset = preset
        self.origin = origin
    }
}
