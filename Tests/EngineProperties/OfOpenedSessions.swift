import PolicyEngine
import RandomEvents

/// What holds of sessions that applications and the system have opened.
extension Property {
    static let ofOpenedSessions = [
        Property(
            "shown-as-told", "R26 R77 N9",
            "The state that an application reads of its session is the state that it was told."
        ) {
            step in
            step.eachOpened { opened, session, state in
                let told = step.after.record.told(session.key)
                if state.isActive != told.isActive { return "active" }
                if state.isInterrupted != told.isInterrupted { return "interrupted" }
                return state.isDelayed == step.after.record.waiting.contains(opened.id) ? nil : "delayed"
            }
        },
        Property(
            "others-heard", "R77 N6",
            "An application can read whether others are heard, and whether one of them does not mix."
        ) {
            step in
            let heard = step.after.sessions.filter { session in
                session.silencer == nil && step.after.wanted(session).contains(where: \.isRunning)
                    && Pairs.isHeard(session.description.category)
                    && (session.state != .inactive && session.state != .interrupted)
            }
            if step.after.sessions.contains(where: { $0.state == .delayed }) { return nil }
            return step.eachOpened { _, session, state in
                let others = heard.filter { $0.number != session.number }
                if state.isOtherAudioPlaying == others.isEmpty { return "others" }
                let isPrimary = others.contains { !Pairs.mixes($0.description) }
                return state.isSecondaryAudioToBeSilenced == isPrimary ? nil : "primary"
            }
        },
        Property("input-shown", "N7", "An application can read whether all inputs from which it records are muted.") {
            step in
            step.eachOpened { _, session, state in
                let captures = step.after.streams(of: session).filter { $0.direction == .capture }
                let isMuted = !captures.isEmpty && captures.allSatisfy(\.isInputMuted)
                return state.isInputMuted == isMuted ? nil : "input"
            }
        },
        Property(
            "told-of-change", "R77 N6", "A change of what can be read of a session is told once, and nothing else is."
        ) { step in
            step.eachOpened { opened, _, state in
                let count = step.effects.count { $0 == .sessionChanged(opened.id) }
                let former = step.before.engine.state(of: opened.id) ?? SessionState()
                return count == (former == state ? 0 : 1) ? nil : "\(count) times"
            }
        },
        Property("refusal-is-nothing", "R8 R7", "A request that fails changes nothing.") { step in
            if step.isLate { return nil }
            guard
                case .answered(_, let answer)? = step.effects.first(where: {
                    if case .answered = $0 { true } else { false }
                })
            else { return nil }
            switch answer {
            case .done, .delayed: return nil
            case .refused, .mistaken, .nothingDelayed, .unknown:
                let isSame = step.before.snapshot == step.after.snapshot
                return isSame && step.effects.compactMap(Property.other).count == 1 ? nil : "\(answer)"
            }
        },
        Property(
            "refused-by-one", "R8",
            "An activation is refused by a heard session that would silence the new one, or rejects it."
        ) {
            step in
            for case .answered(let id, .refused(let reference)) in step.effects where !step.isLate {
                guard let blocker = step.before.session(reference.key), step.before.isHeard(blocker) else {
                    return "\(reference.label) is not heard"
                }
                guard let session = step.before.session(.opened(id)), case .sessionRequested = step.event else {
                    return nil
                }
                let description = step.before.asked(session)
                let kinds = [false, true].map {
                    Pairs.kind(blocker.description, on: description, isNewcomer: $0, step.before.policy)
                }
                let isAble = kinds.contains { $0.silences || $0 == .reject }
                return isAble && blocker.number != session.number ? nil : "\(reference.label)"
            }
            return nil
        },
        Property("foretold", "N26 R8", "An activation succeeds exactly if the engine has foretold it.") { step in
            guard step.isThorough || step.event.isRequest else { return nil }
            return step.after.record.opened.firstFlaw { opened in
                var engine = step.after.engine
                let isForetold = engine.canBeActivated(opened.id)
                let effects = engine.handle(.sessionRequested(opened.id, .activate(mayWait: false)), at: step.now)
                return effects.contains(.answered(opened.id, .done)) == isForetold ? nil : "\(opened.id): \(isForetold)"
            }
        },
        Property("done-is-done", "R8 R10 R34", "An activation that is done or granted makes the session active.") {
            step in
            if !step.isOne { return nil }
            let granted = step.effects.compactMap { effect -> SessionID? in
                switch effect {
                case .activationGranted(let id): return id
                case .answered(let id, .done):
                    if case .sessionRequested(_, .activate) = step.event { return id }
                    return nil
                default: return nil
                }
            }
            return granted.firstFlaw { id in
                guard let session = step.after.session(.opened(id)), granted.count == 1 else { return nil }
                if !(step.after.record.opened(id)?.isActivated ?? false) { return nil }
                // What its streams said of it until then is no longer so, and who was silenced by that is heard.
                guard let former = step.before.session(.opened(id)), step.isSaid(former) else { return nil }
                if step.after.isSuspended { return session.state == .active ? nil : "\(session.state)" }
                return session.silencer == nil && session.state == .active ? nil : "\(id) is \(session.state)"
            }
        },
        Property(
            "deactivated", "R11 R10", "A session that is deactivated or closed silences no session and is not active."
        ) { step in
            guard case .sessionRequested(let id, .deactivate) = step.event,
                let session = step.after.session(.opened(id)),
                step.effects.contains(.answered(id, .done))
            else { return nil }
            if step.after.record.told(session.key).isActive || step.after.isHeard(session) { return "\(id) is active" }
            return step.after.victims.contains { $0.cause.number == session.number } ? "\(id) silences" : nil
        },
        Property("delayed", "N9", "A waiting activation is not possible yet, and only waiting ones are granted.") {
            step in
            var engine = step.after.engine
            if let id = step.after.record.waiting.first(where: { engine.canBeActivated($0) }) {
                return "\(id) may be activated"
            }
            let granted = step.effects.compactMap { effect -> SessionID? in
                if case .activationGranted(let id) = effect { id } else { nil }
            }
            if let id = granted.first(where: { !step.before.record.waiting.contains($0) }) {
                return "\(id) did not wait"
            }
            return nil
        },
        Property("first-come", "N9", "The oldest of the waiting activations that are possible is granted first.") {
            step in
            let granted = step.effects.compactMap { effect -> SessionID? in
                if case .activationGranted(let id) = effect { id } else { nil }
            }
            if !step.isOne { return nil }
            return granted.indices.firstFlaw { index in
                let older = step.before.record.waiting.prefix { $0 != granted[index] }.filter { id in
                    !granted[..<index].contains(id)
                }
                if older.isEmpty || !step.before.record.waiting.contains(granted[index]) { return nil }
                // Without the granted one, none of the older ones is granted in its place.
                var engine = step.before.engine
                _ = engine.handle(.sessionRequested(granted[index], .cancel), at: step.now)
                let others = engine.handle(step.event, at: step.now)
                return older.first { others.contains(.activationGranted($0)) }.map { "\($0) is older" }
            }
        },
        Property(
            "mode-may-change", "R54 R26 R34",
            "A session that its application does not hold active can change its mode, unless it mixes."
        ) { step in
            guard case .sessionConfigured(let id, .mode) = step.event, !step.isLate,
                step.effects.contains(.answered(id, .mistaken(.modeIsFixed))),
                let opened = step.before.record.opened(id), opened.isDriven, !opened.isActivated,
                let session = step.before.session(.opened(id)), let former = step.before.configuration(of: session)
            else { return nil }
            return Pairs.mixes(former.description(ducking: step.before.policy.ducking)) ? nil : "\(id)"
        },
        Property(
            "answer-fits", "N9 R54 R41",
            "Only a waiting session can cancel, and a request that contradicts itself is a mistake."
        ) {
            step in
            guard let id = step.event.session, let opened = step.before.record.opened(id), !step.isLate else {
                return nil
            }
            guard
                case .answered(_, let answer)? = step.effects.first(where: {
                    if case .answered = $0 { true } else { false }
                })
            else { return nil }
            switch step.event {
            case .sessionRequested(_, .cancel):
                return (answer == .done) == step.before.record.waiting.contains(id) ? nil : "\(answer)"
            case .sessionRequested(_, .deactivate): return answer == .done ? nil : "\(answer)"
            case .sessionRequested(_, .activate(mayWait: true)):
                return answer == .done || answer == .delayed ? nil : "\(answer)"
            case .sessionRequested(_, .activate(mayWait: false)): return answer == .delayed ? "\(answer)" : nil
            case .sessionConfigured(_, let change):
                if opened.isSystem { return answer == .unknown ? nil : "\(answer)" }
                let mistaken = step.isMistaken(change, id)
                if case .mistaken = answer { return mistaken == false ? "\(answer)" : nil }
                return mistaken == true ? "\(answer)" : nil
            default: return nil
            }
        },
        Property(
            "configured", "R7 R39 R54", "A configuration is the one that was set last, and nothing else changes it."
        ) {
            step in
            step.after.record.opened.firstFlaw { opened in
                guard let former = step.before.engine.configuration(of: opened.id) else { return nil }
                guard let found = step.after.engine.configuration(of: opened.id) else { return "\(opened.id)" }
                guard case .sessionConfigured(opened.id, let change) = step.event,
                    step.effects.contains(.answered(opened.id, .done))
                else {
                    let isSame =
                        found.category == former.category && found.options == former.options
                        && found.mode == former.mode
                        && found.avoidsAlerts == former.avoidsAlerts
                        && found.interruptionOnRouteDisconnect == former.interruptionOnRouteDisconnect
                    return isSame ? nil : "\(opened.id) \(found)"
                }
                switch change {
                case .category(let category, let options, let mode):
                    return found.category == category && found.options == options && found.mode == mode ?? former.mode
                        ? nil : "\(found)"
                case .mode(let mode): return found.mode == mode ? nil : "\(found)"
                case .outputOverride(let override):
                    return found.outputOverride == override || override == .speaker ? nil : "\(found)"
                case .avoidsAlerts(let avoids): return found.avoidsAlerts == avoids ? nil : "\(found)"
                case .interruptionOnRouteDisconnect(let choice):
                    return found.interruptionOnRouteDisconnect == choice ? nil : "\(found)"
                }
            }
        },
        Property("rejection-foretold", "R8", "A start is rejected exactly if the engine has foretold it.") { step in
            guard step.isThorough else { return nil }
            return step.after.record.streams.firstFlaw { stream in
                guard let start = step.start(of: stream) else { return nil }
                let isForetold = step.after.engine.wouldReject(stream.id)
                let reason = start.reason
                return reason == .noDevice || isForetold == (reason == .rejected) ? nil : "\(stream.id): \(isForetold)"
            }
        },
        Property("wait-foretold", "R34 R37", "A start waits for silence only if the engine has foretold it.") { step in
            guard step.isThorough else { return nil }
            return step.after.record.streams.firstFlaw { stream in
                guard let start = step.start(of: stream), start.reason == .handover else { return nil }
                let isAnybody = step.after.record.streams.contains(where: \.isAudible)
                return isAnybody && !step.after.engine.mayWait(stream.id) ? "\(stream.id)" : nil
            }
        },
    ]
}

extension Step {
    /// Whether what a session is does not change by its activation.
    fileprivate func isSaid(_ session: Session) -> Bool {
        before.isSaid(session) || before.wanted(session).isEmpty && after.wanted(session).isEmpty
    }

    /// Looks at each opened session and what may be read of it.
    fileprivate func eachOpened(_ flaw: (Record.Opened, Session, SessionState) -> String?) -> String? {
        after.record.opened.firstFlaw { opened in
            guard let state = after.engine.state(of: opened.id), let session = after.session(.opened(opened.id)) else {
                return "\(opened.id) is unknown"
            }
            return flaw(opened, session, state).map { "\(opened.id): \($0)" }
        }
    }

    /// What is done to a stream when its application starts it now; `nil` if it has started it, or nothing comes of it.
    fileprivate func start(of stream: Record.Stream) -> Treatment? {
        var started = stream
        started.isPlayed = true
        guard !stream.isPlayed, after.record.isWanted(started) else { return nil }
        var engine = after.engine
        let effects = engine.handle(.streamWanted(stream.id, true), at: now)
        // N9: the start may grant a delayed activation, whose session then rejects the stream.
        let isGranted = effects.contains { if case .activationGranted = $0 { true } else { false } }
        return isGranted ? nil : engine.treatment(of: stream.id)
    }

    /// Whether a change of a configuration contradicts itself; `nil` where the mode decides.
    fileprivate func isMistaken(_ change: ConfigurationChange, _ id: SessionID) -> Bool? {
        let category = before.engine.configuration(of: id)?.category
        switch change {
        case .category(let category, let options, _):
            let isFit = options.options.allSatisfy(category.takes)
            return isFit ? nil : true
        case .outputOverride(let override): return override == .speaker && category != .playAndRecord
        case .mode: return nil
        case .avoidsAlerts, .interruptionOnRouteDisconnect: return false
        }
    }
}

extension Scene {
    /// What a session is when its application activates it.
    fileprivate func asked(_ session: Session) -> SessionDescription {
        guard let configuration = configuration(of: session) else { return session.description }
        var description = configuration.description(ducking: policy.ducking)
        let wanted = wanted(session).filter { !$0.isInterfaceSound }
        description.priority = max(description.priority, wanted.map(\.description.priority).max() ?? .normal)
        return description
    }
}
