/// The state of an opened session, as its application may read it.
public struct SessionState: Sendable, Hashable {
    /// The configuration that its application has set; the default for a session of the system.
    public var configuration = SessionConfiguration()
    /// Whether the session may be heard.
    public var isActive = false
    /// Whether an interruption has begun and not ended.
    public var isInterrupted = false
    /// Whether an activation is delayed (N9).
    public var isDelayed = false
    /// Whether another session is heard (R77).
    public var isOtherAudioPlaying = false
    /// Whether another session is heard that does not mix (N6).
    public var isSecondaryAudioToBeSilenced = false
    /// Whether all inputs from which it records are muted by the user (N7).
    public var isInputMuted = false

    /// Creates the state of a session that has just been opened.
    public init() {}
}

/// What opened sessions may read of themselves and others (R77, N6), and the next moments.
extension Engine {
    /// Reports the opened sessions whose state is another one than last shown, and what follows for their routes.
    mutating func showStates(after event: Event, _ places: (any StreamPlaces)?, at now: Instant) {
        serve(places, at: now)
        guard facts.sessions.contains(where: { $0.kind != .implicit }) else { return }
        let mixing = verdict.standings.count { $0.playing == .mixing }
        let primary = verdict.standings.count { $0.playing == .primary }
        for place in facts.sessions.indices where facts.sessions[place].kind != .implicit {
            guard let id = facts.sessions[place].id else { continue }
            let standing = verdict.standings[place]
            var state = SessionState()
            state.configuration = facts.sessions[place].configuration
            state.isActive = standing.isNotifiedActive
            state.isInterrupted = standing.interruption.isNotified
            state.isDelayed = facts.waiting.contains(facts.sessions[place].number)
            state.isOtherAudioPlaying = mixing &+ primary > (standing.playing == .nothing ? 0 : 1)
            state.isSecondaryAudioToBeSilenced = primary > (standing.playing == .primary ? 1 : 0)
            state.isInputMuted = standing.isInputMuted
            if state == standing.shown { continue }
            verdict.standings[place].shown = state
            effects.append(.sessionChanged(id))
            if facts.sessions[place].kind == .opened {
                followState(standing.shown, of: place, after: event, places, at: now)
            }
        }
    }

    func isSilenced(_ place: Int) -> Bool { !facts.isSuspended && verdict.standings[place].hasSilencer }

    // MARK: - Moments

    /// When something in a session changes by itself; `nil` for never.
    func nextMoment(of standing: Standing) -> Instant? {
        let next = earliest(
            earliest(standing.phase.end, standing.obstacle?.end),
            earliest(standing.interruption.end, standing.routeIsToldUntil))
        return next == Switches.never ? nil : next
    }

    func nextMoment() -> Instant? {
        var next = facts.switches.pausedUntil == Switches.never ? nil : facts.switches.pausedUntil
        for index in facts.streams.indices { next = earliest(next, facts.streams[index].callsAt) }
        for standing in verdict.standings { next = earliest(next, nextMoment(of: standing)) }
        return next
    }
}

func earliest(_ one: Instant?, _ other: Instant?) -> Instant? { one.map { min($0, other ?? $0) } ?? other }
