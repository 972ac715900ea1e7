import BusInterface
import DBus
public import PolicyRuntime

/// Follows which sandboxed applications the user permits to use the microphone.
///
/// Source: XDG Desktop Portal, "org.freedesktop.impl.portal.PermissionStore", table `devices`, entry `microphone`. A
/// store that does not run is not started.
public final class RecordingPermissions {
    private static let service = "org.freedesktop.impl.portal.PermissionStore"
    private static let path = "/org/freedesktop/impl/portal/PermissionStore"

    private let bus: BusConnection
    private let changed: () -> Void
    private var subscriptions: [Subscription] = []
    private var owner: String?
    /// The user's answers, by application id.
    private var answers: [String: Bool] = [:]
    /// The number of applications that are kept at most.
    private static let most = 4096

    /// Starts to follow the permissions, and reports changes.
    public init(session bus: BusConnection, changed: @escaping () -> Void) {
        self.bus = bus
        self.changed = changed
        subscriptions = [
            bus.subscribe(
                MatchRule(
                    sender: Self.service, path: Self.path, interface: Self.service, member: "Changed",
                    argument0: "devices")
            ) { [weak self] signal in
                if let self, signal.sender == owner { readPermissions() }
            },
            bus.followOutside(Self.service) { [weak self] in self?.follow($0) },
        ]
    }

    deinit { stop() }

    /// Stops following.
    public func stop() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        owner = nil
    }

    /// Whether an application may use the microphone: the user's answer, otherwise the permissions that its sandbox was
    /// built with.
    public func mayRecord(_ sandbox: AppSandbox) -> Bool { answers[sandbox.application] ?? sandbox.mayRecord }

    private func follow(_ newOwner: String?) {
        guard owner != newOwner else { return }
        owner = newOwner
        // While the store is gone, the user's last answers stay valid.
        if newOwner != nil { readPermissions() }
    }

    private func readPermissions() {
        guard let owner else { return }
        bus.call(
            owner, path: Self.path, interface: Self.service, "Lookup", [.string("devices"), .string("microphone")]
        ) { [weak self] result in
            guard let self, owner == self.owner, let permissions = (try? result.get())?.first else { return }
            var found: [String: Bool] = [:]
            for entry in (permissions.entries ?? []).prefix(Self.most) {
                guard let application = entry.key.text, let words = entry.value.bare.elements else { continue }
                let answer = words.first?.text
                if answer == "yes" || answer == "no" { found[application] = answer == "yes" }
            }
            guard found != answers else { return }
            answers = found
            changed()
        }
    }
}
