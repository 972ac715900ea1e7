/// The event loop that the bus needs: it watches descriptors and has timers.
///
/// A sound server's own loop and ``PollLoop`` implement it. Everything happens on the loop's thread.
public protocol EventLoop: AnyObject {
    /// CLOCK_MONOTONIC, in nanoseconds.
    var now: Int64 { get }
    /// Watches a descriptor and calls back when it is ready for the requested events, at first none.
    ///
    /// The descriptor must stay open until the watch is cancelled.
    func watch(_ descriptor: Int32, _ body: @escaping (Readiness) -> Void) -> any LoopWatch
    /// Creates a timer that is not armed. It exists until it is cancelled.
    func timer(_ body: @escaping () -> Void) -> any LoopTimer
}

/// A watch of one descriptor.
public protocol LoopWatch: AnyObject {
    /// Requests other events; hanging up is always reported.
    func update(_ interest: Readiness)
    /// Ends the watch: nothing is called back any more, not even for an event that has already come.
    func cancel()
}

/// A timer of a loop.
public protocol LoopTimer: AnyObject {
    /// Fires once at a time of the loop's clock, in nanoseconds; a time in the past fires in the next turn. Nil disarms
    /// the timer.
    func arm(at moment: Int64?)
    /// Ends the timer.
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
