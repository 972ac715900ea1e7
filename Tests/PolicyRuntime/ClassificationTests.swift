import PaperServer
import PolicyEngine
import Testing

@testable import PolicyFile
@testable import PolicyRuntime

/// What the engine hears of streams that come, join sessions, leave them, and of another policy.
@Suite final class ClassificationTests {
    private final class FakeHost: PaperHost, RuntimeObserver {
        var lines: [String] = []
        override func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
            if level == .warning { lines.append("warning: \(text())") }
        }
        func turnEnded(_ runtime: SessionRuntime, _ news: [News]) {
            for case .event(let event) in news {
                switch event {
                case .streamAppeared(let id, _, let description, _):
                    lines.append("\(id.rawValue) appears: \(description.name)")
                case .streamMoved(let id, .opened(let session)):
                    lines.append("\(id.rawValue) to session \(session.rawValue)")
                case .streamMoved(let id, .application): lines.append("\(id.rawValue) to its application")
                case .streamLeftAlone(let id): lines.append("\(id.rawValue) left alone")
                case .streamWanted(let id, true): lines.append("\(id.rawValue) is wanted")
                case .streamRunning(let id, true): lines.append("\(id.rawValue) runs")
                case .policyChanged(_, let known):
                    lines.append("policy for \(known.keys.map(\.rawValue).sorted())")
                case .sessionOpened, .sessionClosed: break
                default: lines.append("\(event)")
                }
            }
        }
    }

    private let host: FakeHost
    private var runtime: SessionRuntime { host.runtime }
    private let session = SessionID(5)

    init() {
        host = FakeHost(Self.policy(""))
        host.runtime.observer = host
    }

    private static func policy(_ text: String) -> PolicyInForce {
        PolicyLoader.load(arguments: text.isEmpty ? nil : text, layers: Layers(folders: [])).inForce
    }

    private func stream(
        role: String?, _ direction: StreamDirection = .playback, sandbox: AppSandbox? = nil, complaint: String? = nil
    ) -> PaperStream {
        let client = ClientIdentity(
            program: nil, sandbox: sandbox, binary: "player", displayName: nil, fallback: "", connection: "1",
            isOfServer: sandbox == nil)
        let stream = PaperStream(
            StreamIdentity(node: 0, client: client, session: nil), direction, role.map { ["media.role": $0] } ?? [:])
        stream.complaint = complaint
        return stream
    }

    private func open(_ session: SessionID) {
        let owner = stream(role: nil).identity.client
        runtime.open(
            SessionEntry(session, of: owner, isInterruption: false),
            with: [.sessionOpened(session, application: owner.application, .application)])
    }

    /// What the engine is told of in a step, without the description, which the tests of the policy look at.
    private func words(_ step: () -> Void) -> [String] {
        host.lines = []
        step()
        return host.lines
    }

    private func isManaged(_ stream: PaperStream) -> Bool { runtime.streams[stream.id]?.isManaged ?? false }

    @Test("a stream appears, goes to its session, and only then says that it plays")
    func appears() {
        let music = stream(role: "Music")
        #expect(words { runtime.add(music) } == ["1 appears: music", "1 is wanted", "1 runs"])
        #expect(isManaged(music))
        #expect(words { open(session) } == ["1 to session 5"])
        let other = stream(role: "Music", complaint: "it says two things")
        #expect(
            words { runtime.add(other) } == [
                "warning: it says two things", "2 appears: music", "2 to session 5", "2 is wanted", "2 runs",
            ])
    }

    @Test("a recording without a role is left alone, except in a session")
    func leftAlone() {
        let recording = stream(role: nil, .capture)
        #expect(words { runtime.add(recording) } == [])
        #expect(!isManaged(recording))
        #expect(words { open(session) }.dropFirst() == ["1 to session 5", "1 is wanted", "1 runs"])
        #expect(isManaged(recording))
        #expect(
            runtime.classificationSteps(of: recording.id).last == "but it is part of its application's session")
        // From one session to another it stays what it is.
        open(SessionID(6))
        #expect(words { runtime.close(session) } == ["1 to session 6"])
        #expect(words { runtime.close(SessionID(6)) } == ["1 left alone"])
        #expect(!isManaged(recording))
        // Nobody moves what the engine does not know.
        let plain = stream(role: "production")
        open(session)
        #expect(words { runtime.add(plain) } == [])
        #expect(words { runtime.close(session) } == ["1 left alone"])
    }

    @Test("N12 the place in the policy that decided is said as compilers say it") func placeOfDecision() {
        runtime.apply(Self.policy("{ roles = { music = { priority = 7 } } }"))
        let music = stream(role: "Music")
        runtime.add(music)
        #expect(
            runtime.classificationSteps(of: music.id).first
                == "its media.role is music: it is music (<module arguments>:1:13)")
    }

    @Test("a stream with a role goes back to its application and stays known")
    func goesBack() {
        let music = stream(role: "Music")
        open(session)
        runtime.add(music)
        #expect(words { runtime.close(session) } == ["1 to its application"])
        runtime.remove(music, now: true)
        #expect(runtime.streams.isEmpty)
        #expect(words { open(session) } == [])
    }

    @Test("another policy tells of those that are known, and lets others appear")
    func anotherPolicy() {
        let (music, production) = (stream(role: "Music"), stream(role: "production"))
        for stream in [music, production] { runtime.add(stream) }
        #expect(isManaged(music) && !isManaged(production))
        #expect(!runtime.apply(runtime.inForce))
        let other = Self.policy("preset = phone roles = { production = { category = playback } }")
        let said = words { runtime.apply(other) }
        #expect(said == ["policy for [1]", "2 appears: production", "2 is wanted", "2 runs"])
        #expect(runtime.engine.policy == other.policy)
        #expect(isManaged(production))
    }

    @Test("a sandbox that may not record may not claim a call, and is warned of once")
    func sandbox() {
        let sandbox = AppSandbox("org.example.App")
        let first = stream(role: "phone", sandbox: sandbox)
        #expect(words { runtime.add(first) }.first?.hasPrefix("warning: ") == true)
        let second = stream(role: "phone", sandbox: sandbox)
        #expect(!words { runtime.add(second) }.contains { $0.hasPrefix("warning: ") })
        #expect(!runtime.isOutdated(first.id))
        // It is looked at again when its permission is another one.
        runtime.mayRecord = { _ in true }
        #expect(runtime.isOutdated(first.id))
    }
}
