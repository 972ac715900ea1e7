import Synchronization

/// Events of an ``AudioSession``, of one kind, from the moment the sequence was made: it may be made before a loop over
/// it begins. Every iterator gets all events in order, however long it pauses.
///
/// The sequence ends after the session's last event, or when the reading task is cancelled. Events that are not read
/// are kept in memory; so are all events while the sequence itself is kept, not just an iterator.
public struct EventSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Reading never fails.
    public typealias Failure = Never

    let start: EventNode
    let pick: @Sendable (AudioSession.Event) -> Element?

    /// Begins with the first event since the sequence was made.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(node: start, pick: pick) }

    /// A reader of the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        var node: EventNode
        let pick: @Sendable (AudioSession.Event) -> Element?

        /// Waits for the next event. Nil at the end of the sequence, or if the task is cancelled.
        public mutating func next() async -> Element? {
            while case .event(let event, let following) = await node.reached() {
                node = following
                if let element = pick(event) { return element }
            }
            return nil
        }
    }
}

/// The events of one session: a list that only its readers hold, and its present end.
final class EventFeed: Sendable {
    private let end = Mutex(EventNode())

    /// For a reader that gets all events from now on.
    var position: EventNode { end.withLock { $0 } }

    /// Nothing after ``finish()``.
    func add(_ event: AudioSession.Event) {
        end.withLock { end in
            let following = EventNode()
            if end.fill(.event(event, following)) { end = following }
        }
    }

    func finish() { end.withLock { _ = $0.fill(.end) } }
}

/// A place in the list of events: the event and the next place, once there are any.
final class EventNode: Sendable {
    enum Content: Sendable {
        case event(AudioSession.Event, EventNode)
        /// The session is closed, or the reader is cancelled.
        case end
    }
    private enum State {
        case empty([Waiter])
        case filled(Content)
    }
    private let state = Mutex(State.empty([]))

    /// Returns false if the content was set before.
    func fill(_ content: Content) -> Bool {
        let waiters: [Waiter]? = state.withLock { state in
            guard case .empty(let waiters) = state else { return nil }
            state = .filled(content)
            return waiters
        }
        for waiter in waiters ?? [] { waiter.resume(content) }
        return waiters != nil
    }

    func reached() async -> Content {
        if Task.isCancelled { return .end }
        let waiter = Waiter()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.wait(continuation)
                let content: Content? = state.withLock { state in
                    switch state {
                    case .empty(let waiters):
                        state = .empty(waiters + [waiter])
                        return nil
                    case .filled(let content): return content
                    }
                }
                if let content { waiter.resume(content) }
            }
        } onCancel: {
            waiter.resume(.end)
            state.withLock { state in
                if case .empty(let waiters) = state { state = .empty(waiters.filter { $0 !== waiter }) }
            }
        }
    }

    /// Leaves the end in its place.
    private func takeFollowing() -> EventNode? {
        state.withLock { state in
            guard case .filled(.event(_, let following)) = state else { return nil }
            state = .filled(.end)
            return following
        }
    }

    deinit {
        // One after another: nodes that released each other would use up the stack for a long list.
        var following = takeFollowing()
        while isKnownUniquelyReferenced(&following), let node = following { following = node.takeFollowing() }
    }
}

private final class Waiter: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<EventNode.Content, Never>)
        /// Resumed, or cancelled before it waited.
        case over(EventNode.Content)
    }
    private let state = Mutex(State.new)

    func wait(_ continuation: CheckedContinuation<EventNode.Content, Never>) {
        let content: EventNode.Content? = state.withLock { state in
            if case .over(let content) = state { return content }
            state = .waiting(continuation)
            return nil
        }
        if let content { continuation.resume(returning: content) }
    }

    func resume(_ content: EventNode.Content) {
        let continuation: CheckedContinuation<EventNode.Content, Never>? = state.withLock { state in
            defer { if case .over = state {} else { state = .over(content) } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: content)
    }
}
