import PolicyEngine
import RandomEvents

/// What holds of the times of fades, and of waits.
extension Property {
    static let ofTimes = [
        Property(
            "unheard-at-once", "R37 N10", "A stream that has not run yet, or would sound the same, changes at once."
        ) {
            step in
            if !step.isOne { return nil }
            return step.treated.firstFlaw { stream, treatment, within, _ in
                guard let former = step.before.record.stream(stream.id) else { return nil }
                let isSame = former.treatment.soundsLike(treatment)
                return !stream.hasRun || isSame ? (within == .zero ? nil : "\(stream.id): \(within)") : nil
            }
        },
        Property(
            "lost-at-once", "R64 N7", "A stream that has lost its output or input, or that waits, is silent at once."
        ) { step in
            step.treated.firstFlaw { stream, treatment, within, _ in
                let isAtOnce = [.routeDisconnected, .inputMuted, .handover].contains(treatment.reason)
                return isAtOnce && within > .zero ? "\(stream.id): \(within)" : nil
            }
        },
        Property(
            "fades-out", "R37",
            "A silenced stream fades out as the session that silences it says; at once if it does not run."
        ) {
            step in
            step.treated.firstFlaw { stream, treatment, within, _ in
                guard let former = step.before.record.stream(stream.id), former.treatment.silence == .none,
                    treatment.silence != .none, stream.hasRun
                else { return nil }
                if !stream.isRunning { return within == .zero ? nil : "\(stream.id): \(within)" }
                guard treatment.reason == .interrupted, let actor = stream.actor?.description else { return nil }
                return within == actor.fade ? nil : "\(stream.id): \(within), not \(actor.fade)"
            }
        },
        Property("fades-in", "R37", "A stream that is heard again fades in as the session that had silenced it said.") {
            step in
            if !step.isOne { return nil }
            return step.treated.firstFlaw { stream, treatment, within, after in
                guard let former = step.before.record.stream(stream.id), former.treatment.silence != .none,
                    treatment.silence == .none, stream.hasRun
                else { return nil }
                if after > .zero { return "\(stream.id) waits for \(after)" }
                let isHeard = stream.isRunning || step.after.record.isWanted(stream)
                if !isHeard || former.treatment.reason == .handover { return within == .zero ? nil : "\(within)" }
                guard former.treatment.reason == .interrupted, let actor = former.actor?.description, step.isPlain
                else {
                    return nil
                }
                return within == actor.fade ? nil : "\(stream.id): \(within), not \(actor.fade)"
            }
        },
        Property(
            "lowers-in-time", "N10 R45",
            "A stream goes down and up again in the times of the session that lowers it."
        ) {
            step in
            step.treated.firstFlaw { stream, treatment, within, after in
                guard let former = step.before.record.stream(stream.id), stream.isRunning, stream.hasRun, step.isPlain,
                    former.treatment.silence == .none, treatment.silence == .none,
                    former.treatment.gain != treatment.gain, former.session == stream.session
                else { return nil }
                if treatment.gain < former.treatment.gain {
                    guard let actor = stream.actor?.description else { return nil }
                    return within == actor.ducking.attack && after == .zero ? nil : "\(stream.id): \(within), \(after)"
                }
                guard former.treatment.reason == .ducked, let actor = former.actor?.description else { return nil }
                let wait = max(actor.ducking.hold - actor.releaseDelay, .zero)
                return within == actor.ducking.release && after == wait ? nil : "\(stream.id): \(within), \(after)"
            }
        },
        Property("release-delay", "R2", "A session outlives its last stream by its release delay, and no longer.") {
            step in
            step.eachOfStreams { before, after in
                guard before.silencer == nil, after.silencer == nil, !step.after.asks(after), after.state != .delayed,
                    before.description.releaseDelay > .zero, !step.event.isRequest
                else { return nil }
                let end = step.now.advanced(by: before.description.releaseDelay)
                switch before.state {
                case .active, .starting:
                    return after.state == .releasing && after.ends == end ? nil : "\(after.state), \(after.ends as Any)"
                case .releasing:
                    return after.state == .inactive || after.ends == before.ends ? nil : "\(after.ends as Any)"
                case .inactive, .holding, .interrupted: return after.state == .inactive ? nil : "\(after.state)"
                case .delayed: return nil
                }
            }
        },
        Property("start-limit", "R2 R37", "A session that may run begins within two seconds, or becomes inactive.") {
            step in
            step.eachOfStreams { before, after in
                // Of a session whose activation waits, it is not shown whether it starts.
                guard after.state == .starting, before.state != .delayed else { return nil }
                let isNew = before.state != .starting
                let end = isNew ? step.now.advanced(by: Engine.startLimit) : before.ends
                return after.ends == end && Engine.startLimit == .seconds(2) ? nil : "\(after.ends as Any)"
            }
        },
        Property(
            "handover-limit", "R37",
            "A session waits for others to fall silent at most two seconds beyond its fade."
        ) {
            step in
            step.eachOfStreams { before, after in
                guard after.state == .holding, before.state != .delayed else { return nil }
                let limit = Duration.seconds(2) + after.description.fade
                let end = before.state == .holding ? before.ends : step.now.advanced(by: limit)
                return after.ends == end ? nil : "\(after.ends as Any)"
            }
        },
    ]
}

extension Step {
    /// Whether only the descriptions of sessions say how long something takes, and those are what they were.
    fileprivate var isPlain: Bool {
        isOne && !after.record.isOtherPolicy
    }

    /// Looks at each session that its streams drive and that has not moved, while the policy is in force.
    fileprivate func eachOfStreams(_ flaw: (Session, Session) -> String?) -> String? {
        if after.isSuspended || before.isSuspended || event.isMove || !isOne { return nil }
        return lasting.firstFlaw { before, after in
            if self.after.opened(after)?.isDriven ?? false { return nil }
            return flaw(before, after).map { "\(after.reference.label): \($0)" }
        }
    }
}
