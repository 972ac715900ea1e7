import PolicyEngine
import RandomEvents

/// What holds of what sessions are told, and when.
extension Property {
    static let ofInterruptions = [
        Property(
            "in-turn", "R26 R27 R30",
            "Beginnings and ends of activity and interruptions alternate; an interrupted session is inactive."
        ) { step in
            var told = step.before.record.told
            return step.effects.firstFlaw { effect in
                guard let key = step.subject(of: effect) else { return nil }
                var state = told[key] ?? Record.Told()
                defer { told[key] = state }
                switch effect {
                case .sessionActivated:
                    defer { state.isActive = true }
                    return state.isActive || state.isInterrupted ? "\(effect)" : nil
                case .sessionDeactivated:
                    defer { state.isActive = false }
                    return state.isActive ? nil : "\(effect)"
                case .interruptionBegan:
                    defer { state.isInterrupted = true }
                    return state.isActive || state.isInterrupted ? "\(effect)" : nil
                case .interruptionEnded:
                    defer { state.isInterrupted = false }
                    return state.isInterrupted ? nil : "\(effect)"
                case .treat, .wake, .answered, .activationGranted, .sessionChanged, .streamRefused, .outputLost,
                    .outputSwitched, .command, .routeBegun, .routeChanged, .sessionRouteChanged, .availablePortsChanged:
                    return nil
                }
            }
        },
        Property(
            "gone-quietly", "R10 R12",
            "A session that is gone has been told inactive; an opened one, also the end of its interruption."
        ) {
            step in
            var record = step.before.record
            record.note(step.effects, of: step.event, at: step.now)
            if case .sessionClosed(let id) = step.event, step.before.record.opened(id) != nil {
                let ends = step.effects.filter {
                    if case .interruptionEnded(let other, _) = $0 { other.id == id } else { false }
                }
                if step.before.record.told(.opened(id)).isInterrupted, ends.isEmpty { return "\(id)" }
            }
            return record.told.firstFlaw { key, told in
                step.event != .shutdown && step.after.session(key) == nil && told.isActive ? "\(key)" : nil
            }
        },
        Property(
            "not-begun-when-gone", "R26 R2",
            "An application whose last stream is gone is told of no interruption of its streams."
        ) { step in
            step.effects.firstFlaw { effect in
                guard case .interruptionBegan(let reference, _) = effect, reference.id == nil else { return nil }
                let isGone = !step.after.record.streams.contains { $0.session == reference.key }
                return isGone ? reference.label : nil
            }
        },
        Property("silent-first", "R26", "A session that is told of its interruption is silent.") { step in
            if !step.isOne { return nil }
            return step.effects.firstFlaw { effect in
                guard case .interruptionBegan(let reference, _) = effect,
                    let session = step.after.session(reference.key), session.silencer != nil
                else { return nil }
                return step.after.isAudible(session) ? "\(session.reference.label)" : nil
            }
        },
        Property("told-when-silent", "R26", "A silent, interrupted session has been told of its interruption.") {
            step in
            step.after.sessions.firstFlaw { session in
                guard session.state == .interrupted, session.silencer != nil, !step.after.isStopped(session),
                    !step.after.isAudible(session), !step.after.streams(of: session).contains(where: \.isAudible)
                else { return nil }
                return step.after.record.told(session.key).isInterrupted ? nil : "\(session.reference.label)"
            }
        },
        Property(
            "no-longer-told", "R30 N16",
            "A session that nothing silences, or that is to stay silent, does not count as told interrupted."
        ) {
            step in
            step.after.sessions.firstFlaw { session in
                guard step.after.record.told(session.key).isInterrupted else { return nil }
                let isOver = session.silencer == nil || step.after.isStopped(session) || step.after.isSuspended
                return isOver ? "\(session.reference.label)" : nil
            }
        },
        Property(
            "told-by-whom", "R27 N17",
            "The beginning of an interruption names the cause, and the engine shows the same cause."
        ) { step in
            if !step.isOne { return nil }
            return step.effects.firstFlaw { effect in
                guard case .interruptionBegan(let reference, let interrupter) = effect,
                    let session = step.after.session(reference.key), let silencer = session.silencer
                else { return nil }
                return silencer == interrupter ? nil : "by \(interrupter), shown is \(silencer)"
            }
        },
        Property(
            "active-when-heard", "R2 R10",
            "A heard session has been told active; an inactive session that nothing silences has not."
        ) {
            step in
            step.after.sessions.firstFlaw { session in
                let told = step.after.record.told(session.key)
                if step.after.isHeard(session), !told.isActive, session.state != .delayed {
                    return "\(session.reference.label) is not told active"
                }
                let isInactive = session.state == .inactive && session.silencer == nil
                return isInactive && told.isActive ? "\(session.reference.label) is told active" : nil
            }
        },
        Property(
            "active-by-request", "R26 R34",
            "A session driven by its application is active only from activation to interruption."
        ) { step in
            step.after.record.opened.firstFlaw { opened in
                guard opened.isDriven, !opened.isActivated else { return nil }
                return step.after.record.told(.opened(opened.id)).isActive ? "\(opened.id)" : nil
            }
        },
        Property("goes-on", "R34", "A session driven by its streams is active as soon as it is told to resume.") {
            step in
            if !step.isOne { return nil }
            return step.effects.firstFlaw { effect in
                guard case .interruptionEnded(let reference, true) = effect,
                    let session = step.after.session(reference.key), !(step.after.opened(session)?.isDriven ?? false)
                else { return nil }
                let isActive = step.after.record.told(session.key).isActive
                return isActive || session.state == .inactive ? nil : "\(session.reference.label)"
            }
        },
        Property(
            "given-up", "R35",
            "A session that was paused, deactivated or closed during an interruption is not told to resume."
        ) { step in
            if !step.isOne { return nil }
            return step.effects.firstFlaw { effect in
                guard case .interruptionEnded(let reference, true) = effect else { return nil }
                guard let session = step.after.session(reference.key) else { return "\(effect)" }
                let isDriven = step.after.opened(session)?.isDriven ?? false
                let hasGivenUp =
                    isDriven ? step.after.record.told(session.key).hasGivenUp : !step.after.asks(session)
                return hasGivenUp ? "\(session.reference.label)" : nil
            }
        },
        Property(
            "stays-silent", "R9 R31",
            "A session that was told to stay silent is silent until its application plays it again."
        ) {
            step in
            guard !step.event.isMove, !step.before.isSuspended, !step.after.isSuspended else { return nil }
            return step.lasting.firstFlaw { before, after in
                guard step.before.isStopped(before), step.before.asks(before), !step.after.isStopped(after) else {
                    return nil
                }
                let isAsked = step.subjects.contains(after.key) || !step.after.asks(after)
                let isCall = Pairs.isPhone(after.description) || after.description.category == .uiSound
                return isAsked || isCall ? nil : "\(after.reference.label)"
            }
        },
        Property(
            "closed-last", "R12 R27", "A session that is closed during an interruption is told the end last of all."
        ) {
            step in
            guard case .sessionClosed(let id) = step.event, step.isOne else { return nil }
            let told = step.effects.filter { step.subject(of: $0) != nil }
            let index = told.firstIndex {
                if case .interruptionEnded(let other, _) = $0 { other.id == id } else { false }
            }
            if step.before.record.told(.opened(id)).isInterrupted, index == nil { return "the end is not told" }
            return index.map { $0 == told.count - 1 } ?? true ? nil : "not the last"
        },
        Property("override-over", "R41", "An interruption ends the override of the output.") { step in
            step.effects.firstFlaw { effect in
                guard case .interruptionBegan(let reference, _) = effect, let id = reference.id else { return nil }
                return step.after.engine.state(of: id)?.configuration.outputOverride == .speaker ? "\(id)" : nil
            }
        },
    ]
}
