import BusInterface
import DBus
import Glibc

/// Follows logind's `LockedHint` for this user's session.
///
/// Source: systemd, "org.freedesktop.login1". A sound server is a service of the user and not of a session, so it may
/// run before and after any session. The session is therefore determined again whenever one starts or ends.
public final class LockedHint {
    /// The user whose session is followed.
    public struct User: Sendable {
        /// The session that the environment names (`XDG_SESSION_ID`), if it does.
        public var session: String?
        /// The user id.
        public var user: UInt32

        /// Describes a user.
        public init(session: String?, user: UInt32) {
            self.session = session
            self.user = user
        }

        /// The user of this process.
        public static var own: User {
            User(session: getenv("XDG_SESSION_ID").map { String(cString: $0) }, user: getuid())
        }
    }

    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"
    /// How long logind's last report stays valid after logind has gone, in nanoseconds. logind restarts at once after a
    /// crash or an update, and a locked screen must stay silent meanwhile.
    private static let grace: Int64 = 5_000_000_000

    private let service: NamedService
    private let loop: any EventLoop
    private let person: User
    private let changed: (Bool?) -> Void
    private var sessionChanges: Subscription?
    private var timer: (any LoopTimer)?
    /// The number of the latest search; answers to an older one are dropped.
    private var search: UInt64 = 0

    /// Starts to follow the hint and reports its value, possibly the same one repeatedly; nil without a session.
    init(bus: BusConnection, loop: any EventLoop, of person: User, changed: @escaping (Bool?) -> Void) {
        service = NamedService(LockedHint.name, on: bus)
        self.loop = loop
        self.person = person
        self.changed = changed
        timer = loop.timer { changed(nil) }
        for member in ["SessionNew", "SessionRemoved"] {
            service.listen(to: LockedHint.manager, path: LockedHint.path, member: member) { [weak self] _ in
                self?.find()
            }
        }
        service.follow { [weak self] in self?.ownerChanged() }
    }

    deinit { stop() }

    func stop() {
        service.stop()
        sessionChanges?.cancel()
        sessionChanges = nil
        timer?.cancel()
        timer = nil
    }

    private func ownerChanged() {
        search &+= 1
        sessionChanges?.cancel()
        sessionChanges = nil
        if service.owner == nil { timer?.arm(at: loop.now + LockedHint.grace) } else { find() }
    }

    // MARK: - Finding the session

    /// The sources that name the session, the most reliable first.
    private enum SessionSource: CaseIterable {
        /// The session of this process, otherwise the user's graphical one; supported by logind since 2020.
        case automatic
        /// The session named in the environment.
        case environment
        /// The user's graphical session.
        case display
    }

    private func find() {
        search &+= 1
        find(SessionSource.allCases[...])
    }

    private func find(_ sources: ArraySlice<SessionSource>) {
        guard let way = sources.first else {
            // No source has named a session, so report nil and let screen savers decide.
            sessionChanges?.cancel()
            sessionChanges = nil
            return tell(nil)
        }
        let rest = sources.dropFirst()
        switch way {
        case .automatic:
            ask("GetSession", of: LockedHint.manager, at: LockedHint.path, [.string("auto")]) { $0.listen($1, rest) }
        case .environment:
            guard let id = person.session, !id.isEmpty else { return find(rest) }
            ask("GetSession", of: LockedHint.manager, at: LockedHint.path, [.string(id)]) { $0.listen($1, rest) }
        case .display:
            ask("GetUser", of: LockedHint.manager, at: LockedHint.path, [.uint32(person.user)]) { hint, user in
                hint.get("Display", of: "org.freedesktop.login1.User", at: user?.text) {
                    $0.listen($1?.elements?.last, rest)
                }
            }
        }
    }

    /// Follows a session that has a hint; otherwise tries the remaining sources.
    private func listen(_ session: WireValue?, _ rest: ArraySlice<SessionSource>) {
        // For a user without a graphical session, logind answers "/".
        guard let path = session?.text, path != "/" else { return find(rest) }
        let current = search
        let changes = service.watch("LockedHint", of: LockedHint.session, at: path) { [weak self] value in
            if let self, search == current { tell(value?.truth) }
        }
        get("LockedHint", of: LockedHint.session, at: path) { hint, value in
            guard let isLocked = value?.truth else {
                changes.cancel()
                return hint.find(rest)
            }
            hint.sessionChanges?.cancel()
            hint.sessionChanges = changes
            hint.tell(isLocked)
        }
    }

    private func tell(_ hint: Bool?) {
        timer?.arm(at: nil)
        changed(hint)
    }

    // MARK: - Asking

    /// Calls logind and passes on the first value of the answer, nil for an error. The answer is dropped if another
    /// search has begun.
    private func ask(
        _ method: String, of interface: String, at path: String, _ arguments: [WireValue],
        then: @escaping (LockedHint, WireValue?) -> Void
    ) {
        let current = search
        service.ask(method, of: interface, at: path, arguments) { [weak self] values in
            if let self, search == current { then(self, values.first) }
        }
    }

    private func get(
        _ property: String, of interface: String, at path: String?,
        then: @escaping (LockedHint, WireValue?) -> Void
    ) {
        guard let path else { return then(self, nil) }
        ask("Get", of: WireInterface.properties.name, at: path, [.string(interface), .string(property)], then: then)
    }
}
