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

    private let service: NamedService

    /// Starts to follow a screen saver and reports its state, possibly the same one repeatedly.
    init(bus: BusConnection, saver: Saver, changed: @escaping (Bool) -> Void) {
        let service = NamedService(saver.name, on: bus)
        self.service = service
        // Without a path, because some screen savers send the signal from several objects.
        service.listen(to: saver.name, member: "ActiveChanged") { signal in
            if let isActive = signal.arguments.first?.truth { changed(isActive) }
        }
        service.follow(isOutside: true) { [unowned service] in
            if service.owner == nil { return changed(false) }
            service.ask("GetActive", of: saver.name, at: saver.path) { changed($0.first?.truth ?? false) }
        }
    }

    func stop() { service.stop() }
}
