import Foundation

/// Silent media players on the session bus (`Tests/Fixtures/player.py`), and their users' actions.
extension DesktopMocks {
    /// Starts a silent player. `Tests/Fixtures/player.py` lists the faulty behaviours.
    public func startPlayer(_ name: String, _ behaviours: [String] = []) async throws -> ChildProcess {
        let player = try sandbox.start(
            name, Invocation("/usr/bin/python3", [DesktopMocks.fixture("player.py"), name] + behaviours))
        try await waitForName("org.mpris.MediaPlayer2.\(name)", isSystem: false, of: player)
        return player
    }

    /// Starts a silent player that reaches the bus as one in a Flatpak does: through a proxy, which permits only names
    /// that begin with its application id. Returns the proxy and the player.
    public func startSandboxedPlayer(
        _ application: String, _ behaviours: [String] = []
    ) async throws -> (proxy: ChildProcess, player: ChildProcess) {
        let socket = sandbox.path("run/proxy-\(application)")
        let name = "org.mpris.MediaPlayer2.\(application)"
        let proxy = try sandbox.start(
            "xdg-dbus-proxy",
            Invocation("xdg-dbus-proxy", [sandbox.busAddress, socket, "--filter", "--own=\(name).*"]))
        _ = try await waitUntil("the proxy to listen", evidence: { proxy.log.tail() }) {
            access(socket, F_OK) == 0 ? true : nil
        }
        let player = try sandbox.start(
            application,
            Invocation(
                "/usr/bin/python3", [DesktopMocks.fixture("player.py"), application] + behaviours,
                environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(socket)"]))
        try await waitForName(name, isSystem: false, of: player)
        return (proxy, player)
    }

    /// Waits until a player of this kind is on the session bus.
    public func waitForPlayer(_ name: String, of child: ChildProcess) async throws {
        _ = try await waitUntil("\(name) on the bus", evidence: { child.log.tail() }) {
            if let status = child.exitStatus {
                throw CommandFailure(command: [child.name], status: status, errors: child.log.tail())
            }
            return try await busName(ofPlayer: name)
        }
    }

    /// The bus name of a player of this kind; `nil` if there is none. The second one of its kind, and with newer plug-ins
    /// of mpv each, has something of its own after its name and a dot (MPRIS 2.2).
    private func busName(ofPlayer name: String) async throws -> String? {
        let answer = try await busctl(
            isSystem: false,
            ["org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames"])
        let name = "org.mpris.MediaPlayer2.\(name)"
        return answer.split(separator: "\"").map(String.init).first { $0 == name || $0.hasPrefix(name + ".") }
    }

    /// Plays, pauses or stops a player as its user, with its own buttons.
    public func user(makes status: String, _ player: String) async throws {
        try await callPlayer(player, "org.test.Player", "Do", ["s", status])
    }
    /// Ends a player's hang; it then handles the calls that it got meanwhile.
    public func wakePlayer(_ player: String) async throws { try await callPlayer(player, "org.test.Player", "Wake") }
    /// The calls that a silent player has received: `Pause`, `Play`, in order.
    public func calls(of player: String) async throws -> [String] {
        let answer = try await callPlayer(player, "org.test.Player", "Calls")
        return DesktopMocks.text(in: answer).split(separator: " ").map(String.init)
    }
    /// The status that a player reports: `Playing`, `Paused`, `Stopped`.
    public func status(of player: String) async throws -> String {
        let answer = try await callPlayer(
            player, "org.freedesktop.DBus.Properties", "Get",
            ["ss", "org.mpris.MediaPlayer2.Player", "PlaybackStatus"])
        return DesktopMocks.text(in: answer)
    }
    /// Calls a method of any player, with arguments in `busctl` syntax.
    ///
    /// - Parameter player: Its kind, or its whole name after the prefix that all players have.
    @discardableResult
    public func callPlayer(
        _ player: String, _ interface: String, _ method: String, _ arguments: [String] = []
    ) async throws -> String {
        let name = try await busName(ofPlayer: player) ?? "org.mpris.MediaPlayer2.\(player)"
        return try await busctl(
            isSystem: false, [name, "/org/mpris/MediaPlayer2", interface, method] + arguments)
    }
}
