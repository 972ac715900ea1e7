public import SessionCore

/// How much a line of the log matters.
public enum LogLevel: Int32, Sendable {
    /// Something does not work.
    case error = 1
    /// Something works otherwise than was asked for.
    case warning = 2
    /// What was decided, and why.
    case info = 3
    /// What was seen.
    case debug = 4
}

/// What the runtime needs of a sound server.
///
/// All calls come on the server's main loop. None may block, and none may call the runtime back but through
/// ``SessionRuntime/post(_:)``. A stream that is gone is ignored.
public protocol Host: AnyObject {
    /// The monotonic clock.
    var now: Instant { get }
    /// How long the graph that a stream is part of takes for one round: changes of gain land at its ends.
    func quantum(of stream: StreamID) -> Duration
    /// How much time to allow for one ``setGain(_:of:)``, so that many of them leave time for other work.
    var gainCost: Duration { get }
    /// Sets the factor on the stream's own volume, which stays as it is.
    func setGain(_ gain: LinearGain, of stream: StreamID)
    /// Corks or mutes a stream on top of what its application wants, or lets it go.
    func setSilence(_ silence: Silence, of stream: StreamID)
    /// How a stream is silenced at this moment.
    func silence(of stream: StreamID) -> Silence
    /// Tells a stream's client that it gets no device (R23).
    func refuse(_ stream: StreamID)
    /// Tells a stream's client that it is interrupted, or is not any more (N7, R33); where the server has no way to tell it,
    /// the bus has to do.
    func tell(_ stream: StreamID, of interruption: StreamInterruption)
    /// The streams whose sound goes to a sink, by the sink's number in the server.
    func streams(heardOn node: UInt32) -> [StreamID]
    /// The sink or source that a stream is linked to, by its number in the server.
    func place(of stream: StreamID) -> UInt32?
    /// Sends a stream elsewhere, or makes another port of a card the one in use.
    func carryOut(_ command: RouteCommand)
    /// Carries what is wished for a stream to the stream itself, or puts back what its client had there (R74, R76).
    func request(_ wish: StreamWish, of stream: StreamID)
    /// What the graph runs at that a stream is part of; of none, or one that is part of no graph, the one that runs.
    func clock(of stream: StreamID?) -> GraphClock
    /// Whether ``setGain(_:of:)`` makes a difference to a stream.
    func hasVolume(_ stream: StreamID) -> Bool
    /// All events have been handled: other streams than before may be those that would be rejected if they were started now
    /// (``SessionRuntime/wouldReject(_:)``).
    func lookAtStarts()
    /// Calls ``SessionRuntime/timerFired()`` at this moment, instead of at an earlier chosen one; `nil` for never.
    func arm(at moment: Instant?)
    /// Writes a line.
    func log(_ level: LogLevel, _ text: @autoclosure () -> String)
}

extension Host {
    /// Nothing has to be done in advance where a server asks before a stream starts.
    public func lookAtStarts() {}
}
