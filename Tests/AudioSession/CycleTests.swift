import Foundation
import SessionTestKit
import Testing

@testable import AudioSession

/// Sessions that come and go.
@Suite(.timeLimit(.minutes(20))) struct CycleTests {
    /// How many times a session is opened; `AUDIO_SESSION_CYCLES` sets another number.
    private static let cycles =
        ProcessInfo.processInfo.environment["AUDIO_SESSION_CYCLES"].flatMap { Int($0) } ?? 200

    /// Runs in a process of its own, as tests beside it would use memory and descriptors too.
    @Test("R7 R12 sessions that are opened, activated, interrupted and closed leave nothing behind")
    func nothingRemains() async throws {
        guard !OwnProcess.isHere else { return try await measure() }
        let told = try await OwnProcess.run(
            "CycleTests/nothingRemains", variables: ["AUDIO_SESSION_CYCLES"])
        let growth = told.flatMap { $0.split(separator: " ").compactMap { Int($0) } }
        try #require(growth.count == 2, "\(told)")
        print("\(Self.cycles) cycles: \(growth[0]) KiB more, \(growth[1]) descriptors more")
        // What the calling application is told is kept for the test: a quarter of a KiB each time.
        #expect(growth[0] < 256 + Self.cycles / 2)
        #expect(growth[1] == 0)
    }

    /// Opens and closes sessions, and tells how many KiB and descriptors more are used in the end.
    private func measure() async throws {
        try await withStage { stage in
            let application = try await SessionApplication(in: stage.desk.sandbox)
            var before = Usage()
            for count in 0..<Self.cycles {
                if count == Self.cycles / 5 { before = try await Usage.settled() }
                let session = try await stage.session()
                var interruptions = session.interruptions.makeAsyncIterator()
                try session.setCategory(.playback)
                try session.setActive(true)
                let call = try await Call(application)
                guard case .began = await interruptions.next() else { throw Unheard() }
                try await call.end()
                guard case .ended = await interruptions.next() else { throw Unheard() }
                session.close()
            }
            let after = try await Usage.settled(at: before)
            OwnProcess.tell("\(after.memory - before.memory) \(after.descriptors - before.descriptors)")
        }
    }

    /// An interruption has not begun or ended when it should.
    private struct Unheard: Error {}

    /// What this process uses.
    private struct Usage {
        /// Private memory that is written to, in KiB.
        var memory = 0
        var descriptors = 0

        init() {}

        /// What is used now.
        static func now() throws -> Usage {
            var usage = Usage()
            usage.descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            let lines = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8).split(separator: "\n")
            for line in lines where line.hasPrefix("Private_Dirty:") {
                usage.memory = Int(line.split(separator: " ")[1]) ?? 0
            }
            return usage
        }

        /// What is used once closed sessions are gone: when the number of descriptors is that of a former usage, or for
        /// the first one, when it has been the same ten times.
        static func settled(at former: Usage? = nil) async throws -> Usage {
            var last = Usage()
            var same = 0
            return try await waitUntil("the end of the closed sessions") {
                let now = try Usage.now()
                same = now.descriptors == last.descriptors ? same + 1 : 0
                last = now
                if let former, now.descriptors > former.descriptors { return nil }
                return same >= 10 ? now : nil
            }
        }
    }
}
