import SessionBus
import SessionWire

/// Carries out over the bus what ``PlayerPause`` says about one player.
final class PlayerControl {
    /// The object of every player.
    static let path = "/org/mpris/MediaPlayer2"
    /// The interface with its state and what it can be told.
    static let interface = "org.mpris.MediaPlayer2.Player"

    private let bus: BusConnection
    private let owner: String
    private var state = PlayerPause()
    private var waiting: [(PauseAnswer) -> Void] = []
    private var timer: (any LoopTimer)?
    private let loop: any EventLoop
    private var look: PendingCall?

    init(bus: BusConnection, loop: any EventLoop, owner: String) {
        self.bus = bus
        self.loop = loop
        self.owner = owner
    }

    deinit { timer?.cancel() }

    /// Whether the player is paused by us.
    var isOurs: Bool { state.isOurs }

    /// Pauses it; the answer comes once.
    func pause(then answer: @escaping (PauseAnswer) -> Void) {
        waiting.append(answer)
        handle(.pause)
    }

    /// Takes an event. What calls back comes last, so that it finds everything in order.
    func handle(_ event: PlayerPause.Event) {
        let actions = state.handle(event)
        if event == .gone { look?.cancel() }
        for action in actions { perform(action) }
        for case .report(let answer) in actions {
            let answered = waiting
            waiting = []
            for body in answered { body(answer) }
        }
    }

    /// Lets it go on without a question, if it is paused by us.
    func leave() { for action in state.leave() { perform(action) } }

    private func perform(_ action: PlayerPause.Action) {
        switch action {
        case .look: ask()
        case .callPause:
            // Not given up when it is late: the player may do it when it wakes up, and that has to be known.
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

    /// Asks what it does, and if it plays, whether it can be paused.
    private func ask() {
        look?.cancel()
        look = get("PlaybackStatus") { [weak self] result in
            guard let self else { return }
            switch PlayerControl.status(result) {
            case .failure(let error): handle(.lookFailed(error))
            case .success(.playing):
                look = get("CanPause") { [weak self] result in
                    // A player that does not say so is asked to pause all the same.
                    let canPause = (try? result.get())?.first?.truth ?? true
                    self?.handle(.looked(.playing, canPause: canPause))
                }
            case .success(let status): handle(.looked(status, canPause: true))
            }
        }
    }

    /// Asks for a property of the player.
    func get(_ property: String, then: @escaping (Result<[WireValue], WireError>) -> Void) -> PendingCall {
        bus.call(
            owner, path: PlayerControl.path, interface: WireInterface.properties.name, "Get",
            [.string(PlayerControl.interface), .string(property)], timeout: PlayerPause.answerLimit, then: then)
    }

    /// The status in an answer to `Get`.
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

/// A time of a few seconds in nanoseconds, as the loop counts them.
func nanoseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    return min(max(seconds, 0), 3600) * 1_000_000_000 + attoseconds / 1_000_000_000
}
