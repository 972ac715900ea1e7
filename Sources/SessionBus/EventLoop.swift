/// What the bus needs of a loop: to be told when a descriptor is ready, and when a moment has come.
///
/// A sound server's own loop and ``PollLoop`` have it. Everything happens on the loop's thread.
public protocol EventLoop: AnyObject {
    /// CLOCK_MONOTONIC, in nanoseconds.
    var now: Int64 { get }
    /// Calls back whenever the descriptor is ready for what was asked for; at first for nothing.
    ///
    /// The watch ends when it is cancelled; the descriptor stays open for that long.
    func watch(_ descriptor: Int32, _ body: @escaping (Readiness) -> Void) -> any LoopWatch
    /// A timer that is not armed. It ends when it is cancelled.
    func timer(_ body: @escaping () -> Void) -> any LoopTimer
}

/// A descriptor that a loop looks at.
public protocol LoopWatch: AnyObject {
    /// Asks for other events; hanging up is reported always.
    func update(_ interest: Readiness)
    /// Ends it: nothing is called back any more, not even what is under way.
    func cancel()
}

/// A moment that a loop waits for.
public protocol LoopTimer: AnyObject {
    /// Waits for a moment of the loop's clock, in nanoseconds, once; a moment that has passed comes in the next turn.
    /// Nil is for none.
    func arm(at moment: Int64?)
    /// Ends it.
    func cancel()
}

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Sendable, Hashable {
    /// One bit for each.
    public let rawValue: UInt8
    /// Makes a set of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is something to read.
    public static let readable = Readiness(rawValue: 1)
    /// There is room to write.
    public static let writable = Readiness(rawValue: 2)
    /// The other end is gone, or there is an error.
    public static let hungUp = Readiness(rawValue: 4)
}
