@testable import PolicyEngine

/// To know a state again. Sessions are named by their place in the order of claims, times count from now.
extension Engine {
    /// A number that is equal for equal states, in one process.
    func fingerprint(at now: Instant) -> UInt64 {
        var hasher = Hasher()
        func time(_ moment: Instant?) -> Int64? {
            moment.map { $0 == Switches.never ? .max : $0.nanoseconds &- now.nanoseconds }
        }
        let switches = facts.switches
        hasher.combine(switches.on)
        hasher.combine(time(switches.pausedUntil))
        hasher.combine(time(verdict.wake))
        let order = sessionNumbers.compactMap { facts.place($0.rawValue) }
        let requests = order.map { facts.sessions[$0].request }.sorted()
        for place in order {
            let (session, standing) = (facts.sessions[place], verdict.standings[place])
            hasher.combine(standing.described.description)
            hasher.combine(session.configuration)
            hasher.combine(requests.firstIndex(of: session.request))
            hasher.combine(order.firstIndex { facts.sessions[$0].identity.application == session.identity.application })
            hasher.combine(facts.waiting.firstIndex(of: session.number))
            hasher.combine(standing.cause.flatMap { order.firstIndex(of: $0) })
            hasher.combine([
                session.isConfigured, session.kind == .implicit, standing.progress.hasStarted,
                standing.progress.startsWhenFree, standing.progress.wasHeard, standing.isNotifiedActive,
            ])
            hasher.combine(time(nextMoment(of: standing)))
            hasher.combine(standing.obstacle?.reason)
            hasher.combine("\(standing.driver)")
            hasher.combine("\(standing.phase)".prefix(while: { $0 != "(" }))
            hasher.combine("\(standing.interruption)".prefix(while: { $0 != "(" }))
            hasher.combine(standing.interruption.prospect == .mayResume)
            for index in facts.streams.indices where facts.streams[index].session == place {
                let stream = facts.streams[index]
                hasher.combine(stream.described.description)
                hasher.combine(stream.direction)
                hasher.combine([
                    stream.isPlayed, stream.isRunning, stream.hasRun, verdict.applied[index].isSettled,
                    stream.isInputMuted,
                ])
            }
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
