import PolicyEngine

@testable import EngineProperties
@testable import RandomEvents

/// A sequence of events as a host sends them, judged by what always holds (EngineProperties).
func fuzzRules(_ bytes: [UInt8]) {
    var sequence = RandomSequence<PropertyJudge>(beginning: bytes)
    sequence.play()
    if let report = sequence.report() { found(report) }
}

/// Random events in random order, with jumps of the clock.
func fuzzEngine(_ bytes: [UInt8]) {
    var play = EventPlay(bytes)
    play.run()
}

private struct EventPlay {
    private var input: Input
    private var engine: Engine
    private var now: Int64 = 1_000_000_000
    private var told: [StreamID: Treatment] = [:]
    private var answers = 0
    private static let applications = ["a", "b", "c"].map {
        ApplicationID(portal: nil, binary: $0, displayName: nil, fallback: "")
    }

    init(_ bytes: [UInt8]) {
        input = Input(bytes)
        let trial = TrialPolicy.all[input.below(TrialPolicy.all.count)]
        engine = Engine(policy: trial.policy)
        printStep("policy \(trial.policy.name)")
    }

    mutating func run() {
        for _ in 0..<256 {
            if input.isEmpty { break }
            pass()
            send(event())
        }
        found("not consistent: \(engine.inconsistency ?? "")", engine.inconsistency != nil)
        send(.shutdown)
        for (stream, treatment) in told { found("\(stream) is left \(treatment)", treatment != .untouched) }
        found("remembered after shutdown", engine.streamCount > 0 || engine.sessionCount > 0)
        found("effects after shutdown", !engine.handle(.clockReached, at: Instant(nanoseconds: now)).isEmpty)
    }

    private mutating func send(_ event: Event) {
        let most = 8 * (engine.streamCount + engine.sessionCount + 4)
        printStep("\(now): \(event)")
        let effects = engine.handle(event, at: Instant(nanoseconds: now))
        for effect in effects { printStep("    \(effect)") }
        found("\(effects.count) effects", effects.count > most)
        var wakes = 0
        for effect in effects {
            switch effect {
            case .treat(let stream, let treatment, let fade, let delay):
                found("a negative fade", fade < .zero || delay < .zero)
                found("a gain of \(treatment.gain)", !(0...1).contains(treatment.gain.value))
                told[stream] = treatment
            case .wake: wakes += 1
            case .answered: answers += 1
            default: break
            }
        }
        found("\(wakes) wakes", wakes > 1)
        switch event {
        case .sessionConfigured, .sessionRequested: found("\(answers) answers to one request", answers != 1)
        case .sessionOpened: found("\(answers) answers to one request", answers > 1)
        default: found("an answer to nothing", answers > 0)
        }
        answers = 0
        // A stream that has vanished has no treatment.
        if case .streamVanished(let stream) = event { told[stream] = nil }
        for (stream, treatment) in told {
            found(
                "\(stream) was told something else", (engine.treatment(of: stream) ?? .untouched) != treatment)
            if engine.treatment(of: stream) == nil { told[stream] = nil }
        }
    }

    /// Advances the clock, which never goes back in a server.
    private mutating func pass(_ time: Int64) {
        // Keep deadlines representable: the clock ends after 292 years.
        let (later, isOver) = now.addingReportingOverflow(time)
        now = isOver ? .max / 2 : min(later, .max / 2)
    }

    private mutating func pass() {
        switch input.byte() {
        case 0..<128: break
        case 128..<160: pass(1_000_000)
        case 160..<192: pass(300_000_000)
        case 192..<240: pass(20_000_000_000)
        default: pass(Int64(truncatingIfNeeded: input.number() >> 1))
        }
    }

    private mutating func event() -> Event {
        let stream = StreamID(UInt32(input.below(8)))
        let session = SessionID(UInt32(input.below(6)))
        let port = PortID(input.pick(["p", "q"]))
        let application = input.pick(Self.applications)
        switch input.below(20) {
        case 0, 1:
            return .streamAppeared(
                stream, application: application, description: description(),
                direction: input.oneIn(3) ? .capture : .playback)
        case 2, 3: return .streamWanted(stream, !input.oneIn(3))
        case 4: return .streamRunning(stream, !input.oneIn(3))
        case 5: return .streamSettled(stream)
        case 6: return .streamVanished(stream)
        case 7: return .streamLeftAlone(stream)
        case 8, 9: return .clockReached
        case 10:
            var known: [StreamID: SessionDescription] = [:]
            for _ in 0..<input.below(5) { known[StreamID(UInt32(input.below(8)))] = description() }
            return .policyChanged(TrialPolicy.all[input.below(TrialPolicy.all.count)].policy, known)
        case 11: return .streamMoved(stream, to: input.oneIn(3) ? .application(application) : .opened(session))
        case 12:
            return .sessionOpened(
                session, application: application,
                input.oneIn(3) ? .system(description(), by: input.oneIn(2) ? application : nil) : .application)
        case 13: return .sessionConfigured(session, change())
        case 14:
            return .sessionRequested(
                session,
                input.pick([
                    .activate(mayWait: false), .activate(mayWait: true), .deactivate(notifyOthers: true),
                    .deactivate(notifyOthers: false), .cancel,
                ]))
        case 15: return .sessionClosed(session)
        case 16: return .outputLost(port, name: port.name, streams: streams())
        case 17: return .outputReturned(port, streams: streams())
        case 18:
            return input.oneIn(4)
                ? .inputGone(port) : .inputMuted(port, input.oneIn(2), name: port.name, streams: streams())
        default:
            if input.oneIn(2) { return .routeChanged(input.pick(RouteChangeReason.allCases)) }
            if input.oneIn(8) { return .shutdown }
            if input.oneIn(8) { return .newOutputUsed }
            var switches = Switches()
            for one in [Switch.silent, .locked, .doNotDisturb] { switches[one] = input.oneIn(2) }
            switches.pausedUntil = input.oneIn(2) ? Instant(nanoseconds: Int64(bitPattern: input.number())) : nil
            return .switched(switches)
        }
    }

    private mutating func streams() -> [StreamID] {
        (0..<input.below(6)).map { _ in StreamID(UInt32(input.below(8))) }
    }

    private mutating func change() -> ConfigurationChange {
        switch input.below(6) {
        case 0: .mode(input.pick(Mode.allCases))
        case 1: .outputOverride(input.pick(OutputOverride.allCases))
        case 2: .avoidsAlerts(input.oneIn(2))
        case 3: .interruptionOnRouteDisconnect(input.pick([nil, true, false]))
        default:
            .category(
                input.pick(PolicyEngine.Category.allCases), CategoryOptions(rawValue: UInt16(input.byte())),
                input.oneIn(2) ? input.pick(Mode.allCases) : nil)
        }
    }

    /// A random description; some are such that no policy file could define them.
    private mutating func description() -> SessionDescription {
        let known = Policy.phone.roles.sorted { $0.key < $1.key }.map(\.value)
        if !input.oneIn(3) { return input.pick(known) }
        return SessionDescription(
            name: input.pick(["x", "y", ""]), category: input.pick(PolicyEngine.Category.allCases),
            options: CategoryOptions(rawValue: UInt16(input.byte())), mode: input.pick(Mode.allCases),
            priority: Priority(rawValue: input.byte()), fade: duration(), handover: input.pick(Handover.allCases),
            resumption: input.pick(Resumption.allCases), releaseDelay: duration(), isInterruptible: !input.oneIn(4),
            avoidsAlerts: input.oneIn(4), pausesPlayer: input.oneIn(4))
    }

    private mutating func duration() -> Duration {
        input.oneIn(8) ? .nanoseconds(Int64(bitPattern: input.number())) : .milliseconds(Int(input.byte()) * 4)
    }
}
