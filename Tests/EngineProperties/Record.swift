import PolicyEngine

/// What was reported to an engine, and what it has told, in plain facts.
struct Record: Sendable {
    /// A stream that the policy does not leave alone.
    struct Stream: Sendable {
        let id: StreamID
        var session: SessionKey
        var described: Described
        let direction: StreamDirection
        var isPlayed = false
        /// When it makes a call, as the engine shows; see `calls-last`.
        var callsAt: Instant?
        var isMuted = false
        var isSounding = true
        var zones: ZoneSet = []
        var isRunning = false
        var hasRun = false
        var isInputMuted = false
        /// Whether it is as silent as it was told to be.
        var isSettled = false
        /// What was told last, and what the session was for which that was done.
        var treatment = Treatment.untouched
        var actor: Described?

        var description: SessionDescription { described.description }
        var isInterfaceSound: Bool { description.category == .uiSound }
        /// Whether it can be heard.
        var isAudible: Bool { isRunning && !isSettled }
    }

    /// A description, in an object, because streams are copied very often.
    final class Described: Sendable {
        let description: SessionDescription

        init(_ description: SessionDescription) { self.description = description }
    }

    /// An opened session.
    struct Opened: Sendable {
        let id: SessionID
        let application: ApplicationID
        let kind: SessionKind
        var isConfigured = false
        /// Whether its application has activated or deactivated it, and whether it is activated.
        var isDriven = false
        var isActivated = false

        var isSystem: Bool { kind != .application }
    }

    /// What a session was told.
    struct Told: Sendable, Equatable {
        var isActive = false
        var isInterrupted = false
        /// Whether its application has deactivated it since the interruption began.
        var hasGivenUp = false
        /// Until when it may resume.
        var resumesUntil: Instant?
    }

    var policy: Policy
    /// Whether the policy is another one than at first.
    var isOtherPolicy = false
    var streams: [Stream] = []
    var opened: [Opened] = []
    /// The sessions whose activation waits, the oldest request first.
    var waiting: [SessionID] = []
    var told: [SessionKey: Told] = [:]
    var switches = Switches()
    var wake: Instant?
    /// The sessions that their users may have freed from the switches, since a switch changed last.
    var freed: Set<SessionKey> = []

    /// The sessions beside which each is heard because its user wants that, by their numbers.
    var besides: [SessionKey: [UInt32]] = [:]

    /// The sessions that were heard since they became active, by their numbers.
    var heard: Set<UInt32> = []
    /// The sessions that were told active since they ask, by their numbers.
    var begun: Set<UInt32> = []

    /// Whether any output was lost or input muted so far.
    var hasLostOutput = false

    init(policy: Policy) { self.policy = policy }

    var isSuspended: Bool { switches.pausedUntil != nil }

    func stream(_ id: StreamID) -> Stream? { streams.first { $0.id == id } }
    func opened(_ id: SessionID) -> Opened? { opened.first { $0.id == id } }
    func opened(_ key: SessionKey) -> Opened? { if case .opened(let id) = key { opened(id) } else { nil } }
    func told(_ key: SessionKey) -> Told { told[key] ?? Told() }

    /// N14, N24: whether a stream counts as wanted.
    func isWanted(_ stream: Stream) -> Bool {
        stream.isPlayed && (stream.callsAt == nil || stream.description.priority < .phone)
            && (stream.direction == .capture || !stream.isMuted || policy.muted == .count)
    }

    // MARK: - What was reported

    /// Records an event.
    mutating func take(_ event: Event, at now: Instant) {
        if let end = switches.pausedUntil, end <= now { switches.pausedUntil = nil }
        switch event {
        case .streamAppeared(let id, let application, let description, let direction):
            if stream(id) != nil { return }
            streams.append(
                Stream(
                    id: id, session: .application(application), described: Described(description),
                    direction: direction))
        case .streamWanted(let id, let isWanted): change(id) { $0.isPlayed = isWanted }
        case .streamMuted(let id, let isMuted): change(id) { $0.isMuted = isMuted }
        case .streamSounding(let id, let isSounding): change(id) { $0.isSounding = isSounding }
        case .streamPlaced(let id, let zones): change(id) { $0.zones = zones }
        case .streamRunning(let id, let isRunning):
            change(id) {
                $0.isRunning = isRunning
                $0.hasRun = $0.hasRun || isRunning
            }
        case .streamSettled(let id): change(id) { $0.isSettled = $0.treatment.silence != .none }
        case .streamVanished(let id), .streamLeftAlone(let id): streams.removeAll { $0.id == id }
        case .streamMoved(let id, let key):
            if case .opened(let session) = key, opened(session) == nil { return }
            if let old = stream(id)?.session, freed.contains(old) { freed.insert(key) }
            change(id) { $0.session = key }
        case .policyChanged(let policy, let descriptions): change(to: policy, descriptions)
        case .sessionOpened(let id, let application, let kind):
            if opened(id) == nil { opened.append(Opened(id: id, application: application, kind: kind)) }
        case .sessionClosed(let id): close(id)
        case .outputLost: hasLostOutput = true
        case .inputMuted(_, let isMuted, _, let recording):
            hasLostOutput = true
            for id in recording { change(id) { if $0.direction == .capture { $0.isInputMuted = isMuted } } }
        case .switched(let new):
            if switches.on != new.on { freed = [] }
            switches = new
            if let end = new.pausedUntil, end <= now { switches.pausedUntil = nil }
        case .shutdown: self = Record(policy: policy)
        case .clockReached: wake = nil
        case .streamFreed(let id, .free): if let stream = stream(id) { freed.insert(stream.session) }
        case .sessionConfigured, .sessionRequested, .streamFreed, .outputReturned, .routeChanged,
            .newOutputUsed, .inputGone, .route:
            break
        }
    }

    private mutating func change(_ id: StreamID, _ change: (inout Stream) -> Void) {
        if let index = streams.firstIndex(where: { $0.id == id }) { change(&streams[index]) }
    }

    private mutating func change(_ id: SessionID, _ change: (inout Opened) -> Void) {
        if let index = opened.firstIndex(where: { $0.id == id }) { change(&opened[index]) }
    }

    private mutating func change(to policy: Policy, _ descriptions: [StreamID: SessionDescription]) {
        self.policy = policy
        isOtherPolicy = true
        streams.removeAll { descriptions[$0.id] == nil }
        for index in streams.indices {
            if let description = descriptions[streams[index].id] { streams[index].described = Described(description) }
        }
    }

    private mutating func close(_ id: SessionID) {
        guard let session = opened(id) else { return }
        if freed.contains(.opened(id)) { freed.insert(.application(session.application)) }
        for index in streams.indices where streams[index].session == .opened(id) {
            streams[index].session = .application(session.application)
        }
        opened.removeAll { $0.id == id }
        waiting.removeAll { $0 == id }
    }

    // MARK: - What was told

    /// Records the effects of an event.
    mutating func note(_ effects: [Effect], of event: Event, at now: Instant) {
        for effect in effects {
            switch effect {
            case .treat(let id, let treatment, _, _):
                change(id) {
                    $0.treatment = treatment
                    if treatment.silence == .none { $0.isSettled = false }
                }
            case .wake(let moment): wake = moment
            case .sessionActivated(let session): told[session.key, default: Told()].isActive = true
            case .sessionDeactivated(let session): told[session.key, default: Told()].isActive = false
            case .interruptionBegan(let session, _):
                told[session.key] = Told(isActive: told(session.key).isActive, isInterrupted: true)
                if let id = session.id { change(id) { $0.isActivated = false } }
            case .interruptionEnded(let session, let resumes): end(session, resumes, at: now)
            case .activationGranted(let id): activate(id)
            case .answered(let id, let answer): self.answer(id, answer, event, effects)
            case .sessionChanged, .streamRefused, .outputLost, .outputSwitched, .command, .routeBegun, .routeChanged,
                .sessionRouteChanged, .availablePortsChanged:
                break
            }
        }
        if case .sessionClosed(let id) = event { told[.opened(id)] = nil }
    }

    private mutating func end(_ session: SessionReference, _ resumes: Bool, at now: Instant) {
        told[session.key, default: Told()].isInterrupted = false
        let waits = session.id.flatMap { opened($0) }.map { $0.isDriven && !$0.isActivated } ?? false
        let until = now.advanced(by: policy.interruptions.resumesWithin)
        told[session.key, default: Told()].resumesUntil = resumes && waits ? until : nil
    }

    private mutating func activate(_ id: SessionID) {
        waiting.removeAll { $0 == id }
        told[.opened(id), default: Told()].resumesUntil = nil
        told[.opened(id), default: Told()].hasGivenUp = false
        change(id) {
            $0.isDriven = true
            $0.isActivated = true
        }
    }

    private mutating func answer(_ id: SessionID, _ answer: SessionAnswer, _ event: Event, _ effects: [Effect]) {
        switch (event, answer) {
        case (.sessionConfigured(_, .category), .done): change(id) { $0.isConfigured = true }
        case (.sessionRequested(_, .activate), .done):
            // The answer comes last, and the session may be interrupted already.
            let isInterrupted = effects.contains {
                if case .interruptionBegan(let other, _) = $0 { other.id == id } else { false }
            }
            activate(id)
            if isInterrupted { change(id) { $0.isActivated = false } }
        case (.sessionRequested(_, .activate), .delayed): if !waiting.contains(id) { waiting.append(id) }
        case (.sessionRequested(_, .deactivate), .done):
            waiting.removeAll { $0 == id }
            told[.opened(id), default: Told()].hasGivenUp = true
            told[.opened(id), default: Told()].resumesUntil = nil
            change(id) {
                $0.isDriven = true
                $0.isActivated = false
            }
        case (.sessionRequested(_, .cancel), .done): waiting.removeAll { $0 == id }
        default: break
        }
    }
}
