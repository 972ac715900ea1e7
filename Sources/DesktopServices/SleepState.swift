/// The steps before and after the machine sleeps. A pure value: events in, actions out.

/// The machine's progress between awake and asleep, with the actions that it requires (N16).
///
/// Source: systemd, "Inhibitor Locks". The holder of a `delay` lock delays sleep until it closes the lock's descriptor,
/// for `InhibitDelayMaxUSec` at most; after waking it takes a new lock.
public struct SleepState: Sendable, Equatable {
    /// An event of logind or of the policy.
    public enum Event: Sendable, Equatable {
        /// logind has started.
        case serviceCame
        /// logind has gone; its locks have no effect any more.
        case serviceGone
        /// `PrepareForSleep(true)`.
        case prepare
        /// `PrepareForSleep(false)`.
        case woke
        /// No stream is heard any more. Cards still hold what was played before.
        case silent
        /// Cards hold nothing but silence, so the machine may sleep.
        case drained
        /// The time for which a lock may delay sleep has passed.
        case timeUp
    }
    /// An action to perform.
    public enum Action: Sendable, Equatable {
        /// Request a lock, unless there is one.
        case takeLock
        /// Close the lock's descriptor; close a requested one when it arrives.
        case dropLock
        /// Report that the machine is about to sleep.
        case announceSleep
        /// Wait until silence has replaced all that cards hold.
        case drain
        /// Report that the machine is awake again.
        case announceWake
    }
    private enum Step: Sendable {
        case absent, awake, preparing, draining, asleep
    }
    private var step = Step.absent

    /// The state without logind.
    public init() {}

    /// Whether a lock is useful: while awake, and before sleep until cards hold nothing but silence.
    public var wantsLock: Bool { step == .awake || step == .preparing || step == .draining }

    /// Handles an event. In any order of events, each announced sleep is followed by exactly one wake.
    public mutating func handle(_ event: Event) -> [Action] {
        switch (step, event) {
        case (.absent, .serviceCame):
            step = .awake
            return [.takeLock]
        case (.awake, .prepare):
            step = .preparing
            return [.announceSleep]
        case (.preparing, .silent):
            // The kernel stops programs before it stops cards. A card then repeats what its buffer holds.
            step = .draining
            return [.drain]
        case (.draining, .drained), (.preparing, .timeUp), (.draining, .timeUp):
            step = .asleep
            return [.dropLock]
        case (.preparing, .woke), (.draining, .woke):
            // Sleep was cancelled before everything was silent. A lock that is still held serves the next time.
            step = .awake
            return [.takeLock, .announceWake]
        case (.asleep, .woke):
            step = .awake
            return [.takeLock, .announceWake]
        case (.awake, .serviceGone):
            step = .absent
            return [.dropLock]
        case (.preparing, .serviceGone), (.draining, .serviceGone), (.asleep, .serviceGone):
            // Nobody is left to report that the machine wakes, and silence must not last.
            step = .absent
            return [.dropLock, .announceWake]
        default: return []
        }
    }
}
