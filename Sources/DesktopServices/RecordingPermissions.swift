import BusInterface
import DBus
public import PolicyRuntime

/// Follows which sandboxed applications the user permits to use the microphone.
///
/// Source: XDG Desktop Portal, "org.freedesktop.impl.portal.PermissionStore", table `devices`, entry `microphone`. A
/// store that does not run is not started.
public final class RecordingPermissions {
    private static let name = "org.freedesktop.impl.portal.PermissionStore"
    private static let path = "/org/freedesktop/impl/portal/PermissionStore"

    private let service: NamedService
    private let changed: () -> Void
    /// The user's answers, by application id.
    private var answers: [String: Bool] = [:]
    /// The number of applications that are kept at most.
    private static let most = 4096

    /// Starts to follow the permissions, and reports changes.
    public init(session bus: BusConnection, changed: @escaping () -> Void) {
        self.changed = changed
        service = NamedService(Self.name, on: bus)
        service.listen(to: Self.name, path: Self.path, member: "Changed", argument0: "devices") { [weak self] _ in
            self?.readPermissions()
        }
        // While the store is gone, the user's last answers stay valid.
        service.follow(isOutside: true) { [weak self] in self?.readPermissions() }
    }

    /// Stops following.
    public func stop() { service.stop() }

    /// Whether an application may use the microphone: the user's answer, otherwise the permissions that its sandbox was
    /// built with.
    public func mayRecord(_ sandbox: AppSandbox) -> Bool { answers[sandbox.application] ?? sandbox.mayRecord }

    private func readPermissions() {
        let entry: [WireValue] = [.string("devices"), .string("microphone")]
        service.ask("Lookup", of: Self.name, at: Self.path, entry) { [weak self] values in
            guard let self, let permissions = values.first else { return }
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
