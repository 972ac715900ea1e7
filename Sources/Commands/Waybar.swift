import ArgumentParser
import BusInterface
import DBus
import Glibc

/// `audio-session waybar`: the state in a line of JSON after each change, for status bars.
struct Waybar: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints a line of JSON for status bars, and another one after each change.",
        discussion: """
            The line has what a custom module of waybar with "return-type": "json" reads. The command runs until it is \
            interrupted, or until nobody reads any more. While the service is away, it says so and waits.
            """)

    @Flag(help: "Print one line and end.")
    var once = false

    func run() throws { try BarRun(once: once).run() }
}

/// One run of the command.
private final class BarRun {
    private let once: Bool
    private lazy var follower = StateFollower { [weak self] in self?.show($0) }
    private var shown: BarText?

    init(once: Bool) { self.once = once }

    func run() throws {
        let loop = follower.service.loop
        let signals = SignalWatch([SIGINT, SIGTERM, SIGHUP], loop: loop) { [weak self] _ in self?.follower.end() }
        // A bar that has gone reads no more lines, and there may be no further line whose writing would fail.
        let reader = loop.watch(STDOUT_FILENO) { [weak self] in if $0.contains(.hungUp) { self?.follower.end() } }
        try withExtendedLifetime(signals) { try follower.run() }
        reader.cancel()
    }

    private func show(_ view: StateFollower.View) {
        let bar: BarText
        switch view {
        case .absent: bar = BarText(without: nil)
        case .failed(let error): bar = BarText(without: error.explanation)
        case .present(let state):
            bar = BarText(state, at: WallTime.now.microseconds)
            // A fade or state may end by itself without an event.
            if state.isInMotion { follower.refresh(after: .seconds(1)) }
        }
        guard bar != shown else { return }
        shown = bar
        follower.write(bar.json + "\n")
        if once { follower.end() }
    }
}

extension ServiceState {
    /// Whether something fades, or has a state that ends by itself.
    var isInMotion: Bool {
        streams.contains { $0.fadeRemaining > 0 }
            || sessions.contains { $0.remaining > 0 || ["holding", "starting", "releasing"].contains($0.state) }
    }
}
