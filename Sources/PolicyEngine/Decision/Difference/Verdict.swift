/// What was last done to a stream.
struct Applied: Sendable {
    var treatment = Treatment.untouched
    /// Whose times apply when the treatment ends; `nil` for no session.
    var actor: Described?
    /// Whether a stream that was to become silent is silent.
    var isSettled = false
}

/// The route of an opened session, and what its owner was notified of.
struct SessionRoute: Sendable {
    /// `nil` for the default route.
    var detour: Detour?
    /// Where its user has moved all of its streams.
    var moved = Route()
    var notified = Route()
    /// R56: of reason 7, or of the loss before it.
    var isNotifiedOfLack = false
    /// A change that its application has asked for and its owner does not know yet: another category (reason 3), or an
    /// override that has begun or ended (4).
    var owed: RouteChangeReason?
}

/// All that was decided and notified. Sessions and streams stand in the order of the facts.
struct Verdict: Sendable {
    var standings: [Standing] = []
    /// Apart from the standings, which are copied often.
    var routes: [SessionRoute] = []
    var applied: [Applied] = []
    /// Whether the policy was suspended (N16).
    var isSuspended = false
    var now = Instant(nanoseconds: .min)
    /// When streams and sessions next change by themselves, and the clock last requested from the host.
    var next: Instant?
    var wake: Instant?
}
