import Foundation

/// A running program that plays or records on a private server.
public final class Client: Sendable {
    /// The server that the program connects to.
    public let server: any PrivateServer
    /// The kind of program.
    public let program: ClientProgram
    /// The identity that the program states.
    public let identity: ApplicationIdentity
    /// Its process.
    public let process: ChildProcess
    /// mpv's control socket; no other program opens it.
    let socket: String

    /// Starts a program with a sound file to play or to record to.
    ///
    /// The program runs from a copy named after the identity. Clients of the same identity share the copy, so they are
    /// processes of one application. `properties` are added to the stream's properties (for PulseAudio clients also to
    /// the client's); `arguments` are added to the program's own.
    public init(
        _ program: ClientProgram, file: String, as identity: ApplicationIdentity, role: MediaRole? = nil,
        properties: [String: String] = [:], arguments: [String] = [], on server: any PrivateServer
    ) throws {
        self.server = server
        self.program = program
        self.identity = identity
        let copy = try server.sandbox.copy(of: program.executable, named: identity.binary)
        socket = server.sandbox.path("run/\(UUID().uuidString.prefix(8)).mpv")
        process = try server.sandbox.start(
            identity.binary,
            program.invocation(
                executable: copy, file: file, identity: identity, role: role, properties: properties,
                socket: socket, extra: arguments))
    }

    /// Asks the program to end, as when its window is closed.
    public func terminate() { process.signal(SIGTERM) }

    /// Kills the program, as in a crash.
    public func kill() { process.signal(SIGKILL) }

    /// Waits until its process has ended.
    @discardableResult
    public func waitForExit() async throws -> ExitStatus {
        try await process.waitForExit()
    }

    /// The program's present stream; nil without one.
    public func stream() async throws -> ServerStream? {
        try await server.streams().first { $0.processID == process.processID }
    }

    /// Waits until the stream exists, or is in one of the given states.
    @discardableResult
    public func waitForStream(
        in states: Set<ServerStream.State>? = nil
    ) async throws -> ServerStream {
        let which = states.map { " in state \($0.map(\.rawValue).sorted().joined(separator: " or "))" } ?? ""
        let processID = process.processID
        return try await server.waitForStream("a stream of \(identity.binary)\(which)") { stream in
            stream.processID == processID && (states?.contains(stream.state) ?? true)
        }
    }

    /// Waits until the stream has gone.
    public func waitUntilGone() async throws {
        _ = try await waitUntil("the stream of \(identity.binary) to go") {
            try await stream() == nil ? true : nil
        }
    }

    /// Sets the user's volume of the stream, 0 to 1.
    public func setSlider(to position: Double) async throws {
        try await server.setSlider(of: try await waitForStream(), to: position)
    }

    /// Sets the user's mute switch of the stream.
    public func setMuted(_ muted: Bool) async throws {
        try await server.setMuted(muted, of: try await waitForStream())
    }
}
