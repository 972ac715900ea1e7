import Foundation

/// A program that holds audio sessions over the bus, and starts children that play: `Tests/Fixtures/session-application.py`.
public final class SessionApplication: Sendable {
    /// An error that came over the bus.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        /// Its name.
        public let name: String
        /// Its text.
        public let message: String
        /// Both.
        public var description: String { "\(name): \(message)" }
    }

    /// Its process; the log has the signals that it hears.
    public let process: ChildProcess
    private let socket: String

    /// The object of the manager.
    public static let manager = "/org/AudioSession1"

    /// Starts one in a sandbox whose session bus runs, and waits until it can be told what to do.
    ///
    /// - Parameters:
    ///   - name: of its log.
    ///   - program: the name of the program that it runs as; otherwise that of the interpreter.
    ///   - isShared: whether its children may be processes of the same application, see ``ApplicationIdentity/isShared``.
    ///   - isTraced: whether ``events(of:)`` tells what it was told of each session.
    public init(
        _ name: String = "session-application", as program: String? = nil, isShared: Bool = false,
        isTraced: Bool = false, in sandbox: Sandbox
    ) async throws {
        socket = sandbox.path("run/\(UUID().uuidString.prefix(8)).application")
        let interpreter = "/usr/bin/python3"
        let start = try program.map { try sandbox.invocation(of: interpreter, named: $0, isShared: isShared) }
        process = try sandbox.start(
            name,
            Invocation(
                start?.executable ?? interpreter,
                (start?.arguments ?? []) + [DesktopMocks.fixture("session-application.py"), socket]
                    + (isTraced ? ["traced"] : [])))
        try await process.log.wait(forLineContaining: "ready")
    }

    /// Opens a session with properties as JSON; answers its path.
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

    /// Starts a child of its own; answers the process.
    public func start(_ invocation: Invocation) async throws -> Int {
        func quoted(_ text: String) -> String {
            String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
        }
        let words = ([invocation.executable] + invocation.arguments).map(quoted).joined(separator: ", ")
        let variables = invocation.environment.map { "\(quoted($0.key)): \(quoted($0.value))" }.joined(separator: ", ")
        return Int(try await ask("[\"start\", [\(words)], {\(variables)}]").number ?? 0)
    }

    /// Ends a child of its own.
    public func stop(_ child: Int) async throws { try await ask("[\"stop\", \(child)]") }

    /// Waits for a signal, as `NAME ARGUMENT …`, that came after the first `count` lines of the log.
    public func hear(_ signal: String, within limit: Duration = .seconds(10)) async throws {
        try await process.log.wait(forLineContaining: "signal \(signal)", within: limit)
    }

    /// The signals that it has heard, each as `NAME ARGUMENT …`.
    public var signals: [String] {
        process.log.text.split(separator: "\n").filter { $0.hasPrefix("signal ") }.map {
            String($0.dropFirst("signal ".count))
        }
    }

    /// All that it was told of a session, in its order, each as an array of the kind (`signal`, `changed`, `answer`, `error`), the
    /// name, and what was said; see the program.
    public func events(of path: String) throws -> [[JSONValue]] {
        let prefix = "event \(path) "
        return try process.log.text.split(separator: "\n").filter { $0.hasPrefix(prefix) }.map {
            try JSONValue(parsing: Data($0.dropFirst(prefix.count).utf8)).elements
        }
    }

    /// Tells it something, as a line of JSON, and waits for the answer.
    @discardableResult
    public func ask(_ request: String, within limit: Duration = .seconds(30)) async throws -> JSONValue {
        let connection = try await waitUntil("the socket of \(process.name)", within: limit) {
            UnixConnection(path: socket)
        }
        try connection.send(request + "\n")
        let line = try await waitUntil(
            "the answer to \(request)", within: limit, every: .milliseconds(2), evidence: { process.log.tail() }
        ) { try connection.receivedLines().first }
        let answer = try JSONValue(parsing: Data(line.utf8))
        if let name = answer["error"]?.text { throw Failure(name: name, message: answer["message"]?.text ?? "") }
        return answer["ok"] ?? .null
    }
}
