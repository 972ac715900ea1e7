import Foundation
import TestKit
import Testing

/// What a program records, by the file that it writes: whether a recording goes on, its user sees there, too.
struct Recording: Sendable {
    /// The program, which has yet to be started.
    let invocation: Invocation
    /// The file that grows.
    let file: String
    private let sandbox: Sandbox

    /// A program under a name of its own that records the default source, as its server's clients do unless told otherwise.
    /// PipeWire's own calls every recording music. As music does not record, that is the same as no role, which is what the
    /// other has.
    init(_ name: String, with program: ClientProgram = .plainRecorder, on desk: LiveDesktop) throws {
        sandbox = desk.sandbox
        file = desk.sandbox.path("tmp/\(name)-\(UUID().uuidString.prefix(6)).wav")
        var invocation = try Client.invocation(
            program, file: file, as: ApplicationIdentity(name), role: nil, on: desk.server)
        // So that the file grows all the time, not once in two seconds.
        invocation.environment["PULSE_LATENCY_MSEC"] = "20"
        self.invocation = invocation
    }

    /// Any program that records to a file of this name.
    init(in sandbox: Sandbox, _ name: String, invocation: (String) throws -> Invocation) rethrows {
        self.sandbox = sandbox
        file = sandbox.path("tmp/\(name)")
        self.invocation = try invocation(file)
    }

    private var size: Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Waits until so much more has been recorded; two channels of 16 bits are the least that programs write.
    func waitUntilItGoesOn(for duration: Duration = .milliseconds(250)) async throws {
        let before = size
        _ = try await waitUntil("more of the recording \(file)", evidence: { sandbox.logTails() }) {
            size >= before + duration.frames * 4 ? true : nil
        }
    }

    /// What has been recorded until now, of two channels of 16 bits.
    func sound() throws -> Sound {
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        let begin = try #require(data.range(of: Data("data".utf8))).upperBound + 4
        let samples = data[begin...].withUnsafeBytes { bytes in
            bytes.bindMemory(to: Int16.self).map { Float($0) / 32768 }
        }
        return samples.withUnsafeBufferPointer { Sound(interleaved: $0) }
    }

    /// Waits until nothing has been recorded for some time, as the server's own clock has it.
    func waitUntilItStops(_ desk: LiveDesktop) async throws {
        _ = try await waitUntil("the recording \(file) to stop") {
            let before = size
            try await desk.capture.record(.milliseconds(300))
            return size == before ? true : nil
        }
    }
}

extension SessionApplication {
    /// Waits until a session has a stream.
    func waitForStream(of session: String) async throws {
        _ = try await waitUntil("a stream of \(session)") {
            let sessions = try await manager("ListSessions").elements
            return sessions.first { $0["path"]?.text == session }?["streams"]?.elements.isEmpty == false ? true : nil
        }
    }
}
