/// What was last done to a stream.
struct Applied: Sendable {
    var treatment = Treatment.untouched
    /// Who it was done for, whose times apply when it ends; `nil` for no session.
    var actor: Described?
    /// Whether the stream, which was to become silent, is silent.
    var isSettled = false
}

/// The record of all that was decided and notified: where the sessions stand, and what was done to the streams, in the order
/// of the facts.
struct Verdict: Sendable {
    var standings: [Standing] = []
    var applied: [Applied] = []
    /// Whether the policy was suspended (N16).
    var isSuspended = false
    /// When it was decided.
    var now = Instant(nanoseconds: .min)
    /// The next moment at which something changes by itself, and the one that the host was asked for.
    var next: Instant?
    var wake: Instant?
}
