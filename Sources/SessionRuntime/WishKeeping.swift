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

/// What has to be remembered of wishes.
struct WishKeeping {
    /// What sessions wish for; those that wish for nothing are not in here.
    var wishes: [SessionID: StreamWish] = [:]
    /// What the host was asked for.
    var granted: [StreamID: StreamWish] = [:]
    /// Something has happened since they were looked at.
    var isStale = false
}

/// Wishes of sessions: the streams of an active session get them, and lose them when it is not active, when they belong to
/// another one, and when nothing is wished for any more.
extension SessionRuntime {
    /// An application wishes for something else from now on, for its opened session.
    public func wish(_ wish: StreamWish, of session: SessionID) {
        wishing.wishes[session] = wish == .none ? nil : wish
        wishing.isStale = true
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
        return (capture.flatMap { wishing.granted[$0.id] }?.inputGain ?? .unity, capture != nil)
    }

    /// Brings what the host was asked for up to date.
    func grantWishes() {
        guard wishing.isStale else { return }
        wishing.isStale = false
        guard !wishing.wishes.isEmpty || !wishing.granted.isEmpty else { return }
        var due: [StreamID: StreamWish] = [:]
        for (session, wish) in wishing.wishes where state(of: session)?.isActive == true {
            for stream in streams(of: session) {
                var own = wish
                if stream.direction == .playback { own.inputGain = .unity }
                if own != .none { due[stream.id] = own }
            }
        }
        for stream in Set(due.keys).union(wishing.granted.keys).sorted(by: { $0.rawValue < $1.rawValue })
        where due[stream] != wishing.granted[stream] {
            wishing.granted[stream] = due[stream]
            host.request(due[stream] ?? .none, of: stream)
        }
    }
}
