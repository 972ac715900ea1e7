package import SessionCore

/// Fades streams from one gain to another, without clicks.
///
/// Where the server lets a gain glide with every sample, a fade is one order to it, and takes as long as the policy says.
/// Elsewhere it is made of steps. A step takes effect at the end of a quantum. So the largest step decides how loud a fade clicks, and a fade that is
/// short compared with the quantum is stretched to have enough steps. If the timer is late, the fade takes longer; its
/// steps do not grow.
package struct Fader {
    /// The largest change of the amplitude in one quantum. A step of 1/24 clicks 27.6 dB more quietly than a hard cut
    /// at the worst phase, and 20 dB more quietly than one at a median phase.
    package static let largestStep = 1.0 / 24
    /// The shortest fade.
    package static let shortest = Duration.milliseconds(10)
    /// The longest fade that results from stretching: 24 quanta of 1024 frames at 48 kHz. Longer quanta get larger
    /// steps.
    package static let longestStretch = Duration.milliseconds(515)

    /// The progress of one stream's fade.
    private struct Fade {
        var stream: StreamID
        var from: Double
        var to: Double
        var length: Duration
        /// How much of the length has passed, and when that was last computed.
        var passed = Duration.zero
        var moved: Instant
        /// The silence to set at the end.
        var silence: Silence
        /// Whether the fade waits until the server runs the stream.
        var waits: Bool
        /// The earliest start.
        var begins: Instant
        var quantum: Duration
        /// Whether the server glides, and whether it has been told to.
        var glides: Bool
        var isUnderWay = false

        /// When nothing of a glide is heard any more. The server begins it with its next cycle. After nine tenths of the
        /// time it is at −120 dB or less from where it was, and goes on losing what is played.
        var end: Instant { moved.advanced(by: silence == .none ? length : length * 9 / 10 + quantum) }

        /// The gain of a glide at this moment, as far as is known here.
        func gain(at now: Instant) -> Double {
            let part = min(max(moved.duration(to: now), .zero) / max(length, .nanoseconds(1)), 1)
            let eased = part * part * part * (part * (part * 6 - 15) + 10)
            let (first, last) = (LinearGain(from).slider, LinearGain(to).slider)
            return LinearGain(slider: first + (last - first) * (waits ? 0 : eased)).value
        }

        /// When the fade needs its next step at this pace; `nil` while it waits.
        func nextStep(after now: Instant, pace: Duration) -> Instant? {
            if waits { return nil }
            if begins > now { return begins }
            if glides { return isUnderWay ? end : now }
            return now.advanced(by: max(quantum / 2, pace))
        }
    }

    /// The gain and silence that a stream was last given.
    private struct State: Equatable {
        var gain = 1.0
        var silence = Silence.none
    }

    /// An action that a step asks the host to carry out.
    package enum Action: Equatable {
        case gain(StreamID, LinearGain)
        /// The stream goes to a gain within this time, sample by sample: from where it is, or from silence.
        case glide(StreamID, LinearGain, Duration, fromSilence: Bool)
        case silence(StreamID, Silence)
        /// The stream has become as silent as it was told to be.
        case settled(StreamID)
    }

    private var fades: [Fade] = []
    /// The index of the first fade that the last step left for the next one, because moving more at once would delay
    /// the server's other work.
    private var nextToMove = 0
    private var indexOfFade: [StreamID: Int] = [:]
    /// The states of all streams that the fader has changed.
    private var states: [StreamID: State] = [:]

    /// When the next step is due; `nil` while no stream fades.
    package private(set) var nextStep: Instant?

    /// How long setting the gain of one stream delays the server's other work.
    private let stepCost: Duration

    /// Creates a fader that has changed no stream.
    package init(stepCost: Duration = .microseconds(20)) { self.stepCost = stepCost }

    /// The gain that a stream has now.
    package func gain(of stream: StreamID, at now: Instant) -> LinearGain {
        if let fade = indexOfFade[stream].map({ fades[$0] }), fade.isUnderWay { return LinearGain(fade.gain(at: now)) }
        return LinearGain(states[stream]?.gain ?? 1)
    }

    /// The length of a stream's present fade; zero if there is none.
    package func length(of stream: StreamID) -> Duration {
        indexOfFade[stream].map { fades[$0].length } ?? .zero
    }

    /// How long a stream's present fade still takes, if every step comes in time; zero if there is none.
    package func remaining(of stream: StreamID, at now: Instant) -> Duration {
        guard let fade = indexOfFade[stream].map({ fades[$0] }) else { return .zero }
        if fade.isUnderWay, !fade.waits { return max(now.duration(to: fade.end), .zero) }
        let left = fade.length - fade.passed
        if fade.waits { return left }
        // Until it begins, nothing of its length passes.
        if fade.begins > now { return now.duration(to: fade.begins) + left }
        return max(left - max(max(fade.moved, fade.begins).duration(to: now), .zero), .zero)
    }

    /// The time between two steps. Two steps a quantum give each quantum a new gain. Very many fades get fewer steps,
    /// because every step is a message to a client.
    private var pace: Duration { max(.milliseconds(2), stepCost * fades.count) }

    /// Starts a fade from the stream's present gain. A stream that is already fading to the same state continues.
    ///
    /// - Parameters:
    ///   - duration: The length that the policy asks for; zero is at once.
    ///   - delay: How long the stream keeps its present gain first.
    ///   - glides: Whether the server lets the stream's gain glide.
    ///   - waits: Whether the stream does not run yet; a fade in then begins with ``streamRuns(_:at:)``.
    package mutating func start(
        _ stream: StreamID, to target: LinearGain, then silence: Silence, within duration: Duration,
        after delay: Duration = .zero,
        quantum: Duration, glides: Bool = false, waits: Bool, at now: Instant
    ) -> [Action] {
        var state = states[stream] ?? State()
        let to = silence == .none ? target.value : 0
        if let index = indexOfFade[stream] {
            if fades[index].to == to && fades[index].silence == silence { return [] }
        } else if state == State(gain: to, silence: silence) {
            return []
        }
        // A glide that is under way has been told where to go, and is somewhere before that.
        let told = state.gain
        let isUnderWay = indexOfFade[stream].map { fades[$0].isUnderWay } ?? false
        state.gain = gain(of: stream, at: now).value
        remove(stream)
        let distance = abs(to - state.gain)
        guard duration > .zero || delay > .zero, distance > 0 || told != to else {
            var actions: [Action] = []
            if state.gain != to || told != to { actions.append(move(stream, to: to)) }
            if state.silence != silence { actions.append(self.silence(stream, silence)) }
            if silence != .none { actions.append(.settled(stream)) }
            return actions
        }
        let steps = glides ? 0 : (distance / Self.largestStep).rounded(.up)
        let fade = Fade(
            stream: stream, from: state.gain, to: to,
            length: max(duration, Self.shortest, min(quantum * steps, Self.longestStretch)), moved: now,
            silence: silence, waits: waits && silence == .none, begins: now.advanced(by: max(delay, .zero)),
            quantum: quantum, glides: glides)
        let index = fades.count
        indexOfFade[stream] = index
        fades.append(fade)
        // A stream that becomes audible is released first and then fades in.
        var actions = silence == .none && state.silence != .none ? [self.silence(stream, .none)] : []
        // A gain that rises waits in the server for the stream's first sound.
        if glides, fade.begins <= now {
            actions.append(glide(index, fromSilence: state.silence != .none, at: now))
        } else if isUnderWay {
            actions.append(move(stream, to: state.gain))
        }
        scheduleStep(fades[index], at: now)
        return actions
    }

    /// Has the server let a stream's gain glide, within the length of its fade.
    private mutating func glide(_ index: Int, fromSilence: Bool = false, at now: Instant) -> Action {
        fades[index].isUnderWay = true
        fades[index].moved = now
        let fade = fades[index]
        updateState(fade.stream) { $0.gain = fade.to }
        return .glide(fade.stream, LinearGain(fade.to), fade.length, fromSilence: fromSilence)
    }

    /// Starts the fade that was waiting for this stream to run.
    package mutating func streamRuns(_ stream: StreamID, at now: Instant) {
        guard let index = indexOfFade[stream], fades[index].waits else { return }
        fades[index].waits = false
        fades[index].moved = now
        scheduleStep(fades[index], at: now)
    }

    /// Forgets a stream that was removed.
    package mutating func forget(_ stream: StreamID) {
        remove(stream)
        states[stream] = nil
        if fades.isEmpty { nextStep = nil }
    }

    /// Ends all fades and undoes everything done to all streams.
    package mutating func undo() -> [Action] {
        var actions: [Action] = []
        for (stream, state) in states.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if state.gain != 1 { actions.append(.gain(stream, .unity)) }
            if state.silence != .none { actions.append(.silence(stream, .none)) }
        }
        self = Fader(stepCost: stepCost)
        return actions
    }

    /// The maximum number of streams moved in one step: as many as take a millisecond.
    private var maximumAtOnce: Int { max(1, Int(Duration.milliseconds(1) / max(stepCost, .microseconds(1)))) }

    /// Moves all fades to where they should be now. If there are very many, moves some of them, and ``nextStep`` is
    /// immediate.
    package mutating func step(at now: Instant) -> [Action] {
        var actions: [Action] = []
        var finished: [StreamID] = []
        let pace = pace
        let first = min(nextToMove, fades.count)
        let end = min(first + maximumAtOnce, fades.count)
        let isMore = end < fades.count
        for index in first..<end where !fades[index].waits && fades[index].begins <= now {
            let stream = fades[index].stream
            if fades[index].glides {
                if !fades[index].isUnderWay {
                    actions.append(glide(index, at: now))
                } else if fades[index].end <= now {
                    finished.append(stream)
                    guard fades[index].silence != .none else { continue }
                    actions += [silence(stream, fades[index].silence), .settled(stream)]
                }
                continue
            }
            let elapsed = max(fades[index].moved.duration(to: now), .zero)
            fades[index].passed += min(elapsed, max(fades[index].quantum, pace))
            fades[index].moved = now
            let fade = fades[index]
            let isThere = fade.passed >= fade.length
            let gain = isThere ? fade.to : fade.from + (fade.to - fade.from) * (fade.passed / fade.length)
            if gain != states[stream]?.gain ?? 1 { actions.append(move(stream, to: gain)) }
            guard isThere else { continue }
            finished.append(stream)
            guard fade.silence != .none else { continue }
            // Silence is set at once: audio played after the last step would be unheard, and missing later.
            actions.append(silence(stream, fade.silence))
            actions.append(.settled(stream))
        }
        for stream in finished { remove(stream) }
        // The last fade has taken the index of the finished one, and is moved in this step or the next.
        nextToMove = isMore ? end - finished.count : 0
        nextStep = isMore ? now : nil
        if !isMore { for fade in fades { scheduleStep(fade, at: now) } }
        return actions
    }

    /// Schedules the next step early enough for a fade.
    private mutating func scheduleStep(_ fade: Fade, at now: Instant) {
        guard let due = fade.nextStep(after: now, pace: pace) else { return }
        nextStep = min(nextStep ?? due, due)
    }

    private mutating func remove(_ stream: StreamID) {
        guard let index = indexOfFade.removeValue(forKey: stream), let last = fades.popLast() else { return }
        guard index < fades.count else { return }
        fades[index] = last
        indexOfFade[last.stream] = index
    }

    private mutating func move(_ stream: StreamID, to gain: Double) -> Action {
        updateState(stream) { $0.gain = gain }
        return .gain(stream, LinearGain(gain))
    }

    private mutating func silence(_ stream: StreamID, _ silence: Silence) -> Action {
        updateState(stream) { $0.silence = silence }
        return .silence(stream, silence)
    }

    private mutating func updateState(_ stream: StreamID, _ change: (inout State) -> Void) {
        var state = states[stream] ?? State()
        change(&state)
        states[stream] = state == State() ? nil : state
    }
}
