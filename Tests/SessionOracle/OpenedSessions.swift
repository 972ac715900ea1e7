import SessionCore

/// Requests of applications and the system about opened sessions.
extension Oracle {
    mutating func open(_ id: SessionID, _ application: ApplicationID, _ kind: SessionKind) -> Announcement.Answer {
        guard session(.opened(id)) == nil else { return .unknown }
        sessionCount += 1
        var session = Session(
            number: sessionCount, key: .opened(id), application: application, kind: .opened,
            description: SessionDescription(name: "", category: .soloAmbient), lastRequest: nextRequest())
        if case .system(let description, let application) = kind {
            session = Session(
                number: sessionCount, key: .opened(id), application: session.application,
                kind: .system(description, by: application), description: description, lastRequest: session.lastRequest)
        }
        session.isDriven = true
        session.description = describe(session)
        session.isDriven = false
        sessions.append(session)
        return .done
    }

    /// R12: the sessions that it interrupted resume. Its streams return to its application's session.
    mutating func close(_ id: SessionID) {
        guard let session = session(.opened(id)) else { return }
        let number = session.number
        waiting.removeAll { $0 == number }
        if !session.isDescribedByStreams { self[number].isConfigured = true }
        giveUp(number, notifiesOthers: true)
        // N7: a muted input interrupts only opened sessions.
        if case .mutedInput = session.block { self[number].block = nil }
        move(
            streams.indices.filter { streams[$0].session == number }, to: .application(session.application), asks: false
        )
        // A closed session is not told of its block any more.
        self[number].block = nil
        self[number].isClosed = true
    }

    // MARK: - Configuring

    mutating func configure(_ id: SessionID, _ change: ConfigurationChange) -> Announcement.Answer {
        guard let session = session(.opened(id)), !session.isSystem else { return .unknown }
        let isActive = session.phase != .inactive
        var new = session
        do {
            switch change {
            case .category(let category, let options, let mode):
                try new.configuration.set(category, options, mode, whileActive: isActive)
            case .mode(let mode): try new.configuration.set(mode, whileActive: isActive)
            case .outputOverride(let override): try new.configuration.set(override)
            case .avoidsAlerts(let avoids): new.configuration.avoidsAlerts = avoids
            case .interruptionOnRouteDisconnect(let isWanted):
                new.configuration.interruptionOnRouteDisconnect = isWanted
            }
        } catch { return .mistaken }
        if case .category = change { new.isConfigured = true }
        new.description = describe(new)
        let isOther = new.description != session.description
        // R7: the change applies at once to a heard session and counts as a request for activation. It may be refused
        // (R8).
        if isOther, isActive, !new.isDescribedByStreams, !isSilenced(session) {
            if let blocker = blocker(of: new) { return .refused(by: blocker.key) }
            new.lastRequest = nextRequest()
        }
        self[session.number] = new
        return .done
    }

    // MARK: - Activating

    mutating func handle(_ request: SessionRequest, of id: SessionID) -> Announcement.Answer {
        guard let session = session(.opened(id)) else { return .unknown }
        let number = session.number
        switch request {
        case .activate(let mayWait):
            let isHeardAlready = session.isDriven && session.isActivated && !isSilenced(session)
            if isHeardAlready {
                waiting.removeAll { $0 == number }
                return .done
            }
            // R8: a refused activation changes nothing.
            if let blocker = blocker(of: session) {
                if !mayWait { return .refused(by: blocker.key) }
                if !waiting.contains(number) { waiting.append(number) }
                return .delayed
            }
            waiting.removeAll { $0 == number }
            activate(number)
            return .done
        case .deactivate(let notifyOthers):
            waiting.removeAll { $0 == number }
            giveUp(number, notifiesOthers: notifyOthers)
            self[number].block = nil
            return .done
        case .cancel:
            let waited = waiting.contains(number)
            waiting.removeAll { $0 == number }
            return waited ? .done : .nothingDelayed
        }
    }

    /// R34: from now on the application drives the session.
    mutating func activate(_ number: Int) {
        self[number].lastRequest = nextRequest()
        self[number].isDriven = true
        self[number].isActivated = true
        self[number].hasLeft = false
        // If another session silences this one at the same moment, the present interruption continues.
        self[number].endsInterruption = false
        self[number].tellsOthersToStay = false
        self[number].mayResumeUntil = nil
        self[number].hasGivenUp = false
        // No session prevents the activation, so the former cause and block have ended.
        self[number].cause = nil
        self[number].block = nil
    }

    /// Deactivates a session (R11). It is not told to resume (R35).
    private mutating func giveUp(_ number: Int, notifiesOthers: Bool) {
        if holds(self[number]) { self[number].hasLeft = true }
        self[number].isDriven = true
        self[number].isActivated = false
        self[number].tellsOthersToStay = !notifiesOthers
        self[number].hasGivenUp = true
        self[number].mayResumeUntil = nil
        // A session that is deactivated before it is silent is told of no interruption.
        if self[number].interruption == .begun { self[number].interruption = .none }
    }
}
