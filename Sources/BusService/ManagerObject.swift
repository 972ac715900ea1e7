import BusInterface
import DBus
import PolicyEngine
import PolicyRuntime

/// The manager's object.
final class ManagerObject: ServedObject {
    private unowned let service: SessionService
    private var lastCookie: UInt32 = 0
    /// The events that subscribers are sent at the end of the turn.
    let feed = EventFeed()

    /// The events being sent, each with the subscribers to which it was not sent yet; and the message of the first
    /// event.
    private var events = Queue<(item: EventFeed.Item, time: UInt64, rest: ArraySlice<String>)>()
    private var nextEvent: (String, WireValue)?
    /// Whether a later turn sends the remaining events, because this turn had no time left.
    private var isSending = false

    /// The ports and route that were announced last.
    private var ports: Ports

    init(service: SessionService) {
        self.service = service
        ports = Ports(service.runtime)
    }

    var interfaces: [WireInterface] { [.manager] }

    // MARK: - Properties

    func value(of property: String, interface: String) -> WireValue? {
        Self.fixedProperties.value(of: property, in: service, service)
            ?? Self.switches.first { $0.row.name == property }?.row.value(service.switches, service)
            ?? Ports.properties.value(of: property, in: Ports(service.runtime), service)
    }

    func set(_ property: String, interface: String, to value: WireValue, call: BusCall) {
        guard let access = WireInterface.manager.property(property)?.setter,
            let one = Switch.allCases.first(where: { $0.property == property }), let truth = value.truth
        else {
            return call.fail(WireError(WireErrorName.propertyReadOnly, "\(property) can only be read"))
        }
        service.admit(call, access) { [unowned self] _ in
            service.change { $0[one] = truth }
            call.answer()
        }
    }

    func switchesChanged(from old: Switches, to new: Switches) {
        for (event, row) in Self.switches where row.differs(old, new) {
            changed([row.name])
            feed.add("switch-changed", [("name", .string(event)), ("value", row.value(new, service))])
        }
        flush()
    }

    func policyChanged() {
        feed.isWanted = !service.subscribers.isEmpty
        changed(["Preset", "Policy"])
        feed.add("policy-changed", [("policy", .string(service.runtime.policyOrigin))])
        flush()
    }

    /// Announces changes of the ports and of their nodes (R78).
    func portsChanged() {
        let old = ports
        ports = Ports(service.runtime)
        changed(Ports.properties.changes(from: old, to: ports))
    }

    /// Sends a change of the route to all listeners (R58).
    func routeChanged(_ change: RouteChange) {
        let (previous, current) = (service.record(of: change.previous), service.record(of: change.current))
        emit("RouteChanged", [.uint32(change.reason.rawValue), previous, current])
        feed.add(
            "route-changed",
            [
                ("reason", .string(change.reason.name)), ("reason-number", .uint32(change.reason.rawValue)),
                ("previous", previous), ("current", current),
            ])
    }

    private func changed(_ properties: [String]) {
        if properties.isEmpty { return }
        service.server.changed(
            properties, interface: AudioSessionBus.managerInterface, at: AudioSessionBus.managerPath)
    }

    /// R82: announces that the service has started again.
    func reset() { emit("ServicesReset") }

    private func emit(_ signal: String, _ arguments: [WireValue] = [], to destination: String? = nil) {
        service.server.emit(
            signal, interface: AudioSessionBus.managerInterface, at: AudioSessionBus.managerPath, arguments,
            to: destination)
    }

    /// Sends the collected events to subscribers.
    func flush() {
        guard feed.hasAny else { return }
        let subscribers = service.subscribers.filter(\.isKnown)
        guard !subscribers.isEmpty else { return feed.clear() }
        // If events come faster than they can be sent, some are dropped.
        let time = service.realTime()
        let names = subscribers.map(\.name)[...]
        for event in feed.removeAll() where events.count < EventFeed.limit { events.append((event, time, names)) }
        guard !isSending else { return }
        while sendNext() {
            if service.connection.mayHurry() { continue }
            isSending = true
            service.connection.bitByBit { [weak self] in
                guard let self else { return false }
                isSending = sendNext()
                return isSending
            }
            return
        }
    }

    /// Drops the waiting events, because the names of the subscribers may belong to other connections now.
    func forgetEvents() {
        events = Queue()
        nextEvent = nil
    }

    /// Sends one event to one subscriber. Returns whether there are more.
    private func sendNext() -> Bool {
        guard var event = events.first else { return false }
        if nextEvent == nil { nextEvent = feed.message(for: event.item, service) }
        if let (kind, details) = nextEvent, let name = event.rest.popFirst() {
            emit("Event", [.uint64(event.time), .string(kind), details], to: name)
        }
        if nextEvent == nil || event.rest.isEmpty {
            events.removeFirst()
            nextEvent = nil
        } else {
            events.replaceFirst(event)
        }
        return !events.isEmpty
    }

    // MARK: - Methods

    func call(_ method: String, interface: String, _ call: BusCall) {
        guard let access = WireInterface.manager.method(method)?.access, let body = Self.methods[method] else {
            return call.fail(WireError(WireErrorName.unknownMethod, "there is no method \(method)"))
        }
        service.admit(call, access) { [unowned self] owner throws(WireError) in try body(self)(call, owner) }
    }

    /// The methods by name; `WireInterface.manager` documents them, and says who may call them.
    static let methods: [String: MethodBody<ManagerObject>] = [
        "OpenSession": open, "ListSessions": listSessions, "ListStreams": listStreams,
        "ListLeftAlone": listLeftAlone, "Free": free, "Explain": explain, "DumpState": dumpState,
        "BeginInterruption": begin, "EndInterruption": end,
        "SetRoute": setRoute, "Pause": pause, "Resume": resume, "Subscribe": subscribe, "Unsubscribe": unsubscribe,
    ]

    private func listSessions(_ call: BusCall, _ owner: Owner) {
        answer(call, service.sessionRecords(for: service.viewer(owner)))
    }

    private func listStreams(_ call: BusCall, _ owner: Owner) {
        answer(call, service.streamRecords(for: service.viewer(owner)))
    }

    private func listLeftAlone(_ call: BusCall, _ owner: Owner) {
        answer(call, service.leftAloneRecords(for: service.viewer(owner)))
    }

    private func answer(_ call: BusCall, _ next: @escaping () -> WireValue?) {
        call.answer(.array(of: "a{sv}")) { next().map { .element($0) } }
    }

    private func dumpState(_ call: BusCall, _ owner: Owner) {
        let next = service.dump(for: service.viewer(owner))
        call.answer(.text) { next().map { .text($0) } }
    }

    private func setRoute(_ call: BusCall, _: Owner) throws(WireError) {
        try service.choose(call.arguments.first?.text ?? "")
        call.answer()
    }

    private func pause(_ call: BusCall, _: Owner) {
        let milliseconds = Int64(clamping: call.arguments.first?.integer ?? .max)
        let end =
            milliseconds == 0
            ? Switches.never : service.runtime.now.advanced(by: .milliseconds(min(milliseconds, 1 << 40)))
        service.change { $0.pausedUntil = end }
        call.answer()
    }

    private func resume(_ call: BusCall, _: Owner) {
        service.change { $0.pausedUntil = nil }
        call.answer()
    }

    private func subscribe(_ call: BusCall, _ owner: Owner) { subscribe(call, owner, true) }

    private func unsubscribe(_ call: BusCall, _ owner: Owner) { subscribe(call, owner, false) }

    private func subscribe(_ call: BusCall, _ owner: Owner, _ isSubscribed: Bool) {
        service.subscribe(owner, isSubscribed)
        feed.isWanted = !service.subscribers.isEmpty
        call.answer()
    }

    private func explain(_ call: BusCall, _ owner: Owner) throws(WireError) {
        let subject = call.arguments.first?.text ?? ""
        let next = service.explain(subject, for: service.viewer(owner))
        guard let first = next() else { throw ManagerObject.noStream(subject) }
        var text: String? = first
        call.answer(.array(of: "s")) {
            defer { text = next() }
            return text.map { .element(.string($0)) }
        }
    }

    private static func noStream(_ subject: String) -> WireError {
        WireError(
            WireErrorName.notFound,
            "no stream is '\(Words.short(subject))': expected a stream's id, pid:NUMBER or an application's name")
    }

    private func free(_ call: BusCall, _: Owner) throws(WireError) {
        let subject = call.arguments.first?.text ?? ""
        let (all, freed) = service.free(subject)
        if freed > 0 { return call.answer([.uint32(UInt32(clamping: freed))]) }
        if all == 0 { throw ManagerObject.noStream(subject) }
        let why = service.explain(subject)() ?? "its streams have ended"
        throw WireError(WireErrorName.failed, "nothing to free: \(why)")
    }

    private func open(_ call: BusCall, _ owner: Owner) throws(WireError) {
        let properties = call.arguments.first
        let known = ["application-id", "display-name", "streams"]
        for entry in properties?.entries ?? [] {
            let name = entry.key.text ?? ""
            guard known.contains(name) else { throw Words.unknown("property", name, known) }
            guard let text = entry.value.text, text.utf8.count <= AudioSessionBus.maximumTextLength else {
                throw WireError(
                    WireErrorName.invalidArguments,
                    "\(name) is \(entry.value.bare.typeSignature), expected s of at most "
                        + "\(AudioSessionBus.maximumTextLength) bytes")
            }
        }
        let streams = properties?["streams"]?.text ?? "process"
        guard ["process", "shared", "tagged"].contains(streams) else {
            throw Words.unknown("value for streams", streams, ["process", "shared", "tagged"])
        }
        if streams == "shared", let object = service.sharedSession(of: owner) {
            service.take(object, owner)
            return call.answer([.objectPath(object.path)])
        }
        // The caller's own name is only a label; its identity comes from the kernel (N18).
        let own = owner.identity.application
        let said = properties?["application-id"]?.text ?? ""
        let isNamed = owner.identity.isUnconfined && !said.isEmpty
        let application = ApplicationID(
            key: own.key, name: isNamed ? printable(said, limit: AudioSessionBus.maximumTextLength) : own.name)
        let displayName = Words.short(properties?["display-name"]?.text ?? application.name)
        if streams != "shared",
            let object = service.keptSession(
                of: owner, takesTaggedOnly: streams == "tagged", displayName: displayName)
        {
            service.take(object, owner)
            return call.answer([.objectPath(object.path)])
        }
        try service.checkLimits(of: owner)
        let object = SessionObject(
            service.nextID(), owner: owner, application: application, displayName: displayName,
            takesTaggedOnly: streams == "tagged", isShared: streams == "shared", service: service, call: call)
        service.open(object)
    }

    private func begin(_ call: BusCall, _ owner: Owner) throws(WireError) {
        let kind = call.arguments.first?.text ?? ""
        try service.checkLimits(of: owner)
        let name = Words.short(
            call.arguments.last?["display-name"]?.text ?? owner.identity.application.name)
        let description = try description(of: kind, by: owner, name)
        lastCookie &+= 1
        let interruption = Interruption(service.nextID(), of: owner, cookie: lastCookie, call: call)
        service.begin(interruption, description, by: name)
    }

    /// What an interruption of a kind is under the policy (N21).
    private func description(of kind: String, by owner: Owner, _ name: String) throws(WireError) -> SessionDescription {
        let policy = service.runtime.engine.policy
        switch SystemInterruption.meaning(of: kind, in: policy) {
        case .description(let description): return description
        case .role(let role, let direction):
            let result = service.runtime.classify(owner.identity, direction) { property in
                SystemInterruption.property(
                    property, kind: role, program: owner.program, sandbox: owner.sandbox?.application, label: name)
            }
            // N11: the policy decides who may be phone or alarm, for daemons as for streams.
            if result.refusedClaim != nil {
                throw WireError(WireErrorName.notClaimable, "the policy does not let \(name) claim to be \(kind)")
            }
            guard let description = result.description else {
                throw WireError(WireErrorName.notClaimable, "the policy leaves \(kind) alone")
            }
            return description
        case nil: throw Words.unknown("kind", kind, SystemInterruption.kinds(of: policy))
        }
    }

    private func end(_ call: BusCall, _ owner: Owner) throws(WireError) {
        guard let cookie = call.arguments.first?.integer.flatMap({ UInt32(exactly: $0) }),
            let interruption = service.interruptions(of: owner).first(where: { $0.cookie == cookie })
        else {
            throw WireError(WireErrorName.notFound, "the caller has no interruption of that cookie")
        }
        service.close(interruption)
        call.answer()
    }
}
