import PolicyEngine
import Testing

@testable import PolicyFile

/// What streams say of themselves, under the preset `desktop` unless told otherwise.
@Suite struct TagTests {
    private func classify(
        _ properties: [String: String], policy: String = "", capture: Bool = false
    ) throws -> Classification {
        let classifier = try #require(PolicyFile(text: policy, named: "t").classifier)
        return classifier.classify(direction: capture ? .capture : .playback) { properties[$0] }
    }

    private func described(_ role: String) throws -> SessionDescription {
        try #require(Policy.desktop.description(of: Role(role), direction: .playback))
    }

    @Test("R15-R20 an application says its category", arguments: Category.allCases) func applicationSaysItsCategory(
        category: Category
    ) throws {
        let result = try classify(["audio-session.category": category.rawValue])
        var expected = try described("")
        if category == .uiSound {
            // R13: the sounds of the interface are the policy's to name.
            #expect(result.complaints.count == 1)
        } else {
            expected.category = category
            expected.options = []
            #expect(result.complaints == [])
            #expect(result.steps.last?.text == "its own properties change its category")
        }
        #expect(result.description == expected)
    }

    @Test("R39 R43 a category without options has none, and options replace all others")
    func categoryWithoutOptionsHasNoneAndOptions() throws {
        let playback = try #require(try classify(["audio-session.category": "playback"]).description)
        #expect(playback.options == [] && !playback.isMixable)
        let ducking = try classify(["audio-session.options": "duck-others", "media.role": "music"])
        var expected = try described("music")
        expected.options = .duckOthers
        #expect(ducking.description == expected)
        let call = try classify([
            "audio-session.category": "play-and-record",
            "audio-session.options": "mix-with-others, default-to-speaker allow-bluetooth-input",
            "audio-session.mode": "voice-chat",
        ])
        #expect(call.description?.options == [.mixWithOthers, .defaultToSpeaker, .allowBluetoothInput])
        #expect(call.description?.mode == .voiceChat)
        #expect(call.steps.last?.text == "its own properties change its category, options and mode")
    }

    @Test(
        "what is no word of the format is passed over, and said",
        arguments: [
            ("audio-session.category", "playbak", "no category, expected ambient, solo-ambient, playback, record, "),
            ("audio-session.category", "Playback", "no category"),
            ("audio-session.options", "mix", "no option, expected mix-with-others, "),
            ("audio-session.mode", "loud", "no mode, expected default, voice-chat, "),
            ("audio-session.mode", String(repeating: "x", count: 257), "too long"),
            ("audio-session.category", "\u{1B}[2J", "'\u{FFFD}[2J', which is no category"),
        ])
    func whatIsNoWordOfFormatIsPassedOverAndSaid(key: String, value: String, text: String) throws {
        let result = try classify([key: value, "media.role": "music"])
        #expect(result.complaints.count == 1)
        #expect(result.complaints.first?.hasPrefix("its \(key) ") == true)
        #expect(result.complaints.first?.contains(text) == true, "\(result.complaints)")
        #expect(try result.description == described("music"))
    }

    @Test("R43 an option that does not go with the category is passed over, and said")
    func optionThatDoesNotGoWithCategoryIsPassedOver() throws {
        let result = try classify([
            "audio-session.category": "playback", "audio-session.options": "allow-bluetooth-input,mix-with-others",
        ])
        #expect(result.description?.options == .mixWithOthers)
        #expect(
            result.complaints == [
                "its audio-session.options has allow-bluetooth-input, which does not go with playback"
            ])
    }

    @Test("an empty value says nothing") func emptyValueSaysNothing() throws {
        let result = try classify(["audio-session.category": "", "audio-session.options": "", "media.role": "music"])
        #expect(try result.description == described("music"))
        #expect(result.complaints == [])
    }

    @Test("N11 R36 no category raises the priority", arguments: SessionTags.categories) func noCategoryRaisesPriority(
        category: Category
    ) throws {
        for role in ["music", "navigation", "phone", "alarm"] {
            let result = try classify(["media.role": role, "audio-session.category": category.rawValue])
            #expect(try result.description?.priority == described(role).priority)
            #expect(result.description?.name == role)
        }
        let refused = try classify(
            ["media.role": "phone", "audio-session.category": "play-and-record"],
            policy: "claims = { phone = { allow = [ ] } }")
        #expect(refused.refusedClaim == "phone")
        #expect(refused.description?.priority == .normal)
    }

    @Test("rules come first, and a call never waits") func rulesComeFirstAndCallNeverWaits() throws {
        let rule = "rules = [ { matches = [ { a = x } ] actions = { update-session = { role = alarm } } } ]"
        let result = try classify(["a": "x", "audio-session.category": "play-and-record"], policy: rule)
        #expect(result.description?.name == "alarm")
        #expect(result.description?.category == .playAndRecord)
        #expect(result.description?.handover == .overlap)
    }

    @Test("R18 a recording that is left alone for want of a role can say that it is one")
    func recordingThatIsLeftAloneForWantOfRoleCanSay() throws {
        for policy in ["", "capture-pairing = true"] {
            let said = try classify(["audio-session.category": "record"], policy: policy, capture: true)
            #expect(said.description == SessionDescription(name: "untagged-capture", category: .record))
        }
        #expect(try classify(["audio-session.options": "duck-others"], capture: true).description == nil)
    }

    @Test(
        "what the policy leaves alone by name stays so",
        arguments: [
            ("", "production"), ("roles = { music = none }", "music"),
            (
                "rules = [ { matches = [ { media.role = music } ] actions = { update-session = { role = none } } } ]",
                "music"
            ),
        ])
    func whatPolicyLeavesAloneByNameStaysSo(policy: String, role: String) throws {
        let properties = ["media.role": role, "audio-session.category": "playback"]
        #expect(try classify(properties, policy: policy).description == nil)
    }
}
