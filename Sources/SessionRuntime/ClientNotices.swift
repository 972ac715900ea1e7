public import SessionCore

/// What a stream's client has to know of an interruption.
public enum StreamInterruption: Sendable, Hashable {
    /// It is silent: stopped by an application or for a reason (N7).
    case began(reason: InterruptionReason, by: String)
    /// That is over. Whether it goes on by itself, or its application has to see to that (R31, R33).
    case ended(shouldResume: Bool)
}

/// What the client of one stream is still to be told. That an interruption has begun is told when the stream is silent (R26);
/// one that is over before is never told.
struct ClientNotices: Equatable {
    private var waiting: [StreamInterruption] = []

    /// What another treatment is to the client of a stream; `nil` if it need not know.
    ///
    /// - Parameters:
    ///   - actor: Who causes the treatment.
    ///   - mayResume: Whether the stream goes on when its application activates its session again (R34).
    static func notice(
        of treatment: Treatment, after former: Treatment, actor: @autoclosure () -> String,
        mayResume: @autoclosure () -> Bool
    ) -> StreamInterruption? {
        switch (former.isInterruption, treatment.isInterruption) {
        case (false, true): .began(reason: InterruptionReason(of: treatment.reason), by: actor())
        // Also where it stays silent until its application activates its session again.
        case (true, false): .ended(shouldResume: treatment.reason != .inactive || mayResume())
        case (true, true) where treatment.reason == .superseded && former.reason != .superseded:
            .ended(shouldResume: false)
        default: nil
        }
    }

    /// Takes a notice; returns those that are told now.
    ///
    /// - Parameters:
    ///   - isSilenced: The stream is silent, or on its way there.
    ///   - isMoving: It is still on its way.
    mutating func add(_ notice: StreamInterruption, isSilenced: Bool, isMoving: Bool) -> [StreamInterruption] {
        if case .ended = notice, !isSilenced {
            defer { waiting = [] }
            return waiting.isEmpty ? [notice] : []
        }
        waiting.append(notice)
        return isMoving ? [] : settled()
    }

    /// The stream is as silent as it was to be; returns what is told now.
    mutating func settled() -> [StreamInterruption] {
        defer { waiting = [] }
        return waiting
    }
}

extension Treatment {
    /// Whether a stream's client is told of it: it is stopped, and neither only until others are silent nor because its own
    /// session is not active.
    fileprivate var isInterruption: Bool {
        (silence == .cork || silence == .pausePlayer) && reason != .handover && reason != .inactive
    }
}
