/// All inputs of the verdict besides the policy.
struct Facts: Sendable, Equatable {
    private(set) var streams = Slots<StreamFacts>()
    private(set) var sessions = Slots<SessionFacts>()
    /// The slots of all sessions, the strongest claim first.
    private(set) var order: [Int32] = []
    /// The user's switches.
    var switches = Switches()
    /// The applications and keys, by session slot. Kept apart from the sessions because strings are counted references.
    private var applications: [ApplicationID] = []
    private var keys: [SessionKey] = []
    /// The serial number of each session, by session slot. Serial numbers are never reused.
    private var serials: [UInt32] = []
    private var slotOfStream: [StreamID: Int] = [:]
    private var slotOfSession: [SessionKey: Int] = [:]
    private var lastStamp: UInt64 = 0
    private var lastSerial: UInt32 = 0

    /// The slot of an opened session; `nil` if there is none.
    func slot(of id: SessionID) -> Int? { slotOfSession[.opened(id)] }

    /// The slot of the session that an application has because of its streams; `nil` if there is none.
    func slot(of application: ApplicationID) -> Int? { slotOfSession[.application(application)] }

    /// The id of an opened session; `nil` for a session that was not opened.
    func id(of session: Int) -> SessionID? {
        if session >= 0, session < keys.count, case .opened(let id) = keys[session] { return id }
        return nil
    }

    func application(of session: Int) -> ApplicationID? {
        session >= 0 && session < applications.count ? applications[session] : nil
    }

    /// The session's unique number, which is never reused.
    func number(of session: Int) -> SessionNumber {
        SessionNumber(session >= 0 && session < serials.count ? serials[session] : 0, slot: session)
    }

    /// The slot of a session; `nil` if it no longer exists.
    func slot(of number: SessionNumber) -> Int? {
        let slot = Int(number.slot)
        return sessions.has(slot) && slot < serials.count && serials[slot] == number.rawValue ? slot : nil
    }

    func slot(of stream: StreamID) -> Int? { slotOfStream[stream] }

    // MARK: - Streams

    /// Adds a stream, and a session for the application's first stream. Returns the slot; `nil` if the stream is known
    /// already.
    mutating func addStream(
        _ id: StreamID, application: ApplicationID, description: DescriptionID, direction: StreamDirection,
        catalogue: borrowing Catalogue
    ) -> Int? {
        guard slotOfStream[id] == nil else { return nil }
        let session =
            slotOfSession[.application(application)]
            ?? addSession(.application(application), application, description, catalogue)
        let slot = streams.insert(
            StreamFacts(
                id: id, session: Int32(truncatingIfNeeded: session), description: description, direction: direction,
                isInterfaceSound: catalogue.traits(of: description).contains(.interfaceSound)))
        link(slot, description, to: session)
        slotOfStream[id] = slot
        return slot
    }

    private mutating func link(_ slot: Int, _ description: DescriptionID, to session: Int) {
        let first = sessions[session]?.firstStream ?? -1
        let neighbour = streams[Int(first)]?.description
        streams.update(slot) {
            $0.session = Int32(truncatingIfNeeded: session)
            $0.next = first
            $0.previous = -1
        }
        streams.update(Int(first)) { $0.previous = Int32(truncatingIfNeeded: slot) }
        updateSession(session) {
            $0.firstStream = Int32(truncatingIfNeeded: slot)
            if let neighbour { $0.isMixed = $0.isMixed || neighbour != description } else { $0.isMixed = false }
        }
    }

    /// Moves a stream that is neither wanted nor running to another session. Returns that session's slot; `nil` if the
    /// session does not exist or already has the stream.
    mutating func moveStream(_ slot: Int, to key: SessionKey, catalogue: borrowing Catalogue) -> Int? {
        guard let stream = streams[slot] else { return nil }
        var target = slotOfSession[key]
        if target == nil, case .application(let application) = key {
            target = addSession(key, application, stream.description, catalogue)
        }
        guard let target, target != Int(stream.session) else { return nil }
        unlink(slot, stream)
        link(slot, stream.description, to: target)
        return target
    }

    mutating func removeStream(_ slot: Int) {
        changeStream(slot) {
            $0.isWanted = false
            $0.isRunning = false
        }
        guard let stream = streams.remove(slot) else { return }
        slotOfStream[stream.id] = nil
        unlink(slot, stream)
    }

    private mutating func unlink(_ slot: Int, _ stream: StreamFacts) {
        streams.update(Int(stream.previous)) { $0.next = stream.next }
        streams.update(Int(stream.next)) { $0.previous = stream.previous }
        updateSession(Int(stream.session)) {
            if $0.firstStream == Int32(truncatingIfNeeded: slot) { $0.firstStream = stream.next }
        }
    }

    /// Changes a stream's facts, and the sums that its session keeps.
    mutating func changeStream(_ slot: Int, _ change: (inout StreamFacts) -> Void) {
        guard let old = streams[slot] else { return }
        streams.update(slot, change)
        guard let new = streams[slot] else { return }
        updateSession(Int(new.session)) {
            let wanted: Int32 = (new.isWanted ? 1 : 0) - (old.isWanted ? 1 : 0)
            $0.wanted &+= wanted
            if new.isInterfaceSound {
                $0.wantedInterfaceSounds &+= wanted
            } else if new.direction == .capture {
                $0.wantedRecordings &+= wanted
            }
            $0.running &+= (new.isWanted && new.isRunning ? 1 : 0) - (old.isWanted && old.isRunning ? 1 : 0)
            $0.audible &+= (new.isAudible ? 1 : 0) - (old.isAudible ? 1 : 0)
            $0.sounding &+= (new.sounds ? 1 : 0) - (old.sounds ? 1 : 0)
        }
    }

    /// Changes whether a stream's application wants it and whether it is muted, and derives from that whether it counts
    /// as wanted.
    mutating func changeWish(_ slot: Int, _ muted: MutedStreams, _ change: (inout StreamFacts) -> Void) {
        changeStream(slot) {
            change(&$0)
            $0.isWanted = $0.isWanted(muted)
        }
    }

    /// The slots of a session's streams, the newest first.
    func streams(of session: Int) -> [Int] {
        var result: [Int] = []
        var next = sessions[session]?.firstStream ?? -1
        while let stream = streams[Int(next)] {
            result.append(Int(next))
            next = stream.next
        }
        return result
    }

    /// Where a session's wanted playback streams are heard (N27); empty if that is not known of one of them, or if there is
    /// none.
    func zones(of session: Int) -> ZoneSet {
        var result: ZoneSet = []
        var next = sessions[session]?.firstStream ?? -1
        while let stream = streams[Int(next)] {
            next = stream.next
            guard stream.isWanted, stream.direction == .playback else { continue }
            if stream.zones.isEmpty { return [] }
            result.formUnion(stream.zones)
        }
        return result
    }

    /// The number of a session's audible streams, without user interface sounds.
    func audibleStreams(of session: Int) -> Int32 {
        var result: Int32 = 0
        var next = sessions[session]?.firstStream ?? -1
        while let stream = streams[Int(next)] {
            next = stream.next
            if stream.isAudible, !stream.isInterfaceSound { result &+= 1 }
        }
        return result
    }

    /// The different descriptions of a session's streams; with `wantedOnly`, of the wanted streams only.
    func descriptions(of session: Int, wantedOnly: Bool) -> [DescriptionID] {
        var result: [DescriptionID] = []
        var next = sessions[session]?.firstStream ?? -1
        while let stream = streams[Int(next)] {
            next = stream.next
            if !wantedOnly || stream.isWanted, !result.contains(stream.description) {
                result.append(stream.description)
            }
        }
        return result
    }

    /// Changes a stream's description.
    mutating func describe(stream slot: Int, as description: DescriptionID, catalogue: borrowing Catalogue) {
        let isInterfaceSound = catalogue.traits(of: description).contains(.interfaceSound)
        guard let stream = streams[slot] else { return }
        updateSession(Int(stream.session)) {
            $0.isMixed = true
            guard stream.isWanted, stream.isInterfaceSound != isInterfaceSound else { return }
            $0.wantedInterfaceSounds &+= isInterfaceSound ? 1 : -1
            if stream.direction == .capture { $0.wantedRecordings &+= isInterfaceSound ? -1 : 1 }
        }
        streams.update(slot) {
            $0.description = description
            $0.isInterfaceSound = isInterfaceSound
        }
    }

    // MARK: - Sessions

    /// Opens a session and returns its slot; `nil` if the id is taken.
    mutating func openSession(
        _ id: SessionID, application: ApplicationID, description: DescriptionID, catalogue: borrowing Catalogue
    ) -> Int? {
        guard slotOfSession[.opened(id)] == nil else { return nil }
        let session = addSession(.opened(id), application, description, catalogue)
        updateSession(session) { $0.isOpened = true }
        return session
    }

    private mutating func addSession(
        _ key: SessionKey, _ application: ApplicationID, _ description: DescriptionID, _ catalogue: borrowing Catalogue
    ) -> Int {
        lastSerial &+= 1
        lastStamp &+= 1
        var facts = SessionFacts(description: description)
        facts.stamp = lastStamp
        facts.claim = claim(of: description, lastStamp, catalogue)
        facts.isDirty = true
        let session = sessions.insert(facts)
        slotOfSession[key] = session
        if session < applications.count {
            applications[session] = application
            keys[session] = key
            serials[session] = lastSerial
        } else {
            applications.append(application)
            keys.append(key)
            serials.append(lastSerial)
        }
        order.insert(Int32(truncatingIfNeeded: session), at: position(of: facts.claim))
        return session
    }

    /// Removes a session that has no streams any more.
    mutating func removeSession(_ slot: Int) {
        guard let session = sessions[slot], session.firstStream < 0 else { return }
        removeFromOrder(slot, session.claim)
        sessions.remove(slot)
        if slot < keys.count { slotOfSession[keys[slot]] = nil }
    }

    /// Changes a session's facts and marks the session to be decided about when the event is over.
    mutating func updateSession(_ slot: Int, _ change: (inout SessionFacts) -> Void) {
        sessions.update(slot) {
            change(&$0)
            $0.isDirty = true
        }
    }

    /// Stores what was derived about a session during a decision, without marking it as changed.
    mutating func keepSession(_ slot: Int, _ session: SessionFacts) { sessions.update(slot) { $0 = session } }

    /// Records that a session requests activation now, after all earlier requests.
    mutating func stamp(_ slot: Int, catalogue: borrowing Catalogue) {
        lastStamp &+= 1
        claim(slot, stamp: lastStamp, catalogue: catalogue)
    }

    /// Gives a session another session's position among the requests, with its cause and block. The other session comes
    /// last, as if it had been opened now.
    mutating func succeed(_ slot: Int, to former: Int, catalogue: borrowing Catalogue) {
        guard let old = sessions[former], let new = sessions[slot], !new.isDriven else { return }
        stamp(former, catalogue: catalogue)
        claim(slot, stamp: old.stamp, catalogue: catalogue)
        updateSession(slot) {
            $0.cause = old.cause
            $0.block = old.block
        }
    }

    /// Changes a session's description.
    mutating func describe(_ slot: Int, as description: DescriptionID, catalogue: borrowing Catalogue) {
        guard let session = sessions[slot], session.description != description else { return }
        updateSession(slot) { $0.description = description }
        claim(slot, stamp: session.stamp, catalogue: catalogue)
    }

    /// Recomputes a session's claim and its position in the order of claims.
    mutating func claim(_ slot: Int, stamp: UInt64, catalogue: borrowing Catalogue) {
        guard let session = sessions[slot] else { return }
        let claim = claim(of: session.description, stamp, catalogue)
        if claim != session.claim { removeFromOrder(slot, session.claim) }
        updateSession(slot) {
            $0.stamp = stamp
            $0.claim = claim
        }
        if claim != session.claim { order.insert(Int32(truncatingIfNeeded: slot), at: position(of: claim)) }
    }

    /// The claim that a session of this description would have if it requested activation now.
    func nextClaim(of description: DescriptionID, catalogue: borrowing Catalogue) -> UInt64 {
        claim(of: description, lastStamp &+ 1, catalogue)
    }

    private func claim(of description: DescriptionID, _ stamp: UInt64, _ catalogue: borrowing Catalogue) -> UInt64 {
        // 55 bits last a thousand years at a million activations a second.
        catalogue.weight(of: description) << 55 | (stamp & (1 << 55 - 1))
    }

    private mutating func removeFromOrder(_ slot: Int, _ claim: UInt64) {
        let position = position(of: claim)
        if position < order.count, Int(order[position]) == slot { order.remove(at: position) }
    }

    /// The first position in the order whose claim is not above this one.
    private func position(of claim: UInt64) -> Int {
        var low = 0
        var high = order.count
        while low < high {
            let middle = low + (high - low) / 2
            if sessions[Int(order[middle])]?.claim ?? 0 > claim { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension UInt64 {
    /// The activation stamp in a claim: higher is later.
    var stampOfClaim: UInt64 { self & (1 << 55 - 1) }
    /// The priority in a claim.
    var priorityOfClaim: UInt64 { self >> 56 }
}
