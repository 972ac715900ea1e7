import PolicyEngine
import RandomEvents

/// What holds of two sessions at a time: who is heard beside whom, and whose claim is the stronger one.
extension Property {
    static let ofPairs = [
        Property(
            "heard-together", "R28 R36 R21 R22 N1 N2",
            "No session is heard, or asks unsilenced, beside a heard one that silences it."
        ) { step in
            let heard = step.after.sessions.filter { step.after.isHeard($0) }
            let free = step.after.sessions.filter { session in
                session.silencer == nil && step.after.asks(session) && !session.streams.isEmpty
                    && !step.after.isSuspended
            }
            return heard.firstFlaw { actor in
                (heard + free).firstFlaw { other in
                    step.after.silences(actor, other) == true
                        ? "\(actor.reference.label) and \(other.reference.label)" : nil
                }
            }
        },
        Property("call-untouched", "R36", "Nothing silences or lowers a call.") { step in
            let allowed: [Reason] = [.none, .level, .inactive, .noDevice, .noInput, .noOutput, .handover]
            return step.after.sessions.firstFlaw { session in
                guard Pairs.isPhone(session.description) else { return nil }
                if session.silencer != nil { return "\(session.reference.label) is silenced" }
                return step.after.streams(of: session).firstFlaw { stream in
                    let isOwn = stream.isInterfaceSound || allowed.contains(stream.treatment.reason)
                    return isOwn ? nil : "\(stream.id): \(stream.treatment.reason)"
                }
            }
        },
        Property(
            "interface-sounds", "R13 R22",
            "A sound of the interface is only muted, never stopped, and silences no session."
        ) {
            step in
            for (_, cause) in step.after.victims where step.after.policy.interplay.rules.isEmpty {
                if cause.description.category == .uiSound { return "\(cause.reference.label) silences" }
            }
            return step.after.record.streams.firstFlaw { stream in
                guard stream.isInterfaceSound, stream.treatment.silence != .none else { return nil }
                let isStopped = stream.treatment.silence != .mute && stream.treatment.reason != .handover
                let isHeld = [.superseded, .rejected, .routeDisconnected, .inputMuted, .inactive]
                    .contains(stream.treatment.reason)
                return isStopped || isHeld ? "\(stream.id): \(stream.treatment)" : nil
            }
        },
        Property(
            "order-of-claims", "R36 R21", "Claims are ordered by priority; at the same priority, recordings come first."
        ) { step in
            zip(step.after.sessions, step.after.sessions.dropFirst()).firstFlaw { one, other in
                step.after.weight(one) < step.after.weight(other) ? "\(other.reference.label) comes later" : nil
            }
        },
        Property(
            "later-first", "R10 N17",
            "The later request comes first among equal claims, and only a request changes their order."
        ) {
            step in
            if step.event.isMove { return nil }
            let lasting = step.lasting
            return lasting.firstFlaw { one in
                lasting.firstFlaw { other in
                    let weights = [one.before, other.before].map { step.before.weight($0) }
                    guard weights == [one.after, other.after].map({ step.after.weight($0) }), weights[0] == weights[1],
                        step.before.isAbove(one.before, other.before), !step.after.isAbove(one.after, other.after)
                    else { return nil }
                    return step.subjects.contains(other.after.key) ? nil : "\(other.after.reference.label) is above"
                }
            }
        },
        Property(
            "activation-counts", "R9 R10 R11", "A session that is activated, or begins to ask, has the latest request."
        ) {
            step in
            let keys = step.requesters
            return step.after.sessions.firstFlaw { session in
                guard keys.contains(session.key) else { return nil }
                return step.after.sessions.firstFlaw { other in
                    guard step.after.weight(other) == step.after.weight(session), !step.subjects.contains(other.key),
                        step.after.isAbove(other, session)
                    else { return nil }
                    return "\(other.reference.label) is above \(session.reference.label)"
                }
            }
        },
        Property(
            "lowered", "R45 N10",
            "A lowered session is lowered once, by the heard session that asks for the lowest level."
        ) {
            step in
            step.after.record.streams.firstFlaw { stream in
                guard let session = step.after.session(stream.session), stream.direction == .playback,
                    stream.treatment.silence == .none, !step.after.isSuspended,
                    let duckers = step.after.duckers(of: session)
                else { return nil }
                let gains = duckers.map { Pairs.gain($0.description, on: session.description, step.after.policy) }
                let lowest = gains.min()
                let gain = LinearGain(stream.description.level.linear.value * (lowest?.value ?? 1))
                if stream.treatment.gain != gain { return "\(stream.id): \(stream.treatment.gain.value)" }
                let number = stream.treatment.cause?.session?.rawValue
                let isOne = lowest.map { low in
                    zip(duckers, gains).contains { $0.number == number && $1 == low }
                }
                return isOne ?? (number == nil) ? nil : "\(stream.id): \(stream.treatment.cause as Any)"
            }
        },
        Property("same-ducker", "N10", "The present one of two sessions that ask for the same level goes on lowering.")
        {
            step in
            step.treated.firstFlaw { stream, treatment, _, _ in
                guard let former = step.before.record.stream(stream.id)?.treatment, former.reason == .ducked,
                    treatment.reason == .ducked, former.cause != treatment.cause,
                    let number = former.cause?.session?.rawValue, let ducker = step.after.session(number),
                    let session = step.after.session(stream.session), step.before.isHeard(ducker),
                    let duckers = step.after.duckers(of: session),
                    step.before.record.stream(stream.id)?.session == stream.session,
                    step.before.session(number)?.description == ducker.description,
                    step.before.session(session.number)?.description == session.description, step.isOne
                else { return nil }
                let gains = duckers.map { Pairs.gain($0.description, on: session.description, step.after.policy) }
                return zip(duckers, gains).contains { $0.number == number && $1 == gains.min() } ? "\(stream.id)" : nil
            }
        },
    ]
}

extension Scene {
    /// The sessions that lower another one; `nil` where that is not clear. If two would lower each other, only the weaker
    /// one is lowered.
    func duckers(of session: Session) -> [Session]? {
        var result: [Session] = []
        for actor in sessions where actor.number != session.number && isHeard(actor) {
            guard let kind = effect(actor, session) else { return nil }
            if kind != .duck { continue }
            let lowersBack = [false, true].contains {
                Pairs.kind(session.description, on: actor.description, isNewcomer: $0, policy) == .duck
            }
            if !lowersBack || isAbove(actor, session) { result.append(actor) }
        }
        return result
    }
}

extension Step {
    /// The sessions that surely ask anew in this event: whose activation was done or granted, or whose first stream is wanted
    /// now.
    var requesters: [SessionKey] {
        var result: [SessionKey] = []
        for effect in effects {
            if case .activationGranted(let id) = effect { result = [.opened(id)] }
        }
        if !result.isEmpty { return result }
        if case .sessionRequested(let id, .activate) = event, effects.contains(.answered(id, .done)),
            let session = before.session(.opened(id)), before.opened(session)?.isActivated == false
        {
            return [.opened(id)]
        }
        if case .streamWanted(let id, true) = event, let stream = after.record.stream(id),
            let session = before.session(stream.session), !before.asks(session), !stream.isInterfaceSound,
            let present = after.session(stream.session), after.asks(present), !after.isStopped(present),
            before.opened(session)?.isDriven != true, present.silencer == nil || after.policy.interplay.rules.isEmpty
        {
            return [stream.session]
        }
        return []
    }
}
