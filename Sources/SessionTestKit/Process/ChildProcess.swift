import Foundation
import Synchronization

/// How a child ended.
public enum ExitStatus: Sendable, Equatable {
    /// It returned from `main` or called `exit`.
    case exited(Int32)
    /// A signal ended it.
    case signalled(Int32)

    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .signalled(signal)
    }
}

/// What to start: a program with its arguments and what is added to the sandbox's environment.
public struct Invocation: Sendable, Equatable {
    /// A path, or a name to be looked up in `PATH`.
    public var executable: String
    /// The arguments after the program's name.
    public var arguments: [String]
    /// Variables that are added to those of the sandbox, or replace them.
    public var environment: [String: String]

    /// An invocation; nothing is started yet.
    public init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }
}

/// A process that we started, and therefore may end: owns its process id until it has been reaped.
///
/// Signals go to that process id only, and never after it was reaped, so no stranger can be hit. The last reference
/// going away kills the child, so that a test which throws leaves nothing behind.
public final class ChildProcess: Sendable {
    /// The short name for messages.
    public let name: String
    /// The process id; valid for signals until the child was reaped.
    public let processID: pid_t
    /// Standard error, and standard output unless that went to a file of its own.
    public let log: LogFile

    private let status = Mutex<ExitStatus?>(nil)
    private let onReap: @Sendable (pid_t) -> Void

    init(
        name: String, executable: String, arguments: [String], environment: [String: String],
        log: LogFile, output: String?,
        onReap: @escaping @Sendable (pid_t) -> Void
    ) throws {
        self.name = name
        self.log = log
        self.onReap = onReap
        processID = try spawn(
            [executable] + arguments, environment: environment, input: nil, output: output ?? log.path,
            errors: log.path)
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

    /// How it ended, or nil while it runs. Reaps it when it has ended.
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

    /// Whether it has not ended yet.
    public var isRunning: Bool { exitStatus == nil }

    /// Sends a signal, unless the child has been reaped.
    public func signal(_ number: Int32) {
        status.withLock { status in
            if status == nil { _ = Glibc.kill(processID, number) }
        }
    }

    /// Waits until it has ended, by itself or by a signal.
    @discardableResult
    public func waitForExit(within limit: Duration = .seconds(10)) async throws -> ExitStatus {
        try await waitUntil(
            "the end of \(name) (process \(processID))", within: limit, every: .milliseconds(2),
            evidence: { log.tail() }
        ) { exitStatus }
    }

    /// Ends it: asks with SIGTERM, insists with SIGKILL after `grace`, and reaps it.
    public func stop(grace: Duration = .seconds(3)) async {
        signal(SIGTERM)
        if (try? await waitForExit(within: grace)) != nil { return }
        signal(SIGKILL)
        // A cancelled task cannot sleep, so this waits without one.
        while exitStatus == nil { usleep(1_000) }
    }
}
