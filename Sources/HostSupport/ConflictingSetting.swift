/// A setting of the session manager that works against the policy, as the session manager reports it, and what to write
/// to it. A setting in the way is turned off, and on again afterwards. Whoever turns it on meanwhile has the last word.
public struct ConflictingSetting: Sendable, Equatable {
    /// As the session manager has reported it; `nil` while unknown.
    private var reported: Bool?
    /// Not reported yet, the oldest first.
    private var written: [Bool] = []
    /// Whether the setting is off because of us, or will be.
    private var isOwed = false
    /// Whether somebody else has turned the setting on while it was in the way.
    private var isWanted = false
    private var isInTheWay = false

    /// Beyond it, the session manager does not answer.
    private static let mostWritten = 16

    /// Creates a setting that is not known yet.
    public init() {}

    /// Whether it is on although it is in the way, because somebody has turned it on.
    public var isKept: Bool { isWanted && isInTheWay }

    /// Handles a value that the session manager reports; `nil` if the setting is gone. Returns the value to write.
    public mutating func report(_ isOn: Bool?) -> Bool? {
        guard let isOn else {
            let wasInTheWay = isInTheWay
            self = ConflictingSetting()
            isInTheWay = wasInTheWay
            return nil
        }
        if let answered = written.firstIndex(of: isOn), isOn != reported {
            written.removeSubrange(...answered)
        } else if let reported, reported != isOn {
            // Somebody else has written that.
            isWanted = isOn && isInTheWay
            isOwed = false
            written = []
        }
        reported = isOn
        return write()
    }

    /// Records whether the setting is in the way. Returns the value to write, if any.
    public mutating func update(isInTheWay: Bool) -> Bool? {
        self.isInTheWay = isInTheWay
        return write()
    }

    private mutating func write() -> Bool? {
        guard let isOn = written.last ?? reported else { return nil }
        let mustBeOff = isInTheWay && !isWanted
        if isOn && mustBeOff {
            isOwed = true
        } else if !isOn && !mustBeOff && isOwed {
            isOwed = false
        } else {
            return nil
        }
        if written.count == Self.mostWritten { written.removeFirst() }
        written.append(!isOn)
        return !isOn
    }
}
