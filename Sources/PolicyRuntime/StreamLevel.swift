package import PolicyEngine

/// The level that the policy gives to one stream: a gain, which is 0 where it is to be silent, the ramp that leads there
/// without a click, and whether the stream is held there.
///
/// Where the server can change a gain with every sample, a ramp is one call to it, and takes as long as the policy says.
/// Elsewhere it is made of steps. A step takes effect at the end of a quantum. So the largest step decides how loud a ramp
/// clicks, and a ramp that is short compared with the quantum is stretched to have enough steps. If the timer is late, the
/// ramp takes longer; its steps do not grow.
package struct StreamLevel: Equatable {
    /// The largest change of the amplitude in one quantum. A step of 1/24 clicks 27.6 dB more quietly than a hard cut
    /// at the worst phase, and 20 dB more quietly than one at a median phase.
    package static let largestStep = 1.0 / 24
    /// The shortest ramp.
    package static let shortest = Duration.milliseconds(10)
    /// The longest ramp that results from stretching: 24 quanta of 1024 frames at 48 kHz. Longer quanta get larger
    /// steps.
    package static let longestStretch = Duration.milliseconds(515)

    /// What is to be done to the stream, in this order.
    package enum Action: Equatable {
        case gain(LinearGain)
        /// The stream goes to a gain within this time, sample by sample: from where it is, or from silence.
        case ramp(LinearGain, Duration, fromSilence: Bool)
        /// The stream is stopped where it is, or goes on.
        case hold(Bool)
        /// The stream has become silent.
        case settled
    }

    /// The gain that the server was last told.
    private var told = 1.0
    /// Whether it is held.
    private var isHeld = false
    private var ramp: Ramp?

    /// A level that changes nothing.
    package init() {}

    /// A ramp that is not over.
    private struct Ramp: Equatable {
        var from: Double
        var to: Double
        var length: Duration
        /// How much of the length has passed, and when that was last computed.
        var passed = Duration.zero
        var moved: Instant
        /// Whether the stream is held at the end.
        var holds: Bool
        /// Whether it waits until the server runs the stream.
        var waits: Bool
        /// The earliest start.
        var begins: Instant
        var quantum: Duration
        /// Whether the server makes it, sample by sample, and whether it has been told.
        var isOfServer: Bool
        var isUnderWay = false
        /// When the next step is due.
        var next: Instant

        /// When nothing of the server's ramp is heard any more. The server begins it with its next cycle. After nine tenths
        /// of the time it is at −120 dB or less from where it was, and goes on losing what is played.
        var end: Instant { moved.advanced(by: to > 0 ? length : length * 9 / 10 + quantum) }

        /// The gain of the server's ramp at this moment, as far as is known here.
        func gain(at now: Instant) -> Double {
            let part = min(max(moved.duration(to: now), .zero) / max(length, .nanoseconds(1)), 1)
            let eased = part * part * part * (part * (part * 6 - 15) + 10)
            let (first, last) = (LinearGain(from).slider, LinearGain(to).slider)
            return LinearGain(slider: first + (last - first) * (waits ? 0 : eased)).value
        }

        /// Sets when the next step is due. Two steps a quantum give each quantum a new gain.
        mutating func schedule(after now: Instant, pace: Duration) {
            next =
                begins > now ? begins : isOfServer ? isUnderWay ? end : now : now.advanced(by: max(quantum / 2, pace))
        }
    }

    /// The time between two steps of a ramp when few streams fade.
    package static let pace = Duration.milliseconds(2)

    /// When the next step is due; `nil` while no ramp moves.
    package var nextStep: Instant? { ramp.flatMap { $0.waits ? nil : $0.next } }

    /// Whether it is on its way.
    package var isFading: Bool { ramp != nil }

    /// The gain at this moment.
    package func gain(at now: Instant) -> LinearGain {
        LinearGain(ramp.flatMap { $0.isUnderWay ? $0.gain(at: now) : nil } ?? told)
    }

    /// The length of the present ramp; zero if there is none.
    package var length: Duration { ramp?.length ?? .zero }

    /// How long the present ramp still takes, if every step comes in time; zero if there is none.
    package func remaining(at now: Instant) -> Duration {
        guard let ramp else { return .zero }
        if ramp.isUnderWay, !ramp.waits { return max(now.duration(to: ramp.end), .zero) }
        let left = ramp.length - ramp.passed
        if ramp.waits { return left }
        // Until it begins, nothing of its length passes.
        if ramp.begins > now { return now.duration(to: ramp.begins) + left }
        return max(left - max(max(ramp.moved, ramp.begins).duration(to: now), .zero), .zero)
    }

    /// Sets a target. A ramp leads there from the present gain; one that leads there already goes on.
    ///
    /// - Parameters:
    ///   - holds: Whether the stream is held when it is silent, for which the target must be 0.
    ///   - duration: The length that the policy asks for; zero is at once.
    ///   - delay: How long the stream keeps its present gain first.
    ///   - isOfServer: Whether the server can change the stream's gain with every sample.
    ///   - waits: Whether the stream does not run yet; a ramp upwards then begins with ``streamRuns(at:)``.
    package mutating func approach(
        _ target: LinearGain, holds: Bool = false, within duration: Duration, after delay: Duration = .zero,
        quantum: Duration, isOfServer: Bool = false, waits: Bool, at now: Instant
    ) -> [Action] {
        let to = target.value
        if ramp.map({ $0.to == to && $0.holds == holds }) ?? (told == to && isHeld == holds) { return [] }
        // A ramp of the server's that is under way has been told where to go, and is somewhere before that.
        let wasUnderWay = ramp?.isUnderWay ?? false
        let present = gain(at: now).value
        ramp = nil
        let distance = abs(to - present)
        guard duration > .zero || delay > .zero, distance > 0 || told != to else {
            var actions: [Action] = []
            if present != to || told != to { actions.append(move(to: to)) }
            if isHeld != holds { actions.append(hold(holds)) }
            if to == 0 { actions.append(.settled) }
            return actions
        }
        let steps = isOfServer ? 0 : (distance / Self.largestStep).rounded(.up)
        let wasHeld = isHeld
        var next = Ramp(
            from: present, to: to,
            length: max(duration, Self.shortest, min(quantum * steps, Self.longestStretch)), moved: now,
            holds: holds, waits: waits && to > 0, begins: now.advanced(by: max(delay, .zero)),
            quantum: quantum, isOfServer: isOfServer, next: now)
        var actions: [Action] = []
        // A gain that rises waits in the server for the stream's first sound. Told after the release, it would miss some.
        if isOfServer, next.begins <= now {
            actions.append(begin(&next, fromSilence: wasHeld, at: now))
        } else if wasUnderWay {
            actions.append(move(to: present))
        }
        if wasHeld, !holds { actions.append(hold(false)) }
        next.schedule(after: now, pace: Self.pace)
        ramp = next
        return actions
    }

    /// Has the server begin a ramp.
    private mutating func begin(_ ramp: inout Ramp, fromSilence: Bool = false, at now: Instant) -> Action {
        ramp.isUnderWay = true
        ramp.moved = now
        told = ramp.to
        return .ramp(LinearGain(ramp.to), ramp.length, fromSilence: fromSilence)
    }

    /// Starts the ramp that was waiting for the stream to run.
    package mutating func streamRuns(at now: Instant) {
        guard ramp?.waits == true else { return }
        ramp?.waits = false
        ramp?.moved = now
        ramp?.schedule(after: now, pace: Self.pace)
    }

    /// Takes the step that is due.
    ///
    /// - Parameter pace: The time between two steps. If very many streams fade, each gets fewer steps, because every step is
    ///   a message to a client.
    package mutating func step(at now: Instant, pace: Duration = StreamLevel.pace) -> [Action] {
        guard var next = ramp, !next.waits, next.begins <= now else { return [] }
        var actions: [Action] = []
        if next.isOfServer {
            if !next.isUnderWay {
                actions.append(begin(&next, at: now))
            } else if next.end <= now {
                return finish(next, actions)
            }
        } else {
            next.passed += min(max(next.moved.duration(to: now), .zero), max(next.quantum, pace))
            next.moved = now
            let isThere = next.passed >= next.length
            let gain = isThere ? next.to : next.from + (next.to - next.from) * (next.passed / next.length)
            if gain != told { actions.append(move(to: gain)) }
            if isThere { return finish(next, actions) }
        }
        next.schedule(after: now, pace: pace)
        ramp = next
        return actions
    }

    /// Ends a ramp. The stream is held at once: what was played after the last step would be unheard, and missing later.
    private mutating func finish(_ ended: Ramp, _ actions: [Action]) -> [Action] {
        ramp = nil
        if ended.to > 0 { return actions }
        return actions + (ended.holds == isHeld ? [] : [hold(ended.holds)]) + [.settled]
    }

    /// Undoes everything.
    package mutating func undo() -> [Action] {
        defer { self = StreamLevel() }
        return (told == 1 ? [] : [.gain(.unity)]) + (isHeld ? [.hold(false)] : [])
    }

    private mutating func move(to gain: Double) -> Action {
        told = gain
        return .gain(LinearGain(gain))
    }

    private mutating func hold(_ isHeld: Bool) -> Action {
        self.isHeld = isHeld
        return .hold(isHeld)
    }
}
