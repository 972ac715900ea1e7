import Glibc
import SessionBus
import SessionWire

/// Follows `LockedHint` of this user's session at logind.
///
/// Source: systemd, "org.freedesktop.login1". A sound server is a service of the user, not of a session, and may be
/// there before and after any session, so which one counts is found out anew whenever one comes or goes.
public final class LockedHint {
    /// Whose session.
    public struct Person: Sendable {
        /// The session that the environment names (`XDG_SESSION_ID`), if it does.
        public var session: String?
        /// The user's number.
        public var user: UInt32

        /// Somebody.
        public init(session: String?, user: UInt32) {
            self.session = session
            self.user = user
        }

        /// Who runs this process.
        public static var own: Person {
            Person(session: getenv("XDG_SESSION_ID").map { String(cString: $0) }, user: getuid())
        }
    }

    private static let service = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"
    /// How long what logind said last counts after it has gone, in nanoseconds: it is started again at once when it
    /// crashes or is brought up to date, and a locked screen must not sound meanwhile.
    private static let grace: Int64 = 5_000_000_000

    private let bus: BusConnection
    private let loop: any EventLoop
    private let person: Person
    private let changed: (Bool?) -> Void
    private var subscriptions: [Subscription] = []
    private var sessionChanges: Subscription?
    private var timer: (any LoopTimer)?
    private var owner: String?
    /// Counts the searches, so that answers to an older one are dropped.
    private var search: UInt64 = 0

    /// Follows the hint, and tells what it is, which may be the same several times; nil where there is no session.
    init(bus: BusConnection, loop: any EventLoop, of person: Person, changed: @escaping (Bool?) -> Void) {
        self.bus = bus
        self.loop = loop
        self.person = person
        self.changed = changed
        timer = loop.timer { changed(nil) }
        subscriptions = ["SessionNew", "SessionRemoved"].map { member in
            bus.subscribe(
                MatchRule(
                    sender: LockedHint.service, path: LockedHint.path, interface: LockedHint.manager, member: member)
            ) { [weak self] signal in
                if let self, signal.sender == owner { find() }
            }
        }
        subscriptions.append(bus.follow(LockedHint.service) { [weak self] in self?.follow($0) })
    }

    deinit { stop() }

    func stop() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        sessionChanges?.cancel()
        sessionChanges = nil
        timer?.cancel()
        timer = nil
        owner = nil
    }

    private func follow(_ newOwner: String?) {
        guard owner != newOwner else { return }
        owner = newOwner
        search &+= 1
        sessionChanges?.cancel()
        sessionChanges = nil
        if newOwner == nil { timer?.arm(at: loop.now + LockedHint.grace) } else { find() }
    }

    // MARK: - Which session

    /// The ways to a session, the surest first.
    private enum Way: CaseIterable {
        /// The session of this process, else the user's graphical one; logind of 2020 and later knows that.
        case automatic
        /// The session that the environment names.
        case environment
        /// The user's graphical session.
        case display
    }

    private func find() {
        search &+= 1
        find(Way.allCases[...])
    }

    private func find(_ ways: ArraySlice<Way>) {
        guard let way = ways.first else {
            // There is none, so somebody else has to know.
            sessionChanges?.cancel()
            sessionChanges = nil
            return tell(nil)
        }
        let rest = ways.dropFirst()
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

    /// Follows a session, if it has a hint, else looks on.
    private func listen(_ session: WireValue?, _ rest: ArraySlice<Way>) {
        // A user without a graphical session has "/" for one.
        guard let path = session?.text, path != "/" else { return find(rest) }
        let current = search
        let changes = bus.subscribe(
            MatchRule(
                sender: LockedHint.service, path: path, interface: WireInterface.properties.name,
                member: "PropertiesChanged", argument0: LockedHint.session)
        ) { [weak self] signal in
            guard let self, signal.sender == owner, signal.arguments.count == 3, search == current else { return }
            if let isLocked = signal.arguments[1]["LockedHint"]?.truth {
                tell(isLocked)
            } else if (signal.arguments[2].elements ?? []).contains(where: { $0.text == "LockedHint" }) {
                get("LockedHint", of: LockedHint.session, at: path) { $0.tell($1?.truth) }
            }
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

    /// Asks logind and hands on the first value of its answer, nil for an error; drops it when another search began.
    private func ask(
        _ method: String, of interface: String, at path: String, _ arguments: [WireValue],
        then: @escaping (LockedHint, WireValue?) -> Void
    ) {
        guard let owner else { return }
        let current = search
        bus.call(owner, path: path, interface: interface, method, arguments) { [weak self] result in
            if let self, search == current { then(self, (try? result.get())?.first) }
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
