/// The pure heart: events in, effects out.
///
/// The engine keeps facts, derives the verdict from them, and returns the difference between two verdicts as effects. It
/// has no clock, does no input or output, and is total: there is no event, in no order, that it cannot take.
public struct Engine: Sendable {
    /// The policy in force, and the descriptions in use.
    var catalogue: Catalogue
    var facts = Facts()
    var outcome = Outcome()
    /// What each stream was last told, by stream slot.
    var applied: [Treatment] = []
    /// What the treatments of each session's streams were derived from last, by session slot.
    var presented: [Presentation] = []
    /// When phases end by themselves.
    var deadlines = Deadlines()
    var requestedWake: Instant?
    /// Sessions that wait until others are silent.
    var holders: [Int] = []
    /// How many streams can be heard that are to be silent.
    var fading: Int32 = 0
    /// What applications have said of the sessions that they have opened, by session slot.
    var configurations: [Int: SessionConfiguration] = [:]
    /// The sessions that wait to be activated, first come first (N9).
    var waiting: [Int] = []
    /// What was shown last of the sessions that were opened, by session slot.
    var shown: [Int: SessionState] = [:]
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

    /// The description behind an id in a ``Treatment``.
    public subscript(id: DescriptionID) -> SessionDescription? { catalogue[id] }

    /// Takes one event and returns what has to be done about it, in this order.
    ///
    /// - Parameters:
    ///   - event: What happened. An event about an unknown stream changes nothing.
    ///   - now: When it happened; never earlier than the event before.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        if let end = facts.switches.pausedUntil, end <= now {
            var switches = facts.switches
            switches.pausedUntil = nil
            change(to: switches, at: now, &effects)
        }
        if !disconnections.isEmpty { giveUpOutputs(at: now, &effects) }
        take(event, at: now, &effects)
        if !waiting.isEmpty { grantWhatWaits(at: now, &effects) }
        if !shown.isEmpty { showSessions(&effects) }
        return effects
    }

    @inline(__always)
    private mutating func take(_ event: Event, at now: Instant, _ effects: inout [Effect]) {
        switch event {
        case .streamAppeared(let id, let application, let described, let direction):
            guard facts.slot(of: id) == nil else { break }
            let version = catalogue.version
            let inUse = catalogue.isFull ? descriptionsInUse : 0
            guard let description = catalogue.id(of: described, inUse: inUse),
                let slot = facts.addStream(
                    id, application: application, description: description, direction: direction,
                    catalogue: catalogue)
            else { break }
            while applied.count <= slot { applied.append(.untouched) }
            applied[slot] = .untouched
            if let session = facts.streams[slot]?.session {
                while presented.count <= Int(session) { presented.append(Presentation()) }
            }
            update(stream: slot, isNew: true, isOfAll: catalogue.version != version, at: now, &effects)
        case .streamWanted(let id, let isWanted):
            guard let slot = facts.slot(of: id), let stream = facts.streams[slot], stream.isWanted != isWanted else {
                break
            }
            if isWanted { requestActivation(by: stream) }
            change(slot) { $0.isWanted = isWanted }
            update(stream: slot, at: now, &effects)
            if isWanted, slot < applied.count, applied[slot].cause == .noDevice {
                effects.append(.streamRefused(id))
            }
        case .streamRunning(let id, let isRunning):
            guard let slot = facts.slot(of: id), facts.streams[slot]?.isRunning != isRunning else { break }
            change(slot) {
                $0.isRunning = isRunning
                if isRunning { $0.hasRun = true }
            }
            update(stream: slot, at: now, &effects)
        case .streamSettled(let id):
            guard let slot = facts.slot(of: id), slot < applied.count, applied[slot].silence != .none else { break }
            change(slot) { $0.isSettled = true }
            update(stream: slot, at: now, &effects)
        case .streamVanished(let id):
            guard let slot = facts.slot(of: id), let stream = facts.streams[slot] else { break }
            change(slot) {
                $0.isWanted = false
                $0.isRunning = false
            }
            facts.removeStream(slot)
            update(session: Int(stream.session), at: now, &effects)
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
        return applied[slot]
    }

    /// Whether the session of a stream may take up again what it was interrupted in (R31); not what it has given up since.
    public func mayResume(_ id: StreamID) -> Bool {
        facts.slot(of: id).flatMap { facts.streams[$0] }.flatMap { facts.sessions[Int($0.session)] }?.mayResume ?? false
    }
}

// MARK: - From facts to the verdict

extension Engine {
    /// Lists that live for one event.
    struct Work: Sendable {
        /// Sessions whose phase may have to change.
        var pending: [Int] = []
        /// Sessions whose claim has changed.
        var claiming: [Int] = []
        /// Sessions about which something else is decided now.
        var changed: [Outcome.Change] = []
        /// Descriptions of which a session is heard that was let go before, but not heard.
        var heard: UInt64 = 0
        /// All sessions that were looked at, each once.
        var touched: [Int] = []
        /// Sessions that may have to be told something, and those without streams.
        var news: [Int] = []
        var gone: [Int] = []
        /// By session slot: whether it is among the touched.
        var isTouched: [Bool] = []

        mutating func touch(_ session: Int) {
            guard session >= 0 else { return }
            while isTouched.count <= session { isTouched.append(false) }
            guard !isTouched[session] else { return }
            isTouched[session] = true
            touched.append(session)
        }
    }

    /// What an advanced session means for the verdict.
    enum Consequence: Int {
        case none
        /// Something else may be decided about this session.
        case own
        /// Something else may be decided about any session.
        case all
    }

    /// Brings phases, verdict and treatments up to date after the facts about a stream or session have changed.
    mutating func update(
        stream: Int? = nil, isNew: Bool = false, session: Int? = nil, with other: Int? = nil, everything: Bool = false,
        isOfAll: Bool = false, at now: Instant, _ effects: inout [Effect]
    ) {
        let first = session ?? stream.flatMap { facts.streams[$0] }.map { Int($0.session) }
        work.pending.removeAll(keepingCapacity: true)
        // Who gives something away comes first.
        if let other { work.pending.append(other) }
        if let first { work.pending.append(first) }
        if everything {
            for session in 0..<facts.sessions.capacity where facts.sessions.has(session) {
                work.pending.append(session)
            }
        }
        while let due = deadlines.first, due.moment <= now {
            deadlines.removeFirst()
            if facts.sessions[due.session]?.deadline == due.moment { work.pending.append(due.session) }
        }
        var mustJudgeFirst = isNew
        var mustJudgeAll = isOfAll
        // A phase can change the verdict and the verdict a phase; each session moves forward a few times at the most.
        var rounds = 16
        while rounds > 0 {
            rounds -= 1
            if fading <= 0 { work.pending.append(contentsOf: holders) }
            guard !work.pending.isEmpty else { break }
            var isOfActors = false
            work.claiming.removeAll(keepingCapacity: true)
            if mustJudgeFirst {
                if let first { work.claiming.append(first) }
                if let other { work.claiming.append(other) }
            }
            mustJudgeFirst = false
            for index in work.pending.indices {
                let session = work.pending[index]
                let consequence = advance(session, at: now, &effects)
                if consequence != .none { work.claiming.append(session) }
                if consequence == .all { isOfActors = true }
                work.touch(session)
            }
            work.pending.removeAll(keepingCapacity: true)
            guard !work.claiming.isEmpty else { break }
            work.changed.removeAll(keepingCapacity: true)
            outcome.update(
                work.claiming, isOfActors: isOfActors, isOfAll: mustJudgeAll, facts, catalogue, changed: &work.changed)
            mustJudgeAll = false
            for change in work.changed {
                recount(change)
                work.pending.append(change.session)
            }
        }
        for session in work.pending { work.touch(session) }
        conclude(stream, &effects)
        requestWake(&effects)
    }

    /// Changes what is known of a stream, and the number of those that fade.
    mutating func change(_ slot: Int, _ body: (inout StreamFacts) -> Void) {
        guard let old = facts.streams[slot] else { return }
        facts.changeStream(slot, body)
        guard let new = facts.streams[slot], old.isAudible != new.isAudible,
            outcome[Int(new.session)].silence != .none
        else { return }
        fading &+= new.isAudible ? 1 : -1
    }

    /// Keeps the number of those that fade, when something else is decided about a session.
    private mutating func recount(_ change: Outcome.Change) {
        let isSilenced = outcome[change.session].silence != .none
        guard change.wasSilenced != isSilenced, let audible = facts.sessions[change.session]?.audible else { return }
        fading &+= isSilenced ? audible : -audible
    }

    /// R9, R36: a session that is idle, or silenced, and whose application wants to be heard, asks for it now. A sound of
    /// the interface asks for nothing (R13).
    mutating func requestActivation(by stream: StreamFacts) {
        let slot = Int(stream.session)
        guard let session = facts.sessions[slot] else { return }
        let isInterfaceSound = catalogue.interfaceSounds & stream.description.bit != 0
        // While the policy is suspended, one that was taken over from is not silenced.
        let isSilenced = outcome[slot].silence != .none || session.supersededBy != nil
        guard session.wanted == 0 || isSilenced && !isInterfaceSound, !session.isDriven else { return }
        // R8: what may not begin changes nothing for anybody else.
        if !isInterfaceSound, session.phase == .inactive || outcome[slot].silence != .none,
            let rejecter = outcome.rejecter(of: stream.description, claiming: session.claim, catalogue)
        {
            facts.updateSession(slot) {
                $0.supersededBy = rejecter
                $0.isRejected = true
                $0.hasNewClaim = true
            }
            return
        }
        facts.stamp(slot)
        facts.updateSession(slot) {
            $0.supersededBy = nil
            $0.isRejected = false
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
            guard let stream = facts.streams[slot], slot < applied.count, applied[slot] != .untouched else { continue }
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
        let phases = (0..<facts.sessions.capacity).compactMap { facts.sessions[$0]?.deadline }
        let returns = disconnections.values.map { Optional($0.until) }
        return (phases + (returns + [facts.switches.pausedUntil]).compactMap { $0 }.filter { $0 < Switches.never })
            .min()
    }

    /// Whether what is in force is what the facts say, derived anew: the verdict, the treatments, and every sum that is
    /// kept.
    public var isConsistent: Bool {
        var fresh = Outcome()
        fresh.resolve(facts, catalogue)
        var audibleThoughSilenced: Int32 = 0
        for slot in 0..<facts.streams.capacity {
            guard let stream = facts.streams[slot], let session = facts.sessions[Int(stream.session)] else { continue }
            if fresh[Int(stream.session)].silence != .none && stream.isAudible { audibleThoughSilenced += 1 }
            guard applied[slot] == fresh.treatment(of: stream, in: session, catalogue: catalogue) else { return false }
        }
        guard audibleThoughSilenced == fading, facts.isConsistent else { return false }
        let held = (0..<facts.sessions.capacity).filter { facts.sessions[$0]?.phase == .holding }
        guard isShownRight, held == holders.sorted(), waiting.allSatisfy({ shown[$0] != nil }) else { return false }
        return (0..<facts.sessions.capacity).allSatisfy { facts.sessions[$0] == nil || fresh[$0] == outcome[$0] }
    }
}

extension Facts {
    /// Whether all sums and links are what the streams say.
    fileprivate var isConsistent: Bool {
        var seen = 0
        for slot in 0..<sessions.capacity {
            guard let session = sessions[slot] else { continue }
            var sums = (wanted: Int32(0), running: Int32(0), audible: Int32(0))
            var sets = (all: UInt64(0), wanted: UInt64(0))
            var next = session.firstStream
            var previous: Int32 = -1
            while let stream = streams[Int(next)] {
                guard stream.previous == previous, Int(stream.session) == slot else { return false }
                seen += 1
                previous = next
                next = stream.next
                sums.wanted += stream.isWanted ? 1 : 0
                sums.running += stream.isWanted && stream.isRunning ? 1 : 0
                sums.audible += stream.isAudible ? 1 : 0
                sets.all |= stream.description.bit
                if stream.isWanted { sets.wanted |= stream.description.bit }
            }
            guard sums == (session.wanted, session.running, session.audible),
                sets == (session.descriptions, session.wantedDescriptions),
                let claimant = claims[session.claim], claimant.session == Int32(truncatingIfNeeded: slot),
                claimant.description == session.description, claimant.isActive == (session.phase != .inactive),
                claimant.supersededBy == session.supersededBy
            else { return false }
        }
        return seen == streams.count && claims.order.count == sessions.count
            && zip(claims.order, claims.order.dropFirst()).allSatisfy { $0.claim > $1.claim }
    }
}
