import ArgumentParser
import Glibc
import SessionBus
import SessionWire

/// `audio-session monitor`: what is there, and then what happens.
struct Monitor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what there is, and from then on a line for each thing that happens.",
        discussion: """
            It goes on until it is interrupted, also while the service is away: when that is back, the situation is \
            shown anew.
            """)

    @Flag(help: "Print one JSON object in each line.")
    var json = false

    func run() throws {
        let monitoring = Monitoring(json: json)
        try monitoring.run()
    }
}

/// One run of the monitor.
private final class Monitoring {
    private let service = ServiceConnection()
    private let json: Bool
    private var isOver = false
    private var failure: (any Error)?
    /// The service that is watched, by its unique name.
    private var owner: String?
    private var wasThere = false
    private var subscriptions: [Subscription] = []
    private var isSubscribed = false
    /// The answers of which the situation is made.
    private var answers: [[WireValue]?] = []
    /// What happened while they were under way.
    private var waiting: [EventText] = []

    init(json: Bool) { self.json = json }

    func run() throws {
        let signals = SignalWatch([SIGINT, SIGTERM], loop: service.loop) { [weak self] _ in self?.isOver = true }
        subscriptions.append(
            service.bus.subscribe(
                MatchRule(
                    sender: AudioSessionBus.name, path: AudioSessionBus.managerPath,
                    interface: AudioSessionBus.managerInterface, member: "Event")
            ) { [weak self] in self?.take($0) })
        subscriptions.append(service.bus.follow(AudioSessionBus.name) { [weak self] in self?.follow($0) })
        withExtendedLifetime(signals) { service.loop.run(until: { isOver }) }
        if let failure { throw failure }
    }

    private func follow(_ owner: String?) {
        guard owner != self.owner || !wasThere else { return }
        let before = self.owner
        self.owner = owner
        isSubscribed = false
        answers = []
        waiting = []
        guard owner != nil else {
            if before != nil {
                report("services-lost")
            } else {
                Terminal.complain("audio-session: waiting for the service \(AudioSessionBus.name)")
            }
            return
        }
        if wasThere { report("services-reset") }
        wasThere = true
        subscribe()
    }

    /// Events first, then the situation: so nothing is missed between the two.
    private func subscribe() {
        guard let owner else { return }
        call("Subscribe", [], AudioSessionBus.managerInterface, of: owner) { [weak self] _ in
            guard let self else { return }
            isSubscribed = true
            let calls = ServiceConnection.situationCalls
            answers = Array(repeating: nil, count: calls.count)
            for (index, request) in calls.enumerated() {
                call(request.member, request.arguments, request.interface, of: owner) { [weak self] values in
                    guard let self, answers.indices.contains(index) else { return }
                    answers[index] = values
                    if index == 0 {
                        // Older events are part of the situation already.
                        waiting = []
                    }
                    if answers.allSatisfy({ $0 != nil }) { showState() }
                }
            }
        }
    }

    private func call(
        _ member: String, _ arguments: [WireValue], _ interface: String, of owner: String,
        then body: @escaping ([WireValue]) -> Void
    ) {
        service.bus.call(owner, path: AudioSessionBus.managerPath, interface: interface, member, arguments) {
            [weak self] result in
            // What a service answers that is no longer there is of no interest.
            guard let self, self.owner == owner else { return }
            switch result {
            case .success(let values): body(values)
            case .failure(let error) where error.name == WireErrorName.disconnected || error.isWithoutService: break
            case .failure(let error):
                Terminal.complain("audio-session: \(error.explanation)")
                end(with: ExitCode.failure)
            }
        }
    }

    private func showState() {
        let situation = ServiceState(answers: answers.map { $0 ?? [] })
        answers = []
        let now = WallTime.now
        if json {
            write(
                SchemaJSON.line(
                    [("time", .int64(now.microseconds)), ("kind", .string("snapshot"))] + situation.members)
                    + "\n")
        } else {
            write(StatusText(situation: situation, style: .output, now: now.microseconds).text)
        }
        for event in waiting { show(event) }
        waiting = []
    }

    private func take(_ signal: BusSignal) {
        guard isSubscribed, signal.arguments.count == 3, let time = signal.arguments[0].integer,
            let kind = signal.arguments[1].text
        else { return }
        let event = EventText(time: time, kind: kind, details: signal.arguments[2])
        if answers.isEmpty { show(event) } else { waiting.append(event) }
    }

    private func report(_ kind: String) {
        show(EventText(time: WallTime.now.microseconds, kind: kind, details: .record([])))
    }

    private func show(_ event: EventText) { write((json ? event.json : event.line(.output)) + "\n") }

    private func write(_ text: String) {
        do { try Terminal.write(text) } catch { end(with: error) }
    }

    private func end(with error: any Error) {
        failure = failure ?? error
        isOver = true
    }
}
