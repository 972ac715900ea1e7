import SessionCore

/// Streams that wait for the output on which they were heard (R64).
///
/// A client that gets nothing played may stop its stream and start it again, or close it and open another one. That is
/// not its user's doing, and must not make it heard on another output.
struct AwaitingStreams {
    /// The maximum number of closed streams that are remembered; beyond it the oldest is dropped.
    static let maximumClosed = 64

    /// Since when each stream that its client has stopped is stopped.
    private var stoppedSince: [StreamID: Instant] = [:]
    /// The streams that their clients have closed, the oldest first. The engine still has them.
    private var closed: [StreamID] = []

    /// Records that a client has stopped its stream.
    mutating func stopped(_ stream: StreamID, at now: Instant) { stoppedSince[stream] = now }

    /// Records that a client has started its stream again. Returns whether that followed a pause as users make them.
    mutating func started(_ stream: StreamID, at now: Instant) -> Bool {
        guard let since = stoppedSince.removeValue(forKey: stream) else { return false }
        return since.duration(to: now) >= SessionRuntime.shortestPause
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
