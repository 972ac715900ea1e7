import PolicyEngine
import RandomEvents

/// What holds of what is done to streams.
extension Property {
    static let ofTreatments = [
        Property(
            "sound-treatment", "R26 N10 N23",
            "A silent or changed stream has a reason and a cause, and any other stream has neither."
        ) {
            step in
            step.after.record.streams.firstFlaw { stream in
                let treatment = stream.treatment
                let isHeard = [.none, .ducked, .level].contains(treatment.reason)
                let isFit =
                    isHeard == (treatment.silence == .none) && (treatment.cause == nil) == (treatment == .untouched)
                    && (treatment.reason == .none) == (treatment == .untouched)
                    && (treatment.gain == .unity || treatment.reason == .ducked || treatment.reason == .level)
                return isFit ? nil : "\(stream.id): \(treatment)"
            }
        },
        Property("suspended", "N16", "A suspended policy does nothing to any stream.") { step in
            guard step.after.isSuspended else { return nil }
            if let stream = step.after.record.streams.first(where: { $0.treatment != .untouched }) {
                return "\(stream.id)"
            }
            return step.after.sessions.first { $0.silencer != nil }.map { "\($0.reference.label) is silenced" }
        },
        Property(
            "useless", "R15 R16 R17 R18 R20 R23", "A stream for which its session's category has no use is silent."
        ) {
            step in
            step.eachStream { stream, session in
                let lack = step.after.lack(stream, session)
                let lacks: [Reason] = [.noDevice, .noInput, .noOutput]
                if let lack { return stream.treatment.reason == lack && stream.treatment.silence == .cork }
                return !lacks.contains(stream.treatment.reason)
            }
        },
        Property("silenced-together", "N17 R26", "All sound of a silenced session is silent, for the session's cause.")
        {
            step in
            step.eachStream { stream, session in
                guard let silencer = session.silencer, step.after.lack(stream, session) == nil, !stream.isInterfaceSound
                else { return true }
                return stream.treatment.silence != .none && stream.treatment.cause == silencer.cause
                    && Reason.ofSilencers(silencer.cause).contains(stream.treatment.reason)
            }
        },
        Property(
            "unsilenced", "N17", "A stream is silent for another session only while that session silences its own."
        ) { step in
            step.eachStream { stream, session in
                let others: [Reason] = [.interrupted, .superseded, .rejected, .routeDisconnected, .inputMuted]
                return session.silencer != nil || !others.contains(stream.treatment.reason)
            }
        },
        Property(
            "silenced-how", "R13 R22 N15", "A stream is silenced in the way of its cause, or in a stronger way."
        ) { step in
            step.eachStream { stream, session in
                guard stream.treatment.reason == .interrupted, !stream.isInterfaceSound,
                    let cause = step.after.cause(of: session), let kind = step.after.effect(cause, session)
                else { return true }
                func hasOther(_ kind: Interplay.Kind) -> Bool? {
                    step.after.hasOther(than: cause, over: session, kind)
                }
                switch stream.treatment.silence {
                case .none: return false
                // Nobody else stops it.
                case .mute: return kind == .mute && ![.cork, .pausePlayer].contains { hasOther($0) ?? false }
                case .cork: return kind == .cork || kind == .mute && hasOther(.cork) ?? true
                case .pausePlayer: return kind == .pausePlayer || kind == .mute && hasOther(.pausePlayer) ?? true
                }
            }
        },
        Property(
            "inactive", "R26 R34",
            "A session that its application drives and has not activated is silent, also when nothing silences it."
        ) { step in
            step.eachStream { stream, session in
                guard step.after.lack(stream, session) == nil, !stream.isInterfaceSound else {
                    return stream.treatment.reason != .inactive
                }
                let opened = step.after.opened(session)
                let isInactive = opened.map { $0.isDriven && !$0.isActivated } ?? false
                return (stream.treatment.reason == .inactive) == (isInactive && session.silencer == nil)
            }
        },
        Property(
            "switched-off", "N16 R15 R16 R36", "A switch silences the streams that it concerns, and no others."
        ) {
            step in
            step.eachStream { stream, session in
                let switches: [Reason] = [.silentSwitch, .screenLock, .doNotDisturb]
                let found = switches.contains(stream.treatment.reason) ? stream.treatment.reason : nil
                guard let expected = step.after.switchedOff(stream, session) else { return found == nil }
                if found != nil { return found == expected && stream.treatment.silence == .mute }
                let others: [Reason] = [.interrupted, .superseded, .rejected, .routeDisconnected, .inputMuted]
                let earlier: [Reason] = others + [.noDevice, .noInput, .noOutput, .inactive]
                return earlier.contains(stream.treatment.reason) || step.after.record.freed.contains(session.key)
            }
        },
        Property(
            "waits-for-silence", "R37",
            "A stream that waits for others to fall silent is silent, and no other stream is silent for that."
        ) {
            step in
            step.eachStream { stream, session in
                let isWaiting = session.state == .holding && session.silencer == nil
                if stream.treatment.reason == .handover {
                    return (isWaiting || session.state == .delayed) && stream.treatment.silence == .cork
                }
                return !isWaiting || stream.treatment.silence != .none
            }
        },
        Property(
            "waits-for-somebody", "R37",
            "A session waits for others to fall silent only while others are to fall silent."
        ) {
            step in
            guard step.after.sessions.contains(where: { $0.state == .holding }) else { return nil }
            return step.after.isAnybodyFading ? nil : "nobody can be heard who should be silent"
        },
        Property("fading", "R37", "The engine knows whether any stream can be heard that should be silent.") { step in
            step.after.engine.isFading == step.after.isAnybodyFading ? nil : "\(step.after.engine.isFading)"
        },
        Property("refused", "R23", "A stream is told that it gets no device when that becomes so, or when it starts.") {
            step in
            if !step.isOne { return nil }
            let refused = step.effects.compactMap { effect -> StreamID? in
                if case .streamRefused(let id) = effect { id } else { nil }
            }
            return (step.after.record.streams.map(\.id) + refused).firstFlaw { id in
                guard let stream = step.after.record.stream(id) else { return "\(id) is not there" }
                let isNew = step.treated.contains { $0.stream.id == id && $0.treatment.reason == .noDevice }
                let former = step.before.record.stream(id)
                let isStart =
                    step.event == .streamWanted(id, true) && former?.isPlayed == false
                    && step.after.record.isWanted(stream)
                    && stream.treatment.reason == .noDevice
                let expected = (isNew ? 1 : 0) + (isStart ? 1 : 0)
                let count = refused.count { $0 == id }
                return count == expected || count == 1 && expected == 2 ? nil : "\(id) \(count) times"
            }
        },
    ]
}

extension Reason {
    /// The reasons that a cause can have.
    fileprivate static func ofSilencers(_ cause: Cause) -> [Reason] {
        switch cause {
        case .session, .system: [.interrupted, .superseded, .rejected]
        case .output: [.routeDisconnected, .superseded]
        case .input: [.inputMuted]
        case .route: [.routeDisconnected]
        case .policy: []
        }
    }
}

extension Step {
    /// Looks at each stream and its session, while the policy is in force.
    fileprivate func eachStream(_ isFit: (Record.Stream, Session) -> Bool) -> String? {
        if after.isSuspended { return nil }
        return after.record.streams.firstFlaw { stream in
            guard let session = after.session(stream.session) else { return "\(stream.id) has no session" }
            return isFit(stream, session) ? nil : "\(stream.id) of \(session.reference.label): \(stream.treatment)"
        }
    }
}

extension Scene {
    /// The switch that silences a stream; `nil` for none. A sound of the interface counts by itself (R13).
    func switchedOff(_ stream: Record.Stream, _ session: Session) -> Reason? {
        let description = stream.isInterfaceSound ? stream.description : session.description
        if Pairs.overridesMixing(description) || stream.direction == .capture { return nil }
        let table: [(Bool, Set<PolicyEngine.Category>, Reason)] = [
            (record.switches[.silent], policy.switches[.silent], .silentSwitch),
            (record.switches[.doNotDisturb], policy.switches[.doNotDisturb], .doNotDisturb),
            (record.switches[.locked], policy.switches[.locked], .screenLock),
        ]
        return table.first { $0.0 && $0.1.contains(description.category) }?.2
    }

    /// Whether another heard session silences a session in a certain way; `nil` where that is not clear.
    func hasOther(than cause: Session, over session: Session, _ kind: Interplay.Kind) -> Bool? {
        let others = sessions.filter { other in
            other.number != cause.number && isHeard(other) && silences(other, session) ?? true
        }
        let kinds = others.map { effect($0, session) }
        return kinds.contains(kind) ? true : kinds.contains(nil) ? nil : false
    }

    /// Whether any stream can be heard that should be silent because of another session, an output or an input.
    var isAnybodyFading: Bool { !isSuspended && sessions.contains { $0.silencer != nil && isAudible($0) } }
}
