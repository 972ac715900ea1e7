public import SessionCore

/// The importance of a log line.
public enum LogLevel: Int32, Sendable {
    /// Something does not work.
    case error = 1
    /// Something works in another way than was asked for.
    case warning = 2
    /// A decision and its reason.
    case info = 3
    /// An observation.
    case debug = 4
}

/// What a sink or source is like.
public struct DeviceFigures: Sendable, Hashable {
    /// The number of channels.
    public var channels: UInt32
    /// The position of its volume slider, from 0 to 1: 0 while it is muted, and 1 for every volume above the full level.
    public var volume: Double
    /// The time between a stream and what is heard or recorded; zero if the server does not know it.
    public var latency: Duration

    /// Describes a sink or source, without channels and silent unless something else is given.
    public init(channels: UInt32 = 0, volume: Double = 0, latency: Duration = .zero) {
        self.channels = channels
        self.volume = volume >= 0 ? min(volume, 1) : 0
        self.latency = min(max(latency, .zero), DeviceFigures.longestLatency)
    }

    /// Programs may state any latency of the nodes that they make.
    private static let longestLatency = Duration.seconds(60)
}

/// What the runtime needs of a sound server.
///
/// All calls come on the server's main loop. None may block, and none may call the runtime back except through
/// ``SessionRuntime/post(_:)``. Calls about a stream that was removed are ignored.
public protocol Host: AnyObject {
    /// The monotonic clock.
    var now: Instant { get }
    /// The duration of one cycle of the stream's graph. Changes of gain take effect at the end of a cycle.
    func quantum(of stream: StreamID) -> Duration
    /// The time to allow for one ``setGain(_:of:)``, so that many calls leave time for other work.
    var gainCost: Duration { get }
    /// Sets the policy's factor on a stream's volume. The stream's own volume is not changed.
    func setGain(_ gain: LinearGain, of stream: StreamID)
    /// Whether ``glide(_:to:within:fromSilence:)`` works for a stream. If it does not, a fade is made of steps.
    func glides(_ stream: StreamID) -> Bool
    /// Lets the policy's factor on a stream's volume go to a gain evenly, sample by sample, from the next cycle of the graph
    /// on: from wherever it is now, or from silence, for a stream that was silenced. The stream's own volume is not changed.
    func glide(_ stream: StreamID, to gain: LinearGain, within duration: Duration, fromSilence: Bool)
    /// Corks, mutes or releases a stream, whatever its application wants.
    func setSilence(_ silence: Silence, of stream: StreamID)
    /// How the policy silences a stream now.
    func silence(of stream: StreamID) -> Silence
    /// Tells a stream's client that it is refused a device (R23).
    func refuse(_ stream: StreamID)
    /// Tells a stream's client that an interruption began or ended (N7, R33). If the server cannot tell the client,
    /// only the D-Bus service does.
    func tell(_ stream: StreamID, of interruption: StreamInterruption)
    /// The streams that play on a sink, given by the sink's number in the server.
    func streams(heardOn node: UInt32) -> [StreamID]
    /// The number in the server of the sink or source to which a stream is linked; `nil` for none.
    func place(of stream: StreamID) -> UInt32?
    /// Moves a stream, or changes the port that a card uses.
    func carryOut(_ command: RouteCommand)
    /// Applies a wish to a stream; an empty wish restores what the stream's client had set (R74, R76).
    func apply(_ wish: StreamWish, to stream: StreamID)
    /// The sample rate and quantum of a stream's graph; of the running graph if the stream is `nil` or in no graph.
    func clock(of stream: StreamID?) -> GraphClock
    /// The channels, the volume and the latency of a sink or source, given by its number in the server; `nil` if there
    /// is none.
    func device(_ node: UInt32) -> DeviceFigures?
    /// How long the cards that are running go on sounding if nobody gives them anything more; zero if none is running.
    var longestBuffer: Duration { get }
    /// Whether levels can be measured.
    var measuresStreams: Bool { get }
    /// Calls ``SessionRuntime/measured(_:peak:)`` some twenty times or more in a second while the stream plays, or no
    /// longer.
    func measure(_ stream: StreamID, _ isMeasured: Bool)
    /// Whether ``setGain(_:of:)`` has an effect on a stream.
    func hasVolume(_ stream: StreamID) -> Bool
    /// Called when all events of a turn have been handled: what would become of streams that have not started may have
    /// changed (``SessionRuntime/mustBeginSilent(_:)``), and the policy may be another one, or suspended.
    func turnEnded()
    /// Calls ``SessionRuntime/timerFired()`` at this moment instead of an earlier chosen one; `nil` for never.
    func arm(at moment: Instant?)
    /// Writes a log line.
    func log(_ level: LogLevel, _ text: @autoclosure () -> String)
}

extension Host {
    /// No sinks or sources.
    public func device(_ node: UInt32) -> DeviceFigures? { nil }

    /// No cards.
    public var longestBuffer: Duration { .zero }

    /// No levels.
    public var measuresStreams: Bool { false }

    /// Does nothing.
    public func measure(_ stream: StreamID, _ isMeasured: Bool) {}

    /// Does nothing.
    public func turnEnded() {}

    /// No stream does.
    public func glides(_ stream: StreamID) -> Bool { false }

    /// Does nothing.
    public func glide(_ stream: StreamID, to gain: LinearGain, within duration: Duration, fromSilence: Bool) {}
}
