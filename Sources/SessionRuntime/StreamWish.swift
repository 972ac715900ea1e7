public import SessionCore

/// An application's wish for the streams of its session while the session is active (R74, R76).
public struct StreamWish: Sendable, Hashable {
    /// The preferred sample rate of the graph, in Hz; `nil` for any.
    public var sampleRate: Double?
    /// The preferred duration of one cycle of the graph; `nil` for any.
    public var bufferDuration: Duration?
    /// The factor on what is recorded, on top of the user's own volume. It does not apply to playback.
    public var inputGain = LinearGain.unity

    /// Creates a wish.
    public init(sampleRate: Double? = nil, bufferDuration: Duration? = nil, inputGain: LinearGain = .unity) {
        self.sampleRate = sampleRate
        self.bufferDuration = bufferDuration
        self.inputGain = inputGain
    }

    /// A wish for nothing.
    public static let none = StreamWish()
}

/// The timing of a graph (R74).
public struct GraphClock: Sendable, Hashable {
    /// The sample rate in Hz.
    public var sampleRate: Double
    /// The duration of one cycle.
    public var quantum: Duration

    /// Creates a clock.
    public init(sampleRate: Double, quantum: Duration) {
        self.sampleRate = sampleRate
        self.quantum = quantum
    }
}

/// The wishes of applications, and the streams to which they apply: those of active sessions. A stream loses the wish
/// when its session becomes inactive, when the stream moves to another session, or when the wish is withdrawn.
struct Wishes {
    /// The wishes by session, without empty ones.
    private var wishes: [SessionID: StreamWish] = [:]
    /// The streams for which a wish was sent to the host.
    private var applied: Set<StreamID> = []
    /// Whether wishes, sessions or streams have changed since the last call of `changes`.
    var isStale = false

    /// Sets a session's wish.
    mutating func set(_ wish: StreamWish, of session: SessionID) {
        wishes[session] = wish == .none ? nil : wish
        isStale = true
    }

    /// A session's wish.
    subscript(session: SessionID) -> StreamWish { wishes[session] ?? .none }

    /// Forgets a session that was closed.
    mutating func forget(_ session: SessionID) { wishes[session] = nil }

    /// Forgets a stream that was removed.
    mutating func forget(_ stream: StreamID) { applied.remove(stream) }

    /// Forgets all sessions.
    mutating func forgetAll() { wishes = [:] }

    /// The wishes to apply to streams now; empty if nothing has changed since the last call.
    ///
    /// - Parameters:
    ///   - streams: The streams of a session; none while it is inactive.
    ///   - wish: The wish last sent for a stream.
    mutating func changes(
        streams: (SessionID) -> [(id: StreamID, direction: StreamDirection)], asked wish: (StreamID) -> StreamWish
    ) -> [(stream: StreamID, wish: StreamWish)] {
        guard isStale else { return [] }
        isStale = false
        guard !wishes.isEmpty || !applied.isEmpty else { return [] }
        var due: [StreamID: StreamWish] = [:]
        for (session, wish) in wishes {
            for stream in streams(session) {
                var own = wish
                // Playback has no input gain.
                if stream.direction == .playback { own.inputGain = .unity }
                if own != .none { due[stream.id] = own }
            }
        }
        let concerned = applied.union(due.keys).sorted { $0.rawValue < $1.rawValue }
        applied = Set(due.keys)
        return concerned.compactMap { stream in
            let next = due[stream] ?? .none
            return next == wish(stream) ? nil : (stream, next)
        }
    }
}

extension SessionRuntime {
    /// Sets an application's wish for its opened session.
    public func wish(_ wish: StreamWish, of session: SessionID) {
        wishes.set(wish, of: session)
        drain()
    }

    /// The timing of the graph of a session's streams. For a session without streams, of the graph that they would join
    /// (R74).
    public func clock(of session: SessionID) -> GraphClock {
        let streams = streams(of: session)
        return host.clock(of: (streams.first { isRunning($0.id) } ?? streams.first)?.id)
    }

    /// The present factor on what a session records, and whether it applies to anything: to a stream, or before there is
    /// one, to those that will record from the input in the session's route (R76).
    public func inputGain(of session: SessionID) -> (gain: LinearGain, isAvailable: Bool) {
        let captures = streams(of: session).filter { $0.direction == .capture }
        if let stream = captures.first(where: { host.hasVolume($0.id) }) {
            return (streamRecords[stream.id]?.wish.inputGain ?? .unity, true)
        }
        guard captures.isEmpty, !route(of: session).inputs.isEmpty else { return (.unity, false) }
        return (state(of: session)?.isActive == true ? wishes[session].inputGain : .unity, true)
    }

    /// Whether an opened session only records, and there is neither an input nor a stream of the session that records
    /// already: it may record what another program plays. `false` while the server has just started and the route is not
    /// known: inputs may still come, and a library sets its session up again at that moment.
    public func lacksInput(_ session: SessionID) -> Bool {
        read { $0.hasRoute } && configuration(of: session)?.category == .record && availableInputs.isEmpty
            && !streams(of: session).contains { $0.direction == .capture }
    }

    /// Sends changed wishes to the host.
    func applyWishes() {
        let changes = wishes.changes(
            streams: { state(of: $0)?.isActive == true ? streams(of: $0) : [] },
            asked: { streamRecords[$0]?.wish ?? .none })
        for (stream, wish) in changes {
            streamRecords[stream]?.wish = wish
            host.apply(wish, to: stream)
        }
    }
}
