import PolicyEngine
import RandomEvents

/// What holds of what users want to hear.
extension Property {
    static let ofUsers = [
        Property(
            "freed", "N19",
            "A stream that its user frees is heard at once, at its own level, beside those that silenced or lowered it."
        ) {
            step in
            guard case .streamFreed(let id, by: .free) = step.event, !step.after.isSuspended, step.isOne,
                let stream = step.after.record.stream(id), step.after.record.isWanted(stream),
                let session = step.after.session(stream.session), !(step.after.opened(session)?.isDriven ?? false),
                step.before.session(session.number).map({ step.before.lack(stream, $0) }) == .some(nil)
            else { return nil }
            let isHeard: [Reason] = [.none, .level, .handover]
            return isHeard.contains(stream.treatment.reason) ? nil : "\(id): \(stream.treatment)"
        },
        Property(
            "freed-by-policy", "N19", "A user who acts on a silenced stream hears it at once, where the policy says so."
        ) { step in
            guard case .streamFreed(let id, let action) = step.event, !step.after.isSuspended, step.isOne,
                action != .free, step.says(action) == .beside,
                let stream = step.after.record.stream(id), step.after.record.isWanted(stream),
                let session = step.before.session(stream.session), stream.direction == .playback,
                step.before.lack(stream, session) == nil, step.before.isInterrupted(session)
            else { return nil }
            return stream.treatment.reason == .interrupted ? "\(id): \(stream.treatment)" : nil
        },
        Property(
            "unmuted", "N19 N24", "A user who unmutes a silenced stream hears it at once, where the policy says so."
        ) {
            step in
            guard case .streamMuted(let id, false) = step.event, step.before.record.stream(id)?.isMuted == true,
                step.after.policy.user.unmute == .beside, !step.after.isSuspended, !step.isLate,
                let stream = step.after.record.stream(id), step.after.record.isWanted(stream),
                stream.direction == .playback
            else { return nil }
            return stream.treatment.reason == .interrupted ? "\(id): \(stream.treatment)" : nil
        },
        Property("waits-as-said", "N19", "A user's action changes nothing, where the policy has users wait.") { step in
            // R64: who plays what has lost its output hears it in any case.
            guard case .streamFreed(_, let action) = step.event, action != .play, step.says(action) == .wait, step.isOne
            else { return nil }
            return step.effects.firstFlaw(Property.other)
        },
        Property(
            "beside", "N19",
            "A session heard beside another one at its user's wish is neither silenced nor lowered by that one."
        ) {
            step in
            step.after.sessions.firstFlaw { session in
                session.streams.isEmpty
                    ? nil
                    : step.after.besides(session).firstFlaw { number in
                        if step.after.isInterrupted(session), session.silencerNumber == number {
                            return "silenced by \(number)"
                        }
                        let isLowered = step.after.streams(of: session).contains {
                            $0.treatment.reason == .ducked && $0.treatment.cause?.session?.rawValue == number
                        }
                        return isLowered ? "lowered by \(number)" : nil
                    }
            }
        },
        Property(
            "beside-moves", "N19 R79",
            "A session heard beside another one is heard beside that one's successor, too."
        ) {
            step in
            guard case .streamMoved(let id, _) = step.event, step.isOne, let former = step.before.record.stream(id),
                let old = step.before.session(former.session), let key = step.after.record.stream(id)?.session,
                let target = step.after.session(key), target.number != old.number, step.before.record.isWanted(former),
                step.before.wanted(old).count == 1, !(step.before.opened(old)?.isActivated ?? false),
                !(step.before.opened(target)?.isDriven ?? false), step.after.wanted(target).count == 1
            else { return nil }
            return step.lasting.firstFlaw { before, after in
                guard !after.streams.isEmpty, !before.streams.isEmpty, after.number != target.number,
                    after.number != old.number, step.before.besides(before).contains(old.number),
                    step.after.isHeard(target)
                else { return nil }
                return step.after.besides(after).contains(target.number) ? nil : "\(after.reference.label)"
            }
        },
        Property(
            "beside-until-end", "N19", "A user's wish ends with the sessions beside which it is heard, and not before."
        ) {
            step in
            step.after.sessions.firstFlaw { session in
                let besides = session.streams.isEmpty ? [] : step.after.besides(session)
                if let gone = besides.first(where: { step.after.session($0) == nil }) { return "\(gone) has ended" }
                for number in besides where step.isOne {
                    guard let other = step.after.session(number), !step.after.asks(other), other.state == .inactive,
                        !step.after.record.told(other.key).isInterrupted,
                        step.after.record.told(other.key).resumesUntil == nil
                    else { continue }
                    return "\(other.reference.label) has ended"
                }
                guard let former = step.before.session(session.number), !step.event.isMove, step.isOne else {
                    return nil
                }
                return step.before.besides(former).firstFlaw { number in
                    guard let other = step.after.session(number), step.after.isHeard(other),
                        !step.after.streams(of: session).isEmpty
                    else { return nil }
                    return besides.contains(number) ? nil : "\(other.reference.label) is still heard"
                }
            }
        },
        Property("user-acts-alone", "N19", "A session that was not freed is not heard at a user's wish.") { step in
            if step.event.isMove { return nil }
            return step.lasting.firstFlaw { before, after in
                let isNew = !Set(step.after.besides(after)).isSubset(of: step.before.besides(before))
                if before.streams.isEmpty || !isNew { return nil }
                switch step.event {
                case .streamFreed, .streamMuted(_, false):
                    return step.subjects.contains(after.key) ? nil : "\(after.key)"
                default: return "\(after.key)"
                }
            }
        },
    ]
}

extension Step {
    /// What the policy says of what a user does.
    fileprivate func says(_ action: UserAction) -> UserSay {
        switch action {
        case .play: after.policy.user.play
        case .unmute: after.policy.user.unmute
        case .raise: after.policy.user.raise
        case .free: .beside
        }
    }
}
