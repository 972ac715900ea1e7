import PolicyEngine
import RandomEvents

/// What holds of the same events in another way.
extension Property {
    static let ofOtherWays = [
        Property("later", "R2 R64 N16 N17", "The same events an hour later have the same outcome an hour later.") {
            $0.others[.later]
        },
        Property(
            "accompanied", "R2 R79", "An application with an idle stream and session changes nothing for others."
        ) { $0.others[.accompanied] },
        Property(
            "punctual", "R2 R64 N16 N17", "An event after a late clock has the outcome that it has after a clock event."
        ) { $0.others[.punctual] },
    ]
}

/// Another way in which the same may happen, with the same outcome.
enum OtherWay: CaseIterable, Sendable {
    /// An hour later.
    case later
    /// With an application beside it that does nothing, and leaves after a while.
    case accompanied
    /// With a clock that is never late.
    case punctual
}

/// An engine to which the same happens in another way.
struct OtherEngine: Sendable {
    let way: OtherWay
    private var engine: Engine
    private var count = 0
    private var wake: Instant?

    /// The bystander's stream and session.
    private static let stream = StreamID(9_000)
    private static let session = SessionID(9_000)

    init(_ way: OtherWay, _ policy: Policy) {
        self.way = way
        engine = Engine(policy: policy)
        guard way == .accompanied else { return }
        let bystander = ApplicationID(key: "bystander", name: "bystander")
        let events: [Event] = [
            .streamAppeared(
                Self.stream, application: bystander, description: policy.untagged ?? Policy.listener,
                direction: .playback),
            .sessionOpened(Self.session, application: bystander, .application),
        ]
        for event in events { _ = engine.handle(event, at: Instant(nanoseconds: 0)) }
    }

    /// Has an event happen. Returns what is different from these effects; `nil` if nothing is.
    mutating func difference(_ event: Event, at now: Instant, _ expected: [Effect]) -> String? {
        count += 1
        var effects: [Effect] = []
        switch way {
        case .later: effects = handle(later(event), at: later(now))
        case .accompanied:
            // A shutdown comes before what is due; the bystander would bring that forward.
            if count == 12, event != .shutdown {
                effects += handle(.streamVanished(Self.stream), at: now) + handle(.sessionClosed(Self.session), at: now)
            }
            effects += handle(event, at: now)
        case .punctual:
            if event != .shutdown, let wake, wake <= now { effects = handle(.clockReached, at: now) }
            effects += handle(event, at: now)
        }
        let (found, expected) = (plain(effects), plain(expected))
        return found == expected ? nil : "\(found), not \(expected)"
    }

    private mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        let effects = engine.handle(event, at: now)
        if event == .clockReached { wake = nil }
        for case .wake(let moment) in effects { wake = moment }
        return effects
    }

    private func later(_ now: Instant) -> Instant {
        now == Switches.never || now.nanoseconds < 0 ? now : now.advanced(by: .seconds(3_600))
    }

    private func later(_ event: Event) -> Event {
        guard case .switched(var switches) = event else { return event }
        switches.pausedUntil = switches.pausedUntil.map { later($0) }
        return .switched(switches)
    }

    /// The effects without what may differ: the bystander, moments, the numbers of sessions, which others are heard, and the
    /// order, of which other properties tell.
    private func plain(_ effects: [Effect]) -> [String] {
        effects.compactMap { effect in
            switch effect {
            case .sessionChanged, .wake: nil
            case .streamRefused(let id): id == Self.stream ? nil : "\(effect)"
            case .treat(let id, let treatment, let within, let after):
                id == Self.stream
                    ? nil : "\(id) \(treatment.silence) \(treatment.gain) \(treatment.reason) \(within) \(after)"
            case .interruptionBegan(let session, let by): "\(session) by \(by.name) \(by.description)"
            case .sessionActivated, .sessionDeactivated, .interruptionEnded, .answered, .activationGranted, .outputLost,
                .outputSwitched, .command, .routeBegun, .routeChanged, .sessionRouteChanged, .availablePortsChanged:
                "\(effect)"
            }
        }.sorted()
    }
}
