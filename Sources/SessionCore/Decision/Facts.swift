/// Where a session is between its first stream and its last. Every phase but `inactive` claims the right to be heard.
enum Phase: UInt8, Sendable {
    case inactive
    /// Wanted, and made to wait until those that it interrupts are silent.
    case holding
    /// Let go, not seen running yet.
    case starting
    /// Running, or stopped by an interruption while its application wants it to run.
    case active
    /// Its last stream has stopped a moment ago.
    case releasing
}

/// How far the news of an interruption has come (R26, R30).
enum Interruption: UInt8, Sendable {
    case none
    /// Decided; not told before the session is silent.
    case begun
    case announced
    /// Over; not told yet.
    case ended
}

/// What is known of one stream. Flat, so that ten thousand of them are one block of memory.
struct StreamFacts: Sendable, Equatable {
    var id: StreamID
    /// The session's slot.
    var session: Int
    /// The slot of the next stream of the same session.
    var next: Int?
    var description: DescriptionID
    var direction: StreamDirection
    /// Its application wants it to run.
    var isWanted = false
    /// The server processes it.
    var isRunning = false
    /// It has been heard since it appeared, so it fades back in instead of losing its beginning.
    var hasRun = false
    /// The silence that it was told to keep is reached.
    var isSettled = false
}

/// What is known of one session.
struct SessionFacts: Sendable, Equatable {
    var firstStream: Int?
    var description: DescriptionID
    var phase = Phase.inactive
    /// The rank among all sessions, higher first: priority, then recordings (R21), then the latest activation.
    var claim: UInt64 = 0
    /// When it last asked to be heard, in the order of all such requests.
    var stamp: UInt64 = 0
    /// The description of the session that took over from it for good (R31).
    var supersededBy: DescriptionID?
    /// When the present phase ends by itself.
    var deadline: Instant?
    /// How far the application was told of an interruption.
    var interruption = Interruption.none
    /// Waiting for others to fall silent was tried since its application last wanted to run.
    var hasStarted = false
}

/// Everything the verdict depends on.
struct Facts: Sendable, Equatable {
    private(set) var streams = Slots<StreamFacts>()
    private(set) var sessions = Slots<SessionFacts>()
    /// The applications, by session slot; apart, because strings are counted references.
    private(set) var applications: [ApplicationID] = []
    /// Session slots by claim, the strongest first.
    private(set) var order: [Int] = []
    private var slotOfStream: [StreamID: Int] = [:]
    private var slotOfSession: [ApplicationID: Int] = [:]
    private var lastStamp: UInt64 = 0

    func application(of session: Int) -> ApplicationID? {
        session >= 0 && session < applications.count ? applications[session] : nil
    }

    func slot(of stream: StreamID) -> Int? { slotOfStream[stream] }

    /// Calls the body with the slot of every stream of a session.
    func forEachStream(of session: Int, _ body: (Int, StreamFacts) -> Void) {
        var next = sessions[session]?.firstStream
        while let slot = next, let stream = streams[slot] {
            next = stream.next
            body(slot, stream)
        }
    }

    mutating func addStream(
        _ id: StreamID, application: ApplicationID, description: DescriptionID, direction: StreamDirection
    ) -> Int? {
        guard slotOfStream[id] == nil else { return nil }
        let session: Int
        if let known = slotOfSession[application] {
            session = known
        } else {
            session = sessions.insert(SessionFacts(description: description))
            slotOfSession[application] = session
            if session < applications.count {
                applications[session] = application
            } else {
                applications.append(application)
            }
            order.append(session)
        }
        let first = sessions[session]?.firstStream
        let slot = streams.insert(
            StreamFacts(id: id, session: session, next: first, description: description, direction: direction))
        sessions.update(session) { $0.firstStream = slot }
        slotOfStream[id] = slot
        return slot
    }

    mutating func removeStream(_ slot: Int) {
        guard let stream = streams.remove(slot) else { return }
        slotOfStream[stream.id] = nil
        var previous: Int?
        var next = sessions[stream.session]?.firstStream
        while let candidate = next, candidate != slot {
            previous = candidate
            next = streams[candidate]?.next
        }
        if let previous {
            streams.update(previous) { $0.next = stream.next }
        } else {
            sessions.update(stream.session) { $0.firstStream = stream.next }
        }
    }

    /// Forgets a session that has no streams any more.
    mutating func removeSession(_ slot: Int) {
        guard let session = sessions[slot], session.firstStream == nil else { return }
        if let place = place(of: slot) { order.remove(at: place) }
        sessions.remove(slot)
        if slot < applications.count { slotOfSession[applications[slot]] = nil }
    }

    mutating func updateStream(_ slot: Int, _ change: (inout StreamFacts) -> Void) { streams.update(slot, change) }

    /// Changes what is known of a session, but for its claim, which ``rank(_:policy:)`` derives.
    mutating func updateSession(_ slot: Int, _ change: (inout SessionFacts) -> Void) { sessions.update(slot, change) }

    /// Notes that a session asks to be heard now: it comes after all earlier requests.
    mutating func stamp(_ slot: Int) {
        lastStamp &+= 1
        let stamp = lastStamp
        sessions.update(slot) { $0.stamp = stamp }
    }

    /// Derives a session's claim anew and moves it to its place in the order. Returns whether anything changed.
    mutating func rank(_ slot: Int, policy: Policy) -> Bool {
        guard let session = sessions[slot], let description = policy[session.description] else { return false }
        let claim =
            UInt64(description.priority.rawValue) << 56 | (description.precedesEquals ? 1 << 55 : 0)
            | (session.stamp & (1 << 55 - 1))
        guard claim != session.claim else { return false }
        if let place = place(of: slot) { order.remove(at: place) }
        sessions.update(slot) { $0.claim = claim }
        order.insert(slot, at: firstPlace(notAbove: claim))
        return true
    }

    /// The first place in the order whose claim is not above this one.
    private func firstPlace(notAbove claim: UInt64) -> Int {
        var low = 0
        var high = order.count
        while low < high {
            let middle = low + (high - low) / 2
            if (sessions[order[middle]]?.claim ?? 0) > claim { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func place(of slot: Int) -> Int? {
        guard let claim = sessions[slot]?.claim else { return nil }
        var place = firstPlace(notAbove: claim)
        // Only sessions that never asked to be heard share a claim.
        while place < order.count {
            if order[place] == slot { return place }
            place += 1
        }
        return nil
    }
}
