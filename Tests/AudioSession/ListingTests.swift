import ServiceFixture
import Synchronization
import TestKit
import Testing

@testable import AudioSession

/// The listings of the phone's programming guide, chapter "Audio Session Cookbook", with the real service: each as a program
/// that does what the guide says of it. Those for C are in `ListingProgramTests`.
@Suite(.timeLimit(.minutes(10))) struct ListingTests {
    /// A player of a guide's example: what it does, and what was interrupted.
    private final class Player: Sendable {
        struct State: Equatable {
            var isPlaying = false
            var wasInterrupted = false
            /// Whether it asks its user to go on or to stop.
            var asks = false
        }

        let session: AudioSession
        let state = Mutex(State())

        init(_ session: AudioSession) { self.session = session }

        func play() throws {
            try session.setActive(true)
            state.withLock { $0 = State(isPlaying: true) }
        }

        /// 7-12, 7-13 and 7-14: what to do when an interruption begins and ends.
        func interrupted(_ interruption: AudioSession.Interruption) throws {
            switch interruption {
            case .began:
                // The session is inactive already.
                #expect(try !session.isActive)
                state.withLock { state in
                    state.wasInterrupted = state.isPlaying
                    state.isPlaying = false
                }
            case .ended(let options):
                guard state.withLock({ $0.wasInterrupted }), options.contains(.shouldResume) else { return }
                try play()
            }
        }

        /// 7-20: what to do when the route changes.
        func routeChanged(_ change: AudioSession.RouteChange) {
            state.withLock { state in
                guard state.isPlaying, change.reason == .oldDeviceUnavailable else { return }
                state.isPlaying = false
                state.asks = true
            }
        }

        /// 7-19: what its user has chosen.
        func userChose(toPlay: Bool) throws {
            state.withLock { $0.asks = false }
            if toPlay { try play() }
        }
    }

    @Test("R8 R10 R15 R39 listings 7-2, 7-4 and 7-7: activation, the category, and playback that mixes with others")
    func beginning() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setActive(true)
            #expect(try session.isActive)
            try session.setActive(false)
            #expect(try !session.isActive)
            do {
                try session.setCategory(.ambient)
            } catch {
                Issue.record("\(error)")
            }
            #expect(session.category == .ambient)
            try session.setCategory(.playback)
            #expect(session.categoryOptions == [])
            try session.setCategory(.playback, options: .mixWithOthers)
            #expect(session.categoryOptions == .mixWithOthers)
            // Another category ends it, and it has to be asked for again.
            try session.setCategory(.playAndRecord)
            #expect(session.categoryOptions == [])
            try session.setCategory(.playAndRecord, options: .mixWithOthers)
            #expect(session.categoryOptions == .mixWithOthers)
        }
    }

    @Test("R77 listing 7-6: a game that is started while music plays lets it play")
    func game() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            func category() throws -> AudioSession.Category {
                try session.isOtherAudioPlaying ? .ambient : .soloAmbient
            }
            #expect(try category() == .soloAmbient)
            let music = try await SessionApplication(in: stage.desk.sandbox)
            stage.desk.play(1, process: UInt32(music.process.processID))
            try await session.wait(for: .ambient, of: "the category of the game", category)
            try session.setCategory(category())
            try session.setActive(true)
            #expect(stage.desk.silent.withLock { $0.isEmpty })
        }
    }

    @Test("R41 R42 listings 7-9 and 7-10: the speaker until an interruption, and until the category changes")
    func speaker() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            var interruptions = session.interruptions.makeAsyncIterator()
            try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
            try session.overrideOutputAudioPort(.speaker)
            try session.setActive(true)
            func override() throws -> String { try session.property("OutputOverride", \.text) }
            #expect(try override() == "speaker")
            let call = try await Call(SessionApplication(in: stage.desk.sandbox))
            _ = await interruptions.next()
            try await session.wait(for: "none", of: "the override", override)
            try await call.end()
            #expect(await interruptions.next() == .ended(.shouldResume))
            try session.setActive(true)
            #expect(try override() == "none")
            try session.overrideOutputAudioPort(.speaker)
            #expect(try override() == "speaker")
            #expect(session.categoryOptions == .defaultToSpeaker)
            try session.setCategory(.playback)
            #expect(session.categoryOptions == [])
        }
    }

    @Test("R43 listing 7-11: a Bluetooth microphone for the categories that record, and no others")
    func bluetooth() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            for category in [AudioSession.Category.record, .playAndRecord] {
                try session.setCategory(category, options: .allowBluetooth)
                #expect(session.categoryOptions == .allowBluetooth)
            }
            #expect(code { try session.setCategory(.playback, options: .allowBluetooth) } == .incompatibleCategory)
        }
    }

    @Test("R26 R34 R35 listings 7-12 to 7-14: a player stops when it is interrupted, and goes on if it had played")
    func interruption() async throws {
        try await withStage { stage in
            let player = Player(try await stage.session())
            var interruptions = player.session.interruptions.makeAsyncIterator()
            try player.session.setCategory(.playback)
            let application = try await SessionApplication(in: stage.desk.sandbox)
            for wasPlaying in [true, false] {
                try player.play()
                player.state.withLock { $0.isPlaying = wasPlaying }
                let call = try await Call(application)
                try player.interrupted(try #require(await interruptions.next()))
                #expect(player.state.withLock { $0 } == .init(isPlaying: false, wasInterrupted: wasPlaying))
                try await call.end()
                try player.interrupted(try #require(await interruptions.next()))
                #expect(player.state.withLock { $0 } == .init(isPlaying: wasPlaying))
                #expect(try player.session.isActive == wasPlaying)
            }
        }
    }

    @Test("R61 R64 listings 7-19 to 7-21: a player stops when its headphones go, and its user chooses")
    func route() async throws {
        try await withStage { stage in
            let player = Player(try await stage.session())
            try player.session.setCategory(.playback)
            try player.play()
            for toPlay in [true, false] {
                stage.desk.use(Machine(hasHeadphones: true).events)
                try await player.session.wait(for: [.headphones], of: "outputs") {
                    try player.session.currentRoute.outputs.map(\.portType)
                }
                var changes = player.session.routeChanges.makeAsyncIterator()
                stage.desk.use(Machine(hasHeadphones: false).events)
                while !player.state.withLock({ $0.asks }) {
                    player.routeChanged(try #require(await changes.next()))
                }
                #expect(player.state.withLock { !$0.isPlaying })
                try player.userChose(toPlay: toPlay)
                #expect(player.state.withLock { $0 } == .init(isPlaying: toPlay))
            }
        }
    }

    @Test("R74 R75 R78 listings 7-22, 7-24 and 7-26: a wish for the buffer, what is in use, and inputs")
    func hardware() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setPreferredIOBufferDuration(0.005)
            #expect(session.preferredIOBufferDuration == 0.005)
            try session.setCategory(.playback)
            stage.play(1)
            try session.setActive(true)
            // The fixture's server can do all that is wished for.
            try await session.wait(for: 0.005, of: "the buffer") { try session.ioBufferDuration }
            #expect(try session.sampleRate == 48000)
            #expect(try !session.isInputAvailable)
            stage.desk.use(Machine().events)
            try await session.wait(for: true, of: "the input") { try session.isInputAvailable }
        }
    }
}
