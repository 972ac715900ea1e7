import SessionBus

/// Whether the screen is locked, from whoever knows it: logind, else a screen saver (N16).
public final class ScreenLock {
    private let changed: (Bool) -> Void
    private var state = LockState()
    private var hint: LockedHint?
    private var savers: [ScreenSaverWatch] = []

    /// Whether it is locked now; not, until somebody says so.
    public private(set) var isLocked = false

    /// Follows the lock, and tells each change; a screen that is locked at first is one.
    ///
    /// - Parameters:
    ///   - system: Where logind is.
    ///   - session: Where screen savers are.
    ///   - person: Whose screen.
    public init(
        system: BusConnection, session: BusConnection, loop: any EventLoop,
        of person: LockedHint.Person = .own, changed: @escaping (Bool) -> Void
    ) {
        self.changed = changed
        hint = LockedHint(bus: system, loop: loop, of: person) { [weak self] in self?.update(hint: $0) }
        savers = ScreenSaverWatch.known.map { saver in
            ScreenSaverWatch(bus: session, saver: saver) { [weak self] in self?.update(saver.name, isActive: $0) }
        }
    }

    /// Stops following, without another word.
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
