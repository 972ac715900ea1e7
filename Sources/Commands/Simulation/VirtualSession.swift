import PolicyEngine
import PolicyRuntime

/// An opened session of a ``VirtualServer``, with the messages to its application.
struct VirtualSession {
    /// One message to the application.
    struct Message {
        var moment: Duration
        /// Orders messages of the same moment, as in ``VirtualServer/Entry``.
        var step: Int
        var told: Told
    }

    var session: Scenario.Session
    /// The session's id in the service, while it is open.
    var id: SessionID?
    /// The state that the session's D-Bus properties show; `nil` while the session is not open.
    var state: SessionState?
    /// The value of `Active` in the last message to the application.
    var isNotifiedActive = false
    /// All messages to the application.
    var messages: [Message] = []
    /// All states, oldest first; `nil` while the session is not open.
    var history: [VirtualServer.Entry<SessionState?>] = []
}

/// Opens, configures and closes sessions, and sends their messages, as the D-Bus service does.
extension VirtualServer: RuntimeObserver {
    func configure(_ index: Int, _ change: ConfigurationChange) {
        if let id = sessions[index].id { handle(.sessionConfigured(id, change)) }
    }

    func request(_ index: Int, _ request: SessionRequest) {
        if let id = sessions[index].id { handle(.sessionRequested(id, request)) }
    }

    func open(_ index: Int) {
        let id = nextSession()
        let session = sessions[index].session
        sessions[index].id = id
        sessions[index].state = SessionState()
        sessions[index].isNotifiedActive = false
        runtime.open(
            SessionEntry(id, of: ClientIdentity(session.application), isInterruption: false),
            with: [.sessionOpened(id, application: session.application, .application)])
        if session.avoidsAlerts { configure(index, .avoidsAlerts(true)) }
        if let isInterrupted = session.isInterruptedOnDisconnect {
            configure(index, .interruptionOnRouteDisconnect(isInterrupted))
        }
    }

    /// Closes a session. Its streams go to another session of the application, if there is one, or back to the
    /// application.
    func close(_ index: Int) {
        guard let id = sessions[index].id else { return }
        sessions[index].id = nil
        runtime.close(id)
        sessions[index].state = nil
    }

    // MARK: - Messages to applications

    private func send(_ told: Told, to index: Int) {
        sessions[index].messages.append(VirtualSession.Message(moment: elapsed, step: step + 1, told: told))
    }

    /// Publishes a session's state. A change of `Active` is sent before any further message, at the latest at the end
    /// of the turn.
    private func publishState(of index: Int, _ state: SessionState?) {
        guard let state else { return }
        let old = sessions[index].state ?? SessionState()
        sessions[index].state = state
        if old.isSecondaryAudioToBeSilenced != state.isSecondaryAudioToBeSilenced {
            sendActive(to: index)
            send(.hint(state.isSecondaryAudioToBeSilenced), to: index)
        }
    }

    /// Sends a change of `Active`, if there is one.
    private func sendActive(to index: Int) {
        guard let state = sessions[index].state, state.isActive != sessions[index].isNotifiedActive else { return }
        sessions[index].isNotifiedActive = state.isActive
        send(state.isActive ? .active : .inactive, to: index)
    }

    /// Publishes the state of a session, then sends a message.
    private func publish(_ state: SessionState?, of id: SessionID?, _ told: Told? = nil) {
        guard let id, let index = sessions.firstIndex(where: { $0.id == id }) else { return }
        publishState(of: index, state)
        guard let told else { return }
        sendActive(to: index)
        send(told, to: index)
    }

    func turnEnded(_ runtime: SessionRuntime, _ news: [News]) {
        for case .effect(let effect, let state) in news { tell(effect, state) }
        for index in sessions.indices where sessions[index].id != nil { sendActive(to: index) }
    }

    private func tell(_ effect: Effect, _ state: SessionState?) {
        switch effect {
        case .answered(let id, let answer): if let told = Told(answer) { publish(state, of: id, told) }
        case .sessionChanged(let id): publish(state, of: id)
        case .activationGranted(let id): publish(state, of: id, .granted)
        case .interruptionBegan(let session, let actor):
            publish(state, of: session.id, .began(reason: actor.reason, by: actor.name))
        case .interruptionEnded(let session, let shouldResume):
            publish(state, of: session.id, .ended(shouldResume: shouldResume))
        case .sessionRouteChanged(let session, let change): publish(nil, of: session, .route(change.reason.name))
        case .treat, .wake, .sessionActivated, .sessionDeactivated, .streamRefused, .outputLost, .outputSwitched,
            .command, .routeBegun, .routeChanged, .availablePortsChanged:
            break
        }
    }
}
