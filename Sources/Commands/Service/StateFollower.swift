import BusInterface
import DBus

/// Follows the service's state: reads all of it after each event, but not more often than ten times a second; or reads it
/// once, and passes on the events after that.
///
/// It waits for the service, and for the next one after the service has gone.
final class StateFollower {
    /// The last answer of the service, or why there is none.
    enum View {
        /// There is no service on the bus, or no bus.
        case absent
        /// The service does not answer as it should.
        case failed(WireError)
        case present(ServiceState)
    }

    let service = ServiceConnection()
    private let changed: (View) -> Void
    private let happened: ((BusSignal) -> Void)?
    private var subscriptions: [Subscription] = []
    private var timer: (any LoopTimer)?
    /// The unique name of the followed service.
    private var owner: String?
    private var isKnown = false
    /// Whether the service sends its events to this connection.
    private var isSubscribed = false
    /// Whether the state was asked for and has not come yet.
    private var isReading = false
    /// The events that came meanwhile, if they are passed on.
    private var waiting: [BusSignal] = []
    /// Whether something has happened since the state was asked for.
    private var isStale = false
    private var lastAsked: Int64 = .min
    private var isOver = false
    private var failure: (any Error)?

    /// The shortest time between two readings, in nanoseconds.
    private static let pause: Int64 = 100_000_000
    /// The time between two readings where no events are sent.
    private static let patience = Duration.seconds(1)

    /// - Parameters:
    ///   - happened: Takes the events after the state; with it, the state is read only once.
    ///   - changed: Called once at first, and after each reading.
    init(events happened: ((BusSignal) -> Void)? = nil, _ changed: @escaping (View) -> Void) {
        self.happened = happened
        self.changed = changed
    }

    /// Follows until ``end(with:)``.
    func run() throws {
        start()
        service.loop.run(until: { isOver })
        if let failure { throw failure }
    }

    /// Ends ``run()``.
    func end(with error: (any Error)? = nil) {
        failure = failure ?? error
        isOver = true
    }

    /// Writes a result; if that is not possible, ends.
    func write(_ text: String) {
        do { try Terminal.write(text) } catch { end(with: error) }
    }

    private func start() {
        timer = service.loop.timer { [weak self] in self?.refresh() }
        var interfaces = [(AudioSessionBus.managerInterface, "Event")]
        if happened == nil { interfaces.append(("org.freedesktop.DBus.Properties", "PropertiesChanged")) }
        subscriptions = interfaces.map { interface, member in
            service.bus.subscribe(
                MatchRule(
                    sender: AudioSessionBus.name, path: AudioSessionBus.managerPath, interface: interface,
                    member: member)
            ) { [weak self] in self?.handle($0) }
        }
        subscriptions.append(service.bus.follow(AudioSessionBus.name) { [weak self] in self?.follow($0) })
    }

    private func handle(_ signal: BusSignal) {
        guard let happened else { return refresh() }
        if isReading { waiting.append(signal) } else if isSubscribed { happened(signal) }
    }

    /// Reads the state again after a time, unless that happens before.
    func refresh(after delay: Duration) {
        timer?.arm(at: service.loop.now &+ Int64(clamping: delay.wholeNanoseconds))
    }

    /// Reads the state again.
    func refresh() {
        guard let owner else { return }
        guard !isReading else {
            isStale = true
            return
        }
        let now = service.loop.now
        if lastAsked != .min, now &- lastAsked < Self.pause {
            timer?.arm(at: lastAsked &+ Self.pause)
            return
        }
        lastAsked = now
        isStale = false
        timer?.arm(at: nil)
        isReading = true
        // Events from before the first answer are already part of the state.
        service.read(of: owner, began: { [weak self] in self?.waiting = [] }) { [weak self] result in
            self?.take(result, of: owner)
        }
    }

    /// Calls a method of the followed service. The answer of a service that has gone meanwhile is not passed on.
    func call(
        _ member: String, _ arguments: [WireValue] = [], interface: String = AudioSessionBus.managerInterface,
        then body: @escaping (Result<[WireValue], WireError>) -> Void
    ) {
        guard let owner else { return body(.failure(.withoutService)) }
        service.bus.call(owner, path: AudioSessionBus.managerPath, interface: interface, member, arguments) {
            [weak self] result in
            guard let self, self.owner == owner else { return }
            if case .failure(let error) = result, error.isAbsence { return }
            body(result)
        }
    }

    private func follow(_ owner: String?) {
        guard owner != self.owner || !isKnown else { return }
        isKnown = true
        self.owner = owner
        isReading = false
        waiting = []
        isSubscribed = false
        lastAsked = .min
        timer?.arm(at: nil)
        guard owner != nil else { return changed(.absent) }
        // First, so that no event between the two is missed.
        call("Subscribe") { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: isSubscribed = true
            case .failure(let error): if happened != nil { return changed(.failed(error)) }
            }
            refresh()
        }
    }

    private func take(_ result: Result<ServiceState, WireError>, of owner: String) {
        guard self.owner == owner else { return }
        isReading = false
        switch result {
        case .success(let state): changed(.present(state))
        // The bus also reports that the service's name has gone.
        case .failure(let error) where error.isAbsence: return
        case .failure(let error): changed(.failed(error))
        }
        if let happened {
            for event in waiting { happened(event) }
            waiting = []
            return
        }
        let isFailed = if case .failure = result { true } else { false }
        if isStale { refresh() } else if isFailed || !isSubscribed { refresh(after: Self.patience) }
    }
}
