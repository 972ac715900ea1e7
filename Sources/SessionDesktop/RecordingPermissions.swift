import SessionBus
import SessionWire

/// Follows which applications in sandboxes the user lets use the microphone.
///
/// Source: XDG Desktop Portal, "org.freedesktop.impl.portal.PermissionStore", table `devices`, entry `microphone`. The store is asked
/// where it runs; it is not started for that.
public final class RecordingPermissions {
    private static let service = "org.freedesktop.impl.portal.PermissionStore"
    private static let path = "/org/freedesktop/impl/portal/PermissionStore"

    private let bus: BusConnection
    private let changed: () -> Void
    private var subscriptions: [Subscription] = []
    private var owner: String?
    /// What was answered, by application id.
    private var answers: [String: Bool] = [:]
    /// More applications are not kept.
    private static let most = 4096

    /// Follows the permissions, and tells when they are other ones.
    public init(session bus: BusConnection, changed: @escaping () -> Void) {
        self.bus = bus
        self.changed = changed
        subscriptions = [
            bus.subscribe(
                MatchRule(
                    sender: Self.service, path: Self.path, interface: Self.service, member: "Changed",
                    argument0: "devices")
            ) { [weak self] signal in
                if let self, signal.sender == owner { look() }
            },
            bus.follow(Self.service) { [weak self] in self?.follow($0) },
        ]
    }

    deinit { stop() }

    /// Follows them no longer.
    public func stop() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        owner = nil
    }

    /// Whether an application may use the microphone: what its user has answered, or else what its sandbox has been built with.
    public func mayRecord(_ sandbox: AppSandbox) -> Bool { answers[sandbox.application] ?? sandbox.mayRecord }

    private func follow(_ newOwner: String?) {
        guard owner != newOwner else { return }
        owner = newOwner
        // What its user has said last counts until it is there again.
        if newOwner != nil { look() }
    }

    private func look() {
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
