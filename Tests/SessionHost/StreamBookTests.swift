@testable import PolicyFile
import SessionCore
@testable import SessionHost
import SessionRuntime
import SessionService
import Testing

/// What streams are, and what is said of them.
@Suite struct StreamBookTests {
    private final class FakeHost: Host {
        let now = Instant(nanoseconds: 1_000_000_000)
        let gainCost = Duration.microseconds(20)
        private(set) var lines: [String] = []
        func quantum(of stream: StreamID) -> Duration { .milliseconds(20) }
        func setGain(_ gain: LinearGain, of stream: StreamID) {}
        private(set) var silences: [Silence] = []
        func setSilence(_ silence: Silence, of stream: StreamID) { silences.append(silence) }
        func silence(of stream: StreamID) -> Silence { .none }
        func refuse(_ stream: StreamID) {}
        func tell(_ stream: StreamID, of interruption: StreamInterruption) {}
        func streams(heardOn node: UInt32) -> [StreamID] { [] }
        func place(of stream: StreamID) -> UInt32? { nil }
        func carryOut(_ command: RouteCommand) {}
        func apply(_ wish: StreamWish, to stream: StreamID) {}
        func clock(of stream: StreamID?) -> GraphClock { GraphClock(sampleRate: 48_000, quantum: .milliseconds(20)) }
        func hasVolume(_ stream: StreamID) -> Bool { true }
        func arm(at moment: Instant?) {}
        func log(_ level: LogLevel, _ text: @autoclosure () -> String) { if level == .warning { lines.append(text()) } }
    }

    private final class FakeStream: HostedStream {
        var id: StreamID
        let direction = StreamDirection.playback
        let application: ApplicationID
        var complaint: String?
        var isMuted: Bool { false }
        let wantsToPlay = true
        let isRunning = true
        var identity: StreamIdentity {
            let client = ClientIdentity(
                program: nil, sandbox: nil, binary: application.name, displayName: nil, fallback: "",
                connection: application.name, isOfServer: true)
            return StreamIdentity(node: id.rawValue, client: client, session: nil)
        }
        var properties: [String: String]
        func property(_ key: String) -> String? { properties[key] }

        init(_ id: StreamID, _ application: String, _ properties: [String: String]) {
            self.id = id
            self.application = ApplicationID(portal: nil, binary: application, displayName: nil, fallback: "")
            self.properties = properties
        }
    }

    private let host = FakeHost()
    private let book: StreamBook<FakeStream>

    init() {
        let policy = PolicyLoader.load(arguments: nil, layers: Layers(folders: []))
        book = StreamBook(policy: policy, runtime: SessionRuntime(policy: policy.policy, host: host), host: host) {}
    }

    private func tags(_ number: Int) -> [String: String] {
        let modes = Mode.allCases.map(\.rawValue)
        return [
            "media.role": "Music", SessionTags.categoryKey: number < modes.count ? "playback" : "play-and-record",
            SessionTags.modeKey: modes[number % modes.count],
        ]
    }

    private func description(_ stream: FakeStream) -> SessionDescription? {
        book.descriptions.description(of: stream.id)
    }

    private func add(_ application: String, _ properties: [String: String]) -> FakeStream {
        let stream = FakeStream(book.nextID(), application, properties)
        book.add(stream)
        return stream
    }

    @Test("as many streams as there may be, each with tags of its own, are what their tags say")
    func manyStreamsWithTagsOfTheirOwn() throws {
        var kinds: Set<SessionDescription> = []
        for application in 0..<40 {
            for number in 0..<14 {
                var properties = tags(number)
                properties["media.role"] = ["Music", "Movie", "Game", "Notification", "phone"][application % 5]
                properties[SessionTags.optionsKey] = application % 2 == 0 ? "mix-with-others" : "duck-others"
                kinds.insert(try #require(description(add("app \(application)", properties))))
            }
        }
        #expect(kinds.count == 5 * 2 * 14)
        #expect(!host.lines.contains { $0.contains("too many") })
    }

    @Test("who has stepped back touches nothing any more") func whoHasSteppedBackTouchesNothingAnyMore() throws {
        let streams = [add("telephone", ["media.role": "phone"]), add("player", ["media.role": "Music"])]
        let descriptions = try streams.map { try #require(description($0)) }
        #expect(host.silences == [.cork])
        book.leave(to: "another policy")
        #expect(host.silences == [.cork, .none])
        // Whatever is said of streams from now on.
        for stream in streams {
            for event in [Event.streamWanted(stream.id, true), .streamRunning(stream.id, true)] {
                book.post(event, now: true)
            }
        }
        _ = add("ringer", ["media.role": "phone"])
        #expect(host.silences == [.cork, .none])
        // The other policy has gone, and both telephones interrupt.
        book.leave(to: nil)
        #expect(streams.map { description($0) } == descriptions)
        #expect(host.silences == [.cork, .none, .cork])
    }

    @Test("a complaint is logged once, however often a stream changes") func complaintIsLoggedOnceHoweverOftenStream() {
        let stream = add("odd", ["media.role": "Music", SessionTags.categoryKey: "nonsense"])
        stream.complaint = "odd has a media.role that is not UTF-8"
        for _ in 0..<50 {
            book.forget(stream, now: true)
            stream.id = book.nextID()
            stream.properties["media.name", default: ""] += "x"
            book.add(stream)
            _ = book.isOutdated(stream)
        }
        #expect(host.lines.count == 2, "\(host.lines.prefix(5))")
    }
}
