import BusInterface
import DBus

/// Follows the telephone calls of ModemManager on the system bus; without ModemManager there are no calls.
///
/// Source: ModemManager's D-Bus reference, interfaces `Modem.Voice` and `Call`.
public final class CallWatch {
    private static let name = "org.freedesktop.ModemManager1"
    private static let root = "/org/freedesktop/ModemManager1"
    private static let voice = "org.freedesktop.ModemManager1.Modem.Voice"
    private static let call = "org.freedesktop.ModemManager1.Call"

    private let service: NamedService
    private let changed: (CallPhase, String) -> Void
    private var registry = CallRegistry()
    /// The calls of each modem, by object path. They are needed when a modem goes, because no signal announces that its
    /// calls have ended.
    private var modems: [String: Set<String>] = [:]

    /// The present phase of all calls.
    public private(set) var phase = CallPhase.none
    /// The caller's or callee's number, at most 64 characters; empty if withheld.
    public private(set) var number = ""

    /// Starts to follow the calls, and reports each change of phase or number, including a call that exists already.
    public init(system bus: BusConnection, changed: @escaping (_ phase: CallPhase, _ number: String) -> Void) {
        self.changed = changed
        service = NamedService(CallWatch.name, on: bus)
        func listen(_ interface: String, _ body: @escaping (CallWatch, BusSignal) -> Void) {
            service.listen(to: interface, below: CallWatch.root) { [weak self] signal in
                guard let self else { return }
                body(self, signal)
                report()
            }
        }
        listen(CallWatch.voice) { $0.handleVoiceSignal($1) }
        listen(CallWatch.call) { $0.handleCallSignal($1) }
        listen(WireInterface.objectManager.name) { $0.handleManagerSignal($1) }
        service.follow { [weak self] in self?.ownerChanged() }
    }

    /// Stops following without another report.
    public func stop() { service.stop() }

    private func ownerChanged() {
        registry.removeAll()
        modems = [:]
        report()
        ask("GetManagedObjects", of: WireInterface.objectManager.name, at: CallWatch.root) { watch, values in
            for object in values.first?.entries ?? [] {
                if let path = object.key.text { watch.addModem(path, object.value) }
            }
        }
    }

    private func ask(
        _ method: String, of interface: String, at path: String, _ arguments: [WireValue] = [],
        then: @escaping (CallWatch, [WireValue]) -> Void
    ) {
        service.ask(method, of: interface, at: path, arguments) { [weak self] values in
            guard let self else { return }
            then(self, values)
            report()
        }
    }

    // MARK: - Modems

    private func addModem(_ modem: String, _ interfaces: WireValue) {
        for call in interfaces[CallWatch.voice]?["Calls"]?.elements ?? [] {
            if let path = call.text { add(path, of: modem) }
        }
    }

    private func handleManagerSignal(_ signal: BusSignal) {
        guard signal.arguments.count == 2, let modem = signal.arguments[0].text else { return }
        if signal.member == "InterfacesAdded" {
            addModem(modem, signal.arguments[1])
        } else if (signal.arguments[1].elements ?? []).contains(where: { $0.text == CallWatch.voice }) {
            for call in modems.removeValue(forKey: modem) ?? [] { registry.remove(call) }
        }
    }

    // MARK: - Calls

    private func handleVoiceSignal(_ signal: BusSignal) {
        guard let call = signal.arguments.first?.text else { return }
        switch signal.member {
        case "CallAdded": add(call, of: signal.path)
        case "CallDeleted":
            modems[signal.path]?.remove(call)
            registry.remove(call)
        default: break
        }
    }

    private func add(_ call: String, of modem: String) {
        guard registry.add(call) else { return }
        modems[modem, default: []].insert(call)
        ask("GetAll", of: WireInterface.properties.name, at: call, [.string(CallWatch.call)]) { watch, values in
            guard let properties = values.first, let state = properties["State"]?.integer else { return }
            let number = String((properties["Number"]?.text ?? "").prefix(64))
            watch.registry.describe(call, state: CallState(rawValue: state) ?? .unknown, number: number)
        }
    }

    private func handleCallSignal(_ signal: BusSignal) {
        guard signal.member == "StateChanged", signal.arguments.count == 3, let state = signal.arguments[1].integer
        else { return }
        registry.change(signal.path, to: CallState(rawValue: state) ?? .unknown)
    }

    private func report() {
        let (phase, number) = (registry.phase, registry.number)
        guard phase != self.phase || number != self.number else { return }
        (self.phase, self.number) = (phase, number)
        changed(phase, number)
    }
}
