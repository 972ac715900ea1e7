/// The pure heart: events in, effects out.
///
/// The engine keeps facts, derives the verdict from them, and returns the difference between two verdicts as effects. It
/// has no clock, does no input or output, and is total: there is no event, in no order, that it cannot take.
public struct Engine: Sendable {
    /// The policy in force, and the descriptions in use.
    var catalogue: Catalogue
    var facts = Facts()
    /// What is decided about each session, by session slot.
    var verdicts: [SessionVerdict] = []
    /// What each stream was last told, by stream slot.
    var applied: [Applied] = []
    /// What the treatments of each session's streams were derived from last, by session slot.
    var presented: [Presentation] = []
    /// The sessions that are heard and do something to others, the strongest claim first.
    var heardActors: [Actor] = []
    /// Somebody is lowered.
    var isLowering = false
    /// Sessions that wait until others are silent.
    var holders: [Int] = []
    /// How many streams can be heard that are to be silent.
    var fading: Int32 = 0
    /// When the first phase or pause ends by itself, and the wake that was asked for.
    var nextEnd: Instant?
    var requestedWake: Instant?
    /// What applications have said of the sessions that they have opened, by session slot.
    var configurations: [Int: SessionConfiguration] = [:]
    /// The applications that have begun interruptions of the system, by session slot.
    var beginners: [Int: ApplicationID] = [:]
    /// The sessions that wait to be activated, first come first (N9).
    var waiting: [Int] = []
    /// What was shown last of the sessions that were opened, by session slot.
    var shown: [Int: SessionState] = [:]
    /// Who told sessions to stay silent, or did not let them begin, by session slot.
    var departed: [Int: Departed] = [:]
    /// The outputs that sessions have lost, by session slot.
    var disconnections: [Int: Disconnection] = [:]
    /// The muted inputs that sessions wait for, by session slot.
    var mutedInputs: [Int: MutedInput] = [:]
    /// A stream may record from a muted input.
    var hasMutedInput = false
    /// Who is heard, and who was when that was shown last; kept while sessions are opened.
    var heard = Heard()
    var shownHeard = Heard()
    /// The opened sessions of which there may be something else to show.
    var toShow: [Int] = []
    /// Lists that live for one event; kept for their memory.
    var work = Work()
    /// When the last event happened.
    private var moment = Instant(nanoseconds: .min)

    /// How long an interrupter waits at the most for the others to fall silent, beyond their fade.
    public static let handoverLimit = Duration.seconds(2)
    /// How long a stream takes to its new state when nobody is left who could say.
    static let usualFade = Duration.milliseconds(500)
    /// How long a stream that was let go may take until the server runs it, before it counts as stopped.
    public static let startLimit = Duration.seconds(2)

    /// Makes an engine that knows of no streams.
    public init(policy: Policy) { catalogue = Catalogue(policy: policy) }

    /// Whether a stream can still be heard that is to be silent.
    public var isFading: Bool { fading > 0 }

    /// The policy in force.
    public var policy: Policy { catalogue.policy }

    /// Takes one event and returns what has to be done about it, in this order.
    ///
    /// - Parameters:
    ///   - event: What happened. An event about an unknown stream changes nothing.
    ///   - now: When it happened; never earlier than the event before.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        moment = now
        if let end = facts.switches.pausedUntil, end <= now {
            var switches = facts.switches
            switches.pausedUntil = nil
            change(to: switches, at: now, &effects)
        }
        if !disconnections.isEmpty { giveUpOutputs(at: now, &effects) }
        // What is due comes first, however late the clock is: its event comes to nothing else then.
        if let end = nextEnd, end <= now, event != .clockReached { update(at: now, &effects) }
        take(event, at: now, &effects)
        if !shown.isEmpty { showSessions(&effects) }
        return effects
    }

    @inline(__always)
    private mutating func take(_ event: Event, at now: Instant, _ effects: inout [Effect]) {
        switch event {
        case .streamAppeared(let id, let application, let described, let direction):
            guard facts.slot(of: id) == nil, let description = self.id(of: described, direction),
                let slot = facts.addStream(
                    id, application: application, description: description, direction: direction,
                    catalogue: catalogue)
            else { break }
            while applied.count <= slot { applied.append(Applied()) }
            applied[slot] = Applied()
            if let session = facts.streams[slot]?.session { describe(Int(session)) }
            update(stream: slot, at: now, &effects)
        case .streamWanted(let id, let isWanted):
            guard let slot = facts.slot(of: id), let stream = facts.streams[slot], stream.isWanted != isWanted else {
                break
            }
            if isWanted { requestActivation(by: stream) }
            facts.changeStream(slot) { $0.isWanted = isWanted }
            describe(Int(stream.session))
            update(stream: slot, at: now, &effects)
            if isWanted, slot < applied.count, applied[slot].treatment.reason == .noDevice {
                effects.append(.streamRefused(id))
            }
        case .streamRunning(let id, let isRunning):
            guard let slot = facts.slot(of: id), facts.streams[slot]?.isRunning != isRunning else { break }
            facts.changeStream(slot) {
                $0.isRunning = isRunning
                if isRunning { $0.hasRun = true }
            }
            update(stream: slot, at: now, &effects)
        case .streamSettled(let id):
            guard let slot = facts.slot(of: id), slot < applied.count, applied[slot].treatment.silence != .none else {
                break
            }
            facts.changeStream(slot) { $0.isSettled = true }
            update(stream: slot, at: now, &effects)
        case .streamVanished(let id):
            guard let slot = facts.slot(of: id), let session = facts.streams[slot]?.session else { break }
            facts.removeStream(slot)
            describe(Int(session))
            update(at: now, &effects)
        case .streamLeftAlone(let id):
            leaveAlone(id, at: now, &effects)
        case .clockReached:
            requestedWake = nil
            update(at: now, &effects)
        case .policyChanged(let policy, let descriptions):
            change(to: policy, descriptions, at: now, &effects)
        case .streamMoved(let id, let key):
            if let slot = facts.slot(of: id) { move(slot, to: key, at: now, &effects) }
        case .sessionOpened(let id, let application, let kind):
            open(id, application, kind, at: now, &effects)
        case .sessionConfigured(let id, let change):
            configure(id, change, at: now, &effects)
        case .sessionRequested(let id, let request):
            take(request, of: id, at: now, &effects)
        case .sessionClosed(let id):
            close(id, at: now, &effects)
        case .outputLost(let port, let name, let streams):
            lose(port, name, streams, at: now, &effects)
        case .outputReturned(let port, let streams):
            restore(port, streams, at: now, &effects)
        case .routeChanged(let reason):
            if policy.routes.stopsRecording.includes(reason) { stopRecordings(at: now, &effects) }
            // What a session asked for itself does not end what it asked for.
            guard reason != .override, reason != .categoryChange else { break }
            endOverrides()
        case .inputMuted(let port, let isMuted, let name, let streams):
            take(MutedInput(port: port, name: name), isMuted, streams, at: now, &effects)
        case .inputGone(let port):
            release(waitingFor: port, isGone: true, at: now, &effects)
        case .switched(let switches):
            var switches = switches
            if let end = switches.pausedUntil, end <= now { switches.pausedUntil = nil }
            if switches != facts.switches { change(to: switches, at: now, &effects) }
        case .shutdown:
            relinquish(&effects)
        }
    }

    /// What is done to a stream at this moment and why; `nil` for a stream that the policy leaves alone.
    public func treatment(of id: StreamID) -> Treatment? {
        guard let slot = facts.slot(of: id), slot < applied.count else { return nil }
        return applied[slot].treatment
    }

    /// Whether the session of a stream may take up again what it was interrupted in (R31); not what it has given up since.
    public func mayResume(_ id: StreamID) -> Bool {
        facts.slot(of: id).flatMap { facts.streams[$0] }.flatMap { facts.sessions[Int($0.session)] }?.mayResume ?? false
    }

    /// The id of a description, which is taken into the catalogue; `nil` when there is no room.
    mutating func id(of description: SessionDescription) -> DescriptionID? {
        // Not in a closure of the catalogue's own call, which changes the engine.
        if catalogue.has(description) { return catalogue.id(of: description) { [] } }
        let inUse = descriptionsInUse
        return catalogue.id(of: description) { inUse }
    }

    /// The id of a stream's description. Where there is no room for that, it is what its role is in the policy, or what streams
    /// without one are; but nothing of a higher priority (N11). `nil` when there is no room for that either.
    mutating func id(of description: SessionDescription, _ direction: StreamDirection) -> DescriptionID? {
        if let id = id(of: description) { return id }
        let candidates = [
            policy.roles.values.first { $0.name == description.name },
            direction == .playback ? policy.untagged : policy.untaggedCapture,
        ]
        for own in candidates {
            guard let own, own.priority <= description.priority, own.fits(direction) else { continue }
            if let id = id(of: own) { return id }
        }
        return nil
    }

    /// R9, R36: a session that is idle, or silenced, and whose application wants to be heard, asks for it now. A sound of
    /// the interface asks for nothing (R13), nor does what its session's category keeps silent (R17, R18).
    mutating func requestActivation(by stream: StreamFacts) {
        let slot = Int(stream.session)
        guard let session = facts.sessions[slot], asks(session, by: stream) else { return }
        // R8: what may not begin changes nothing for anybody else.
        if isNew(session, with: stream), let rejecter = rejecter(of: stream.description, slot) {
            departed[slot] = Departed(interrupter(of: Int(rejecter.slot)), rejecter.description)
            facts.updateSession(slot) { $0.block = .rejected }
            // It may have been somebody else who did not let its other streams begin.
            if slot < presented.count { presented[slot].description = nil }
            return
        }
        facts.stamp(slot, catalogue: catalogue)
        facts.updateSession(slot) {
            $0.block = .none
            // Who is heard decides anew, not who has silenced it and is silent itself.
            $0.cause = -1
        }
    }

    /// Whether a session asks to be heard when its application wants a stream of it.
    private func asks(_ session: SessionFacts, by stream: StreamFacts) -> Bool {
        guard !session.isDriven, session.hasUse(for: stream) else { return false }
        // While the policy is suspended, one that was told to stay silent is not silenced.
        let isSilenced = verdict(of: Int(stream.session)).silence != .none || session.block != .none
        // A sound of the interface that plays already has asked for nothing, so what begins beside it asks now.
        return !(stream.isInterfaceSound ? session.wanted > 0 : session.hasWantedSound && !isSilenced)
    }

    /// R8: whether a session that asks to be heard can be rejected: it is not heard yet.
    private func isNew(_ session: SessionFacts, with stream: StreamFacts) -> Bool {
        guard !stream.isInterfaceSound else { return false }
        return session.phase == .inactive || verdict(of: Int(stream.session)).silence != .none
            || catalogue.traits(of: session.description).contains(.interfaceSound)
    }

    /// R8: whether a session is heard that rejects others. While none is, ``wouldReject(_:)`` is false for every stream.
    public var rejects: Bool {
        catalogue.hasRejections
            && heardActors.contains { catalogue.traits(of: $0.description).contains(.rejects) }
    }

    /// R8: whether a stream would be rejected if its application started it now; `false` for one that it has started already,
    /// or that is not known.
    public func wouldReject(_ id: StreamID) -> Bool {
        guard let stream = facts.slot(of: id).flatMap({ facts.streams[$0] }), !stream.isWanted,
            let session = facts.sessions[Int(stream.session)], asks(session, by: stream), isNew(session, with: stream),
            !session.isDescribed || mayBeStopped(session)
        else { return false }
        return heardActors.contains {
            $0.slot != stream.session && !spares($0.slot, Int(stream.session))
                && catalogue.acts(of: $0.description, on: stream.description).newcomer == .reject
        }
    }

    /// R41: another route ends them.
    private mutating func endOverrides() {
        for (slot, configuration) in configurations where configuration.outputOverride == .speaker {
            configurations[slot]?.endOverride()
            toShow.append(slot)
        }
    }

    /// The difference to the empty outcome: whatever was done to a stream is undone at once.
    private mutating func relinquish(_ effects: inout [Effect]) {
        for slot in 0..<facts.streams.capacity {
            guard let stream = facts.streams[slot], slot < applied.count, applied[slot].treatment != .untouched else {
                continue
            }
            effects.append(.treat(stream.id, .untouched, within: .zero, after: .zero))
        }
        self = Engine(policy: policy)
    }
}

// MARK: - For tests

extension Engine {
    package var streamCount: Int { facts.streams.count }
    package var sessionCount: Int { facts.sessions.count }

    /// When the next phase ends by itself.
    package var nextDeadline: Instant? {
        var ends = disconnections.values.map { Optional($0.until) } + [facts.switches.pausedUntil]
        for slot in 0..<facts.sessions.capacity {
            ends += [facts.sessions[slot]?.deadline, facts.sessions[slot]?.resumesUntil]
        }
        return ends.compactMap { $0 }.filter { $0 < Switches.never }.min()
    }

    /// What is in force and not what the facts say; `nil` if looking at everything once more changes nothing, and every sum
    /// that is kept is what the streams say.
    package var inconsistency: String? {
        var again = self
        again.reconsider()
        var effects: [Effect] = []
        again.update(at: moment, &effects)
        effects.removeAll { if case .wake = $0 { true } else { false } }
        if let effect = effects.first { return "looked at again, it has the effect \(effect)" }
        for slot in 0..<facts.sessions.capacity where facts.sessions[slot] != nil {
            guard again.verdict(of: slot) == verdict(of: slot) else {
                return "session \(slot): \(verdict(of: slot)), looked at again \(again.verdict(of: slot))"
            }
            var (new, old) = (again.facts.sessions[slot], facts.sessions[slot])
            new?.isDirty = false
            old?.isDirty = false
            guard new == old else {
                return "session \(slot): \(String(describing: old)), looked at again \(String(describing: new))"
            }
        }
        if again.fading != fading { return "\(fading) streams fade, looked at again \(again.fading)" }
        let held = (0..<facts.sessions.capacity).filter { facts.sessions[$0]?.phase == .holding }
        if held != holders.sorted() { return "sessions \(held) wait for silence, known are \(holders)" }
        if !isShownRight { return "what is shown of a session is not so" }
        if !waiting.allSatisfy({ shown[$0] != nil }) { return "a session waits that is not there" }
        return facts.inconsistency
    }

    /// Whether all is as it should be; see ``inconsistency``.
    public var isConsistent: Bool { inconsistency == nil }
}

extension Facts {
    /// Which sum or link is not what the streams say.
    fileprivate var inconsistency: String? {
        var seen = 0
        for slot in 0..<sessions.capacity {
            guard let session = sessions[slot] else { continue }
            var sums = (
                wanted: Int32(0), interface: Int32(0), recordings: Int32(0), running: Int32(0), audible: Int32(0)
            )
            var descriptions: Set<DescriptionID> = []
            var next = session.firstStream
            var previous: Int32 = -1
            while let stream = streams[Int(next)] {
                guard stream.previous == previous, Int(stream.session) == slot else {
                    return "a stream is linked wrongly"
                }
                seen += 1
                previous = next
                next = stream.next
                sums.wanted += stream.isWanted ? 1 : 0
                sums.interface += stream.isWanted && stream.isInterfaceSound ? 1 : 0
                sums.recordings += stream.isWanted && !stream.isInterfaceSound && stream.direction == .capture ? 1 : 0
                sums.running += stream.isWanted && stream.isRunning ? 1 : 0
                sums.audible += stream.isAudible ? 1 : 0
                descriptions.insert(stream.description)
            }
            let kept = (
                session.wanted, session.wantedInterfaceSounds, session.wantedRecordings, session.running,
                session.audible
            )
            if sums != kept {
                return "session \(slot) has wrong sums"
            }
            if descriptions.count > 1, !session.isMixed { return "session \(slot) has streams of several kinds" }
            if session.isLeaving { return "session \(slot) is still leaving" }
            if session.cause >= 0, sessions[Int(session.cause)]?.holds != true {
                return "session \(slot) is silenced by \(session.cause), which does not hold it"
            }
        }
        let claims = order.map { sessions[Int($0)]?.claim ?? 0 }
        if seen != streams.count { return "a stream belongs to no session" }
        let isSorted = zip(claims, claims.dropFirst()).allSatisfy { $0 > $1 }
        return order.count == sessions.count && isSorted ? nil : "the claims are not in order"
    }
}
