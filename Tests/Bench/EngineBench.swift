import Foundation
import PolicyEngine

/// A number of streams, and what is done with them over and over.
private struct Mix: Sendable {
    var name: String
    /// Prepares an engine with so many streams.
    var set: @Sendable (inout Bench, Int) -> Void
    /// One round of events.
    var round: @Sendable (inout Bench, Int) -> Void
}

/// An engine with a clock, and counters for what goes in and what comes out.
private struct Bench {
    var engine = Engine(policy: .desktop)
    var now = Instant(nanoseconds: 1_000_000_000)
    var wake: Instant?
    var events = 0
    var effects = 0
    var victims: [StreamID] = []

    init(policy: Policy) { engine = Engine(policy: policy) }

    mutating func send(_ event: Event) {
        events += 1
        let result = engine.handle(event, at: now)
        effects += result.count
        victims.removeAll(keepingCapacity: true)
        for effect in result {
            switch effect {
            case .wake(let moment): wake = moment
            case .treat(let stream, let treatment, _, _):
                if treatment.silence != .none { victims.append(stream) }
            default: break
            }
        }
    }

    mutating func appear(_ id: Int, role: String?, app: Int, capture: Bool = false) {
        let direction: StreamDirection = capture ? .capture : .playback
        let role = role.flatMap { Role($0) }
        guard let description = engine.policy.description(of: role, direction: direction) else { return }
        send(
            .streamAppeared(
                StreamID(UInt32(id)),
                application: ApplicationID(portal: nil, binary: "application \(app)", displayName: nil, fallback: ""),
                description: description, direction: direction))
    }

    mutating func play(_ id: Int) {
        send(.streamWanted(StreamID(UInt32(id)), true))
        send(.streamRunning(StreamID(UInt32(id)), true))
    }

    mutating func stop(_ id: Int) {
        send(.streamRunning(StreamID(UInt32(id)), false))
        send(.streamWanted(StreamID(UInt32(id)), false))
    }

    /// Time passes until no timer is left.
    mutating func rest() {
        while let moment = wake {
            now = moment
            wake = nil
            send(.clockReached)
        }
    }
}

/// Prints, for each mix of events and number of streams, what an event costs.
///
/// An event is whatever is handed to the engine. Where one event changes many streams, its cost grows with the number of
/// effects, so that is given for each effect too.
func benchmarkEngine(_ arguments: [String]) {
    let counts = arguments.compactMap { Int($0) }
    let mixes: [(policy: Policy, mix: Mix)] = [
        (.desktop, startAndStop), (.phone, takeOver), (.desktop, comeAndGo), (.desktop, prompt), (.desktop, ringtone),
        (.desktop, silentAll), (.desktop, noChange), (.desktop, oneApplication), (.desktop, mixedApplication),
        (.desktop, besideSessions), (.desktop, openedSession),
    ]
    print(row("events", "streams", "ns/event", "worst", "allocs", "effects", "ns/effect"))
    let words = arguments.filter { Int($0) == nil }
    for (policy, mix) in mixes where words.allSatisfy({ mix.name.contains($0) }) {
        for count in counts.isEmpty ? [10, 1_000] : counts {
            var bench = Bench(policy: policy)
            mix.set(&bench, count)
            bench.rest()
            bench.events = 0
            bench.effects = 0
            mix.round(&bench, 0)
            let events = max(bench.events, 1)
            // About a fifth of a million events, or a second.
            let rounds = max(1, min(100, 2_000 / events))
            var turn = 1
            bench.events = 0
            bench.effects = 0
            let samples = measure(repetitions: 51) {
                for _ in 0..<rounds {
                    mix.round(&bench, turn)
                    turn += 1
                }
            }
            let runs = Double(samples.count + 1)
            let perRun = Double(bench.events) / runs
            let effects = Double(bench.effects) / runs
            let time = median(samples.map(\.nanoseconds))
            print(
                row(
                    mix.name, "\(count)", number(time / perRun),
                    number((samples.map(\.nanoseconds).max() ?? 0) / perRun),
                    number(median(samples.map(\.allocations)) / perRun), number(effects / perRun),
                    effects > 0 ? number(time / effects) : "–"))
        }
    }
}

private func number(_ value: Double) -> String { String(format: value < 10 ? "%.2f" : "%.0f", value) }

private func row(_ cells: String...) -> String {
    cells.enumerated().map { index, cell in
        let padding = String(repeating: " ", count: max(0, (index == 0 ? 54 : 10) - cell.count))
        return index == 0 ? cell + padding : padding + cell
    }.joined()
}

// MARK: - The mixes

private func musicPlays(_ bench: inout Bench, _ count: Int) {
    for id in 1...count {
        bench.appear(id, role: "music", app: id)
        bench.play(id)
    }
}

private let startAndStop = Mix(name: "a mixing stream starts and stops", set: musicPlays) { bench, turn in
    bench.stop(1 + turn % 7)
    bench.rest()
    bench.play(1 + turn % 7)
}

/// A desktop where applications hold a hundred sessions.
private func sessionsAreOpen(_ bench: inout Bench, _ count: Int) {
    musicPlays(&bench, count)
    for id in 1...100 {
        let application = ApplicationID(portal: nil, binary: "holder \(id)", displayName: nil, fallback: "")
        bench.send(.sessionOpened(SessionID(UInt32(id)), application: application, .application))
        bench.send(.sessionConfigured(SessionID(UInt32(id)), .category(.playback, .mixWithOthers, nil)))
        if id % 2 == 0 { bench.send(.sessionRequested(SessionID(UInt32(id)), .activate(mayWait: false))) }
    }
}

private let besideSessions = Mix(name: "a stream starts and stops beside 100 opened sessions", set: sessionsAreOpen) {
    bench, turn in
    bench.stop(1 + turn % 7)
    bench.rest()
    bench.play(1 + turn % 7)
}

private let openedSession = Mix(name: "one of 100 opened sessions is activated and left", set: sessionsAreOpen) {
    bench, turn in
    let id = SessionID(UInt32(1 + 2 * (turn % 7)))
    bench.send(.sessionRequested(id, .activate(mayWait: false)))
    bench.send(.sessionRequested(id, .deactivate(notifyOthers: true)))
}

private let takeOver = Mix(
    name: "phone preset: music takes over from music",
    set: { bench, count in
        for id in 1...count { bench.appear(id, role: "music", app: id) }
        bench.play(1)
    }
) { bench, turn in
    let next = 1 + (turn + 1) % 7
    bench.play(next)
    bench.stop(1 + turn % 7)
    bench.rest()
}

private let comeAndGo = Mix(name: "a stream appears, plays and vanishes", set: musicPlays) { bench, turn in
    bench.appear(1_000_000 + turn, role: "music", app: 1_000_000)
    bench.play(1_000_000 + turn)
    bench.send(.streamVanished(StreamID(UInt32(1_000_000 + turn))))
    bench.rest()
}

private let prompt = Mix(
    name: "a prompt ducks all and lets go",
    set: { bench, count in
        musicPlays(&bench, count)
        bench.appear(2_000_000, role: "prompt", app: 2_000_000)
    }
) { bench, _ in
    bench.play(2_000_000)
    bench.stop(2_000_000)
    bench.rest()
}

private let ringtone = Mix(
    name: "a ringtone corks all and lets go",
    set: { bench, count in
        musicPlays(&bench, count)
        bench.appear(2_000_000, role: "ringtone", app: 2_000_000)
    }
) { bench, _ in
    bench.send(.streamWanted(StreamID(2_000_000), true))
    let victims = bench.victims
    for victim in victims where victim != StreamID(2_000_000) {
        bench.send(.streamSettled(victim))
        bench.send(.streamRunning(victim, false))
    }
    bench.send(.streamRunning(StreamID(2_000_000), true))
    bench.stop(2_000_000)
    while let moment = bench.wake, bench.engine.treatment(of: StreamID(1)) != .untouched {
        bench.now = moment
        bench.send(.clockReached)
    }
    for victim in victims where victim != StreamID(2_000_000) { bench.send(.streamRunning(victim, true)) }
}

private let silentAll = Mix(
    name: "a user pauses and un-pauses during a call",
    set: { bench, count in
        musicPlays(&bench, count)
        bench.appear(2_000_000, role: "phone", app: 2_000_000)
        bench.play(2_000_000)
        for id in 1...count {
            bench.send(.streamSettled(StreamID(UInt32(id))))
            bench.send(.streamRunning(StreamID(UInt32(id)), false))
        }
    }
) { bench, turn in
    bench.send(.streamWanted(StreamID(UInt32(1 + turn % 7)), false))
    bench.send(.streamWanted(StreamID(UInt32(1 + turn % 7)), true))
}

private let noChange = Mix(name: "events that change nothing", set: musicPlays) { bench, turn in
    let id = StreamID(UInt32(1 + turn % 7))
    bench.send(.streamRunning(id, true))
    bench.send(.streamWanted(id, true))
    bench.send(.streamSettled(id))
    bench.send(.streamSettled(StreamID(.max)))
}

private let oneApplication = Mix(
    name: "one application: a stream starts and stops",
    set: { bench, count in
        for id in 1...count {
            bench.appear(id, role: "music", app: 1)
            bench.play(id)
        }
    }
) { bench, turn in
    bench.stop(1 + turn % 7)
    bench.play(1 + turn % 7)
}

private let mixedApplication = Mix(
    name: "the same with two roles",
    set: { bench, count in
        for id in 1...count {
            bench.appear(id, role: id % 2 == 0 ? "music" : "game", app: 1)
            bench.play(id)
        }
    }
) { bench, turn in
    bench.stop(1 + turn % 7)
    bench.play(1 + turn % 7)
}
