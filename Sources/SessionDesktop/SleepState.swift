/// The steps before and after the machine sleeps. A pure value: events in, actions out.

/// Where the machine is between being awake and asleep, and what is to be done about it (N16).
///
/// Source: systemd, "Inhibitor Locks": who holds a lock of mode `delay` may hold up the sleep until it closes the
/// lock's descriptor, at most for `InhibitDelayMaxUSec`; afterwards it takes a new one.
public struct SleepState: Sendable, Equatable {
    /// What happens.
    public enum Event: Sendable, Equatable {
        /// logind is there.
        case serviceCame
        /// logind has gone; no lock of it holds anything any more.
        case serviceGone
        /// `PrepareForSleep(true)`.
        case prepare
        /// `PrepareForSleep(false)`.
        case woke
        /// Everything is silent; the machine may sleep.
        case done
        /// The time that a lock may hold up the sleep is over.
        case timeUp
    }
    /// What is to be done.
    public enum Action: Sendable, Equatable {
        /// Ask for a lock, unless there is one.
        case takeLock
        /// Close the lock's descriptor, or drop it when it comes.
        case dropLock
        /// Tell that the machine is about to sleep.
        case announceSleep
        /// Tell that the machine is awake again.
        case announceWake
    }
    private enum Step: Sendable {
        case absent, awake, preparing, asleep
    }
    private var step = Step.absent

    /// Without logind.
    public init() {}

    /// Whether a lock is of use: while awake and while the others finish.
    public var wantsLock: Bool { step == .awake || step == .preparing }

    /// Takes an event; whatever comes in whatever order, a sleep that was announced is followed by one wake.
    public mutating func handle(_ event: Event) -> [Action] {
        switch (step, event) {
        case (.absent, .serviceCame):
            step = .awake
            return [.takeLock]
        case (.awake, .prepare):
            step = .preparing
            return [.announceSleep]
        case (.preparing, .done), (.preparing, .timeUp):
            step = .asleep
            return [.dropLock]
        case (.preparing, .woke):
            // Called off before everything was silent. A lock that is still held is good for the next time.
            step = .awake
            return [.takeLock, .announceWake]
        case (.asleep, .woke):
            step = .awake
            return [.takeLock, .announceWake]
        case (.awake, .serviceGone):
            step = .absent
            return [.dropLock]
        case (.preparing, .serviceGone), (.asleep, .serviceGone):
            // Nobody is left to say that the machine woke, and silence must not last.
            step = .absent
            return [.dropLock, .announceWake]
        default: return []
        }
    }
}
