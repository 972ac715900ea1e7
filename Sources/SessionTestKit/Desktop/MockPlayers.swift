import Foundation

/// Media players without sound on the session bus (`Tests/Fixtures/player.py`), and what their users do.
extension DesktopMocks {
    /// Starts a player without sound; what it can be told to do wrong, `Tests/Fixtures/player.py` says.
    public func startPlayer(_ name: String, _ behaviours: [String] = []) async throws -> ChildProcess {
        let player = try sandbox.start(
            name, Invocation("/usr/bin/python3", [DesktopMocks.fixture("player.py"), name] + behaviours))
        try await waitForName("org.mpris.MediaPlayer2.\(name)", isSystem: false, of: player)
        return player
    }

    /// Starts a player without sound that reaches the bus as one in a Flatpak does: through a proxy, which lets it have
    /// names after its application id only. Returns the proxy and the player.
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

    /// The user makes a player play, pause or stop, with its own buttons.
    public func user(makes status: String, _ player: String) async throws {
        try await callPlayer(player, "org.test.Player", "Do", ["s", status])
    }
    /// A player that hangs goes on, with what it was told meanwhile.
    public func wakePlayer(_ player: String) async throws { try await callPlayer(player, "org.test.Player", "Wake") }
    /// What a player without sound was told so far: `Pause`, `Play`, in order.
    public func calls(of player: String) async throws -> [String] {
        let answer = try await callPlayer(player, "org.test.Player", "Calls")
        return DesktopMocks.text(in: answer).split(separator: " ").map(String.init)
    }
    /// What any player says it does: `Playing`, `Paused`, `Stopped`.
    public func status(of player: String) async throws -> String {
        let answer = try await callPlayer(
            player, "org.freedesktop.DBus.Properties", "Get",
            ["ss", "org.mpris.MediaPlayer2.Player", "PlaybackStatus"])
        return DesktopMocks.text(in: answer)
    }
    /// Calls any player, with arguments as `busctl` takes them.
    @discardableResult
    public func callPlayer(
        _ player: String, _ interface: String, _ method: String, _ arguments: [String] = []
    ) async throws -> String {
        try await busctl(
            isSystem: false,
            ["org.mpris.MediaPlayer2.\(player)", "/org/mpris/MediaPlayer2", interface, method] + arguments)
    }
}
