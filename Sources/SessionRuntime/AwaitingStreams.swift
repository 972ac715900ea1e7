import SessionCore

/// Streams that wait for the output on which they were heard (R64).
///
/// A client that gets nothing played may stop its stream and start it again, or close it and open another one. That is
/// not its user's doing, and must not make it heard on another output.
struct AwaitingStreams {
    /// The maximum number of closed streams that are remembered; beyond it the oldest is dropped.
    static let maximumClosed = 64

    /// What a change means that a client makes to its stream.
    enum Reading: Equatable {
        /// Nothing yet, or nothing at all.
        case byItself
        /// The user plays it.
        case byUser
    }

    /// Since when each stream that its client has stopped is stopped.
    private var stoppedSince: [StreamID: Instant] = [:]
    /// The streams that their clients have closed, the oldest first. The engine still has them.
    private var closed: [StreamID] = []

    /// Interprets a client's start or stop of its stream.
    mutating func interpret(_ stream: StreamID, isWanted: Bool, at now: Instant) -> Reading {
        guard isWanted else {
            stoppedSince[stream] = now
            return .byItself
        }
        guard let since = stoppedSince.removeValue(forKey: stream) else { return .byItself }
        return since.duration(to: now) >= SessionRuntime.shortestPause ? .byUser : .byItself
    }

    /// Keeps a stream that its client has closed. Returns the stream that is dropped for it, if there are too many.
    mutating func close(_ stream: StreamID) -> StreamID? {
        stoppedSince[stream] = nil
        closed.append(stream)
        return closed.count > Self.maximumClosed ? closed.removeFirst() : nil
    }

    /// A stream waits no longer. Returns what its client has done meanwhile.
    mutating func release(_ stream: StreamID) -> (isStopped: Bool, isClosed: Bool) {
        let isStopped = stoppedSince.removeValue(forKey: stream) != nil
        guard let place = closed.firstIndex(of: stream) else { return (isStopped, false) }
        closed.remove(at: place)
        return (isStopped, true)
    }

    /// Whether a stream was closed by its client and is kept.
    func isClosed(_ stream: StreamID) -> Bool { closed.contains(stream) }
}
