/// What was last done to a stream.
struct Applied: Sendable {
    var treatment = Treatment.untouched
    /// Who it was done for, whose times apply when it ends; `nil` for no session.
    var actor: Described?
    /// Whether the stream, which was to become silent, is silent.
    var isSettled = false
}

/// Where an opened session is heard and from where it records, and what its owner was notified of.
struct SessionRoute: Sendable {
    /// Where its sound is sent; `nil` for the default route.
    var detour: Detour?
    /// Where its user has moved all of its streams, by direction.
    var moved = Route()
    /// The route of which its owner was last notified.
    var notified = Route()
    /// Whether its owner was notified that no port suits its category (R56: reason 7, or the loss before it).
    var isNotifiedOfLack = false
    /// The reason of a change that its application has asked for, and that its owner is still to be told: another category
    /// (3), or an override that has begun or ended (4).
    var owed: RouteChangeReason?
}

/// The record of all that was decided and notified: where the sessions stand and are heard, and what was done to the streams,
/// in the order of the facts.
struct Verdict: Sendable {
    var standings: [Standing] = []
    /// Apart from the standings, which are copied often.
    var routes: [SessionRoute] = []
    var applied: [Applied] = []
    /// Whether the policy was suspended (N16).
    var isSuspended = false
    /// When it was decided.
    var now = Instant(nanoseconds: .min)
    /// The next moment at which something changes by itself in streams and sessions, and the one that the host was asked for.
    var next: Instant?
    var wake: Instant?
}
