import BusInterface
import DBus
import Glibc

/// A session with the service: opened, set up as the application wants, lost, and opened again, on its own thread.
///
/// | state | what happens | next |
/// |---|---|---|
/// | unknown | the bus is asked who the service is | absent, opening |
/// | absent | calls fail; the service, or the time of the next attempt, is waited for | opening |
/// | opening | the session is opened and set up; calls wait | ready, absent |
/// | ready | calls are passed on | absent |
final class ServiceSession {
    enum State { case unknown, absent, opening, ready }

    let worker: Worker
    private let address: BusAddress
    private let properties: WireValue
    let loop = PollLoop()
    private var connection: BusConnection
    private var subscriptions: [Subscription] = []
    var state = State.unknown
    private var isOver = false
    private var owner: String?
    /// The session's path, and its signals, once it is open.
    var path: String?
    private var signals: Subscription?
    /// Increases at each loss: answers to former calls are not for the present session.
    private var generation = 0
    /// The calls of the opening that are not answered.
    private var openingCalls = 0
    var published = PublishedState()
    var preferences = Preferences()
    /// The requests that wait for the session.
    private var waiting: [Request] = []
    private var deadlines: (any LoopTimer)?
    var retry: (any LoopTimer)?
    static let retryDelays: ClosedRange<Int64> = 250_000_000...5_000_000_000
    private var retryDelay = retryDelays.lowerBound
    /// Why the last attempt to open the session failed.
    private var failure: String?
    /// Until the service answers again, calls fail at once.
    private var isHung = false
    /// Only another connection ends the sessions of this one for sure.
    private var needsConnection = false

    private var delayed: [(number: Int, request: Request)] = []
    /// Not answered by the service yet.
    private var activating: Set<Int> = []
    private var cancelled: Set<Int> = []
    var deactivations = 0

    // What the application was told.
    private var wasReady = false
    /// Another library of the process may have set the session up already.
    var isJoining: Bool { state == .opening && !wasReady }
    private var isToldReady = false
    private var hasFailed = false
    var isToldActive = false
    /// Whether the session was interrupted when it was lost.
    private var isInterrupted = false
    var isToldHint = false
    private var wasRefused = false
    /// The events that come while the session is set up.
    var held: [AudioSession.Event] = []

    init(_ worker: Worker, _ address: BusAddress, _ properties: WireValue) {
        self.worker = worker
        self.address = address
        self.properties = properties
        connection = BusConnection(address, loop: loop, readsAhead: false)
    }

    /// Returns once the session is closed.
    func run() {
        let bell = worker.bell
        let watch = loop.watch(bell.descriptor) { _ in bell.silence() }
        watch.update(.readable)
        deadlines = loop.timer { [unowned self] in failLate() }
        retry = loop.timer { [unowned self] in if state == .absent { open() } }
        connect()
        while !isOver {
            takeRequests()
            if isOver { break }
            loop.runOnce()
            if needsConnection {
                needsConnection = false
                connection.close()
                connection = BusConnection(address, loop: loop, readsAhead: false)
                connect()
            }
        }
        watch.cancel()
        deadlines?.cancel()
        retry?.cancel()
        subscriptions = []
    }

    private func connect() {
        state = .unknown
        let manager = { (interface: String, member: String) in
            MatchRule(
                sender: AudioSessionBus.name, path: AudioSessionBus.managerPath, interface: interface, member: member)
        }
        subscriptions = [
            connection.subscribe(manager(Self.propertiesInterface, "PropertiesChanged")) { [unowned self] in
                propertiesChanged($0.arguments, ofManager: true)
            },
            connection.subscribe(manager(AudioSessionBus.managerInterface, "ServicesReset")) { [unowned self] _ in
                if state == .absent { open() }
            },
            connection.follow(AudioSessionBus.name) { [unowned self] in ownerChanged($0) },
        ]
        connection.open()
    }

    static let propertiesInterface = "org.freedesktop.DBus.Properties"

    // MARK: - Requests

    private func takeRequests() {
        let (requests, cancellations, isClosed) = worker.shared.withLock { shared in
            defer {
                shared.requests = []
                shared.cancelled = []
            }
            return (shared.requests, shared.cancelled, shared.isClosed)
        }
        for request in requests { handle(request) }
        for number in cancellations { cancel(number) }
        if isClosed { close() }
    }

    private func handle(_ request: Request) {
        switch (state, isHung) {
        case (.ready, _): perform(request)
        case (.absent, _), (.unknown, true), (.opening, true):
            if case .change(let change) = request.action, case .deactivation = change {
                // Without the service the session is inactive; it only must not become active again.
                change.apply(to: &preferences)
                publish()
                endDelayed(.success(false))
                return request.answer(.success(false))
            }
            hasFailed = true
            request.answer(.failure(absence))
        case (.unknown, false), (.opening, false):
            waiting.append(request)
            armDeadlines()
        }
    }

    private var absence: AudioSessionError {
        if isHung { return Self.late(code) }
        if owner != nil, let failure { return AudioSessionError(code, failure) }
        return AudioSessionError(
            code,
            connection.isConnected
                ? "the service \(AudioSessionBus.name) is not on the session bus"
                : "there is no session bus: \(connection.lastError?.message ?? "it does not answer")")
    }

    /// The code for a service that is not there.
    private var code: AudioSessionError.Code { wasReady ? .unspecified : .initializationTimedOut }

    static func late(_ code: AudioSessionError.Code) -> AudioSessionError {
        AudioSessionError(code, "\(AudioSessionBus.name) did not answer within \(Worker.limit / 1_000_000_000) s")
    }

    private func armDeadlines() { deadlines?.arm(at: waiting.map(\.deadline).min()) }

    private func failLate() {
        let now = loop.now
        let late = waiting.filter { $0.deadline <= now }
        waiting.removeAll { $0.deadline <= now }
        armDeadlines()
        if !late.isEmpty { hasFailed = true }
        for request in late { request.answer(.failure(Self.late(code))) }
    }

    private func failWaiting(_ error: AudioSessionError) {
        let failed = waiting
        waiting = []
        armDeadlines()
        if !failed.isEmpty { hasFailed = true }
        for request in failed { request.answer(.failure(error)) }
    }

    private func perform(_ request: Request) {
        switch request.action {
        case .setUp: request.answer(.success(false))
        case .change(let change):
            let (member, arguments) = change.call
            var isDeactivation = false
            if case .deactivation = change { isDeactivation = true }
            if isDeactivation { deactivations += 1 }
            call(member, arguments, until: request.deadline) { [unowned self] result in
                if case .success = result {
                    change.apply(to: &preferences)
                    publish()
                    if isDeactivation { endDelayed(.success(false)) }
                }
                finish(request, result.map { _ in false }) { [unowned self] in
                    if isDeactivation { deactivations -= 1 }
                }
            }
        case .activate(let mayWait, let number):
            activating.insert(number)
            call("Activate", [.strings(mayWait ? ["delayed"] : [])], until: request.deadline) { [unowned self] result in
                activating.remove(number)
                let isCancelled = cancelled.remove(number) != nil
                switch result {
                case .failure(let error): request.answer(.failure(error))
                case .success(let values) where values.first?.text == "delayed":
                    preferences.awaitsActivation = true
                    delayed.append((number, request))
                    if isCancelled { cancel(number) }
                case .success:
                    activated()
                    finish(request, .success(true)) {}
                }
            }
        }
    }

    /// Answers once the properties show the change: the service announces properties later than it answers.
    private func finish(_ request: Request, _ answer: Request.Answer, then body: @escaping () -> Void) {
        guard case .success = answer, let path, state == .ready else {
            body()
            return request.answer(answer)
        }
        let generation = generation
        let session = AudioSessionBus.sessionInterface
        callService(path, Self.propertiesInterface, "GetAll", [.string(session)], until: request.deadline) {
            [unowned self] result in
            if case .success(let values) = result, generation == self.generation, state == .ready {
                update(values.first?.entries ?? [], ofManager: false)
                publish()
                noteActivity()
            }
            body()
            request.answer(answer)
        }
    }

    /// The application waits for it no longer.
    private func cancel(_ number: Int) {
        if activating.contains(number) { cancelled.insert(number) }
        if let index = waiting.firstIndex(where: {
            if case .activate(_, number) = $0.action { true } else { false }
        }) {
            waiting.remove(at: index).answer(.success(false))
        }
        guard let index = delayed.firstIndex(where: { $0.number == number }) else { return }
        delayed.remove(at: index).request.answer(.success(false))
        guard delayed.isEmpty else { return }
        preferences.awaitsActivation = false
        if state == .ready { call("CancelActivation", [], until: loop.now + Worker.limit) { _ in } }
    }

    private func endDelayed(_ answer: Request.Answer) {
        let ended = delayed
        delayed = []
        for (_, request) in ended { request.answer(answer) }
    }

    func activated() {
        preferences.isActive = true
        preferences.awaitsActivation = false
        endDelayed(.success(true))
    }

    private func call(
        _ member: String, _ arguments: [WireValue], until deadline: Int64,
        then body: @escaping (Result<[WireValue], AudioSessionError>) -> Void
    ) {
        callService(path ?? "", AudioSessionBus.sessionInterface, member, arguments, until: deadline, then: body)
    }

    private func callService(
        _ path: String, _ interface: String, _ member: String, _ arguments: [WireValue], until deadline: Int64,
        then body: @escaping (Result<[WireValue], AudioSessionError>) -> Void
    ) {
        let generation = generation
        connection.call(
            owner ?? "", path: path, interface: interface, member, arguments,
            timeout: .nanoseconds(max(1_000_000, deadline - loop.now))
        ) { [weak self] result in
            guard let self else { return body(.failure(Worker.closed)) }
            switch result {
            case .success(let values): body(.success(values))
            case .failure(let error):
                let isLate = error.name == WireErrorName.noReply && loop.now >= deadline
                if generation == self.generation, !isOver {
                    if isLate {
                        hang()
                    } else if state == .ready,
                        [WireErrorName.unknownObject, WireErrorName.accessDenied].contains(error.name)
                    {
                        // The service does not know the session any longer.
                        lose()
                        retryLater()
                    }
                }
                body(.failure(isOver ? Worker.closed : isLate ? Self.late(.unspecified) : AudioSessionError(error)))
            }
        }
    }

    private func close() {
        isOver = true
        if let path, let owner {
            connection.call(owner, path: path, interface: AudioSessionBus.sessionInterface, "Close") { _ in }
        }
        failWaiting(Worker.closed)
        endDelayed(.failure(Worker.closed))
        signals = nil
        connection.close()
    }

    // MARK: - Opening and losing

    private func ownerChanged(_ owner: String?) {
        lose()
        self.owner = owner
        retryDelay = Self.retryDelays.lowerBound
        if owner != nil { return open() }
        state = .absent
        retry?.arm(at: nil)
        failWaiting(absence)
    }

    private func open() {
        guard owner != nil else { return }
        retry?.arm(at: nil)
        state = .opening
        openingCalls = 0
        held = []
        wasRefused = false
        callOpening(AudioSessionBus.managerPath, AudioSessionBus.managerInterface, "OpenSession", [properties]) {
            [unowned self] result in
            guard case .success(let values) = result, let path = values.first?.text else { return fail(result) }
            opened(path)
        }
    }

    /// After the last answer the session is ready.
    private func callOpening(
        _ path: String, _ interface: String, _ member: String, _ arguments: [WireValue],
        then body: @escaping (Result<[WireValue], AudioSessionError>) -> Void
    ) {
        let generation = generation
        openingCalls += 1
        callService(path, interface, member, arguments, until: loop.now + Worker.limit) { [unowned self] result in
            guard generation == self.generation, state == .opening else { return }
            body(result)
            guard generation == self.generation, state == .opening else { return }
            openingCalls -= 1
            if openingCalls == 0 { becomeReady() }
        }
    }

    private func fail(_ result: Result<[WireValue], AudioSessionError>) {
        lose()
        var message = "the service answered something unknown"
        if case .failure(let error) = result { message = error.message }
        failure = message
        failWaiting(absence)
        retryLater()
    }

    private func retryLater() {
        retry?.arm(at: loop.now + retryDelay)
        retryDelay = min(retryDelay * 2, Self.retryDelays.upperBound)
    }

    /// The service answers in order, so the properties of the session are read at last.
    private func opened(_ path: String) {
        self.path = path
        published = PublishedState(path: path)
        signals = connection.subscribe(MatchRule(sender: owner, path: path)) { [unowned self] in received($0) }
        let session = AudioSessionBus.sessionInterface
        // A refused preference is kept: a port may come back.
        for change in preferences.changes {
            let (member, arguments) = change.call
            callOpening(path, session, member, arguments) { [unowned self] result in
                if case .failure = result, case .outputOverride = change { preferences.outputOverride = .none }
            }
        }
        if preferences.isActive || preferences.awaitsActivation {
            let flags = preferences.isActive ? [] : ["delayed"]
            callOpening(path, session, "Activate", [.strings(flags)]) { [unowned self] in activatedAgain($0) }
        }
        for (path, interface) in [
            (AudioSessionBus.managerPath, AudioSessionBus.managerInterface), (path, session),
        ] {
            callOpening(path, Self.propertiesInterface, "GetAll", [.string(interface)]) { [unowned self] result in
                guard case .success(let values) = result, let all = values.first?.entries else { return fail(result) }
                update(all, ofManager: interface != session)
            }
        }
    }

    private func activatedAgain(_ result: Result<[WireValue], AudioSessionError>) {
        switch result {
        case .success(let values): if values.first?.text == "active" { activated() }
        case .failure(let error):
            wasRefused = preferences.isActive
            preferences.isActive = false
            preferences.awaitsActivation = false
            endDelayed(.failure(error))
        }
    }

    private func becomeReady() {
        let isFirst = !wasReady
        state = .ready
        retryDelay = Self.retryDelays.lowerBound
        failure = nil
        isHung = false
        wasReady = true
        isToldReady = true
        publish()
        if !isFirst || hasFailed { tell(.mediaServices(.wereReset)) }
        hasFailed = false
        if isInterrupted {
            isInterrupted = false
            // The session may have been kept. If not, nobody knows what had interrupted it.
            let isEnded = held.contains { if case .interruption(.ended) = $0 { true } else { false } }
            let isKept = published.session["Interrupted"]?.truth ?? false
            if !isKept && !isEnded { tell(.interruption(.ended([]))) }
        }
        let events = held
        held = []
        for event in events { tell(event) }
        if wasRefused { tell(.interruption(.began(reason: .default, by: ""))) }
        noteActivity()
        let isHinted = published.session["SecondaryAudioShouldBeSilenced"]?.truth ?? false
        if !isFirst, isHinted != isToldHint { tell(.silenceSecondaryAudioHint(isHinted ? .begin : .end)) }
        isToldHint = isHinted
        let requests = waiting
        waiting = []
        armDeadlines()
        for request in requests { handle(request) }
    }

    /// Waiting calls wait for the next session.
    func lose() {
        guard state == .ready || state == .opening else { return }
        if state == .ready { isInterrupted = published.session["Interrupted"]?.truth ?? false }
        generation += 1
        path = nil
        signals = nil
        state = .absent
        publish()
        guard isToldReady else { return }
        isToldReady = false
        tell(.mediaServices(.wereLost))
        if isToldActive { tell(.activation(.becameInactive(.mediaServicesLost))) }
        isToldActive = false
    }

    /// What the service still does of the former calls is not for this session.
    private func hang() {
        isHung = true
        lose()
        failWaiting(absence)
        needsConnection = true
    }
}

extension AudioSessionError {
    init(_ error: WireError) {
        let code = WireErrorName.phoneResults[error.name].flatMap { Code(characters: $0) } ?? .unspecified
        self.init(code, error.message)
    }
}
