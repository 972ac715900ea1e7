import Testing

@testable import PolicyEngine

/// Recordings make calls once they have lasted: programs open the microphone for a moment to see whether there is one.
@Suite struct CallAfterTests {
    /// A policy with music, calls, and pairs that are calls, where a recording has to last for 500 ms.
    private static var policy: Policy {
        let call = SessionDescription(
            name: "phone", category: .playAndRecord, mode: .voiceChat, priority: .phone, fade: .milliseconds(80))
        return Policy(name: "test", roles: [SessionDescription(name: "music", category: .playback), call]).with {
            $0.untagged = SessionDescription(name: "untagged", category: .ambient)
            $0.pairing = call.name
            $0.callAfter = .milliseconds(500)
        }
    }

    private static func desk() -> Scenario {
        var s = Scenario(policy: policy)
        s.play("music", for: .seconds(2))
        return s
    }

    @Test("N14 a microphone that is open for a moment makes no call", arguments: ["phone", ""])
    func probe(role: String) {
        var s = Self.desk()
        // A page that plays a film has its microphone looked for.
        if role.isEmpty { s.play("film", role: "", app: "program", for: .seconds(2)) }
        _ = s.news()
        for _ in 0..<10 {
            s.play("microphone", role: role, app: "program", capture: true, for: .milliseconds(40))
            s.pause("microphone", for: .milliseconds(490))
        }
        s.skip(.seconds(2))
        #expect(s["music"] == .free)
        #expect(!s.news().contains { $0.contains("music") })
    }

    @Test("N14 a recording that lasts makes a call, by its role or with what plays", arguments: ["phone", ""])
    func lasting(role: String) {
        var s = Self.desk()
        if role.isEmpty { s.play("voices", role: "", app: "program", for: .seconds(2)) }
        s.play("microphone", role: role, app: "program", capture: true, for: .milliseconds(499))
        #expect(s["music"] == .free)
        s.skip(.milliseconds(1))
        #expect(s["music"] == .corked)
        #expect(s["microphone"] == .free)
        s.pause("microphone", for: .seconds(1))
        #expect(s["music"] == .free)
    }

    @Test("N14 a program that is known for its calls, and plays, is in one at once, whichever of the two began")
    func known() {
        var s = Self.desk()
        s.play("voices", role: "", app: "program")
        s.play("microphone", role: "phone", app: "program", capture: true)
        #expect(s["music"] == .corked)
        s.pause("microphone")
        s.pause("voices", for: .seconds(1))
        #expect(s["music"] == .free)
        s.play("microphone", role: "phone", app: "program", capture: true, for: .milliseconds(100))
        #expect(s["music"] == .free)
        s.play("voices", role: "", app: "program")
        #expect(s["music"] == .corked)
    }

    @Test("N14 N18 a call goes on with another recording, as when a microphone is changed for another one")
    func otherMicrophone() {
        var s = Self.desk()
        s.play("microphone", role: "phone", app: "program", capture: true, for: .seconds(1))
        #expect(s["music"] == .corked)
        _ = s.news()
        s.pause("microphone", for: .milliseconds(100))
        s.play("headset", role: "phone", app: "program", capture: true, for: .seconds(1))
        #expect(s["music"] == .corked)
        #expect(!s.news().contains { $0.contains("music") })
    }

    @Test("N14 a recording that makes no call, as a memo, counts at once")
    func memo() {
        var s = Scenario(
            policy: Self.policy.with {
                $0.untaggedCapture = SessionDescription(name: "untagged-capture", category: .record)
                $0.pairing = nil
            })
        s.play("music", for: .seconds(2))
        s.play("memo", role: "", app: "recorder", capture: true)
        #expect(s["music"] == .corked)
    }
}
