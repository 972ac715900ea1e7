import SessionCore
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// What holds for every sequence of events whatsoever.
@Suite struct PropertyTests {
    private static let chunks = 8

    /// How many sequences are tried; the environment's AUDIO_SESSION_SEQUENCES, or few enough not to be waited for.
    private static var sequences: Int {
        getenv("AUDIO_SESSION_SEQUENCES").flatMap { Int(String(cString: $0)) } ?? 20_000
    }

    @Test("R1 R26 R27 R30 R36 random sequences of events", arguments: 0..<chunks)
    func sequences(chunk: Int) {
        let count = (Self.sequences + Self.chunks - 1) / Self.chunks
        var failures = 0
        for index in 0..<count where failures < 3 {
            let seed = UInt64(chunk * count + index)
            var sequence = RandomSequence(seed: seed)
            sequence.play()
            if let failure = sequence.failure {
                failures += 1
                Issue.record("seed \(seed), policy \(sequence.trialIndex): \(failure)\n\(sequence.trace())")
            }
        }
    }
}

/// One random sequence of events, and the checks that go with it.
struct RandomSequence {
    private struct Stream {
        var id: StreamID
        var app: Int
        var role: Role?
        var direction: StreamDirection
        /// What it is under the policy; `nil` if it is left alone.
        var description: SessionDescription?
        /// Nothing but waiting may happen to it (R36), save for a sound of the interface, which goes with its session.
        var isPhone: Bool { description.map { $0.priority >= .phone && $0.category != .uiSound } ?? false }
        var isWanted = false
        var isRunning = false
        var told = Treatment.untouched
    }

    /// What an application was told.
    private struct Told {
        var isActive = false
        var isInterrupted = false
    }

    private static let applications = (0..<5).map {
        ApplicationID(portal: nil, binary: "app\($0)", displayName: nil, fallback: "")
    }

    private(set) var trialIndex: Int
    private var trial: Trial
    private let seed: UInt64
    private var random: SplitMix64
    private var engine: Engine
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var wake: Instant?
    private var streams: [Stream] = []
    private var told = [Told](repeating: Told(), count: applications.count)
    private var lastID: UInt32 = 0
    private let appCount: Int
    /// Whether the server does what it is told.
    private let isObedient: Bool
    private(set) var failure: String?
    private var log: [String]?

    init(seed: UInt64, isTraced: Bool = false) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        trialIndex = random.oneIn(2) ? random.below(2) : random.below(Trial.all.count)
        trial = Trial.all[trialIndex]
        engine = Engine(policy: trial.policy)
        appCount = random.oneIn(8) ? 1 : 2 + random.below(4)
        isObedient = random.oneIn(2)
        log = isTraced ? [] : nil
    }

    /// The events and effects of this sequence, played again.
    func trace() -> String {
        var again = RandomSequence(seed: seed, isTraced: true)
        again.play()
        return (again.log ?? []).joined(separator: "\n")
    }

    mutating func play() {
        for _ in 0..<(5 + random.below(35)) where failure == nil { happen() }
        if failure == nil { finish() }
    }

    // MARK: - What happens

    private mutating func happen() {
        if random.oneIn(24) { changePolicy() }
        switch random.below(isObedient ? 8 : 12) {
        case 0, 1: appear()
        case 2, 3, 4: want()
        case 5: if random.oneIn(3) { vanish(random.below(streams.count)) }
        case 6, 7: pass(.milliseconds(random.pick([0, 1, 20, 100, 299, 300, 301, 2_000, 10_000])))
        case 8, 9: run()
        case 10:
            let id = streams.isEmpty || random.oneIn(8) ? StreamID(999) : random.pick(streams).id
            send(.streamSettled(id))
        default:
            send(
                random.pick([
                    .clockReached, .streamVanished(StreamID(1_000)), .streamWanted(StreamID(1_001), true),
                    .streamRunning(StreamID(1_002), true),
                ]))
        }
        if isObedient { obey() }
    }

    private mutating func appear() {
        guard streams.count < 12 else { return }
        lastID += 1
        let app = random.below(appCount)
        let role = random.pick(trial.roles).role
        let direction: StreamDirection = random.oneIn(5) ? .capture : .playback
        let known = isObedient || !random.oneIn(10) ? [] : streams.filter { $0.description != nil }
        let id = known.isEmpty ? StreamID(lastID) : random.pick(known).id
        if known.isEmpty {
            let description = trial.policy.description(of: role, direction: direction)
            streams.append(Stream(id: id, app: app, role: role, direction: direction, description: description))
        }
        if let description = trial.policy.description(of: role, direction: direction) {
            send(
                .streamAppeared(
                    id, application: Self.applications[app], description: description, direction: direction))
        }
        if random.oneIn(2) { want(streams.count - 1, true) }
    }

    /// Another policy takes over, as a host tells it: first what the known streams are, then the streams that are new to it.
    private mutating func changePolicy() {
        trialIndex = random.below(Trial.all.count)
        trial = Trial.all[trialIndex]
        var known: [StreamID: SessionDescription] = [:]
        var newcomers: [Int] = []
        for index in streams.indices {
            let stream = streams[index]
            let description = trial.policy.description(of: stream.role, direction: stream.direction)
            if stream.description == nil {
                newcomers.append(index)
            } else {
                known[stream.id] = description
                streams[index].description = description
            }
        }
        // Who does it goes by another number now.
        for index in streams.indices { streams[index].told.actor = nil }
        send(.policyChanged(trial.policy, known))
        for index in streams.indices {
            guard let treatment = engine.treatment(of: streams[index].id) else { continue }
            if streams[index].told.actor == nil { streams[index].told.actor = treatment.actor }
        }
        for index in newcomers {
            let stream = streams[index]
            guard let description = trial.policy.description(of: stream.role, direction: stream.direction) else {
                continue
            }
            streams[index].description = description
            streams[index].isWanted = false
            send(
                .streamAppeared(
                    stream.id, application: Self.applications[stream.app], description: description,
                    direction: stream.direction))
            if stream.isWanted { want(index, true) }
            if stream.isRunning { send(.streamRunning(stream.id, true)) }
        }
    }

    private mutating func want() {
        guard !streams.isEmpty else { return }
        let index = random.below(streams.count)
        want(index, random.oneIn(8) ? streams[index].isWanted : !streams[index].isWanted)
    }

    private mutating func want(_ index: Int, _ isWanted: Bool) {
        streams[index].isWanted = isWanted
        send(.streamWanted(streams[index].id, isWanted))
    }

    private mutating func run() {
        guard !streams.isEmpty else { return }
        let index = random.below(streams.count)
        streams[index].isRunning.toggle()
        send(.streamRunning(streams[index].id, streams[index].isRunning))
    }

    private mutating func vanish(_ index: Int) {
        guard index < streams.count else { return }
        let stream = streams.remove(at: index)
        send(.streamVanished(stream.id))
    }

    /// Time passes. A host may be late with the clock, but never forgets it.
    private mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        let isLate = !isObedient && random.oneIn(4)
        while let due = wake, due <= end, failure == nil {
            now = isLate ? end : max(now, due)
            wake = nil
            send(.clockReached)
            if isObedient { obey() }
        }
        now = end
    }

    /// The server runs what is wanted and not corked, and reports silence, sometimes one thing at a time.
    private mutating func obey() {
        for index in streams.indices where failure == nil {
            if random.oneIn(4) { continue }
            let stream = streams[index]
            let runs = stream.isWanted && ![.cork, .pausePlayer].contains(stream.told.silence)
            if runs != stream.isRunning {
                streams[index].isRunning = runs
                send(.streamRunning(stream.id, runs))
            }
            if streams[index].told.silence != .none { send(.streamSettled(stream.id)) }
        }
    }

    // MARK: - What must be so

    private mutating func fail(_ text: String) { if failure == nil { failure = text } }

    private mutating func send(_ event: Event) {
        let effects = engine.handle(event, at: now)
        if log != nil { log?.append("\(now.nanoseconds / 1_000_000) \(event)") }
        for effect in effects {
            if log != nil { log?.append("        → \(effect)") }
            check(effect)
        }
        // A session that is forgotten is told no more.
        for app in told.indices where told[app].isInterrupted {
            told[app].isInterrupted = streams.contains { $0.app == app && $0.description != nil }
        }
        if !engine.isConsistent { fail("not consistent after \(event)") }
        if let deadline = engine.nextDeadline, wake.map({ $0 > deadline }) ?? true { fail("a wake request was lost") }
        for stream in streams where stream.isPhone && stream.isWanted {
            if stream.told.cause != .none && stream.told.cause != .handover { fail("phone was touched: \(stream)") }
        }
    }

    private mutating func check(_ effect: Effect) {
        switch effect {
        case .wake(let moment): wake = moment
        case .treat(let id, let treatment, let fade, let delay):
            guard let index = streams.firstIndex(where: { $0.id == id }) else {
                fail("an unknown stream was touched")
                return
            }
            if streams[index].told == treatment { fail("an effect without a difference") }
            if fade < .zero || delay < .zero { fail("a negative fade") }
            if appCount == 1 && treatment.cause != .none && treatment.cause != .handover {
                fail("touched by its own application")
            }
            streams[index].told = treatment
        case .sessionActivated(let session):
            let app = app(session)
            if told[app].isActive { fail("activated twice") }
            told[app].isActive = true
        case .sessionDeactivated(let session):
            let app = app(session)
            if !told[app].isActive { fail("deactivated twice") }
            told[app].isActive = false
        case .interruptionBegan(let session, let actor):
            let app = app(session)
            // R26
            if told[app].isActive { fail("'began' before it was inactive") }
            if told[app].isInterrupted { fail("'began' twice") }
            if session.application == actor.application { fail("interrupted by itself") }
            for stream in streams where stream.app == app && stream.told == .untouched {
                let isExempt = stream.description.map { $0.category == .uiSound } ?? true
                if !isExempt { fail("'began' before it was touched") }
            }
            told[app].isInterrupted = true
        case .interruptionEnded(let session, _):
            let app = app(session)
            if !told[app].isInterrupted { fail("'ended' without 'began'") }
            told[app].isInterrupted = false
        case .answered, .activationGranted, .sessionChanged: fail("an answer that nobody has asked for")
        case .streamRefused: break
        }
    }

    private func app(_ session: SessionReference) -> Int {
        Self.applications.firstIndex(of: session.application) ?? 0
    }

    /// Runs all timers out.
    private mutating func rest() {
        var limit = 100
        while let due = wake, failure == nil, limit > 0 {
            limit -= 1
            now = max(now, due)
            wake = nil
            send(.clockReached)
        }
        if limit == 0 { fail("timers never run out") }
    }

    private mutating func finish() {
        for stream in streams where engine.treatment(of: stream.id) ?? .untouched != stream.told {
            fail("told something else than what is in force")
        }
        if random.oneIn(4) {
            send(.shutdown)
            if streams.contains(where: { $0.told != .untouched }) { fail("left touched after shutdown") }
            if engine.streamCount != 0 || engine.sessionCount != 0 { fail("remembered after shutdown") }
            return
        }
        // When no interrupter is left, every stream is as its client wants it.
        let survivor = random.below(appCount)
        while let index = streams.firstIndex(where: { $0.app != survivor }), failure == nil { vanish(index) }
        rest()
        for stream in streams where stream.told != .untouched && ![.superseded, .rejected].contains(stream.told.cause) {
            fail("still touched with nobody left: \(stream)")
        }
        // R31: what another took over from is so until its client has paused it; then nothing is left of it.
        for index in streams.indices { want(index, false) }
        rest()
        if streams.contains(where: { $0.told != .untouched }) { fail("still touched though nobody is wanted") }
        while !streams.isEmpty, failure == nil { vanish(streams.count - 1) }
        rest()
        if engine.sessionCount != 0 || engine.streamCount != 0 { fail("sessions leak") }
    }
}
