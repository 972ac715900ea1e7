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
        guard let truth = value.truth else {
            return call.fail(WireError(WireErrorName.invalidArguments, "\(property) is b"))
        }
        let switches: [String: WritableKeyPath<Switches, Bool>] = [
            "Silent": \.isSilent, "DoNotDisturb": \.isUndisturbed,
        ]
        guard let changed = switches[property] else {
            return call.fail(WireError(WireErrorName.propertyReadOnly, "\(property) can only be read"))
        }
        control(call) { [unowned self] _ in
            service.change { $0[keyPath: changed] = truth }
            call.answer()
        }
    }

    /// Runs a method that concerns the whole desktop, if the caller may call it (N20).
    private func control(_ call: BusCall, _ body: @escaping (Owner) -> Void) {
        service.owner(of: call) { [unowned self] owner in
            if service.mayControlDesktop(owner) { return body(owner) }
            let who = owner.sandbox.map { "\($0.application) runs in a sandbox" } ?? "nothing is known of \(owner.name)"
            call.fail(
                WireError(
                    WireErrorName.accessDenied,
                    "\(call.member) concerns the whole desktop, and \(Words.short(who)): a policy file can allow it, "
                        + "claims = { desktop = { allow = [ { pipewire.access.portal.app_id = … } ] } }"))
        }
    }

    /// Answers with the records that the caller may see: all, or the caller's own (N20).
    private func answerRecords(_ call: BusCall, _ records: @escaping (Viewer) -> () -> WireValue?) {
        service.owner(of: call) { [unowned self] owner in
            let next = records(service.viewer(owner))
            call.answer(.array(of: "a{sv}")) { next().map { .element($0) } }
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
        changed(["Policy"])
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

    /// Forgets the events that wait: whose the names are that were to get them is not known.
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
        let arguments = call.arguments
        let first = arguments.first
        switch method {
        case "OpenSession": service.owner(of: call) { [unowned self] in open(first, call, $0) }
        case "BeginInterruption":
            control(call) { [unowned self] in begin(first?.text ?? "", arguments.last, call, $0) }
        case "EndInterruption": service.owner(of: call) { [unowned self] in end(first, call, $0) }
        case "Subscribe", "Unsubscribe":
            control(call) { [unowned self] owner in
                service.subscribe(owner, method == "Subscribe")
                feed.isWanted = !service.subscribers.isEmpty
                call.answer()
            }
        case "ListSessions": answerRecords(call) { [unowned self] in service.sessionRecords(for: $0) }
        case "ListStreams": answerRecords(call) { [unowned self] in service.streamRecords(for: $0) }
        case "DumpState":
            service.owner(of: call) { [unowned self] owner in
                let next = service.dump(for: service.viewer(owner))
                call.answer(.text) { next().map { .text($0) } }
            }
        case "Free": control(call) { [unowned self] _ in free(first?.text ?? "", call) }
        case "Explain": service.owner(of: call) { [unowned self] in explain(first?.text ?? "", call, $0) }
        case "SetRoute":
            control(call) { [unowned self] _ in
                do throws(WireError) {
                    try service.choose(first?.text ?? "")
                    call.answer()
                } catch { call.fail(error) }
            }
        case "Pause":
            control(call) { [unowned self] _ in
                let milliseconds = Int64(clamping: first?.integer ?? .max)
                let end =
                    milliseconds == 0
                    ? Switches.never : service.runtime.now.advanced(by: .milliseconds(min(milliseconds, 1 << 40)))
                service.change { $0.pausedUntil = end }
                call.answer()
            }
        case "Resume":
            control(call) { [unowned self] _ in
                service.change { $0.pausedUntil = nil }
                call.answer()
            }
        default: call.fail(WireError(WireErrorName.unknownMethod, "there is no method \(method)"))
        }
    }

    private func explain(_ subject: String, _ call: BusCall, _ owner: Owner) {
        let next = service.explain(subject, for: service.viewer(owner))
        if let first = next() {
            var text: String? = first
            return call.answer(.array(of: "s")) {
                defer { text = next() }
                return text.map { .element(.string($0)) }
            }
        }
        call.fail(ManagerObject.noStream(subject))
    }

    private static func noStream(_ subject: String) -> WireError {
        WireError(
            WireErrorName.notFound,
            "no stream is '\(Words.short(subject))': expected a stream's id, pid:NUMBER or an application's name")
    }

    private func free(_ subject: String, _ call: BusCall) {
        let (all, freed) = service.free(subject)
        if freed > 0 { return call.answer([.uint32(UInt32(clamping: freed))]) }
        if all == 0 { return call.fail(ManagerObject.noStream(subject)) }
        let why = service.explain(subject)() ?? "its streams have ended"
        call.fail(WireError(WireErrorName.failed, "nothing to free: \(why)"))
    }

    private func open(_ properties: WireValue?, _ call: BusCall, _ owner: Owner) {
        do throws(WireError) {
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
        } catch { call.fail(error) }
    }

    private func begin(_ kind: String, _ properties: WireValue?, _ call: BusCall, _ owner: Owner) {
        do throws(WireError) {
            try service.checkLimits(of: owner)
            let name = Words.short(
                properties?["display-name"]?.text ?? owner.identity.application.name)
            let description = try description(of: kind, by: owner, name)
            lastCookie &+= 1
            let interruption = Interruption(service.nextID(), of: owner, cookie: lastCookie, call: call)
            service.begin(interruption, description, by: name)
        } catch { call.fail(error) }
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

    private func end(_ cookie: WireValue?, _ call: BusCall, _ owner: Owner) {
        guard let cookie = cookie?.integer.flatMap({ UInt32(exactly: $0) }),
            let interruption = service.interruptions(of: owner).first(where: { $0.cookie == cookie })
        else {
            return call.fail(WireError(WireErrorName.notFound, "the caller has no interruption of that cookie"))
        }
        service.close(interruption)
        call.answer()
    }
}
