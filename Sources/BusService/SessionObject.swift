import BusInterface
import DBus
import PolicyEngine
import PolicyRuntime

/// An opened session, as its owner and others see it on the bus.
final class SessionObject: SessionEntry, ServedObject {
    let path: String
    /// The connections that control the session: the one that opened it, and those of the same process that opened the
    /// process's shared session after it (R6). Empty once it is closed.
    var owners: [Owner]
    let application: ApplicationID
    let displayName: String
    /// Whether other connections of the process may control it too (R6).
    let isShared: Bool
    /// Whether nobody has asked for it since the connection to the bus was lost.
    var isKept = false
    /// Whether its activation was refused, and it is to be told when it would succeed (N26).
    var isRefused = false
    private unowned let service: SessionService
    /// The state, preferences and route that were published last.
    private(set) var shown: Shown
    /// The results of the preferences, as published last.
    private var hardware: HardwareProperties
    /// The messages that wait to be sent about the session.
    var notices = Notices()
    /// The calls that wait for the engine's answer, in order.
    private var waiting: [WaitingCall]

    /// A call that the engine has been told of and has not answered.
    private struct WaitingCall {
        let call: BusCall
        let kind: Kind

        enum Kind {
            case open, configure, activate, request
        }
    }

    /// - Parameter call: The call that opens it.
    init(
        _ id: SessionID, owner: Owner, application: ApplicationID, displayName: String, takesTaggedOnly: Bool,
        isShared: Bool, service: SessionService, call: BusCall
    ) {
        owners = [owner]
        self.application = application
        self.displayName = displayName
        self.isShared = isShared
        self.service = service
        waiting = [WaitingCall(call: call, kind: .open)]
        shown = Shown(route: service.runtime.engine.route(of: id))
        hardware = HardwareProperties(of: id, in: service.runtime)
        path = AudioSessionBus.sessionPrefix + "\(id.rawValue)"
        super.init(id, of: owner.identity, isInterruption: false, takesTaggedOnly: takesTaggedOnly)
    }

    // MARK: - Calls

    var interfaces: [WireInterface] { [.session] }

    func catchUp() { service.catchUp(self) }

    func set(_ property: String, interface: String, to value: WireValue, call: BusCall) {
        call.fail(WireError(WireErrorName.propertyReadOnly, "\(property) can only be read"))
    }

    func call(_ method: String, interface: String, _ call: BusCall) {
        guard let access = WireInterface.session.method(method)?.access, let body = Self.methods[method] else {
            return call.fail(WireError(WireErrorName.unknownMethod, "there is no method \(method)"))
        }
        service.admit(call, access, to: self) { [self] owner throws(WireError) in
            service.take(self, owner)
            try body(self)(call, owner)
        }
    }

    /// The methods by name; `WireInterface.session` documents them, and says who may call them.
    static let methods: [String: MethodBody<SessionObject>] = [
        "SetCategory": setCategory, "SetMode": setMode, "Activate": activate, "Deactivate": deactivate,
        "CancelActivation": cancelActivation, "OverrideOutput": overrideOutput, "SetPreference": setPreference,
        "Close": close,
    ]

    private func setCategory(_ call: BusCall, _: Owner) throws(WireError) {
        let arguments = call.arguments
        let category = try Words.category(arguments.first?.text)
        let options = try Words.options(arguments.dropFirst().first)
        let word = arguments.last?.text ?? ""
        configure(.category(category, options, word.isEmpty ? nil : try Words.mode(word)), call)
    }

    private func setMode(_ call: BusCall, _: Owner) throws(WireError) {
        configure(.mode(try Words.mode(call.arguments.first?.text)), call)
    }

    private func activate(_ call: BusCall, _: Owner) throws(WireError) {
        let flags = try Words.flags(
            call.arguments.first, known: ["delayed"], others: ["notify-others"], "Deactivate")
        if !shown.state.isActive, service.runtime.hasNothingToRecord(id) {
            throw WireError(
                WireErrorName.noHardware,
                "there is nothing to record: no input, and no output whose sound could be recorded")
        }
        let category = service.runtime.engine.configuration(of: id)?.category
        if category == .record, !service.mayRecord(identity) {
            throw WireError(
                WireErrorName.accessDenied,
                "a session of record silences what plays, and this program may not use the microphone")
        }
        ask(.sessionRequested(id, .activate(mayWait: flags.contains("delayed"))), .activate, call)
    }

    private func deactivate(_ call: BusCall, _: Owner) throws(WireError) {
        let flags = try Words.flags(
            call.arguments.first, known: ["notify-others"], others: ["delayed"], "Activate")
        ask(.sessionRequested(id, .deactivate(notifyOthers: flags.contains("notify-others"))), .request, call)
    }

    private func cancelActivation(_ call: BusCall, _: Owner) { ask(.sessionRequested(id, .cancel), .request, call) }

    private func overrideOutput(_ call: BusCall, _: Owner) throws(WireError) {
        configure(.outputOverride(try Words.override(call.arguments.first?.text)), call)
    }

    private func close(_ call: BusCall, _ owner: Owner) {
        service.leave(self, owner)
        call.answer()
    }

    private func setPreference(_ call: BusCall, _: Owner) throws(WireError) {
        let name = call.arguments.first?.text ?? ""
        var value = call.arguments.last?.bare ?? .boolean(false)
        func wrong(_ expected: String) -> WireError {
            WireError(WireErrorName.invalidArguments, "\(name) is \(value.typeSignature), expected \(expected)")
        }
        var preferred = preferences
        switch name {
        case "no-interruptions-from-system-alerts":
            guard let truth = value.truth else { throw wrong("b") }
            return configure(.avoidsAlerts(truth), call)
        case "interruption-on-route-disconnect":
            guard value.truth != nil || value.text == "" else { throw wrong("b, or an empty s") }
            return configure(.interruptionOnRouteDisconnect(value.truth), call)
        case "sample-rate":
            guard let number = value.number, number == 0 || (1...768_000).contains(number) else {
                throw wrong("d, from 1 to 768000 Hz, or 0")
            }
            preferred.sampleRate = number > 0 ? number : nil
        case "buffer-duration":
            guard let number = value.number, number >= 0, number <= 10 else { throw wrong("d, up to 10 s, or 0") }
            preferred.bufferDuration = number > 0 ? .seconds(number) : nil
        case "input-gain":
            guard let number = value.number, !number.isNaN else { throw wrong("d, from 0 to 1") }
            preferred.inputGain = LinearGain(number)
            value = .double(preferred.inputGain.value)
        case "input-channels", "output-channels":
            guard let number = value.number, number >= 0, number <= 64, number == number.rounded() else {
                throw wrong("u, from 1 to the number of channels of the device, or 0")
            }
            let hardware = HardwareProperties(of: id, in: service.runtime)
            let most = name == "input-channels" ? hardware.input.channels : hardware.output.channels
            guard number <= Double(most) || number == 0 else {
                throw WireError(WireErrorName.unknownValue, "\(name) is more than the \(most) of the device in use")
            }
            value = number == 0 ? .string("") : .uint32(UInt32(number))
        case "input", "output":
            guard let text = value.text, text.utf8.count <= AudioSessionBus.maximumTextLength else {
                throw wrong("s, of at most \(AudioSessionBus.maximumTextLength) bytes")
            }
            // A port that existed when it was chosen may return, so it is not checked again.
            if !text.isEmpty, text != preference(name) {
                try service.checkPort(text, name == "input" ? .input : .output)
            }
        default:
            throw Words.unknown(
                "preference", name,
                [
                    "no-interruptions-from-system-alerts", "interruption-on-route-disconnect", "sample-rate",
                    "buffer-duration", "input-gain", "input-channels", "output-channels", "input", "output",
                ])
        }
        let former = shown.preferences.first { $0.name == name }?.value
        // R66: the empty name removes the preference.
        let kept = value.text == "" ? nil : value
        if kept != former {
            show { shown in
                shown.preferences.removeAll { $0.name == name }
                if let kept { shown.preferences.append(Preference(name: name, value: kept)) }
            }
            isStale = true
            service.runtime.handle(.preferred(id, output: preference("output"), input: preference("input")))
            service.runtime.prefer(preferred, of: id)
        }
        call.answer()
    }

    /// The text of a preference; `nil` if it is not set.
    private func preference(_ name: String) -> String? { shown.preferences.first { $0.name == name }?.value.text }

    private func configure(_ change: ConfigurationChange, _ call: BusCall) {
        ask(.sessionConfigured(id, change), .configure, call)
    }

    /// Tells the engine what a call asks for. The call is answered when the turn is over (``answered(_:)``).
    private func ask(_ event: Event, _ kind: WaitingCall.Kind, _ call: BusCall) {
        waiting.append(WaitingCall(call: call, kind: kind))
        service.runtime.handle(event)
    }

    /// Answers the oldest waiting call as the engine has decided.
    func answered(_ answer: SessionAnswer) {
        guard !waiting.isEmpty else { return }
        let (call, kind) = (waiting[0].call, waiting[0].kind)
        waiting.removeFirst()
        if kind == .activate || kind == .request {
            isRefused = if case .refused = answer { true } else { false }
        }
        switch answer {
        case .done, .delayed:
            switch kind {
            case .open: call.answer([.objectPath(path)])
            case .activate: call.answer([.string(answer == .done ? "active" : "delayed")])
            case .configure, .request: call.answer([])
            }
        case .refused(let actor):
            call.fail(
                WireError(
                    WireErrorName.insufficientPriority,
                    "\(service.seesAll(self) ? actor.label : Viewer.somebody) is heard and does not let \(displayName) be heard beside it"
                ))
        case .mistaken(let mistake): call.fail(Words.error(mistake))
        case .nothingDelayed: call.fail(WireError(WireErrorName.notFound, "no activation waits"))
        case .unknown: call.fail(WireError(WireErrorName.notFound, "the session is closed"))
        }
    }

    // MARK: - The published state

    func value(of property: String, interface: String) -> WireValue? {
        Self.fixedProperties.value(of: property, in: self, service)
            ?? Self.properties.value(of: property, in: shown, service)
            ?? HardwareProperties.properties.value(
                of: property, in: HardwareProperties(of: id, in: service.runtime), service)
    }

    /// Changes the published state, and announces the properties that have changed.
    func show(_ change: (inout Shown) -> Void) {
        let old = shown
        change(&shown)
        service.changed(Self.properties.changes(from: old, to: shown), of: self)
    }

    /// Reads the hardware properties, and announces those that have changed.
    func measure() {
        isStale = false
        let old = hardware
        hardware = HardwareProperties(of: id, in: service.runtime)
        service.changed(HardwareProperties.properties.changes(from: old, to: hardware), of: self)
    }
}
