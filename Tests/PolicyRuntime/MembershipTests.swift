import BusInterface
import PaperServer
import PolicyEngine
import PolicyFile
import Testing

@testable import PolicyRuntime

/// Which opened session a stream belongs to (R79, R80).
@Suite struct MembershipTests {
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

    /// A server whose streams say nothing of themselves but the session.
    private struct Memberships {
        let host = PaperHost(PolicyLoader.load(arguments: nil) { _ in nil }.inForce)
        var runtime: SessionRuntime { host.runtime }

        subscript(stream: UInt32) -> SessionID? { runtime.streams[StreamID(stream)]?.session }

        /// Adds a stream. Returns its session.
        func add(_ stream: UInt32, _ identity: StreamIdentity) -> SessionID? {
            runtime.add(PaperStream(identity, .playback, [:]), as: StreamID(stream))
            return self[stream]
        }

        func remove(_ stream: UInt32) {
            if let server = runtime.streams[StreamID(stream)]?.server { runtime.remove(server, now: true) }
        }

        func open(_ session: SessionID, of client: ClientIdentity, takesTaggedOnly: Bool = false) {
            runtime.open(
                SessionEntry(session, of: client, isInterruption: false, takesTaggedOnly: takesTaggedOnly),
                with: [.sessionOpened(session, application: client.application, .application)])
        }

        func begin(_ interruption: SessionID, of client: ClientIdentity) {
            runtime.open(
                SessionEntry(interruption, of: client, isInterruption: true),
                with: SystemInterruption.beginning(interruption, MachineInterruption.sleep.description, by: "somebody"))
        }
    }

    private let first = SessionID(1)
    private let second = SessionID(2)
    private let third = SessionID(3)
    private let all = Memberships()

    @Test("a stream belongs to the oldest session of its process, else of the nearest process above")
    func nearest() {
        #expect(all.add(1, stream(22)) == nil)
        all.open(first, of: client(20))
        all.open(second, of: client(20))
        #expect(all.add(7, stream(22)) == first)
        all.open(third, of: client(21))
        #expect(all.add(8, stream(22)) == third)
        #expect(all.add(9, stream(20)) == first)
        #expect(all.add(10, stream(30)) == nil)
    }

    @Test(
        "N20 what runs in a sandbox has no part in the session of who has started it", arguments: [50, 51] as [UInt32])
    func sandboxed(process: UInt32) {
        all.open(first, of: client(20))
        #expect(all.add(1, stream(process)) == nil)
        #expect(all.add(2, stream(process + 100)) == nil)
        #expect(all.add(3, stream(process, names: "1")) == nil)
        // What it opens itself is for what it starts.
        all.open(second, of: client(process))
        #expect(all.add(4, stream(process + 100)) == second)
        #expect(all.add(5, stream(22)) == first)
    }

    @Test("what somebody starts who has begun an interruption belongs to it, and nothing else does")
    func interruption() {
        _ = all.add(1, stream(20))
        _ = all.add(2, stream(21))
        all.begin(first, of: client(20))
        #expect(all[1] == nil && all[2] == first)
        #expect(all.add(3, stream(22)) == first)
        #expect(all.add(4, stream(30)) == nil)
        // What has a session of its own keeps it.
        all.open(second, of: client(22))
        #expect(all.add(5, stream(22)) == second)
        all.runtime.close(second)
        #expect(all[5] == first)
        all.runtime.close(first)
        #expect([2, 3, 5].allSatisfy { all[$0] == nil })
        #expect(all.add(6, stream(22)) == nil)
    }

    @Test("a stream that names a session of its application belongs to that one only")
    func named() {
        all.open(first, of: client(20))
        all.open(second, of: client(20), takesTaggedOnly: true)
        #expect(all.add(1, stream(20, names: "2")) == second)
        #expect(all.add(2, stream(20)) == first)
        #expect(all.add(3, stream(20, names: "no number")) == first)
        #expect(all.add(4, stream(20, names: "99")) == first)
        // Somebody else's session is not for naming.
        #expect(all.add(5, stream(30, names: "2")) == nil)
        all.runtime.close(first)
        #expect(all.add(6, stream(20)) == nil)
        #expect(all[1] == second && all[2] == nil)
    }

    @Test("what a session that opens or closes changes, it changes at once")
    func opensAndCloses() {
        _ = all.add(2, stream(20))
        _ = all.add(1, stream(21))
        _ = all.add(3, stream(30))
        all.open(first, of: client(20))
        #expect(all[1] == first && all[2] == first && all[3] == nil)
        all.open(second, of: client(20))
        #expect(all[1] == first && all[2] == first)
        all.runtime.close(first)
        #expect(all[1] == second && all[2] == second)
        all.runtime.close(second)
        #expect(all[1] == nil && all[2] == nil)
    }

    @Test("a stream that has gone is in no session") func gone() {
        all.open(first, of: client(20))
        #expect(all.add(7, stream(20)) == first)
        all.remove(7)
        all.remove(7)
        #expect(all.runtime.streams.isEmpty)
    }

    @Test("instances of one sandbox that are known to differ are kept apart")
    func instances() {
        all.open(first, of: client(nil, sandbox: AppSandbox("org.example.Player", instance: "1")))
        func added(_ number: UInt32, _ instance: String?) -> SessionID? {
            let sandbox = AppSandbox("org.example.Player", instance: instance)
            return all.add(number, StreamIdentity(node: number, client: client(nil, sandbox: sandbox), session: nil))
        }
        #expect(added(1, "1") == first)
        #expect(added(2, nil) == first)
        #expect(added(3, "2") == nil)
    }

    @Test("once all sessions are forgotten, streams belong to none") func forgotten() {
        all.open(first, of: client(20))
        all.runtime.forgetSessions()
        #expect(all.add(7, stream(20)) == nil)
    }

    @Test("the property by which a stream names its session") func property() {
        #expect(StreamIdentity.sessionProperty == AudioSessionBus.streamProperty)
    }
}
