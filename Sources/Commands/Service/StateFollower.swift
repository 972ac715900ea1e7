import BusInterface
import DBus

/// Follows the service's complete state: reads all of it after each event, but not more often than ten times a second.
///
/// It waits for the service, and for the next one after the service has gone.
final class StateFollower {
    /// What there is to show.
    enum View {
        /// There is no service on the bus, or no bus.
        case absent
        /// The service does not answer as it should.
        case failed(WireError)
        case present(ServiceState)
    }

    let service = ServiceConnection()
    private let changed: (View) -> Void
    private var subscriptions: [Subscription] = []
    private var timer: (any LoopTimer)?
    /// The unique name of the followed service.
    private var owner: String?
    private var isKnown = false
    /// Whether the service sends its events to this connection.
    private var isSubscribed = false
    /// The answers to ``ServiceConnection/stateCalls``, while they are awaited; `nil` where one has not come yet.
    private var answers: [Result<[WireValue], WireError>?] = []
    /// Whether something has happened since the state was asked for.
    private var isStale = false
    private var lastAsked: Int64 = .min

    /// The shortest time between two readings, in nanoseconds.
    private static let pause: Int64 = 100_000_000
    /// The time between two readings where no events are sent.
    private static let patience = Duration.seconds(1)

    /// Begins to follow. The closure is called once at first, and after each reading.
    init(_ changed: @escaping (View) -> Void) { self.changed = changed }

    /// Starts; everything else happens while the loop of ``service`` runs.
    func start() {
        timer = service.loop.timer { [weak self] in self?.refresh() }
        let interfaces = [
            (AudioSessionBus.managerInterface, "Event"), ("org.freedesktop.DBus.Properties", "PropertiesChanged"),
        ]
        subscriptions = interfaces.map { interface, member in
            service.bus.subscribe(
                MatchRule(
                    sender: AudioSessionBus.name, path: AudioSessionBus.managerPath, interface: interface,
                    member: member)
            ) { [weak self] _ in self?.refresh() }
        }
        subscriptions.append(service.bus.follow(AudioSessionBus.name) { [weak self] in self?.follow($0) })
    }

    /// Reads the state again after a time, unless that happens before.
    func refresh(after delay: Duration) {
        timer?.arm(at: service.loop.now &+ Int64(clamping: delay.wholeNanoseconds))
    }

    /// Reads the state again.
    func refresh() {
        guard let owner else { return }
        guard answers.isEmpty else {
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
        let calls = ServiceConnection.stateCalls
        answers = Array(repeating: nil, count: calls.count)
        for (index, request) in calls.enumerated() {
            call(request.member, request.arguments, interface: request.interface, of: owner) { [weak self] result in
                guard let self, answers.indices.contains(index) else { return }
                answers[index] = result
                complete()
            }
        }
    }

    /// Calls a method of the followed service. The answer of a service that has gone meanwhile is not passed on.
    func call(
        _ member: String, _ arguments: [WireValue] = [], interface: String = AudioSessionBus.managerInterface,
        then body: @escaping (Result<[WireValue], WireError>) -> Void
    ) {
        guard let owner else { return body(.failure(.withoutService)) }
        call(member, arguments, interface: interface, of: owner, then: body)
    }

    private func call(
        _ member: String, _ arguments: [WireValue], interface: String, of owner: String,
        then body: @escaping (Result<[WireValue], WireError>) -> Void
    ) {
        service.bus.call(owner, path: AudioSessionBus.managerPath, interface: interface, member, arguments) {
            [weak self] result in
            guard let self, self.owner == owner else { return }
            if case .failure(let error) = result, error.isWithoutService || error.name == WireErrorName.disconnected {
                return
            }
            body(result)
        }
    }

    private func follow(_ owner: String?) {
        guard owner != self.owner || !isKnown else { return }
        isKnown = true
        self.owner = owner
        answers = []
        isSubscribed = false
        lastAsked = .min
        timer?.arm(at: nil)
        guard owner != nil else { return changed(.absent) }
        // First, so that no event between the two is missed.
        call("Subscribe") { [weak self] result in
            if case .success = result { self?.isSubscribed = true }
            self?.refresh()
        }
    }

    private func complete() {
        let results = answers.compactMap { $0 }
        guard results.count == answers.count else { return }
        answers = []
        var needsPatience = !isSubscribed
        do throws(WireError) {
            var values: [[WireValue]] = []
            for result in results { values.append(try result.get()) }
            changed(.present(ServiceState(answers: values)))
        } catch {
            changed(.failed(error))
            needsPatience = true
        }
        if isStale { refresh() } else if needsPatience { refresh(after: Self.patience) }
    }
}

extension WireError {
    /// The error of a call when no service is there.
    static let withoutService = WireError("org.freedesktop.DBus.Error.ServiceUnknown", "")
}
