import PolicyEngine
import RandomEvents

/// What holds of outputs and inputs that go and come back.
extension Property {
    static let ofRoutes = [
        Property(
            "lost-is-silent", "R64 N25",
            "Playback on an output that goes is silent at once, except for calls and the like."
        ) {
            step in
            guard case .outputLost(let port, _, let streams) = step.event, !step.after.isSuspended, !step.isLate,
                step.after.policy.routes.resumesWithin > .zero
            else { return nil }
            return streams.firstFlaw { id in
                guard let stream = step.after.record.stream(id), let before = step.before.session(stream.session),
                    let after = step.after.session(before.number)
                else { return nil }
                let choice = step.after.configuration(of: after)?.interruptionOnRouteDisconnect
                let stops =
                    (choice ?? step.after.policy.routes.pausesPlayback) && !Pairs.goesOnElsewhere(before.description)
                    && stream.direction == .playback && !stream.isInterfaceSound && step.before.asks(before)
                    && step.after.record.isWanted(stream) && step.before.lack(stream, before) == nil
                if before.silencer == nil, stops {
                    let isSilent = after.silencer?.cause == .output(port) || step.after.isInterrupted(after)
                    return isSilent && stream.treatment.silence != .none ? nil : "\(id): \(stream.treatment)"
                }
                let isOther = Pairs.goesOnElsewhere(before.description) || stream.direction == .capture
                let isAlone = step.before.streams(of: before).count == 1
                return isOther && isAlone && after.silencer?.cause == .output(port) && before.silencer != after.silencer
                    ? "\(id) waits" : nil
            }
        },
        Property(
            "waits-for-output", "R64 R35",
            "A session that has lost its output waits until it is back, its user acts, or its time is over."
        ) {
            step in
            step.lasting.firstFlaw { before, after in
                guard let port = step.before.lostPort(before), after.silencer == nil, !step.after.isSuspended,
                    !step.before.isSuspended, before.ends.map({ $0 > step.now }) ?? true,
                    !Pairs.goesOnElsewhere(after.description)
                else { return nil }
                switch step.event {
                case .outputReturned(port, let streams):
                    return streams.contains { step.after.record.stream($0)?.session == after.key }
                        ? nil : "\(port.name)"
                case .streamMoved, .sessionClosed, .policyChanged, .streamLeftAlone, .sessionRequested: return nil
                case .streamFreed(_, by: .free), .streamFreed(_, by: .play):
                    return step.subjects.contains(after.key) ? nil : "\(after.reference.label)"
                default: return step.after.asks(after) ? "\(after.reference.label) goes on" : nil
                }
            }
        },
        Property(
            "waits-so-long", "R64",
            "The wait for an output keeps its end while no other session silences the one that waits."
        ) {
            step in
            if step.isLate { return nil }
            return step.lasting.firstFlaw { before, after in
                guard let port = step.after.lostPort(after), step.before.lostPort(before) == port, !step.event.isMove,
                    after.state == before.state
                else { return nil }
                if case .outputLost = step.event { return nil }
                return after.ends == before.ends
                    || step.before.record.told(after.key) != step.after.record.told(after.key)
                    ? nil : "\(after.reference.label): \(after.ends as Any)"
            }
        },
        Property("lost-from-now", "R64", "A session waits for a lost output for the policy's time from the loss.") {
            step in
            guard case .outputLost(let port, _, _) = step.event, !step.isLate else { return nil }
            return step.lasting.firstFlaw { before, after in
                guard before.silencer == nil, after.silencer?.cause == .output(port), after.state == .interrupted else {
                    return nil
                }
                let end = step.now.advanced(by: step.after.policy.routes.resumesWithin)
                return after.ends.map { $0 <= end } ?? false
                    && (after.ends == end || step.after.record.told(after.key).resumesUntil != nil)
                    ? nil : "\(after.reference.label): \(after.ends as Any)"
            }
        },
        Property(
            "missed", "R64",
            "A session whose output is not back in time is silent until its application or user starts it."
        ) {
            step in
            if step.event.isMove || step.before.isSuspended || step.after.isSuspended { return nil }
            return step.lasting.firstFlaw { before, after in
                guard step.before.lostPort(before) != nil, before.ends.map({ $0 <= step.now }) ?? false,
                    step.after.asks(after), !step.subjects.contains(after.key), after.description == before.description,
                    !(step.after.opened(after)?.isDriven ?? false)
                else { return nil }
                return after.silencer == nil ? "\(after.reference.label) goes on" : nil
            }
        },
        Property("not-missed", "R64", "A session does not give up a lost output while another session silences it.") {
            step in
            if step.event.isMove || step.before.isSuspended || step.after.isSuspended { return nil }
            return step.lasting.firstFlaw { before, after in
                guard step.before.isInterrupted(before), step.after.isStopped(after),
                    case .output? = after.silencer?.cause, !step.subjects.contains(before.key)
                else { return nil }
                return "\(after.reference.label) stays"
            }
        },
        Property("returned", "R64", "A session does not wait for an output that is back and where it is heard.") {
            step in
            guard case .outputReturned(let port, let streams) = step.event else { return nil }
            return streams.firstFlaw { id in
                guard let key = step.after.record.stream(id)?.session, let session = step.after.session(key) else {
                    return nil
                }
                return step.after.lostPort(session) == port && !step.after.isSuspended ? "\(id) waits" : nil
            }
        },
        Property(
            "recording-stops", "R64 N7",
            "A recording that is no call stops at those changes of the route that the policy names."
        ) {
            step in
            guard case .routeChanged(let reason) = step.event, !step.isLate, !step.after.isSuspended else { return nil }
            let rule = step.after.policy.routes.stopsRecording
            let isLoss = reason == .oldDeviceUnavailable || reason == .noSuitableRouteForCategory
            let stops = isLoss && rule != .never || reason == .newDeviceAvailable && rule == .anyChange
            return step.lasting.firstFlaw { before, after in
                let isRecording =
                    before.description.category == .record
                    || step.before.wanted(before).contains {
                        $0.direction == .capture && step.before.lack($0, before) == nil
                    }
                let cause = step.before.cause(of: before)
                let isActive = cause == nil ? before.state == .active : step.before.record.begun.contains(before.number)
                guard before.silencer == nil || cause != nil, isActive, !Pairs.goesOnElsewhere(before.description),
                    before.description.category != .audioProcessing
                else { return nil }
                // Only another recording may silence what is stopped.
                let isAlone = cause.map { $0.description.category == .record } ?? true
                let isStopped = after.silencer?.cause == .route
                // It may also wait for an output that it has lost meanwhile.
                if cause != nil, !isStopped, step.before.record.hasLostOutput { return nil }
                return isStopped == (stops && isRecording && isAlone && step.before.asks(before))
                    ? nil : "\(after.reference.label)"
            }
        },
        Property(
            "muted-input", "N7", "A muted input silences only opened recordings whose inputs are all muted."
        ) {
            step in
            step.after.sessions.firstFlaw { session in
                guard case .input(let port) = session.silencer?.cause else { return nil }
                guard let opened = step.after.opened(session), !opened.isSystem else { return session.reference.label }
                if case .inputGone(port) = step.event { return "\(port.name) has gone" }
                if case .inputMuted(port, false, _, _) = step.event { return "\(port.name) is not muted" }
                return nil
            }
        },
        Property("muted-stops", "N7", "An opened recording stops when its user mutes its input.") { step in
            guard case .inputMuted(let port, true, _, let streams) = step.event, !step.isLate, !step.after.isSuspended
            else { return nil }
            return step.lasting.firstFlaw { before, after in
                let captures = step.after.streams(of: after).filter { $0.direction == .capture }
                guard let opened = step.before.opened(before), !opened.isSystem, before.state == .active,
                    before.silencer == nil, before.description.category == .record,
                    captures.allSatisfy(\.isInputMuted), !Pairs.isPhone(before.description),
                    captures.contains(where: {
                        streams.contains($0.id) && $0.isRunning
                            && step.before.record.stream($0.id)?.isInputMuted == false
                    })
                else { return nil }
                return after.silencer?.cause == .input(port) || step.after.isInterrupted(after)
                    ? nil : "\(after.reference.label)"
            }
        },
        Property(
            "unmuted-goes-on", "N7", "An opened recording goes on when its user unmutes the input for which it waits."
        ) {
            step in
            guard case .inputMuted(let port, false, _, _) = step.event, !step.isLate, !step.after.isSuspended else {
                return nil
            }
            return step.lasting.firstFlaw { before, after in
                guard before.silencer?.cause == .input(port), step.after.asks(after) else { return nil }
                return after.silencer == nil || step.after.isInterrupted(after)
                    || after.silencer?.cause != .input(port)
                        && after.silencer?.cause != .route
                    ? nil : "\(after.reference.label)"
            }
        },
        Property(
            "override-ends", "R41",
            "A change of the route that no session has asked for ends every override, and so does a new output that is used."
        ) { step in
            switch step.event {
            case .routeChanged(.override), .routeChanged(.categoryChange): return nil
            case .routeChanged, .newOutputUsed: break
            default: return nil
            }
            return step.after.sessions.first {
                step.after.configuration(of: $0)?.outputOverride == .speaker
            }.map(\.reference.label)
        },
    ]
}
