import SessionCore
import SessionDesktop
import SessionService
import Testing

@testable import PolicyFile
@testable import SessionHost

/// What the engine hears of streams that come, join sessions, leave them, and of another policy.
@Suite struct StreamDescriptionsTests {
    private final class FakeStream: HostedStream {
        let id: StreamID
        let direction: StreamDirection
        let application = ApplicationID(portal: nil, binary: "player", displayName: nil, fallback: "")
        var complaint: String?
        var isMuted: Bool { false }
        let wantsToPlay = true
        let isRunning = true
        let sandbox: AppSandbox?
        let properties: [String: String]
        var identity: StreamIdentity {
            let client = ClientIdentity(
                program: nil, sandbox: sandbox, binary: "player", displayName: nil, fallback: "", connection: "1",
                isOfServer: sandbox == nil)
            return StreamIdentity(node: id.rawValue, client: client, session: nil)
        }
        func property(_ key: String) -> String? { properties[key] }

        init(
            _ id: UInt32, role: String?, _ direction: StreamDirection = .playback, sandbox: AppSandbox? = nil,
            complaint: String? = nil
        ) {
            self.id = StreamID(id)
            self.direction = direction
            self.sandbox = sandbox
            self.complaint = complaint
            properties = role.map { ["media.role": $0] } ?? [:]
        }
    }

    private var streams = StreamDescriptions(policy: StreamDescriptionsTests.policy(""))
    private let session = SessionID(5)

    private static func policy(_ text: String) -> LoadedPolicy {
        PolicyLoader.load(arguments: text.isEmpty ? nil : text, layers: Layers(folders: []))
    }

    /// What a step is, without the description, which the tests of the policy look at.
    private func words(_ steps: [StreamDescriptions.Action]) -> [String] {
        steps.map { step in
            switch step {
            case .post(.streamAppeared(let id, _, let description, _)): "\(id.rawValue) appears: \(description.name)"
            case .post(.streamMoved(let id, .opened(let session))): "\(id.rawValue) to session \(session.rawValue)"
            case .post(.streamMoved(let id, .application)): "\(id.rawValue) to its application"
            case .post(.streamLeftAlone(let id)): "\(id.rawValue) left alone"
            case .post(.policyChanged(_, let known)): "policy for \(known.keys.map(\.rawValue).sorted())"
            case .post(let event): "\(event)"
            case .reportState(let id): "\(id.rawValue) state"
            case .warn(let line): "warning: \(line)"
            }
        }
    }

    @Test("a stream appears, goes to its session, and only then says that it plays")
    mutating func streamAppearsGoesToItsSessionAndOnlyThenSays() {
        let music = FakeStream(1, role: "Music")
        let steps = streams.add(music, in: session) { _ in false }
        #expect(words(steps) == ["1 appears: music", "1 to session 5", "1 state"])
        #expect(streams.manages(music.id))
        let other = FakeStream(2, role: "Music", complaint: "it says two things")
        let steps2 = streams.add(other, in: nil) { _ in false }
        #expect(words(steps2) == ["warning: it says two things", "2 appears: music", "2 state"])
    }

    @Test("a recording without a role is left alone, except in a session")
    mutating func recordingWithoutRoleIsLeftAloneExcept() {
        let recording = FakeStream(1, role: nil, .capture)
        #expect(streams.add(recording, in: nil, mayRecord: { _ in false }) == [])
        #expect(!streams.manages(recording.id))
        let joins = streams.move(recording, to: session) { _ in false }
        #expect(words(joins).dropFirst() == ["1 to session 5", "1 state"])
        #expect(streams.manages(recording.id))
        #expect(
            streams.explanation(of: recording) { _ in false }.last == "but it is part of its application's session")
        // From one session to another it stays what it is.
        #expect(words(streams.move(recording, to: SessionID(6)) { _ in false }) == ["1 to session 6"])
        #expect(words(streams.move(recording, to: nil) { _ in false }) == ["1 left alone"])
        #expect(!streams.manages(recording.id))
        // Nobody moves what the engine does not know.
        let plain = FakeStream(2, role: "production")
        #expect(streams.add(plain, in: session, mayRecord: { _ in false }) == [])
        #expect(streams.move(plain, to: nil) { _ in false } == [])
    }

    @Test("N12 the place in the policy that decided is said as compilers say it") func placeOfDecision() {
        let streams = StreamDescriptions(policy: Self.policy("{ roles = { music = { priority = 7 } } }"))
        let steps = streams.explanation(of: FakeStream(1, role: "Music")) { _ in false }
        #expect(steps.first == "its media.role is music: it is music (<module arguments>:1:13)")
    }

    @Test("a stream with a role goes back to its application and stays known")
    mutating func streamWithRoleGoesBackToItsApplication() {
        let music = FakeStream(1, role: "Music")
        _ = streams.add(music, in: session) { _ in false }
        #expect(words(streams.move(music, to: nil) { _ in false }) == ["1 to its application"])
        streams.remove(music.id)
        #expect(!streams.manages(music.id))
        #expect(streams.move(music, to: session) { _ in false } == [])
    }

    @Test("another policy tells of those that are known, and lets others appear")
    mutating func anotherPolicyTellsOfThoseThatAreKnownAndLets() throws {
        let music = FakeStream(1, role: "Music")
        let production = FakeStream(2, role: "production")
        for stream in [music, production] { _ = streams.add(stream, in: nil) { _ in false } }
        #expect(streams.manages(music.id) && !streams.manages(production.id))
        let same = streams.change(to: streams.policy, [music, production]) { _ in false }
        #expect(same == nil)
        let other = StreamDescriptionsTests.policy("preset = phone roles = { production = { category = playback } }")
        let steps = try #require(streams.change(to: other, [music, production]) { _ in false })
        let said = words(steps)
        #expect(said == ["policy for [1]", "2 appears: production", "2 state"])
        #expect(streams.policy.policy == other.policy)
        #expect(streams.manages(production.id))
    }

    @Test("a sandbox that may not record may not claim a call, and is warned of once")
    mutating func sandboxThatMayNotRecordMayNotClaimCall() {
        let sandbox = AppSandbox("org.example.App")
        let first = FakeStream(1, role: "phone", sandbox: sandbox)
        let steps = streams.add(first, in: nil) { _ in false }
        #expect(words(steps).first?.hasPrefix("warning: ") == true)
        let second = streams.add(FakeStream(2, role: "phone", sandbox: sandbox), in: nil) { _ in false }
        #expect(!words(second).contains { $0.hasPrefix("warning: ") })
        // It is looked at again when its permission is another one.
        let (isOutdated, _) = streams.isOutdated(first) { _ in true }
        #expect(isOutdated)
        #expect(!streams.isOutdated(first) { _ in false }.isOutdated)
    }
}
