import SessionBus
import SessionWire

/// Follows one screen saver on the session bus; without it, it is not active.
///
/// Source: the interface `org.freedesktop.ScreenSaver`, which desktops share without a written specification, and
/// GNOME's `org.gnome.ScreenSaver`, which has the same two members.
final class ScreenSaverWatch {
    /// Where a screen saver is; its interface is called like its name.
    struct Saver {
        let name: String
        let path: String
    }
    /// Those that are followed.
    static let known = [
        Saver(name: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver"),
        Saver(name: "org.gnome.ScreenSaver", path: "/org/gnome/ScreenSaver"),
    ]

    private let bus: BusConnection
    private let saver: Saver
    private let changed: (Bool) -> Void
    private var subscriptions: [Subscription] = []
    private var owner: String?

    /// Follows it, and tells what it says, which may be the same several times.
    init(bus: BusConnection, saver: Saver, changed: @escaping (Bool) -> Void) {
        self.bus = bus
        self.saver = saver
        self.changed = changed
        subscriptions = [
            // Without a path: some send it from several objects.
            bus.subscribe(MatchRule(sender: saver.name, interface: saver.name, member: "ActiveChanged")) {
                [weak self] signal in
                guard let self, signal.sender == owner, let isActive = signal.arguments.first?.truth else { return }
                changed(isActive)
            },
            bus.follow(saver.name) { [weak self] in self?.follow($0) },
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
