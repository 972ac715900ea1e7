import PolicyEngine
import Testing

/// The presets under test, with names that read well in a list of tests.
enum Shipped: String, CaseIterable, CustomTestStringConvertible {
    case desktop, phone

    var policy: Policy { self == .desktop ? .desktop : .phone }
    var testDescription: String { rawValue }
}

/// What a listener would say of a stream.
enum Heard: Equatable {
    /// Nothing is done to it.
    case free
    case ducked(Double)
    case muted
    case corked
    /// Silent until its own application asks again (R31).
    case superseded
    /// Not let begin (R8).
    case rejected
    /// Waiting for others to fall silent.
    case held
    /// Its session is not active (R26).
    case inactive
    /// Not the engine's business.
    case unmanaged
}

/// A script of what streams do, on a virtual clock, played against an engine.
///
/// An obedient scenario answers effects as a sound server would: a stream that is wanted and not corked runs, a corked
/// one stops and settles when its fade is over, wake requests are kept.
struct Scenario {
    /// How a stream's server and client misbehave.
    struct Vice: OptionSet {
        let rawValue: Int
        /// Never reports that it is silent, and never stops.
        static let neverSettles = Vice(rawValue: 1)
        /// Never starts, whoever wants it to.
        static let neverRuns = Vice(rawValue: 2)
    }

    private struct Simulated {
        var id: StreamID
        var isWanted = false
        var isRunning = false
        var treatment = Treatment.untouched
        /// When the silence that it was told to keep is reached.
        var settles: Instant?
        var vice: Vice = []
        var application: ApplicationID
        var role: Role?
        var direction: StreamDirection
    }

    private(set) var engine: Engine
    private(set) var now = Instant(nanoseconds: 5_000_000_000)
    private(set) var log: [String] = []
    private(set) var wake: Instant?
    private let isObedient: Bool
    private var streams: [String: Simulated] = [:]
    private var names: [StreamID: String] = [:]
    private var lastID: UInt32 = 0
    private var sessions: [String: SessionID] = [:]
    private var sessionNames: [SessionID: String] = [:]

    init(policy: Policy, obedient: Bool = true) {
        engine = Engine(policy: policy)
        isObedient = obedient
    }

    init(_ preset: Shipped, obedient: Bool = true) { self.init(policy: preset.policy, obedient: obedient) }

    // MARK: - What the world does

    /// A stream comes into being, neither wanted nor running. Its application has its own name unless another is given.
    mutating func appear(
        _ name: String, role: String? = nil, app: String? = nil, capture: Bool = false, vice: Vice = []
    ) {
        lastID += 1
        let id = StreamID(lastID)
        streams[name] = Simulated(
            id: id, vice: vice,
            application: ApplicationID(portal: nil, binary: nil, displayName: nil, fallback: app ?? name),
            role: role.flatMap { Role($0) }, direction: capture ? .capture : .playback)
        names[id] = name
        introduce(name)
    }

    /// Tells the engine of a stream, if the policy has a description for it.
    private mutating func introduce(_ name: String) {
        guard let stream = streams[name],
            let description = engine.policy.description(of: stream.role, direction: stream.direction)
        else { return }
        send(
            .streamAppeared(
                stream.id, application: stream.application, description: description, direction: stream.direction))
    }

    /// Another policy takes over; what it is the first to know is introduced as a host would.
    mutating func change(to policy: Policy) {
        var known: [StreamID: SessionDescription] = [:]
        var newcomers: [String] = []
        for (name, stream) in streams.sorted(by: { $0.value.id.rawValue < $1.value.id.rawValue }) {
            if engine.treatment(of: stream.id) == nil {
                newcomers.append(name)
            } else {
                known[stream.id] = policy.description(of: stream.role, direction: stream.direction)
            }
        }
        send(.policyChanged(policy, known))
        for name in newcomers {
            introduce(name)
            guard let stream = streams[name] else { continue }
            if stream.isWanted { send(.streamWanted(stream.id, true)) }
            if stream.isRunning { send(.streamRunning(stream.id, true)) }
        }
    }

    /// The application wants the stream to run, or not. An obedient server follows as far as it may.
    mutating func want(_ name: String, _ isWanted: Bool = true) {
        guard let stream = streams[name] else { return }
        streams[name]?.isWanted = isWanted
        send(.streamWanted(stream.id, isWanted))
        if isObedient { follow(name) }
    }

    /// The server runs the stream, or ceases to.
    mutating func run(_ name: String, _ isRunning: Bool = true) {
        guard let stream = streams[name] else { return }
        streams[name]?.isRunning = isRunning
        send(.streamRunning(stream.id, isRunning))
    }

    mutating func settle(_ name: String) {
        guard let stream = streams[name] else { return }
        send(.streamSettled(stream.id))
    }

    mutating func vanish(_ name: String, for wait: Duration? = nil) {
        if let stream = streams.removeValue(forKey: name) { send(.streamVanished(stream.id)) }
        pass(wait)
    }

    /// Its user or application mutes the stream, or unmutes it.
    mutating func muteStream(_ name: String, _ isMuted: Bool = true) {
        guard let stream = streams[name] else { return }
        send(.streamMuted(stream.id, isMuted))
        if isObedient { for name in streams.keys.sorted() { follow(name) } }
    }

    /// The stream's sound becomes loud enough to count, or too quiet.
    mutating func sound(_ name: String, _ isSounding: Bool) {
        guard let stream = streams[name] else { return }
        send(.streamSounding(stream.id, isSounding))
        if isObedient { for name in streams.keys.sorted() { follow(name) } }
    }

    /// The stream is heard in these zones.
    mutating func place(_ name: String, in zones: ZoneSet) {
        guard let stream = streams[name] else { return }
        send(.streamPlaced(stream.id, zones))
        if isObedient { for name in streams.keys.sorted() { follow(name) } }
    }

    /// Its user wants to hear the stream.
    mutating func free(_ name: String, by action: UserAction = .free) {
        guard let stream = streams[name] else { return }
        send(.streamFreed(stream.id, by: action))
        if isObedient { follow(name) }
    }

    /// The policy leaves the stream alone from now on.
    mutating func leaveAlone(_ name: String) {
        if let stream = streams[name] { send(.streamLeftAlone(stream.id)) }
    }

    /// Appears, named after its role unless told otherwise, and is wanted. Then time may pass.
    mutating func play(
        _ name: String, role: String? = nil, app: String? = nil, capture: Bool = false, vice: Vice = [],
        for wait: Duration? = nil
    ) {
        if streams[name] == nil { appear(name, role: role ?? name, app: app, capture: capture, vice: vice) }
        want(name)
        pass(wait)
    }

    mutating func pause(_ name: String, for wait: Duration? = nil) {
        want(name, false)
        pass(wait)
    }

    private mutating func pass(_ wait: Duration?) { if let wait { advance(wait) } }

    /// Time passes, and nobody asks what came of it.
    mutating func skip(_ duration: Duration) {
        advance(duration)
        _ = news()
    }

    /// Time passes; what becomes due on the way happens in its order.
    mutating func advance(_ duration: Duration) {
        let end = now.advanced(by: duration)
        var guardrail = 10_000
        while guardrail > 0 {
            guardrail -= 1
            let settling = isObedient ? streams.filter { $0.value.settles != nil } : [:]
            let first = settling.min { ($0.value.settles ?? end, $0.key) < ($1.value.settles ?? end, $1.key) }
            let due = [first?.value.settles, wake].compactMap { $0 }.min()
            guard let due, due <= end else { break }
            now = max(now, due)
            if let first, first.value.settles == due {
                streams[first.key]?.settles = nil
                send(.streamSettled(first.value.id))
                follow(first.key)
            } else {
                wake = nil
                send(.clockReached)
            }
        }
        now = end
    }

    /// Time passes, and nobody has looked at the clock yet.
    mutating func standStill(_ duration: Duration) { now = now.advanced(by: duration) }

    mutating func send(_ event: Event) {
        let effects = engine.handle(event, at: now)
        let inconsistency = engine.inconsistency
        #expect(inconsistency == nil)
        for effect in effects { note(effect) }
        guard isObedient else { return }
        for case .treat(let id, _, _, _) in effects {
            if let name = names[id] { follow(name) }
        }
    }

    // MARK: - What came of it

    subscript(_ name: String) -> Heard {
        guard let stream = streams[name], let treatment = engine.treatment(of: stream.id) else { return .unmanaged }
        switch (treatment.silence, treatment.reason) {
        case (.none, .none): return .free
        case (.none, _): return .ducked(treatment.gain.decibels)
        case (_, .handover): return .held
        case (_, .superseded): return .superseded
        case (_, .rejected): return .rejected
        case (_, .inactive): return .inactive
        case (.mute, _): return .muted
        case (.cork, _), (.pausePlayer, _): return .corked
        }
    }

    /// Whether a stream's player is to pause it (N15).
    func asksPlayer(of name: String) -> Bool {
        streams[name].flatMap { engine.treatment(of: $0.id) }?.silence == .pausePlayer
    }

    /// The name of the description that treats a stream.
    func actor(on name: String) -> String? {
        streams[name].flatMap { engine.treatment(of: $0.id)?.cause }.flatMap { engine.interrupter($0)?.description }
    }

    /// The engine's number of a stream.
    func id(of name: String) -> StreamID? { streams[name]?.id }

    /// Whether the server processes the stream.
    func isRunning(_ name: String) -> Bool { streams[name]?.isRunning ?? false }

    /// What was logged since this was last asked.
    mutating func news() -> [String] {
        defer { log.removeAll() }
        return log
    }

    // MARK: - The obedient server

    private mutating func follow(_ name: String) {
        guard let stream = streams[name] else { return }
        if stream.vice.contains(.neverRuns) { return }
        // What runs stops when its fade is over; what does not is not even started.
        let hasFaded = !stream.isRunning || stream.settles == nil && !stream.vice.contains(.neverSettles)
        let isStopped = [.cork, .pausePlayer].contains(stream.treatment.silence) && hasFaded
        let runs = stream.isWanted && !isStopped
        if runs != stream.isRunning {
            streams[name]?.isRunning = runs
            send(.streamRunning(stream.id, runs))
        }
    }

    private mutating func note(_ effect: Effect) {
        switch effect {
        case .wake(let moment): wake = moment
        case .treat(let id, let treatment, let fade, let delay):
            let name = names[id] ?? "?"
            let milliseconds = fade.wholeNanoseconds / 1_000_000
            let wait = delay > .zero ? " after \(delay.wholeNanoseconds / 1_000_000)" : ""
            log.append("\(Self.verb(treatment)) \(name) in \(milliseconds)\(wait)")
            guard let stream = streams[name] else { return }
            streams[name]?.treatment = treatment
            if treatment.silence == .none {
                streams[name]?.settles = nil
            } else if stream.treatment.silence == .none, !stream.vice.contains(.neverSettles) {
                streams[name]?.settles = now.advanced(by: fade)
            }
        case .sessionActivated(let session): log.append("active \(session.application.name)")
        case .sessionDeactivated(let session): log.append("inactive \(session.application.name)")
        case .interruptionBegan(let session, let actor):
            log.append("began \(session.application.name) by \(actor.name)")
        case .interruptionEnded(let session, let resumes):
            log.append("ended \(session.application.name) \(resumes ? "resume" : "stay")")
        case .answered(let id, let answer): log.append("\(sessionNames[id] ?? "?"): \(Self.word(answer))")
        case .activationGranted(let id): log.append("\(sessionNames[id] ?? "?"): granted")
        case .sessionChanged, .outputLost, .outputSwitched, .command, .routeBegun, .routeChanged, .sessionRouteChanged,
            .availablePortsChanged:
            break
        case .streamRefused(let id): log.append("refused \(names[id] ?? "?")")
        }
    }

    // MARK: - Sessions that are opened

    /// An application opens a session; streams that are named move there.
    mutating func open(
        _ session: String, app: String? = nil, system: SessionDescription? = nil, by beginner: String? = nil
    ) {
        let id = SessionID(UInt32(sessions.count + 1))
        sessions[session] = id
        sessionNames[id] = session
        let application = ApplicationID(portal: nil, binary: nil, displayName: nil, fallback: app ?? session)
        let begun = beginner.map { ApplicationID(portal: nil, binary: nil, displayName: nil, fallback: $0) }
        send(.sessionOpened(id, application: application, system.map { .system($0, by: begun) } ?? .application))
    }

    /// An application opens a session and says what it is.
    mutating func open(
        _ session: String, _ category: Category, _ options: CategoryOptions = [], _ mode: Mode? = nil
    ) {
        open(session)
        configure(session, category, options, mode)
    }

    /// An application opens a session, says what it is, activates it, and plays a stream there, or records one.
    mutating func play(
        _ name: String, role: String = "music", in session: String, app: String? = nil,
        as category: Category = .playback, _ options: CategoryOptions = [], _ mode: Mode? = nil,
        for wait: Duration? = nil
    ) {
        open(session, app: app)
        configure(session, category, options, mode)
        activate(session)
        appear(name, role: role, app: app, capture: category == .record)
        move(name, to: session)
        want(name)
        pass(wait)
    }

    /// Streams belong to a session from now on.
    mutating func move(_ names: String..., to session: String) {
        guard let id = sessions[session] else { return }
        for name in names { if let stream = streams[name] { send(.streamMoved(stream.id, to: .opened(id))) } }
    }

    mutating func configure(
        _ session: String, _ category: Category, _ options: CategoryOptions = [], _ mode: Mode? = nil
    ) { configure(session, .category(category, options, mode)) }

    mutating func configure(_ session: String, _ change: ConfigurationChange) {
        if let id = sessions[session] { send(.sessionConfigured(id, change)) }
    }

    mutating func request(_ session: String, _ request: SessionRequest) {
        if let id = sessions[session] { send(.sessionRequested(id, request)) }
    }

    mutating func activate(_ session: String, for wait: Duration? = nil) {
        request(session, .activate(mayWait: false))
        pass(wait)
    }

    mutating func deactivate(_ session: String, notify: Bool = true, for wait: Duration? = nil) {
        request(session, .deactivate(notifyOthers: notify))
        pass(wait)
    }

    mutating func close(_ session: String) { if let id = sessions[session] { send(.sessionClosed(id)) } }

    /// What a session's application may read.
    func state(_ session: String) -> SessionState {
        sessions[session].flatMap { engine.state(of: $0) } ?? SessionState()
    }

    private static func word(_ answer: SessionAnswer) -> String {
        switch answer {
        case .done: "done"
        case .delayed: "delayed"
        case .refused(let actor): "refused by \(actor.application.name)"
        case .mistaken(let mistake): "mistaken \(mistake)"
        case .nothingDelayed: "nothing waits"
        case .unknown: "unknown"
        }
    }

    private static func verb(_ treatment: Treatment) -> String {
        switch (treatment.silence, treatment.reason) {
        case (.none, .none): "free"
        case (.none, _): "duck"
        case (_, .handover): "hold"
        case (_, .superseded): "keep"
        case (_, .rejected): "reject"
        case (.mute, _): "mute"
        case (.cork, _), (.pausePlayer, _): "cork"
        }
    }
}

extension Policy {
    /// A policy with exactly these roles; what has none is left alone.
    static func of(_ descriptions: SessionDescription...) -> Policy {
        Policy(name: "test", roles: descriptions)
    }
}
