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
public struct DeviceProperties: Sendable, Hashable {
    /// The number of channels.
    public var channels: UInt32
    /// The position of its volume slider, 0…1: 0 while muted, and 1 for every volume above the full level.
    public var volume: Double
    /// From a stream to the sound; zero if unknown.
    public var latency: Duration

    /// Describes a sink or source.
    public init(channels: UInt32 = 0, volume: Double = 0, latency: Duration = .zero) {
        self.channels = channels
        self.volume = volume >= 0 ? min(volume, 1) : 0
        self.latency = min(max(latency, .zero), DeviceProperties.longestLatency)
    }

    /// Programs may state any latency of their nodes.
    private static let longestLatency = Duration.seconds(60)
}

/// The timing of a graph (R74).
public struct GraphClock: Sendable, Hashable {
    /// The sample rate in Hz.
    public var sampleRate: Double
    /// The duration of one cycle, at whose end changes of gain take effect.
    public var quantum: Duration

    /// Creates a clock.
    public init(sampleRate: Double, quantum: Duration) {
        self.sampleRate = sampleRate
        self.quantum = quantum
    }
}

/// What the runtime needs of a sound server. All calls come on the server's main loop, and none may block. Consequences
/// are posted (``SessionRuntime/post(_:now:)``) and wait until the present effects are applied.
public protocol Host: AnyObject {
    var server: ServerDescription { get }
    /// The monotonic clock.
    var now: Instant { get }
    /// The time for one change of a stream's gain. Limits the changes of one turn.
    var gainCost: Duration { get }
    /// `node`: the sink's number in the server.
    func streams(heardOn node: UInt32) -> [StreamID]
    func carryOut(_ command: RouteCommand)
    /// Makes the server use a port as if chosen in the desktop's settings (R66). Returns `false` if no usable profile
    /// of a card contains the port, or without a session manager.
    func choose(_ port: RoutePort, direction: PortDirection) -> Bool
    /// The clock of the graph that a new stream would join.
    var clock: GraphClock { get }
    /// `nil` for an unknown node.
    func device(_ node: UInt32) -> DeviceProperties?
    /// How long running cards sound on without further data; zero if none runs.
    var longestBuffer: Duration { get }
    var measuresStreams: Bool { get }
    /// A lost output may have to stop streams. Called before they are stopped.
    func outputLost(_ port: RoutePort)
    /// All events of a turn are handled: the fate of streams that have not started may have changed
    /// (``SessionRuntime/mustBeginSilent(_:)``), and the policy may be another one, or suspended.
    func turnEnded()
    /// Calls ``SessionRuntime/drain()`` after the server's present work.
    func drainLater()
    /// Calls ``SessionRuntime/timerFired()`` at this moment; replaces an earlier one; `nil` for never.
    func arm(at moment: Instant?)
    func log(_ level: LogLevel, _ text: @autoclosure () -> String)
}

/// One stream of a sound server.
public protocol ServerStream: AnyObject {
    /// Its id in the engine, set by the runtime. A stream whose properties change its meaning gets a new id.
    var id: StreamID { get set }
    var direction: StreamDirection { get }
    var identity: StreamIdentity { get }
    /// A mistake in its properties, for the log.
    var complaint: String? { get }
    /// A property of the stream, or else of its client.
    func property(_ key: String) -> String?
    /// Also introduces the stream anew if the properties mean something else.
    func readProperties()

    var wantsToPlay: Bool { get }
    /// By its user or client, also by a volume of zero; not by the policy.
    var isMuted: Bool { get }
    var isRunning: Bool { get }
    /// The server's number of the sink or source to which it is linked.
    var place: UInt32? { get }
    var clock: GraphClock { get }
    var hasVolume: Bool { get }
    /// Without ``ramp(to:within:fromSilence:)``, steps make a fade.
    var canRamp: Bool { get }

    /// The policy's factor, beside its own volume.
    func set(_ gain: LinearGain)
    /// The same, but evenly from sample to sample, from the next cycle on, starting at the present factor or at
    /// silence.
    func ramp(to gain: LinearGain, within duration: Duration, fromSilence: Bool)
    /// Stops it at its position, whatever its application wants, or releases it.
    func hold(_ isHeld: Bool)
    /// Tells the client that its stream gets no device (R23).
    func refuse()
    /// N7, R33. If the server cannot tell the client, only the D-Bus service does.
    func tell(of interruption: StreamInterruption)
    /// Without preferences, the client's own settings are restored (R74, R76).
    func apply(_ preferences: StreamPreferences)
    /// Calls ``SessionRuntime/measured(_:peak:)`` at least some twenty times a second while it plays, or no longer.
    func measure(_ isMeasured: Bool)
}
