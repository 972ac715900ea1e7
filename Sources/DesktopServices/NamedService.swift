import BusInterface
import DBus
import PolicyRuntime

/// A service on a bus, by its well-known name. Only what its present owner says counts: signals and answers of a former one are
/// dropped.
final class NamedService {
    private let bus: BusConnection
    private let name: String
    private var subscriptions: [Subscription] = []
    /// The unique name of who has the name now; nil for nobody.
    private(set) var owner: String?
    private var changed: (() -> Void)?

    init(_ name: String, on bus: BusConnection) {
        self.bus = bus
        self.name = name
    }

    deinit { stop() }

    /// Stops following and listening, without another report.
    func stop() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        owner = nil
        changed = nil
    }

    /// Begins to follow who has the name. Whoever listens does so before that, so that nothing is missed.
    ///
    /// - Parameters:
    ///   - isOutside: Whether programs in sandboxes do not count. Anybody who reaches the bus may take a name that nobody has,
    ///     and what the owners of some names say moves the whole desktop.
    ///   - changed: Called when another one has the name, or nobody.
    func follow(
        isOutside: Bool = false, in tree: any ProcessTree = LinuxProcessTree(), _ changed: @escaping () -> Void
    ) {
        self.changed = changed
        var current: String?
        subscriptions.append(
            bus.follow(name) { [weak self] new in
                current = new
                guard let self else { return }
                guard isOutside, let new else { return take(new) }
                bus.credentials(of: new) { [weak self] result in
                    guard let self, current == new else { return }
                    let process = (try? result.get())?.processID
                    take(process.flatMap { tree.program(of: $0) }?.confinement == .unconfined ? new : nil)
                }
            })
    }

    private func take(_ new: String?) {
        guard owner != new else { return }
        owner = new
        changed?()
    }

    /// Calls back for the owner's signals, until ``stop()``.
    func listen(
        to interface: String, path: String? = nil, below root: String? = nil, member: String? = nil,
        argument0: String? = nil, _ body: @escaping (BusSignal) -> Void
    ) {
        subscriptions.append(
            subscribe(
                MatchRule(
                    sender: name, path: path, pathNamespace: root, interface: interface, member: member,
                    argument0: argument0), body))
    }

    private func subscribe(_ rule: MatchRule, _ body: @escaping (BusSignal) -> Void) -> Subscription {
        bus.subscribe(rule) { [weak self] signal in
            if signal.sender == self?.owner { body(signal) }
        }
    }

    /// Calls the owner, if there is one; an error is an empty answer.
    func ask(
        _ method: String, of interface: String, at path: String, _ arguments: [WireValue] = [],
        then: @escaping ([WireValue]) -> Void
    ) {
        guard let asked = owner else { return }
        bus.call(asked, path: path, interface: interface, method, arguments) { [weak self] result in
            if self?.owner == asked { then((try? result.get()) ?? []) }
        }
    }

    /// Reads a property of the owner's; nil for an error.
    func get(_ property: String, of interface: String, at path: String, then: @escaping (WireValue?) -> Void) {
        ask("Get", of: WireInterface.properties.name, at: path, [.string(interface), .string(property)]) {
            then($0.first?.bare)
        }
    }

    /// Calls back for each change of a property, as long as the subscription is kept.
    func watch(
        _ property: String, of interface: String, at path: String, _ body: @escaping (WireValue?) -> Void
    ) -> Subscription {
        let rule = MatchRule(
            sender: name, path: path, interface: WireInterface.properties.name, member: "PropertiesChanged",
            argument0: interface)
        return subscribe(rule) { [weak self] signal in
            guard signal.arguments.count == 3 else { return }
            if let value = signal.arguments[1][property] {
                body(value)
            } else if (signal.arguments[2].elements ?? []).contains(where: { $0.text == property }) {
                self?.get(property, of: interface, at: path, then: body)
            }
        }
    }
}
