import SessionBus
import SessionWire

/// The media players on the session bus: who they are, what they do, and pausing them (N15, R35).
///
/// Source: MPRIS D-Bus Interface Specification, version 2.2. Players come and go with their names; nothing is started
/// by asking.
public final class Players {
    /// The most players that are followed; of more than that, the later ones are not seen.
    static let limit = 256
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

    /// Follows the players on a session bus, while it is connected and after it comes back.
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
            // The bus itself has a name: whoever has it is there as long as the connection.
            bus.follow(Players.daemon) { [weak self] owner in
                self?.forgetAll()
                if owner != nil { self?.list() }
            },
        ]
    }

    deinit { stop() }

    /// Stops following, and lets go on what is paused by us; who waits for an answer is told that the player has gone.
    public func stop() {
        for entry in entries.values { entry.control.leave() }
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        forgetAll()
    }

    /// All players there are, in the order of their connections' names.
    public var all: [Player] { entries.values.map(\.player).sorted { $0.owner < $1.owner } }

    /// The player of a stream: the one whose process the stream's is, comes from, or started, or that is in its
    /// sandbox. Of several the playing one, then the nearest.
    ///
    /// - Parameters:
    ///   - process: The process that plays the stream, as the sound server knows it.
    ///   - sandbox: The application id that the sound server knows; where it has none, or an empty one, the process's
    ///     control group is asked.
    public func player(for process: UInt32, sandbox: String?) -> Player? {
        // Without players no file is read, and there may be many streams to ask for.
        guard !entries.isEmpty else { return nil }
        let known = sandbox ?? ""
        let sandbox = known.isEmpty ? tree.sandbox(of: process)?.application : known
        var best: (Player.Nearness, Player)?
        for player in all {
            guard let nearness = player.nearness(to: process, sandbox: sandbox, in: tree) else { continue }
            if let best, best.0 <= nearness { continue }
            best = (nearness, player)
        }
        return best?.1
    }

    /// Pauses a player that plays. The answer comes once, at the latest after a second; whether the player did what
    /// it said, its stream tells.
    public func pause(_ player: Player, then answer: @escaping (PauseAnswer) -> Void) {
        guard let entry = entries[player.owner] else {
            return answer(
                .refused(WireError("org.freedesktop.DBus.Error.ServiceUnknown", "the player has left the bus")))
        }
        entry.control.pause(then: answer)
    }

    /// Lets a player go on that ``pause(_:then:)`` has paused and nobody has touched since; does nothing to any other.
    public func resume(_ player: Player) { entries[player.owner]?.control.handle(.resume) }

    /// Whether a player is paused by us and would be resumed.
    public func isPausedByUs(_ player: Player) -> Bool { entries[player.owner]?.control.isOurs ?? false }

    // MARK: - Coming and going

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
            if case .success(let values) = result, let owner = values.first?.text { self?.place(name, at: owner) }
        }
    }

    private func ownerChanged(_ signal: BusSignal) {
        let names = signal.arguments.compactMap(\.text)
        guard signal.sender == Players.daemon, names.count == 3, let name = names.first, let owner = names.last,
            name.hasPrefix(Players.prefix)
        else { return }
        place(name, at: owner.isEmpty ? nil : owner)
    }

    /// Notes who has a name. A connection is a player as long as it has one.
    private func place(_ name: String, at owner: String?) {
        let old = owners[name]
        guard old != owner else { return }
        let shortName = String(name.dropFirst(Players.prefix.count))
        owners[name] = nil
        if let old {
            entries[old]?.player.names.removeAll { $0 == shortName }
            if entries[old]?.player.names.isEmpty == true { entries.removeValue(forKey: old)?.control.handle(.gone) }
        }
        guard let owner, owners.count < Players.limit else { return }
        owners[name] = owner
        if entries[owner] == nil { greet(owner) }
        entries[owner]?.player.names.append(shortName)
    }

    private func greet(_ owner: String) {
        entries[owner] = Entry(
            player: Player(owner: owner, names: []), control: PlayerControl(bus: bus, loop: loop, owner: owner))
        bus.credentials(of: owner) { [weak self] result in
            guard let self, case .success(let credentials) = result, let process = credentials.processID else { return }
            entries[owner]?.player.process = process
            entries[owner]?.player.sandbox = tree.sandbox(of: process)?.application
        }
        askForStatus(of: owner)
    }

    private func forgetAll() {
        let gone = entries
        entries = [:]
        owners = [:]
        for entry in gone.values { entry.control.handle(.gone) }
    }

    // MARK: - What they do

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
        entries[owner]?.player.status = status
        entries[owner]?.control.handle(.announced(status))
    }
}
