import Foundation

/// A program that opens audio sessions over the bus and starts children that play:
/// `Tests/Fixtures/session-application.py`.
public final class SessionApplication: Sendable {
    /// An error that came over the bus.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        /// The error's name.
        public let name: String
        /// The error's text.
        public let message: String
        /// Name and text.
        public var description: String { "\(name): \(message)" }
    }

    /// The program's process; its log has the received signals.
    public let process: ChildProcess
    private let socket: String

    /// What an application uses to have sessions.
    public enum Interface: Sendable, Hashable {
        /// Calls on the bus.
        case bus
        /// The library for Swift.
        case swift
        /// The library for C, at this path.
        case c(String)
    }

    /// The path of the manager.
    public static let manager = "/org/AudioSession1"

    /// Starts the program in a sandbox whose session bus runs, and waits until it accepts commands.
    ///
    /// - Parameters:
    ///   - name: The name of its log.
    ///   - program: The program name that it runs under; by default the interpreter's.
    ///   - isShared: Whether its children may be processes of the same application, see
    ///     ``ApplicationIdentity/isShared``.
    ///   - isTraced: Whether ``events(of:)`` returns the messages to each session.
    ///   - interface: What it uses to have sessions. With a library it can do less, see `Tests/Fixtures` and
    ///     `Tests/SessionApplication`.
    public init(
        _ name: String = "session-application", as program: String? = nil, isShared: Bool = false,
        isTraced: Bool = false, through interface: Interface = .bus, in sandbox: Sandbox
    ) async throws {
        socket = sandbox.path("run/\(UUID().uuidString.prefix(8)).application")
        var executable = "/usr/bin/python3"
        var arguments = [DesktopMocks.fixture("session-application.py"), socket]
        if isTraced { arguments.append("traced") }
        switch interface {
        case .bus: break
        case .swift:
            executable = try Self.swiftProgram()
            arguments.removeFirst()
        case .c(let library): arguments.append("library=\(library)")
        }
        let start = try program.map { try sandbox.invocation(of: executable, named: $0, isShared: isShared) }
        process = try sandbox.start(
            name, Invocation(start?.executable ?? executable, (start?.arguments ?? []) + arguments))
        try await process.log.wait(forLineContaining: "ready")
    }

    /// The program that uses the library for Swift, which is built next to the running one.
    private static func swiftProgram() throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("session-application")
            .path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw SystemError(code: ENOENT, context: "find \(path), which the package's build makes")
        }
        return path
    }

    /// Opens a session with properties as JSON; returns its path.
    public func open(_ properties: String = "{}") async throws -> String {
        try await ask("[\"open\", \(properties)]").text ?? ""
    }

    /// Calls a method of a session, with arguments as JSON.
    @discardableResult
    public func session(_ path: String, _ method: String, _ arguments: String...) async throws -> JSONValue {
        try await ask("[\"session\", \"\(path)\", \(([#""\#(method)""#] + arguments).joined(separator: ", "))]")
    }

    /// Calls a method of the manager, with arguments as JSON.
    @discardableResult
    public func manager(_ method: String, _ arguments: String...) async throws -> JSONValue {
        try await ask("[\"manager\", \(([#""\#(method)""#] + arguments).joined(separator: ", "))]")
    }

    /// Reads a property of a session, or of the manager.
    public func get(_ path: String, _ property: String) async throws -> JSONValue {
        try await ask("[\"get\", \"\(path)\", \"\(property)\"]")
    }

    /// Sets a property of the manager, to a value as JSON.
    public func set(_ property: String, _ value: String) async throws {
        try await ask("[\"set\", \"\(property)\", \(value)]")
    }

    /// Starts a child of the program; returns the process id.
    public func start(_ invocation: Invocation) async throws -> Int {
        func quoted(_ text: String) -> String {
            String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
        }
        let words = ([invocation.executable] + invocation.arguments).map(quoted).joined(separator: ", ")
        let variables = invocation.environment.map { "\(quoted($0.key)): \(quoted($0.value))" }.joined(separator: ", ")
        return Int(try await ask("[\"start\", [\(words)], {\(variables)}]").number ?? 0)
    }

    /// Ends a child of the program.
    public func stop(_ child: Int) async throws { try await ask("[\"stop\", \(child)]") }

    /// Waits for a signal, as `NAME ARGUMENT …`, after the first `count` lines of the log.
    public func hear(_ signal: String) async throws {
        try await process.log.wait(forLineContaining: "signal \(signal)")
    }

    /// The received signals, each as `NAME ARGUMENT …`.
    public var signals: [String] {
        process.log.text.split(separator: "\n").filter { $0.hasPrefix("signal ") }.map {
            String($0.dropFirst("signal ".count))
        }
    }

    /// All messages to a session in order, each an array of the kind (`signal`, `changed`, `answer`, `error`), the name
    /// and the content; see the program.
    public func events(of path: String) throws -> [[JSONValue]] {
        let prefix = "event \(path) "
        return try process.log.text.split(separator: "\n").filter { $0.hasPrefix(prefix) }.map {
            try JSONValue(parsing: Data($0.dropFirst(prefix.count).utf8)).elements
        }
    }

    /// Sends a command as a line of JSON, and waits for the answer.
    @discardableResult
    public func ask(_ request: String) async throws -> JSONValue {
        let connection = try await waitUntil("the socket of \(process.name)") {
            UnixConnection(path: socket)
        }
        try connection.send(request + "\n")
        let line = try await waitUntil(
            "the answer to \(request)", every: .milliseconds(2), evidence: { process.log.tail() }
        ) { try connection.receivedLines().first }
        let answer = try JSONValue(parsing: Data(line.utf8))
        if let name = answer["error"]?.text { throw Failure(name: name, message: answer["message"]?.text ?? "") }
        return answer["ok"] ?? .null
    }
}
