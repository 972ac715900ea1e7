import SessionCore

/// What applications and the system do with the sessions that they have opened.
extension Oracle {
    mutating func open(_ id: SessionID, _ application: ApplicationID, _ kind: SessionKind) -> Told.Answer {
        guard session(.opened(id)) == nil else { return .unknown }
        lastNumber += 1
        var session = Session(
            number: lastNumber, key: .opened(id), application: application, kind: .opened,
            description: SessionDescription(name: "", category: .soloAmbient), asked: nextAsked())
        if case .system(let description, let application) = kind {
            session = Session(
                number: lastNumber, key: .opened(id), application: session.application,
                kind: .system(description, by: application), description: description, asked: session.asked)
        }
        session.isDriven = true
        session.description = describe(session)
        session.isDriven = false
        sessions.append(session)
        return .done
    }

    /// R12: whom it interrupted goes on; its streams are its application's.
    mutating func close(_ id: SessionID) {
        guard let session = session(.opened(id)) else { return }
        let number = session.number
        waiting.removeAll { $0 == number }
        if !session.isOfStreams { self[number].hasSpoken = true }
        giveUp(number, notifiesOthers: true)
        // N7: muting an input is nothing to a session that nobody has opened.
        if case .mutedInput = session.obstacle { self[number].obstacle = nil }
        move(
            streams.indices.filter { streams[$0].session == number }, to: .application(session.application), asks: false
        )
        // What keeps it silent, it is not told any more.
        self[number].obstacle = nil
        self[number].isClosed = true
    }

    // MARK: - Configuring

    mutating func configure(_ id: SessionID, _ change: ConfigurationChange) -> Told.Answer {
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
        if case .category = change { new.hasSpoken = true }
        new.description = describe(new)
        let isOther = new.description != session.description
        // R7: a session that is heard has it at once, and asks anew by that, so it may be refused (R8).
        if isOther, isActive, !new.isOfStreams, !isSilenced(session) {
            if let blocker = blocker(of: new) { return .refused(by: blocker.key) }
            new.asked = nextAsked()
        }
        self[session.number] = new
        return .done
    }

    // MARK: - Activating

    mutating func handle(_ request: SessionRequest, of id: SessionID) -> Told.Answer {
        guard let session = session(.opened(id)) else { return .unknown }
        let number = session.number
        switch request {
        case .activate(let mayWait):
            let isHeardAlready = session.isDriven && session.isActivated && !isSilenced(session)
            if isHeardAlready {
                waiting.removeAll { $0 == number }
                return .done
            }
            // R8: nothing changes when it fails.
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
            self[number].obstacle = nil
            return .done
        case .cancel:
            let waited = waiting.contains(number)
            waiting.removeAll { $0 == number }
            return waited ? .done : .nothingWaits
        }
    }

    /// R34: its application drives it from now on.
    mutating func activate(_ number: Int) {
        self[number].asked = nextAsked()
        self[number].isDriven = true
        self[number].isActivated = true
        self[number].hasLeft = false
        // It has not given up: if another one silences it in the same moment, its interruption goes on.
        self[number].isOver = false
        self[number].endsWithStay = false
        self[number].mayResumeUntil = nil
        // Nobody is in its way, so what silenced it before is over.
        self[number].cause = nil
        self[number].obstacle = nil
    }

    /// R11: it does not want to be heard any more. R35: nor is it asked to resume.
    private mutating func giveUp(_ number: Int, notifiesOthers: Bool) {
        if holds(self[number]) { self[number].hasLeft = true }
        self[number].isDriven = true
        self[number].isActivated = false
        self[number].endsWithStay = !notifiesOthers
        self[number].hasGivenUp = true
        self[number].mayResumeUntil = nil
        // Who gives up before it is silent is told of no interruption.
        if self[number].news == .begun { self[number].news = .none }
    }
}
