import PolicyEngine
import PolicyRuntime
import Testing

/// What sessions wish for their streams: who gets it, when, and how long.
@Suite struct PreferenceTests {
    private let session = SessionID(1)
    private let music = StreamID(1)
    private let wish = StreamPreferences(sampleRate: 44100, bufferDuration: .milliseconds(5))

    /// A host with music of an opened session that is active.
    private func desk(wishing wish: StreamPreferences? = nil) -> RecordingHost {
        let host = RecordingHost()
        host.send(.sessionOpened(session, application: application("app1"), .application))
        host.appear(1, role: "music")
        host.send(.streamMoved(music, to: .opened(session)))
        host.send(.sessionConfigured(session, .category(.playAndRecord, [], nil)))
        if let wish { host.runtime.prefer(wish, of: session) }
        host.send(.sessionRequested(session, .activate(mayWait: false)))
        return host
    }

    private func application(_ name: String) -> ApplicationID {
        ApplicationID(portal: nil, binary: name, displayName: nil, fallback: "")
    }

    @Test("R74 what is wished for comes with the activation, or at once while it is active; nothing is asked for twice")
    func granted() {
        let before = desk(wishing: wish)
        #expect(before.preferences[1] == [wish])
        let later = desk()
        #expect(later.preferences.isEmpty)
        later.runtime.prefer(wish, of: session)
        #expect(later.preferences[1] == [wish])
        later.send(.streamRunning(music, true))
        later.runtime.prefer(wish, of: session)
        #expect(later.preferences[1] == [wish])
        later.runtime.prefer(StreamPreferences(sampleRate: 44100), of: session)
        #expect(later.preferences[1] == [wish, StreamPreferences(sampleRate: 44100)])
        // Another stream joins.
        later.appear(2, role: "music", app: "app1")
        later.send(.streamMoved(StreamID(2), to: .opened(session)))
        #expect(later.preferences[2] == [StreamPreferences(sampleRate: 44100)])
    }

    @Test("R74 it is put back when the session is not active any more, loses the stream, wishes no more, or all ends")
    func putBack() {
        let ends: [(RecordingHost) -> Void] = [
            { $0.send(.sessionRequested(session, .deactivate(notifyOthers: true))) },
            { $0.send(.sessionClosed(session)) },
            { $0.send(.streamMoved(music, to: .application(application("app1")))) },
            { $0.send(.streamLeftAlone(music)) },
            { $0.runtime.prefer(.none, of: session) },
            { $0.runtime.shutDown() },
            {
                $0.play(2, role: "phone")
                $0.advance(.seconds(1))
            },
        ]
        for end in ends {
            let host = desk(wishing: wish)
            end(host)
            #expect(host.preferences[1] == [wish, .none])
            #expect(host.preferences.count == 1)
        }
        // Of a stream that is gone nothing is asked, and a new session has no old wishes.
        let host = desk(wishing: wish)
        host.send(.streamVanished(music))
        host.send(.sessionClosed(session))
        host.appear(3, role: "music")
        host.send(.sessionOpened(session, application: application("app3"), .application))
        host.send(.streamMoved(StreamID(3), to: .opened(session)))
        host.send(.sessionRequested(session, .activate(mayWait: false)))
        #expect(host.preferences == [1: [wish]])
    }

    @Test("R74 an interrupted session has its wishes again when it is active again")
    func interrupted() {
        let host = desk(wishing: wish)
        host.play(2, role: "phone")
        host.advance(.seconds(1))
        host.send(.streamVanished(StreamID(2)))
        host.advance(.seconds(5))
        #expect(host.preferences[1] == [wish, .none])
        host.send(.sessionRequested(session, .activate(mayWait: false)))
        #expect(host.preferences[1] == [wish, .none, wish])
    }

    @Test("R76 the input gain is for what records, in 0…1, and for what has a volume")
    func inputGain() {
        for (value, expected) in [(0.5, 0.5), (7, 1), (-3, 0)] {
            let host = desk(wishing: StreamPreferences(inputGain: LinearGain(value)))
            #expect(host.preferences.isEmpty)
            #expect(host.runtime.inputGain(of: session) == (.unity, false))
            host.post(
                .streamAppeared(
                    StreamID(2), application: application("app1"),
                    description: SessionDescription(name: "recording", category: .record), direction: .capture))
            host.send(.streamMoved(StreamID(2), to: .opened(session)))
            #expect(
                host.preferences[2] ?? [] == (expected < 1 ? [StreamPreferences(inputGain: LinearGain(expected))] : []))
            #expect(host.runtime.inputGain(of: session) == (LinearGain(expected), true))
            // The session fades nothing: its gain is another one.
            #expect(host.gains[2] == nil)
            host.rigid = [2]
            #expect(host.runtime.inputGain(of: session) == (.unity, false))
            host.rigid = []
            host.send(.sessionRequested(session, .deactivate(notifyOthers: false)))
            #expect(host.runtime.inputGain(of: session) == (.unity, true))
        }
    }
}

private func == (left: (gain: LinearGain, isAvailable: Bool), right: (LinearGain, Bool)) -> Bool {
    left.gain == right.0 && left.isAvailable == right.1
}
