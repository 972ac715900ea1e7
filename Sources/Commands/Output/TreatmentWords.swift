import BusInterface
import Glibc
import PolicyEngine

/// What is done to a stream, in words and figures, for all that shows it.
extension Style {
    /// The treatment of a stream, its cause and its duration.
    func treatment(of stream: StreamRecord, at now: Int64?) -> Tree.Part {
        let cause = cause(of: stream)
        if stream.isFree { return Tree.Part(cause.isEmpty ? "free" : "free \(cause), as its user wants it") }
        var words = [stream.treatment == "player-paused" ? "player paused" : safe(stream.treatment)]
        if stream.treatment == "ducked" { words.append(decibels(stream.gain)) }
        if !cause.isEmpty { words.append(cause) }
        if let now, stream.since > 0 { words.append("since \(age(from: stream.since, to: now))") }
        return Tree.Part(words.joined(separator: " "), stream.isSilenced ? .silenced : .lowered)
    }

    /// Who or what causes a stream's treatment, or beside whom it is heard in spite of the policy.
    func cause(of stream: StreamRecord) -> String {
        if stream.isFree {
            let beside = stream.beside.map { safe($0) }.joined(separator: ", ")
            return beside.isEmpty ? "" : "beside \(beside)"
        }
        // A reason in a few words, unless it adds nothing to the treatment itself.
        let known = Reason(rawValue: stream.cause)
        let reason = known == nil ? safe(stream.cause) : known?.brief ?? ""
        return [stream.by.isEmpty ? "" : "by \(safe(stream.by))", reason.isEmpty ? "" : "(\(reason))"]
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// A duration in its largest unit, such as `3 s`; the arguments are in microseconds.
    func age(from start: Int64, to end: Int64) -> String {
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        let seconds = overflow ? 0 : max(0, difference / 1_000_000)
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

extension StreamRecord {
    /// The stream's gain in percent, as volume controls show it: the cube root of the factor on the amplitude. With
    /// `atThisMoment`, the present gain in a fade.
    func level(atThisMoment: Bool = false) -> Int {
        if isFree && !atThisMoment { return 100 }
        let gain = atThisMoment ? presentGain : isSilenced ? -.infinity : self.gain
        let amplitude = gain.isFinite ? Decibels(gain).linear.value : gain > 0 ? 1 : 0
        return Int((Glibc.cbrt(amplitude) * 100).rounded())
    }
}
