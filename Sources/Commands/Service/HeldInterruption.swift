import ArgumentParser
import BusInterface
import DBus
import Glibc
import PolicyEngine
import PolicyFile

/// An interruption that this process keeps until a signal, a time limit, or the end of a command.
final class HeldInterruption {
    private let service = ServiceConnection()
    private let options: Interrupt.Begin
    private var isOver = false
    /// The reason for an early end.
    private var failure: (any Error)?
    /// The unique name of the service that began the interruption, and the cookie there.
    private var owner: String?
    private var cookie: WireValue?
    private var child: pid_t?

    init(_ options: Interrupt.Begin) { self.options = options }

    func run() throws {
        // First, so that no signal during the start is lost.
        let signals = SignalWatch([SIGINT, SIGTERM, SIGHUP, SIGCHLD], loop: service.loop) { [weak self] signal in
            self?.handle(signal)
        }
        let lock = InterruptionLock.acquire(options.kind.rawValue)
        defer { lock?.release() }
        let first = try service.owner().orExit()
        owner = first
        cookie = try service.callOrExit("BeginInterruption", arguments, of: first).first
        // A restarted service does not know this interruption.
        let following = service.bus.follow(AudioSessionBus.name) { [weak self] in self?.follow($0) }
        try start()
        let timer = service.loop.timer { [weak self] in self?.timeLimitReached() }
        if let length = options.length {
            let nanoseconds = Int64(clamping: length.milliseconds) * 1_000_000
            timer.arm(at: service.loop.now + nanoseconds)
        }
        withExtendedLifetime((signals, following)) { service.loop.run(until: { isOver }) }
        timer.cancel()
        if let cookie, let owner, case .success = service.call("EndInterruption", [cookie], of: owner) {
            printState("ended")
        }
        if let failure { throw failure }
    }

    private var arguments: [WireValue] {
        [.string(options.kind.rawValue), .record(options.name.map { [("display-name", .string($0))] } ?? [])]
    }

    /// Prints a state; nothing if a command runs, because the output is the command's.
    private func printState(_ state: String) {
        guard options.command.isEmpty else { return }
        let text =
            options.json
            ? SchemaJSON.line([("kind", .string(options.kind.rawValue)), ("state", .string(state))])
            : "\(options.kind.rawValue) interruption \(state)"
                + (state == "began"
                    ? "; to end it: Ctrl-C, or audio-session interrupt end \(options.kind.rawValue)" : "")
        do { try Terminal.write(text + "\n") } catch { end(with: error) }
    }

    private func start() throws {
        printState("began")
        guard let program = options.command.first else { return }
        let (process, error) = spawn(options.command)
        guard error == 0 else { throw Terminal.failure(running: program, error) }
        child = process
    }

    // MARK: - Events during the interruption

    private func handle(_ signal: Int32) {
        guard signal == SIGCHLD else {
            // The terminal sends SIGINT to the command itself, and the command's reaction counts.
            guard let child else {
                isOver = true
                return
            }
            if signal != SIGINT { kill(child, signal) }
            return
        }
        guard let child else { return }
        var status: Int32 = 0
        guard waitpid(child, &status, WNOHANG) == child else { return }
        self.child = nil
        let signal = status & 0x7F
        let code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        end(with: code == 0 ? nil : ExitCode(code))
    }

    private func timeLimitReached() {
        // The command continues; only the interruption has ended.
        if child == nil { isOver = true } else { endEarly() }
    }

    private func endEarly() {
        guard let cookie, let owner else { return }
        self.cookie = nil
        service.bus.call(
            owner, path: AudioSessionBus.managerPath, interface: AudioSessionBus.managerInterface, "EndInterruption",
            [cookie]
        ) { _ in }
    }

    private func follow(_ owner: String?) {
        guard owner != self.owner else { return }
        self.owner = owner
        guard let owner else { return Terminal.complain("the service has gone; waiting for it") }
        // An interruption that has ended does not begin again.
        guard cookie != nil else { return }
        service.bus.call(
            owner, path: AudioSessionBus.managerPath, interface: AudioSessionBus.managerInterface, "BeginInterruption",
            arguments
        ) { [weak self] result in
            switch result {
            case .success(let values):
                self?.cookie = values.first
                self?.printState("began")
            case .failure(let error):
                guard !error.isAbsence else { return }
                self?.end(with: Terminal.failure(error.explanation))
            }
        }
    }

    private func end(with error: (any Error)?) {
        failure = failure ?? error
        isOver = true
    }
}
