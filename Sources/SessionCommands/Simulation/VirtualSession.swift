import SessionCore
import SessionRuntime

/// An opened session of a ``VirtualServer``, and what its application was told.
struct VirtualSession {
    /// One thing that its application was told.
    struct News {
        var moment: Duration
        /// Tells what came first within a moment, as ``VirtualServer/Entry`` does.
        var step: Int
        var told: Told
    }

    /// What it is, from one moment on; `nil` is one that is not open.
    struct Entry {
        var moment: Duration
        var state: SessionState?
    }

    var session: Scenario.Session
    /// The session in the service, while it is open.
    var id: SessionID?
    /// What it is, as far as its application has been shown; `nil` while it is not open.
    var state: SessionState?
    /// What of `Active` its application was told last.
    var isToldActive = false
    /// All that its application was told.
    var news: [News] = []
    /// All that it was.
    private(set) var history: [Entry] = []

    /// Writes down what has changed.
    mutating func note(_ moment: Duration) {
        guard history.last?.state != state else { return }
        history.append(Entry(moment: moment, state: state))
    }
}

/// The service for sessions, as an application meets it over D-Bus.
extension VirtualServer: SessionObserver {
    func performSession(_ action: Scenario.Action) {
        switch action {
        case .open(let index): open(index)
        case .close(let index): close(index)
        case .category(let index, let category, let options, let mode):
            configure(index, .category(category, options, mode))
        case .mode(let index, let mode): configure(index, .mode(mode))
        case .activate(let index, let mayWait): request(index, .activate(mayWait: mayWait))
        case .deactivate(let index, let notifies): request(index, .deactivate(notifyOthers: notifies))
        case .cancel(let index): request(index, .cancel)
        default: break
        }
    }

    private func configure(_ index: Int, _ change: ConfigurationChange) {
        if let id = players[index].id { take(.sessionConfigured(id, change)) }
    }

    private func request(_ index: Int, _ request: SessionRequest) {
        if let id = players[index].id { take(.sessionRequested(id, request)) }
    }

    private func open(_ index: Int) {
        let id = nextSession()
        let session = players[index].session
        players[index].id = id
        players[index].state = SessionState()
        players[index].isToldActive = false
        take(.sessionOpened(id, application: session.application, .application))
        if session.avoidsAlerts { configure(index, .avoidsAlerts(true)) }
        if let isInterrupted = session.isInterruptedOnDisconnect {
            configure(index, .interruptionOnRouteDisconnect(isInterrupted))
        }
        assignAll()
    }

    /// Its streams go to another session of its application, if there is one, or back to the application.
    func close(_ index: Int) {
        guard let id = players[index].id else { return }
        players[index].id = nil
        for lane in lanes.indices where lanes[lane].session == index { assign(lane) }
        take(.sessionClosed(id))
        players[index].state = nil
    }

    // MARK: - Whose streams

    /// The opened session that a stream belongs to: the one that it names, or else the oldest one of its application.
    func session(of stream: Scenario.Stream) -> Int? {
        if let named = stream.session, players[named].id != nil { return named }
        return players.indices.filter { players[$0].id != nil && players[$0].session.application == stream.application }
            .min { players[$0].id?.rawValue ?? 0 < players[$1].id?.rawValue ?? 0 }
    }

    private func assignAll() {
        for index in lanes.indices where lanes[index].id != nil { assign(index) }
    }

    private func assign(_ index: Int) {
        let former = lanes[index].session
        let session = session(of: lanes[index].stream)
        guard let id = lanes[index].id, session != former else { return }
        lanes[index].session = session
        if session == nil || former == nil {
            let description = classify(lanes[index])
            if (description == nil) != (lanes[index].description == nil) {
                lanes[index].description = description
                if description == nil { take(.streamLeftAlone(id)) } else { present(index) }
                return
            }
        }
        let key = session.flatMap { players[$0].id }.map { SessionKey.opened($0) }
        take(.streamMoved(id, to: key ?? .application(lanes[index].stream.application)))
    }

    // MARK: - What is told

    private func index(of id: SessionID?) -> Int? {
        guard let id else { return nil }
        return players.firstIndex { $0.id == id }
    }

    private func tell(_ index: Int, _ told: Told) {
        players[index].news.append(VirtualSession.News(moment: elapsed, step: step + 1, told: told))
    }

    /// Shows what a session is now; its application hears of `Active` before anything that follows, and at the end of the turn.
    private func show(_ index: Int) {
        guard let id = players[index].id, let state = runtime.state(of: id) else { return }
        let old = players[index].state ?? SessionState()
        players[index].state = state
        if old.isSecondaryAudioToBeSilenced != state.isSecondaryAudioToBeSilenced {
            tellActive(index)
            tell(index, .hint(state.isSecondaryAudioToBeSilenced))
        }
    }

    private func tellActive(_ index: Int) {
        guard let state = players[index].state, state.isActive != players[index].isToldActive else { return }
        players[index].isToldActive = state.isActive
        tell(index, state.isActive ? .active : .inactive)
    }

    private func emit(_ told: Told, of index: Int) {
        show(index)
        tellActive(index)
        tell(index, told)
    }

    func runtime(_ runtime: SessionRuntime, took event: Event) {}

    func runtime(_ runtime: SessionRuntime, carriedOut effect: Effect) {
        switch effect {
        case .answered(let id, let answer):
            if let index = index(of: id), let told = Told(answer) { emit(told, of: index) }
        case .sessionChanged(let id):
            if let index = index(of: id) { show(index) }
        case .activationGranted(let id):
            if let index = index(of: id) { emit(.granted, of: index) }
        case .interruptionBegan(let session, let actor):
            if let index = index(of: session.id) {
                emit(.began(reason: InterruptionReason(of: actor, sleep: sleeping), by: actor.name), of: index)
            }
        case .interruptionEnded(let session, let shouldResume):
            if let index = index(of: session.id) { emit(.ended(shouldResume: shouldResume), of: index) }
        case .treat, .wake, .sessionActivated, .sessionDeactivated, .streamRefused: break
        }
    }

    func runtimeIsIdle(_ runtime: SessionRuntime) {
        for index in players.indices where players[index].id != nil { tellActive(index) }
    }

    // MARK: - Routes

    func runtime(_ runtime: SessionRuntime, routeChanged change: RouteChange) {}

    func runtime(_ runtime: SessionRuntime, session: SessionID, routeChanged change: RouteChange) {
        if let index = index(of: session) { tellRoute(index, change.reason) }
    }

    func runtimeChangedAvailablePorts(_ runtime: SessionRuntime) {}

    private func tellRoute(_ index: Int, _ reason: RouteChangeReason) {
        tellActive(index)
        tell(index, .route(reason.name))
    }
}
