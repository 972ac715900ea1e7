package import SessionCore

/// Walks streams from one gain to another, in steps that are too small to be heard as clicks.
///
/// A step lands at the end of a quantum. So what decides how loud a fade clicks is its largest step, and a fade that is
/// short against the quantum is stretched until it has enough of them. A timer that comes late makes a fade longer, not
/// its steps larger.
package struct Fader {
    /// The most that the amplitude may change in one quantum. A step of 1/24 is 27.6 dB below the click of a hard
    /// cut at its worst, and 20 dB below one at the middle of all phases.
    package static let largestStep = 1.0 / 24
    /// No fade is shorter.
    package static let shortest = Duration.milliseconds(10)
    /// No fade is stretched beyond this: 24 quanta of 1024 frames at 48 kHz. Where a quantum is longer, the steps are
    /// larger.
    package static let longestStretch = Duration.milliseconds(515)

    /// Where a stream is on its way.
    private struct Fade {
        var stream: StreamID
        var from: Double
        var to: Double
        var length: Duration
        /// How much of the length is behind it, and when that was.
        var passed = Duration.zero
        var moved: Instant
        /// What is to happen at the end.
        var silence: Silence
        /// The stream is not running yet: the clock starts when it does.
        var waits: Bool
        /// The clock does not start before.
        var begins: Instant
        var quantum: Duration

        /// When it needs attention next, if steps come at this pace.
        func nextStep(after now: Instant, pace: Duration) -> Instant? {
            if waits { return nil }
            if begins > now { return begins }
            return now.advanced(by: max(quantum / 2, pace))
        }
    }

    /// What was done to a stream.
    private struct State: Equatable {
        var gain = 1.0
        var silence = Silence.none
    }

    /// What a step asks of the host.
    package enum Action: Equatable {
        case gain(StreamID, LinearGain)
        case silence(StreamID, Silence)
        /// The stream is as silent as it was told to be.
        case settled(StreamID)
    }

    private var fades: [Fade] = []
    /// The first fade that a step has not come to, because so many at once would keep the server from other work.
    private var rest = 0
    private var placeOfFade: [StreamID: Int] = [:]
    /// What was done to every stream to which anything was done.
    private var states: [StreamID: State] = [:]

    /// When the next step is due; `nil` when nothing moves.
    package private(set) var nextStep: Instant?

    /// How long one step of one stream keeps the server from other work.
    private let stepCost: Duration

    /// Makes a fader that has done nothing to any stream.
    package init(stepCost: Duration = .microseconds(20)) { self.stepCost = stepCost }

    /// The gain that a stream has now.
    package func gain(of stream: StreamID) -> LinearGain { LinearGain(states[stream]?.gain ?? 1) }

    /// How long the way takes that a stream is on; zero when it is on none.
    package func length(of stream: StreamID) -> Duration {
        placeOfFade[stream].map { fades[$0].length } ?? .zero
    }

    /// Two steps a quantum, so that each quantum finds a fresh one; fewer where very many streams move at once, because
    /// every step is a message to a client.
    private var pace: Duration { max(.milliseconds(2), stepCost * fades.count) }

    /// Sends a stream on its way, from wherever it is. A stream that is on that very way already goes on.
    ///
    /// - Parameters:
    ///   - duration: How long the policy wants the fade to take; zero is at once.
    ///   - delay: How long to stay where it is before.
    ///   - waits: The stream does not run yet; the way back begins when ``streamRuns(_:at:)`` says so.
    package mutating func start(
        _ stream: StreamID, to target: LinearGain, then silence: Silence, within duration: Duration,
        after delay: Duration = .zero,
        quantum: Duration, waits: Bool, at now: Instant
    ) -> [Action] {
        let state = states[stream] ?? State()
        let to = silence == .none ? target.value : 0
        if let place = placeOfFade[stream] {
            if fades[place].to == to && fades[place].silence == silence { return [] }
        } else if state == State(gain: to, silence: silence) {
            return []
        }
        remove(stream)
        let distance = abs(to - state.gain)
        guard duration > .zero || delay > .zero, distance > 0 else {
            var actions: [Action] = []
            if state.gain != to { actions.append(move(stream, to: to)) }
            if state.silence != silence { actions.append(self.silence(stream, silence)) }
            if silence != .none { actions.append(.settled(stream)) }
            return actions
        }
        let steps = (distance / Self.largestStep).rounded(.up)
        let fade = Fade(
            stream: stream, from: state.gain, to: to,
            length: max(duration, Self.shortest, min(quantum * steps, Self.longestStretch)), moved: now,
            silence: silence, waits: waits && silence == .none, begins: now.advanced(by: max(delay, .zero)),
            quantum: quantum)
        placeOfFade[stream] = fades.count
        fades.append(fade)
        attend(fade, at: now)
        // A stream that is to be heard again is let go first, and then comes up.
        return silence == .none && state.silence != .none ? [self.silence(stream, .none)] : []
    }

    /// A stream that a fade waits for is running now.
    package mutating func streamRuns(_ stream: StreamID, at now: Instant) {
        guard let place = placeOfFade[stream], fades[place].waits else { return }
        fades[place].waits = false
        fades[place].moved = now
        attend(fades[place], at: now)
    }

    /// A stream is gone.
    package mutating func forget(_ stream: StreamID) {
        remove(stream)
        states[stream] = nil
        if fades.isEmpty { nextStep = nil }
    }

    /// Ends all fades and undoes everything that was done to any stream.
    package mutating func undo() -> [Action] {
        var actions: [Action] = []
        for (stream, state) in states.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if state.gain != 1 { actions.append(.gain(stream, .unity)) }
            if state.silence != .none { actions.append(.silence(stream, .none)) }
        }
        self = Fader(stepCost: stepCost)
        return actions
    }

    /// How many streams are moved at once, at the most: as many as take a millisecond.
    private var mostAtOnce: Int { max(1, Int(Duration.milliseconds(1) / max(stepCost, .microseconds(1)))) }

    /// Moves everything that is on its way as far as it may be by now; of very many streams some, and ``nextStep`` is at once.
    package mutating func step(at now: Instant) -> [Action] {
        var actions: [Action] = []
        var finished: [StreamID] = []
        let pace = pace
        let first = min(rest, fades.count)
        let end = min(first + mostAtOnce, fades.count)
        let isMore = end < fades.count
        for place in first..<end where !fades[place].waits && fades[place].begins <= now {
            let stream = fades[place].stream
            let elapsed = max(fades[place].moved.duration(to: now), .zero)
            fades[place].passed += min(elapsed, max(fades[place].quantum, pace))
            fades[place].moved = now
            let fade = fades[place]
            let isThere = fade.passed >= fade.length
            let gain = isThere ? fade.to : fade.from + (fade.to - fade.from) * (fade.passed / fade.length)
            if gain != states[stream]?.gain ?? 1 { actions.append(move(stream, to: gain)) }
            guard isThere else { continue }
            finished.append(stream)
            guard fade.silence != .none else { continue }
            // At once: what would be played after the last step would be played unheard, and missed later.
            actions.append(silence(stream, fade.silence))
            actions.append(.settled(stream))
        }
        for stream in finished { remove(stream) }
        // Where one has arrived, the last one is now; it is moved with this step or with the next.
        rest = isMore ? end - finished.count : 0
        nextStep = isMore ? now : nil
        if !isMore { for fade in fades { attend(fade, at: now) } }
        return actions
    }

    /// Sees to it that the next step does not come too late for a fade.
    private mutating func attend(_ fade: Fade, at now: Instant) {
        guard let due = fade.nextStep(after: now, pace: pace) else { return }
        nextStep = min(nextStep ?? due, due)
    }

    private mutating func remove(_ stream: StreamID) {
        guard let place = placeOfFade.removeValue(forKey: stream), let last = fades.popLast() else { return }
        guard place < fades.count else { return }
        fades[place] = last
        placeOfFade[last.stream] = place
    }

    private mutating func move(_ stream: StreamID, to gain: Double) -> Action {
        note(stream) { $0.gain = gain }
        return .gain(stream, LinearGain(gain))
    }

    private mutating func silence(_ stream: StreamID, _ silence: Silence) -> Action {
        note(stream) { $0.silence = silence }
        return .silence(stream, silence)
    }

    private mutating func note(_ stream: StreamID, _ change: (inout State) -> Void) {
        var state = states[stream] ?? State()
        change(&state)
        states[stream] = state == State() ? nil : state
    }
}
