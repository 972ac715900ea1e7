public import PolicyEngine
public import PolicyFile
public import PolicyRuntime

/// A sound server that exists on paper only: nothing is heard, and nothing fails.
open class PaperHost: Host {
    /// Pretends to be a release of PipeWire.
    public let server = ServerDescription.pipeWire("0")
    /// As in PipeWire.
    public let gainCost = Duration.microseconds(20)
    /// No levels.
    public let measuresStreams = false
    /// No cards.
    public let longestBuffer = Duration.zero
    /// What the server is connected to.
    public private(set) lazy var runtime = SessionRuntime(policy: policy, host: self)
    private let policy: PolicyInForce

    /// A server without streams.
    public init(_ policy: PolicyInForce) { self.policy = policy }

    /// Time stands still.
    open var now: Instant { Instant(nanoseconds: 1_000_000_000) }
    /// The same for all.
    open var clock: GraphClock { GraphClock(sampleRate: 48_000, quantum: .milliseconds(20)) }
    /// None.
    open func streams(heardOn node: UInt32) -> [StreamID] { [] }
    /// None.
    open func device(_ node: UInt32) -> DeviceProperties? { nil }
    /// Every port can be used.
    open func choose(_ port: RoutePort, direction: PortDirection) -> Bool { true }
    /// Nothing fires.
    open func arm(at moment: Instant?) {}
    /// Nothing is written.
    open func log(_ level: LogLevel, _ text: @autoclosure () -> String) {}
    /// Nothing moves.
    public func carryOut(_ command: RouteCommand) {}
    /// Nothing to do.
    public func outputLost(_ port: RoutePort) {}
    /// Nothing to do.
    public func turnEnded() {}
    /// Nothing to do: there is no loop.
    public func drainLater() {}
}

/// A stream of a sound server that exists on paper only, which its client wants to run, and which does.
open class PaperStream: ServerStream {
    /// Its id in the engine.
    public var id = StreamID(0)
    /// Its direction.
    public let direction: StreamDirection
    /// Whose it is.
    public let identity: StreamIdentity
    /// What it says of itself.
    public var properties: [String: String]
    /// What is wrong with its properties.
    public var complaint: String?
    /// Whether its client wants it to run.
    public var wantsToPlay = true
    /// Whether the server processes it.
    public var isRunning = true
    /// Whether it is held, and was before.
    public private(set) var holds: [Bool] = []

    /// A stream that is not in the server yet.
    public init(_ identity: StreamIdentity, _ direction: StreamDirection, _ properties: [String: String]) {
        self.direction = direction
        self.identity = identity
        self.properties = properties
    }

    /// The same for all.
    open var clock: GraphClock { GraphClock(sampleRate: 48_000, quantum: .milliseconds(20)) }
    /// Nowhere.
    open var place: UInt32? { nil }
    /// It is not.
    public var isMuted: Bool { false }
    /// It has.
    public var hasVolume: Bool { true }
    /// It cannot.
    public var canRamp: Bool { false }
    /// One of its ``properties``.
    public func property(_ key: String) -> String? { properties[key] }
    /// Nothing has changed.
    open func readProperties() {}
    /// Nothing is heard of it.
    open func set(_ gain: LinearGain) {}
    /// The gain at once.
    public func ramp(to gain: LinearGain, within duration: Duration, fromSilence: Bool) { set(gain) }
    /// Notes it in ``holds``.
    open func hold(_ isHeld: Bool) { holds.append(isHeld) }
    /// Nothing to do.
    public func refuse() {}
    /// Nothing to do.
    public func tell(of interruption: StreamInterruption) {}
    /// Nothing to do.
    open func apply(_ preferences: StreamPreferences) {}
    /// Nothing to do.
    public func measure(_ isMeasured: Bool) {}
}
