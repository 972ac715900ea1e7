import PolicyEngine
import RandomEvents

/// What holds of what sessions are, and when they are active.
extension Property {
    static let ofLifecycle = [
        Property(
            "streams-as-reported", "R1 R2 R80",
            "The engine shows each stream as it was reported, in the session where it belongs."
        ) {
            step in
            let shown = step.after.snapshot.streams
            if shown.map(\.id) != step.after.record.streams.map(\.id).sorted(by: { $0.rawValue < $1.rawValue }) {
                return "other streams are shown"
            }
            return shown.firstFlaw { found in
                guard let stream = step.after.record.stream(found.id) else { return "\(found.id)" }
                let isSame =
                    found.isWanted == stream.isPlayed && found.isMuted == stream.isMuted
                    && found.isRunning == stream.isRunning && found.direction == stream.direction
                    && found.description == stream.description.name
                    && step.after.session(found.session)?.key == stream.session
                return isSame ? nil : "\(found)"
            }
        },
        Property(
            "calls-last", "N14", "A recording that is to make a call does so after call-after, if it still goes on."
        ) {
            step in
            step.after.record.streams.firstFlaw { stream in
                guard let moment = stream.callsAt else { return nil }
                if !stream.isPlayed || stream.direction == .playback || moment <= step.now { return "\(stream.id)" }
                let former = step.before.record.stream(stream.id)?.callsAt
                let begun = step.now.advanced(by: step.before.record.policy.callAfter)
                return moment == former || moment == begun ? nil : "\(stream.id) waits until \(moment)"
            }
        },
        Property(
            "one-session-each", "R1 R80", "Each application with streams has one session, and so has each opened one."
        ) {
            step in
            let keys = step.after.sessions.map(\.key)
            if Set(keys).count != keys.count { return "two sessions of one" }
            if let missing = step.after.record.opened.first(where: { !keys.contains(.opened($0.id)) }) {
                return "\(missing.id) is missing"
            }
            return step.after.sessions.firstFlaw { session in
                if case .opened(let id) = session.key {
                    return step.after.record.opened(id) == nil ? "\(id) is closed" : nil
                }
                let isEmpty = step.after.streams(of: session).isEmpty && session.state == .inactive
                return isEmpty && session.silencer == nil ? "\(session.reference.label) is empty" : nil
            }
        },
        Property("new-numbers", "N17", "The number of a session is never used again.") { step in
            let highest = step.before.sessions.map(\.number).max() ?? 0
            return step.after.sessions.firstFlaw { session in
                guard let former = step.before.session(session.number) else {
                    return session.number > highest ? nil : "\(session.number)"
                }
                return former.key == session.key ? nil : "\(session.number)"
            }
        },
        Property(
            "nothing-left", "R2 R12",
            "The engine is empty when all streams and opened sessions are gone and all times are over."
        ) {
            step in
            let record = step.after.record
            guard record.streams.isEmpty, record.opened.isEmpty, step.after.nextEnd == nil else { return nil }
            return step.after.engine.sessionCount + step.after.engine.streamCount == 0 ? nil : "something is left"
        },
        Property(
            "all-free", "R10 R31", "Nothing is done for others when no session wants to be heard and none is opened."
        ) {
            step in
            let record = step.after.record
            guard record.opened.isEmpty, !record.streams.contains(where: \.isPlayed), step.after.nextEnd == nil else {
                return nil
            }
            let own: [Reason] = [.none, .level, .noDevice, .silentSwitch, .screenLock, .doNotDisturb]
            return record.streams.first { !own.contains($0.treatment.reason) }.map { "\($0.id): \($0.treatment)" }
        },
        Property(
            "strongest-says", "R1 N14",
            "A session driven by its streams is what the strongest of its wanted streams is."
        ) {
            step in
            step.after.sessions.firstFlaw { session in
                guard !step.after.isSaid(session) else { return nil }
                let wanted = step.after.wanted(session)
                let all = wanted.isEmpty ? step.after.streams(of: session) : wanted
                if wanted.isEmpty, session.state != .inactive { return nil }
                guard let strongest = strongest(of: all, step.after.policy) else { return nil }
                var found = session.description
                found.avoidsAlerts = strongest.avoidsAlerts
                let configuration = step.after.configuration(of: session)
                let avoids = configuration?.avoidsAlerts == true || strongest.avoidsAlerts
                return found == strongest && avoids == session.description.avoidsAlerts
                    ? nil : "\(session.reference.label) is not \(strongest.name)"
            }
        },
        Property(
            "as-configured", "R7 R36 R39 N3 N8",
            "An opened session is as configured, with the strongest priority of its streams."
        ) {
            step in
            step.after.sessions.firstFlaw { session in
                guard let opened = step.after.opened(session), step.after.isSaid(session) else { return nil }
                if case .system(let description, _) = opened.kind {
                    return session.description == description ? nil : "\(session.reference.label)"
                }
                guard let configuration = step.after.configuration(of: session) else { return "no configuration" }
                let wanted = step.after.wanted(session).filter { !$0.isInterfaceSound }.map(\.description)
                let priority = max(wanted.map(\.priority).max() ?? .normal, .normal)
                let isCall =
                    priority > .normal
                    && wanted.contains {
                        $0.priority == priority && ($0.category == .playAndRecord || $0.isCall || !Pairs.isPhone($0))
                    }
                var ducking = step.after.policy.ducking
                let mode = configuration.category.takes(configuration.mode) ? configuration.mode : .default
                if mode == .voicePrompt { ducking.gain = min(ducking.gain, Decibels(-20)) }
                let options = configuration.options.intersection([.mixWithOthers, .duckOthers, .interruptSpokenAudio])
                let found = session.description
                let isFit =
                    found.category == configuration.category && found.name == found.category.rawValue
                    && found.priority == priority && found.options == options && found.isCall == isCall
                    && found.avoidsAlerts == configuration.avoidsAlerts && found.ducking.gain == ducking.gain
                    && (found.mode == .spokenAudio) == (mode == .spokenAudio)
                return isFit ? nil : "\(found)"
            }
        },
        Property(
            "active-while-running", "R2",
            "A session that asks and that nothing silences is active while a stream of it runs."
        ) {
            step in
            step.after.sessions.firstFlaw { session in
                guard session.silencer == nil, step.after.asks(session), session.state != .delayed else { return nil }
                let isDriven = step.after.opened(session)?.isDriven ?? false
                let runs = isDriven || step.after.wanted(session).contains(where: \.isRunning)
                return runs == (session.state == .active) ? nil : "\(session.reference.label) is \(session.state)"
            }
        },
        Property("inactive-when-unasked", "R2 R11", "A session that does not ask is inactive, or in its release delay.")
        { step in
            step.after.sessions.firstFlaw { session in
                if step.after.asks(session) { return nil }
                let isDriven = step.after.opened(session)?.isDriven ?? false
                switch session.state {
                case .inactive, .interrupted, .delayed: return nil
                case .releasing: return isDriven ? "\(session.reference.label)" : nil
                case .active, .starting, .holding: return "\(session.reference.label) is \(session.state)"
                }
            }
        },
        Property(
            "asks-and-waits", "R2 R34", "A session that begins, or goes on after an interruption, does so at once."
        ) { step in
            if !step.isOne || step.event.isMove || step.before.isSuspended || step.after.isSuspended { return nil }
            return step.lasting.firstFlaw { before, after in
                guard step.before.isInterrupted(before), after.silencer == nil, step.before.asks(before),
                    step.after.asks(after), !(step.after.opened(after)?.isDriven ?? false)
                else { return nil }
                return [.active, .starting, .holding].contains(after.state)
                    ? nil : "\(after.reference.label): \(after.state)"
            }
        },
        Property(
            "moves-quietly", "R9 R79 N19",
            "A session to which all wanted streams of another move takes its place; nothing else changes."
        ) { step in
            guard let (old, target) = step.successor else { return nil }
            return step.after.record.streams.firstFlaw { stream in
                let isOther = [old.key, target.key].contains(stream.session) || old.silencer != nil
                if step.event.stream != stream.id, isOther { return nil }
                guard var expected = step.before.record.stream(stream.id)?.treatment else { return nil }
                if expected.cause?.session?.rawValue == old.number { expected.cause = stream.treatment.cause }
                if stream.treatment != expected { return "\(stream.id): \(stream.treatment)" }
                guard let session = step.before.session(stream.session), session.number != target.number,
                    step.before.besides(session).contains(old.number)
                else { return nil }
                return step.after.besides(session).contains(target.number) ? nil : "\(stream.id) is not free"
            }
        },
        Property("appears-quietly", "R2", "The first stream of an application does nothing to others when it appears.")
        {
            step in
            guard case .streamAppeared(let id, _, _, _) = step.event, !step.isLate,
                let session = step.after.record.stream(id)?.session, step.before.session(session) == nil
            else { return nil }
            return step.effects.firstFlaw { effect in
                switch effect {
                case .streamRefused, .wake: nil
                case .treat(let id, _, _, _): step.after.record.stream(id)?.session == session ? nil : "\(effect)"
                case .sessionActivated, .sessionDeactivated, .interruptionBegan, .interruptionEnded, .answered,
                    .activationGranted, .sessionChanged, .outputLost, .outputSwitched, .command, .routeBegun,
                    .routeChanged, .sessionRouteChanged, .availablePortsChanged:
                    "\(effect)"
                }
            }
        },
    ]

    /// R1: what the strongest of some streams is; N14: or the call that some of them make together, to which a recording does
    /// not belong while it waits to make one.
    private static func strongest(of streams: [Record.Stream], _ policy: Policy) -> SessionDescription? {
        var all = streams.map(\.description)
        if let call = policy.call {
            func has(_ isCapture: Bool) -> Bool {
                streams.lazy.filter { $0.callsAt == nil }.map(\.description).contains { each in
                    if each.isPaired { return (each.name == Policy.untaggedCaptureName) == isCapture }
                    let half = isCapture ? policy.untaggedCapture ?? Policy.listener : policy.untagged
                    return policy.pairing != nil && each == half
                }
            }
            if has(true), has(false) { all.append(call) }
        }
        func strength(_ each: SessionDescription) -> [Int] {
            let place = policy.ranks[each.name] ?? policy.ranks.count
            let mixing = !Pairs.mixes(each) ? 2 : Pairs.ducks(each) ? 1 : 0
            return [each.category == .uiSound ? 0 : 1, Int(each.priority.rawValue), mixing, -place]
        }
        return all.max { strength($0).lexicographicallyPrecedes(strength($1)) }
    }
}

extension Step {
    /// The session from which the only wanted stream, which runs or is silenced, moves, and the one to which it does, if that
    /// is the same and has none; `nil` if the event is no such move.
    fileprivate var successor: (old: Session, target: Session)? {
        guard case .streamMoved(let id, _) = event, isOne, let former = before.record.stream(id),
            let stream = after.record.stream(id), former.session != stream.session, before.record.isWanted(former),
            let old = before.session(former.session), before.wanted(old).count == 1, !before.isSaid(old),
            let target = after.session(stream.session), !after.isSaid(target), target.description == old.description,
            stream.isRunning || old.silencer != nil, !Pairs.goesOnElsewhere(target.description),
            !after.record.opened.contains(where: \.isSystem),
            before.session(target.number).map({ $0.state == .inactive && before.wanted($0).isEmpty }) ?? true
        else { return nil }
        return (old, target)
    }
}

extension Scene {
    /// The configuration of an opened session.
    func configuration(of session: Session) -> SessionConfiguration? {
        session.reference.id.flatMap { engine.configuration(of: $0) }
    }
}
