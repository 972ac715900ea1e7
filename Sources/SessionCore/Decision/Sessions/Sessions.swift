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
    /// The most different descriptions of opened sessions in use at a time, of all applications and of one; the rest of the
    /// room is for streams.
    static let openedDescriptions = 48
    static let openedDescriptionsOfOne = 8

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
        var described = describe(configuration)
        if case .system(let description, _) = kind { described = description }
        guard let description = room(for: described, of: application, isSystem: kind != .application),
            let slot = facts.openSession(id, application: application, description: description, catalogue: catalogue)
        else { return effects.append(.answered(id, .noRoom)) }
        switch kind {
        case .application: configurations[slot] = configuration
        case .system(_, let beginner):
            beginners[slot] = beginner
            facts.updateSession(slot) {
                $0.isDescribed = true
                $0.sparesItsOwn = beginner != nil
            }
        }
        if shown.isEmpty { heard = countHeard() }
        shown[slot] = SessionState()
        update(at: now, &effects)
        effects.append(.answered(id, .done))
    }

    mutating func close(_ id: SessionID, at now: Instant, _ effects: inout [Effect]) {
        guard let slot = facts.slot(of: id), let application = facts.application(of: slot) else { return }
        waiting.removeAll { $0 == slot }
        // R12: whom it interrupted goes on. First, so that nobody interrupts what is about to end.
        giveUp(slot, notifyOthers: true)
        facts.updateSession(slot) { if $0.block == .mutedInput { $0.block = .none } }
        relocate(facts.streams(of: slot), from: slot, to: .application(application), asks: false, at: now)
        // What keeps it silent, it is not told any more; only, last, that its interruption has ended.
        let isInterrupted = facts.sessions[slot]?.interruption == .announced
        facts.updateSession(slot) {
            $0.interruption = .none
            $0.block = .none
        }
        update(at: now, &effects)
        if isInterrupted, let session = facts.sessions[slot] {
            effects.append(.interruptionEnded(reference(slot, session.description), shouldResume: false))
        }
        configurations[slot] = nil
        mutedInputs[slot] = nil
        disconnections[slot] = nil
        shown[slot] = nil
        facts.updateSession(slot) { $0.isOpened = false }
        forgetIfGone(slot)
    }

    /// A stream goes to another session with all that is known of it.
    mutating func move(_ slot: Int, to key: SessionKey, at now: Instant, _ effects: inout [Effect]) {
        guard let stream = facts.streams[slot] else { return }
        relocate([slot], from: Int(stream.session), to: key, asks: true, at: now)
        update(stream: slot, at: now, &effects)
    }

    /// Gives streams of one session to another one, all at once.
    ///
    /// - Parameter asks: Whether their application asks by that to be heard there.
    private mutating func relocate(
        _ slots: [Int], from old: Int, to key: SessionKey, asks: Bool, at now: Instant
    ) {
        let streams = slots.compactMap { slot in facts.streams[slot].map { (slot: slot, facts: $0) } }
        for (slot, _) in streams {
            facts.changeStream(slot) {
                $0.isWanted = false
                $0.isRunning = false
            }
        }
        var target: Int?
        for (slot, _) in streams { target = facts.moveStream(slot, to: key, catalogue: catalogue) ?? target }
        if let target {
            let isAll = facts.sessions[old].map { $0.wanted == 0 && !$0.isActivated } ?? false
            if let wanted = streams.first(where: { $0.facts.isWanted }), let moved = facts.streams[wanted.slot] {
                // R9: that it goes by another name is no request.
                if isAll, facts.sessions[target]?.wanted == 0 {
                    let all = streams.compactMap { $0.facts.isWanted ? $0.facts.description : nil }
                    let strongest = catalogue.strongest(of: all) ?? moved.description
                    succeed(target, to: old, isCall: catalogue[strongest]?.goesOnElsewhere == true)
                } else if asks {
                    requestActivation(by: moved)
                }
            }
            // Those that it has silenced are told the end of what it is without them.
            describe(old)
            // Nothing of the application is left there that could claim anything for the time of a release delay.
            if isAll { release(old, at: now) }
        }
        for (slot, former) in streams {
            facts.changeStream(slot) {
                $0.isWanted = former.isWanted
                $0.isRunning = former.isRunning
            }
        }
        describe(old)
        if let target {
            describe(target)
            // The session has taken over that it was told to stay silent, or was rejected: it ends at once.
            if var session = facts.sessions[target], session.block.isFinal, session.phase != .inactive,
                !session.isDriven
            {
                leave(target, &session)
                facts.keepSession(target, session)
            }
            // What holds for its own streams holds for those that have come.
            if target < presented.count { presented[target].description = nil }
        }
    }

    /// A session takes another one's place, with all that stood against that.
    private mutating func succeed(_ target: Int, to old: Int, isCall: Bool) {
        facts.succeed(target, to: old, catalogue: catalogue)
        if facts.sessions[target]?.isDriven == false { departed[target] = departed[old] }
        // What the other one has lost it waits for itself, too, if its application drives it.
        let lost = disconnections[old]
        let muted = mutedInputs[old]
        if isCall {
            // R36: what is a call here goes on wherever it is heard.
            facts.updateSession(target) { if $0.block.isOfRoute { $0.block = .none } }
        } else {
            let isDriven = facts.sessions[target]?.isDriven ?? false
            if let lost, !isDriven || disconnections[target] == nil { disconnections[target] = lost }
            if let muted, !isDriven || mutedInputs[target] == nil { mutedInputs[target] = muted }
        }
    }

    /// A session without wanted streams ends without delay. First of all, as others may be looked at before it.
    mutating func release(_ slot: Int, letsResume: Bool? = nil, at now: Instant) {
        guard var session = facts.sessions[slot], session.phase != .inactive, !session.isDriven else { return }
        leave(slot, &session, letsResume: letsResume)
        facts.keepSession(slot, session)
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
        var isDescribed = session.isDescribed
        do throws(SessionConfiguration.Mistake) {
            switch change {
            case .category(let category, let options, let mode):
                try new.set(category, options, mode, whileActive: isActive)
                isDescribed = true
            case .mode(let mode): try new.set(mode, whileActive: isActive)
            case .outputOverride(let override): try new.set(override)
            case .avoidsAlerts(let avoids): new.avoidsAlerts = avoids
            case .interruptionOnRouteDisconnect(let wish): new.interruptionOnRouteDisconnect = wish
            }
        } catch { return effects.append(.answered(id, .mistaken(error))) }
        guard describe(new) != describe(old) || isDescribed != session.isDescribed else {
            configurations[slot] = new
            toShow.append(slot)
            return effects.append(.answered(id, .done))
        }
        guard let description = room(for: ranked(describe(new), slot), slot) else {
            return effects.append(.answered(id, .noRoom))
        }
        let isHeard = isActive && verdict(of: slot).silence == .none
        if isDescribed, isHeard, let blocker = blocker(of: slot, as: description) {
            return effects.append(.answered(id, .refused(by: reference(Int(blocker.slot), blocker.description))))
        }
        configurations[slot] = new
        facts.updateSession(slot) { $0.isDescribed = isDescribed }
        describe(slot)
        // R7: at once while active, which is asking anew; at the next activation while inactive. R9: who is being silenced
        // has to activate again.
        if isDescribed, isHeard { facts.stamp(slot, catalogue: catalogue) }
        toShow.append(slot)
        update(at: now, &effects)
        effects.append(.answered(id, .done))
    }

    /// What others have to do with of what an application says.
    private func describe(_ configuration: SessionConfiguration) -> SessionDescription {
        configuration.description(ducking: policy.ducking)
    }

    /// Brings a session's description up to date: its own where its application has said one, else that of its streams
    /// (R1, R2). Returns whether it is another one now.
    @discardableResult
    mutating func describe(_ slot: Int) -> Bool {
        guard let session = facts.sessions[slot] else { return false }
        var new: DescriptionID?
        if session.isDescribed {
            guard let configuration = configurations[slot] else { return false }
            let directions = Directions(configuration.category)
            if directions != session.directions { facts.updateSession(slot) { $0.directions = directions } }
            new = room(for: ranked(describe(configuration), slot), slot)
        } else {
            // For the time of its release delay it stays what it was.
            guard session.asks || session.phase == .inactive else { return false }
            if session.isMixed {
                new = catalogue.strongest(of: facts.descriptions(of: slot, wantedOnly: session.wanted > 0))
            } else {
                new = facts.streams[Int(session.firstStream)]?.description
            }
            // N8: a preference is heeded whatever else its application has not said.
            if session.isOpened, let avoidsAlerts = configurations[slot]?.avoidsAlerts,
                avoidsAlerts || new == nil, var described = catalogue[new ?? session.description]
            {
                described.avoidsAlerts = avoidsAlerts
                new = room(for: described, slot) ?? new
            }
        }
        guard let new, new != session.description else { return false }
        facts.describe(slot, as: new, catalogue: catalogue)
        return true
    }

    /// R36: a session has the rank of the strongest stream that its application wants to run, as far as the policy lets that
    /// stream claim it.
    private func ranked(_ description: SessionDescription, _ slot: Int) -> SessionDescription {
        var result = description
        var next = facts.sessions[slot]?.firstStream ?? -1
        while let stream = facts.streams[Int(next)] {
            next = stream.next
            guard stream.isWanted, !stream.isInterfaceSound,
                let described = catalogue[stream.description], described.priority > description.priority,
                described.priority >= result.priority
            else { continue }
            // If any of the strongest streams is a call, the session is a call.
            result.isCall = !described.isAlert || described.priority == result.priority && result.isCall
            result.priority = described.priority
        }
        return result
    }

    /// The id of a description for an opened session in place of its own; `nil` when there is no room for another kind.
    private mutating func room(for description: SessionDescription, _ slot: Int) -> DescriptionID? {
        guard let application = facts.application(of: slot) else { return nil }
        return room(for: description, of: application, except: slot)
    }

    /// The id of a description of an opened session; `nil` when there is no room for another kind.
    private mutating func room(
        for description: SessionDescription, of application: ApplicationID, isSystem: Bool = false,
        except slot: Int = -1
    ) -> DescriptionID? {
        // R36: what applications say keeps no call out.
        if !isSystem, !catalogue.has(description) {
            var all: Set<DescriptionID> = []
            var own: Set<DescriptionID> = []
            for other in shown.keys where other != slot {
                guard let used = facts.sessions[other]?.description else { continue }
                all.insert(used)
                if facts.application(of: other) == application { own.insert(used) }
            }
            guard all.count < Engine.openedDescriptions, own.count < Engine.openedDescriptionsOfOne else { return nil }
        }
        return id(of: description)
    }

    // MARK: - Being heard

    mutating func take(_ request: SessionRequest, of id: SessionID, at now: Instant, _ effects: inout [Effect]) {
        guard let slot = facts.slot(of: id) else { return effects.append(.answered(id, .unknown)) }
        toShow.append(slot)
        switch request {
        case .activate(let mayWait):
            // First, as the catalogue may take it in only now.
            guard let own = ownDescription(of: slot) else { return effects.append(.answered(id, .noRoom)) }
            guard !isActivated(slot), let blocker = blocker(of: slot, as: own) else {
                waiting.removeAll { $0 == slot }
                if !isActivated(slot) {
                    activate(slot)
                    update(at: now, &effects)
                }
                return effects.append(.answered(id, .done))
            }
            guard mayWait else {
                return effects.append(.answered(id, .refused(by: reference(Int(blocker.slot), blocker.description))))
            }
            if !waiting.contains(slot) { waiting.append(slot) }
            effects.append(.answered(id, .delayed))
        case .deactivate(let notifyOthers):
            waiting.removeAll { $0 == slot }
            giveUp(slot, notifyOthers: notifyOthers)
            facts.updateSession(slot) {
                $0.block = .none
                $0.isDescribed = true
            }
            describe(slot)
            update(at: now, &effects)
            effects.append(.answered(id, .done))
        case .cancel:
            let waits = waiting.contains(slot)
            waiting.removeAll { $0 == slot }
            effects.append(.answered(id, waits ? .done : .nothingWaits))
        }
    }

    /// What a session is once its application activates it; `nil` when there is no room for that.
    private mutating func ownDescription(of slot: Int) -> DescriptionID? {
        // One of the system is what it is.
        guard let configuration = configurations[slot] else { return facts.sessions[slot]?.description }
        return room(for: ranked(describe(configuration), slot), slot)
    }

    private mutating func activate(_ slot: Int) {
        facts.updateSession(slot) {
            $0.isDriven = true
            $0.isActivated = true
            $0.isDescribed = true
            $0.block = .none
            // It may have ended in the same turn in which its activation is granted: it has not left then.
            $0.isLeaving = false
            // Who is heard decides anew, not who has silenced it and is silent itself.
            $0.cause = -1
            // It has not given up: if another one silences it in the same moment, its interruption goes on.
            if $0.interruption == .ended { $0.interruption = .announced }
        }
        describe(slot)
        facts.stamp(slot, catalogue: catalogue)
    }

    /// Whether its application has activated a session that nobody silences.
    private func isActivated(_ slot: Int) -> Bool {
        guard let session = facts.sessions[slot] else { return false }
        return session.isDriven && session.isActivated && verdict(of: slot).silence == .none
    }

    /// A session is not to be heard any more. Those that it has interrupted are told so in the end (R11).
    private mutating func giveUp(_ slot: Int, notifyOthers: Bool) {
        guard var session = facts.sessions[slot] else { return }
        let holds = session.holds
        session.isDriven = true
        if holds { leave(slot, &session, letsResume: notifyOthers) }
        session.isActivated = false
        // What it has given up itself it is not asked to take up again, nor is it told that it was taken away.
        session.mayResume = false
        if session.interruption == .begun { session.interruption = .none }
        session.isDirty = true
        facts.keepSession(slot, session)
    }

    /// N9: activates what waits, in the order of asking, as far as nobody is in the way any more. Returns who was activated.
    mutating func grantWhatWaits(at now: Instant) -> [SessionID] {
        var granted: [SessionID] = []
        var index = 0
        while index < waiting.count {
            let slot = waiting[index]
            // It waits on while there is no room for it.
            guard let own = ownDescription(of: slot), blocker(of: slot, as: own) == nil, let id = facts.id(of: slot)
            else {
                index += 1
                continue
            }
            waiting.remove(at: index)
            toShow.append(slot)
            activate(slot)
            settle(at: now)
            granted.append(id)
            // It may be in nobody's way any more, now that its application drives it.
            index = 0
        }
        return granted
    }

    // MARK: - Switches

    /// N16: the user has switched something, or a suspended policy is in force again.
    mutating func change(to switches: Switches, at now: Instant, _ effects: inout [Effect]) {
        facts.switches = switches
        reconsider()
        update(at: now, &effects)
    }

    /// Has everything looked at again. Nothing counts as presented, so that every stream is looked at too.
    mutating func reconsider() {
        for slot in presented.indices { presented[slot].description = nil }
        for slot in 0..<facts.sessions.capacity { facts.updateSession(slot) { $0.isDirty = true } }
    }
}
