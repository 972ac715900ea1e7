public import PolicyEngine

/// A notice to a stream's client about an interruption.
public enum StreamInterruption: Sendable, Hashable {
    /// The stream is silent: another application or a reason stopped it (N7).
    case began(reason: InterruptionReason, by: String)
    /// The interruption is over. With `shouldResume`, the stream resumes by itself or its application should resume it
    /// (R31, R33).
    case ended(shouldResume: Bool)
}

/// The pending notices for the client of one stream. The beginning of an interruption is told once the stream is silent
/// (R26). If the interruption ends before that, the client is told nothing.
struct ClientNotices: Equatable {
    private var waiting: [StreamInterruption] = []

    /// The notice that a change of treatment requires; `nil` if the client need not know.
    ///
    /// - Parameters:
    ///   - actor: Who causes the treatment.
    ///   - mayResume: Whether the stream resumes when its application activates its session again (R34).
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

    /// Adds a notice and returns the notices to send now.
    ///
    /// - Parameters:
    ///   - isSilenced: Whether the stream is silent or fading to silence.
    ///   - isMoving: Whether it is still fading.
    mutating func add(_ notice: StreamInterruption, isSilenced: Bool, isFading: Bool) -> [StreamInterruption] {
        if case .ended = notice, !isSilenced {
            defer { waiting = [] }
            return waiting.isEmpty ? [notice] : []
        }
        waiting.append(notice)
        return isFading ? [] : settled()
    }

    /// Records that the stream has become silent. Returns the notices to send now.
    mutating func settled() -> [StreamInterruption] {
        defer { waiting = [] }
        return waiting
    }
}

extension Treatment {
    /// Whether the client is told of this treatment. A stream that only waits for others to fall silent, or whose own
    /// session is inactive, is not interrupted.
    fileprivate var isInterruption: Bool {
        (silence == .cork || silence == .pausePlayer) && reason != .handover && reason != .inactive
    }
}
