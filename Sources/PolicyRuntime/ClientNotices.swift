public import PolicyEngine

/// A notice to a stream's client about an interruption.
public enum StreamInterruption: Sendable, Hashable {
    /// The stream is silent: another application or a reason stopped it (N7).
    case began(reason: InterruptionReason, by: String)
    /// The interruption is over. With `shouldResume`, the stream or its application should resume (R31, R33).
    case ended(shouldResume: Bool)
}

/// The pending notices for one stream's client, told of an interruption once the stream is silent (R26); an
/// interruption that ends before is not told at all.
struct ClientNotices: Equatable {
    private var waiting: [StreamInterruption] = []

    /// `nil` if the client need not know. `mayResume` says whether the stream resumes when its application activates
    /// its session again (R34).
    static func notice(
        of treatment: Treatment, after former: Treatment, actor: @autoclosure () -> String,
        mayResume: @autoclosure () -> Bool
    ) -> StreamInterruption? {
        switch (former.isInterruption, treatment.isInterruption) {
        case (false, true): .began(reason: InterruptionReason(of: treatment.reason), by: actor())
        // Also when the stream stays silent until its application activates its session again.
        case (true, false): .ended(shouldResume: treatment.reason != .inactive || mayResume())
        case (true, true) where treatment.reason == .superseded && former.reason != .superseded:
            .ended(shouldResume: false)
        default: nil
        }
    }

    /// Returns the notices to send now.
    mutating func add(_ notice: StreamInterruption, isSilenced: Bool, isFading: Bool) -> [StreamInterruption] {
        if case .ended = notice, !isSilenced {
            defer { waiting = [] }
            return waiting.isEmpty ? [notice] : []
        }
        waiting.append(notice)
        return isFading ? [] : settled()
    }

    /// Returns the notices to send now.
    mutating func settled() -> [StreamInterruption] {
        defer { waiting = [] }
        return waiting
    }
}

extension Treatment {
    /// A stream that waits for others to fall silent, or whose own session is inactive, is not interrupted.
    fileprivate var isInterruption: Bool {
        (silence == .cork || silence == .pausePlayer) && reason != .handover && reason != .inactive
    }
}
