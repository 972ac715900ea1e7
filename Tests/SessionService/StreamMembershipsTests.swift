import SessionCore
import SessionDesktop
import Testing

@testable import SessionService

/// Which opened session a stream belongs to (R79, R80).
@Suite struct StreamMembershipsTests {
    /// Process 20 has started 21, which has started 22; 30 is an application of its own. 20 has also started 50, of which the
    /// kernel says nothing, and 51 in a sandbox; both have started another process.
    private struct Processes: ProcessTree {
        func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? {
            switch process {
            case 21, 22: (process - 1, UInt64(process))
            case 50, 51: (20, UInt64(process))
            case 150, 151: (process - 100, UInt64(process))
            default: (1, UInt64(process))
            }
        }
        func confinement(of process: UInt32) -> Confinement {
            switch process {
            case 50, 150: .unknown
            case 51, 151: .sandbox(AppSandbox("org.example.Game"))
            default: .unconfined
            }
        }
        func executable(of process: UInt32) -> String? { "/usr/bin/program-\(process)" }
        func name(of process: UInt32) -> String? { "program-\(process)" }
        func unit(of process: UInt32) -> String? { nil }
        func title(ofDesktopEntry entry: String) -> String? { nil }
    }

    private func client(_ process: UInt32?, sandbox: AppSandbox? = nil) -> ClientIdentity {
        ClientIdentity(
            program: process.flatMap { Processes().program(of: $0) }, sandbox: sandbox, binary: nil, displayName: nil,
            fallback: "", connection: "1")
    }

    private func stream(_ process: UInt32, names session: String? = nil) -> StreamIdentity {
        StreamIdentity(node: 1, client: client(process), session: session)
    }

    private let first = SessionID(1)
    private let second = SessionID(2)
    private let playing = StreamID(7)

    @Test("a stream belongs to the oldest session of its process, else of the nearest process above")
    func streamBelongsToOldestSessionOfItsProcessElse() {
        var memberships = StreamMemberships()
        #expect(memberships.add(StreamID(1), stream(22)) == nil)
        memberships.open(second, of: client(20), takesTaggedOnly: false)
        memberships.open(first, of: client(20), takesTaggedOnly: false)
        #expect(memberships.add(playing, stream(22)) == second)
        memberships.open(SessionID(3), of: client(21), takesTaggedOnly: false)
        #expect(memberships.add(StreamID(8), stream(22)) == SessionID(3))
        #expect(memberships.add(StreamID(9), stream(20)) == second)
        #expect(memberships.add(StreamID(10), stream(30)) == nil)
    }

    @Test(
        "N20 what runs in a sandbox has no part in the session of who has started it", arguments: [50, 51] as [UInt32])
    func sandboxHasNoPartInSessionOfWhoHasStartedIt(process: UInt32) {
        var memberships = StreamMemberships()
        memberships.open(first, of: client(20), takesTaggedOnly: false)
        #expect(memberships.add(StreamID(1), stream(process)) == nil)
        #expect(memberships.add(StreamID(2), stream(process + 100)) == nil)
        #expect(memberships.add(StreamID(3), stream(process, names: "1")) == nil)
        // What it opens itself is for what it starts.
        memberships.open(second, of: client(process), takesTaggedOnly: false)
        #expect(memberships.add(StreamID(4), stream(process + 100)) == second)
        #expect(memberships.add(StreamID(5), stream(22)) == first)
    }

    @Test("what somebody starts who has begun an interruption belongs to it, and nothing else does")
    func whatSomebodyStartsWhoHasBegunInterruption() {
        var memberships = StreamMemberships()
        _ = memberships.add(StreamID(1), stream(20))
        _ = memberships.add(StreamID(2), stream(21))
        memberships.begin(first, of: client(20))
        #expect(
            memberships.reassign(streamsOf: client(20)) == [.init(stream: StreamID(2), from: nil, to: first)])
        #expect(memberships.add(StreamID(3), stream(22)) == first)
        #expect(memberships.add(StreamID(4), stream(30)) == nil)
        // What has a session of its own keeps it.
        memberships.open(second, of: client(22), takesTaggedOnly: false)
        #expect(memberships.add(StreamID(5), stream(22)) == second)
        memberships.close(second, of: client(22))
        memberships.end(first, of: client(20))
        #expect(memberships.reassign(streamsOf: client(20)).allSatisfy { $0.to == nil })
        #expect(memberships.add(StreamID(6), stream(22)) == nil)
    }

    @Test("a stream that names a session of its application belongs to that one only")
    func streamThatNamesSessionOfItsApplication() {
        var memberships = StreamMemberships()
        memberships.open(first, of: client(20), takesTaggedOnly: false)
        memberships.open(second, of: client(20), takesTaggedOnly: true)
        #expect(memberships.add(StreamID(1), stream(20, names: "2")) == second)
        #expect(memberships.add(StreamID(2), stream(20)) == first)
        #expect(memberships.add(StreamID(3), stream(20, names: "no number")) == first)
        #expect(memberships.add(StreamID(4), stream(20, names: "99")) == first)
        // Somebody else's session is not for naming.
        #expect(memberships.add(StreamID(5), stream(30, names: "2")) == nil)
        memberships.close(first, of: client(20))
        #expect(memberships.add(StreamID(6), stream(20)) == nil)
    }

    @Test("what a session that opens or closes changes is told once, the oldest stream first")
    func whatSessionThatOpensOrClosesChangesIsTold() {
        var memberships = StreamMemberships()
        _ = memberships.add(StreamID(2), stream(20))
        _ = memberships.add(StreamID(1), stream(21))
        _ = memberships.add(StreamID(3), stream(30))
        memberships.open(first, of: client(20), takesTaggedOnly: false)
        #expect(
            memberships.reassign(streamsOf: client(20)) == [
                StreamMemberships.Move(stream: StreamID(1), from: nil, to: first),
                StreamMemberships.Move(stream: StreamID(2), from: nil, to: first),
            ])
        #expect(memberships.reassign(streamsOf: client(20)) == [])
        memberships.open(second, of: client(20), takesTaggedOnly: false)
        memberships.close(first, of: client(20))
        #expect(
            memberships.reassign(streamsOf: client(20)) == [
                StreamMemberships.Move(stream: StreamID(1), from: first, to: second),
                StreamMemberships.Move(stream: StreamID(2), from: first, to: second),
            ])
        memberships.close(second, of: client(20))
        #expect(memberships.reassign(streamsOf: client(20)).map(\.to) == [nil, nil])
    }

    @Test("a stream that has gone is in no session and moves nowhere") func streamThatHasGoneIsInNoSessionAndMoves() {
        var memberships = StreamMemberships()
        memberships.open(first, of: client(20), takesTaggedOnly: false)
        #expect(memberships.add(playing, stream(20)) == first)
        #expect(memberships.hasStream(of: client(20).application))
        #expect(memberships.remove(playing) == first)
        #expect(memberships.remove(playing) == nil)
        #expect(memberships[playing] == nil && memberships.identity(of: playing) == nil)
        #expect(!memberships.hasStream(of: client(20).application))
        memberships.close(first, of: client(20))
        #expect(memberships.reassign(streamsOf: client(20)) == [])
    }

    @Test("instances of one sandbox that are known to differ are kept apart")
    func instancesOfOneSandboxThatAreKnownToDiffer() {
        var memberships = StreamMemberships()
        let owner = client(nil, sandbox: AppSandbox("org.example.Player", instance: "1"))
        memberships.open(first, of: owner, takesTaggedOnly: false)
        func added(_ number: UInt32, _ instance: String?) -> SessionID? {
            let sandbox = AppSandbox("org.example.Player", instance: instance)
            return memberships.add(
                StreamID(number), StreamIdentity(node: number, client: client(nil, sandbox: sandbox), session: nil))
        }
        #expect(added(1, "1") == first)
        #expect(added(2, nil) == first)
        #expect(added(3, "2") == nil)
    }

    @Test("once all sessions are closed, streams belong to none") func onceAllSessionsAreClosedStreamsBelongToNone() {
        var memberships = StreamMemberships()
        memberships.open(first, of: client(20), takesTaggedOnly: false)
        memberships.closeAll()
        #expect(memberships.add(playing, stream(20)) == nil)
    }
}
