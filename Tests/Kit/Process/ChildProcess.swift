import Foundation
import Synchronization

/// How a child ended.
public enum ExitStatus: Sendable, Equatable {
    /// The child returned from `main` or called `exit`.
    case exited(Int32)
    /// A signal ended the child.
    case signalled(Int32)

    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .signalled(signal)
    }
}

/// A program to start, with its arguments and additions to the sandbox's environment.
public struct Invocation: Sendable, Equatable {
    /// A path, or a name to be looked up in `PATH`.
    public var executable: String
    /// The arguments after the program's name.
    public var arguments: [String]
    /// Variables that are added to the sandbox's, or replace them.
    public var environment: [String: String]

    /// An invocation; nothing is started yet.
    public init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }

    /// The same program run by another one, such as a debugger; as it is if there is none.
    func run(by words: [String]) -> Invocation {
        guard let first = words.first else { return self }
        return Invocation(first, words.dropFirst() + [executable] + arguments, environment: environment)
    }
}

/// A process that we started and may therefore end; owns the process id until the child is reaped.
///
/// Signals go only to that process id and never after the child was reaped, so they reach no other process. The last
/// reference kills the child when it is released, so that a test that throws leaves nothing behind.
public final class ChildProcess: Sendable {
    /// The short name for messages.
    public let name: String
    /// The process id; valid for signals until the child was reaped.
    public let processID: pid_t
    /// Standard error, and standard output unless that goes to a separate file.
    public let log: LogFile

    private let status = Mutex<ExitStatus?>(nil)
    private let onReap: @Sendable (pid_t) -> Void

    init(
        name: String, executable: String, arguments: [String], environment: [String: String],
        log: LogFile, output: String?, comesFirst: Bool,
        onReap: @escaping @Sendable (pid_t) -> Void
    ) throws {
        self.name = name
        self.log = log
        self.onReap = onReap
        processID = try spawn(
            [executable] + arguments, environment: environment, input: nil, output: output ?? log.path,
            errors: log.path, comesFirst: comesFirst)
    }

    deinit {
        signal(SIGKILL)
        status.withLock { status in
            guard status == nil else { return }
            var word: Int32 = 0
            while waitpid(processID, &word, 0) == -1 && errno == EINTR {}
            onReap(processID)
        }
    }

    /// The child's exit status, or nil while it runs. Reaps a child that has ended.
    public var exitStatus: ExitStatus? {
        status.withLock { status in
            if status == nil {
                var word: Int32 = 0
                if waitpid(processID, &word, WNOHANG) == processID {
                    status = ExitStatus(waitStatus: word)
                    onReap(processID)
                }
            }
            return status
        }
    }

    /// Whether the child still runs.
    public var isRunning: Bool { exitStatus == nil }

    /// Sends a signal, unless the child has been reaped.
    public func signal(_ number: Int32) {
        status.withLock { status in
            if status == nil { _ = Glibc.kill(processID, number) }
        }
    }

    /// Waits until the child has ended, by itself or by a signal.
    @discardableResult
    public func waitForExit(within limit: Duration = hangLimit) async throws -> ExitStatus {
        try await waitUntil(
            "the end of \(name) (process \(processID))", within: limit, every: .milliseconds(2),
            evidence: { "\(kernelState)\n\(log.tail())" }
        ) { exitStatus }
    }

    /// What the kernel says of the child: its state, and where it waits in which system call.
    private var kernelState: String {
        func read(_ name: String) -> String {
            let text = try? String(contentsOfFile: "/proc/\(processID)/\(name)", encoding: .utf8)
            return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "?"
        }
        let states = read("status").split(separator: "\n").filter { line in
            ["State:", "voluntary_ctxt", "nonvoluntary_ctxt"].contains { line.hasPrefix($0) }
        }
        return "kernel: \(states.joined(separator: ", ")), in \(read("wchan")), call \(read("syscall"))"
    }

    /// Ends the child with SIGTERM, or with SIGKILL after `grace`, and reaps it.
    public func stop(grace: Duration = .seconds(3)) async {
        signal(SIGTERM)
        let deadline = ContinuousClock.now + grace
        while exitStatus == nil {
            if ContinuousClock.now > deadline { signal(SIGKILL) }
            // In a cancelled task this does not sleep.
            if (try? await Task.sleep(for: .milliseconds(2))) == nil { usleep(1_000) }
        }
    }
}
