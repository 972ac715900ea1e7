import Testing

@testable import DesktopServices

/// Calls, sleep and lock by themselves: what comes of what the services say.
@Suite struct DesktopStateTests {
    @Test(
        "R36 N8 what one call amounts to",
        arguments: [
            (CallState.unknown, CallPhase.none), (.dialing, .active), (.ringingOut, .active), (.ringingIn, .ringing),
            (.active, .active), (.held, .active), (.waiting, .ringing), (.terminated, .none),
        ])
    func phaseOfState(state: CallState, phase: CallPhase) {
        var registry = CallRegistry()
        #expect(registry.add("/1") == true)
        registry.describe("/1", state: state, number: "123")
        #expect(registry.phase == phase)
        #expect(registry.number == (phase == .none ? "" : "123"))
    }

    /// A step of a story of calls.
    enum CallStep: Sendable {
        case comes(String, CallState)
        case turns(String, CallState)
        case goes(String)
        case allGo
    }

    @Test(
        "R36 several calls, and no gap between ringing and speaking",
        arguments: [
            (
                "accepted",
                [CallStep.comes("a", .ringingIn), .turns("a", .active), .turns("a", .terminated), .goes("a")],
                [CallPhase.ringing, .active, .none, .none]
            ),
            ("rejected", [.comes("a", .ringingIn), .turns("a", .terminated)], [.ringing, .none]),
            ("gone without a word", [.comes("a", .ringingIn), .goes("a")], [.ringing, .none]),
            (
                "dialled",
                [.comes("a", .unknown), .turns("a", .dialing), .turns("a", .ringingOut), .turns("a", .active)],
                [.none, .active, .active, .active]
            ),
            (
                "a second one waits and is taken while the first one is held",
                [
                    .comes("a", .active), .comes("b", .waiting), .turns("a", .held), .turns("b", .active),
                    .turns("a", .terminated), .goes("a"), .goes("b"),
                ], [.active, .active, .active, .active, .active, .active, .none]
            ),
            (
                "the first one ends while the second one rings",
                [.comes("a", .active), .comes("b", .waiting), .goes("a"), .goes("b")],
                [.active, .active, .ringing, .none]
            ),
            (
                "a state that is not known changes nothing", [.comes("a", .ringingIn), .turns("a", .unknown)],
                [.ringing, .ringing]
            ),
            ("a call that nobody has met", [.turns("a", .active)], [.none]),
            ("the service goes", [.comes("a", .active), .comes("b", .held), .allGo], [.active, .active, .none]),
        ])
    func calls(name: String, steps: [CallStep], phases: [CallPhase]) {
        var registry = CallRegistry()
        var seen: [CallPhase] = []
        for step in steps {
            switch step {
            case .comes(let call, let state):
                #expect(registry.add(call) == true)
                registry.describe(call, state: state, number: "")
            case .turns(let call, let state): registry.change(call, to: state)
            case .goes(let call): registry.remove(call)
            case .allGo: registry.removeAll()
            }
            seen.append(registry.phase)
        }
        #expect(seen == phases)
    }

    @Test func aCallThatIsGoneStaysGone() {
        var registry = CallRegistry()
        #expect(registry.add("/1") == true)
        #expect(registry.add("/1") == false)
        registry.remove("/1")
        registry.describe("/1", state: .active, number: "123")
        #expect(registry.phase == .none)
    }

    @Test func thereIsNoEndOfCalls() {
        var registry = CallRegistry()
        let added = (0..<1000).map { registry.add("/\($0)") }
        #expect(added.count { $0 } == CallRegistry.limit)
    }

    @Test(
        "N16 around sleep",
        arguments: [
            (
                "sleep and wake", [SleepState.Event.serviceCame, .prepare, .silent, .drained, .woke],
                [[SleepState.Action.takeLock], [.announceSleep], [.drain], [.dropLock], [.takeLock, .announceWake]]
            ),
            (
                "nobody is silent", [.serviceCame, .prepare, .timeUp, .silent, .drained, .woke],
                [[.takeLock], [.announceSleep], [.dropLock], [], [], [.takeLock, .announceWake]]
            ),
            (
                "cards hold more than the time allows", [.serviceCame, .prepare, .silent, .timeUp, .drained, .woke],
                [[.takeLock], [.announceSleep], [.drain], [.dropLock], [], [.takeLock, .announceWake]]
            ),
            (
                "called off", [.serviceCame, .prepare, .woke, .silent, .drained, .timeUp],
                [[.takeLock], [.announceSleep], [.takeLock, .announceWake], [], [], []]
            ),
            (
                "called off while cards drain, and again",
                [.serviceCame, .prepare, .silent, .woke, .drained, .prepare, .drained, .silent, .drained],
                [
                    [.takeLock], [.announceSleep], [.drain], [.takeLock, .announceWake], [], [.announceSleep], [],
                    [.drain], [.dropLock],
                ]
            ),
            (
                "told twice", [.serviceCame, .prepare, .prepare, .silent, .silent, .drained, .woke, .woke],
                [
                    [.takeLock], [.announceSleep], [], [.drain], [], [.dropLock], [.takeLock, .announceWake], [],
                ]
            ),
            (
                "logind goes while awake", [.serviceCame, .serviceGone, .serviceCame],
                [[.takeLock], [.dropLock], [.takeLock]]
            ),
            (
                "logind goes while all fade", [.serviceCame, .prepare, .serviceGone, .silent],
                [[.takeLock], [.announceSleep], [.dropLock, .announceWake], []]
            ),
            (
                "logind goes while cards drain", [.serviceCame, .prepare, .silent, .serviceGone, .drained],
                [[.takeLock], [.announceSleep], [.drain], [.dropLock, .announceWake], []]
            ),
            (
                "logind goes while asleep", [.serviceCame, .prepare, .silent, .drained, .serviceGone, .serviceCame],
                [[.takeLock], [.announceSleep], [.drain], [.dropLock], [.dropLock, .announceWake], [.takeLock]]
            ),
            (
                "no logind", [.prepare, .silent, .drained, .woke, .timeUp, .serviceGone],
                [[], [], [], [], [], []]
            ),
        ])
    func sleep(name: String, events: [SleepState.Event], actions: [[SleepState.Action]]) {
        var state = SleepState()
        let seen = events.map { state.handle($0) }
        #expect(seen == actions)
    }

    @Test(
        "N16 who is believed about the lock",
        arguments: [
            (nil, [], false), (nil, ["gnome"], true), (nil, ["gnome", "freedesktop"], true),
            (false, ["gnome"], false), (true, [], true), (false, [], false),
        ] as [(Bool?, Set<String>, Bool)])
    func lock(hint: Bool?, savers: Set<String>, isLocked: Bool) {
        var state = LockState()
        state.hint = hint
        state.activeSavers = savers
        #expect(state.isLocked == isLocked)
    }
}
