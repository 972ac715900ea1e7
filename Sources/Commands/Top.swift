import ArgumentParser
import BusInterface
import DBus
import Glibc
import PolicyEngine

/// `audio-session top`: a live view in the terminal.
struct Top: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows sessions and streams while they change, with keys to free, pause and choose.",
        discussion: "The key ? shows the keys. It needs a terminal; it waits for a service that is not there.")

    func run() throws {
        guard let terminal = TopTerminal() else {
            throw Terminal.failure("top needs a terminal; use audio-session status or monitor")
        }
        try TopRun(terminal).run()
    }
}

/// One run of the view.
private final class TopRun {
    private let terminal: TopTerminal
    private var model = TopModel()
    private var keys = TopKeyReader()
    private lazy var follower = StateFollower { [weak self] in self?.update($0) }
    private var keyTimer: (any LoopTimer)?
    private let style = Style.output
    private var isOver = false

    /// The time between two readings while nothing happens, and while something fades.
    private static let rest = Duration.seconds(1)
    private static let motion = Duration.milliseconds(100)
    /// How long the rest of a key's sequence may take, in nanoseconds.
    private static let keyLimit: Int64 = 50_000_000
    /// The largest number of streams of one session that are explained.
    private static let mostExplained = 8

    init(_ terminal: TopTerminal) { self.terminal = terminal }

    func run() throws {
        let loop = follower.service.loop
        let signals = SignalWatch(
            [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH], loop: loop
        ) { [weak self] in self?.handle($0) }
        keyTimer = loop.timer { [weak self] in self?.press(self?.keys.giveUp() ?? []) }
        let input = loop.watch(STDIN_FILENO) { [weak self] in self?.read($0) }
        input.update(.readable)
        terminal.enter()
        defer { terminal.leave() }
        show()
        try withExtendedLifetime(signals) { try follower.run() }
        input.cancel()
        keyTimer?.cancel()
    }

    // MARK: - What happens

    private func update(_ view: StateFollower.View) {
        model.update(view, at: WallTime.now.microseconds)
        show()
        // Times go on while nothing happens.
        let isFading = model.state?.streams.contains { $0.fadeRemaining > 0 } ?? false
        follower.refresh(after: isFading ? Self.motion : Self.rest)
        if let request = model.openExplanation { carryOut(request) }
    }

    private func handle(_ signal: Int32) {
        switch signal {
        case SIGWINCH:
            terminal.forget()
            show()
        case SIGTSTP:
            terminal.leave()
            kill(getpid(), SIGSTOP)
        case SIGCONT:
            terminal.enter()
            show()
        default: end()
        }
    }

    private func end() {
        isOver = true
        follower.end()
    }

    private func read(_ readiness: Readiness) {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = readiness.contains(.readable) ? Glibc.read(STDIN_FILENO, &bytes, bytes.count) : 0
        guard count > 0 else {
            // The terminal has gone.
            if count == 0 || errno != EINTR && errno != EAGAIN { end() }
            return
        }
        press(keys.read(bytes[..<count]))
        keyTimer?.arm(at: keys.isWaiting ? follower.service.loop.now &+ Self.keyLimit : nil)
    }

    private func press(_ keys: [TopKey]) {
        for key in keys {
            if let request = model.press(key) { carryOut(request) }
        }
        show()
    }

    private func show() {
        guard !isOver else { return }
        let (rows, columns) = terminal.size
        let lines = TopView.screen(&model, style, rows: rows, columns: columns, now: WallTime.now.microseconds)
        if !terminal.show(lines) { end() }
    }

    // MARK: - Requests

    private func carryOut(_ request: TopModel.Request) {
        switch request {
        case .quit: end()
        case .pause: call("Pause", [.uint64(0)], saying: "the policy is paused until it is resumed")
        case .resume: call("Resume", saying: "the policy is in force again")
        case .setRoute(let id): call("SetRoute", [.string(id)], saying: "the output is chosen")
        case .set(let one, let isOn):
            call(
                "Set", [.string(AudioSessionBus.managerInterface), .string(one.property), .variant(.boolean(isOn))],
                interface: "org.freedesktop.DBus.Properties",
                saying: "\(one.reason.brief ?? one.brief): \(isOn ? "on" : "off")")
        case .free(let streams):
            for stream in streams { call("Free", [.string(String(stream))], saying: "it is free") }
        case .explain(let row, let streams): explain(row, streams)
        }
    }

    private func call(
        _ member: String, _ arguments: [WireValue] = [], interface: String = AudioSessionBus.managerInterface,
        saying text: String
    ) {
        follower.call(member, arguments, interface: interface) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: model.notice = TopModel.Notice(text: text)
            case .failure(let error): model.notice = TopModel.Notice(text: error.explanation, isError: true)
            }
            show()
            // Some requests cause no event.
            follower.refresh()
        }
    }

    private func explain(_ row: TopModel.RowID, _ streams: [Int64]) {
        var texts: [String?] = Array(repeating: nil, count: min(streams.count, Self.mostExplained))
        for (index, stream) in streams.prefix(Self.mostExplained).enumerated() {
            follower.call("Explain", [.string(String(stream))]) { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let answer):
                    texts[index] = (answer.first?.elements?.compactMap(\.text) ?? []).joined(separator: "\n")
                case .failure(let error): texts[index] = error.explanation
                }
                guard !texts.contains(nil) else { return }
                model.explain(row, texts.compactMap { $0 })
                show()
            }
        }
    }
}
