/// What an opened session is at a moment, as its application may read it.
public struct SessionState: Sendable, Hashable {
    /// What its application has said of it; of a session of the system, nothing.
    public var configuration = SessionConfiguration()
    /// It may be heard.
    public var isActive = false
    /// An interruption has begun and not ended.
    public var isInterrupted = false
    /// An activation waits to be granted (N9).
    public var isDelayed = false
    /// Another session is heard (R77).
    public var isOtherAudioPlaying = false
    /// Another session that does not mix is heard (N6).
    public var isSecondaryAudioToBeSilenced = false
    /// All that it records from is muted by its user (N7).
    public var isInputMuted = false

    /// A session as it is opened.
    public init() {}
}

/// Sessions that applications hold themselves.
extension Engine {
    /// The most different descriptions of opened sessions in use at a time; the rest of the room is for streams.
    static let openedDescriptions = 32

    /// What an opened session is; `nil` for one that is not known.
    public func state(of id: SessionID) -> SessionState? { facts.slot(of: id).flatMap { shown[$0] } }

    /// The streams of an opened session, the newest first; none of one that is not known.
    public func streams(of id: SessionID) -> [(id: StreamID, direction: StreamDirection)] {
        var streams: [(id: StreamID, direction: StreamDirection)] = []
        var next = facts.slot(of: id).flatMap { facts.sessions[$0]?.firstStream } ?? -1
        while let stream = facts.streams[Int(next)] {
            streams.append((stream.id, stream.direction))
            next = stream.next
        }
        return streams
    }

    /// What an application has said of its opened session; `nil` for one of the system, or one that is not known.
    public func configuration(of id: SessionID) -> SessionConfiguration? {
        facts.slot(of: id).flatMap { configurations[$0] }
    }

    // MARK: - Coming and going

    mutating func open(
        _ id: SessionID, _ application: ApplicationID, _ kind: SessionKind, at now: Instant, _ effects: inout [Effect]
    ) {
        guard facts.slot(of: id) == nil else { return effects.append(.answered(id, .unknown)) }
        let configuration = SessionConfiguration()
        var described = configuration.description
        if case .system(let description) = kind { described = description }
        let version = catalogue.version
        guard let description = room(for: described, isSystem: kind != .application),
            let slot = facts.openSession(id, application: application, description: description, catalogue: catalogue)
        else { return effects.append(.answered(id, .noRoom)) }
        while presented.count <= slot { presented.append(Presentation()) }
        presented[slot] = Presentation()
        if case .application = kind { configurations[slot] = configuration }
        if shown.isEmpty { heard = countHeard() }
        shown[slot] = SessionState()
        update(isNew: true, session: slot, isOfAll: catalogue.version != version, at: now, &effects)
        effects.append(.answered(id, .done))
    }

    mutating func close(_ id: SessionID, at now: Instant, _ effects: inout [Effect]) {
        guard let slot = facts.slot(of: id), let application = facts.application(of: slot) else { return }
        waiting.removeAll { $0 == slot }
        // R12: whom it interrupted goes on. First, so that nobody interrupts what is about to end.
        giveUp(slot, notifyOthers: true)
        facts.updateSession(slot) { if $0.supersededBy == .mutedInput { $0.supersededBy = nil } }
        while let first = facts.sessions[slot]?.firstStream, first >= 0 {
            move(Int(first), to: .application(application), at: now, &effects)
        }
        update(session: slot, at: now, &effects)
        if let session = facts.sessions[slot], session.interruption != .none {
            if session.interruption == .announced {
                effects.append(.interruptionEnded(reference(slot, session.description), shouldResume: false))
            }
            facts.updateSession(slot) { $0.interruption = .none }
        }
        configurations[slot] = nil
        mutedInputs[slot] = nil
        shown[slot] = nil
        facts.updateSession(slot) { $0.isOpened = false }
        forgetIfGone(slot)
    }

    /// A stream goes to another session with all that is known of it.
    mutating func move(_ slot: Int, to key: SessionKey, at now: Instant, _ effects: inout [Effect]) {
        guard let stream = facts.streams[slot] else { return }
        let old = Int(stream.session)
        change(slot) {
            $0.isWanted = false
            $0.isRunning = false
        }
        let target = facts.moveStream(slot, to: key, catalogue: catalogue)
        if let target {
            while presented.count <= target { presented.append(Presentation()) }
            let isAll = facts.sessions[old].map { $0.wanted == 0 && !$0.isActivated } ?? false
            if stream.isWanted, let moved = facts.streams[slot] {
                // R9: that it goes by another name is no request.
                if isAll, facts.sessions[target]?.wanted == 0 {
                    facts.succeed(target, to: old, as: moved.description, catalogue: catalogue)
                    let lost = disconnections.removeValue(forKey: old)
                    let muted = mutedInputs.removeValue(forKey: old)
                    if catalogue[moved.description]?.goesOnElsewhere == true {
                        // R36: what is a call here goes on wherever it is heard.
                        facts.updateSession(target) {
                            guard $0.supersededBy?.isOfRoute == true else { return }
                            $0.supersededBy = nil
                            $0.hasNewClaim = true
                        }
                    } else {
                        if let lost { disconnections[target] = lost }
                        if let muted { mutedInputs[target] = muted }
                    }
                } else {
                    requestActivation(by: moved)
                }
            }
            // Nothing of the application is left there that could claim anything for the time of a release delay.
            if isAll, facts.sessions[old]?.isDriven == false { release(old, at: now) }
        }
        change(slot) {
            $0.isWanted = stream.isWanted
            $0.isRunning = stream.isRunning
        }
        update(stream: slot, isNew: target != nil, with: target == nil ? nil : old, at: now, &effects)
    }

    /// A session without wanted streams ends without delay.
    mutating func release(_ slot: Int, at now: Instant) {
        guard let session = facts.sessions[slot], session.phase != .inactive else { return }
        holders.removeAll { $0 == slot }
        facts.updateSession(slot) {
            $0.phase = .releasing
            $0.deadline = now
        }
    }

    // MARK: - What it is

    mutating func configure(
        _ id: SessionID, _ change: ConfigurationChange, at now: Instant, _ effects: inout [Effect]
    ) {
        guard let slot = facts.slot(of: id), let session = facts.sessions[slot], let old = configurations[slot] else {
            return effects.append(.answered(id, .unknown))
        }
        let isActive = session.phase != .inactive
        var new = old
        do throws(SessionConfiguration.Mistake) {
            switch change {
            case .category(let category, let options, let mode):
                try new.set(category, options, mode, whileActive: isActive)
            case .mode(let mode): try new.set(mode, whileActive: isActive)
            case .outputOverride(let override): try new.set(override)
            case .avoidsAlerts(let avoids): new.avoidsAlerts = avoids
            }
        } catch { return effects.append(.answered(id, .mistaken(error))) }
        guard new.description != old.description else {
            configurations[slot] = new
            toShow.append(slot)
            return effects.append(.answered(id, .done))
        }
        let version = catalogue.version
        guard let description = room(for: new.description) else { return effects.append(.answered(id, .noRoom)) }
        if isActive, outcome[slot].silence == .none, let blocker = blocker(of: slot, as: description) {
            return effects.append(.answered(id, .refused(by: blocker)))
        }
        configurations[slot] = new
        // R7: at once while active, which is asking anew; at the next activation while inactive. R9: who is being silenced
        // has to activate again.
        if isActive, outcome[slot].silence == .none { facts.stamp(slot) }
        facts.updateSession(slot) {
            $0.description = description
            $0.hasNewClaim = true
        }
        update(isNew: true, session: slot, isOfAll: catalogue.version != version, at: now, &effects)
        effects.append(.answered(id, .done))
    }

    /// The id of a description of an opened session; `nil` when there is no room for another kind.
    private mutating func room(for description: SessionDescription, isSystem: Bool = false) -> DescriptionID? {
        // R36: what applications say keeps no call out.
        if !isSystem, !catalogue.has(description) {
            var opened: UInt64 = 0
            for slot in shown.keys { opened |= facts.sessions[slot]?.description.bit ?? 0 }
            guard opened.nonzeroBitCount < Engine.openedDescriptions else { return nil }
        }
        return catalogue.id(of: description, inUse: catalogue.isFull ? descriptionsInUse : 0)
    }

    // MARK: - Being heard

    mutating func take(_ request: SessionRequest, of id: SessionID, at now: Instant, _ effects: inout [Effect]) {
        guard let slot = facts.slot(of: id) else { return effects.append(.answered(id, .unknown)) }
        toShow.append(slot)
        switch request {
        case .activate(let mayWait):
            guard !isActivated(slot), let blocker = blocker(of: slot) else {
                waiting.removeAll { $0 == slot }
                activate(slot, at: now, &effects)
                return effects.append(.answered(id, .done))
            }
            guard mayWait else { return effects.append(.answered(id, .refused(by: blocker))) }
            if !waiting.contains(slot) { waiting.append(slot) }
            effects.append(.answered(id, .delayed))
        case .deactivate(let notifyOthers):
            waiting.removeAll { $0 == slot }
            deactivate(slot, notifyOthers: notifyOthers, at: now, &effects)
            effects.append(.answered(id, .done))
        case .cancel:
            let waits = waiting.contains(slot)
            waiting.removeAll { $0 == slot }
            effects.append(.answered(id, waits ? .done : .nothingWaits))
        }
    }

    /// R8: who would silence a session if it asked to be heard now, as what it is or as something else.
    private func blocker(of slot: Int, as description: DescriptionID? = nil) -> SessionReference? {
        guard let session = facts.sessions[slot] else { return nil }
        let description = description ?? session.description
        // It may be silenced already by one that stands above it; its own activation is no obstacle.
        let claim = facts.nextClaim(of: description, catalogue: catalogue)
        guard
            let blocker = outcome.blocker(of: description, claiming: claim, own: session.claim, catalogue)
        else { return nil }
        return reference(outcome.actor(blocker), blocker)
    }

    private mutating func activate(_ slot: Int, at now: Instant, _ effects: inout [Effect]) {
        if isActivated(slot) { return }
        facts.stamp(slot)
        facts.updateSession(slot) {
            $0.isDriven = true
            $0.isActivated = true
            $0.supersededBy = nil
            $0.isRejected = false
            $0.hasNewClaim = true
        }
        update(session: slot, at: now, &effects)
    }

    /// Whether its application has activated a session that nobody silences.
    private func isActivated(_ slot: Int) -> Bool {
        guard let session = facts.sessions[slot] else { return false }
        return session.isDriven && session.isActivated && outcome[slot].silence == .none
    }

    private mutating func deactivate(_ slot: Int, notifyOthers: Bool, at now: Instant, _ effects: inout [Effect]) {
        giveUp(slot, notifyOthers: notifyOthers)
        facts.updateSession(slot) {
            $0.supersededBy = nil
            $0.isRejected = false
        }
        update(session: slot, at: now, &effects)
    }

    /// A session is not to be heard any more; nothing follows from that yet.
    private mutating func giveUp(_ slot: Int, notifyOthers: Bool) {
        guard let session = facts.sessions[slot] else { return }
        if session.phase != .inactive, outcome[slot].silence == .none {
            leaveVictims(of: slot, session.description, mayResume: notifyOthers)
        }
        facts.updateSession(slot) {
            $0.isDriven = true
            $0.isActivated = false
            // What it has given up itself it is not asked to take up again, nor is it told that it was taken away.
            $0.mayResume = false
            if $0.interruption == .begun { $0.interruption = .none }
            $0.hasNewClaim = true
        }
    }

    /// R11: decides what those are told that a session has interrupted and now leaves.
    private mutating func leaveVictims(of actor: Int, _ description: DescriptionID, mayResume: Bool) {
        guard outcome.actor(description) == actor else { return }
        for slot in 0..<facts.sessions.capacity {
            guard slot != actor, let victim = facts.sessions[slot], victim.interruption != .none,
                outcome[slot].silencerDescription == description, !outcome[slot].isSuperseded
            else { continue }
            let successor = mayResume ? nil : description
            facts.updateSession(slot) {
                $0.mayResume = $0.mayResume && mayResume
                if $0.supersededBy == nil || $0.supersededBy == description { $0.supersededBy = successor }
            }
            _ = facts.claim(slot, catalogue: catalogue)
        }
    }

    /// N9: activates what waits, in the order of asking, as far as nobody is in the way any more.
    mutating func grantWhatWaits(at now: Instant, _ effects: inout [Effect]) {
        var index = 0
        while index < waiting.count {
            let slot = waiting[index]
            guard blocker(of: slot) == nil, let id = facts.id(of: slot) else {
                index += 1
                continue
            }
            waiting.remove(at: index)
            toShow.append(slot)
            activate(slot, at: now, &effects)
            effects.append(.activationGranted(id))
        }
    }

    // MARK: - Switches

    /// N16: the user has switched something, or a suspended policy is in force again.
    mutating func change(to switches: Switches, at now: Instant, _ effects: inout [Effect]) {
        facts.switches = switches
        reconsider(at: now, &effects)
    }

    /// Derives everything anew. Nothing counts as presented, so that every stream is looked at.
    mutating func reconsider(at now: Instant, _ effects: inout [Effect]) {
        for slot in presented.indices { presented[slot].description = nil }
        outcome.resolve(facts, catalogue)
        fading = 0
        for slot in 0..<facts.sessions.capacity where outcome[slot].silence != .none {
            fading &+= facts.sessions[slot]?.audible ?? 0
        }
        update(everything: true, at: now, &effects)
    }
}
