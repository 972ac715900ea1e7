public import SessionCore

/// What an application wishes for the streams of its session while it is active (R74, R76).
public struct StreamWish: Sendable, Hashable {
    /// The rate at which the graph should run, in Hz; `nil` for any.
    public var sampleRate: Double?
    /// How long one round of the graph should take; `nil` for any time.
    public var bufferDuration: Duration?
    /// The factor on what is recorded, on top of the user's own volume. Of no concern to playback.
    public var inputGain = LinearGain.unity

    /// Makes a wish.
    public init(sampleRate: Double? = nil, bufferDuration: Duration? = nil, inputGain: LinearGain = .unity) {
        self.sampleRate = sampleRate
        self.bufferDuration = bufferDuration
        self.inputGain = inputGain
    }

    /// Nothing is wished for.
    public static let none = StreamWish()
}

/// What a graph runs at (R74).
public struct GraphClock: Sendable, Hashable {
    /// In Hz.
    public var sampleRate: Double
    /// How long one round takes.
    public var quantum: Duration

    /// Describes a clock.
    public init(sampleRate: Double, quantum: Duration) {
        self.sampleRate = sampleRate
        self.quantum = quantum
    }
}

/// What the applications of sessions wish for, and which streams get it: those of an active session; they lose it when the
/// session is not active, when they belong to another one, and when nothing is wished for any more.
struct Wishes {
    /// What sessions wish for; those that wish for nothing are not in here.
    private var wishes: [SessionID: StreamWish] = [:]
    /// The streams for which the host was asked for something.
    private var granted: Set<StreamID> = []
    /// Something has happened since they were looked at.
    var isStale = false

    /// A session wishes for something else from now on.
    mutating func set(_ wish: StreamWish, of session: SessionID) {
        wishes[session] = wish == .none ? nil : wish
        isStale = true
    }

    /// A session is gone.
    mutating func forget(_ session: SessionID) { wishes[session] = nil }

    /// A stream is gone.
    mutating func forget(_ stream: StreamID) { granted.remove(stream) }

    /// All sessions are gone.
    mutating func forgetAll() { wishes = [:] }

    /// What the host is to be asked for now, beside what it was asked for; nothing if nothing has happened since.
    ///
    /// - Parameters:
    ///   - streams: The streams of a session; none while it is not active.
    ///   - wish: What the host was asked for a stream.
    mutating func requests(
        streams: (SessionID) -> [(id: StreamID, direction: StreamDirection)], asked wish: (StreamID) -> StreamWish
    ) -> [(stream: StreamID, wish: StreamWish)] {
        guard isStale else { return [] }
        isStale = false
        guard !wishes.isEmpty || !granted.isEmpty else { return [] }
        var due: [StreamID: StreamWish] = [:]
        for (session, wish) in wishes {
            for stream in streams(session) {
                var own = wish
                // Of what is played there is no input gain.
                if stream.direction == .playback { own.inputGain = .unity }
                if own != .none { due[stream.id] = own }
            }
        }
        let concerned = granted.union(due.keys).sorted { $0.rawValue < $1.rawValue }
        granted = Set(due.keys)
        return concerned.compactMap { stream in
            let next = due[stream] ?? .none
            return next == wish(stream) ? nil : (stream, next)
        }
    }
}

extension SessionRuntime {
    /// An application wishes for something else from now on, for its opened session.
    public func wish(_ wish: StreamWish, of session: SessionID) {
        wishes.set(wish, of: session)
        drain()
    }

    /// What the graph runs at that the streams of a session are part of; of a session without streams, the one that they
    /// would be part of (R74).
    public func clock(of session: SessionID) -> GraphClock {
        let streams = streams(of: session)
        return host.clock(of: (streams.first { isRunning($0.id) } ?? streams.first)?.id)
    }

    /// The factor on what a session records now, and whether it has something to be changed by one (R76).
    public func inputGain(of session: SessionID) -> (gain: LinearGain, isAvailable: Bool) {
        let capture = streams(of: session).first { $0.direction == .capture && host.hasVolume($0.id) }
        return (capture.flatMap { records[$0.id] }?.wish.inputGain ?? .unity, capture != nil)
    }

    /// Brings what the host was asked for up to date.
    func grantWishes() {
        let requests = wishes.requests(
            streams: { state(of: $0)?.isActive == true ? streams(of: $0) : [] },
            asked: { records[$0]?.wish ?? .none })
        for (stream, wish) in requests {
            records[stream]?.wish = wish
            host.request(wish, of: stream)
        }
    }
}
