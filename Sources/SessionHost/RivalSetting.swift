/// A setting of the session manager that works against the policy: on or off, as the session manager reports it, and what to
/// write to it. A pure value.
///
/// The setting is turned off while it is in the way, and on again afterwards. Whoever turns it on meanwhile has the last
/// word.
public struct RivalSetting: Sendable, Equatable {
    private enum State: Sendable, Equatable {
        /// Off, or not known: there is nothing to do.
        case off
        /// On, and not changed by us.
        case on
        /// On when it was last reported, and we have turned it off.
        case turningOff
        /// Off because of us.
        case turnedOff
        /// On again while we had turned it off: not by us, and so we leave it alone.
        case kept
    }

    private var state = State.off
    private var isInTheWay = false

    /// Creates a setting that is not known yet.
    public init() {}

    /// Whether it is on although it is in the way, because somebody has turned it on again.
    public var isKept: Bool { state == .kept && isInTheWay }

    /// Takes a value that the session manager reports; `nil` if the setting is gone. Returns the value to write, if any.
    public mutating func report(_ isOn: Bool?) -> Bool? {
        switch (state, isOn) {
        case (.turningOff, true?): break
        case (.turningOff, false?): state = .turnedOff
        case (.turnedOff, true?), (.kept, true?): state = .kept
        case (_, true?): state = .on
        case (.turnedOff, false?): break
        case (_, false?), (_, nil): state = .off
        }
        return write()
    }

    /// Takes whether the setting is in the way now. Returns the value to write, if any.
    public mutating func update(isInTheWay: Bool) -> Bool? {
        self.isInTheWay = isInTheWay
        return write()
    }

    private mutating func write() -> Bool? {
        switch state {
        case .on where isInTheWay:
            state = .turningOff
            return false
        case .turningOff where !isInTheWay, .turnedOff where !isInTheWay:
            state = .on
            return true
        default: return nil
        }
    }
}
