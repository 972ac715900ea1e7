package import PolicyEngine

/// The policy's gain for one stream, 0 where it is to be silent; the ramp that leads there without a click; and whether
/// the stream is held there.
///
/// Where the server can change a gain with every sample, a ramp is one call. Elsewhere it is made of steps, each of
/// which takes effect at the end of a quantum: the largest step decides how loud a ramp clicks, and a short ramp is
/// stretched to have enough steps. If the timer is late, the ramp takes longer; its steps do not grow.
package struct StreamLevel: Equatable {
    /// The largest change of the amplitude in one quantum: 1/24 clicks 27.6 dB more quietly than a hard cut at the
    /// worst phase, 20 dB more quietly at a median phase.
    package static let largestStep = 1.0 / 24
    package static let shortest = Duration.milliseconds(10)
    /// The longest stretched ramp: 24 quanta of 1024 frames at 48 kHz. Longer quanta get larger steps.
    package static let longestStretch = Duration.milliseconds(515)

    /// What the caller does to the stream, in this order.
    package enum Action: Equatable {
        case gain(LinearGain)
        /// Sample by sample: from the present gain, or from silence.
        case ramp(LinearGain, Duration, fromSilence: Bool)
        case hold(Bool)
        case settled
    }

    /// As the server was last told.
    private var told = 1.0
    private var isHeld = false
    private var ramp: Ramp?

    package init() {}

    private struct Ramp: Equatable {
        var from: Double
        var to: Double
        var length: Duration
        /// The part of the length until `moved`.
        var passed = Duration.zero
        var moved: Instant
        var holds: Bool
        /// Whether the ramp starts when the server runs the stream.
        var waits: Bool
        var begins: Instant
        var quantum: Duration
        /// Whether the server makes the ramp, sample by sample, and has begun.
        var isOfServer: Bool
        var isUnderWay = false
        var next: Instant

        /// When nothing of the server's ramp is heard any more. After nine tenths of the time, and the cycle in which
        /// it begins, it is at −120 dB or less from where it was, and goes on losing what is played.
        var end: Instant { moved.advanced(by: to > 0 ? length : length * 9 / 10 + quantum) }

        /// Computed as the server computes it.
        func gain(at now: Instant) -> Double {
            let part = min(max(moved.duration(to: now), .zero) / max(length, .nanoseconds(1)), 1)
            let eased = part * part * part * (part * (part * 6 - 15) + 10)
            let (first, last) = (LinearGain(from).slider, LinearGain(to).slider)
            return LinearGain(slider: first + (last - first) * (waits ? 0 : eased)).value
        }

        /// Two steps a quantum give each quantum a new gain.
        mutating func schedule(after now: Instant, pace: Duration) {
            next =
                begins > now ? begins : isOfServer ? isUnderWay ? end : now : now.advanced(by: max(quantum / 2, pace))
        }
    }

    /// The time between two steps of a ramp while few streams fade.
    package static let pace = Duration.milliseconds(2)

    /// `nil` while no ramp moves.
    package var nextStep: Instant? { ramp.flatMap { $0.waits ? nil : $0.next } }

    package var isFading: Bool { ramp != nil }

    package func gain(at now: Instant) -> LinearGain {
        LinearGain(ramp.flatMap { $0.isUnderWay ? $0.gain(at: now) : nil } ?? told)
    }

    /// Of the present ramp; zero without a ramp.
    package var length: Duration { ramp?.length ?? .zero }

    /// The rest of the present ramp, if every step comes in time; zero without a ramp.
    package func remaining(at now: Instant) -> Duration {
        guard let ramp else { return .zero }
        if ramp.isUnderWay, !ramp.waits { return max(now.duration(to: ramp.end), .zero) }
        let left = ramp.length - ramp.passed
        if ramp.waits { return left }
        if ramp.begins > now { return now.duration(to: ramp.begins) + left }
        return max(left - max(max(ramp.moved, ramp.begins).duration(to: now), .zero), .zero)
    }

    /// Sets a target, to which a ramp leads from the present gain; one that leads there already goes on.
    ///
    /// - Parameters:
    ///   - holds: Whether the stream is held when silent; for the target 0.
    ///   - duration: As the policy asks; zero is at once.
    ///   - delay: How long the stream keeps its present gain first.
    ///   - waits: Whether the stream does not run yet; a ramp upwards then begins with ``streamRuns(at:)``.
    package mutating func approach(
        _ target: LinearGain, holds: Bool = false, within duration: Duration, after delay: Duration = .zero,
        quantum: Duration, isOfServer: Bool = false, waits: Bool, at now: Instant
    ) -> [Action] {
        let to = target.value
        if ramp.map({ $0.to == to && $0.holds == holds }) ?? (told == to && isHeld == holds) { return [] }
        // The server knows the target of its ramp; the present gain is somewhere before that.
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
        // The gain waits in the server for the stream's first sound. Told after the release, it would miss some.
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

    private mutating func begin(_ ramp: inout Ramp, fromSilence: Bool = false, at now: Instant) -> Action {
        ramp.isUnderWay = true
        ramp.moved = now
        told = ramp.to
        return .ramp(LinearGain(ramp.to), ramp.length, fromSilence: fromSilence)
    }

    package mutating func streamRuns(at now: Instant) {
        guard ramp?.waits == true else { return }
        ramp?.waits = false
        ramp?.moved = now
        ramp?.schedule(after: now, pace: Self.pace)
    }

    /// With many fading streams, each has a longer `pace`: every step is a message to a client.
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

    /// The stream is held at once: what it plays after the last step would be unheard, and missing later.
    private mutating func finish(_ ended: Ramp, _ actions: [Action]) -> [Action] {
        ramp = nil
        if ended.to > 0 { return actions }
        return actions + (ended.holds == isHeld ? [] : [hold(ended.holds)]) + [.settled]
    }

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
