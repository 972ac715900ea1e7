import SessionCore

#if PLAIN_ENGINE
    import PlainEngine

    /// The engine that is judged: with -DPLAIN_ENGINE the plain one.
    public typealias EngineUnderTest = PlainEngine.Engine
    /// Whether the streams of several sessions are treated from the strongest claim down (R27).
    public let ordersTreatments = true
#else
    /// The engine that is judged: with -DPLAIN_ENGINE the plain one.
    public typealias EngineUnderTest = SessionCore.Engine
    /// Whether the streams of several sessions are treated from the strongest claim down (R27).
    public let ordersTreatments = false
#endif

/// An engine, and a judgement of all that it does.
public protocol EventJudge: Sendable {
    /// An engine without streams.
    ///
    /// - Parameter isThorough: Whether to judge also what takes long.
    init(policy: Policy, isThorough: Bool)
    /// Sends an event to the engine and judges what follows. Returns the engine's effects.
    mutating func send(_ event: Event, at now: Instant) -> [Effect]
    /// What was found wrong first; `nil` for nothing.
    var flaw: String? { get }
    /// Whether nothing is judged any more, because the policy contradicts itself.
    var isOver: Bool { get }
}
