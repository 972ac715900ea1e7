import SessionCore

/// One random sequence of events, judged by the oracle after each of them.
public struct RandomSequence: Sendable {
    struct Stream: Sendable {
        var id: StreamID
        var app: Int
        /// Whose it is at this moment.
        var session: SessionKey
        var role: Role?
        var direction: StreamDirection
        /// What it is under the policy; `nil` if it is left alone.
        var description: SessionDescription?
        var isWanted = false
        var isRunning = false
        var told = Treatment.untouched
    }

    /// A session that was opened.
    struct Opened: Sendable {
        var id: SessionID
        var application: ApplicationID
        var isSystem: Bool
    }

    static let applications = (0..<5).map {
        ApplicationID(portal: nil, binary: "app\($0)", displayName: nil, fallback: "")
    }
    private static let outputs = ["headphones", "earbuds"].map { PortID($0) }
    private static let inputs = ["microphone", "headset"].map { PortID($0) }

    let seed: UInt64
    private var trial: Trial
    var random: SplitMix64
    var judged: Judged
    var now = Instant(nanoseconds: 1_000_000_000)
    var wake: Instant?
    var streams: [Stream] = []
    var opened: [Opened] = []
    var switches = Switches()
    private var lastSession: UInt32 = 0
    private var lastID: UInt32 = 0
    private let appCount: Int
    /// Whether applications open sessions, and the user switches.
    private let isOpening: Bool
    /// Whether the server does what it is told.
    private let isObedient: Bool
    /// Whether the engine has to come to the same again after each event when it looks at everything anew.
    private var isLookedAtTwice: Bool { seed % 4 == 0 }
    /// All that was sent.
    public private(set) var events: EventSequence
    /// What is wrong; `nil` while nothing is.
    public private(set) var failure: String?

    /// Makes one.
    public init(seed: UInt64) { self.init(SplitMix64(seed: seed), seed: seed) }

    /// Makes one in which these numbers decide what happens, as long as they last.
    public init(beginning numbers: [UInt8]) {
        self.init(SplitMix64(beginning: numbers), seed: UInt64(numbers.first ?? 0))
    }

    private init(_ numbers: SplitMix64, seed: UInt64) {
        self.seed = seed
        random = numbers
        trial = Trial.all[random.oneIn(2) ? random.below(2) : random.below(Trial.all.count)]
        judged = Judged(policy: trial.policy)
        events = EventSequence(policy: trial.policy)
        appCount = random.oneIn(8) ? 1 : 2 + random.below(4)
        isObedient = random.oneIn(2)
        isOpening = random.oneIn(2)
    }

    /// What is wrong, with the shortest way to it that can be found; `nil` when nothing is.
    public func report() -> String? {
        guard let failure else { return nil }
        let shrunk = events.difference() == nil ? events : events.shrunk()
        return "seed \(seed), policy \(events.policy.name): \(EventSequence.plain(failure))\n\(shrunk.trace())"
    }

    /// Plays it to its end, or to the first thing that is wrong.
    public mutating func play() {
        for _ in 0..<(5 + random.below(35)) where failure == nil && !isContradictory { happen() }
        if failure == nil, !isContradictory { finish() }
    }

    /// Its policy had no answer, and it ended there.
    public var isContradictory: Bool { judged.isContradictory }

    mutating func fail(_ text: String) { if failure == nil { failure = text } }

    mutating func send(_ event: Event) {
        events.moments.append(EventSequence.Moment(event, at: now))
        for effect in judged.send(event, at: now) {
            switch effect {
            case .wake(let moment): wake = moment
            case .treat(let id, let treatment, let fade, let delay):
                if fade < .zero || delay < .zero { fail("a negative fade") }
                guard let index = streams.firstIndex(where: { $0.id == id }) else { continue }
                if streams[index].told == treatment { fail("an effect without a difference") }
                streams[index].told = treatment
            default: break
            }
        }
        if let difference = judged.difference { fail(difference) }
        if isContradictory { return }
        // To look at everything twice takes as long as all else, so it is not done in every sequence.
        if isLookedAtTwice, let flaw = judged.engine.inconsistency { fail("not consistent: \(flaw)") }
        if isLookedAtTwice { foresee() }
    }

    /// R8: what a server is told of a start in advance is what comes of it.
    private mutating func foresee() {
        for stream in streams where !stream.isWanted {
            var engine = judged.engine
            let isForeseen = engine.wouldReject(stream.id)
            let effects = engine.handle(.streamWanted(stream.id, true), at: now)
            // N9: what waits may be granted by that, and what it rejects with it.
            let isGranted = effects.contains { if case .activationGranted = $0 { true } else { false } }
            if isGranted { continue }
            let isRejected = engine.treatment(of: stream.id)?.reason == .rejected
            if isForeseen != isRejected {
                fail("stream \(stream.id.rawValue) is \(isRejected ? "" : "not ")rejected, which was not foreseen")
            }
            if isForeseen, !judged.engine.rejects { fail("somebody rejects, which was not foreseen") }
        }
    }

    // MARK: - What happens
    /// Something that sessions do which were opened, or the user.
    private mutating func happenToSessions() {
        switch random.below(12) {
        case 0: open()
        case 1, 2: configure()
        case 3, 4, 5, 6: request()
        case 7, 8, 9: move()
        case 10: if random.oneIn(3) { close(random.below(opened.count)) }
        default: if random.oneIn(3) { change() }
        }
    }

    private mutating func open() {
        guard opened.count < 6 else { return }
        lastSession += 1
        let id = SessionID(lastSession)
        let application = Self.applications[random.below(appCount)]
        let role = random.oneIn(4) ? Role(random.pick(["phone", "ringtone", "alarm", "prompt", "music"])) : nil
        let description = role.flatMap { Policy.phone.roles[$0] }
        let beginner = random.oneIn(2) ? application : nil
        opened.append(Opened(id: id, application: application, isSystem: description != nil))
        send(
            .sessionOpened(id, application: application, description.map { .system($0, by: beginner) } ?? .application))
        if random.oneIn(8) { send(.sessionOpened(id, application: application, .application)) }
    }

    private var someSession: SessionID {
        mutating get {
            opened.isEmpty || random.oneIn(20) ? SessionID(lastSession + 1) : random.pick(opened).id
        }
    }

    private mutating func configure() {
        let modes = [nil, .default, .spokenAudio, .voicePrompt, .voiceChat, .measurement] as [Mode?]
        let change: ConfigurationChange =
            switch random.below(9) {
            case 8: .interruptionOnRouteDisconnect(random.pick([nil, true, false]))
            case 0: .mode(random.pick(Mode.allCases))
            case 1: .outputOverride(random.pick(SessionConfiguration.OutputOverride.allCases))
            case 2: .avoidsAlerts(random.oneIn(2))
            default:
                .category(
                    random.pick(SessionCore.Category.allCases),
                    random.oneIn(2)
                        ? []
                        : random.pick([
                            .mixWithOthers, .duckOthers, .interruptSpokenAudio, [.duckOthers, .mixWithOthers],
                        ]),
                    random.pick(modes))
            }
        send(.sessionConfigured(someSession, change))
    }

    private mutating func request() {
        let id = someSession
        // R11: only applications say whether others are notified; the system's interruptions end as the policy says.
        let isNotifying = opened.contains { $0.id == id && $0.isSystem } || random.oneIn(2)
        send(
            .sessionRequested(
                id,
                random.pick([
                    .activate(mayWait: false), .activate(mayWait: true), .deactivate(notifyOthers: isNotifying),
                    .activate(mayWait: true), .cancel,
                ])))
    }

    /// A stream joins a session, or leaves it for another application's.
    private mutating func move() {
        guard !streams.isEmpty else { return }
        let index = random.below(streams.count)
        let key: SessionKey =
            random.oneIn(4)
            ? .application(Self.applications[random.oneIn(2) ? streams[index].app : random.below(appCount)])
            : .opened(someSession)
        if case .opened(let id) = key, !opened.contains(where: { $0.id == id }) {
            return send(.streamMoved(streams[index].id, to: key))
        }
        if streams[index].description != nil { streams[index].session = key }
        send(.streamMoved(streams[index].id, to: key))
    }

    mutating func close(_ index: Int) {
        guard index < opened.count else { return }
        let session = opened.remove(at: index)
        for index in streams.indices where streams[index].session == .opened(session.id) {
            streams[index].session = .application(session.application)
        }
        send(.sessionClosed(session.id))
    }

    private mutating func change() {
        if random.oneIn(2) { switches.isSilent.toggle() }
        if random.oneIn(2) { switches.isLocked.toggle() }
        if random.oneIn(2) { switches.isUndisturbed.toggle() }
        if random.oneIn(3) {
            switches.pausedUntil = random.pick([
                nil, Switches.never, now, now.advanced(by: .seconds(1)), Instant(nanoseconds: .min),
            ])
        }
        send(.switched(switches))
    }

    private mutating func happen() {
        if random.oneIn(24) { changePolicy() }
        if random.oneIn(12) { send(.routeChanged(random.pick(RouteChangeReason.allCases))) }
        if random.oneIn(12) { mute() }
        if random.oneIn(8) { plug() }
        if random.oneIn(24) { leaveAlone() }
        if isOpening, random.oneIn(2) {
            happenToSessions()
            if isObedient { obey() }
            return
        }
        switch random.below(isObedient ? 8 : 12) {
        case 0, 1: appear()
        case 2, 3, 4: want()
        case 5: if random.oneIn(3) { vanish(random.below(streams.count)) }
        case 6, 7: pass(.milliseconds(random.pick([0, 1, 20, 100, 299, 300, 301, 2_000, 9_999, 10_000, 70_000])))
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

    /// An output goes or is there again, with some of the streams.
    private mutating func plug() {
        let output = random.pick(Self.outputs)
        var some: [StreamID] = [StreamID(1_003)]
        for stream in streams where random.oneIn(2) { some.append(stream.id) }
        send(
            random.oneIn(2)
                ? .outputLost(output, name: output.name, streams: some) : .outputReturned(output, streams: some))
    }

    /// An input is muted or not, or has gone.
    private mutating func mute() {
        let input = random.pick(Self.inputs)
        if random.oneIn(5) { return send(.inputGone(input)) }
        var recording: [StreamID] = [StreamID(1_003)]
        for stream in streams where random.oneIn(2) { recording.append(stream.id) }
        send(.inputMuted(input, random.oneIn(2), name: input.name, streams: recording))
    }

    private mutating func appear() {
        guard streams.count < 12 else { return }
        lastID += 1
        let app = random.below(appCount)
        let role = random.pick(trial.roles)
        let direction: StreamDirection = random.oneIn(5) ? .capture : .playback
        let known = isObedient || !random.oneIn(10) ? [] : streams.filter { $0.description != nil }
        let id = known.isEmpty ? StreamID(lastID) : random.pick(known).id
        if known.isEmpty {
            let description = trial.policy.description(of: role, direction: direction)
            streams.append(
                Stream(
                    id: id, app: app, session: .application(Self.applications[app]), role: role, direction: direction,
                    description: description))
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
        trial = Trial.all[random.below(Trial.all.count)]
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
        send(.policyChanged(trial.policy, known))
        for index in newcomers {
            let stream = streams[index]
            guard let description = trial.policy.description(of: stream.role, direction: stream.direction) else {
                continue
            }
            streams[index].description = description
            streams[index].session = .application(Self.applications[stream.app])
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

    mutating func want(_ index: Int, _ isWanted: Bool) {
        streams[index].isWanted = isWanted
        send(.streamWanted(streams[index].id, isWanted))
    }

    private mutating func run() {
        guard !streams.isEmpty else { return }
        let index = random.below(streams.count)
        streams[index].isRunning.toggle()
        send(.streamRunning(streams[index].id, streams[index].isRunning))
    }

    mutating func vanish(_ index: Int) {
        guard index < streams.count else { return }
        let stream = streams.remove(at: index)
        send(.streamVanished(stream.id))
    }

    /// What its application's session has let go of is left alone by the policy.
    private mutating func leaveAlone() {
        guard !streams.isEmpty else { return }
        let index = random.below(streams.count)
        streams[index].description = nil
        streams[index].session = .application(Self.applications[streams[index].app])
        send(.streamLeftAlone(streams[index].id))
    }

    /// Time passes. A host may be late with the clock, so that something else comes first, but never forgets it.
    private mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        let isLate = !isObedient && random.oneIn(4)
        if isLate, random.oneIn(4) {
            now = end
            return
        }
        var limit = 1_000
        while let due = wake, due <= end, failure == nil {
            limit -= 1
            if limit == 0 { return fail("the same moment comes again and again") }
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

    // MARK: - The end

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

    /// When no interrupter is left, every stream is as its client wants it, and at last nothing is left.
    private mutating func finish() {
        for stream in streams where judged.engine.treatment(of: stream.id) ?? .untouched != stream.told {
            fail("told something else than what is in force")
        }
        if random.oneIn(4) {
            send(.shutdown)
            if streams.contains(where: { $0.told != .untouched }) { fail("left touched after shutdown") }
            if !judged.isEmpty { fail("remembered after shutdown") }
            return
        }
        while !opened.isEmpty, failure == nil { close(opened.count - 1) }
        send(.switched(Switches()))
        let survivor = random.pick(streams.map(\.session) + [.application(Self.applications[0])])
        while let index = streams.firstIndex(where: { $0.session != survivor }), failure == nil { vanish(index) }
        rest()
        // R31: what another took over from is so until its client has paused it; then nothing is left of it.
        for index in streams.indices { want(index, false) }
        rest()
        for stream in streams where stream.told != .untouched && stream.told.reason != .noDevice {
            fail("still touched though nobody is wanted")
        }
        while !streams.isEmpty, failure == nil { vanish(streams.count - 1) }
        rest()
        if !judged.isEmpty { fail("sessions leak") }
    }
}
