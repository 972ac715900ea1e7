import BenchReport
import Glibc
import SessionCore
import SessionRuntime

/// A server without sound: what it is told costs nothing, so that all that is measured is ours.
private final class SilentHost: Host {
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    private var armed: Instant?
    private(set) lazy var runtime = SessionRuntime(policy: .desktop, host: self)
    private var silences: [StreamID: Silence] = [:]
    /// The turns of the loop since ``restart()``, each with the processor's time in nanoseconds.
    private(set) var turns: [Double] = []

    func quantum(of stream: StreamID) -> Duration { .nanoseconds(21_333_333) }
    var gainCost: Duration { .microseconds(20) }
    func setGain(_ gain: LinearGain, of stream: StreamID) {}
    func setSilence(_ silence: Silence, of stream: StreamID) {
        silences[stream] = silence
        // A server says soon whether a stream runs.
        runtime.post(.streamRunning(stream, silence == .none))
    }
    func silence(of stream: StreamID) -> Silence { silences[stream] ?? .none }
    func streams(heardOn node: UInt32) -> [StreamID] { [] }
    func place(of stream: StreamID) -> UInt32? { 7 }
    func carryOut(_ command: RouteCommand) {}
    func apply(_ wish: StreamWish, to stream: StreamID) {}
    func clock(of stream: StreamID?) -> GraphClock { GraphClock(sampleRate: 48_000, quantum: .nanoseconds(21_333_333)) }
    func hasVolume(_ stream: StreamID) -> Bool { true }
    func tell(_ stream: StreamID, of interruption: StreamInterruption) {}
    func refuse(_ stream: StreamID) {}
    func arm(at moment: Instant?) { armed = moment }
    func log(_ level: LogLevel, _ text: @autoclosure () -> String) {}

    /// Counts turns anew.
    func restart() { turns = [] }

    /// One turn of the loop.
    func turn(_ body: () -> Void) {
        let start = processorTime()
        body()
        turns.append(processorTime() - start)
    }

    /// Events that come in one turn.
    func send(_ events: [Event]) {
        turn {
            for event in events { runtime.post(event) }
            runtime.drain()
        }
    }

    /// Time passes until nothing is to be done for so many seconds.
    func rest(_ seconds: Int) {
        let end = now.advanced(by: .seconds(seconds))
        while let due = armed, due <= end {
            now = max(now, due)
            armed = nil
            turn { runtime.timerFired() }
        }
        now = end
    }

    private func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// Prints how long the server's loop is kept from other work where as many applications play, each in a session of its own.
func benchmarkCrowd(_ arguments: [String]) throws {
    let counts = try arguments.map { argument in
        guard let count = UInt32(argument), (1...100_000).contains(count) else {
            throw UsageError("sessions: expected a number from 1 to 100000 instead of \(argument)")
        }
        return count
    }
    var table = Table(["what happens", "sessions", "first turn (ms)", "longest turn (ms)", "turns", "in all (ms)"])
    for count in counts.isEmpty ? [100, 1_000] : counts {
        let host = SilentHost()
        for id in 1...count {
            let application = ApplicationID(portal: nil, binary: "player \(id)", displayName: nil, fallback: "")
            host.send([
                .sessionOpened(SessionID(id), application: application, .application),
                .sessionConfigured(SessionID(id), .category(.playback, [.mixWithOthers], nil)),
                .sessionRequested(SessionID(id), .activate(mayWait: false)),
            ])
            guard let description = host.runtime.policy.description(of: Role("music"), direction: .playback) else {
                continue
            }
            let stream = StreamID(id)
            host.send([
                .streamAppeared(stream, application: application, description: description, direction: .playback),
                .streamMoved(stream, to: .opened(SessionID(id))), .streamWanted(stream, true),
                .streamRunning(stream, true),
            ])
        }
        host.rest(2)
        let middle = SessionID(count / 2 + 1)
        let caller = ApplicationID(portal: nil, binary: "caller", displayName: nil, fallback: "")
        let steps: [(name: String, events: (StreamID) -> [Event])] = [
            (
                "a call begins",
                { stream in
                    guard
                        let phone = host.runtime.policy.description(of: Role("phone"), direction: .playback)
                    else { return [] }
                    return [
                        .streamAppeared(stream, application: caller, description: phone, direction: .playback),
                        .streamWanted(stream, true), .streamRunning(stream, true),
                    ]
                }
            ),
            ("it ends", { [.streamVanished($0)] }),
            ("one session is left", { _ in [.sessionRequested(middle, .deactivate(notifyOthers: true))] }),
            ("and activated", { _ in [.sessionRequested(middle, .activate(mayWait: false))] }),
            ("one takes no others", { _ in [.sessionConfigured(SessionID(1), .category(.playback, [], nil))] }),
            (
                "and mixes again",
                { _ in [.sessionConfigured(SessionID(1), .category(.playback, [.mixWithOthers], nil))] }
            ),
        ]
        var measured: [[(first: Double, longest: Double, count: Double, all: Double)]] = steps.map { _ in [] }
        for round in 0..<21 {
            for (index, step) in steps.enumerated() {
                host.restart()
                host.send(step.events(StreamID(1_000_000 + UInt32(round))))
                host.rest(10)
                let turns = host.turns
                measured[index].append(
                    (turns.first ?? 0, turns.max() ?? 0, Double(turns.count), turns.reduce(0, +)))
            }
        }
        for (step, rounds) in zip(steps, measured) {
            table.add([
                step.name, "\(count)", format(Series(rounds.map { $0.first / 1e6 }).median, decimals: 3),
                format(Series(rounds.map { $0.longest / 1e6 }).median, decimals: 3),
                format(Series(rounds.map(\.count)).median, decimals: 0),
                format(Series(rounds.map { $0.all / 1e6 }).median, decimals: 1),
            ])
        }
    }
    print(table.text)
}
