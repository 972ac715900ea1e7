import PolicyEngine
import PolicyRuntime
import Testing

@Suite struct SystemInterruptionTests {
    @Test("N21 each role of the policy is a kind, by any of its spellings; other words are not")
    func kinds() {
        let policy = Policy.desktop
        #expect(
            SystemInterruption.kinds(of: policy) == [
                "phone", "ringtone", "alarm", "accessibility", "navigation", "prompt", "dictation", "notification",
                "music",
                "video", "game", "animation", "duck", "speech",
            ])
        for kind in SystemInterruption.kinds(of: policy) + ["call", "A11y", "production"] {
            #expect(SystemInterruption.meaning(of: kind, in: policy) != nil, "\(kind)")
        }
        for kind in ["", "phon", "untagged", "any"] {
            #expect(SystemInterruption.meaning(of: kind, in: policy) == nil, "\(kind)")
        }
    }

    @Test("N21 what only records is begun as a recording")
    func recordings() {
        #expect(SystemInterruption.meaning(of: "dictation", in: .phone) == .role("dictation", .capture))
        #expect(SystemInterruption.meaning(of: "dictation", in: .desktop) == .role("dictation", .playback))
    }

    @Test("N21 duck lowers others as far as the policy says, and speech is spoken over them")
    func duckAndSpeech() throws {
        let policy = Policy(name: "bare").with { $0.ducking.gain = Decibels(-9) }
        guard case .description(let duck) = SystemInterruption.meaning(of: "duck", in: policy),
            case .description(let speech) = SystemInterruption.meaning(of: "speech", in: policy)
        else {
            Issue.record("both have a description")
            return
        }
        #expect(duck.ducksOthers && duck.ducking.gain == Decibels(-9) && duck.mode == .default)
        #expect(speech.ducksOthers && speech.ducking.gain == Decibels(-20) && speech.mode == .voicePrompt)
        #expect(SystemInterruption.meaning(of: "speech", in: .desktop) == .role("prompt", .playback))
    }
}
