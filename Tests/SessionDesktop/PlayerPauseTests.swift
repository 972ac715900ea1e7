import SessionWire
import Testing

@testable import SessionDesktop

/// One player's pause by itself: what is done about what happens.
@Suite struct PlayerPauseTests {
    private static let error = WireError("org.test.Error", "no")
    private static let second = PlayerPause.answerLimit

    /// A story: what happens, and what is done about each.
    struct Story: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [(PlayerPause.Event, [PlayerPause.Action])]
        var isOurs = false
    }

    /// What every pause that works begins with.
    private static let asked: [(PlayerPause.Event, [PlayerPause.Action])] = [
        (.pause, [.askForStatus, .wait(second)]),
        (.statusAnswered(.playing, canPause: true), [.callPause]),
    ]
    private static let paused =
        asked + [
            (.announced(.paused), []),
            (.pauseAnswered, [.wait(nil), .report(.asked)]),
        ]

    static let stories: [Story] = [
        Story(testDescription: "N15 paused by us", steps: paused, isOurs: true),
        Story(
            testDescription: "N15 paused and resumed",
            steps: paused + [(.resume, [.askForStatus]), (.statusAnswered(.paused, canPause: true), [.callPlay])]),
        Story(
            testDescription: "N15 the answer comes before the change",
            steps: asked + [
                (.pauseAnswered, [.wait(nil), .report(.asked)]), (.announced(.paused), []), (.resume, [.askForStatus]),
                (.statusAnswered(.paused, canPause: true), [.callPlay]),
            ]),
        Story(
            testDescription: "R35 what the user had paused stays paused",
            steps: [
                (.pause, [.askForStatus, .wait(second)]),
                (.statusAnswered(.paused, canPause: true), [.wait(nil), .report(.notPlaying)]), (.resume, []),
            ]),
        Story(
            testDescription: "R35 what is stopped stays stopped",
            steps: [
                (.pause, [.askForStatus, .wait(second)]),
                (.statusAnswered(.stopped, canPause: true), [.wait(nil), .report(.notPlaying)]), (.resume, []),
            ]),
        Story(
            testDescription: "R35 the user plays and pauses again meanwhile",
            steps: paused + [(.announced(.playing), []), (.announced(.paused), []), (.resume, [])]),
        Story(
            testDescription: "R35 the user stops it meanwhile",
            steps: paused + [(.announced(.stopped), []), (.announced(.paused), []), (.resume, [])]),
        Story(
            testDescription: "R35 the user touches it before Pause is answered",
            steps: asked + [
                (.announced(.paused), []), (.announced(.playing), []),
                (.pauseAnswered, [.wait(nil), .report(.asked)]), (.announced(.paused), []), (.resume, []),
            ]),
        Story(
            testDescription: "R35 the user stops it while it is statusAnswered at for resuming",
            steps: paused + [
                (.resume, [.askForStatus]), (.announced(.stopped), []), (.statusAnswered(.stopped, canPause: true), []),
            ]),
        Story(
            testDescription: "R35 the user played it without a word",
            steps: paused + [(.resume, [.askForStatus]), (.statusAnswered(.playing, canPause: true), [])]),
        Story(
            testDescription: "players repeat themselves, which touches nothing",
            steps: asked + [
                (.announced(.playing), []), (.announced(.paused), []), (.announced(.paused), []),
                (.pauseAnswered, [.wait(nil), .report(.asked)]), (.announced(.paused), []), (.resume, [.askForStatus]),
                (.statusAnswered(.paused, canPause: true), [.callPlay]),
            ]),
        Story(
            testDescription: "N15 a second interruption keeps what the first one paused",
            steps: paused + [
                (.pause, [.askForStatus, .wait(second)]),
                (.statusAnswered(.paused, canPause: true), [.wait(nil), .report(.notPlaying)]),
                (.resume, [.askForStatus]),
                (.statusAnswered(.paused, canPause: true), [.callPlay]),
            ]),
        Story(
            testDescription: "a second interruption pauses what the user has started meanwhile",
            steps: paused + [(.announced(.playing), [])] + paused, isOurs: true),
        Story(
            testDescription: "a pause while it is statusAnswered at for resuming",
            steps: paused + [
                (.resume, [.askForStatus]), (.pause, [.wait(second)]),
                (.statusAnswered(.paused, canPause: true), [.wait(nil), .report(.notPlaying)]),
            ], isOurs: true),
        Story(
            testDescription: "a resume before it was statusAnswered at takes the pause back",
            steps: [
                (.pause, [.askForStatus, .wait(second)]), (.resume, [.wait(nil), .report(.notPlaying)]),
                (.statusAnswered(.playing, canPause: true), []),
            ]),
        Story(
            testDescription: "a resume before Pause is answered",
            steps: asked + [
                (.resume, []), (.announced(.paused), []),
                (.pauseAnswered, [.wait(nil), .report(.asked), .askForStatus]),
                (.statusAnswered(.paused, canPause: true), [.callPlay]),
            ]),
        Story(
            testDescription: "a resume before the pause has its effect",
            steps: asked + [
                (.pauseAnswered, [.wait(nil), .report(.asked)]), (.resume, [.askForStatus]),
                (.statusAnswered(.playing, canPause: true), [.wait(PlayerPause.settlingLimit)]),
                (.announced(.paused), [.wait(nil), .callPlay]),
            ]),
        Story(
            testDescription: "a player whose Pause lies has nothing to resume",
            steps: asked + [
                (.pauseAnswered, [.wait(nil), .report(.asked)]), (.resume, [.askForStatus]),
                (.statusAnswered(.playing, canPause: true), [.wait(PlayerPause.settlingLimit)]), (.timeUp, []),
                (.announced(.paused), []),
            ]),
        Story(
            testDescription: "a player that cannot be paused",
            steps: [
                (.pause, [.askForStatus, .wait(second)]),
                (
                    .statusAnswered(.playing, canPause: false),
                    [
                        .wait(nil),
                        .report(
                            .refused(
                                WireError(
                                    WireErrorName.failed, "the player says that it cannot be paused (CanPause)"))),
                    ]
                ),
                (.resume, []),
            ]),
        Story(
            testDescription: "a player that answers with an error",
            steps: asked + [(.pauseFailed(error), [.wait(nil), .report(.refused(error))]), (.resume, [])]),
        Story(
            testDescription: "a player that pauses and answers with an error all the same",
            steps: asked + [
                (.announced(.paused), []), (.pauseFailed(error), [.wait(nil), .report(.refused(error))]),
                (.resume, [.askForStatus]), (.statusAnswered(.paused, canPause: true), [.callPlay]),
            ]),
        Story(
            testDescription: "a player that does not say what it does",
            steps: [
                (.pause, [.askForStatus, .wait(second)]),
                (.statusFailed(error), [.wait(nil), .report(.refused(error))]),
                (.resume, []),
            ]),
        Story(
            testDescription: "a player that does not say what it does in time",
            steps: [
                (.pause, [.askForStatus, .wait(second)]), (.timeUp, [.report(.refused(tooSlow))]),
                (.statusAnswered(.playing, canPause: true), []), (.resume, []),
            ]),
        Story(
            testDescription: "N15 one that is paused by us does not say so in time, and is resumed",
            steps: paused + [
                (.pause, [.askForStatus, .wait(second)]), (.timeUp, [.report(.refused(tooSlow))]),
                (.resume, [.askForStatus]),
                (.statusAnswered(.paused, canPause: true), [.callPlay]),
            ]),
        Story(
            testDescription: "N15 a player that hangs, wakes up and pauses is resumed",
            steps: asked + [
                (.timeUp, [.report(.refused(tooSlow))]), (.announced(.paused), []), (.pauseAnswered, []),
                (.resume, [.askForStatus]), (.statusAnswered(.paused, canPause: true), [.callPlay]),
            ]),
        Story(
            testDescription: "N15 a player that hangs over the whole interruption is resumed when it pauses at last",
            steps: asked + [
                (.timeUp, [.report(.refused(tooSlow))]), (.resume, []), (.announced(.paused), []),
                (.pauseAnswered, [.askForStatus]), (.statusAnswered(.paused, canPause: true), [.callPlay]),
            ]),
        Story(
            testDescription: "a player that hangs is not asked twice",
            steps: asked + [
                (.timeUp, [.report(.refused(tooSlow))]), (.resume, []), (.pause, [.report(.refused(tooSlow))]),
                (.announced(.paused), []), (.pauseAnswered, []),
            ], isOurs: true),
        Story(
            testDescription: "a player that leaves while it is asked",
            steps: [
                (.pause, [.askForStatus, .wait(second)]), (.gone, [.wait(nil), .report(.refused(left))]), (.resume, []),
            ]),
        Story(
            testDescription: "a player that leaves while it is paused",
            steps: paused + [(.gone, [.wait(nil)]), (.resume, [])]),
        Story(testDescription: "nothing to resume", steps: [(.resume, []), (.announced(.paused), []), (.resume, [])]),
    ]
    private static let tooSlow = WireError(
        "org.freedesktop.DBus.Error.NoReply", "the player has not answered within a second")
    private static let left = WireError("org.freedesktop.DBus.Error.ServiceUnknown", "the player has left the bus")

    @Test("N15 R35 every story ends as it should", arguments: stories)
    func story(_ story: Story) {
        var state = PlayerPause()
        for (index, step) in story.steps.enumerated() {
            #expect(state.handle(step.0) == step.1, "step \(index): \(step.0)")
        }
        #expect(state.isOurs == story.isOurs)
    }

    /// A player that does what it is told, its user, and us, in any order; answers take their time.
    private struct Scene {
        var state = PlayerPause()
        var status = PlaybackStatus.playing
        /// Paused by us, and untouched by the user since.
        var isOurs = false
        var asksForStatus = false
        var pausesUnanswered = 0
        var awaited = 0
        var plays = 0

        mutating func send(_ event: PlayerPause.Event) {
            if event == .pause { awaited += 1 }
            for action in state.handle(event) {
                switch action {
                case .askForStatus: asksForStatus = true
                case .callPause:
                    pausesUnanswered += 1
                    if status == .playing { become(.paused, byUs: true) }
                case .callPlay:
                    #expect(isOurs && status == .paused, "resumed what was not ours")
                    plays += 1
                    become(.playing, byUs: false)
                case .report:
                    #expect(awaited > 0, "reported what nobody asked for")
                    awaited = 0
                case .wait: break
                }
            }
        }

        mutating func become(_ status: PlaybackStatus, byUs: Bool) {
            guard self.status != status else { return }
            self.status = status
            isOurs = byUs
            send(.announced(status))
        }
    }

    @Test("R35 whatever the order, only what is ours is resumed, and every wish is answered")
    func anyOrder() {
        var generator = SystemRandomNumberGenerator()
        var plays = 0
        for _ in 0..<20_000 {
            var scene = Scene()
            for _ in 0..<Int.random(in: 1...24, using: &generator) {
                switch Int.random(in: 0..<16, using: &generator) {
                case 0...2: scene.send(.pause)
                case 3...5: scene.send(.resume)
                case 6: scene.become(.playing, byUs: false)
                case 7: scene.become(.paused, byUs: false)
                case 8: scene.become(.stopped, byUs: false)
                case 9...12:
                    if scene.asksForStatus {
                        scene.asksForStatus = false
                        scene.send(.statusAnswered(scene.status, canPause: true))
                    }
                default:
                    if scene.pausesUnanswered > 0 {
                        scene.pausesUnanswered -= 1
                        scene.send(.pauseAnswered)
                    }
                }
            }
            // Everything that is still under way is answered.
            for _ in 0..<4 {
                if scene.asksForStatus {
                    scene.asksForStatus = false
                    scene.send(.statusAnswered(scene.status, canPause: true))
                }
                if scene.pausesUnanswered > 0 {
                    scene.pausesUnanswered -= 1
                    scene.send(.pauseAnswered)
                }
            }
            #expect(scene.awaited == 0)
            plays += scene.plays
        }
        #expect(plays > 1_000)
    }
}
