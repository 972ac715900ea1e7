import BusInterface
import DBus

/// Follows one screen saver on the session bus; while it does not run, it counts as inactive.
///
/// Source: the interface `org.freedesktop.ScreenSaver`, which desktops share without a written specification, and
/// GNOME's `org.gnome.ScreenSaver`, which has the same two members.
final class ScreenSaverWatch {
    /// The name and path of a screen saver; the interface has the same name as the bus name.
    struct Saver {
        let name: String
        let path: String
    }
    /// The supported screen savers.
    static let known = [
        Saver(name: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver"),
        Saver(name: "org.gnome.ScreenSaver", path: "/org/gnome/ScreenSaver"),
    ]

    private let bus: BusConnection
    private let saver: Saver
    private let changed: (Bool) -> Void
    private var subscriptions: [Subscription] = []
    private var owner: String?

    /// Starts to follow a screen saver and reports its state, possibly the same one repeatedly.
    init(bus: BusConnection, saver: Saver, changed: @escaping (Bool) -> Void) {
        self.bus = bus
        self.saver = saver
        self.changed = changed
        subscriptions = [
            // The rule has no path, because some screen savers send the signal from several objects.
            bus.subscribe(MatchRule(sender: saver.name, interface: saver.name, member: "ActiveChanged")) {
                [weak self] signal in
                guard let self, signal.sender == owner, let isActive = signal.arguments.first?.truth else { return }
                changed(isActive)
            },
            bus.followOutside(saver.name) { [weak self] in self?.follow($0) },
        ]
    }

    deinit { stop() }

    func stop() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        owner = nil
    }

    private func follow(_ newOwner: String?) {
        guard owner != newOwner else { return }
        owner = newOwner
        guard let newOwner else { return changed(false) }
        bus.call(newOwner, path: saver.path, interface: saver.name, "GetActive") { [weak self] result in
            guard let self, owner == newOwner else { return }
            changed((try? result.get())?.first?.truth ?? false)
        }
    }
}
