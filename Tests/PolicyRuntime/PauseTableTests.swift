import PolicyEngine
import Testing

@testable import PolicyRuntime

/// One stream's pause by itself: what becomes of every state with every event, and what is done.
@Suite struct PauseTableTests {
    /// For the stream that must be silent (held) or may be heard again (free): what we have done to the player, what the
    /// client has done to the stream, what happens; then both afterwards, when time is up, and what is done. `=` is what it
    /// was, `*` is all. What stands in no row changes nothing, and nothing is done. END: corked if it is held and not corked
    /// yet, and its user's doing if its client has stopped it, or gone if it has closed it. LOG: said, unless it was before.
    static let table = """
        held asking                | *              | status playing    | calling  | =        | =    | callPause
        held asking                | *              | status fixed      | over     | =        | =    | LOG END
        held asking                | *              | status paused     | over     | =        | =    | END
        held asking                | *              | status stopped    | over     | =        | =    | END
        held asking                | *              | statusFailed      | over     | =        | =    | LOG END
        held calling               | *              | pauseAnswered     | called   | =        | =    |
        held calling               | *              | pauseFailed       | over     | =        | =    | LOG END
        held calling,called        | *              | announced paused  | paused   | =        | =    |
        held paused                | runs,starting,corked | announced playing | over | =      | =    | cork playedByUser
        held paused                | stopped        | announced playing | playing  | =        | =    |
        held paused                | closed         | announced playing | over     | =        | =    | END
        held playing               | *              | announced paused  | over     | =        | =    | END
        held calling,called,paused,playing | *      | announced stopped | over     | =        | =    | END
        held *                     | *              | toldToPause       | over     | =        | =    | END
        held *                     | *              | left              | over     | =        | =    | LOG END
        held asking                | runs,starting  | stopped           | =        | starting | =    |
        held calling,called,paused,playing | runs,starting,corked | stopped | =    | stopped  | none |
        held *                     | starting       | started           | =        | runs     | =    |
        held calling,called,playing | stopped       | started           | over     | runs     | =    | cork playedByUser
        held paused                | stopped        | started           | =        | runs     | =    | cork askForStatus
        held paused                | runs,starting,corked | status playing | over  | =        | =    | cork playedByUser
        held paused                | stopped        | status playing    | playing  | =        | =    |
        held paused                | closed         | status playing    | over     | =        | =    | END
        held paused                | runs,starting,corked | status fixed | over    | =        | =    | cork playedByUser
        held paused                | stopped        | status fixed      | playing  | =        | =    |
        held paused                | closed         | status fixed      | over     | =        | =    | END
        held asking,paused         | runs,starting,stopped,corked | closed | =     | closed   | none |
        held calling,called        | runs,starting,stopped | closed     | =        | closed   | none |
        held calling,called        | corked         | closed            | over     | =        | =    |
        held playing               | *              | closed            | over     | =        | =    |
        held asking                | runs           | timeUp            | over     | =        | none | LOG END
        held asking                | starting,closed | timeUp           | =        | =        | none |
        held calling,called,paused | runs           | timeUp            | =        | corked   | none | LOG cork
        held calling,called,paused | starting       | timeUp            | =        | stopped  | none |
        held calling,called,paused,playing | stopped,corked,closed | timeUp | =    | =        | none |
        held asking                | runs           | free last         | over     | =        | late | release
        held asking                | starting       | free last         | playing  | =        | late | release
        held asking                | closed         | free last         | over     | =        | late | vanished
        held calling               | runs,starting,stopped | free last  | =        | =        | late | release
        held calling               | corked         | free last         | =        | runs     | late | release
        held calling               | closed         | free last         | =        | =        | late |
        held called,paused         | runs,starting,stopped | free last  | =        | =        | late | release askForStatus
        held called,paused         | corked         | free last         | =        | runs     | late | release askForStatus
        held called,paused         | closed         | free last         | =        | =        | late | askForStatus
        held playing               | stopped        | free last         | =        | =        | late | release
        held *                     | runs,starting,stopped | free       | playing  | =        | late | release
        held *                     | corked         | free              | playing  | runs     | late | release
        held *                     | closed         | free              | over     | =        | late | vanished
        free over                  | runs           | silence           | asking   | =        | soon | askForStatus
        free over                  | stopped        | silence           | asking   | starting | soon | askForStatus
        free calling,called,paused | runs,starting  | silence           | =        | =        | soon |
        free calling,called,paused | stopped,closed | silence           | =        | =        | none |
        free resuming              | runs,starting  | silence           | calling  | =        | soon | callPause
        free resuming              | stopped        | silence           | calling  | starting | soon | callPause
        free calling               | *              | pauseAnswered     | called   | =        | =    | askForStatus
        free calling               | *              | pauseFailed       | over     | =        | =    | END
        free calling,called        | *              | announced paused  | paused   | =        | =    | askForStatus
        free called,paused         | runs,starting,stopped | status paused | resuming | =     | late | callPlay
        free called,paused         | closed         | status paused     | over     | =        | =    | callPlay vanished
        free paused                | runs,starting,stopped | status playing | playing | =     | =    |
        free paused                | closed         | status playing    | over     | =        | =    | vanished
        free paused                | runs,starting,stopped | status fixed | playing | =       | =    |
        free paused                | closed         | status fixed      | over     | =        | =    | vanished
        free called,paused         | *              | status stopped    | over     | =        | =    | END
        free called,paused         | runs,starting,stopped | statusFailed | playing | =       | =    |
        free called,paused         | closed         | statusFailed      | over     | =        | =    | vanished
        free paused                | runs,starting,stopped | announced playing | playing | =  | =    |
        free paused                | closed         | announced playing | over     | =        | =    | vanished
        free resuming              | *              | announced playing | playing  | =        | =    |
        free playing               | *              | announced paused  | over     | =        | =    | END
        free calling,called,paused,resuming,playing | * | announced stopped | over | =        | =    | END
        free calling,called,paused,resuming,playing | * | toldToPause   | over     | =        | =    | END
        free calling,called,paused,resuming,playing | * | left          | over     | =        | =    | END
        free calling,called,paused,resuming | *     | sharedByHeld      | playing  | =        | =    |
        free calling,called,paused,resuming,playing | runs,starting,stopped | stopped | = | stopped | = |
        free calling,called,paused | starting       | started           | =        | runs     | =    |
        free resuming,playing      | starting       | started           | over     | runs     | =    |
        free calling,called,paused,resuming,playing | stopped | started | over     | runs     | =    |
        free calling,called,paused | runs,starting,stopped | closed     | =        | closed   | =    |
        free resuming,playing      | *              | closed            | over     | =        | =    |
        free calling               | runs,starting,stopped | timeUp     | resuming | =        | late | callPlay
        free calling               | closed         | timeUp            | over     | =        | none | callPlay vanished
        free called,paused,resuming,playing | runs,closed | timeUp      | over     | =        | none | END
        free called,paused,resuming,playing | starting,stopped | timeUp | over     | =        | none | LOG END
        held,free calling,called,paused | *         | leave             | over     | =        | =    | callPlay
        held asking,playing        | *              | leave             | over     | =        | =    |
        free resuming,playing      | *              | leave             | over     | =        | =    |
        """

    private static let events: [(String, PlayerPause.Event)] = [
        ("silence", .silence), ("free last", .free(isLast: true)), ("free", .free(isLast: false)),
        ("sharedByHeld", .sharedByHeld), ("stopped", .stopped), ("started", .started), ("closed", .closed),
        ("timeUp", .timeUp), ("leave", .leave), ("status playing", .player(.status(.playing, canPause: true))),
        ("status fixed", .player(.status(.playing, canPause: false))),
        ("status paused", .player(.status(.paused, canPause: true))),
        ("status stopped", .player(.status(.stopped, canPause: true))), ("statusFailed", .player(.statusFailed("no"))),
        ("pauseAnswered", .player(.pauseAnswered)), ("pauseFailed", .player(.pauseFailed("no"))),
        ("announced playing", .player(.announced(.playing))), ("announced paused", .player(.announced(.paused))),
        ("announced stopped", .player(.announced(.stopped))), ("left", .player(.left)),
        ("toldToPause", .player(.toldToPause)),
    ]

    /// A line of the table.
    private struct Row {
        let cells: [String]

        init(_ line: Substring) {
            cells = line.split(separator: "|", omittingEmptySubsequences: false).map { cell in
                cell.split(separator: " ").joined(separator: " ")
            }
        }

        func applies(to state: PlayerPause, _ event: String) -> Bool {
            let parts = cells[0].split(separator: " ")
            return holds(state.isHeld ? "held" : "free", parts[0]) && holds("\(state.step)", parts[1])
                && holds("\(state.client)", cells[1][...]) && cells[2] == event
        }

        private func holds(_ value: String, _ list: Substring) -> Bool {
            list == "*" || list.split(separator: ",").contains { $0 == value }
        }

        /// What becomes of the state, and what is done.
        func outcome(_ state: PlayerPause, _ event: PlayerPause.Event) throws -> (PlayerPause, [PlayerPause.Action?]) {
            var isHeld = state.isHeld
            if case .free = event { isHeld = false }
            if event == .silence { isHeld = true }
            let until: Instant? =
                switch cells[5] {
                case "=": state.until
                case "soon": now.advanced(by: PlayerPause.limit)
                case "late": now.advanced(by: PlayerPause.resumeLimit)
                default: nil
                }
            let step = PlayerPause.Step.allCases.first { "\($0)" == cells[3] }
            let client = PlayerPause.Client.allCases.first { "\($0)" == cells[4] }
            #expect((cells[3] == "=") == (step == nil) && (cells[4] == "=") == (client == nil), "\(cells)")
            let after = PlayerPause(
                player: state.player, step: step ?? state.step, client: client ?? state.client, isHeld: isHeld,
                until: until)
            return (after, cells[6].split(separator: " ").flatMap { actions($0, of: state) })
        }

        /// `nil` stands for a line of the log.
        private func actions(_ word: Substring, of state: PlayerPause) -> [PlayerPause.Action?] {
            switch word {
            case "LOG": return !state.isHeld || state.until != nil ? [nil] : []
            case "END":
                let isCorked = !state.isHeld || state.client == .closed || state.client == .corked
                let cork: [PlayerPause.Action?] = isCorked ? [] : [.cork]
                switch state.client {
                case .runs, .corked: return cork
                case .starting, .stopped: return cork + [.pausedByUser]
                case .closed: return [.vanished]
                }
            default:
                let known: [PlayerPause.Action] = [
                    .askForStatus, .callPause, .callPlay, .cork, .release, .pausedByUser, .playedByUser, .vanished,
                ]
                #expect(known.contains { "\($0)" == word }, "\(word)")
                return known.filter { "\($0)" == word }
            }
        }
    }

    /// The states that there are.
    private static let states: [PlayerPause] = {
        typealias Clients = [PlayerPause.Client]
        let all: [(Bool, [PlayerPause.Step], Clients)] = [
            (true, [.asking], [.runs, .starting, .closed]),
            (true, [.calling, .called, .paused], [.runs, .starting, .stopped, .corked, .closed]),
            (true, [.playing], [.stopped]), (false, [.over], [.runs, .stopped]),
            (false, [.calling, .called, .paused], [.runs, .starting, .stopped, .closed]),
            (false, [.resuming, .playing], [.runs, .starting, .stopped]),
        ]
        return all.flatMap { isHeld, steps, clients in
            steps.flatMap { step in
                clients.map { client in
                    let limit = isHeld ? PlayerPause.limit : PlayerPause.resumeLimit
                    let isEndless = step == .over || isHeld && client != .runs && client != .starting
                    return PlayerPause(
                        player: "player", step: step, client: client, isHeld: isHeld,
                        until: isEndless ? nil : now.advanced(by: limit - .milliseconds(10)))
                }
            }
        }
    }()

    @Test("N15 R35 every state and every event: what becomes of it, and what is done")
    func table() throws {
        let rows = Self.table.split(separator: "\n").map { Row($0) }
        var used: Set<Int> = []
        for state in Self.states {
            for (name, event) in Self.events {
                // A pause begins with silence, and what is held or played by others is not silenced again.
                if state.step == .over, name != "silence" { continue }
                if name == "silence", state.isHeld || state.step == .playing { continue }
                let fitting = rows.indices.filter { rows[$0].applies(to: state, name) }
                #expect(fitting.count <= 1, "\(state), \(name): \(fitting.map { rows[$0].cells })")
                used.formUnion(fitting)
                let (after, actions) = try fitting.first.map { try rows[$0].outcome(state, event) } ?? (state, [])
                var pause = state
                let done = pause.handle(event, at: now).map { action -> PlayerPause.Action? in
                    if case .log = action { nil } else { action }
                }
                #expect(
                    pause == after && done == actions, "\(name) in \(state): \(pause) \(done), not \(after) \(actions)")
                // Nothing is forgotten: it is either over, or there is an event that will come.
                let waits = pause.isHeld || pause.until != nil || pause.step == .over
                #expect(waits, "\(name) in \(state): nothing ends it")
            }
        }
        #expect(used.count == rows.count, "\(rows.indices.filter { !used.contains($0) }.map { rows[$0].cells })")
    }

    /// A player that does what it is told, its user, its stream, and us, in any order; answers take their time.
    private struct Scene {
        var pause = PlayerPause(player: "player")
        var status = PlaybackStatus.playing
        /// Paused by us, and untouched by the user since.
        var isOurs = false
        var isAsked = false
        var isCalled = false
        var isSilent = false
        var plays = 0

        mutating func send(_ event: PlayerPause.Event) {
            if pause.step == .over {
                guard event == .silence, status == .playing else { return }
                pause = PlayerPause(player: "player")
            }
            for action in pause.handle(event, at: now) {
                switch action {
                case .askForStatus: isAsked = true
                case .callPause:
                    isCalled = true
                    if status == .playing { become(.paused, byUs: true) }
                case .callPlay:
                    #expect(isOurs && status == .paused, "resumed what was not ours")
                    plays += 1
                    become(.playing, byUs: false)
                case .cork: isSilent = true
                case .release: isSilent = false
                default: break
                }
            }
        }

        mutating func become(_ status: PlaybackStatus, byUs: Bool) {
            guard self.status != status else { return }
            self.status = status
            isOurs = byUs
            send(.player(.announced(status)))
        }

        /// The user's remote control has told it to pause, which is seen before it does.
        mutating func isToldToPause() {
            send(.player(.toldToPause))
            isOurs = false
            if status == .playing { become(.paused, byUs: false) }
        }

        mutating func answer() {
            if isAsked {
                isAsked = false
                send(.player(.status(status, canPause: true)))
            }
            if isCalled {
                isCalled = false
                send(.player(.pauseAnswered))
            }
        }
    }

    @Test("R35 whatever the order, only what is ours is resumed, and in the end nothing is waited for")
    func anyOrder() {
        var generator = SystemRandomNumberGenerator()
        var plays = 0
        for _ in 0..<20_000 {
            var scene = Scene()
            for _ in 0..<Int.random(in: 1...24, using: &generator) {
                switch Int.random(in: 0..<18, using: &generator) {
                case 0...2: if !scene.pause.isHeld || scene.pause.step == .over { scene.send(.silence) }
                case 3...5: scene.send(.free(isLast: true))
                case 6: scene.become(.playing, byUs: false)
                case 7: scene.become(.paused, byUs: false)
                case 8: scene.become(.stopped, byUs: false)
                case 9: scene.send(.stopped)
                case 10: scene.send(.started)
                case 11: scene.isToldToPause()
                default: scene.answer()
                }
            }
            scene.send(.free(isLast: true))
            for _ in 0..<4 { scene.answer() }
            scene.send(.timeUp)
            #expect(scene.pause.step == .over)
            plays += scene.plays
        }
        #expect(plays > 1_000)
    }
}

/// The moment of all events.
private let now = Instant(nanoseconds: 1_000_000_000)
