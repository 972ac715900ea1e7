import SessionBus
import SessionWire

/// Performs the actions of ``PlayerPause`` for one player over the bus.
final class PlayerControl {
    /// The path of every player's object.
    static let path = "/org/mpris/MediaPlayer2"
    /// The interface with the playback status and commands.
    static let interface = "org.mpris.MediaPlayer2.Player"

    private let bus: BusConnection
    private let owner: String
    private var state = PlayerPause()
    private var waiting: [(PauseAnswer) -> Void] = []
    private var timer: (any LoopTimer)?
    private let loop: any EventLoop
    /// The pending query of the status.
    private var query: PendingCall?

    init(bus: BusConnection, loop: any EventLoop, owner: String) {
        self.bus = bus
        self.loop = loop
        self.owner = owner
    }

    deinit { timer?.cancel() }

    /// Whether we have paused the player.
    var isOurs: Bool { state.isOurs }

    /// Pauses the player; the answer comes exactly once.
    func pause(then answer: @escaping (PauseAnswer) -> Void) {
        waiting.append(answer)
        handle(.pause)
    }

    /// Handles an event. Callbacks run last, after the state is complete.
    func handle(_ event: PlayerPause.Event) {
        let actions = state.handle(event)
        if event == .gone { query?.cancel() }
        for action in actions { perform(action) }
        for case .report(let answer) in actions {
            let answered = waiting
            waiting = []
            for body in answered { body(answer) }
        }
    }

    /// Resumes the player, without first asking for its status, if we have paused it.
    func leave() { for action in state.leave() { perform(action) } }

    private func perform(_ action: PlayerPause.Action) {
        switch action {
        case .askForStatus: ask()
        case .callPause:
            // No time limit for the call: a hanging player may still pause when it wakes up, and we must know.
            bus.call(owner, path: PlayerControl.path, interface: PlayerControl.interface, "Pause") {
                [weak self] result in
                switch result {
                case .success: self?.handle(.pauseAnswered)
                case .failure(let error): self?.handle(.pauseFailed(error))
                }
            }
        case .callPlay:
            bus.call(owner, path: PlayerControl.path, interface: PlayerControl.interface, "Play") { _ in }
        case .wait(nil): timer?.arm(at: nil)
        case .wait(let limit?):
            if timer == nil { timer = loop.timer { [weak self] in self?.handle(.timeUp) } }
            timer?.arm(at: loop.now + nanoseconds(limit))
        case .report: break
        }
    }

    /// Asks for the status, and for a playing player whether it can pause.
    private func ask() {
        query?.cancel()
        query = get("PlaybackStatus") { [weak self] result in
            guard let self else { return }
            switch PlayerControl.status(result) {
            case .failure(let error): handle(.statusFailed(error))
            case .success(.playing):
                query = get("CanPause") { [weak self] result in
                    // A player that does not answer this is asked to pause anyway.
                    let canPause = (try? result.get())?.first?.truth ?? true
                    self?.handle(.statusAnswered(.playing, canPause: canPause))
                }
            case .success(let status): handle(.statusAnswered(status, canPause: true))
            }
        }
    }

    /// Reads a property of the player.
    func get(_ property: String, then: @escaping (Result<[WireValue], WireError>) -> Void) -> PendingCall {
        bus.call(
            owner, path: PlayerControl.path, interface: WireInterface.properties.name, "Get",
            [.string(PlayerControl.interface), .string(property)], timeout: PlayerPause.answerLimit, then: then)
    }

    /// The status in the answer to `Get`.
    static func status(_ result: Result<[WireValue], WireError>) -> Result<PlaybackStatus, WireError> {
        result.flatMap { values in
            let text = values.first?.text ?? ""
            if let status = PlaybackStatus(rawValue: text) { return .success(status) }
            return .failure(
                WireError(
                    WireErrorName.failed,
                    "the player's PlaybackStatus is \"" + text.prefix(64)
                        + "\", not Playing, Paused or Stopped"))
        }
    }
}

/// A short duration in nanoseconds, the loop's unit.
func nanoseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    return min(max(seconds, 0), 3600) * 1_000_000_000 + attoseconds / 1_000_000_000
}
