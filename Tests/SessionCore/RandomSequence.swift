import SessionCore

/// One random sequence of events, and the checks that go with it.
struct RandomSequence {
    struct Stream {
        var id: StreamID
        var app: Int
        /// Whose it is at this moment.
        var session: SessionKey
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

    /// A session that was opened.
    struct Opened {
        var id: SessionID
        var application: ApplicationID
        /// The system's, not an application's.
        var isSystem: Bool
        var isWaiting = false
    }

    /// What a session was told.
    struct Told {
        var isActive = false
        var isInterrupted = false
    }

    static let applications = (0..<5).map {
        ApplicationID(portal: nil, binary: "app\($0)", displayName: nil, fallback: "")
    }

    private(set) var trialIndex: Int
    private var trial: Trial
    private let seed: UInt64
    var random: SplitMix64
    var engine: Engine
    var now = Instant(nanoseconds: 1_000_000_000)
    var wake: Instant?
    var streams: [Stream] = []
    var told: [SessionKey: Told] = [:]
    var opened: [Opened] = []
    var switches = Switches()
    /// The present event ends a suspension of the policy.
    var endsSuspension = false
    private var lastSession: UInt32 = 0
    private var lastID: UInt32 = 0
    let appCount: Int
    /// Whether applications open sessions, and the user switches.
    let isOpening: Bool
    /// Whether the server does what it is told.
    private let isObedient: Bool
    var failure: String?
    var log: [String]?

    init(seed: UInt64, isTraced: Bool = false) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        trialIndex = random.oneIn(2) ? random.below(2) : random.below(Trial.all.count)
        trial = Trial.all[trialIndex]
        engine = Engine(policy: trial.policy)
        appCount = random.oneIn(8) ? 1 : 2 + random.below(4)
        isObedient = random.oneIn(2)
        isOpening = random.oneIn(2)
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
        let isSystem = random.oneIn(4)
        let kind = isSystem ? random.pick(["phone", "ringtone", "alarm"]).description : ""
        let description = Role(kind).flatMap { Policy.phone.roles[$0] }
        opened.append(Opened(id: id, application: application, isSystem: description != nil))
        send(.sessionOpened(id, application: application, description.map { .system($0) } ?? .application))
        if random.oneIn(2) { send(.sessionOpened(id, application: application, .application)) }
    }

    private var someSession: SessionID {
        mutating get {
            opened.isEmpty || random.oneIn(20) ? SessionID(lastSession + 1) : random.pick(opened).id
        }
    }

    private mutating func configure() {
        let modes = [nil, .default, .spokenAudio, .voicePrompt, .voiceChat, .measurement] as [Mode?]
        let change: ConfigurationChange =
            switch random.below(8) {
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
        send(
            .sessionRequested(
                someSession,
                random.pick([
                    .activate(mayWait: false), .activate(mayWait: true), .deactivate(notifyOthers: true),
                    .deactivate(notifyOthers: false), .activate(mayWait: false), .cancel,
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
        if random.oneIn(16) { send(.routeChanged(random.pick(RouteChangeReason.allCases))) }
        if random.oneIn(12) { mute() }
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

    /// An input is muted or not, or has gone.
    private mutating func mute() {
        let input = PortID(random.pick(["microphone", "headset"]))
        if random.oneIn(5) { return send(.inputGone(input)) }
        var recording: [StreamID] = [StreamID(1_003)]
        for stream in streams where random.oneIn(2) { recording.append(stream.id) }
        send(.inputMuted(input, random.oneIn(2), name: input.name, streams: recording))
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
}
