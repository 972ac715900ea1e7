import BusInterface
import DBus
import Foundation
import PolicyEngine
import TestKit
import Testing

@testable import DesktopServices
@testable import PolicyRuntime

extension Services {
    @Suite struct PlayersTests {
        /// Waits until a player of a process is known, with what it does.
        private func find(
            _ process: ChildProcess, among players: Players, _ buses: Buses, status: PlaybackStatus? = .playing
        ) async throws -> Player {
            var found: Player?
            let number = UInt32(process.processID)
            try await buses.turn(until: "the player \(process.name)") {
                found = players.player(for: number, sandbox: nil)
                return found != nil && found?.status == status
            }
            return try #require(found)
        }

        /// The pause of one player, for a stream that never changes.
        private final class Conversation {
            private let players: Players
            private let clock: HeldClock
            private(set) var pause: PlayerPause
            /// What was logged.
            private(set) var log = ""
            private(set) var isCorked = false

            init(with player: Player, of players: Players, _ buses: Buses) throws {
                self.players = players
                clock = try #require(buses.clock)
                pause = PlayerPause(player: player.owner)
                players.tell = { [weak self] news, name in
                    guard let self, name == pause.player, pause.step != .over else { return }
                    send(.player(news))
                }
            }

            /// The host's clock.
            private var now: Instant { Instant(nanoseconds: clock.now) }

            func send(_ event: PlayerPause.Event) {
                for action in pause.handle(event, at: now) {
                    switch action {
                    case .askForStatus: players.askForStatus(of: pause.player)
                    case .callPause: players.pause(pause.player)
                    case .callPlay: players.play(pause.player)
                    case .log(let line): log += line
                    case .cork: isCorked = true
                    case .release: isCorked = false
                    case .pausedByUser, .playedByUser, .vanished: break
                    }
                }
            }

            /// Time passes, and ends what is late.
            func advance(by time: Duration) {
                clock.advance(by: time)
                if let until = pause.until, until <= now { send(.timeUp) }
            }
        }

        /// Asks a player to pause, until it has answered.
        private func pause(_ player: Player, of players: Players, _ buses: Buses) async throws -> Conversation {
            let conversation = try Conversation(with: player, of: players, buses)
            conversation.send(.silence)
            try await buses.turn(until: "the answer of \(player.names)") {
                ![.asking, .calling].contains(conversation.pause.step)
            }
            return conversation
        }

        /// What a fixture is told by a pause and a resume, and what it does afterwards.
        struct Case: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var behaviours: [String] = []
            var before: PlaybackStatus?
            var meanwhile: [PlaybackStatus] = []
            /// What another program tells it, such as a remote control.
            var told: [String] = []
            /// A part of the log, if it does not pause.
            var refusal: String?
            var calls: [String]
            var after: String
        }

        static let cases: [Case] = [
            Case(testDescription: "N15 paused and resumed", calls: ["Pause", "Play"], after: "Playing"),
            Case(
                testDescription: "N15 announces only that something changed", behaviours: ["vague"],
                calls: ["Pause", "Play"], after: "Playing"),
            Case(
                testDescription: "N15 announces nothing", behaviours: ["silent"], calls: ["Pause", "Play"],
                after: "Playing"),
            Case(
                testDescription: "N15 was asked for its status before it was ready", behaviours: ["unready"],
                calls: ["Pause", "Play"], after: "Playing"),
            Case(testDescription: "N15 pauses late", behaviours: ["late"], calls: ["Pause", "Play"], after: "Playing"),
            Case(testDescription: "N15 lies", behaviours: ["lies"], calls: ["Pause"], after: "Playing"),
            Case(
                testDescription: "fails", behaviours: ["fails"], refusal: "not now", calls: ["Pause"], after: "Playing"),
            Case(
                testDescription: "cannot be paused", behaviours: ["fixed"], refusal: "cannot be paused", calls: [],
                after: "Playing"),
            Case(
                testDescription: "R35 played and paused by its user meanwhile", meanwhile: [.playing, .paused],
                calls: ["Pause"], after: "Paused"),
            Case(
                testDescription: "R35 stopped by its user meanwhile", meanwhile: [.stopped], calls: ["Pause"],
                after: "Stopped"),
            Case(
                testDescription: "R35 played by its user meanwhile", meanwhile: [.playing], calls: ["Pause"],
                after: "Playing"),
            Case(
                testDescription: "R35 told to pause by its user's remote control meanwhile, which changes nothing",
                told: ["Pause"], calls: ["Pause", "Pause"], after: "Paused"),
            Case(testDescription: "R35 paused by its user before", before: .paused, calls: [], after: "Paused"),
            Case(testDescription: "R35 stopped by its user before", before: .stopped, calls: [], after: "Stopped"),
        ]

        @Test("N15 R35 a player is told what it should be, and no more", arguments: cases)
        func told(_ example: Case) async throws {
            try await Buses.run(holdsClock: true) { buses in
                let players = Players(
                    session: buses.session, observer: buses.observer, loop: try #require(buses.clock))
                let process = try await buses.mocks.startPlayer("fixture", example.behaviours)
                if let before = example.before { try await buses.mocks.user(makes: before.rawValue, "fixture") }
                let isKnown = !example.behaviours.contains("unready")
                let player = try await find(
                    process, among: players, buses, status: isKnown ? example.before ?? .playing : nil)
                let conversation = try await pause(player, of: players, buses)
                let log = conversation.log
                #expect(example.refusal.map { log.contains($0) } ?? log.isEmpty, "\(log)")
                #expect(conversation.isCorked == (example.refusal != nil || example.before != nil))
                try await buses.settle(buses.session, with: player.owner)
                for status in example.meanwhile {
                    try await buses.mocks.user(makes: status.rawValue, "fixture")
                    try await buses.turn(until: "the word of it") {
                        players.player(for: UInt32(process.processID), sandbox: nil)?.status == status
                    }
                }
                for command in example.told {
                    try await buses.mocks.callPlayer("fixture", "org.mpris.MediaPlayer2.Player", command)
                    try await buses.turn(until: "the word of it") { conversation.pause.step == .over }
                }
                conversation.send(.free(isLast: true))
                // One that pauses late can be resumed only then.
                try await buses.settle(buses.session, with: player.owner)
                if example.behaviours == ["late"] { try await buses.mocks.wakePlayer("fixture") }
                try await buses.turn(until: "the player to be \(example.after)") {
                    let calls = try await buses.mocks.calls(of: "fixture")
                    let status = try await buses.mocks.status(of: "fixture")
                    return status == example.after && calls == example.calls
                }
                try await buses.settle(buses.session, with: player.owner)
                conversation.advance(by: PlayerPause.resumeLimit)
                try await buses.settle(buses.session, with: player.owner)
                #expect(try await buses.mocks.calls(of: "fixture") == example.calls)
                #expect(try await buses.mocks.status(of: "fixture") == example.after)
                #expect(conversation.pause.step == .over)
            }
        }

        @Test(
            "N15 a player that hangs is given up after 750 ms, and resumed when it pauses after all, however late",
            arguments: [false, true])
        func hanging(isLate: Bool) async throws {
            try await Buses.run(holdsClock: true) { buses in
                let players = Players(session: buses.session, loop: try #require(buses.clock))
                let process = try await buses.mocks.startPlayer("hanging", ["hangs"])
                let player = try await find(process, among: players, buses)
                let conversation = try Conversation(with: player, of: players, buses)
                conversation.send(.silence)
                try await buses.turn(until: "the call") { try await buses.mocks.calls(of: "hanging") == ["Pause"] }
                conversation.advance(by: .milliseconds(749))
                #expect(conversation.log.isEmpty && !conversation.isCorked)
                conversation.advance(by: .milliseconds(1))
                #expect(!conversation.log.isEmpty && conversation.isCorked)
                // Far beyond the time within which calls are answered.
                conversation.advance(by: .seconds(600))
                try await buses.settle(buses.session, with: player.owner)
                if isLate { try await buses.mocks.wakePlayer("hanging") }
                try await buses.settle(buses.session, with: player.owner)
                conversation.send(.free(isLast: true))
                if !isLate {
                    try await buses.settle(buses.session, with: player.owner)
                    #expect(try await buses.mocks.calls(of: "hanging") == ["Pause"])
                    try await buses.mocks.wakePlayer("hanging")
                }
                try await buses.turn(until: "Play") {
                    try await buses.mocks.calls(of: "hanging") == ["Pause", "Play"]
                }
                #expect(try await buses.mocks.status(of: "hanging") == "Playing")
            }
        }

        @Test("N15 a player that stops altogether answers nothing, and one with a strange status is left alone")
        func frozen() async throws {
            try await Buses.run(holdsClock: true) { buses in
                let players = Players(session: buses.session, loop: try #require(buses.clock))
                let frozen = try await buses.mocks.startPlayer("frozen")
                let strange = try await buses.mocks.startPlayer("strange", ["broken"])
                let player = try await find(frozen, among: players, buses)
                let other = try await find(strange, among: players, buses, status: nil)
                #expect(try await pause(other, of: players, buses).log.contains("\"Dancing\""))
                frozen.signal(SIGSTOP)
                defer { frozen.signal(SIGCONT) }
                let conversation = try Conversation(with: player, of: players, buses)
                conversation.send(.silence)
                conversation.advance(by: PlayerPause.limit)
                #expect(conversation.pause.step == .over && conversation.isCorked)
            }
        }

        @Test("N15 of two instances of one browser the playing one is meant; names and processes come and go")
        func instances() async throws {
            try await Buses.run(holdsClock: true) { buses in
                // One is there before us.
                let first = try await buses.mocks.startPlayer("firefox.instance_1_23")
                let tree = Family()
                let players = Players(session: buses.session, loop: try #require(buses.clock), tree: tree)
                let second = try await buses.mocks.startPlayer("firefox.instance_1_24")
                // Both belong to one browser, which plays from yet another process.
                tree.parents = [77: 7, UInt32(first.processID): 7, UInt32(second.processID): 7]
                try await buses.turn(until: "both") { players.all.count { $0.status == .playing } == 2 }
                try await buses.mocks.user(makes: "Paused", "firefox.instance_1_23")
                try await buses.turn(until: "one") { players.all.count { $0.status == .playing } == 1 }
                #expect(players.player(for: 7, sandbox: nil)?.names == ["firefox.instance_1_24"])
                try await buses.mocks.user(makes: "Paused", "firefox.instance_1_24")
                try await buses.mocks.user(makes: "Playing", "firefox.instance_1_23")
                try await buses.turn(until: "the other one") {
                    players.player(for: 7, sandbox: nil)?.names == ["firefox.instance_1_23"]
                }
                #expect(players.player(for: 78, sandbox: nil) == nil)
                #expect(players.player(for: 7, sandbox: "org.test.Video") == nil)
                await first.stop()
                try await buses.turn(until: "the remaining one") { players.all.count == 1 }
                #expect(players.player(for: 7, sandbox: nil)?.names == ["firefox.instance_1_24"])
                await second.stop()
                try await buses.turn(until: "nobody") { players.all.isEmpty }
            }
        }

        @Test("one connection with very many names leaves room for others") func manyNames() async throws {
            try await Buses.run(holdsClock: true) { buses in
                let players = Players(session: buses.session, loop: try #require(buses.clock))
                let crowd = BusConnection(.custom(buses.sandbox.busAddress), loop: buses.loop)
                var owned = 0
                for number in 0..<300 {
                    crowd.requestName("org.mpris.MediaPlayer2.crowd.instance\(number)") { if $0 { owned += 1 } }
                }
                crowd.open()
                try await buses.turn(until: "all names") { owned == 300 }
                let process = try await buses.mocks.startPlayer("fixture")
                _ = try await find(process, among: players, buses)
                #expect(players.all.first { $0.owner == crowd.uniqueName }?.names.count == 8)
                crowd.close()
                try await buses.turn(until: "the end of the crowd") { players.all.count == 1 }
            }
        }

        /// Processes on paper, as they would be known from `/proc`.
        private final class Family: ProcessTree {
            var parents: [UInt32: UInt32] = [:]
            var sandboxes: [UInt32: String] = [:]
            func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? { parents[process].map { ($0, 0) } }
            func confinement(of process: UInt32) -> Confinement {
                sandboxes[process].map { .sandbox(AppSandbox($0)) } ?? .unconfined
            }
        }

        @Test("N15 sandboxed players: by the control group of their proxy, or by their name")
        func sandboxes() async throws {
            try await Buses.run(holdsClock: true) { buses in
                let tree = Family()
                let players = Players(session: buses.session, loop: try #require(buses.clock), tree: tree)
                let named = try await buses.mocks.startPlayer("org.test.Music")
                let boxed = try buses.sandbox.start(
                    "boxed", Invocation("/usr/bin/python3", [DesktopMocks.fixture("player.py"), "video"]))
                tree.sandboxes = [UInt32(boxed.processID): "org.test.Video", 5: "org.test.Video"]
                try await buses.turn(until: "both") {
                    players.all.count { $0.status == .playing && $0.process != nil } == 2
                }
                #expect(players.player(for: 3, sandbox: "org.test.Video")?.names == ["video"])
                #expect(players.player(for: 5, sandbox: nil)?.names == ["video"])
                #expect(players.player(for: 3, sandbox: "org.test.Music")?.names == ["org.test.Music"])
                #expect(players.player(for: 3, sandbox: "org.test.Mus") == nil)
                let player = try #require(players.player(for: 3, sandbox: "org.test.Video"))
                #expect(try await pause(player, of: players, buses).log.isEmpty)
                #expect(named.isRunning)
            }
        }

        @Test("N15 a player behind the proxy that sandboxes have")
        func proxy() async throws {
            try await Buses.run(holdsClock: true) { buses in
                let tree = Family()
                let players = Players(session: buses.session, loop: try #require(buses.clock), tree: tree)
                let name = "org.mpris.MediaPlayer2.org.test.Music"
                let (proxy, boxed) = try await buses.mocks.startSandboxedPlayer("org.test.Music")
                try await buses.turn(until: "the player") { players.all.first?.status == .playing }
                // All that the bus knows of is the proxy; the player's own process belongs to nobody.
                #expect(players.all.map(\.process) == [UInt32(proxy.processID)])
                #expect(players.player(for: UInt32(boxed.processID), sandbox: nil) == nil)
                let player = try #require(players.player(for: UInt32(boxed.processID), sandbox: "org.test.Music"))
                #expect(player.names.map { "org.mpris.MediaPlayer2." + $0 } == [name])
                let conversation = try await pause(player, of: players, buses)
                #expect(try await buses.mocks.status(of: "org.test.Music") == "Paused")
                try await buses.turn(until: "its word of it") { players.all.first?.status == .paused }
                conversation.send(.free(isLast: true))
                try await buses.turn(until: "the player to play") {
                    try await buses.mocks.status(of: "org.test.Music") == "Playing"
                }
                #expect(try await buses.mocks.calls(of: "org.test.Music") == ["Pause", "Play"])
            }
        }

        @Test("N15 a player that leaves while it is paused, and a bus that goes and comes back")
        func leaving() async throws {
            try await Buses.run(holdsClock: true) { buses in
                let players = Players(session: buses.session, loop: try #require(buses.clock))
                let process = try await buses.mocks.startPlayer("leaving")
                let player = try await find(process, among: players, buses)
                let conversation = try await pause(player, of: players, buses)
                await process.stop()
                try await buses.turn(until: "the player to leave") { players.all.isEmpty }
                #expect(conversation.pause.step == .over)
                // Nobody is there to be called.
                players.pause(player.owner)
                players.play(player.owner)
                try await buses.restartSessionBus()
                let other = try await buses.mocks.startPlayer("coming")
                let found = try await find(other, among: players, buses)
                #expect(try await pause(found, of: players, buses).log.isEmpty)
            }
        }

        @Test("N15 R35 real players are paused and resumed", arguments: ["mpv", "vlc"])
        func real(name: String) async throws {
            try await Buses.run(holdsClock: true) { buses in
                let players = Players(session: buses.session, loop: try #require(buses.clock))
                let file = try buses.sandbox.write(Signal.tone(440, for: .seconds(60)), to: "tone.wav")
                let process =
                    name == "mpv" ? try buses.sandbox.startMPV(file: file) : try buses.sandbox.startVLC(file: file)
                let player = try await find(process, among: players, buses)
                #expect(players.all.map(\.names) == [[name]])
                for _ in 0..<3 {
                    let conversation = try await pause(player, of: players, buses)
                    try await buses.turn(until: "\(name) to pause") {
                        try await buses.mocks.status(of: name) == "Paused"
                    }
                    conversation.send(.free(isLast: true))
                    try await buses.turn(until: "\(name) to play") {
                        try await buses.mocks.status(of: name) == "Playing"
                    }
                    // Its own word of it has come, too.
                    _ = try await find(process, among: players, buses)
                }
                // Its user pauses it: it stays so.
                try await buses.mocks.callPlayer(name, "org.mpris.MediaPlayer2.Player", "Pause")
                _ = try await find(process, among: players, buses, status: .paused)
                let conversation = try await pause(player, of: players, buses)
                #expect(conversation.pause.step == .over && conversation.isCorked)
                try await buses.settle(buses.session, with: player.owner)
                #expect(try await buses.mocks.status(of: name) == "Paused")
            }
        }
    }
}
