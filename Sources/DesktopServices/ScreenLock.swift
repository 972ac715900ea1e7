import DBus

/// Follows whether the screen is locked, as reported by logind or else a screen saver (N16).
public final class ScreenLock {
    private let changed: (Bool) -> Void
    private var state = LockState()
    private var hint: LockedHint?
    private var savers: [ScreenSaverWatch] = []

    /// Whether the screen is locked now; false until reported.
    public private(set) var isLocked = false

    /// Starts to follow the lock and reports each change, including a screen that is locked at first.
    ///
    /// - Parameters:
    ///   - system: The bus of logind.
    ///   - session: The bus of screen savers.
    ///   - person: The user whose screen it is.
    public init(
        system: BusConnection, session: BusConnection, loop: any EventLoop,
        of person: LockedHint.User = .own, changed: @escaping (Bool) -> Void
    ) {
        self.changed = changed
        hint = LockedHint(bus: system, loop: loop, of: person) { [weak self] in self?.update(hint: $0) }
        savers = ScreenSaverWatch.known.map { saver in
            ScreenSaverWatch(bus: session, saver: saver) { [weak self] in self?.update(saver.name, isActive: $0) }
        }
    }

    /// Stops following without another report.
    public func stop() {
        hint?.stop()
        for saver in savers { saver.stop() }
    }

    private func update(hint: Bool?) {
        state.hint = hint
        report()
    }

    private func update(_ saver: String, isActive: Bool) {
        if isActive { state.activeSavers.insert(saver) } else { state.activeSavers.remove(saver) }
        report()
    }

    private func report() {
        guard state.isLocked != isLocked else { return }
        isLocked = state.isLocked
        changed(isLocked)
    }
}
