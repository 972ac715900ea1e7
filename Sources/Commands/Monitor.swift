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
        try Monitoring(json: json).run()
    }
}

/// One run of the monitor.
private final class Monitoring {
    private let json: Bool
    private lazy var follower = StateFollower(events: { [weak self] in self?.handle($0) }) { [weak self] in
        self?.show($0)
    }
    private var wasThere = false
    /// For people: what was printed last about each stream and session.
    private var told: [String: String] = [:]

    init(json: Bool) { self.json = json }

    func run() throws {
        let signals = SignalWatch([SIGINT, SIGTERM], loop: follower.service.loop) { [weak self] _ in
            self?.follower.end()
        }
        try withExtendedLifetime(signals) { try follower.run() }
    }

    private func show(_ view: StateFollower.View) {
        told = [:]
        switch view {
        case .absent:
            guard wasThere else {
                return Terminal.complain("waiting for the service \(AudioSessionBus.name)")
            }
            report("services-lost")
        case .failed(let error): follower.end(with: Terminal.failure(error.explanation))
        case .present(let state):
            if wasThere { report("services-reset") }
            wasThere = true
            let now = WallTime.now.microseconds
            if json {
                let head: [(String, WireValue)] = [("time", .int64(now)), ("kind", .string("snapshot"))]
                follower.write(SchemaJSON.line(head + state.members) + "\n")
            } else {
                follower.write(StatusText(state: state, style: .output, now: now).text)
            }
        }
    }

    private func handle(_ signal: BusSignal) {
        guard signal.arguments.count == 3, let time = signal.arguments[0].integer, let kind = signal.arguments[1].text
        else { return }
        show(EventText(time: time, kind: kind, details: signal.arguments[2]))
    }

    private func report(_ kind: String) {
        show(EventText(time: WallTime.now.microseconds, kind: kind, details: .record([])))
    }

    private func show(_ event: EventText) {
        guard !json else { return follower.write(event.json + "\n") }
        // A change of something that the line does not show would repeat the line.
        if let subject = event.subject {
            let words = event.words(.output)
            guard told.updateValue(words, forKey: subject) != words else { return }
            if event.isLast { told[subject] = nil }
        }
        follower.write(event.line(.output) + "\n")
    }
}
