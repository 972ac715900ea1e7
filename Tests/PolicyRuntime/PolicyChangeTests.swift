import PaperServer
import PolicyEngine
@testable import PolicyFile
@testable import PolicyRuntime
import Testing

/// What streams are, and what is said of them.
@Suite struct PolicyChangeTests {
    private final class FakeHost: PaperHost {
        private(set) var lines: [String] = []
        override func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
            if level == .warning { lines.append(text()) }
        }
    }

    private let host = FakeHost(PolicyLoader.load(arguments: nil, layers: Layers(folders: [])).inForce)
    private var runtime: SessionRuntime { host.runtime }

    private func tags(_ number: Int) -> [String: String] {
        let modes = Mode.allCases.map(\.rawValue)
        return [
            "media.role": "Music", SessionTags.categoryKey: number < modes.count ? "playback" : "play-and-record",
            SessionTags.modeKey: modes[number % modes.count],
        ]
    }

    private func description(_ stream: PaperStream) -> SessionDescription? {
        runtime.streams[stream.id]?.description
    }

    private func add(_ application: String, _ properties: [String: String]) -> PaperStream {
        let client = ClientIdentity(
            program: nil, sandbox: nil, binary: application, displayName: nil, fallback: "", connection: application,
            isOfServer: true)
        let stream = PaperStream(StreamIdentity(node: 0, client: client, session: nil), .playback, properties)
        runtime.add(stream)
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
        func holds() -> [[Bool]] { streams.map(\.holds) }
        let descriptions = try streams.map { try #require(description($0)) }
        #expect(holds() == [[], [true]])
        runtime.leave(to: "another policy")
        #expect(holds() == [[], [true, false]])
        // Whatever is said of streams from now on.
        for stream in streams {
            for event in [Event.streamWanted(stream.id, true), .streamRunning(stream.id, true)] {
                runtime.handle(event)
            }
        }
        let ringer = add("ringer", ["media.role": "phone"])
        #expect(holds() == [[], [true, false]] && ringer.holds == [])
        // The other policy has gone, and both telephones interrupt.
        runtime.leave(to: nil)
        #expect(streams.map { description($0) } == descriptions)
        #expect(holds() == [[], [true, false, true]])
    }

    @Test("a complaint is logged once, however often a stream changes") func complaintIsLoggedOnceHoweverOftenStream() {
        let stream = add("odd", ["media.role": "Music", SessionTags.categoryKey: "nonsense"])
        stream.complaint = "odd has a media.role that is not UTF-8"
        for _ in 0..<50 {
            runtime.remove(stream, now: true)
            stream.properties["media.name", default: ""] += "x"
            runtime.add(stream)
            _ = runtime.isOutdated(stream.id)
        }
        #expect(host.lines.count == 2, "\(host.lines.prefix(5))")
    }
}
