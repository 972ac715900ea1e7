import Foundation

extension Client {
    /// Pauses mpv as its user would.
    public func pause() async throws { try await set("pause", "true") }

    /// Lets mpv go on as its user would.
    public func unpause() async throws { try await set("pause", "false") }

    /// Jumps to a time in the file.
    public func seek(toSeconds seconds: Double) async throws {
        try await command("[\"seek\", \(seconds), \"absolute\"]")
    }

    /// Whether mpv itself believes to be paused.
    public func isPaused() async throws -> Bool { try await get("pause").bool ?? false }

    /// Where mpv believes to be in its file, in seconds.
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
    /// Waits for the socket, as mpv opens it some time after it started.
    @discardableResult
    public func command(_ command: String, within limit: Duration = .seconds(5)) async throws -> JSONValue {
        precondition(program == .mpvPulse || program == .mpvPipeWire, "only mpv has a control socket")
        let connection = try await waitUntil("mpv's socket", within: limit, evidence: { process.log.tail() }) {
            UnixConnection(path: socket)
        }
        try connection.send("{\"command\": \(command), \"request_id\": 1}\n")
        return try await waitUntil("mpv's reply to \(command)", within: limit, every: .milliseconds(2)) {
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
