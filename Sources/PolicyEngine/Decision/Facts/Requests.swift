/// What applications and the system ask of the sessions that they have opened.
extension Engine {
    mutating func open(_ id: SessionID, _ application: ApplicationID, _ kind: SessionKind) -> SessionAnswer {
        guard facts.session(id) == nil else { return .unknown }
        switch kind {
        case .application:
            let own = facts.described(SessionConfiguration())
            _ = add(Session.Identity(.opened(id), application), .opened, own, own: own)
        case .system(let description, let beginner):
            let own = Described(description, facts.rules)
            _ = add(Session.Identity(.opened(id), application, begunBy: beginner), .system, own, own: own)
        }
        return .done
    }

    /// R12: its victims resume; its streams return to its application's session.
    mutating func close(_ id: SessionID, at now: Instant) {
        guard let place = facts.session(id) else { return }
        let number = facts.sessions[place].number
        facts.waiting.removeAll { $0 == number }
        if verdict.standings[place].driver.isApplication { facts.sessions[place].isConfigured = true }
        giveUp(place, as: .closed)
        verdict.standings[place].end(.streamsReturn)
        let streams = facts.streams.filter { $0.session == place }.map(\.id)
        move(streams, to: .application(facts.sessions[place].identity.application), asks: false, at: now)
        verdict.standings[place].end(.requested)
    }

    // MARK: - Configurations

    /// R7: in a heard session, a change is a request for activation, which may be refused.
    mutating func configure(_ id: SessionID, _ change: ConfigurationChange, at now: Instant) -> SessionAnswer {
        guard let place = facts.session(id), facts.sessions[place].kind == .opened else { return .unknown }
        let isActive = verdict.standings[place].phase != .inactive
        let old = facts.sessions[place]
        do throws(SessionConfiguration.Mistake) {
            try facts.sessions[place].change(change, whileActive: isActive)
        } catch { return .mistaken(error) }
        describe(place)
        var scene = scene(at: now)
        guard scene.describe(place), isActive, !scene.isDescribedByStreams(place), !scene.isSilenced(place) else {
            return .done
        }
        if let blocker = scene.blocker(of: place) {
            facts.sessions[place] = old
            return .refused(by: reference(blocker, scene))
        }
        facts.sessions[place].request = facts.nextRequest()
        return .done
    }

    private func reference(_ place: Int, _ scene: Scene) -> SessionReference {
        facts.sessions[place].reference(scene.standings[place].described)
    }

    // MARK: - Activations

    mutating func answer(_ request: SessionRequest, of id: SessionID, at now: Instant) -> SessionAnswer {
        guard let place = facts.session(id) else { return .unknown }
        let number = facts.sessions[place].number
        let waited = facts.waiting.contains(number)
        switch request {
        case .activate(let mayWait):
            let scene = scene(at: now)
            if scene.standings[place].driver == .activated, !scene.isSilenced(place) { return .done }
            if let blocker = scene.blocker(of: place) {
                // R8: a refused activation changes nothing.
                if !mayWait { return .refused(by: reference(blocker, scene)) }
                if !waited { facts.waiting.append(number) }
                return .delayed
            }
            activate(place)
            return .done
        case .deactivate(let notifyOthers):
            facts.waiting.removeAll { $0 == number }
            giveUp(place, as: .deactivated(notifiesOthers: notifyOthers))
            verdict.standings[place].end(.requested)
            return .done
        case .cancel:
            facts.waiting.removeAll { $0 == number }
            return waited ? .done : .nothingDelayed
        }
    }

    /// R34: the application drives the session from now on.
    mutating func activate(_ place: Int) {
        ask(place, .requested)
        verdict.standings[place].driver = .activated
        switch verdict.standings[place].interruption {
        // If another session silences this one at the same moment, the present interruption continues.
        case .over(let ofObstacle, let prospect):
            verdict.standings[place].interruption = .notified(ofObstacle: ofObstacle, prospect)
        case .mayResume, .mustNotResume: verdict.standings[place].interruption = .none
        case .none, .begun, .notified: break
        }
        // An earlier statement whether the session may resume no longer counts.
        verdict.standings[place].interruption.prospect = .mayResume
    }

    /// R11: a session that has given up may not resume (R35), and hears of no interruption if not silent yet.
    private mutating func giveUp(_ place: Int, as driver: Driver) {
        verdict.standings[place].driver = driver
        switch verdict.standings[place].interruption {
        case .begun, .mayResume, .mustNotResume: verdict.standings[place].interruption = .none
        case .notified, .over: verdict.standings[place].interruption.prospect = .hasGivenUp
        case .none: break
        }
    }
}

extension Session {
    fileprivate mutating func change(
        _ change: ConfigurationChange, whileActive isActive: Bool
    ) throws(SessionConfiguration.Mistake) {
        switch change {
        case .category(let category, let options, let mode):
            try configuration.set(category, options, mode, whileActive: isActive)
            isConfigured = true
        case .mode(let mode): try configuration.set(mode, whileActive: isActive)
        case .outputOverride(let override): try configuration.set(override)
        case .avoidsAlerts(let avoids): configuration.avoidsAlerts = avoids
        case .interruptionOnRouteDisconnect(let isWanted): configuration.interruptionOnRouteDisconnect = isWanted
        }
    }
}
