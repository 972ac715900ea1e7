import Foundation
import Synchronization

/// A new home in a temporary folder, with its environment and the processes started in it.
///
/// It is independent of the user's session: of this process's variables, only `PATH` and those of the loader and the
/// sanitizers are kept. The folder's path is short, because the path of a unix socket has at most 107 bytes.
public final class Sandbox: Sendable {
    /// The folder with all files; removed by `stop()`.
    public let directory: String
    /// The environment of every child.
    public let environment: [String: String]

    private struct State {
        var children: [ChildProcess] = []
        var count = 0
        var isStopped = false
    }
    private let state = Mutex(State())
    private let guardian: Guardian
    private let comesFirst: Bool

    /// This process's sanitizer options; children built with sanitizers need the same.
    public static var sanitizerOptions: [String: String] {
        let names = ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"]
        return ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
    }

    /// Creates the folder and the XDG base directories.
    ///
    /// - Parameters:
    ///   - extra: Variables that are added to the environment, or replace some of it.
    ///   - comesFirst: Whether what is started here gets a processor before all programs of ordinary priority, where this
    ///     user may say so. Players that wait while others compute would leave gaps, which a test could only play again.
    public init(environment extra: [String: String] = [:], comesFirst: Bool = false) throws {
        self.comesFirst = comesFirst
        var template = Array("/tmp/as-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, context: "mkdtemp") }
        let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.directory = directory
        guardian = try Guardian(directory: directory)

        let folders = [
            "HOME": "home", "XDG_RUNTIME_DIR": "run", "XDG_CONFIG_HOME": "home/.config",
            "XDG_STATE_HOME": "home/.local/state", "XDG_DATA_HOME": "home/.local/share",
            "XDG_CACHE_HOME": "home/.cache", "TMPDIR": "tmp",
        ]
        var environment = Sandbox.sanitizerOptions
        environment["LANG"] = "C.UTF-8"
        for name in ["PATH", "LD_LIBRARY_PATH"] {
            environment[name] = ProcessInfo.processInfo.environment[name]
        }
        for (name, folder) in folders {
            let path = "\(directory)/\(folder)"
            environment[name] = path
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        environment["PIPEWIRE_RUNTIME_DIR"] = environment["XDG_RUNTIME_DIR"]
        environment["PULSE_RUNTIME_PATH"] = "\(directory)/run/pulse"
        environment["PULSE_SERVER"] = "unix:\(directory)/run/pulse/native"
        environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(directory)/run/bus"
        // Set even if no bus runs there, so that no child ever reaches the machine's system bus.
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=\(directory)/run/system-bus"
        self.environment = environment.merging(extra) { $1 }
        for folder in ["log", "bin", "run/pulse"] {
            try FileManager.default.createDirectory(
                atPath: path(folder), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    deinit { removeEverything() }

    /// The absolute path of a file in the sandbox.
    public func path(_ relative: String) -> String { "\(directory)/\(relative)" }

    /// Writes a text file, and creates the folders above it.
    public func write(_ text: String, to relative: String) throws {
        let path = path(relative)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// All files in a folder and its subfolders, by their path below it.
    public func contents(of folder: String) -> [String: [UInt8]] {
        let root = path(folder)
        var files: [String: [UInt8]] = [:]
        for case let file as String in FileManager.default.enumerator(atPath: root) ?? .init() {
            if let data = FileManager.default.contents(atPath: "\(root)/\(file)") { files[file] = [UInt8](data) }
        }
        return files
    }

    /// The path of an installed program; throws, with the reason, if it is missing.
    public func locate(_ program: String) throws -> String {
        if program.contains("/") { return program }
        let path = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let path else { throw SystemError(code: ENOENT, context: "find the program \(program)") }
        return path
    }

    /// A copy of a program under another name, for an application with its own identity.
    ///
    /// A symbolic link would not do, because PipeWire and PulseAudio clients report `/proc/self/exe` as
    /// `application.process.binary`.
    public func copy(of program: String, named name: String) throws -> String {
        let original = URL(fileURLWithPath: try locate(program)).resolvingSymlinksInPath().path
        // An application may consist of several programs that all have its name.
        let folder = path("bin/\((original as NSString).lastPathComponent)")
        let copy = "\(folder)/\(name)"
        return try state.withLock { _ in
            if access(copy, X_OK) != 0 {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try Sandbox.copy(original, to: copy)
            }
            return copy
        }
    }

    /// The invocation of a program under another name, which several programs of one application may share.
    public func invocation(of program: String, named name: String, isShared: Bool) throws -> Invocation {
        guard isShared else { return Invocation(try copy(of: program, named: name), []) }
        let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
        guard let loader = loaders.first(where: { access($0, X_OK) == 0 }) else {
            throw SystemError(code: ENOENT, context: "find the loader of programs among \(loaders)")
        }
        return Invocation(try copy(of: loader, named: name), [try locate(program)])
    }

    /// Copies a program in another process. A program cannot be started while any process has it open for writing, and
    /// a process that another desktop starts at this moment would briefly inherit our descriptor.
    private static func copy(_ original: String, to copy: String) throws {
        let process = try spawn(
            ["/bin/cp", original, copy], environment: [:], input: nil, output: "/dev/null", errors: "/dev/null")
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw SystemError(code: EIO, context: "copy \(original) to \(copy)") }
    }

    /// Starts a program. Its output goes to a log of its own; standard output to `output` if given.
    public func start(_ name: String, _ invocation: Invocation, output: String? = nil) throws -> ChildProcess {
        let executable = try locate(invocation.executable)
        let number = try state.withLock { state in
            if state.isStopped { throw SystemError(code: ECANCELED, context: "start \(name) in a stopped sandbox") }
            state.count += 1
            return state.count
        }
        let guardian = guardian
        let child = try ChildProcess(
            name: name, executable: executable, arguments: invocation.arguments,
            environment: environment.merging(invocation.environment) { $1 },
            log: LogFile(path: path("log/\(number)-\(name).log")), output: output, comesFirst: comesFirst,
            onReap: { guardian.forget($0) })
        guardian.watch(child.processID)
        state.withLock { $0.children.append(child) }
        return child
    }

    /// Runs a program to its end and returns its output; throws on failure, with the end of its errors.
    @discardableResult
    public func run(_ invocation: Invocation) async throws -> Data {
        let name = (invocation.executable as NSString).lastPathComponent
        let output = path("tmp/\(UUID().uuidString)")
        let child = try start(name, invocation, output: output)
        defer {
            unlink(output)
            state.withLock { $0.children.removeAll { $0 === child } }
        }
        let status = try await child.waitForExit()
        guard status == .exited(0) else {
            throw CommandFailure(command: [name] + invocation.arguments, status: status, errors: child.log.text)
        }
        unlink(child.log.path)
        return FileManager.default.contents(atPath: output) ?? Data()
    }

    /// The ends of all logs, for error messages.
    public func logTails(lines: Int = 12) -> String {
        let children = state.withLock { $0.children }
        return children.map { $0.log.tail(lines: lines) }.joined(separator: "\n")
    }

    /// Kills every process of this sandbox but some: whatever has its runtime folder in the environment, also what a child
    /// has started and left behind.
    public func killAll(but kept: Set<pid_t>) async throws {
        let mark = Data("XDG_RUNTIME_DIR=\(path("run"))".utf8)
        func others() -> [pid_t] {
            ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { name in
                guard let process = pid_t(name), !kept.contains(process),
                    FileManager.default.contents(atPath: "/proc/\(name)/environ")?.firstRange(of: mark) != nil
                else { return nil }
                return process
            }
        }
        _ = try await waitUntil("the processes in \(directory) to end") {
            // A child whose end has not been noticed yet has no environment any more.
            let processes = others()
            for process in processes { _ = Glibc.kill(process, SIGKILL) }
            return processes.isEmpty ? true : nil
        }
        state.withLock { state in
            state.children.removeAll { !kept.contains($0.processID) && $0.exitStatus != nil }
        }
    }

    /// The logs of the processes that were started here and have not been removed.
    public var logs: [String] { state.withLock { $0.children }.map(\.log.text) }

    /// Ends all processes, the newest first, and removes the folder. Further calls do nothing.
    public func stop() async {
        let children = state.withLock { state in
            state.isStopped = true
            defer { state.children = [] }
            return state.children
        }
        for child in children.reversed() { await child.stop() }
        removeEverything()
    }

    private func removeEverything() {
        // Releasing the last references kills and reaps the children that still run.
        state.withLock { $0.children = [] }
        try? FileManager.default.removeItem(atPath: directory)
    }
}

/// A command that ended with an error.
public struct CommandFailure: Error, CustomStringConvertible, Sendable {
    /// The program and its arguments.
    public let command: [String]
    /// The exit status.
    public let status: ExitStatus
    /// The output to standard error.
    public let errors: String

    /// The command, its exit status, and its errors.
    public var description: String { "\(command.joined(separator: " ")): \(status)\n\(errors)" }
}
