import SessionCore

/// Walks streams from one gain to another, in steps that are too small to be heard as clicks.
///
/// A step lands at the end of a quantum. So what decides how loud a fade clicks is its largest step, and a fade that is
/// short against the quantum is stretched until it has enough of them.
struct Fader {
    /// The most that the amplitude may change in one quantum. A step of a twentieth is 26 dB below the click of a hard cut.
    static let largestStep = 1.0 / 20
    /// No fade is shorter.
    static let shortest = Duration.milliseconds(10)
    /// No fade is stretched beyond this: 20 quanta of 1024 frames at 48 kHz. Where a quantum is longer, the steps are larger.
    static let longestStretch = Duration.milliseconds(430)

    /// Where a stream is on its way.
    private struct Fade {
        var from: Double
        var to: Double
        var begins: Instant
        var duration: Duration
        /// What is to happen at the end.
        var silence: Silence
        /// The last step has been made; one quantum later it is in the sound.
        var hasArrived = false
        /// The stream is not running yet: the clock starts when it does.
        var waits = false
        var quantum: Duration

        func gain(at now: Instant) -> Double {
            guard !waits else { return from }
            let passed = begins.duration(to: now) / duration
            return passed >= 1 ? to : from + (to - from) * max(passed, 0)
        }
    }

    /// What a step asks of the host.
    enum Action: Equatable {
        case gain(StreamID, LinearGain)
        case silence(StreamID, Silence)
        /// The stream is as silent as it was told to be.
        case settled(StreamID)
    }

    private var fades: [StreamID: Fade] = [:]
    /// The gain of every stream that is not at unity.
    private var gains: [StreamID: Double] = [:]

    /// When the next step is due; `nil` when nothing moves.
    private(set) var nextStep: Instant?

    /// The gain that a stream has now.
    func gain(of stream: StreamID) -> Double { gains[stream] ?? 1 }

    /// Sends a stream on its way, from wherever it is.
    ///
    /// - Parameters:
    ///   - duration: How long the policy wants the fade to take; zero is at once.
    ///   - waits: The stream does not run yet; the fade begins when ``streamRuns(_:at:)`` says so.
    mutating func start(
        _ stream: StreamID, to target: LinearGain, then silence: Silence, within duration: Duration, quantum: Duration,
        waits: Bool, at now: Instant
    ) -> [Action] {
        let from = gain(of: stream)
        let to = silence == .none ? target.value : 0
        let distance = abs(to - from)
        guard duration > .zero, distance > 0 else {
            fades[stream] = nil
            var actions: [Action] = []
            if from != to { actions.append(move(stream, to: to)) }
            actions.append(.silence(stream, silence))
            if silence != .none { actions.append(.settled(stream)) }
            schedule(at: now)
            return actions
        }
        let steps = (distance / Self.largestStep).rounded(.up)
        fades[stream] = Fade(
            from: from, to: to, begins: now,
            duration: max(duration, Self.shortest, min(quantum * steps, Self.longestStretch)), silence: silence,
            waits: waits, quantum: quantum)
        schedule(at: now)
        // A stream that is to be heard again is let go first, and then comes up.
        return silence == .none ? [.silence(stream, .none)] : []
    }

    /// A stream that a fade waits for is running now.
    mutating func streamRuns(_ stream: StreamID, at now: Instant) {
        guard var fade = fades[stream], fade.waits else { return }
        fade.waits = false
        fade.begins = now
        fades[stream] = fade
        schedule(at: now)
    }

    /// A stream is gone.
    mutating func forget(_ stream: StreamID) {
        fades[stream] = nil
        gains[stream] = nil
    }

    /// Moves everything that is on its way to where it should be now.
    mutating func step(at now: Instant) -> [Action] {
        var actions: [Action] = []
        for (stream, fade) in fades where !fade.waits {
            if fade.hasArrived {
                fades[stream] = nil
                actions.append(.silence(stream, fade.silence))
                actions.append(.settled(stream))
                continue
            }
            let gain = fade.gain(at: now)
            if gain != self.gain(of: stream) { actions.append(move(stream, to: gain)) }
            if gain == fade.to {
                if fade.silence == .none { fades[stream] = nil } else { fades[stream]?.hasArrived = true }
            }
        }
        schedule(at: now)
        return actions
    }

    private mutating func move(_ stream: StreamID, to gain: Double) -> Action {
        gains[stream] = gain == 1 ? nil : gain
        return .gain(stream, LinearGain(gain))
    }

    /// Two steps a quantum, so that each quantum finds a fresh one; fewer where very many streams move at once, because
    /// every step is a message to a client.
    private mutating func schedule(at now: Instant) {
        var interval: Duration?
        for fade in fades.values where !fade.waits {
            let own = fade.hasArrived ? fade.quantum : fade.quantum / 2
            interval = min(interval ?? own, own)
        }
        nextStep = interval.map { now.advanced(by: max($0, .milliseconds(2), .microseconds(20) * fades.count)) }
    }
}
