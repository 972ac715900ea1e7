import Foundation

/// The services of a desktop besides sound, simulated by python-dbusmock on a sandbox's buses: logind, ModemManager, a
/// screen saver. Each has a method that starts it; the buses must run.
///
/// The scripts are under `Tests/Fixtures`.
public struct DesktopMocks: Sendable {
    /// The sandbox with the buses.
    public let sandbox: Sandbox

    /// The mocks for a sandbox; none is started yet.
    public init(_ sandbox: Sandbox) { self.sandbox = sandbox }

    /// The path of a fixture.
    public static func fixture(_ name: String) -> String {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return sources.deletingLastPathComponent().appendingPathComponent("Tests/Fixtures/\(name)").path
    }

    // MARK: - logind

    private static let login = "org.freedesktop.login1"

    /// Starts logind with one session, `c1`, of the user who runs the tests.
    ///
    /// - Parameters:
    ///   - isAutomatic: Whether logind answers the query for the caller's own session; otherwise only the user's
    ///     display leads to it.
    ///   - hasSession: Whether a user is logged in.
    ///   - delay: How long locks may delay sleep.
    public func startLogind(
        isAutomatic: Bool = true, hasSession: Bool = true, delay: Duration = .seconds(5)
    ) async throws -> ChildProcess {
        try await start(
            "logind", DesktopMocks.login, isSystem: true,
            parameters: """
                {"user": \(getuid()), "automatic": \(isAutomatic), "sessions": \(hasSession), \
                "delay": \(delay / .microseconds(1))}
                """)
    }

    /// Locks the screen, as a lock screen reports it to logind.
    public func lock(session: String = "c1") async throws { try await setLocked(session, true) }
    /// Unlocks the screen.
    public func unlock(session: String = "c1") async throws { try await setLocked(session, false) }
    /// Logs a user in.
    public func beginSession(_ name: String) async throws {
        try await callLogind("BeginSession", ["s", name])
    }
    /// Logs a user out.
    public func endSession(_ name: String = "c1") async throws { try await callLogind("EndSession", ["s", name]) }

    /// Closes the lid. Returns at once; the machine sleeps when no lock delays sleep any more.
    public func sleep() async throws { try await callLogind("Sleep") }
    /// Opens the lid.
    public func wake() async throws { try await callLogind("Wake") }
    /// Whether the machine sleeps.
    public var isAsleep: Bool {
        get async throws { try await callLogind("IsAsleep").contains("true") }
    }
    /// The present locks against sleep, one line each as `busctl` prints them.
    public var sleepInhibitors: String {
        get async throws {
            try await busctl(
                isSystem: true,
                [DesktopMocks.login, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "ListInhibitors"])
        }
    }

    private func setLocked(_ session: String, _ isLocked: Bool) async throws {
        try await callLogind("SetLocked", ["sb", session, "\(isLocked)"])
    }

    @discardableResult
    private func callLogind(_ method: String, _ arguments: [String] = []) async throws -> String {
        try await busctl(
            isSystem: true,
            [DesktopMocks.login, "/org/freedesktop/login1", "org.freedesktop.DBus.Mock", method] + arguments)
    }

    // MARK: - ModemManager

    /// Starts ModemManager with modems named `0`, `1` and so on.
    public func startModemManager(modems: Int = 1) async throws -> ChildProcess {
        try await start(
            "modem-manager", "org.freedesktop.ModemManager1", isSystem: true, parameters: "{\"modems\": \(modems)}")
    }

    /// Starts an incoming call; returns its path.
    public func ring(from number: String = "+4930123456", modem: String = "0") async throws -> String {
        try await addCall(direction: "incoming", number: number, state: "ringing-in", modem: modem)
    }
    /// Starts an outgoing call; returns its path.
    public func dial(_ number: String = "+4930123456", modem: String = "0") async throws -> String {
        try await addCall(direction: "outgoing", number: number, state: "dialing", modem: modem)
    }
    /// The user accepts a call.
    public func accept(_ call: String) async throws { try await setState(of: call, to: "active") }
    /// The user rejects a call, or either side ends it.
    public func reject(_ call: String) async throws {
        try await setState(of: call, to: "terminated")
        try await callModemManager("DeleteCall", ["s", call])
    }
    /// Either side ends a call.
    public func hangUp(_ call: String) async throws { try await reject(call) }
    /// Changes a call's state to one of ModemManager's names, e.g. `held`.
    public func setState(of call: String, to state: String) async throws {
        try await callModemManager("SetCallState", ["ss", call, state])
    }
    /// Plugs a modem in.
    public func addModem(_ name: String) async throws { try await callModemManager("AddModem", ["s", name]) }
    /// Unplugs a modem, which ends all its calls.
    public func removeModem(_ name: String = "0") async throws {
        try await callModemManager("RemoveModem", ["s", name])
    }

    private func addCall(direction: String, number: String, state: String, modem: String) async throws -> String {
        let answer = try await callModemManager("AddCall", ["ssss", modem, direction, number, state])
        return DesktopMocks.text(in: answer)
    }

    @discardableResult
    private func callModemManager(_ method: String, _ arguments: [String]) async throws -> String {
        try await busctl(
            isSystem: true,
            [
                "org.freedesktop.ModemManager1", "/org/freedesktop/ModemManager1", "org.freedesktop.DBus.Mock",
                method,
            ] + arguments)
    }

    // MARK: - Screen saver

    /// Starts a screen saver on the session bus, for desktops whose logind does not report the lock.
    public func startScreenSaver(isActive: Bool = false) async throws -> ChildProcess {
        try await start(
            "screen-saver", "org.freedesktop.ScreenSaver", isSystem: false, parameters: "{\"active\": \(isActive)}")
    }

    /// Activates or deactivates the screen saver.
    public func setScreenSaver(isActive: Bool) async throws {
        let saver = "org.freedesktop.ScreenSaver"
        try await busctl(
            isSystem: false, [saver, "/org/freedesktop/ScreenSaver", saver, "SetActive", "b", "\(isActive)"])
    }

    // MARK: - A telephone's shell

    private static let callAudio = "org.mobian_project.CallAudio"

    /// Starts callaudiod, in a call or not.
    public func startCallAudio(isInCall: Bool = false) async throws -> ChildProcess {
        try await start(
            "call-audio", DesktopMocks.callAudio, isSystem: false, parameters: "{\"mode\": \(isInCall ? 1 : 0)}")
    }

    /// Sets up the audio for a call, or for everything else.
    public func setCallAudio(isInCall: Bool) async throws {
        try await busctl(
            isSystem: false,
            [
                DesktopMocks.callAudio, "/org/mobian_project/CallAudio", DesktopMocks.callAudio, "SelectMode", "u",
                isInCall ? "1" : "0",
            ])
    }

    // MARK: - Notifications

    private static let notifications = "org.freedesktop.Notifications"

    /// Starts a service that shows notifications.
    public func startNotifications() async throws -> ChildProcess {
        try await start("notifications", DesktopMocks.notifications, isSystem: false, parameters: "{}")
    }

    /// The notifications that are shown, as "SUMMARY: BODY", with bars between them.
    public func shownNotifications() async throws -> String {
        let answer = try await busctl(
            isSystem: false,
            [DesktopMocks.notifications, "/org/freedesktop/Notifications", DesktopMocks.notifications, "Shown"])
        return DesktopMocks.text(in: answer)
    }

    // MARK: - The bus

    /// The text in an answer of one string, as `busctl` prints it.
    static func text(in answer: String) -> String {
        String(answer.drop { $0 != "\"" }.dropFirst().prefix { $0 != "\"" })
    }

    /// Waits until a name on a bus has an owner.
    public func waitForName(_ name: String, isSystem: Bool, of child: ChildProcess) async throws {
        _ = try await waitUntil("\(name) on the bus", evidence: { child.log.tail() }) {
            if let status = child.exitStatus {
                throw CommandFailure(command: [child.name], status: status, errors: child.log.tail())
            }
            let answer = try? await busctl(
                isSystem: isSystem,
                [
                    "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner", "s", name,
                ])
            return answer?.contains("true") == true ? true : nil
        }
    }

    private func start(
        _ fixture: String, _ name: String, isSystem: Bool, parameters: String
    ) async throws -> ChildProcess {
        // Not the first python3 in PATH, which may lack the distribution's packages.
        let mock = try sandbox.start(
            fixture,
            Invocation(
                "/usr/bin/python3",
                [
                    "-m", "dbusmock", "--template", DesktopMocks.fixture("\(fixture).py"), "--parameters", parameters,
                ]))
        try await waitForName(name, isSystem: isSystem, of: mock)
        return mock
    }

    /// Calls a method on a bus, with arguments in `busctl` syntax, and returns its output.
    @discardableResult
    func busctl(isSystem: Bool, _ arguments: [String]) async throws -> String {
        let address = isSystem ? sandbox.systemBusAddress : sandbox.busAddress
        let answer = try await sandbox.run(
            Invocation("busctl", ["--address=\(address)", "call"] + arguments))
        return String(decoding: answer, as: UTF8.self)
    }
}
