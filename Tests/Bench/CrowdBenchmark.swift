import BenchReport
import Glibc
import PaperServer
import PolicyEngine
import PolicyFile
import PolicyRuntime

/// A server without sound: what it is told costs nothing, so that all that is measured is ours.
private final class SilentHost: PaperHost {
    private var moment = Instant(nanoseconds: 1_000_000_000)
    private var armed: Instant?
    /// The turns of the loop since ``restart()``, each with the processor's time in nanoseconds.
    private(set) var turns: [Double] = []

    override var now: Instant { moment }
    override func arm(at moment: Instant?) { armed = moment }

    private final class Stream: PaperStream {
        unowned let runtime: SessionRuntime

        init(of application: ApplicationID, role: String, _ runtime: SessionRuntime) {
            self.runtime = runtime
            let identity = StreamIdentity(node: 0, client: ClientIdentity(application), session: nil)
            super.init(identity, .playback, ["media.role": role])
        }

        override var place: UInt32? { 7 }
        /// A server says soon whether a stream runs.
        override func hold(_ isHeld: Bool) { runtime.post(.streamRunning(id, !isHeld)) }
    }

    /// A stream that plays.
    func play(_ id: StreamID, of application: ApplicationID, role: String) {
        runtime.add(Stream(of: application, role: role, runtime), as: id)
    }

    /// A stream that ends.
    func end(_ id: StreamID) { if let stream = runtime.streams[id]?.server { runtime.remove(stream, now: true) } }

    /// Counts turns anew.
    func restart() { turns = [] }

    /// One turn of the loop.
    func turn(_ body: () -> Void) {
        let start = processorTime()
        body()
        turns.append(processorTime() - start)
    }

    /// Time passes until nothing is to be done for so many seconds.
    func rest(_ seconds: Int) {
        let end = now.advanced(by: .seconds(seconds))
        while let due = armed, due <= end {
            moment = max(now, due)
            armed = nil
            turn { runtime.timerFired() }
        }
        moment = end
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
        let host = SilentHost(PolicyLoader.load(arguments: nil) { _ in nil }.inForce)
        for id in 1...count {
            let application = ApplicationID(portal: nil, binary: "player \(id)", displayName: nil, fallback: "")
            host.runtime.open(
                SessionEntry(SessionID(id), of: ClientIdentity(application), isInterruption: false),
                with: [
                    .sessionOpened(SessionID(id), application: application, .application),
                    .sessionConfigured(SessionID(id), .category(.playback, [.mixWithOthers], nil)),
                    .sessionRequested(SessionID(id), .activate(mayWait: false)),
                ])
            host.play(StreamID(id), of: application, role: "music")
        }
        host.rest(2)
        let middle = SessionID(count / 2 + 1)
        let caller = ApplicationID(portal: nil, binary: "caller", displayName: nil, fallback: "")
        let steps: [(name: String, body: (StreamID) -> Void)] = [
            ("a call begins", { host.play($0, of: caller, role: "phone") }), ("it ends", { host.end($0) }),
            (
                "one session is left",
                { _ in host.runtime.handle(.sessionRequested(middle, .deactivate(notifyOthers: true))) }
            ),
            ("and activated", { _ in host.runtime.handle(.sessionRequested(middle, .activate(mayWait: false))) }),
            (
                "one takes no others",
                { _ in host.runtime.handle(.sessionConfigured(SessionID(1), .category(.playback, [], nil))) }
            ),
            (
                "and mixes again",
                { _ in
                    host.runtime.handle(.sessionConfigured(SessionID(1), .category(.playback, [.mixWithOthers], nil)))
                }
            ),
        ]
        var measured: [[(first: Double, longest: Double, count: Double, all: Double)]] = steps.map { _ in [] }
        for round in 0..<21 {
            for (index, step) in steps.enumerated() {
                host.restart()
                host.turn { step.body(StreamID(1_000_000 + UInt32(round))) }
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
