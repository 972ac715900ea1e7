import PolicyEngine
import PolicyRuntime
import Testing

/// What is asked of a server that does not do it.
@Suite struct SteeringTests {
    private let session = SessionID(1)
    private let headphones = RouteCommand.usePort(id: "laptop/headphones", direction: .output, deviceID: 10, nodeID: 20)
    private let speaker = RouteCommand.usePort(id: "laptop/speaker", direction: .output, deviceID: 10, nodeID: 20)

    private func laptop(using active: String) -> RouteEvent {
        .device(
            RouteDevice(
                id: 10, name: "laptop",
                ports: [
                    DevicePort(
                        name: "speaker", direction: .output, type: .builtInSpeaker, profileDevices: [0],
                        activeOn: active == "speaker" ? 0 : nil),
                    DevicePort(
                        name: "headphones", direction: .output, type: .headphones, availability: .yes,
                        profileDevices: [0], activeOn: active == "headphones" ? 0 : nil),
                ]))
    }

    /// A host with a session that is active and wants its headphones, and a card that plays from its speaker.
    private func desk(isConfined: Bool = false) -> RecordingHost {
        let host = RecordingHost()
        host.runtime.handle(laptop(using: "speaker"))
        host.runtime.handle(
            .node(RouteNode(id: 20, name: "sink.laptop", direction: .output, deviceID: 10, profileDevice: 0)))
        host.runtime.handle(.defaultNode(.output, name: "sink.laptop"))
        host.advance(.seconds(2))
        let application = ApplicationID(portal: nil, binary: "app1", displayName: nil, fallback: "")
        host.send(.sessionOpened(session, application: application, .application))
        host.send(.sessionConfigured(session, .category(.playAndRecord, [], nil)))
        host.send(.sessionRequested(session, .activate(mayWait: false)))
        if isConfined { host.runtime.handle(.confined(session)) }
        host.runtime.handle(.preferred(session, output: "laptop/headphones", input: nil))
        return host
    }

    @Test("N20 a confined program changes no port that others use: not with a preference, not with the override")
    func confined() {
        let host = desk(isConfined: true)
        host.send(.sessionConfigured(session, .outputOverride(.speaker)))
        host.runtime.handle(laptop(using: "headphones"))
        host.advance(.seconds(60))
        #expect(host.commands.isEmpty)
    }

    @Test("R66 a port that does not show is asked for again, three times and no more")
    func asksAgain() {
        let host = desk()
        #expect(host.commands == [headphones])
        host.advance(.milliseconds(249))
        #expect(host.commands == [headphones])
        host.advance(.milliseconds(1))
        #expect(host.commands == [headphones, headphones])
        host.advance(.milliseconds(749))
        #expect(host.commands == [headphones, headphones])
        host.advance(.milliseconds(1))
        #expect(host.commands == [headphones, headphones, headphones])
        host.advance(.seconds(60))
        #expect(host.commands == [headphones, headphones, headphones, headphones])
    }

    @Test("R66 what has shown is not asked for again, whatever is chosen later")
    func isContent() {
        let host = desk()
        host.runtime.handle(laptop(using: "headphones"))
        host.runtime.handle(laptop(using: "speaker"))
        host.advance(.seconds(60))
        #expect(host.commands == [headphones])
    }

    @Test("R41 R66 the way back is asked for again too")
    func asksForTheWayBack() {
        let host = desk()
        host.runtime.handle(laptop(using: "headphones"))
        host.send(.sessionRequested(session, .deactivate(notifyOthers: false)))
        #expect(host.commands == [headphones, speaker])
        host.advance(.milliseconds(250))
        #expect(host.commands == [headphones, speaker, speaker])
        host.runtime.handle(laptop(using: "speaker"))
        host.advance(.seconds(60))
        #expect(host.commands == [headphones, speaker, speaker])
    }

    @Test("R41 R46 the session manager requests an earlier port once more: the last one is asked for again")
    func answeredLate() {
        let host = desk()
        host.runtime.handle(laptop(using: "headphones"))
        host.send(.sessionRequested(session, .deactivate(notifyOthers: false)))
        host.runtime.handle(laptop(using: "speaker"))
        host.runtime.handle(laptop(using: "headphones"))
        #expect(host.commands == [headphones, speaker])
        host.advance(.milliseconds(250))
        #expect(host.commands == [headphones, speaker, speaker])
        host.runtime.handle(laptop(using: "speaker"))
        host.advance(.milliseconds(749))
        host.runtime.handle(laptop(using: "headphones"))
        host.advance(.milliseconds(1))
        #expect(host.commands == [headphones, speaker, speaker, speaker])
        host.runtime.handle(laptop(using: "speaker"))
        host.advance(.seconds(1))
        // Now it is the user's choice.
        host.runtime.handle(laptop(using: "headphones"))
        host.advance(.seconds(60))
        #expect(host.commands == [headphones, speaker, speaker, speaker])
    }

    @Test("R12 R66 when all is undone, a port goes back and stays there, though the server says so at once")
    func undoneForGood() {
        let host = desk()
        host.answer = { host, command in
            if case .usePort(let id, _, _, _) = command {
                host.runtime.handle(self.laptop(using: id == "laptop/speaker" ? "speaker" : "headphones"))
            }
        }
        host.runtime.handle(laptop(using: "headphones"))
        host.runtime.shutDown()
        #expect(host.commands == [headphones, speaker])
        host.advance(.seconds(60))
        #expect(host.commands == [headphones, speaker])
    }

    @Test("R64 an output that is lost again while all that was heard on it is silent is no loss to anybody")
    func lostAgain() {
        func card(_ isPlugged: Bool) -> RouteEvent {
            .device(
                RouteDevice(
                    id: 10, name: "laptop",
                    ports: [
                        DevicePort(
                            name: "headphones", direction: .output, type: .headphones,
                            availability: isPlugged ? .yes : .no, profileDevices: [0], activeOn: 0)
                    ]))
        }
        let host = RecordingHost(.phone)
        host.runtime.handle(card(true))
        host.runtime.handle(
            .node(RouteNode(id: 20, name: "sink.laptop", direction: .output, deviceID: 10, profileDevice: 0)))
        host.runtime.handle(.defaultNode(.output, name: "sink.laptop"))
        host.advance(.seconds(2))
        host.play(1, role: "music")
        host.heard = [20: [StreamID(1)]]
        host.runtime.handle(.linked(to: 20))
        func isAudible(_ id: UInt32) -> Bool { host.runtime.streams[StreamID(id)]?.isAudible ?? false }
        #expect(isAudible(1) && !isAudible(2))
        host.runtime.handle(card(false))
        #expect(host.lost.count == 1)
        #expect(host.silences[1] == .cork && !isAudible(1))
        for _ in 0..<20 {
            host.runtime.handle(card(true))
            host.runtime.handle(card(false))
        }
        #expect(host.lost.count == 1, "nothing was heard there any more")
        host.runtime.handle(card(true))
        host.advance(.seconds(2))
        #expect(host.silences[1] == Silence.none)
        host.runtime.handle(card(false))
        #expect(host.lost.count == 2)
    }
}
