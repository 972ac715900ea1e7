import AllocationCount
import BenchReport
import PaperServer
import PolicyEngine
import PolicyFile
import PolicyRuntime
import RandomEvents

/// A server on paper whose clock is moved.
private final class LivingHost: PaperHost {
    var moment = Instant(nanoseconds: 1_000_000_000)
    private(set) var armed: Instant?

    override var now: Instant { moment }
    override func arm(at moment: Instant?) { armed = moment }

    /// Time passes.
    func advance(_ duration: Duration) {
        let end = moment.advanced(by: duration)
        while let due = armed, due <= end {
            moment = max(moment, due)
            armed = nil
            runtime.timerFired()
        }
        moment = end
    }
}

/// Players that may pause when they are asked to, and may not.
private final class Players: MediaPlayers {
    private var random = SplitMix64(seed: 7)
    unowned let runtime: SessionRuntime

    init(_ runtime: SessionRuntime) { self.runtime = runtime }

    func player(of stream: StreamIdentity) -> (name: String, status: PlaybackStatus?, pausedAt: Int64?)? {
        random.oneIn(2) ? (stream.application.name, .playing, nil) : nil
    }
    func askForStatus(of player: String) {
        runtime.hear(.status(random.pick([.playing, .paused, .stopped]), canPause: random.oneIn(2)), of: player)
    }
    func pause(_ player: String) {
        runtime.hear(random.oneIn(2) ? .pauseAnswered : .pauseFailed("it does not"), of: player)
        if random.oneIn(2) { runtime.hear(.announced(.paused), of: player) }
    }
    func play(_ player: String) { if random.oneIn(2) { runtime.hear(.announced(.playing), of: player) } }
}

/// Lets streams and sessions live and die in random order, and looks at what is left of them.
private struct Lives {
    let host: LivingHost
    var random: SplitMix64
    var lives = 0
    private var streams: [PaperStream] = []
    private var sessions: [SessionID] = []
    private var lastSession: UInt32 = 0
    private static let roles = [
        "music", "movie", "game", "phone", "ringtone", "alarm", "notification", "production", "none",
    ]

    init(_ host: LivingHost, seed: UInt64) {
        self.host = host
        random = SplitMix64(seed: seed)
    }

    private mutating func client() -> ClientIdentity {
        ClientIdentity(
            ApplicationID(portal: nil, binary: "program \(random.below(12))", displayName: nil, fallback: ""))
    }

    /// One step: something begins, ends or changes, or time passes.
    mutating func step() {
        let runtime = host.runtime
        switch random.below(10) {
        case 0, 1, 2:
            guard streams.count < 30 else { return }
            let identity = StreamIdentity(
                node: 0, client: client(), session: random.oneIn(4) ? "\(random.below(40))" : nil)
            let stream = PaperStream(
                identity, random.oneIn(5) ? .capture : .playback, ["media.role": random.pick(Self.roles)])
            streams.append(stream)
            runtime.add(stream)
        case 3, 4:
            guard !streams.isEmpty else { return }
            let stream = streams.remove(at: random.below(streams.count))
            runtime.remove(stream, now: random.oneIn(2))
            lives += 1
        case 5:
            guard let stream = streams.randomElement(using: &random) else { return }
            let isWanted = random.oneIn(2)
            runtime.handle(.streamWanted(stream.id, isWanted))
            runtime.handle(.streamRunning(stream.id, isWanted))
        case 6:
            guard sessions.count < 20 else { return }
            lastSession += 1
            let (id, owner) = (SessionID(lastSession), client())
            sessions.append(id)
            runtime.open(
                SessionEntry(id, of: owner, isInterruption: false, takesTaggedOnly: random.oneIn(4)),
                with: [
                    .sessionOpened(id, application: owner.application, .application),
                    .sessionConfigured(id, .category(random.pick([.playback, .playAndRecord, .ambient]), [], nil)),
                ])
            runtime.prefer(StreamPreferences(sampleRate: 44_100), of: id)
        case 7:
            guard !sessions.isEmpty else { return }
            runtime.close(sessions.remove(at: random.below(sessions.count)))
            lives += 1
        case 8:
            guard let session = sessions.randomElement(using: &random) else { return }
            let isActive = random.oneIn(2)
            runtime.handle(
                .sessionRequested(session, isActive ? .activate(mayWait: true) : .deactivate(notifyOthers: true)))
        default: host.advance(.milliseconds(random.below(1_500)))
        }
    }

    /// Everything ends.
    mutating func end() {
        for stream in streams { host.runtime.remove(stream, now: true) }
        for session in sessions { host.runtime.close(session) }
        lives += streams.count + sessions.count
        (streams, sessions) = ([], [])
        host.advance(.seconds(120))
    }
}

/// Lets very many streams and sessions live and die in the runtime, and prints what is left of them. Fails if anything is.
func benchmarkLives(_ arguments: [String]) throws {
    let count = try arguments.first.map { argument in
        guard let count = Int(argument), count > 0 else {
            throw UsageError("lives: expected their number instead of \(argument)")
        }
        return count
    }
    let host = LivingHost(PolicyLoader.load(arguments: nil) { _ in nil }.inForce)
    let players = Players(host.runtime)
    host.runtime.players = players
    var lives = Lives(host, seed: 20_261_128)
    // Made before, so that it is no block more afterwards.
    var found: [(lives: Int, streams: Int, sessions: Int, ofEngine: Int, itsSessions: Int, blocks: Int64)] = []
    found.reserveCapacity(2)
    // Tables grow to their largest size in the first part.
    for end in [20_000, 20_000 + (count ?? 100_000)] {
        while lives.lives < end { lives.step() }
        lives.end()
        let runtime = host.runtime
        let blocks = allocated_blocks()
        found.append(
            (
                lives.lives, runtime.streams.count, runtime.sessions.count, runtime.engine.streamIDs.count,
                runtime.engine.sessionNumbers.count, blocks
            ))
    }
    var table = Table([
        "lives", "entries of streams", "entries of sessions", "streams of the engine", "its sessions", "blocks",
    ])
    for row in found {
        let left = [row.streams, row.sessions, row.ofEngine, row.itsSessions].map { "\($0)" }
        table.add(["\(row.lives)"] + left + ["\(row.blocks)"])
    }
    print(table.text)
    let isClean = found.allSatisfy { $0.streams + $0.sessions + $0.ofEngine + $0.itsSessions == 0 }
    guard isClean, found[1].blocks <= found[0].blocks else { throw LivesFailure() }
}

private struct LivesFailure: Error, CustomStringConvertible {
    var description: String { "lives: something is left of them" }
}
