public import SessionRuntime
import SessionBus
import SessionWire

/// The media players on the session bus, with their status, and the means to pause them (N15, R35).
///
/// Source: MPRIS D-Bus Interface Specification, version 2.2. A player exists while it has an MPRIS name; our calls
/// start no program.
public final class Players {
    /// The number of players that are followed at most; later ones are ignored.
    static let limit = 256
    /// The number of names of one player.
    static let namesOfOne = 8
    private static let prefix = "org.mpris.MediaPlayer2."
    private static let daemon = "org.freedesktop.DBus"

    private struct Entry {
        var player: Player
        let control: PlayerControl
    }
    private let bus: BusConnection
    private let loop: any EventLoop
    private let tree: any ProcessTree
    private var subscriptions: [Subscription] = []
    private var entries: [String: Entry] = [:]
    private var owners: [String: String] = [:]

    /// Starts to follow the players on a session bus, also after a reconnection.
    public init(session bus: BusConnection, loop: any EventLoop, tree: any ProcessTree = LinuxProcessTree()) {
        self.bus = bus
        self.loop = loop
        self.tree = tree
        subscriptions = [
            bus.subscribe(
                MatchRule(
                    sender: Players.daemon, interface: Players.daemon, member: "NameOwnerChanged",
                    argument0Namespace: "org.mpris.MediaPlayer2")
            ) { [weak self] in self?.ownerChanged($0) },
            bus.subscribe(
                MatchRule(
                    path: PlayerControl.path, interface: WireInterface.properties.name, member: "PropertiesChanged",
                    argument0: PlayerControl.interface)
            ) { [weak self] in self?.propertiesChanged($0) },
            // We follow the bus's own name, which has an owner exactly while the connection exists.
            bus.follow(Players.daemon) { [weak self] owner in
                self?.forgetAll()
                if owner != nil { self?.list() }
            },
        ]
    }

    deinit { stop() }

    /// Stops following and resumes the players that we have paused; pending requests are answered with an error.
    public func stop() {
        for entry in entries.values { entry.control.leave() }
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        forgetAll()
    }

    /// All present players, sorted by unique name.
    public var all: [Player] { entries.values.map(\.player).sorted { $0.owner < $1.owner } }

    /// The player of a stream: one whose process is the stream's, an ancestor or a descendant of it, or in the same
    /// sandbox. Of several the playing one, then the nearest.
    ///
    /// - Parameters:
    ///   - process: The process that plays the stream, as the sound server knows it.
    ///   - sandbox: The application id that the sound server knows; if nil or empty, the process's control group is
    ///     read.
    public func player(for process: UInt32, sandbox: String?) -> Player? {
        // Without players no file must be read: there may be many streams.
        guard !entries.isEmpty else { return nil }
        let known = sandbox ?? ""
        let sandbox = known.isEmpty ? tree.confinement(of: process).sandbox?.application : known
        var best: (Player.Nearness, Player)?
        for player in all {
            guard let nearness = player.nearness(to: process, sandbox: sandbox, in: tree) else { continue }
            if let best, best.0 <= nearness { continue }
            best = (nearness, player)
        }
        return best?.1
    }

    /// Pauses a playing player. The answer comes once, after a second at the latest; the stream shows whether the
    /// player did it.
    public func pause(_ player: Player, then answer: @escaping (PauseAnswer) -> Void) {
        guard let entry = entries[player.owner] else {
            return answer(
                .refused(WireError("org.freedesktop.DBus.Error.ServiceUnknown", "the player has left the bus")))
        }
        entry.control.pause(then: answer)
    }

    /// Resumes a player that ``pause(_:then:)`` has paused and nobody has touched since; does nothing to others.
    public func resume(_ player: Player) { entries[player.owner]?.control.handle(.resume) }

    /// Whether we have paused a player and would resume it.
    public func isPausedByUs(_ player: Player) -> Bool { entries[player.owner]?.control.isOurs ?? false }

    // MARK: - Players that appear and leave

    private func list() {
        bus.call(Players.daemon, path: "/org/freedesktop/DBus", interface: Players.daemon, "ListNames") {
            [weak self] result in
            guard case .success(let values) = result else { return }
            let names = (values.first?.elements ?? []).compactMap(\.text).filter { $0.hasPrefix(Players.prefix) }
            for name in names.prefix(Players.limit) { self?.ask(forOwnerOf: name) }
        }
    }

    private func ask(forOwnerOf name: String) {
        bus.call(
            Players.daemon, path: "/org/freedesktop/DBus", interface: Players.daemon, "GetNameOwner", [.string(name)]
        ) { [weak self] result in
            if case .success(let values) = result, let owner = values.first?.text {
                self?.setOwner(of: name, to: owner)
            }
        }
    }

    private func ownerChanged(_ signal: BusSignal) {
        let names = signal.arguments.compactMap(\.text)
        guard signal.sender == Players.daemon, names.count == 3, let name = names.first, let owner = names.last,
            name.hasPrefix(Players.prefix)
        else { return }
        setOwner(of: name, to: owner.isEmpty ? nil : owner)
    }

    /// Records the owner of a name. A connection is a player while it owns such a name.
    private func setOwner(of name: String, to owner: String?) {
        let old = owners[name]
        guard old != owner else { return }
        let shortName = String(name.dropFirst(Players.prefix.count))
        owners[name] = nil
        if let old {
            entries[old]?.player.names.removeAll { $0 == shortName }
            if entries[old]?.player.names.isEmpty == true { entries.removeValue(forKey: old)?.control.handle(.gone) }
        }
        // One player must not use up the room for the others.
        guard let owner, owners.count < Players.limit, entries[owner]?.player.names.count ?? 0 < Players.namesOfOne
        else {
            return
        }
        owners[name] = owner
        if entries[owner] == nil { addPlayer(owner) }
        entries[owner]?.player.names.append(shortName)
    }

    private func addPlayer(_ owner: String) {
        entries[owner] = Entry(
            player: Player(owner: owner, names: []), control: PlayerControl(bus: bus, loop: loop, owner: owner))
        bus.credentials(of: owner) { [weak self] result in
            guard let self, case .success(let credentials) = result, let process = credentials.processID else { return }
            entries[owner]?.player.process = process
            entries[owner]?.player.sandbox = tree.confinement(of: process).sandbox?.application
        }
        askForStatus(of: owner)
    }

    private func forgetAll() {
        let gone = entries
        entries = [:]
        owners = [:]
        for entry in gone.values { entry.control.handle(.gone) }
    }

    // MARK: - Playback status

    private func askForStatus(of owner: String) {
        _ = entries[owner]?.control.get("PlaybackStatus") { [weak self] result in
            if case .success(let status) = PlayerControl.status(result) { self?.note(status, of: owner) }
        }
    }

    private func propertiesChanged(_ signal: BusSignal) {
        guard entries[signal.sender] != nil, signal.arguments.count == 3 else { return }
        if let text = signal.arguments[1]["PlaybackStatus"]?.text {
            if let status = PlaybackStatus(rawValue: text) { note(status, of: signal.sender) }
        } else if (signal.arguments[2].elements ?? []).contains(where: { $0.text == "PlaybackStatus" }) {
            askForStatus(of: signal.sender)
        }
    }

    private func note(_ status: PlaybackStatus, of owner: String) {
        if status != .playing, entries[owner]?.player.status == .playing { entries[owner]?.player.pausedAt = loop.now }
        entries[owner]?.player.status = status
        entries[owner]?.control.handle(.announced(status))
    }
}
