import BusInterface
import DBus

/// Signals of the service for the session, as properties that others read and as events.
extension ServiceSession {
    func received(_ signal: BusSignal) {
        let arguments = signal.arguments
        switch (signal.interface, signal.member) {
        case (Self.propertiesInterface, "PropertiesChanged"): propertiesChanged(arguments, ofManager: false)
        case (AudioSessionBus.sessionInterface, "InterruptionBegan"):
            let reason = AudioSession.InterruptionReason(rawValue: arguments.first?.text ?? "") ?? .default
            preferences.isActive = false
            preferences.outputOverride = .none
            publish()
            tell(.interruption(.began(reason: reason, by: arguments.last?.text ?? "")))
            if isToldActive { tell(.activation(.becameInactive(.interruption(reason)))) }
            isToldActive = false
        case (AudioSessionBus.sessionInterface, "InterruptionEnded"):
            let shouldResume = arguments.first?.truth ?? false
            tell(.interruption(.ended(shouldResume ? .shouldResume : [])))
            if shouldResume { tell(.activation(.resumptionRecommended)) }
        case (AudioSessionBus.sessionInterface, "ResumptionRecommended"): tell(.activation(.resumptionRecommended))
        case (AudioSessionBus.sessionInterface, "ActivationGranted"):
            activated()
            publish()
        case (AudioSessionBus.sessionInterface, "SecondaryAudioHint"):
            isToldHint = arguments.first?.truth ?? false
            tell(.silenceSecondaryAudioHint(isToldHint ? .begin : .end))
        case (AudioSessionBus.sessionInterface, "RouteChanged"):
            guard arguments.count == 3 else { return }
            published.session["CurrentRoute"] = arguments[2]
            publish()
            tell(
                .routeChange(
                    AudioSession.RouteChange(
                        reason: arguments[0].integer.flatMap { UInt(exactly: $0) }
                            .flatMap(AudioSession.RouteChangeReason.init) ?? .unknown,
                        previousRoute: AudioSession.RouteDescription(arguments[1]),
                        currentRoute: AudioSession.RouteDescription(arguments[2]))))
        case (AudioSessionBus.sessionInterface, "ServicesLost"):
            // Either its name goes next, or it says that it has started again; if neither, it is asked.
            lose()
            retry?.arm(at: loop.now + Self.retryDelays.upperBound)
        default: break
        }
    }

    func propertiesChanged(_ arguments: [WireValue], ofManager isManager: Bool) {
        let interface = isManager ? AudioSessionBus.managerInterface : AudioSessionBus.sessionInterface
        guard path != nil, arguments.count == 3, arguments[0].text == interface, let changes = arguments[1].entries
        else { return }
        let former = published
        update(changes, ofManager: isManager)
        for name in arguments[2].elements ?? [] {
            if isManager { published.manager[name.text ?? ""] = nil } else { published.session[name.text ?? ""] = nil }
        }
        publish()
        if isManager {
            let names = changes.compactMap(\.key.text)
            if names.contains("AvailableInputs") { tell(.availableInputs(published.availableInputs ?? [])) }
            if names.contains("AvailableOutputs") { tell(.availableOutputs(published.availableOutputs ?? [])) }
        }
        tellChanges(since: former)
        if !isManager, state == .ready { noteActivity() }
    }

    private func tellChanges(since former: PublishedState) {
        func changed<Value: Equatable>(_ name: String, _ value: (WireValue) -> Value?) -> Value? {
            let now = published.session[name].flatMap(value)
            return now == former.session[name].flatMap(value) ? nil : now
        }
        if let volume = changed("OutputVolume", \.number) { tell(.outputVolume(Float(volume))) }
        if let rate = changed("SampleRate", \.number) { tell(.sampleRate(rate)) }
        if let duration = changed("BufferDuration", \.number) { tell(.ioBufferDuration(duration)) }
        if let count = changed("InputChannels", \.number) { tell(.inputNumberOfChannels(Int(count))) }
        if let count = changed("OutputChannels", \.number) { tell(.outputNumberOfChannels(Int(count))) }
        if let isSettable = changed("InputGainAvailable", \.truth) { tell(.inputGainSettable(isSettable)) }
        if let gain = changed("InputGain", \.number) { tell(.inputGain(Float(gain))) }
    }

    func update(_ entries: [WireValue.Entry], ofManager isManager: Bool) {
        for entry in entries {
            guard let name = entry.key.text else { continue }
            let former = published.session[name]
            if isManager {
                published.manager[name] = entry.value.bare
            } else {
                published.session[name] = entry.value.bare
            }
            // While a new session is set up, it does not have its preferences yet.
            if !isManager, state == .ready || isJoining {
                preferences.follow(name, entry.value.bare, former: former, published)
            }
        }
    }

    /// An interruption that made the session inactive comes next.
    func noteActivity() {
        let isActive = published.session["Active"]?.truth ?? false
        guard isActive != isToldActive, isActive || published.session["Interrupted"]?.truth != true else { return }
        isToldActive = isActive
        if isActive { return tell(.activation(.becameActive)) }
        let isOwn = deactivations > 0 || !preferences.isActive
        preferences.isActive = false
        publish()
        tell(.activation(.becameInactive(isOwn ? .application : .system)))
    }

    func tell(_ event: AudioSession.Event) {
        if state == .opening { held.append(event) } else { worker.feed.add(event) }
    }

    /// For other threads to read.
    func publish() {
        worker.shared.withLock { shared in
            shared.preferences = preferences
            shared.published = state == .ready && !shared.isClosed ? published : nil
        }
    }
}

extension PublishedState {
    var availableInputs: [AudioSession.PortDescription]? {
        manager["AvailableInputs"]?.elements?.map(AudioSession.PortDescription.init)
    }
    var availableOutputs: [AudioSession.PortDescription]? {
        manager["AvailableOutputs"]?.elements?.map(AudioSession.PortDescription.init)
    }
}
