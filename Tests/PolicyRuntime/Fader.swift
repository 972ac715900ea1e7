import PolicyEngine
@testable import PolicyRuntime

/// The levels of several streams, stepped as the runtime steps them, without a server.
struct Fader {
    static let largestStep = StreamLevel.largestStep
    static let longestStretch = StreamLevel.longestStretch

    enum Action: Equatable {
        case gain(StreamID, LinearGain)
        case ramp(StreamID, LinearGain, Duration, fromSilence: Bool)
        case silence(StreamID, Silence)
        case settled(StreamID)
    }

    private var levels: [StreamID: StreamLevel] = [:]

    private func named(_ stream: StreamID, _ actions: [StreamLevel.Action]) -> [Action] {
        actions.map { action in
            switch action {
            case .gain(let gain): .gain(stream, gain)
            case .ramp(let gain, let duration, let fromSilence):
                .ramp(stream, gain, duration, fromSilence: fromSilence)
            case .hold(let isHeld): .silence(stream, isHeld ? .cork : .none)
            case .settled: .settled(stream)
            }
        }
    }

    private var byAge: [StreamID] { levels.keys.sorted { $0.rawValue < $1.rawValue } }

    var nextStep: Instant? { levels.values.compactMap(\.nextStep).min() }

    func gain(of stream: StreamID, at now: Instant) -> LinearGain { (levels[stream] ?? StreamLevel()).gain(at: now) }

    func length(of stream: StreamID) -> Duration { levels[stream]?.length ?? .zero }

    func remaining(of stream: StreamID, at now: Instant) -> Duration { levels[stream]?.remaining(at: now) ?? .zero }

    mutating func start(
        _ stream: StreamID, to target: LinearGain, then silence: Silence, within duration: Duration,
        after delay: Duration = .zero, quantum: Duration, ramps: Bool = false, waits: Bool, at now: Instant
    ) -> [Action] {
        named(
            stream,
            levels[stream, default: StreamLevel()].approach(
                silence == .none ? target : .silence, holds: silence == .cork, within: duration, after: delay,
                quantum: quantum, isOfServer: ramps,
                waits: waits, at: now))
    }

    mutating func streamRuns(_ stream: StreamID, at now: Instant) { levels[stream]?.streamRuns(at: now) }

    mutating func forget(_ stream: StreamID) { levels[stream] = nil }

    mutating func undo() -> [Action] { byAge.flatMap { named($0, levels[$0]?.undo() ?? []) } }

    mutating func step(at now: Instant) -> [Action] {
        byAge.filter { levels[$0]?.nextStep.map { $0 <= now } == true }.flatMap {
            named($0, levels[$0]?.step(at: now) ?? [])
        }
    }
}
