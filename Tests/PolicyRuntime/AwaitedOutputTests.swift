import PolicyEngine
import PolicyRuntime
import Testing

/// What clients do by themselves while the headphones on which they were heard are out (R64).
@Suite struct AwaitedOutputTests {
    private let music = StreamID(1)
    private let host = RecordingHost()
    private let players = FakePlayers()

    init() {
        players.isThere = false
        host.runtime.players = players
        use("headphones")
        host.runtime.handle(
            .node(RouteNode(id: 20, name: "sink.laptop", direction: .output, deviceID: 10, profileDevice: 0)))
        host.runtime.handle(.defaultNode(.output, name: "sink.laptop"))
        host.advance(.seconds(2))
    }

    /// The card plays from this port; the headphones are out while it is the speaker.
    private func use(_ port: String) {
        let isIn = port == "headphones"
        host.runtime.handle(
            .device(
                RouteDevice(
                    id: 10, name: "laptop",
                    ports: [
                        DevicePort(
                            name: "speaker", direction: .output, type: .builtInSpeaker, profileDevices: [0],
                            activeOn: isIn ? nil : 0),
                        DevicePort(
                            name: "headphones", direction: .output, type: .headphones, availability: isIn ? .yes : .no,
                            profileDevices: [0], activeOn: isIn ? 0 : nil),
                    ])))
    }

    private func play(_ id: UInt32, role: String = "music", app: String? = nil) {
        host.heard[20, default: []].append(StreamID(id))
        host.play(id, role: role, app: app)
        host.advance(.seconds(1))
    }

    private func end(_ id: UInt32) {
        host.heard[20]?.removeAll { $0 == StreamID(id) }
        host.send(.streamVanished(StreamID(id)))
    }

    private func pull() {
        use("speaker")
        host.advance(.seconds(1))
    }

    private func plug() {
        use("headphones")
        host.advance(.seconds(1))
    }

    private func isSilent(_ stream: UInt32 = 1) -> Bool { host.silences[stream] ?? .none != .none }

    private var known: [UInt32] { host.runtime.snapshot.streams.map(\.id.rawValue) }

    @Test("R64 a client that stops its stream for a moment and starts it again has not asked to be heard elsewhere")
    func restarts() {
        play(1)
        pull()
        for _ in 0..<3 {
            host.send(.streamWanted(music, false))
            host.advance(.milliseconds(200))
            host.send(.streamWanted(music, true))
            host.advance(.seconds(1))
            #expect(isSilent())
        }
        plug()
        #expect(!isSilent() && host.gains[1] ?? 1 == 1)
    }

    @Test(
        "R64 who pauses it and plays it again hears it on the speaker, also when the headphones stay out",
        arguments: [1, 70])
    func playedByUser(after seconds: Int) {
        play(1)
        pull()
        host.advance(.seconds(seconds))
        host.send(.streamWanted(music, false))
        host.advance(.milliseconds(400))
        #expect(isSilent())
        host.send(.streamWanted(music, true))
        #expect(!isSilent())
    }

    @Test("R35 R64 what its user has paused meanwhile stays paused when the headphones are back")
    func staysPaused() {
        play(1)
        pull()
        host.send(.streamWanted(music, false))
        host.advance(.seconds(5))
        plug()
        #expect(host.runtime.snapshot.streams.first?.isWanted == false)
        #expect(host.runtime.snapshot.sessions.allSatisfy { $0.state == .inactive })
    }

    @Test("R64 a new stream in place of the old one waits as well, and goes on in the headphones")
    func replaced() {
        play(1, app: "player")
        pull()
        for id in UInt32(2)..<10 {
            end(id - 1)
            host.advance(.milliseconds(500))
            play(id, app: "player")
            #expect(isSilent(id), "stream \(id)")
        }
        plug()
        #expect(!isSilent(9) && known == [9])
    }

    @Test("R64 what has closed its stream is forgotten when its output is waited for no longer")
    func closed() {
        play(1, app: "player")
        pull()
        end(1)
        #expect(known == [1])
        host.advance(.seconds(61))
        #expect(known.isEmpty && host.runtime.snapshot.sessions.isEmpty)
        play(2, app: "player")
        #expect(!isSilent(2))
    }

    @Test("R64 streams that are closed without end take no room, and a policy that leaves them alone forgets them")
    func closedWithoutEnd() {
        for id in UInt32(1)...200 { play(id, app: "app\(id)") }
        pull()
        for id in UInt32(1)...200 { end(id) }
        #expect(known.count == 64)
        host.send(.policyChanged(.desktop, [:]))
        #expect(known.isEmpty)
        host.runtime.shutDown()
    }

    @Test(
        "R64 a starved player that has one on the bus is heard elsewhere only when its user has paused and played it there"
    )
    func player() {
        play(1)
        pull()
        players.hasPaused = false
        // As VLC does.
        for _ in 0..<3 {
            host.send(.streamWanted(music, false))
            host.advance(.milliseconds(1_100))
            host.send(.streamWanted(music, true))
            host.advance(.milliseconds(1_300))
            #expect(isSilent())
        }
        players.hasPaused = true
        host.send(.streamWanted(music, false))
        host.advance(.seconds(1))
        host.send(.streamWanted(music, true))
        #expect(!isSilent())
    }

    /// A player on the bus, which says that it pauses and plays when it is told to.
    private func usePlayer() {
        players.isThere = true
        players.runtime = host.runtime
        players.reaction = { [players, host] call in
            players.status = call == .pause ? .paused : .playing
            host.runtime.hear(.announced(players.status), of: "player 1")
        }
    }

    /// Its user plays or pauses it.
    private func user(makes status: PlaybackStatus) {
        players.status = status
        host.runtime.hear(.announced(status), of: "player 1")
        client(plays: status == .playing)
    }

    private func client(plays: Bool) {
        host.send(.streamWanted(music, plays))
        host.send(.streamRunning(music, plays))
    }

    @Test("R64 N15 a player pauses when the headphones go, stopped at once, and goes on there when they are back")
    func playerPauses() {
        usePlayer()
        play(1)
        use("speaker")
        #expect(isSilent() && players.calls == [.pause])
        client(plays: false)
        host.advance(.seconds(10))
        plug()
        #expect(players.calls == [.pause, .play])
        client(plays: true)
        host.advance(.seconds(1))
        #expect(!isSilent() && host.gains[1] ?? 1 == 1)
    }

    @Test(
        "R64 N19 who plays such a player hears it on the speaker, at any time, also when a call had paused it before",
        arguments: [1, 70], [false, true])
    func playerIsPlayed(after seconds: Int, hadCall: Bool) {
        usePlayer()
        play(1)
        if hadCall { play(2, role: "phone") }
        pull()
        client(plays: false)
        if hadCall { end(2) }
        host.advance(.seconds(seconds))
        #expect(isSilent() && players.calls == [.pause])
        user(makes: .playing)
        #expect(!isSilent())
    }

    @Test("R64 a player that its user's remote control has told to pause meanwhile stays paused")
    func playerIsToldToPause() {
        usePlayer()
        play(1)
        pull()
        client(plays: false)
        host.runtime.hear(.toldToPause, of: "player 1")
        plug()
        host.advance(.seconds(10))
        #expect(players.calls == [.pause])
    }

    @Test("R64 a player that is told to pause and does not stays silent, whatever its client does by itself")
    func playerLies() {
        usePlayer()
        players.reaction = nil
        play(1)
        pull()
        for _ in 0..<3 {
            client(plays: false)
            host.advance(.milliseconds(1_100))
            client(plays: true)
            host.advance(.milliseconds(1_300))
            #expect(isSilent())
        }
        plug()
        #expect(!isSilent())
    }

    @Test("R64 N15 a player that was paused for its headphones stays paused when the policy goes")
    func playerIsLeft() {
        usePlayer()
        play(1)
        pull()
        client(plays: false)
        host.runtime.shutDown()
        #expect(players.calls == [.pause])
    }

    /// As VLC does when it has just begun, and as clients do when they seek.
    @Test(
        "R64 what is stopped for a moment when the headphones are pulled was heard there: its start is not its user's",
        arguments: [false, nil])
    func stoppedAtLoss(hasPaused: Bool?) {
        play(1)
        players.hasPaused = hasPaused
        host.send(.streamWanted(music, false))
        host.advance(.milliseconds(hasPaused == nil ? 100 : 700))
        use("speaker")
        host.advance(.milliseconds(hasPaused == nil ? 200 : 700))
        host.send(.streamWanted(music, true))
        #expect(isSilent())
        plug()
        #expect(!isSilent())
        host.send(.streamWanted(music, false))
        host.advance(.milliseconds(100))
        pull()
        plug()
        #expect(host.runtime.snapshot.streams.first?.isWanted == false)
        #expect(host.runtime.snapshot.sessions.allSatisfy { $0.state == .inactive })
    }

    @Test("R64 what its user has paused before the headphones are pulled has lost nothing, and is played elsewhere")
    func pausedBeforeLoss() {
        for (hasPaused, moment) in [(true, 100), (false, 2_500), (nil, 400)] {
            play(1)
            players.hasPaused = hasPaused
            host.send(.streamWanted(music, false))
            host.advance(.milliseconds(moment))
            pull()
            host.send(.streamWanted(music, true))
            #expect(!isSilent(), "\(moment)")
            end(1)
            plug()
        }
    }

    @Test("R64 a program that closes its stream, and ends, is not waited for")
    func closesAndEnds() {
        let program = ClientIdentityTests.OneProcess().program(of: 20)
        host.clients[1] = ClientIdentity(
            program: program, sandbox: nil, binary: "player", displayName: nil, fallback: "", connection: "1")
        var hasEnded = false
        host.runtime.hasEnded = { $0 == program?.process && hasEnded }
        play(1, app: "player")
        pull()
        end(1)
        host.advance(.seconds(5))
        #expect(known == [1])
        hasEnded = true
        host.advance(.seconds(1))
        #expect(known == [])
    }

    @Test("R64 a player that closes its stream when its user pauses it opens another one when its user plays")
    func playerCloses() {
        play(1, app: "player")
        pull()
        end(1)
        players.hasPaused = true
        play(2, app: "player")
        #expect(!isSilent(2) && known == [2])
    }

    @Test(
        "R64 a headset that is put on and taken off in a call: what was heard in it has lost it, and nothing else",
        arguments: [false, true])
    func headsetInCall(wasHeardThere: Bool) {
        if !wasHeardThere { use("speaker") }
        host.advance(.seconds(2))
        play(1)
        play(2, role: "phone")
        #expect(isSilent())
        plug()
        pull()
        #expect(!isSilent(2))
        end(2)
        host.advance(.seconds(2))
        #expect(isSilent() == wasHeardThere)
    }

    @Test(
        "N19 R35 who closes its stream in a call, as some do when they are paused, is played by its user when it opens another",
        arguments: [(nil, 400, true), (nil, 200, false), (.playing, 400, true), (.paused, 400, false)]
            as [(PlaybackStatus?, Int, Bool)])
    func reopenedInCall(status: PlaybackStatus?, after milliseconds: Int, isHeard: Bool) {
        play(1, app: "player")
        play(2, role: "phone")
        #expect(isSilent())
        end(1)
        host.advance(.milliseconds(milliseconds))
        if let status {
            players.isThere = true
            players.status = status
        }
        play(3, app: "player")
        #expect(isSilent(3) != isHeard)
        // Who comes next has not been heard before the call.
        play(4, app: "other")
        #expect(isSilent(4))
    }

    @Test("R64 a stream that takes the place of another one in a call has lost the output on which that one was heard")
    func replacedInCall() {
        play(1, app: "player")
        play(2, role: "phone")
        end(1)
        play(3, app: "player")
        pull()
        end(2)
        host.advance(.seconds(2))
        #expect(isSilent(3))
        plug()
        #expect(!isSilent(3))
    }
}
