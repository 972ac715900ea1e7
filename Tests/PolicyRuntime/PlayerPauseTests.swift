import PolicyEngine
@testable import PolicyRuntime
import Testing

/// Players that answer at once what a test wants them to; each stream has one of its own (N15).
final class FakePlayers: MediaPlayers {
    enum Call: Equatable { case pause, play }

    /// About the first stream's player.
    private(set) var calls: [Call] = []
    /// There is a player for the stream.
    var isThere = true
    /// All streams have the same player.
    var isShared = false
    /// The player's status; it says so when it is asked, and announces nothing by itself.
    var status = PlaybackStatus.playing
    /// What it says when it is asked to pause.
    var answer: PlayerNews? = .pauseAnswered
    /// What the player does at once, in the middle of the call.
    var reaction: ((Call) -> Void)?
    /// Whether its user has paused it lately; `nil` for what ``isThere`` says.
    var hasPaused: Bool?
    /// Told of answers.
    weak var runtime: SessionRuntime?

    func player(of stream: StreamIdentity) -> (name: String, status: PlaybackStatus?, pausedAt: Int64?)? {
        guard isThere || hasPaused != nil else { return nil }
        return ("player \(isShared ? 1 : stream.node)", isThere ? status : .stopped, hasPaused == true ? .max : nil)
    }

    func askForStatus(of player: String) { runtime?.hear(.status(status, canPause: true), of: player) }

    func pause(_ player: String) {
        if player == "player 1" { calls.append(.pause) }
        reaction?(.pause)
        if let answer { runtime?.hear(answer, of: player) }
    }

    func play(_ player: String) {
        if player == "player 1" { calls.append(.play) }
        reaction?(.play)
    }
}

@Suite struct PlayerPauseTests {
    private let music = StreamID(1)
    private let phone = StreamID(2)
    private let host: RecordingHost
    private let players = FakePlayers()

    init() {
        host = RecordingHost(Self.policy(.pausePlayer))
        host.runtime.players = players
        players.runtime = host.runtime
        host.play(1, role: "music")
    }

    /// The desktop, where a call does this to music.
    private static func policy(_ kind: Interplay.Kind) -> Policy {
        var preset = Policy.desktop
        let pair = InterplayRules.Pair(.named("phone"), .named("music"))
        preset.interplay = InterplayRules([pair: InterplayRules.Rule(playing: Interplay(kind))])
        return preset
    }

    private func call() {
        host.play(2, role: "phone")
        host.advance(.milliseconds(600))
    }

    private func hangUp() {
        host.send(.streamVanished(phone))
        host.advance(.seconds(1))
    }

    /// The player says something.
    private func hear(_ news: PlayerNews) { host.runtime.hear(news, of: "player 1") }

    /// What the player's client does when the player pauses or goes on.
    private func client(_ stream: StreamID, plays: Bool) {
        players.status = plays ? .playing : .paused
        host.send(.streamWanted(stream, plays))
        host.send(.streamRunning(stream, plays))
    }

    private var isSessionActive: Bool {
        host.runtime.snapshot.sessions.contains { $0.reference.description == "music" && $0.state == .active }
    }

    private var isWanted: Bool { host.runtime.snapshot.streams.first { $0.id == music }?.isWanted ?? false }

    private var treatment: Treatment? { host.runtime.snapshot.streams.first { $0.id == music }?.treatment }

    private var corks: [Silence] { host.silencings(of: 1).map(\.silence).filter { $0 != .none } }

    @Test("N15 R37 a player that pauses: faded out, paused, never corked, and up again from silence")
    func works() {
        call()
        #expect(players.calls == [.pause] && host.gains[1] == 0)
        #expect(corks == [] && treatment?.silence == .pausePlayer)
        client(music, plays: false)
        host.advance(.seconds(10))
        #expect(corks == [] && host.armed == nil)
        #expect(isWanted, "the engine does not take it for the user's doing")
        hangUp()
        #expect(players.calls == [.pause, .play])
        #expect(host.gains[1] == 0, "it rises when it runs")
        client(music, plays: true)
        host.advance(.seconds(10))
        #expect(host.gains[1] == 1 && isSessionActive && host.armed == nil)
        #expect(host.lines.filter { $0.contains("interruption of") && $0.contains("it resumes") }.count == 1)
    }

    @Test("N15 a player that is asked in the middle of the call pauses within it")
    func reactsAtOnce() {
        players.reaction = { [host, music, players] call in
            players.status = call == .play ? .playing : .paused
            host.post(.streamWanted(music, call == .play))
            host.post(.streamRunning(music, call == .play))
            host.runtime.drain()
        }
        call()
        host.advance(.seconds(2))
        #expect(corks == [] && isWanted)
        hangUp()
        #expect(host.gains[1] == 1 && isSessionActive)
    }

    @Test("N15 a slow player: corked after 750 ms, asked to go on all the same when it has paused at last")
    func slow() {
        call()
        host.advance(.milliseconds(740 - 500))
        #expect(corks == [])
        host.advance(.seconds(1))
        #expect(corks == [.cork])
        client(music, plays: false)
        #expect(isWanted)
        hangUp()
        #expect(players.calls == [.pause, .play] && host.silences[1] == Silence.none)
        client(music, plays: true)
        host.advance(.seconds(10))
        #expect(host.gains[1] == 1 && isSessionActive && host.armed == nil)
    }

    @Test("N15 a player that says that it has paused, and whose stream goes on, as a browser's does for seconds")
    func saysPaused() {
        players.answer = .announced(.paused)
        call()
        host.advance(.seconds(1))
        #expect(corks == [.cork])
        #expect(host.lines.contains { $0.hasSuffix("goes on, though its player says that it has paused: cork it") })
    }

    @Test("N15 a player that lies: corked 750 ms after it was asked, unheard meanwhile, and uncorked at the end")
    func lies() throws {
        call()
        let asked = try #require(host.curve(of: 1).last { $0.gain == 0 }?.milliseconds)
        host.advance(.seconds(2))
        let corked = try #require(host.silencings(of: 1).last)
        #expect(corked.silence == .cork && abs(corked.milliseconds - asked - 750) < 25)
        #expect(host.lines.contains { $0.contains("has not paused when its player was asked to") })
        host.send(.streamRunning(music, false))
        hangUp()
        #expect(host.silences[1] == Silence.none && players.calls == [.pause], "it plays")
        host.send(.streamRunning(music, true))
        host.advance(.seconds(10))
        #expect(host.gains[1] == 1 && isSessionActive && isWanted && host.armed == nil)
    }

    @Test("N15 no player: corked at once, and nothing more is asked of anybody")
    func nobody() {
        players.isThere = false
        call()
        #expect(corks == [.cork])
        #expect(treatment?.silence == .cork, "nobody is told that its player has paused")
        host.send(.streamRunning(music, false))
        hangUp()
        host.send(.streamRunning(music, true))
        host.advance(.seconds(1))
        #expect(players.calls == [] && host.gains[1] == 1)
    }

    @Test("N15 the player closes its stream when it pauses, and opens another one when it goes on")
    func closes() {
        call()
        players.status = .paused
        host.send(.streamVanished(music))
        #expect(host.runtime.snapshot.streams.contains { $0.id == music }, "to the engine it is still there")
        host.advance(.seconds(5))
        #expect(host.armed == nil)
        hangUp()
        #expect(players.calls == [.pause, .play])
        #expect(!host.runtime.snapshot.streams.contains { $0.id == music })
        host.play(3, role: "music", app: "app1")
        host.advance(.seconds(1))
        #expect(isSessionActive && host.silences[3] ?? Silence.none == Silence.none)
    }

    @Test("N15 what loses its place is gone for the engine, too")
    func losesItsPlace() {
        for number in UInt32(100)..<200 { host.play(number, role: "music", app: "app\(number)") }
        host.advance(.seconds(1))
        let before = host.runtime.snapshot.streams.count
        call()
        players.status = .paused
        for number in UInt32(100)..<200 { host.send(.streamVanished(StreamID(number))) }
        host.send(.streamVanished(music))
        #expect(before == 101)
        let kept = host.runtime.snapshot.streams.map(\.id).filter { $0 != phone }
        #expect(kept.count == 64 && kept.contains(music), "\(kept.count)")
        hangUp()
        #expect(host.runtime.snapshot.streams.isEmpty)
    }

    @Test("R35 the user closes the player during the call: it is gone when the call is over")
    func closedByUser() {
        call()
        client(music, plays: false)
        host.send(.streamVanished(music))
        players.status = .stopped
        hangUp()
        #expect(host.runtime.snapshot.streams.isEmpty && host.runtime.snapshot.sessions.isEmpty)
        #expect(host.armed == nil)
    }

    @Test("N15 R36 the user plays during the call: corked, as what does not outrank the call")
    func plays() {
        call()
        client(music, plays: false)
        host.send(.streamWanted(music, true))
        #expect(corks == [.cork] && isWanted)
        host.advance(.seconds(1))
        hangUp()
        #expect(players.calls == [.pause], "what the user plays is not this module's to resume")
        #expect(host.silences[1] == Silence.none)
        host.send(.streamRunning(music, true))
        host.advance(.seconds(1))
        #expect(host.gains[1] == 1 && isSessionActive)
    }

    @Test("R35 the user plays and pauses again during the call: it stays paused")
    func playsAndPauses() {
        call()
        client(music, plays: false)
        host.post(.streamWanted(music, true))
        host.post(.streamWanted(music, false))
        host.runtime.drain()
        #expect(!isWanted)
        hangUp()
        #expect(players.calls == [.pause] && !isSessionActive)
    }

    @Test("R35 the user stops or pauses the player during the call: it stays paused")
    func stops() {
        call()
        client(music, plays: false)
        players.status = .stopped
        hangUp()
        #expect(!isWanted && !isSessionActive)
        host.advance(.seconds(10))
        #expect(host.armed == nil)
        // And plays when its user wants it to.
        client(music, plays: true)
        host.advance(.seconds(1))
        #expect(isWanted && isSessionActive && host.gains[1] == 1)
    }

    @Test("R35 a player that is asked to go on and does not: paused, after five seconds")
    func doesNotGoOn() {
        call()
        client(music, plays: false)
        hangUp()
        host.advance(.seconds(3))
        #expect(isWanted)
        host.advance(.seconds(3))
        #expect(!isWanted && !isSessionActive)
        host.advance(.seconds(10))
        #expect(host.armed == nil)
        client(music, plays: true)
        host.advance(.seconds(1))
        #expect(isWanted && isSessionActive && host.gains[1] == 1)
    }

    @Test(
        "N15 the call is over before the player has paused: it pauses and goes on, and nobody takes that for the user",
        arguments: [false, true])
    func overBeforePaused(hangs: Bool) {
        players.answer = hangs ? nil : .pauseAnswered
        call()
        hangUp()
        #expect(players.calls == [.pause])
        client(music, plays: false)
        #expect(isWanted)
        hear(hangs ? .pauseAnswered : .announced(.paused))
        #expect(players.calls == [.pause, .play])
        client(music, plays: true)
        host.advance(.seconds(10))
        #expect(isWanted && isSessionActive && host.gains[1] == 1 && host.armed == nil)
    }

    @Test("N15 the call is over before the player has paused, and the player never does")
    func overAndNeverPaused() {
        call()
        hangUp()
        host.advance(.seconds(10))
        #expect(isWanted && isSessionActive && host.gains[1] == 1 && corks == [] && host.armed == nil)
        // From now on what its client says is news.
        client(music, plays: false)
        #expect(!isWanted)
    }

    @Test("N15 the call is over before the player has paused, and it hangs: it is asked to go on when it wakes up")
    func overAndHanging() {
        players.answer = nil
        call()
        hangUp()
        host.advance(.seconds(5))
        #expect(players.calls == [.pause, .play])
        client(music, plays: false)
        client(music, plays: true)
        host.advance(.seconds(10))
        #expect(isWanted && isSessionActive && host.gains[1] == 1 && host.armed == nil)
    }

    @Test("N15 a player that refuses is corked at once, and what its user does then is the user's doing")
    func refuses() {
        players.answer = .pauseFailed("not now")
        call()
        #expect(corks == [.cork] && treatment?.silence == .cork)
        host.advance(.seconds(2))
        client(music, plays: false)
        #expect(!isWanted)
        hangUp()
        #expect(players.calls == [.pause] && !isSessionActive && host.armed == nil)
        let lines = host.lines.filter { $0.contains("was asked to") }
        #expect(lines.count == 1 && lines.first?.contains("to: cork it (not now)") == true)
    }

    @Test("R35 the player says that its user has stopped it during the call: the engine knows it at once")
    func saysThatItStops() {
        call()
        client(music, plays: false)
        hear(.announced(.paused))
        #expect(isWanted)
        hear(.announced(.stopped))
        #expect(!isWanted)
        hangUp()
        #expect(players.calls == [.pause] && !isSessionActive && host.armed == nil)
    }

    @Test("R35 the player says that its user plays during the call, and pauses again: it stays paused")
    func saysThatItPlays() {
        call()
        client(music, plays: false)
        for status in [PlaybackStatus.paused, .playing, .paused] { hear(.announced(status)) }
        #expect(!isWanted)
        hangUp()
        #expect(players.calls == [.pause] && !isSessionActive && host.armed == nil)
    }

    @Test("N15 R36 a corked player that paused late and says that its user plays asks anew")
    func playsWhileCorked() {
        call()
        host.advance(.seconds(1))
        hear(.announced(.paused))
        #expect(host.runtime.streams[music]?.pause != nil)
        hear(.announced(.playing))
        #expect(host.runtime.streams[music]?.pause == nil && isWanted)
        hangUp()
        #expect(players.calls == [.pause] && host.silences[1] == Silence.none)
    }

    @Test(
        "N15 a player that leaves the bus while it is asked is corked; one that was paused stays so",
        arguments: [false, true])
    func leaves(isPaused: Bool) {
        call()
        if isPaused { client(music, plays: false) }
        hear(.left)
        #expect(corks == [.cork] && isWanted != isPaused)
        hangUp()
        #expect(players.calls == [.pause] && isSessionActive != isPaused)
    }

    @Test(
        "N15 two streams of one player: it is asked once, and goes on when both may be heard",
        arguments: [false, true])
    func twoStreams(isFirstClosed: Bool) {
        players.isShared = true
        host.play(3, role: "music")
        call()
        #expect(players.calls == [.pause])
        let other = StreamID(3)
        client(music, plays: false)
        client(other, plays: false)
        if isFirstClosed { host.send(.streamVanished(music)) }
        hangUp()
        #expect(players.calls == [.pause, .play])
        if !isFirstClosed { client(music, plays: true) }
        client(other, plays: true)
        host.advance(.seconds(10))
        #expect(host.gains[3] == 1 && host.armed == nil && isSessionActive)
    }

    @Test("N15 the second call comes before the player goes on")
    func secondCall() {
        call()
        client(music, plays: false)
        hangUp()
        call()
        #expect(players.calls == [.pause, .play, .pause])
        host.advance(.seconds(2))
        #expect(corks == [], "it has stopped already")
        hangUp()
        #expect(players.calls == [.pause, .play, .pause, .play])
        client(music, plays: true)
        host.advance(.seconds(10))
        #expect(isWanted && isSessionActive && host.gains[1] == 1)
    }

    /// How far a pause has come.
    enum Progress: CaseIterable { case fading, asked, paused, corked, closed, resuming, defied }

    @Test("N15 R12 shutdown in every phase: everybody may go on, nothing stays silent", arguments: Progress.allCases)
    func shutdown(progress: Progress) {
        host.play(2, role: "phone")
        if progress != .fading { host.advance(.milliseconds(600)) }
        switch progress {
        case .fading, .asked: break
        case .paused: client(music, plays: false)
        case .corked: host.advance(.seconds(1))
        case .closed: host.send(.streamVanished(music))
        case .resuming:
            client(music, plays: false)
            hangUp()
        case .defied:
            client(music, plays: false)
            host.send(.streamWanted(music, true))
        }
        host.runtime.shutDown()
        let resumes = players.calls.filter { $0 == .play }.count
        #expect(resumes == ([.fading, .defied].contains(progress) ? 0 : 1))
        #expect(host.silences[1] ?? Silence.none == Silence.none)
        #expect(progress == .closed || host.gains[1] ?? 1 == 1)
        host.advance(.seconds(10))
        #expect(host.armed == nil && host.runtime.snapshot.streams.isEmpty)
    }

    @Test(
        "N15 a stream that vanishes in any other phase is gone",
        arguments: [Progress.fading, .corked, .resuming, .defied])
    func vanishes(progress: Progress) {
        host.play(2, role: "phone")
        if progress != .fading { host.advance(.milliseconds(600)) }
        switch progress {
        case .corked: host.advance(.seconds(1))
        case .resuming:
            client(music, plays: false)
            hangUp()
        case .defied:
            client(music, plays: false)
            host.send(.streamWanted(music, true))
        default: break
        }
        host.send(.streamVanished(music))
        #expect(!host.runtime.snapshot.streams.contains { $0.id == music })
        host.send(.streamVanished(phone))
        host.advance(.seconds(10))
        #expect(host.runtime.snapshot.sessions.isEmpty && host.armed == nil)
    }

    @Test("N15 another policy during the call: what is corked is not paused, what is paused is not corked")
    func anotherPolicy() {
        var described: [StreamID: SessionDescription] = [:]
        described[music] = Policy.desktop.roles["music"]
        described[phone] = Policy.desktop.roles["phone"]
        func change(to kind: Interplay.Kind) {
            host.send(.policyChanged(Self.policy(kind), described))
            host.advance(.seconds(2))
        }
        call()
        client(music, plays: false)
        change(to: .cork)
        change(to: .pausePlayer)
        change(to: .cork)
        #expect(players.calls == [.pause] && corks == [])
        hangUp()
        #expect(players.calls == [.pause, .play])
        client(music, plays: true)
        change(to: .cork)
        call()
        host.send(.streamRunning(music, false))
        change(to: .pausePlayer)
        #expect(players.calls == [.pause, .play] && corks.allSatisfy { $0 == .cork } && !corks.isEmpty)
        hangUp()
        #expect(host.silences[1] == Silence.none)
        host.send(.streamRunning(music, true))
        host.advance(.seconds(10))
        #expect(players.calls == [.pause, .play] && host.gains[1] == 1 && isSessionActive)
    }

    @Test("N15 R31 a player closed for one that took over is forgotten when its session is left behind")
    func closedAndSuperseded() {
        var preset = Policy.phone
        let pair = InterplayRules.Pair(.named("music"), .any)
        preset.interplay = InterplayRules([pair: InterplayRules.Rule(playing: Interplay(.pausePlayer))])
        let host = RecordingHost(preset)
        host.runtime.players = players
        players.runtime = host.runtime
        host.play(1, role: "music")
        host.play(2, role: "music")
        host.advance(.seconds(1))
        #expect(players.calls == [.pause])
        host.send(.streamVanished(music))
        host.send(.streamVanished(phone))
        host.advance(.seconds(10))
        #expect(host.runtime.snapshot.streams.isEmpty && host.runtime.snapshot.sessions.isEmpty)
    }
}

extension SessionRuntime {
    /// Snapshots of all sessions and streams.
    var snapshot: (sessions: [EngineSnapshot.Session], streams: [EngineSnapshot.Stream]) {
        (engine.sessionNumbers.compactMap { engine.snapshot(of: $0) }, engine.streamIDs.compactMap { snapshot(of: $0) })
    }
}
