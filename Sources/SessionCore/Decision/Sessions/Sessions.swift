/// The state of an opened session, as its application may read it.
public struct SessionState: Sendable, Hashable {
    /// The configuration that its application has set; the default for a session of the system.
    public var configuration = SessionConfiguration()
    /// Whether the session may be heard.
    public var isActive = false
    /// Whether an interruption has begun and not ended.
    public var isInterrupted = false
    /// Whether an activation is delayed (N9).
    public var isDelayed = false
    /// Whether another session is heard (R77).
    public var isOtherAudioPlaying = false
    /// Whether another session is heard that does not mix (N6).
    public var isSecondaryAudioToBeSilenced = false
    /// Whether all inputs from which it records are muted by the user (N7).
    public var isInputMuted = false

    /// Creates the state of a session that has just been opened.
    public init() {}
}

/// Sessions that applications or the system open themselves.
extension Engine {
    /// The maximum numbers of different descriptions that opened sessions use at a time, of all applications and of
    /// one. The rest of the catalogue is for streams.
    static let openedDescriptions = 48
    static let openedDescriptionsOfOne = 8

    /// The state of an opened session; `nil` if the session is unknown.
    public func state(of id: SessionID) -> SessionState? { facts.slot(of: id).flatMap { publishedStates[$0] } }

    /// The streams of an opened session, the newest first; empty if the session is unknown.
    public func streams(of id: SessionID) -> [(id: StreamID, direction: StreamDirection)] {
        var streams: [(id: StreamID, direction: StreamDirection)] = []
        var next = facts.slot(of: id).flatMap { facts.sessions[$0]?.firstStream } ?? -1
        while let stream = facts.streams[Int(next)] {
            streams.append((stream.id, stream.direction))
            next = stream.next
        }
        return streams
    }

    /// The configuration of an application's opened session; `nil` for a session of the system, or an unknown one.
    public func configuration(of id: SessionID) -> SessionConfiguration? {
        facts.slot(of: id).flatMap { configurations[$0] }
    }

    // MARK: - Opening, closing and moving

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
                $0.sparesBeginner = beginner != nil
            }
        }
        if publishedStates.isEmpty { heard = countHeard() }
        publishedStates[slot] = SessionState()
        update(at: now, &effects)
        effects.append(.answered(id, .done))
    }

    mutating func close(_ id: SessionID, at now: Instant, _ effects: inout [Effect]) {
        guard let slot = facts.slot(of: id), let application = facts.application(of: slot) else { return }
        delayed.removeAll { $0 == slot }
        // R12: the sessions that it interrupted resume. This comes first, so that no session interrupts the one that is
        // ending.
        deactivate(slot, notifyOthers: true)
        facts.updateSession(slot) { if $0.block == .mutedInput { $0.block = .none } }
        relocate(facts.streams(of: slot), from: slot, to: .application(application), requestsActivation: false, at: now)
        // A session that is closing is told only the end of its interruption, and last, not new reasons to be silent.
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
        publishedStates[slot] = nil
        facts.updateSession(slot) { $0.isOpened = false }
        forgetIfGone(slot)
    }

    /// Moves a stream, with all its facts, to another session.
    mutating func move(_ slot: Int, to key: SessionKey, at now: Instant, _ effects: inout [Effect]) {
        guard let stream = facts.streams[slot] else { return }
        relocate([slot], from: Int(stream.session), to: key, requestsActivation: true, at: now)
        update(stream: slot, at: now, &effects)
    }

    /// Moves several streams of one session to another session, together.
    ///
    /// - Parameter requestsActivation: Whether the move is a request for activation in the other session.
    private mutating func relocate(
        _ slots: [Int], from old: Int, to key: SessionKey, requestsActivation: Bool, at now: Instant
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
                // R9: when all wanted streams only change their session, that is no request for activation.
                if isAll, facts.sessions[target]?.wanted == 0 {
                    let all = streams.compactMap { $0.facts.isWanted ? $0.facts.description : nil }
                    let strongest = catalogue.strongest(of: all) ?? moved.description
                    succeed(target, to: old, isCall: catalogue[strongest]?.goesOnElsewhere == true)
                } else if requestsActivation {
                    requestActivation(by: moved)
                }
            }
            // The sessions that it silenced are told an end that depends on its description without these streams.
            describe(old)
            // A session without wanted streams ends at once, without its release delay.
            if isAll { endAtOnce(old, at: now) }
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
            // The target has taken over a final block, so it ends at once.
            if var session = facts.sessions[target], session.block.isFinal, session.phase != .inactive,
                !session.isDriven
            {
                leave(target, &session)
                facts.keepSession(target, session)
            }
            // The treatment of the target's streams now applies to the moved streams too.
            if target < treatmentInputs.count { treatmentInputs[target].description = nil }
        }
    }

    /// Gives a session another session's place, cause, block and lost devices.
    private mutating func succeed(_ target: Int, to old: Int, isCall: Bool) {
        facts.succeed(target, to: old, catalogue: catalogue)
        if facts.sessions[target]?.isDriven == false {
            formerInterrupters[target] = formerInterrupters[old]
            passFreedoms(from: old, to: target)
        }
        // The target also waits for the devices that the other session lost, unless its application drives it and it
        // waits already.
        let lost = disconnections[old]
        let muted = mutedInputs[old]
        if isCall {
            // R36: a call plays on any output.
            facts.updateSession(target) { if $0.block.isOfRoute { $0.block = .none } }
        } else {
            let isDriven = facts.sessions[target]?.isDriven ?? false
            if let lost, !isDriven || disconnections[target] == nil { disconnections[target] = lost }
            if let muted, !isDriven || mutedInputs[target] == nil { mutedInputs[target] = muted }
        }
    }

    /// Ends a session without wanted streams at once. This comes first, because others may be decided before it.
    mutating func endAtOnce(_ slot: Int, letsResume: Bool? = nil, at now: Instant) {
        guard var session = facts.sessions[slot], session.phase != .inactive, !session.isDriven else { return }
        leave(slot, &session, letsResume: letsResume)
        facts.keepSession(slot, session)
        holders.removeAll { $0 == slot }
        facts.updateSession(slot) {
            $0.phase = .releasing
            $0.deadline = now
        }
    }

    // MARK: - Configuration and description

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
            case .interruptionOnRouteDisconnect(let interrupts): new.interruptionOnRouteDisconnect = interrupts
            }
        } catch { return effects.append(.answered(id, .mistaken(error))) }
        guard describe(new) != describe(old) || isDescribed != session.isDescribed else {
            configurations[slot] = new
            toPublish.append(slot)
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
        // R7: while the session is active, a change applies at once and counts as a request for activation; while
        // inactive, it applies at the next activation. R9: a session that is being silenced has to activate again.
        if isDescribed, isHeard { facts.stamp(slot, catalogue: catalogue) }
        toPublish.append(slot)
        update(at: now, &effects)
        effects.append(.answered(id, .done))
    }

    /// The parts of a configuration that affect other sessions.
    private func describe(_ configuration: SessionConfiguration) -> SessionDescription {
        configuration.description(ducking: policy.ducking)
    }

    /// Updates a session's description: from its configuration if its application has set one, else from its streams
    /// (R1, R2). Returns whether the description has changed.
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
            // A session in its release delay keeps its description.
            guard session.requestsActivation || session.phase == .inactive else { return false }
            if session.isMixed {
                new = catalogue.strongest(of: facts.descriptions(of: slot, wantedOnly: session.wanted > 0))
            } else {
                new = facts.streams[Int(session.firstStream)]?.description
            }
            // N8: the preference about alerts applies even if the application has set nothing else.
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

    /// R36: gives a session's description the priority of its strongest wanted stream, as far as the policy lets that
    /// stream claim the priority.
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

    /// The id of a new description for an opened session, not counting its present one; `nil` if there is no room.
    private mutating func room(for description: SessionDescription, _ slot: Int) -> DescriptionID? {
        guard let application = facts.application(of: slot) else { return nil }
        return room(for: description, of: application, except: slot)
    }

    /// The id of a description for an opened session; `nil` if there is no room.
    private mutating func room(
        for description: SessionDescription, of application: ApplicationID, isSystem: Bool = false,
        except slot: Int = -1
    ) -> DescriptionID? {
        // R36: the descriptions of applications never use up the room for a call.
        if !isSystem, !catalogue.has(description) {
            var all: Set<DescriptionID> = []
            var own: Set<DescriptionID> = []
            for other in publishedStates.keys where other != slot {
                guard let used = facts.sessions[other]?.description else { continue }
                all.insert(used)
                if facts.application(of: other) == application { own.insert(used) }
            }
            guard all.count < Engine.openedDescriptions, own.count < Engine.openedDescriptionsOfOne else { return nil }
        }
        return id(of: description)
    }

    // MARK: - Activation

    mutating func answer(_ request: SessionRequest, of id: SessionID, at now: Instant, _ effects: inout [Effect]) {
        guard let slot = facts.slot(of: id) else { return effects.append(.answered(id, .unknown)) }
        toPublish.append(slot)
        switch request {
        case .activate(let mayWait):
            // First, because the catalogue may have to make room for the description.
            guard let own = ownDescription(of: slot) else { return effects.append(.answered(id, .noRoom)) }
            guard !isActivated(slot), let blocker = blocker(of: slot, as: own) else {
                delayed.removeAll { $0 == slot }
                if !isActivated(slot) {
                    activate(slot)
                    update(at: now, &effects)
                }
                return effects.append(.answered(id, .done))
            }
            guard mayWait else {
                return effects.append(.answered(id, .refused(by: reference(Int(blocker.slot), blocker.description))))
            }
            if !delayed.contains(slot) { delayed.append(slot) }
            effects.append(.answered(id, .delayed))
        case .deactivate(let notifyOthers):
            delayed.removeAll { $0 == slot }
            deactivate(slot, notifyOthers: notifyOthers)
            facts.updateSession(slot) {
                $0.block = .none
                $0.isDescribed = true
            }
            describe(slot)
            update(at: now, &effects)
            effects.append(.answered(id, .done))
        case .cancel:
            let isDelayed = delayed.contains(slot)
            delayed.removeAll { $0 == slot }
            effects.append(.answered(id, isDelayed ? .done : .nothingDelayed))
        }
    }

    /// Whether an opened session is active, or an activation would succeed now (N26). `false` if the session is unknown.
    public mutating func canBeActivated(_ id: SessionID) -> Bool {
        guard let slot = facts.slot(of: id), let own = ownDescription(of: slot) else { return false }
        return isActivated(slot) || blocker(of: slot, as: own) == nil
    }

    /// The description that a session will have once its application activates it; `nil` if there is no room.
    private mutating func ownDescription(of slot: Int) -> DescriptionID? {
        // A session of the system keeps its description.
        guard let configuration = configurations[slot] else { return facts.sessions[slot]?.description }
        return room(for: ranked(describe(configuration), slot), slot)
    }

    private mutating func activate(_ slot: Int) {
        facts.updateSession(slot) {
            $0.isDriven = true
            $0.isActivated = true
            $0.isDescribed = true
            $0.block = .none
            // If it ended in the same turn in which its activation is granted, it has not left.
            $0.isLeaving = false
            // The sessions that are heard now decide anew. The former cause may itself be silent.
            $0.cause = -1
            // It has not given up: if another session silences it at the same moment, its interruption continues.
            if $0.interruption == .ended { $0.interruption = .announced }
        }
        describe(slot)
        facts.stamp(slot, catalogue: catalogue)
    }

    /// Whether a session's application has activated it and nobody silences it.
    private func isActivated(_ slot: Int) -> Bool {
        guard let session = facts.sessions[slot] else { return false }
        return session.isDriven && session.isActivated && verdict(of: slot).silence == .none
    }

    /// Deactivates a session. The sessions that it interrupted are told whether they may resume (R11).
    private mutating func deactivate(_ slot: Int, notifyOthers: Bool) {
        guard var session = facts.sessions[slot] else { return }
        let keepsVictimsWaiting = session.keepsVictimsWaiting
        session.isDriven = true
        if keepsVictimsWaiting { leave(slot, &session, letsResume: notifyOthers) }
        session.isActivated = false
        // A session that deactivates itself is neither told to resume nor told of an interruption.
        session.mayResume = false
        if session.interruption == .begun { session.interruption = .none }
        session.isDirty = true
        facts.keepSession(slot, session)
    }

    /// N9: grants delayed activations that nothing prevents any more, oldest request first. Returns the sessions
    /// activated.
    mutating func grantDelayed(at now: Instant) -> [SessionID] {
        var granted: [SessionID] = []
        var index = 0
        while index < delayed.count {
            let slot = delayed[index]
            // The session keeps waiting while there is no room for its description.
            guard let own = ownDescription(of: slot), blocker(of: slot, as: own) == nil, let id = facts.id(of: slot)
            else {
                index += 1
                continue
            }
            delayed.remove(at: index)
            toPublish.append(slot)
            activate(slot)
            resolve(at: now)
            granted.append(id)
            // Now that its application drives it, it may no longer prevent another activation.
            index = 0
        }
        return granted
    }

    // MARK: - Switches

    /// N16: applies changed switches, also when a suspended policy is in force again.
    mutating func change(to switches: Switches, at now: Instant, _ effects: inout [Effect]) {
        // A session is free from the switches until one of them changes.
        if !freedFromSwitches.isEmpty {
            var (old, new) = (facts.switches, switches)
            (old.pausedUntil, new.pausedUntil) = (nil, nil)
            if old != new { freedFromSwitches = [] }
        }
        facts.switches = switches
        reconsider()
        update(at: now, &effects)
    }

    /// Marks all sessions and streams to be decided about again.
    mutating func reconsider() {
        for slot in treatmentInputs.indices { treatmentInputs[slot].description = nil }
        for slot in 0..<facts.sessions.capacity { facts.updateSession(slot) { $0.isDirty = true } }
    }
}
