import PolicyEngine
import RandomEvents

/// What holds of effects: their order, and what has to be told at all.
extension Property {
    static let ofEffects = [
        Property("difference", "R26", "A stream gets a new treatment only when its treatment changes.") { step in
            var last = step.before.record
            return step.effects.firstFlaw { effect in
                guard case .treat(let id, let treatment, let within, let after) = effect else { return nil }
                defer { last.note([effect], of: step.event, at: step.now) }
                if within < .zero || after < .zero { return "a negative time for \(id)" }
                let former = last.stream(id)?.treatment ?? .untouched
                return former == treatment && last.stream(id) != nil ? "\(id) is treated as before" : nil
            }
        },
        Property("as-told", "R26", "The treatment that the engine shows of a stream is the last one that it sent.") {
            step in
            step.after.record.streams.firstFlaw { stream in
                let found = step.after.engine.treatment(of: stream.id)
                return found == stream.treatment ? nil : "\(stream.id): \(String(describing: found))"
            }
        },
        Property(
            "order", "R27",
            "One event sends activity first, then grants, treatments, interruptions, answers and states."
        ) { step in
            if !step.isOne { return nil }
            var last = 0
            return step.effects.indices.firstFlaw { index in
                guard let place = place(of: index, in: step) else { return nil }
                defer { last = place }
                return place < last ? "too late: \(step.effects[index])" : nil
            }
        },
        Property("claims-down", "R27", "Notifications of several sessions go from the strongest claim down.") {
            step in
            if !step.isOne { return nil }
            var last: [Int: Int] = [:]
            return step.effects.indices.firstFlaw { index in
                guard let part = place(of: index, in: step),
                    let key = step.subject(of: step.effects[index]),
                    let claim = step.after.sessions.firstIndex(where: { $0.key == key })
                else { return nil }
                defer { last[part] = claim }
                return claim < last[part] ?? 0 ? "too late: \(step.effects[index])" : nil
            }
        },
        Property("one-answer", "R8 R27", "Each request gets one answer, and no other event gets any.") { step in
            let answers = step.effects.filter {
                if case .answered(let id, _) = $0 { id == step.event.session } else { false }
            }
            let all = step.effects.count { if case .answered = $0 { true } else { false } }
            return answers.count == (step.event.isRequest ? 1 : 0) && all == answers.count ? nil : "\(all) answers"
        },
        Property("repeated", "R9", "An event that is reported a second time changes nothing.") { step in
            switch step.event {
            case .sessionOpened, .sessionConfigured, .sessionRequested, .outputLost, .streamFreed, .routeChanged,
                .newOutputUsed,
                .policyChanged, .inputMuted, .route:
                return nil
            case .streamAppeared, .streamWanted, .streamMuted, .streamSounding, .streamPlaced, .streamRunning,
                .streamSettled, .streamVanished, .streamLeftAlone, .streamMoved, .sessionClosed, .outputReturned,
                .inputGone, .switched, .clockReached, .shutdown:
                var engine = step.after.engine
                return engine.handle(step.event, at: step.now).firstFlaw(other)
            }
        },
        Property("at-rest", "R2 N17", "A second decision at the same moment changes nothing.") {
            step in
            if !step.isThorough { return nil }
            var engine = step.after.engine
            return engine.handle(.clockReached, at: step.now).firstFlaw(other)
                ?? (engine.snapshot == step.after.snapshot ? nil : "something else is shown")
        },
        Property("overdue", "R2 R64 N16 N17", "Nothing outlasts the moment at which the clock ends it.") { step in
            step.after.nextEnd.map { $0 <= step.now } ?? false ? "overdue since \(step.after.nextEnd as Any)" : nil
        },
        Property(
            "wake", "R2 R64 N16 N17",
            "The clock is set no later than the next moment at which something ends by itself."
        ) {
            step in
            guard let end = step.after.nextEnd else { return nil }
            if let wake = step.after.record.wake, wake <= end { return nil }
            return "\(end) comes before \(step.after.record.wake as Any)"
        },
        Property("unknown", "R2", "An event of an unknown stream or session changes nothing.") { step in
            if step.isLate { return nil }
            if case .streamAppeared = step.event { return nil }
            if case .sessionOpened = step.event { return nil }
            let isKnown =
                step.event.stream.map { step.before.record.stream($0) != nil }
                ?? step.event.session.map { step.before.record.opened($0) != nil } ?? true
            if isKnown { return nil }
            let others = step.effects.filter { $0 != .answered(step.event.session ?? SessionID(0), .unknown) }
            return others.firstFlaw(other)
                ?? (step.before.snapshot == step.after.snapshot ? nil : "it changes something")
        },
        Property("undone", "R12", "A policy that leaves undoes all treatments at once, and keeps nothing.") {
            step in
            guard step.event == .shutdown else { return nil }
            for stream in step.before.record.streams where stream.treatment != .untouched {
                let undoing = Effect.treat(stream.id, .untouched, within: .zero, after: .zero)
                if !step.effects.contains(undoing) { return "\(stream.id) is left touched" }
            }
            return step.after.engine.sessionCount + step.after.engine.streamCount == 0 ? nil : "something is left"
        },
        Property("undone-for-one", "R2", "A policy that leaves one stream alone undoes its treatment.") {
            step in
            step.before.record.streams.firstFlaw { stream in
                if case .streamVanished(stream.id) = step.event { return nil }
                if step.after.record.stream(stream.id) != nil || stream.treatment == .untouched { return nil }
                let last = step.effects.last { if case .treat(stream.id, _, _, _) = $0 { true } else { false } }
                if case .treat(_, .untouched, _, _) = last { return nil }
                return "\(stream.id) is left touched"
            }
        },
    ]

    /// An effect that is more than a request for the clock.
    static func other(_ effect: Effect) -> String? { if case .wake = effect { nil } else { "\(effect)" } }

    /// The part of an event's effects to which one of them belongs; `nil` if it belongs to no certain one.
    private static func place(of index: Int, in step: Step) -> Int? {
        func isNext(_ place: Int, _ isSuch: (Effect) -> Bool) -> Bool {
            step.effects.indices.contains(place) && isSuch(step.effects[place])
        }
        switch step.effects[index] {
        case .sessionActivated(let session):
            return isNext(index - 1) { if case .interruptionEnded(session, _) = $0 { true } else { false } } ? 3 : 0
        case .sessionDeactivated(let session):
            return isNext(index + 1) { if case .interruptionBegan(session, _) = $0 { true } else { false } } ? 3 : 0
        case .activationGranted: return 1
        // What is left alone is undone first.
        case .treat(let id, _, _, _): return step.after.record.stream(id) == nil ? nil : 2
        case .interruptionBegan: return 3
        case .interruptionEnded(let session, _):
            if case .sessionClosed(let id) = step.event, session.id == id { return 4 }
            return 3
        // R23: at once, because some clients wait to learn whether they get a device.
        case .streamRefused: return nil
        case .answered: return 5
        case .sessionChanged: return 6
        case .wake, .outputLost, .outputSwitched, .command, .routeBegun, .routeChanged, .sessionRouteChanged,
            .availablePortsChanged:
            return nil
        }
    }
}

extension Step {
    /// The session of which an effect tells.
    func subject(of effect: Effect) -> SessionKey? {
        switch effect {
        case .treat(let id, _, _, _): after.record.stream(id)?.session
        case .sessionActivated(let session), .sessionDeactivated(let session), .interruptionBegan(let session, _),
            .interruptionEnded(let session, _):
            session.key
        case .wake, .answered, .activationGranted, .sessionChanged, .streamRefused, .outputLost, .outputSwitched,
            .command, .routeBegun, .routeChanged, .sessionRouteChanged, .availablePortsChanged:
            nil
        }
    }
}
