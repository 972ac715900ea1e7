/// The pure state machine of the policy: events in, effects out.
///
/// The engine keeps facts, derives the verdict from them, and returns the difference between two verdicts as effects.
/// It has no clock and does no input or output. It accepts every event in every order.
public struct Engine: Sendable {
    /// The policy in force, and the descriptions in use.
    var catalogue: Catalogue
    var facts = Facts()
    /// The verdict on each session, by session slot.
    var verdicts: [SessionVerdict] = []
    /// The last treatment that each stream was given, by stream slot.
    var applied: [AppliedTreatment] = []
    /// The inputs from which the treatments of each session's streams were last derived, by session slot.
    var treatmentInputs: [TreatmentInputs] = []
    /// The sessions that are heard and affect others, strongest claim first.
    var heardActors: [Actor] = []
    /// Whether any session is ducked.
    var isDucking = false
    /// The slots of the sessions that wait until others are silent.
    var holders: [Int] = []
    /// The number of streams that can still be heard although they should be silent.
    var fading: Int32 = 0
    /// When the first phase or pause ends by itself, and the wake that the host was asked for.
    var nextEnd: Instant?
    var requestedWake: Instant?
    /// The configurations that applications have set on the sessions they opened, by session slot.
    var configurations: [Int: SessionConfiguration] = [:]
    /// The applications that began interruptions by the system, by session slot.
    var beginners: [Int: ApplicationID] = [:]
    /// The slots of the sessions whose delayed activation is pending, oldest request first (N9).
    var delayed: [Int] = []
    /// The state of each opened session that its application was last shown, by session slot.
    var publishedStates: [Int: SessionState] = [:]
    /// The sessions that rejected others or told them to stay silent when they left, by the slot of the affected
    /// session.
    var formerInterrupters: [Int: FormerInterrupter] = [:]
    /// The sessions that are heard because their users want that: by session slot, the slots of those beside which each
    /// is heard (N19).
    var freedoms: [Int: Set<Int32>] = [:]
    /// The slots of the sessions that the user has freed from the switches, until a switch changes.
    var freedFromSwitches: Set<Int> = []
    /// The outputs that sessions have lost, by the slot of the affected session.
    var disconnections: [Int: Disconnection] = [:]
    /// The muted inputs that sessions wait for, by the slot of the waiting session.
    var mutedInputs: [Int: MutedInput] = [:]
    /// Whether a stream may be recording from a muted input.
    var hasMutedInput = false
    /// The sessions that are heard now, and those heard when states were last shown. Kept only while sessions are
    /// opened.
    var heard = HeardCounts()
    var publishedHeard = HeardCounts()
    /// The slots of the opened sessions whose state may have changed since it was last shown.
    var toPublish: [Int] = []
    /// Lists used during one event; kept to reuse their memory.
    var work = Work()
    /// When the last event happened.
    private var moment = Instant(nanoseconds: .min)

    /// The longest time that an interrupting session waits for the others to fall silent, beyond their fade.
    public static let handoverLimit = Duration.seconds(2)
    /// The fade time of a change for which no session's description gives one.
    static let usualFade = Duration.milliseconds(500)
    /// The longest time that the server may take to run a released stream before the stream counts as stopped.
    public static let startLimit = Duration.seconds(2)

    /// Creates an engine without streams.
    public init(policy: Policy) { catalogue = Catalogue(policy: policy) }

    /// Whether a stream can still be heard although it should be silent.
    public var isFading: Bool { fading > 0 }

    /// The policy in force.
    public var policy: Policy { catalogue.policy }

    /// Handles one event and returns the effects to carry out, in this order.
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
        if !disconnections.isEmpty { stopAwaitingOutputs(at: now, &effects) }
        // Deadlines that have passed are handled first, even if the clock event is late; that event then changes
        // nothing.
        if let end = nextEnd, end <= now, event != .clockReached { update(at: now, &effects) }
        apply(event, at: now, &effects)
        if !publishedStates.isEmpty { publishStates(&effects) }
        return effects
    }

    @inline(__always)
    private mutating func apply(_ event: Event, at now: Instant, _ effects: inout [Effect]) {
        switch event {
        case .streamAppeared(let id, let application, let described, let direction):
            guard facts.slot(of: id) == nil, let description = self.id(of: described, direction),
                let slot = facts.addStream(
                    id, application: application, description: description, direction: direction,
                    catalogue: catalogue)
            else { break }
            while applied.count <= slot { applied.append(AppliedTreatment()) }
            applied[slot] = AppliedTreatment()
            if let session = facts.streams[slot]?.session { describe(Int(session)) }
            update(stream: slot, at: now, &effects)
        case .streamWanted(let id, let isWanted):
            guard let slot = facts.slot(of: id), facts.streams[slot]?.isPlayed != isWanted else { break }
            guard change(slot, { $0.isPlayed = isWanted }, at: now, &effects) else { break }
            if isWanted, slot < applied.count, applied[slot].treatment.reason == .noDevice {
                effects.append(.streamRefused(id))
            }
        case .streamMuted(let id, let isMuted):
            guard let slot = facts.slot(of: id), facts.streams[slot]?.isMuted != isMuted else { break }
            change(slot, { $0.isMuted = isMuted }, at: now, &effects)
            if !isMuted { free(slot, by: .unmute, at: now, &effects) }
        case .streamSounding(let id, let isSounding):
            guard let slot = facts.slot(of: id), facts.streams[slot]?.isSounding != isSounding else { break }
            facts.changeStream(slot) { $0.isSounding = isSounding }
            if catalogue.hasSounding { update(stream: slot, at: now, &effects) }
        case .streamPlaced(let id, let zones):
            guard let slot = facts.slot(of: id), facts.streams[slot]?.zones != zones else { break }
            facts.changeStream(slot) { $0.zones = zones }
            reconsider()
            update(stream: slot, at: now, &effects)
        case .streamFreed(let id, let action):
            if let slot = facts.slot(of: id) { free(slot, by: action, at: now, &effects) }
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
            answer(request, of: id, at: now, &effects)
        case .sessionClosed(let id):
            close(id, at: now, &effects)
        case .outputLost(let port, let name, let streams):
            lose(port, name, streams, at: now, &effects)
        case .outputReturned(let port, let streams):
            restore(port, streams, at: now, &effects)
        case .routeChanged(let reason):
            if policy.routes.stopsRecording.includes(reason) { stopRecordings(at: now, &effects) }
            // A route change that a session caused with its own request does not end the session's override.
            guard reason != .override, reason != .categoryChange else { break }
            endOverrides()
        case .inputMuted(let port, let isMuted, let name, let streams):
            setMuted(MutedInput(port: port, name: name), isMuted, streams, at: now, &effects)
        case .inputGone(let port):
            endWait(for: port, isGone: true, at: now, &effects)
        case .switched(let switches):
            var switches = switches
            if let end = switches.pausedUntil, end <= now { switches.pausedUntil = nil }
            if switches != facts.switches { change(to: switches, at: now, &effects) }
        case .shutdown:
            undoAll(&effects)
        }
    }

    /// Changes whether a stream is played or muted. Returns whether it now counts as wanted, or no longer does.
    @discardableResult
    private mutating func change(
        _ slot: Int, _ change: (inout StreamFacts) -> Void, at now: Instant, _ effects: inout [Effect]
    ) -> Bool {
        guard let old = facts.streams[slot] else { return false }
        var new = old
        change(&new)
        let muted = policy.muted
        let isWanted = new.isWanted(muted)
        if isWanted, !old.isWanted { requestActivation(by: old) }
        facts.changeWish(slot, muted, change)
        guard isWanted != old.isWanted else { return false }
        describe(Int(old.session))
        update(stream: slot, at: now, &effects)
        return true
    }

    /// What is done to a stream now, and why; `nil` for a stream that the policy leaves alone.
    public func treatment(of id: StreamID) -> Treatment? {
        guard let slot = facts.slot(of: id), slot < applied.count else { return nil }
        return applied[slot].treatment
    }

    /// Whether a stream's session may resume what was interrupted (R31); `false` if the session has given up since.
    public func mayResume(_ id: StreamID) -> Bool {
        facts.slot(of: id).flatMap { facts.streams[$0] }.flatMap { facts.sessions[Int($0.session)] }?.mayResume ?? false
    }

    /// The id of a description. Adds the description to the catalogue if needed; `nil` if the catalogue is full.
    mutating func id(of description: SessionDescription) -> DescriptionID? {
        // Computed first: a closure in the catalogue's own call would access the engine while that call changes it.
        if catalogue.has(description) { return catalogue.id(of: description) { [] } }
        let inUse = descriptionsInUse
        return catalogue.id(of: description) { inUse }
    }

    /// The id of a stream's description. If the catalogue is full, the id of the stream's role in the policy, or else
    /// of streams without a role, but never one of a higher priority (N11). `nil` if the catalogue has no room for
    /// those either.
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

    /// R9, R36: requests activation for an idle or silenced session when its application wants a stream. A user
    /// interface sound requests nothing (R13), nor does a stream that its session's category keeps silent (R17, R18).
    mutating func requestActivation(by stream: StreamFacts) {
        let slot = Int(stream.session)
        guard let session = facts.sessions[slot], requestsActivation(session, by: stream) else { return }
        // R8: a rejected session does not affect others.
        if isNew(session, with: stream), let rejecter = rejecter(of: stream.description, slot) {
            formerInterrupters[slot] = FormerInterrupter(interrupter(of: Int(rejecter.slot)), rejecter.description)
            facts.updateSession(slot) { $0.block = .rejected }
            // The session's other streams may have been rejected by somebody else, so their reason is derived anew.
            if slot < treatmentInputs.count { treatmentInputs[slot].description = nil }
            return
        }
        ask(slot, clearsBlock: session.block != .awaitedOutput)
    }

    /// Records that a session asks to be heard, anew.
    mutating func ask(_ slot: Int, clearsBlock: Bool) {
        facts.stamp(slot, catalogue: catalogue)
        facts.updateSession(slot) {
            if clearsBlock { $0.block = .none }
            // The sessions that are heard now decide anew. The former cause may itself be silent.
            $0.cause = -1
        }
    }

    /// Whether a session requests activation when its application wants one of its streams.
    private func requestsActivation(_ session: SessionFacts, by stream: StreamFacts) -> Bool {
        guard !session.isDriven, session.hasUse(for: stream) else { return false }
        // While the policy is suspended, a session that was told to stay silent is not silenced.
        let isSilenced = verdict(of: Int(stream.session)).silence != .none || session.block != .none
        // A user interface sound that is playing has requested nothing, so a stream that starts beside it requests now.
        return !(stream.isInterfaceSound ? session.wanted > 0 : session.hasWantedSound && !isSilenced)
    }

    /// R8: whether a session that requests activation can be rejected, because it is not heard yet.
    private func isNew(_ session: SessionFacts, with stream: StreamFacts) -> Bool {
        guard !stream.isInterfaceSound else { return false }
        return session.phase == .inactive || verdict(of: Int(stream.session)).silence != .none
            || catalogue.traits(of: session.description).contains(.interfaceSound)
    }

    /// R8: whether a stream would be rejected if its application started it now. `false` if the application has already
    /// started it, or if the stream is unknown.
    public func wouldReject(_ id: StreamID) -> Bool {
        guard catalogue.hasRejections, let stream = facts.slot(of: id).flatMap({ facts.streams[$0] }), !stream.isPlayed,
            stream.isWanted(whilePlayed: true, policy.muted), let session = facts.sessions[Int(stream.session)],
            requestsActivation(session, by: stream),
            isNew(session, with: stream),
            !session.isDescribed || mayBeStopped(session)
        else { return false }
        return heardActors.contains {
            $0.slot != stream.session && !spares($0.slot, Int(stream.session))
                && catalogue.interplay(of: $0.description, on: stream.description).newcomer == .reject
        }
    }

    /// Whether a stream may have to wait until others are silent if its application started it now, as ringing has to
    /// (R34). `false` if the application has already started it, or if the stream is unknown.
    public func mayWait(_ id: StreamID) -> Bool {
        guard let stream = facts.slot(of: id).flatMap({ facts.streams[$0] }), !stream.isPlayed,
            let session = facts.sessions[Int(stream.session)]
        else { return false }
        if session.phase == .holding { return true }
        // What the session is then, may follow from any of its streams.
        let all = facts.streams(of: Int(stream.session)).compactMap { facts.streams[$0]?.description }
        let mayHold = (all + [session.description]).contains { catalogue.traits(of: $0).contains(.holdsOnHandover) }
        guard mayHold || policy.pairing?.holdsOnHandover == true else { return false }
        return facts.order.contains { facts.sessions[Int($0)]?.audible ?? 0 > 0 }
    }

    /// Ends all overrides of the output, because the route has changed (R41).
    private mutating func endOverrides() {
        for (slot, configuration) in configurations where configuration.outputOverride == .speaker {
            configurations[slot]?.endOverride()
            toPublish.append(slot)
        }
    }

    /// Undoes at once everything that was done to streams, and starts with an empty engine.
    private mutating func undoAll(_ effects: inout [Effect]) {
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

    /// The first difference between the kept state and the state computed anew from the facts, in words; `nil` if
    /// everything is consistent.
    package var inconsistency: String? {
        var again = self
        again.reconsider()
        var effects: [Effect] = []
        again.update(at: moment, &effects)
        effects.removeAll { if case .wake = $0 { true } else { false } }
        if let effect = effects.first { return "computed anew, the state has the effect \(effect)" }
        for slot in 0..<facts.sessions.capacity where facts.sessions[slot] != nil {
            guard again.verdict(of: slot) == verdict(of: slot) else {
                return "session \(slot): \(verdict(of: slot)), computed anew \(again.verdict(of: slot))"
            }
            var (new, old) = (again.facts.sessions[slot], facts.sessions[slot])
            new?.isDirty = false
            old?.isDirty = false
            guard new == old else {
                return "session \(slot): \(String(describing: old)), computed anew \(String(describing: new))"
            }
        }
        if again.fading != fading { return "\(fading) streams fade, computed anew \(again.fading)" }
        let held = (0..<facts.sessions.capacity).filter { facts.sessions[$0]?.phase == .holding }
        if held != holders.sorted() { return "sessions \(held) wait for silence, known are \(holders)" }
        if !publishedStatesAreCurrent { return "a published session state is not current" }
        if !delayed.allSatisfy({ publishedStates[$0] != nil }) {
            return "a delayed activation belongs to no opened session"
        }
        return facts.inconsistency
    }
}

extension Facts {
    /// The first sum or link that does not match the streams, in words; `nil` if all match.
    fileprivate var inconsistency: String? {
        var seen = 0
        for slot in 0..<sessions.capacity {
            guard let session = sessions[slot] else { continue }
            var sums = (
                wanted: Int32(0), interface: Int32(0), recordings: Int32(0), running: Int32(0), audible: Int32(0),
                sounding: Int32(0)
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
                sums.sounding += stream.sounds ? 1 : 0
                descriptions.insert(stream.description)
            }
            let kept = (
                session.wanted, session.wantedInterfaceSounds, session.wantedRecordings, session.running,
                session.audible, session.sounding
            )
            if sums != kept {
                return "session \(slot) has wrong sums"
            }
            if descriptions.count > 1, !session.isMixed {
                return "session \(slot) has streams of different descriptions"
            }
            if session.isLeaving { return "session \(slot) is still leaving" }
            if session.cause >= 0, sessions[Int(session.cause)]?.keepsVictimsWaiting != true {
                return "session \(slot) is silenced by \(session.cause), which does not keep it waiting"
            }
        }
        let claims = order.map { sessions[Int($0)]?.claim ?? 0 }
        if seen != streams.count { return "a stream belongs to no session" }
        let isSorted = zip(claims, claims.dropFirst()).allSatisfy { $0 > $1 }
        return order.count == sessions.count && isSorted ? nil : "the claims are not in order"
    }
}
