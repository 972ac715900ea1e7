import BusInterface
import DBus
import Glibc
import Synchronization

/// A call of the application, on its way to the session's thread.
struct Request: Sendable {
    enum Action: Sendable {
        /// Wait until the session is set up.
        case setUp
        case change(Change)
        /// The number identifies the activation, to cancel it.
        case activate(delayed: Bool, number: Int)
    }
    /// Of an activation, whether the session is active.
    typealias Answer = Result<Bool, AudioSessionError>

    let action: Action
    /// For an answer: CLOCK_MONOTONIC, in nanoseconds.
    let deadline: Int64
    /// Called once, on the session's thread.
    let answer: @Sendable (Answer) -> Void
}

/// What the service says of a session.
struct PublishedState: Sendable {
    var session: [String: WireValue] = [:]
    var manager: [String: WireValue] = [:]
    var path = ""
}

/// The thread of one session, as all other threads see it. ``ServiceSession`` runs on it.
final class Worker: Sendable {
    /// For one call, in nanoseconds.
    static let limit: Int64 = 5_000_000_000

    struct Shared: Sendable {
        var requests: [Request] = []
        var cancelled: [Int] = []
        var isClosed = false
        var preferences = Preferences()
        var published: PublishedState?
        var lastNumber = 0
    }
    let shared = Mutex(Shared())
    let feed = EventFeed()
    let bell = Doorbell()

    init(bus: BusAddress, properties: [(String, WireValue)]) {
        let start = Start(worker: self, bus: bus, properties: .record(properties))
        // Without descriptors or threads, the session is as closed.
        if bell.descriptor < 0 || !start.run() { close() }
    }

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Answered within the limit, unless it is a delayed activation.
    func post(_ action: Request.Action, answer: @escaping @Sendable (Request.Answer) -> Void) {
        let request = Request(action: action, deadline: Self.now + Self.limit, answer: answer)
        let isTaken = shared.withLock { shared in
            if !shared.isClosed { shared.requests.append(request) }
            return !shared.isClosed
        }
        if isTaken { bell.ring() } else { answer(.failure(Self.closed)) }
    }

    static let closed = AudioSessionError(.notInitialized, "the session is closed")

    @discardableResult
    func perform(_ action: Request.Action) throws(AudioSessionError) -> Bool {
        let reply = Reply()
        post(action) { reply.set($0) }
        return try reply.wait().get()
    }

    func answer(to action: Request.Action) async -> Request.Answer {
        await withCheckedContinuation { continuation in post(action) { continuation.resume(returning: $0) } }
    }

    func nextNumber() -> Int {
        shared.withLock { shared in
            shared.lastNumber += 1
            return shared.lastNumber
        }
    }

    /// A waiting activation is answered with false.
    func cancel(_ number: Int) {
        shared.withLock { $0.cancelled.append(number) }
        bell.ring()
    }

    /// All that waits fails.
    func close() {
        shared.withLock { shared in
            shared.isClosed = true
            shared.published = nil
        }
        feed.finish()
        bell.ring()
    }
}

private final class Start: Sendable {
    let worker: Worker
    let bus: BusAddress
    let properties: WireValue

    init(worker: Worker, bus: BusAddress, properties: WireValue) {
        self.worker = worker
        self.bus = bus
        self.properties = properties
    }

    /// Returns whether the thread has started.
    func run() -> Bool {
        // The application's signals are not for this thread.
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let this = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                ServiceSession(start.worker, start.bus, start.properties).run()
                return nil
            }, this.toOpaque())
        guard code == 0 else {
            this.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

private final class Reply: Sendable {
    private let answer = Mutex<Request.Answer?>(nil)
    private let bell = Doorbell()

    func set(_ answer: Request.Answer) {
        self.answer.withLock { $0 = answer }
        bell.ring()
    }

    /// Waits for the limit at most, even if the thread gets no time to run.
    func wait() -> Request.Answer {
        guard bell.descriptor >= 0 else {
            return .failure(AudioSessionError(.unspecified, "no descriptor is left to wait with"))
        }
        let end = Worker.now + Worker.limit
        while true {
            let left = end - Worker.now
            var descriptor = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&descriptor, 1, Int32(clamping: max(0, left + 999_999) / 1_000_000))
            if let answer = answer.withLock({ $0 }) { return answer }
            if left <= 0 || count < 0 && errno != EINTR { return .failure(ServiceSession.late(.unspecified)) }
        }
    }
}
