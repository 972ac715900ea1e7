import PolicyEngine
import PolicyRuntime
import Testing

/// Muted inputs: who is told of them, whichever way streams and inputs come together (N7).
@Suite struct MuteTests {
    private let session = SessionID(1)
    private let memo = StreamID(1)
    private let microphone = RouteNode(id: 20, name: "source", description: "Microphone", direction: .input)
    private let headset = RouteNode(id: 21, name: "headset", description: "Headset", direction: .input)

    /// A host with a recording of an opened session that is active.
    private func desk() -> RecordingHost {
        let host = RecordingHost()
        for node in [microphone, headset] { host.runtime.handle(.node(node)) }
        host.send(
            .sessionOpened(
                session, application: ApplicationID(portal: nil, binary: "app", displayName: nil, fallback: ""),
                .application))
        host.send(.sessionConfigured(session, .category(.record, [], nil)))
        host.post(
            .streamAppeared(
                memo, application: ApplicationID(portal: nil, binary: "app", displayName: nil, fallback: ""),
                description: SessionDescription(name: "recording", category: .record), direction: .capture))
        host.send(.streamMoved(memo, to: .opened(session)))
        host.send(.sessionRequested(session, .activate(mayWait: false)))
        host.send(.streamWanted(memo, true))
        link(microphone, host)
        host.send(.streamRunning(memo, true))
        return host
    }

    private func link(_ node: RouteNode, _ host: RecordingHost) {
        host.heard = [node.id: [memo]]
        host.runtime.handle(.linked(to: node.id))
    }

    private func state(_ host: RecordingHost) -> SessionState {
        host.runtime.engine.state(of: session) ?? SessionState()
    }

    @Test("N7 muting the source of a recording stops it, unmuting ends that; saying so twice does nothing")
    func muting() {
        let host = desk()
        for _ in 0..<2 { host.runtime.muted(microphone, true) }
        #expect(host.silences[1] == .cork)
        #expect(state(host).isInterrupted && state(host).isInputMuted)
        host.send(.streamRunning(memo, false))
        for _ in 0..<2 { host.runtime.muted(microphone, false) }
        #expect(!state(host).isInterrupted && !state(host).isInputMuted)
        #expect(host.lines.filter { $0.contains("it resumes") }.count == 1)
        #expect(host.lines.filter { $0.contains("Microphone is muted") }.count == 1)
    }

    @Test("N7 another source that is muted is of no concern, until the stream records from it")
    func anotherSource() {
        let host = desk()
        host.runtime.muted(headset, true)
        #expect(!state(host).isInputMuted)
        host.send(.streamRunning(memo, false))
        link(headset, host)
        host.send(.streamRunning(memo, true))
        #expect(state(host).isInputMuted && state(host).isActive)
        link(microphone, host)
        #expect(!state(host).isInputMuted && state(host).isActive)
    }

    @Test("N7 what appears on a muted source can read of it")
    func appearing() {
        let host = RecordingHost()
        host.runtime.muted(microphone, true)
        host.heard = [microphone.id: [memo]]
        let application = ApplicationID(portal: nil, binary: "app", displayName: nil, fallback: "")
        host.send(.sessionOpened(session, application: application, .application))
        host.send(
            .streamAppeared(
                memo, application: application, description: SessionDescription(name: "recording", category: .record),
                direction: .capture))
        #expect(!state(host).isInputMuted)
        host.send(.streamMoved(memo, to: .opened(session)))
        #expect(state(host).isInputMuted)
        host.send(.streamVanished(memo))
        #expect(!state(host).isInputMuted)
    }

    @Test("N7 R64 a muted source that goes, or is replaced, ends the interruption, and nothing resumes")
    func going() {
        for isReplaced in [true, false] {
            let host = desk()
            host.runtime.muted(microphone, true)
            host.send(.streamRunning(memo, false))
            if isReplaced {
                link(headset, host)
            } else {
                host.runtime.handle(.nodeGone(microphone.id))
            }
            #expect(!state(host).isInterrupted && !state(host).isActive)
            #expect(host.lines.contains { $0.contains("it does not resume") })
            #expect(!state(host).isInputMuted)
            // Linked to nothing, it is as it was.
            host.heard = [:]
            host.runtime.muted(microphone, false)
            #expect(!host.lines.contains { $0.contains("it resumes") })
        }
    }
}
