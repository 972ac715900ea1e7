import BusInterface
import DBus
public import PolicyRuntime

/// The media players on the session bus, with their status, and the means to pause them (N15). What becomes of a pause is
/// decided by the runtime's `PlayerPause`.
///
/// Source: MPRIS D-Bus Interface Specification, version 2.2. A player exists while it has an MPRIS name; our calls
/// start no program.
public final class Players: MediaPlayers {
    /// The number of players that are followed at most; later ones are ignored.
    static let limit = 256
    /// The number of names of one player.
    static let namesOfOne = 8
    private static let prefix = "org.mpris.MediaPlayer2."
    private static let daemon = "org.freedesktop.DBus"
    /// The path of every player's object.
    private static let path = "/org/mpris/MediaPlayer2"
    /// The interface with the playback status and commands.
    private static let interface = "org.mpris.MediaPlayer2.Player"
    /// The commands that players get from others, such as media keys and remote controls.
    public static let commands = ["Pause", "Stop"].map { MatchRule(path: path, interface: interface, member: $0) }
    /// How long a player has to say its status.
    static let answerLimit = Duration.seconds(1)
    /// A hanging player may still pause when it wakes up, and we must know.
    private static let pauseLimit = Duration.seconds(24 * 60 * 60)

    private struct Entry {
        var player: Player
        /// The pending question for the status, and the pending call of `Pause`.
        var question: PendingCall?
        var pause: PendingCall?
    }
    /// Is told what players answer and announce, with their unique names.
    public var tell: ((PlayerNews, String) -> Void)?
    private let bus: BusConnection
    private let observer: BusConnection?
    private let loop: any EventLoop
    private let tree: any ProcessTree
    private var subscriptions: [Subscription] = []
    private var entries: [String: Entry] = [:]
    private var owners: [String: String] = [:]

    /// Starts to follow the players on a session bus, also after a reconnection.
    ///
    /// - Parameter observer: A connection that observes ``commands``: who tells a player to pause that is paused changes
    ///   nothing that could be seen otherwise. Without it, that is not known.
    public init(
        session bus: BusConnection, observer: BusConnection? = nil, loop: any EventLoop,
        tree: any ProcessTree = LinuxProcessTree()
    ) {
        self.bus = bus
        self.observer = observer
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
                    path: Players.path, interface: WireInterface.properties.name, member: "PropertiesChanged",
                    argument0: Players.interface)
            ) { [weak self] in self?.propertiesChanged($0) },
            // We follow the bus's own name, which has an owner exactly while the connection exists.
            bus.follow(Players.daemon) { [weak self] owner in
                self?.forgetAll()
                if owner != nil { self?.list() }
            },
        ]
        observer?.calls = { [weak self] in self?.observed($0) }
        observer?.open()
    }

    deinit { stop() }

    /// Stops following.
    public func stop() {
        tell = nil
        observer?.close()
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        forgetAll()
    }

    /// All present players, sorted by unique name.
    public var all: [Player] { entries.values.map(\.player).sorted { $0.owner < $1.owner } }

    /// The player of a stream: one whose process is the stream's, an ancestor or a descendant of it, or in the same
    /// sandbox; of several the playing one, then the nearest. Without one, another program that speaks for the stream's.
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
        return best?.1 ?? (sandbox == nil ? all.first { $0.speaks(for: process, in: tree) } : nil)
    }

    /// The player of a stream, by its unique name; `nil` for none.
    public func player(of stream: StreamIdentity) -> (name: String, status: PlaybackStatus?, pausedAt: Int64?)? {
        let sandbox = stream.client.sandbox?.application
        guard stream.process != nil || sandbox != nil else { return nil }
        return player(for: stream.process ?? 0, sandbox: sandbox).map { ($0.owner, $0.status, $0.pausedAt) }
    }

    // MARK: - Calls

    /// Asks for a player's status, and a playing one also whether it can pause.
    public func askForStatus(of player: String) {
        entries[player]?.question?.cancel()
        entries[player]?.question = readStatus(of: player) { [weak self] result in
            switch result {
            case .failure(let error): self?.tell?(.statusFailed(error.message), player)
            case .success(.playing):
                // One that does not answer this is asked to pause anyway.
                self?.entries[player]?.question = self?.get("CanPause", of: player) { result in
                    self?.answer(.playing, canPause: (try? result.get())?.first?.truth ?? true, of: player)
                }
            case .success(let status): self?.answer(status, canPause: true, of: player)
            }
        }
    }

    /// Calls `Pause`.
    public func pause(_ player: String) {
        entries[player]?.pause?.cancel()
        entries[player]?.pause = call("Pause", of: player) { [weak self] result in
            switch result {
            case .success: self?.tell?(.pauseAnswered, player)
            case .failure(let error): self?.tell?(.pauseFailed(error.message), player)
            }
        }
    }

    /// Calls `Play`.
    public func play(_ player: String) { _ = call("Play", of: player) { _ in } }

    private func call(
        _ method: String, of player: String, then: @escaping (Result<[WireValue], WireError>) -> Void
    ) -> PendingCall {
        bus.call(
            player, path: Players.path, interface: Players.interface, method, timeout: Players.pauseLimit, then: then)
    }

    /// Reads a property of a player.
    private func get(
        _ property: String, of player: String, then: @escaping (Result<[WireValue], WireError>) -> Void
    ) -> PendingCall {
        bus.call(
            player, path: Players.path, interface: WireInterface.properties.name, "Get",
            [.string(Players.interface), .string(property)], timeout: Players.answerLimit, then: then)
    }

    private func readStatus(
        of player: String, then: @escaping (Result<PlaybackStatus, WireError>) -> Void
    ) -> PendingCall {
        get("PlaybackStatus", of: player) { result in
            then(
                result.flatMap { values in
                    let text = values.first?.text ?? ""
                    if let status = PlaybackStatus(rawValue: text) { return .success(status) }
                    return .failure(WireError(WireErrorName.failed, "its status is \"\(text.prefix(32))\""))
                })
        }
    }

    /// A player has answered what it does.
    private func answer(_ status: PlaybackStatus, canPause: Bool, of player: String) {
        note(status, of: player)
        tell?(.status(status, canPause: canPause), player)
    }

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
            if entries[old]?.player.names.isEmpty == true { forget(old) }
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
        entries[owner] = Entry(player: Player(owner: owner, names: []))
        bus.credentials(of: owner) { [weak self] result in
            guard let self, case .success(let credentials) = result, let process = credentials.processID else { return }
            entries[owner]?.player.process = process
            entries[owner]?.player.sandbox = tree.confinement(of: process).sandbox?.application
        }
        learnStatus(of: owner)
    }

    private func forgetAll() {
        owners = [:]
        for owner in Array(entries.keys) { forget(owner) }
    }

    private func forget(_ owner: String) {
        guard let entry = entries.removeValue(forKey: owner) else { return }
        entry.question?.cancel()
        entry.pause?.cancel()
        tell?(.left, owner)
    }

    // MARK: - Playback status

    private func learnStatus(of owner: String) {
        guard entries[owner] != nil else { return }
        _ = readStatus(of: owner) { [weak self] result in
            if case .success(let status) = result { self?.announce(status, of: owner) }
        }
    }

    private func propertiesChanged(_ signal: BusSignal) {
        guard entries[signal.sender] != nil, signal.arguments.count == 3 else { return }
        if let text = signal.arguments[1]["PlaybackStatus"]?.text {
            guard let status = PlaybackStatus(rawValue: text) else { return }
            // Who does not say what it does before it stops had been asked before it was ready, and played.
            if entries[signal.sender]?.player.status == nil { note(.playing, of: signal.sender) }
            announce(status, of: signal.sender)
        } else if entries[signal.sender]?.player.status == nil
            || (signal.arguments[2].elements ?? []).contains(where: { $0.text == "PlaybackStatus" })
        {
            learnStatus(of: signal.sender)
        }
    }

    /// Somebody has told a player to pause or stop.
    private func observed(_ call: BusCall) {
        let player = owners[call.destination] ?? call.destination
        guard call.sender != bus.uniqueName, entries[player] != nil else { return }
        tell?(.toldToPause, player)
    }

    private func announce(_ status: PlaybackStatus, of owner: String) {
        // Players repeat their status when another property changes.
        guard let player = entries[owner]?.player, player.status != status else { return }
        note(status, of: owner)
        tell?(.announced(status), owner)
    }

    private func note(_ status: PlaybackStatus, of owner: String) {
        if status != .playing, entries[owner]?.player.status == .playing { entries[owner]?.player.pausedAt = loop.now }
        entries[owner]?.player.status = status
    }
}
