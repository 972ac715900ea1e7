import CPipeWire
import HostSupport
import PolicyEngine

/// One card and the state of its ports (R60–R63).
///
/// We query the card at each change that it announces, before the session manager hears of the change. So streams that
/// must not be heard elsewhere are silent before another port is chosen. Ports and active ports are replaced together
/// once all answers have arrived; a part of the answers would be a state that never existed.
final class DeviceWatch {
    /// One port, as the card describes it.
    struct Port {
        var index: UInt32
        var availability: PortAvailability
        var devices: [UInt32]
        /// The first profile that contains the port.
        var profile: UInt32?
        var facts: PortFacts
    }

    /// The answers received so far.
    private struct Answers {
        var ports: [Port] = []
        /// The active port of each device of the profile.
        var active: [UInt32: UInt32] = [:]
        /// The sequence numbers of the requests.
        var requests: [Int32] = []
        /// The sequence number of the last expected answer.
        var last: Int32 = -1
        /// When the requests were sent.
        var moment: Instant
    }

    let device: OpaquePointer
    let global: UInt32
    /// Whether a sandboxed program made the card.
    let isConfined: Bool
    private let cardName: String
    private unowned let watch: RouteWatch
    private var listener: Listener<pw_impl_device_events>?
    private var implementation: Listener<spa_device_events>?
    private var resource: Listener<pw_resource_events>?
    private var isAttached = true
    /// The client that exports it, if any.
    private(set) var client: OpaquePointer?
    private var answers: Answers?
    /// Whether the card announced a change after the last query.
    private var mustQueryAgain = false
    private var number: Int32 = 0
    /// The ports of the last complete answer.
    private var ports: [Port] = []
    private var active: [UInt32: UInt32] = [:]
    private let facts: PortFacts

    /// After this time a missing answer counts as lost.
    private static let patience = Duration.seconds(2)

    /// - Parameter exporter: The resource of the client that exports the card. If somebody else destroys the device,
    ///   this resource is freed before the device's own event.
    init(device: OpaquePointer, global: UInt32, exporter: OpaquePointer?, isConfined: Bool, watch: RouteWatch) {
        self.device = device
        self.global = global
        self.isConfined = isConfined
        self.watch = watch
        let properties = pw_impl_device_get_properties(device)
        func value(_ key: String) -> String? { name(pw_properties_get(properties, key)) }
        cardName = value("device.name") ?? "card"
        facts = PortFacts(nil, of: cardName, .pipeWire, value: value)
        var events = pw_impl_device_events()
        events.version = UInt32(PW_VERSION_IMPL_DEVICE_EVENTS)
        events.destroy = { data in
            guard let self = object(data, as: DeviceWatch.self) else { return }
            self.listener = nil
            self.detach()
            self.watch.removed(self)
        }
        listener = Listener(events) { pw_impl_device_add_listener(device, $0, $1, pointer(to: self)) }
        var answers = spa_device_events()
        answers.version = UInt32(SPA_VERSION_DEVICE_EVENTS)
        answers.info = { data, info in
            guard let info, info.pointee.change_mask & UInt64(CPW_DEVICE_CHANGED_PARAMS) != 0 else { return }
            object(data, as: DeviceWatch.self)?.query()
        }
        answers.result = { data, number, _, type, result in
            object(data, as: DeviceWatch.self)?.handleResult(number, type, result)
        }
        implementation = Listener(answers) { cpw_device_add_listener(device, $0, $1, pointer(to: self)) }
        if let exporter {
            client = pw_resource_get_client(exporter)
            var life = pw_resource_events()
            life.version = UInt32(PW_VERSION_RESOURCE_EVENTS)
            life.destroy = { data in object(data, as: DeviceWatch.self)?.detach() }
            resource = Listener(life) { pw_resource_add_listener(exporter, $0, $1, pointer(to: self)) }
        }
    }

    /// Sends the first query.
    func begin() { query() }

    /// Removes the listeners; the card can no longer be queried.
    private func detach() {
        isAttached = false
        implementation = nil
        resource = nil
        client = nil
        answers = nil
    }

    /// Activates a port for a device of the profile. `isSaved` marks a choice of the user, which is remembered.
    func use(_ id: String, _ direction: PortDirection, on profileDevice: UInt32, isSaved: Bool) {
        guard isAttached, let port = port(id, direction), let profileDevice = Int32(exactly: profileDevice) else {
            return
        }
        _ = cpw_device_use_route(device, port.index, profileDevice, isSaved)
    }

    /// Selects the first profile that contains a port. Returns whether there is one.
    func useProfile(of id: String, _ direction: PortDirection) -> Bool {
        guard isAttached, let profile = port(id, direction)?.profile else { return false }
        return cpw_device_use_profile(device, profile, true) >= 0
    }

    private func port(_ id: String, _ direction: PortDirection) -> Port? {
        ports.first { $0.facts.direction == direction && "\(cardName)/\($0.facts.portName ?? "")" == id }
    }

    // MARK: - Questions and answers

    private func query() {
        guard isAttached else { return }
        if let answers, answers.moment.duration(to: watch.host.now) < DeviceWatch.patience {
            mustQueryAgain = true
            return
        }
        mustQueryAgain = false
        watch.queryStarted(self)
        answers = Answers(moment: watch.host.now)
        // A card inside the daemon answers before the call returns.
        for parameter in [CPW_PARAM_ENUM_ROUTE, CPW_PARAM_ROUTE] {
            let own = nextNumber()
            answers?.requests.append(own)
            let request = cpw_device_enumerate(device, own, UInt32(parameter))
            if request != own { answers?.requests.append(request) }
        }
        let own = nextNumber()
        answers?.last = own
        let last = cpw_device_sync(device, own)
        answers?.last = last
        if last < 0 {
            answers = nil
            watch.queryFailed(self)
        }
    }

    private func nextNumber() -> Int32 {
        // Sequence numbers of the protocol itself have a higher bit set.
        number = number >= 0x0fff_ffff ? 1 : number + 1
        return number
    }

    private func handleResult(_ number: Int32, _ type: UInt32, _ result: UnsafeRawPointer?) {
        guard let expected = answers else { return }
        if number == expected.last { return finishQuery() }
        guard expected.requests.contains(number) else { return }
        var parameter: UInt32 = 0
        var route = cpw_route()
        guard let pod = cpw_result_param(type, result, &parameter), cpw_route_read(pod, &route) else { return }
        switch Int(parameter) {
        case CPW_PARAM_ENUM_ROUTE:
            if expected.ports.count < RouteRegistry.mostPorts { answers?.ports.append(Port(route, of: facts)) }
        case CPW_PARAM_ROUTE:
            if let device = UInt32(exactly: route.device), expected.active.count < RouteRegistry.mostPorts {
                answers?.active[device] = route.index
            }
        default: break
        }
    }

    private func finishQuery() {
        guard let complete = answers else { return }
        answers = nil
        ports = complete.ports
        active = complete.active
        watch.host.log(.debug, "\(cardName): \(summary)")
        watch.changed(self, hasAnswered: true)
        if mustQueryAgain { query() }
    }

    /// For the log: all ports, those in use first.
    private var summary: String {
        let inUse = Set(active.values)
        return ports.map { port in
            (inUse.contains(port.index) ? "*" : "") + "\(port.facts.portName ?? "?") \(port.availability.rawValue)"
        }.joined(separator: ", ")
    }

    /// The card's present state. The types of active ports may depend on the card's nodes.
    func description(nodes: [NodeWatch]) -> RouteDevice {
        let described = ports.map { port -> DevicePort in
            let profileDevice = active.filter { $0.value == port.index }.keys.min()
            var facts = port.facts
            if let node = nodes.first(where: {
                $0.route.profileDevice == profileDevice && profileDevice != nil && $0.route.direction == facts.direction
            }) {
                facts.profileName = node.facts.profileName
                facts.bluetoothProfile = node.facts.bluetoothProfile
            }
            return DevicePort(
                facts, availability: port.availability, profileDevices: port.devices, activeOn: profileDevice)
        }
        return RouteDevice(id: global, name: cardName, ports: described, isCamera: facts.isCamera)
    }
}

extension DeviceWatch.Port {
    init(_ route: cpw_route, of device: PortFacts) {
        index = route.index
        availability = PortAvailability(number: route.available)
        devices = withUnsafeBytes(of: route.devices) { bytes in
            bytes.bindMemory(to: UInt32.self).prefix(Int(route.device_count)).map { $0 }
        }
        profile = UInt32(exactly: route.profile)
        facts = device
        facts.direction = route.direction == 1 ? .output : .input
        facts.portName = characters(route.name)
        facts.portDescription = characters(route.description)
        facts.portType = characters(route.type)
        if let icon = characters(route.icon_name) { facts.iconName = icon }
    }
}

/// The text in a C array of characters; `nil` for an empty one.
private func characters<Characters>(_ characters: Characters) -> String? {
    withUnsafeBytes(of: characters) { bytes in
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? nil : printable(text, limit: .max)
    }
}
