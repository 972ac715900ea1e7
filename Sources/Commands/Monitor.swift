import ArgumentParser
import BusInterface
import DBus
import Glibc

/// `audio-session monitor`: prints the present state, then each event.
struct Monitor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows all sessions and streams, then a line for each event.",
        discussion: """
            The command runs until it is interrupted. While the service is away, it waits; when the service is back, it \
            shows all sessions and streams again.
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
    /// The unique name of the observed service.
    private var owner: String?
    private var wasThere = false
    private var subscriptions: [Subscription] = []
    private var isSubscribed = false
    /// The answers to ``ServiceConnection/stateCalls``; `nil` where the answer has not come yet.
    private var answers: [[WireValue]?] = []
    /// The events that came while these answers were pending.
    private var waiting: [EventText] = []
    /// For people: the last words about each stream and session.
    private var told: [String: String] = [:]

    init(json: Bool) { self.json = json }

    func run() throws {
        let signals = SignalWatch([SIGINT, SIGTERM], loop: service.loop) { [weak self] _ in self?.isOver = true }
        subscriptions.append(
            service.bus.subscribe(
                MatchRule(
                    sender: AudioSessionBus.name, path: AudioSessionBus.managerPath,
                    interface: AudioSessionBus.managerInterface, member: "Event")
            ) { [weak self] in self?.handle($0) })
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
        told = [:]
        guard owner != nil else {
            if before != nil {
                report("services-lost")
            } else {
                Terminal.writeError("audio-session: waiting for the service \(AudioSessionBus.name)")
            }
            return
        }
        if wasThere { report("services-reset") }
        wasThere = true
        subscribe()
    }

    /// Subscribes to events before asking for the state, so that no event is missed.
    private func subscribe() {
        guard let owner else { return }
        call("Subscribe", [], AudioSessionBus.managerInterface, of: owner) { [weak self] _ in
            guard let self else { return }
            isSubscribed = true
            let calls = ServiceConnection.stateCalls
            answers = Array(repeating: nil, count: calls.count)
            for (index, request) in calls.enumerated() {
                call(request.member, request.arguments, request.interface, of: owner) { [weak self] values in
                    guard let self, answers.indices.contains(index) else { return }
                    answers[index] = values
                    if index == 0 {
                        // Events from before the answers are already part of the state.
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
            // Ignore the answer of a service that has gone.
            guard let self, self.owner == owner else { return }
            switch result {
            case .success(let values): body(values)
            case .failure(let error) where error.name == WireErrorName.disconnected || error.isWithoutService: break
            case .failure(let error):
                Terminal.writeError("audio-session: \(error.explanation)")
                end(with: ExitCode.failure)
            }
        }
    }

    private func showState() {
        let state = ServiceState(answers: answers.map { $0 ?? [] })
        answers = []
        told = [:]
        let now = WallTime.now
        if json {
            write(
                SchemaJSON.line(
                    [("time", .int64(now.microseconds)), ("kind", .string("snapshot"))] + state.members)
                    + "\n")
        } else {
            write(StatusText(state: state, style: .output, now: now.microseconds).text)
        }
        for event in waiting { show(event) }
        waiting = []
    }

    private func handle(_ signal: BusSignal) {
        guard isSubscribed, signal.arguments.count == 3, let time = signal.arguments[0].integer,
            let kind = signal.arguments[1].text
        else { return }
        let event = EventText(time: time, kind: kind, details: signal.arguments[2])
        if answers.isEmpty { show(event) } else { waiting.append(event) }
    }

    private func report(_ kind: String) {
        show(EventText(time: WallTime.now.microseconds, kind: kind, details: .record([])))
    }

    private func show(_ event: EventText) {
        guard !json else { return write(event.json + "\n") }
        // A change of what the line does not say would repeat it.
        if let subject = event.subject {
            let words = event.words(.output)
            guard told.updateValue(words, forKey: subject) != words else { return }
            if event.isLast { told[subject] = nil }
        }
        write(event.line(.output) + "\n")
    }

    private func write(_ text: String) {
        do { try Terminal.write(text) } catch { end(with: error) }
    }

    private func end(with error: any Error) {
        failure = failure ?? error
        isOver = true
    }
}
