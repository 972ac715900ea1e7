/// One figure that a row of this module has to reach, and whether it did.
public struct Verdict: Sendable, Codable, Equatable {
    /// The row's name.
    public var row: String
    /// PipeWire's quantum in frames; nil where there is none.
    public var quantum: Int?
    /// The figure, with its unit.
    public var figure: String
    /// Its median; nil if it was not measured.
    public var median: Double?
    /// Its worst value in the trials that the machine did not disturb; nil if one of them has none, as of music that
    /// never came back.
    public var worst: Double?
    /// The bound, and where it comes from.
    public var goal: String
    /// Whether the worst value reaches it.
    public var isReached: Bool
    /// Whether the other figures mean nothing without it.
    public var isPrerequisite = false
    /// Whether a click or a disturbance is the machine's as far as one can tell: what no policy touches is broken as well.
    public var isUnshown = false
}

/// The goals of this module's rows. Each is for every undisturbed trial, so that a policy that fails now and then does not
/// pass; and a policy that does nothing, or that never lets the music go on, passes none of them.
public struct TransitionGoals {
    private static let click = "click (dBFS)"
    private static let disturbed = "trials disturbed by the machine or not measured"
    /// The figures that a busy machine spoils first.
    private static let machines = [click, disturbed]

    /// All results of the run, in which the peers are looked up.
    private let results: [TransitionResult]

    /// The goals of a run.
    public init(_ results: [TransitionResult]) { self.results = results }

    /// The verdicts on all rows of this module.
    public var verdicts: [Verdict] {
        results.filter { !$0.row.place.isPeer }.flatMap { result in
            verdicts(on: result).map { verdict in
                var verdict = verdict
                verdict.isUnshown =
                    !verdict.isReached && TransitionGoals.machines.contains(verdict.figure)
                    && isBroken(control(of: result))
                return verdict
            }
        }
    }

    /// The music that no policy touches, in the same server with the same quantum.
    private func control(of result: TransitionResult) -> TransitionResult? {
        results.first {
            $0.row.place == result.row.place && $0.quantum == result.quantum && $0.row.effect == .none
        }
    }

    /// Whether a control has clicks, or was disturbed too often. Its own row says so; it is no excuse for the others, which
    /// were not shown to be better.
    private func isBroken(_ control: TransitionResult?) -> Bool {
        guard let control else { return false }
        let click = loudest(control).largest ?? 0
        return click > -80 || !measured(control).isReached
    }

    private func verdicts(on result: TransitionResult) -> [Verdict] {
        var found = [measured(result), returned(result)]
        for index in found.indices { found[index].isPrerequisite = true }
        if result.row.effect == .none { return found + [clicks(result, atMost: -80, "")] }
        found += level(result) + overlap(result) + [start(result), back(result)]
        return found + [clickGoal(result)].compactMap(\.self)
    }

    // MARK: - The goals

    /// Every trial was measured, and at most a quarter of them was disturbed: otherwise nothing was shown.
    private func measured(_ result: TransitionResult) -> Verdict {
        let all = result.trials.count + result.unmeasured
        let bad = result.trials.count - result.calm.count
        return Verdict(
            row: result.row.name, quantum: result.quantum, figure: TransitionGoals.disturbed,
            median: nil, worst: Double(bad + result.unmeasured), goal: "≤ a quarter of \(all), all measured",
            isReached: all > 0 && result.unmeasured == 0 && bad * 4 <= all)
    }

    /// Afterwards the music is as loud as before.
    private func returned(_ result: TransitionResult) -> Verdict {
        verdict(result, "level after it (dB from its own)", "within 0.1", { abs($0.returned ?? -80) }) { $0 <= 0.1 }
    }

    /// What is corked is silent; what is ducked is 20 dB lower, as the policy says.
    private func level(_ result: TransitionResult) -> [Verdict] {
        if result.row.effect == .cork {
            return [verdict(result, "level while interrupted (dB)", "≤ −60", { $0.level ?? -80 }) { $0 <= -60 }]
        }
        return [
            verdict(result, "level while ducked, from −20 (dB)", "within 0.5", { abs(($0.level ?? -80) + 20) }) {
                $0 <= 0.5
            }
        ]
    }

    /// Ringing waits for silence. The first words of a call are understood: half of the music is gone within 30 ms, and
    /// nine tenths within 60 ms. A prompt has the attack of its policy.
    private func overlap(_ result: TransitionResult) -> [Verdict] {
        if result.row.effect == .duck {
            return [heard(result, "−6 dB", result.row.isHard ? 30 : 250) { $0.heard.half }]
        }
        if result.row.holds {
            return [verdict(result, "both above −60 dB (ms)", "0", { $0.both.minus60 }) { $0 <= 0 }]
        }
        return [heard(result, "−6 dB", 30) { $0.heard.half }, heard(result, "−20 dB", 60) { $0.heard.minus20 }]
    }

    private func heard(
        _ result: TransitionResult, _ level: String, _ bound: Double, _ value: @escaping (TransitionFigures) -> Double?
    ) -> Verdict {
        verdict(result, "heard above \(level) (ms)", "≤ \(format(bound, decimals: 0))", value) { $0 <= bound }
    }

    /// Nobody is held back to make the overlap short: the interrupter's first sound comes as soon as without any policy.
    /// Ringing may wait for a fade of a tenth of a second. The median, because programs start at very different speeds.
    private func start(_ result: TransitionResult) -> Verdict {
        let control = control(of: result)
        let own = result.series(\.start).median
        let allowed = (result.row.holds ? 150.0 : 25) + quantum(result)
        let bound = control?.series(\.start).median.map { $0 + allowed }
        return Verdict(
            row: result.row.name, quantum: result.quantum, figure: "its first sound after its start, median (ms)",
            median: own, worst: own,
            goal: "≤ \(format(bound, decimals: 0)), the control's + \(format(allowed, decimals: 0))",
            isReached: own.flatMap { own in bound.map { own <= $0 } } ?? false)
    }

    /// Hard changes are compared with hard ones: back no later than the fastest peer's median and a quantum. No peer fades,
    /// so the others have bounds of their own, with all that the policy waits for: half a second for music that was stopped,
    /// and 1.1 seconds for music that was lowered, which rises slowly on purpose. Four quanta more are the server's.
    private func back(_ result: TransitionResult) -> Verdict {
        let slack = 4 * quantum(result)
        var bound: Double? = (result.row.effect == .duck ? 1100 : 500) + slack
        var reason = ""
        if result.row.isHard {
            bound = peers(of: result, result.row.effect).compactMap { $0.series(\.back).median }.min()
                .map { $0 + quantum(result) }
            reason = ", the fastest peer's"
        }
        return verdict(result, "back (ms)", "≤ \(format(bound, decimals: 0))\(reason)", \.back) { value in
            bound.map { value <= $0 } ?? false
        }
    }

    /// Gains that glide do not click at all. A fade of a hundredth of a second is nearly a cut; the phase of a tone at a cut
    /// varies, so 12 dB below the quietest peer's median separate the two.
    private func clickGoal(_ result: TransitionResult) -> Verdict? {
        if !result.row.isHard { return clicks(result, atMost: -80, "") }
        let peers = peers(of: result, nil).compactMap { loudest($0).median }.min()
        return clicks(result, atMost: peers.map { $0 - 12 }, ", 12 below the quietest peer's")
    }

    private func clicks(_ result: TransitionResult, atMost bound: Double?, _ reason: String) -> Verdict {
        verdict(
            result, TransitionGoals.click, "≤ \(format(bound, decimals: 0))\(reason)",
            { max($0.clickAtBegin, $0.clickAtEnd) }
        ) { value in bound.map { value <= $0 } ?? false }
    }

    // MARK: - What they are made of

    private func loudest(_ result: TransitionResult) -> Series {
        result.series { max($0.clickAtBegin, $0.clickAtEnd) }
    }

    /// The peers in the same server with the same quantum, of one effect or of any.
    private func peers(of result: TransitionResult, _ effect: TransitionRow.Effect?) -> [TransitionResult] {
        results.filter {
            result.row.place.peers.contains($0.row.place) && $0.quantum == result.quantum
                && (effect == nil || $0.row.effect == effect)
        }
    }

    /// PipeWire's quantum in milliseconds. A PulseAudio client's sound is changed where it is: 10 ms for its mixing.
    private func quantum(_ result: TransitionResult) -> Double {
        result.quantum.map { Double($0) / 48 } ?? 10
    }

    private func verdict(
        _ result: TransitionResult, _ figure: String, _ goal: String,
        _ value: @escaping (TransitionFigures) -> Double?, isReached: (Double) -> Bool
    ) -> Verdict {
        let judged = result.calm.map { value($0.figures) }
        let worst = judged.contains(nil) ? nil : judged.compactMap(\.self).max()
        return Verdict(
            row: result.row.name, quantum: result.quantum, figure: figure, median: result.series(value).median,
            worst: worst, goal: goal, isReached: worst.map(isReached) ?? false)
    }
}
