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
    var session: Int32
    /// The slots of the neighbours among the streams of the same session; −1 at the ends.
    var next: Int32 = -1
    var previous: Int32 = -1
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
    /// What it records from is muted by its user (N7).
    var isInputMuted = false

    /// Whether it can be heard, as far as is known.
    var isAudible: Bool { isRunning && !isSettled }
}

/// What is known of one session. 64 bytes, because it is copied all the time: the large fields first, the flags in one word.
struct SessionFacts: Sendable, Equatable {
    /// The slot of one of its streams; −1 without streams.
    var firstStream: Int32 = -1
    /// How many of its streams are wanted; wanted and running; audible.
    var wanted: Int32 = 0
    var running: Int32 = 0
    var audible: Int32 = 0
    /// The descriptions of all its streams, and of the wanted ones.
    var descriptions: UInt64 = 0
    var wantedDescriptions: UInt64 = 0
    /// See ``Claimant/claim``.
    var claim: UInt64 = 0
    /// When it last asked to be heard, in the order of all such requests.
    var stamp: UInt64 = 0
    /// When the present phase ends by itself.
    var deadline: Instant?

    var description: DescriptionID
    var phase = Phase.inactive
    /// How far the application was told of an interruption.
    var interruption = Interruption.none
    /// The description of the session that took over from it for good (R31), or that did not let it begin (R8).
    var supersededBy: DescriptionID?
    private var flags: Flags = .mayResume

    private struct Flags: OptionSet {
        let rawValue: UInt16
        static let mayResume = Flags(rawValue: 1 << 8)
    }

    init(description: DescriptionID) { self.description = description }

    private subscript(bit: UInt16) -> Bool {
        get { flags.rawValue & 1 << bit != 0 }
        set { flags = Flags(rawValue: newValue ? flags.rawValue | 1 << bit : flags.rawValue & ~(1 << bit)) }
    }

    /// The claim does not show the last request yet.
    var hasNewClaim: Bool {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// It was not let begin.
    var isRejected: Bool {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// It was told last that it is active.
    var isToldActive: Bool {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Waiting for others to fall silent was tried since its application last wanted to run.
    var hasStarted: Bool {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// It asked to be heard while it had to be silent, so it goes ahead as soon as it may.
    var isWaiting: Bool {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// It was opened; its description is its own, not that of its streams.
    var isOpened: Bool {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// Its application activates and deactivates it; until it first does so, its streams do.
    var isDriven: Bool {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// Its application has activated it, and nothing has ended that.
    var isActivated: Bool {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// What its application will be told when the present interruption ends (R11, R31).
    var mayResume: Bool {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// Whether it asks to be heard. A sound of the interface asks for nothing (R13).
    func asks(_ catalogue: borrowing Catalogue) -> Bool {
        if isDriven { return isActivated }
        return isOpened ? wantedDescriptions & ~catalogue.interfaceSounds != 0 : wanted > 0
    }
}

/// Everything the verdict depends on.
struct Facts: Sendable, Equatable {
    private(set) var streams = Slots<StreamFacts>()
    private(set) var sessions = Slots<SessionFacts>()
    private(set) var claims = Claims()
    /// What the user has switched.
    var switches = Switches()
    /// The applications and keys, by session slot; apart, because strings are counted references.
    private var applications: [ApplicationID] = []
    private var keys: [SessionKey] = []
    /// Which one it is, among all that there ever were.
    private var serials: [UInt32] = []
    private var slotOfStream: [StreamID: Int] = [:]
    private var slotOfSession: [SessionKey: Int] = [:]
    private var lastStamp: UInt64 = 0
    private var lastSerial: UInt32 = 0

    /// The slot of a session that was opened.
    func slot(of id: SessionID) -> Int? { slotOfSession[.opened(id)] }

    /// Which of the opened sessions this is.
    func id(of session: Int) -> SessionID? {
        if session >= 0, session < keys.count, case .opened(let id) = keys[session] { return id }
        return nil
    }

    func application(of session: Int) -> ApplicationID? {
        session >= 0 && session < applications.count ? applications[session] : nil
    }

    /// Which session this is, among all that there ever were.
    func serial(of session: Int) -> UInt32 { session >= 0 && session < serials.count ? serials[session] : 0 }

    func slot(of stream: StreamID) -> Int? { slotOfStream[stream] }

    // MARK: - Streams

    /// Adds a stream, and its session if it is the application's first. `nil` when the stream is known already.
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
                id: id, session: Int32(truncatingIfNeeded: session), description: description, direction: direction))
        link(slot, description, to: session)
        slotOfStream[id] = slot
        return slot
    }

    private mutating func link(_ slot: Int, _ description: DescriptionID, to session: Int) {
        let first = sessions[session]?.firstStream ?? -1
        streams.update(slot) {
            $0.session = Int32(truncatingIfNeeded: session)
            $0.next = first
            $0.previous = -1
        }
        streams.update(Int(first)) { $0.previous = Int32(truncatingIfNeeded: slot) }
        sessions.update(session) {
            $0.firstStream = Int32(truncatingIfNeeded: slot)
            $0.descriptions |= description.bit
        }
    }

    /// Moves a stream that is neither wanted nor running to another session. Returns that one; `nil` where it does not exist.
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
        let session = Int(stream.session)
        sessions.update(session) {
            if $0.firstStream == Int32(truncatingIfNeeded: slot) { $0.firstStream = stream.next }
        }
        // Only where kinds are mixed can one be gone with a stream.
        if let known = sessions[session], known.descriptions != stream.description.bit || known.firstStream < 0 {
            let rest = gather(session) { _ in true }
            sessions.update(session) { $0.descriptions = rest }
        }
    }

    /// Changes what is known of a stream, and the sums that its session keeps.
    mutating func changeStream(_ slot: Int, _ change: (inout StreamFacts) -> Void) {
        guard let old = streams[slot] else { return }
        streams.update(slot, change)
        guard let new = streams[slot] else { return }
        let session = Int(new.session)
        sessions.update(session) {
            $0.wanted &+= (new.isWanted ? 1 : 0) - (old.isWanted ? 1 : 0)
            $0.running &+= (new.isWanted && new.isRunning ? 1 : 0) - (old.isWanted && old.isRunning ? 1 : 0)
            $0.audible &+= (new.isAudible ? 1 : 0) - (old.isAudible ? 1 : 0)
            if new.isWanted { $0.wantedDescriptions |= new.description.bit }
        }
        // Only where kinds are mixed can one be wanted no longer while another is.
        if old.isWanted && !new.isWanted, let known = sessions[session] {
            var rest = known.wantedDescriptions
            if known.wanted == 0 {
                rest = 0
            } else if rest != new.description.bit {
                rest = gather(session) { $0.isWanted }
            }
            sessions.update(session) { $0.wantedDescriptions = rest }
        }
    }

    /// Gives all streams and sessions other descriptions.
    ///
    /// - Parameters:
    ///   - ids: By stream slot.
    ///   - sessions: By session slot, for those without streams.
    ///   - successor: Who has taken over from a session, under the new descriptions.
    mutating func redescribe(
        _ ids: [DescriptionID?], sessions former: [DescriptionID?], catalogue: borrowing Catalogue,
        successor: (SessionFacts) -> DescriptionID?
    ) {
        for (slot, id) in ids.enumerated() {
            if let id { streams.update(slot) { $0.description = id } }
        }
        for slot in 0..<sessions.capacity where sessions.has(slot) {
            let all = gather(slot) { _ in true }
            let wanted = gather(slot) { $0.isWanted }
            sessions.update(slot) {
                $0.descriptions = all
                $0.wantedDescriptions = wanted
                let candidates = $0.isOpened ? 0 : wanted != 0 ? wanted : all
                $0.description =
                    catalogue.description(of: candidates) ?? (slot < former.count ? former[slot] : nil)
                    ?? $0.description
                $0.supersededBy = successor($0)
                if $0.supersededBy == nil { $0.isRejected = false }
            }
            _ = claim(slot, catalogue: catalogue)
        }
    }

    private func gather(_ session: Int, where counts: (StreamFacts) -> Bool) -> UInt64 {
        var descriptions: UInt64 = 0
        var next = sessions[session]?.firstStream ?? -1
        while let stream = streams[Int(next)] {
            next = stream.next
            if counts(stream) { descriptions |= stream.description.bit }
        }
        return descriptions
    }

    // MARK: - Sessions

    /// Opens a session; `nil` when there is one of that number.
    mutating func openSession(
        _ id: SessionID, application: ApplicationID, description: DescriptionID, catalogue: borrowing Catalogue
    ) -> Int? {
        guard slotOfSession[.opened(id)] == nil else { return nil }
        let session = addSession(.opened(id), application, description, catalogue)
        sessions.update(session) { $0.isOpened = true }
        return session
    }

    private mutating func addSession(
        _ key: SessionKey, _ application: ApplicationID, _ description: DescriptionID, _ catalogue: borrowing Catalogue
    ) -> Int {
        lastSerial &+= 1
        let session = sessions.insert(SessionFacts(description: description))
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
        stamp(session)
        let claim = claim(of: session, catalogue)
        sessions.update(session) {
            $0.claim = claim
            $0.hasNewClaim = false
        }
        claims.insert(
            Claimant(claim: claim, session: Int32(truncatingIfNeeded: session), description: description))
        return session
    }

    /// Forgets a session that has no streams any more.
    mutating func removeSession(_ slot: Int) {
        guard let session = sessions[slot], session.firstStream < 0 else { return }
        claims.remove(session.claim)
        sessions.remove(slot)
        if slot < keys.count { slotOfSession[keys[slot]] = nil }
    }

    /// Changes what is known of a session; what the verdict needs of it follows with ``claim(_:catalogue:)``.
    mutating func updateSession(_ slot: Int, _ change: (inout SessionFacts) -> Void) { sessions.update(slot, change) }

    /// Notes that a session asks to be heard now: it comes after all earlier requests.
    mutating func stamp(_ slot: Int) {
        lastStamp &+= 1
        let stamp = lastStamp
        sessions.update(slot) {
            $0.stamp = stamp
            $0.hasNewClaim = true
        }
    }

    /// A session takes the place of another one among the requests, with what stood against that. The other one comes last,
    /// as if it had been opened now.
    mutating func succeed(_ slot: Int, to former: Int, as description: DescriptionID, catalogue: borrowing Catalogue) {
        guard let old = sessions[former], let new = sessions[slot], !new.isDriven else { return }
        let kept = old.supersededBy.flatMap {
            catalogue.isKept(new.isOpened ? new.description : description, fromBeginning: old.isRejected, by: $0)
                ? $0 : nil
        }
        stamp(former)
        // At once, because no two may claim the same.
        _ = claim(former, catalogue: catalogue)
        sessions.update(slot) {
            $0.stamp = old.stamp
            $0.supersededBy = kept
            $0.isRejected = kept != nil && old.isRejected
            $0.hasNewClaim = true
        }
    }

    /// Brings a session's place among the claims up to date. Returns what it claimed before, if that has changed.
    mutating func claim(_ slot: Int, catalogue: borrowing Catalogue) -> Claimant? {
        guard let session = sessions[slot] else { return nil }
        let claimant = Claimant(
            claim: claim(of: slot, catalogue), session: Int32(truncatingIfNeeded: slot),
            description: session.description,
            isActive: session.phase != .inactive, supersededBy: session.supersededBy)
        sessions.update(slot) {
            $0.claim = claimant.claim
            $0.hasNewClaim = false
        }
        guard let old = claims.replace(session.claim, with: claimant), old != claimant else { return nil }
        return old
    }

    private func claim(of slot: Int, _ catalogue: borrowing Catalogue) -> UInt64 {
        guard let session = sessions[slot] else { return 0 }
        return claim(of: session.description, session.stamp, catalogue)
    }

    /// What a session of a description would claim if it asked now.
    func nextClaim(of description: DescriptionID, catalogue: borrowing Catalogue) -> UInt64 {
        claim(of: description, lastStamp &+ 1, catalogue)
    }

    private func claim(of description: DescriptionID, _ stamp: UInt64, _ catalogue: borrowing Catalogue) -> UInt64 {
        // 55 bits of activations last for a thousand years at a million a second.
        catalogue.weight(of: description) << 55 | (stamp & (1 << 55 - 1))
    }
}
