import Foundation

extension Client {
    /// Pauses mpv as a user does.
    public func pause() async throws { try await set("pause", "true") }

    /// Resumes mpv as a user does.
    public func unpause() async throws { try await set("pause", "false") }

    /// Whether mpv reports that it is paused.
    public func isPaused() async throws -> Bool { try await get("pause").bool ?? false }

    /// The position in the file that mpv reports, in seconds.
    public func playbackTime() async throws -> Double? { try await get("time-pos").number }

    /// Sets one of mpv's properties; the value is JSON.
    public func set(_ property: String, _ value: String) async throws {
        try await command("[\"set_property\", \"\(property)\", \(value)]")
    }

    /// Reads one of mpv's properties.
    public func get(_ property: String) async throws -> JSONValue {
        try await command("[\"get_property\", \"\(property)\"]")["data"] ?? .null
    }

    /// Sends one of mpv's IPC commands, a JSON array, and returns the reply; an error reply throws.
    ///
    /// Waits for the socket, which mpv opens some time after its start.
    @discardableResult
    public func command(_ command: String) async throws -> JSONValue {
        precondition(program == .mpvPulse || program == .mpvPipeWire, "only mpv has a control socket")
        return try await MPVSocket(path: socket).command(command) { process.log.tail() }
    }
}

/// The control socket of an mpv, whichever process has started it.
public struct MPVSocket: Sendable {
    /// The socket's path.
    public let path: String

    /// The socket at a path.
    public init(path: String) { self.path = path }

    /// The socket that an invocation makes mpv open; `nil` for another program.
    public init?(of invocation: Invocation) {
        let option = "--input-ipc-server="
        guard let argument = invocation.arguments.first(where: { $0.hasPrefix(option) }) else { return nil }
        path = String(argument.dropFirst(option.count))
    }

    /// Pauses or resumes mpv as a user does.
    public func setPaused(_ isPaused: Bool) async throws {
        try await command("[\"set_property\", \"pause\", \(isPaused)]")
    }

    /// Sends a command, a JSON array, and returns the reply; an error reply throws.
    @discardableResult
    public func command(
        _ command: String, evidence: () -> String = { "" }
    ) async throws -> JSONValue {
        let connection = try await waitUntil("mpv's socket", evidence: evidence) {
            UnixConnection(path: path)
        }
        try connection.send("{\"command\": \(command), \"request_id\": 1}\n")
        return try await waitUntil("mpv's reply to \(command)", every: .milliseconds(2)) {
            for line in try connection.receivedLines() {
                let reply = try JSONValue(parsing: Data(line.utf8))
                guard reply["request_id"]?.number == 1 else { continue }
                guard reply["error"]?.text == "success" else {
                    throw CommandFailure(command: ["mpv", command], status: .exited(0), errors: line)
                }
                return reply
            }
            return nil
        }
    }
}
