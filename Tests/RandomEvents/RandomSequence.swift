import PolicyEngine
import PolicyFile

/// Who takes part in a random sequence.
enum Actors {
    struct Stream: Sendable {
        var id: StreamID
        var app: Int
        /// The session to which the stream belongs now.
        var session: SessionKey
        var role: Role?
        var direction: StreamDirection
        /// The description under the policy; `nil` if the policy leaves the stream alone.
        var description: SessionDescription?
        var isWanted = false
        var isRunning = false
        /// How the engine last had it silenced.
        var silence = Silence.none
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
    static let outputs = ["headphones", "earbuds"].map { PortID($0) }
    static let inputs = ["microphone", "headset"].map { PortID($0) }
}

/// A random sequence of events, as a host may send them. A judge looks at what the engine does after each event.
public struct RandomSequence<Judge: EventJudge>: RandomPlay, Sendable {
    private typealias Stream = Actors.Stream
    private typealias Opened = Actors.Opened

    let seed: UInt64
    private var trial: TrialPolicy
    var random: SplitMix64
    private(set) var judge: Judge
    var now = Instant(nanoseconds: 1_000_000_000)
    var wake: Instant?
    private var streams: [Stream] = []
    private var opened: [Opened] = []
    var switches = Switches()
    private var lastSession: UInt32 = 0
    private var lastID: UInt32 = 0
    private let appCount: Int
    /// Whether applications open sessions and the user changes switches.
    private let opensSessions: Bool
    /// Whether users mute, unmute and free streams.
    private let wishes: Bool
    /// Whether the server carries out every treatment.
    private let serverObeys: Bool
    /// All events sent so far.
    public private(set) var events: EventSequence
    /// The first failure; `nil` for none.
    public private(set) var failure: String?

    /// Seeds that have once shown a fault of the engine or of a judge, and took many sequences to be found.
    public static var found: [UInt64] {
        [
            7588, 16136, 50356, 3_021_468,
            20_267, 28_451, 28_486, 29_876, 38_528, 114_918, 122_659, 129_671, 201_984, 205_300, 213_304, 233_730,
            239_534,
            253_706, 257_957, 1_039_076, 1_052_363, 1_052_607, 1_058_365, 1_059_922, 1_080_082, 3_317, 3_646, 6_743,
            7_213,
            10_106, 36_523, 42_765, 57_198, 1_010_809, 1_022_113, 1_053_084, 1_061_759, 1_082_384, 1_097_825, 1_100_858,
            1_129_334, 1_146_299, 3_016_587, 3_016_722, 3_030_359, 3_033_206, 3_035_043, 3_048_305, 3_065_389,
            3_077_615,
            3_090_730, 3_094_901, 10_033_709, 10_093_484, 10_136_937, 10_138_874, 1_079_327, 20_046_661, 20_073_234,
            20_078_400, 20_080_083, 20_117_176, 20_216_386, 20_239_463, 20_269_439, 20_276_636, 20_283_888, 20_311_579,
            20_362_258, 20_428_369, 20_468_820, 20_522_061, 20_552_819, 20_565_305, 20_683_540, 20_747_754, 3_010_937,
            30_211_618, 30_300_036, 30_313_946, 30_476_051, 30_589_759, 30_678_663, 30_716_368, 30_806_032, 30_832_400,
            40_042_489, 40_415_393, 40_427_713, 40_473_054, 40_753_140, 40_988_080, 50_583_772, 60_209_391, 60_691_437,
            61_126_796, 70_303_128, 70_400_445, 70_630_771, 71_235_616, 71_271_025, 71_372_133, 80_055_387, 90_153_069,
            100_311_967, 920_998, 1_010_816, 3_534_103, 3_683_846, 17_957_116_706_371, 777_143_904, 17_957_116_782_196,
            606_233_945, 70_237_587, 17_959_942_811_947,
        ]
    }

    /// Creates the sequence of a seed.
    public init(seed: UInt64) { self.init(SplitMix64(seed: seed), seed: seed) }

    /// Creates a sequence in which these numbers decide what happens, as long as they last.
    public init(beginning numbers: [UInt8]) {
        self.init(SplitMix64(beginning: numbers), seed: UInt64(numbers.first ?? 0))
    }

    private init(_ numbers: SplitMix64, seed: UInt64) {
        self.seed = seed
        random = numbers
        trial = TrialPolicy.all[random.oneIn(2) ? random.below(2) : random.below(TrialPolicy.all.count)]
        // Some judgements take as long as all else, so only every fourth sequence has them.
        judge = Judge(policy: trial.policy, isThorough: seed % 4 == 0)
        events = EventSequence(policy: trial.policy)
        appCount = random.oneIn(8) ? 1 : 2 + random.below(4)
        serverObeys = random.oneIn(2)
        opensSessions = random.oneIn(2)
        wishes = random.oneIn(2)
    }

    /// The failure, with the shortest sequence of events found that leads to it; `nil` for none.
    public func report() -> String? {
        guard let failure else { return nil }
        // Only what is wrong in the same way counts.
        func kind(_ flaw: String) -> Substring { flaw.prefix { !$0.isWhitespace } }
        let shrunk = events.shrunk { moments in
            events.flaw(by: Judge.self, moments).flatMap { kind($0.flaw) == kind(failure) ? $0.count : nil }
        }
        return
            "seed \(seed), policy \(events.policy.name): \(EventSequence.plain(failure))\n\(shrunk.trace(by: Judge.self))"
    }

    /// What is wrong with the sequence of a seed, and the shortest way found to it; `nil` if nothing is.
    public static func failure(ofSeed seed: UInt64) -> String? {
        var sequence = RandomSequence(seed: seed)
        sequence.play()
        return sequence.report()
    }

    /// Plays the sequence to its end, or to the first failure.
    public mutating func play() {
        for _ in 0..<(5 + random.below(35)) where failure == nil && !isContradictory { playEvent() }
        if failure == nil, !isContradictory { playEnd() }
    }

    /// Whether the sequence ended because its policy contradicts itself.
    public var isContradictory: Bool { judge.isOver }

    private mutating func fail(_ text: String) { if failure == nil { failure = text } }

    private mutating func send(_ event: Event) {
        if isContradictory || failure != nil { return }
        events.moments.append(EventSequence.Moment(event, at: now))
        for effect in judge.send(event, at: now) {
            switch effect {
            case .wake(let moment): wake = moment
            case .treat(let id, let treatment, _, _):
                if let index = streams.firstIndex(where: { $0.id == id }) { streams[index].silence = treatment.silence }
            case .sessionActivated, .sessionDeactivated, .interruptionBegan, .interruptionEnded, .answered,
                .activationGranted, .sessionChanged, .streamRefused, .outputLost, .outputSwitched, .command,
                .routeBegun,
                .routeChanged, .sessionRouteChanged, .availablePortsChanged:
                break
            }
        }
        if let flaw = judge.flaw, !isContradictory { fail(flaw) }
    }

    // MARK: - Events

    /// An event of an opened session, or a switch of the user.
    private mutating func playSessionEvent() {
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
        let application = Actors.applications[random.below(appCount)]
        let role = random.oneIn(4) ? Role(random.pick(["phone", "ringtone", "alarm", "prompt", "music"])) : nil
        let description = role.flatMap(Policy.phone.description(ofRole:))
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
            case 1: .outputOverride(random.pick(OutputOverride.allCases))
            case 2: .avoidsAlerts(random.oneIn(2))
            default:
                .category(
                    random.pick(PolicyEngine.Category.allCases),
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
        // R11: only applications decide whether others are notified. For interruptions by the system, the policy does.
        let isNotifying = opened.contains { $0.id == id && $0.isSystem } || random.oneIn(2)
        send(
            .sessionRequested(
                id,
                random.pick([
                    .activate(mayWait: false), .activate(mayWait: true), .deactivate(notifyOthers: isNotifying),
                    .activate(mayWait: true), .cancel,
                ])))
    }

    /// Moves a stream to an opened session, or to an application's session.
    private mutating func move() {
        guard !streams.isEmpty else { return }
        let index = random.below(streams.count)
        let key: SessionKey =
            random.oneIn(4)
            ? .application(Actors.applications[random.oneIn(2) ? streams[index].app : random.below(appCount)])
            : .opened(someSession)
        if case .opened(let id) = key, !opened.contains(where: { $0.id == id }) {
            return send(.streamMoved(streams[index].id, to: key))
        }
        if streams[index].description != nil { streams[index].session = key }
        send(.streamMoved(streams[index].id, to: key))
    }

    private mutating func close(_ index: Int) {
        guard index < opened.count else { return }
        let session = opened.remove(at: index)
        for index in streams.indices where streams[index].session == .opened(session.id) {
            streams[index].session = .application(session.application)
        }
        send(.sessionClosed(session.id))
    }

    private mutating func change() {
        for one in [Switch.silent, .locked, .doNotDisturb] where random.oneIn(2) { switches[one].toggle() }
        if random.oneIn(3) {
            switches.pausedUntil = random.pick([
                nil, Switches.never, now, now.advanced(by: .seconds(1)), Instant(nanoseconds: .min),
            ])
        }
        send(.switched(switches))
    }

    /// A user or an application mutes, unmutes or frees a stream; or it falls silent, sounds, or is heard elsewhere.
    private mutating func wish() {
        let id = streams.isEmpty || random.oneIn(12) ? StreamID(1_004) : random.pick(streams).id
        switch random.below(4) {
        case 0: send(.streamFreed(id, by: random.pick(UserAction.allCases)))
        case 1: send(.streamMuted(id, random.oneIn(2)))
        case 2: send(.streamSounding(id, random.oneIn(2)))
        default: send(.streamPlaced(id, ZoneSet(rawValue: random.pick([0, 1, 2, 3, 1 << 15]))))
        }
    }

    private mutating func playEvent() {
        if wishes, random.oneIn(5) { wish() }
        if random.oneIn(24) { changePolicy() }
        if random.oneIn(12) { send(.routeChanged(random.pick(RouteChangeReason.allCases))) }
        if random.oneIn(24) { send(.newOutputUsed) }
        if random.oneIn(12) { mute() }
        if random.oneIn(8) { loseOrReturnOutput() }
        if random.oneIn(24) { leaveAlone() }
        if opensSessions, random.oneIn(2) {
            playSessionEvent()
            if serverObeys { reportServerState() }
            return
        }
        switch random.below(serverObeys ? 8 : 12) {
        case 0, 1: appear()
        case 2, 3, 4: want()
        case 5: if random.oneIn(3) { vanish(random.below(streams.count)) }
        case 6, 7:
            advanceClock(by: .milliseconds(random.pick([0, 1, 20, 100, 299, 300, 301, 2_000, 9_999, 10_000, 70_000])))
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
        if serverObeys { reportServerState() }
    }

    /// Some streams lose an output, or get it back.
    private mutating func loseOrReturnOutput() {
        let output = random.pick(Actors.outputs)
        var some: [StreamID] = [StreamID(1_003)]
        for stream in streams where random.oneIn(2) { some.append(stream.id) }
        send(
            random.oneIn(2)
                ? .outputLost(output, name: output.name, streams: some) : .outputReturned(output, streams: some))
    }

    /// An input is muted, unmuted or removed.
    private mutating func mute() {
        let input = random.pick(Actors.inputs)
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
        let known = serverObeys || !random.oneIn(10) ? [] : streams.filter { $0.description != nil }
        let id = known.isEmpty ? StreamID(lastID) : random.pick(known).id
        if known.isEmpty {
            let description = trial.policy.description(of: role, direction: direction)
            streams.append(
                Stream(
                    id: id, app: app, session: .application(Actors.applications[app]), role: role, direction: direction,
                    description: description))
        }
        if let description = trial.policy.description(of: role, direction: direction) {
            send(
                .streamAppeared(
                    id, application: Actors.applications[app], description: description, direction: direction))
        }
        if random.oneIn(2) { want(streams.count - 1, true) }
    }

    /// Changes the policy as a host does: first the descriptions of the known streams, then the streams that the former
    /// policy left alone.
    private mutating func changePolicy() {
        trial = TrialPolicy.all[random.below(TrialPolicy.all.count)]
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
            streams[index].session = .application(Actors.applications[stream.app])
            streams[index].isWanted = false
            send(
                .streamAppeared(
                    stream.id, application: Actors.applications[stream.app], description: description,
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

    /// The policy leaves a stream alone from now on, and the stream returns to its application's session.
    private mutating func leaveAlone() {
        guard !streams.isEmpty else { return }
        let index = random.below(streams.count)
        streams[index].description = nil
        streams[index].session = .application(Actors.applications[streams[index].app])
        send(.streamLeftAlone(streams[index].id))
    }

    /// Advances the clock. A late host sends clock events late, or sends another event first, but never omits one.
    private mutating func advanceClock(by duration: Duration) {
        let end = now.advanced(by: duration)
        let isLate = !serverObeys && random.oneIn(4)
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
            if serverObeys { reportServerState() }
        }
        now = end
    }

    /// The server runs the streams that are wanted and not corked, and reports streams that are silent. It sometimes
    /// leaves some for later.
    private mutating func reportServerState() {
        for index in streams.indices where failure == nil {
            if random.oneIn(4) { continue }
            let stream = streams[index]
            let runs = stream.isWanted && ![.cork, .pausePlayer].contains(stream.silence)
            if runs != stream.isRunning {
                streams[index].isRunning = runs
                send(.streamRunning(stream.id, runs))
            }
            if streams[index].silence != .none { send(.streamSettled(stream.id)) }
        }
    }

    // MARK: - The end

    /// Advances the clock until no timer is left.
    private mutating func runOutTimers() {
        var limit = 100
        while let due = wake, failure == nil, !isContradictory, limit > 0 {
            limit -= 1
            now = max(now, due)
            wake = nil
            send(.clockReached)
        }
        if limit == 0 { fail("timers never run out") }
    }

    /// Removes everything, all at once or step by step: at first nobody interrupts another, then nobody is wanted, and at
    /// last nothing is left.
    private mutating func playEnd() {
        if random.oneIn(4) { return send(.shutdown) }
        while !opened.isEmpty, failure == nil { close(opened.count - 1) }
        send(.switched(Switches()))
        let survivor = random.pick(streams.map(\.session) + [.application(Actors.applications[0])])
        while let index = streams.firstIndex(where: { $0.session != survivor }), failure == nil { vanish(index) }
        runOutTimers()
        // R31: a superseded stream stays superseded until its client pauses it.
        for index in streams.indices { want(index, false) }
        runOutTimers()
        while !streams.isEmpty, failure == nil { vanish(streams.count - 1) }
        runOutTimers()
    }
}
