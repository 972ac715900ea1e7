public import PolicyEngine

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

/// The timing of a graph (R74).
public struct GraphClock: Sendable, Hashable {
    /// The sample rate in Hz.
    public var sampleRate: Double
    /// The duration of one cycle. Changes of gain take effect at its end.
    public var quantum: Duration

    /// Creates a clock.
    public init(sampleRate: Double, quantum: Duration) {
        self.sampleRate = sampleRate
        self.quantum = quantum
    }
}

/// What the runtime needs of a sound server.
///
/// All calls come on the server's main loop. None may block. What a call causes is posted
/// (``SessionRuntime/post(_:now:)``), and waits until the present effects are applied.
public protocol Host: AnyObject {
    /// The running server and its limits.
    var server: ServerDescription { get }
    /// The monotonic clock.
    var now: Instant { get }
    /// The time to allow for one change of a stream's gain, so that many calls leave time for other work.
    var gainCost: Duration { get }
    /// The streams that play on a sink, given by the sink's number in the server.
    func streams(heardOn node: UInt32) -> [StreamID]
    /// Moves a stream, or changes the port that a card uses.
    func carryOut(_ command: RouteCommand)
    /// Makes the server use a port that the user has chosen, as if chosen in the desktop's settings (R66).
    ///
    /// - Returns: Whether that is possible. It is not if no usable profile of a card contains the port, or if there is
    ///   no session manager.
    func choose(_ port: RoutePort, direction: PortDirection) -> Bool
    /// The clock of the graph that a new stream would join.
    var clock: GraphClock { get }
    /// The channels, the volume and the latency of a sink or source, given by its number in the server; `nil` if there
    /// is none.
    func device(_ node: UInt32) -> DeviceFigures?
    /// How long the cards that are running go on sounding if nobody gives them anything more; zero if none is running.
    var longestBuffer: Duration { get }
    /// Whether levels can be measured.
    var measuresStreams: Bool { get }
    /// An output was lost on which something was heard that may have to stop. Called before those streams are stopped.
    func outputLost(_ port: RoutePort)
    /// Called when all events of a turn have been handled: what would become of streams that have not started may have
    /// changed (``SessionRuntime/mustBeginSilent(_:)``), and the policy may be another one, or suspended.
    func turnEnded()
    /// Calls ``SessionRuntime/drain()`` after the server's present work.
    func drainLater()
    /// Calls ``SessionRuntime/timerFired()`` at this moment instead of an earlier chosen one; `nil` for never.
    func arm(at moment: Instant?)
    /// Writes a log line.
    func log(_ level: LogLevel, _ text: @autoclosure () -> String)
}

/// One stream of a sound server: what it is, what it does, and what can be done to it.
public protocol ServerStream: AnyObject {
    /// Its id in the engine, which the runtime sets. To the engine, a stream whose properties change its meaning is a new
    /// one.
    var id: StreamID { get set }
    /// Its direction.
    var direction: StreamDirection { get }
    /// Whose it is.
    var identity: StreamIdentity { get }
    /// What is wrong with its properties, for the log.
    var complaint: String? { get }
    /// A property of the stream, or else of its client; `nil` if neither has it.
    func property(_ key: String) -> String?
    /// Reads its properties again, and introduces it anew if they mean something else.
    func readProperties()

    /// Whether its client wants it to run.
    var wantsToPlay: Bool { get }
    /// Whether its user or client has muted it, or has its volume at zero; not whether the policy mutes it.
    var isMuted: Bool { get }
    /// Whether the server processes it.
    var isRunning: Bool { get }
    /// The number in the server of the sink or source to which it is linked; `nil` for none.
    var place: UInt32? { get }
    /// The clock of its graph.
    var clock: GraphClock { get }
    /// Whether a gain has an effect on it.
    var hasVolume: Bool { get }
    /// Whether ``ramp(to:within:fromSilence:)`` works. If it does not, a fade is made of steps.
    var canRamp: Bool { get }

    /// Sets the policy's factor on its volume. Its own volume is not changed.
    func set(_ gain: LinearGain)
    /// Lets the policy's factor go to a gain evenly, sample by sample, from the next cycle of the graph on: from wherever it
    /// is now, or from silence, for a stream that was silenced.
    func ramp(to gain: LinearGain, within duration: Duration, fromSilence: Bool)
    /// Stops it at its position, whatever its application wants, or lets it go on.
    func hold(_ isHeld: Bool)
    /// Tells its client that it is refused a device (R23).
    func refuse()
    /// Tells its client that an interruption began or ended (N7, R33). If the server cannot tell the client, only the D-Bus
    /// service does.
    func tell(of interruption: StreamInterruption)
    /// Applies preferences; none restore what its client had set (R74, R76).
    func apply(_ preferences: StreamPreferences)
    /// Calls ``SessionRuntime/measured(_:peak:)`` some twenty times or more in a second while it plays, or no longer.
    func measure(_ isMeasured: Bool)
}
