import PolicyEngine
import Testing

@testable import PolicyFile

private func policy(_ text: String) throws -> Policy {
    let file = PolicyFile(text: text, named: "t")
    #expect(file.diagnostics == [])
    return try #require(file.policy)
}

/// A change of the desktop preset in words and in code.
private struct Change: Sendable, CustomTestStringConvertible {
    var text: String
    var change: @Sendable (inout Policy) -> Void

    init(_ text: String, _ change: @escaping @Sendable (inout Policy) -> Void) {
        self.text = text
        self.change = change
    }

    var testDescription: String { text }
}

private let changes: [Change] = [
    Change("") { _ in },
    Change("preset = desktop") { _ in },
    Change("preset = phone") { $0 = .phone },
    // Later keys do not have to come after the preset.
    Change("untagged = none preset = phone") {
        $0 = .phone
        $0.untagged = nil
    },
    Change("roles = { navigation = { duck = { gain = -30 } } }") {
        $0.roles["navigation"]?.ducking.gain = Decibels(-30)
    },
    Change("roles = { NAVIGATION = { duck = { attack = 100 release = \"2 s\" } } }") {
        $0.roles["navigation"]?.ducking.attack = .milliseconds(100)
        $0.roles["navigation"]?.ducking.release = .seconds(2)
    },
    Change("roles = { music = { category = record, options = [ allow-bluetooth-input ] } }") {
        $0.roles["music"]?.category = .record
        $0.roles["music"]?.options = .allowBluetoothInput
    },
    Change("roles = { music = { options = [] } }") { $0.roles["music"]?.options = [] },
    Change("roles = { music = { options = [ mix-with-others duck-others ] } }") {
        $0.roles["music"]?.options = [.mixWithOthers, .duckOthers]
    },
    Change("roles = { phone = { options = [ default-to-speaker allow-bluetooth-input ] } }") {
        $0.roles["phone"]?.options = [.defaultToSpeaker, .allowBluetoothInput]
    },
    Change("roles = { music = { fade = 1500 } }") { $0.roles["music"]?.fade = .milliseconds(1500) },
    Change("roles = { music = { handover = hold } }") { $0.roles["music"]?.handover = .hold },
    Change("roles = { music = { resume = always } }") { $0.roles["music"]?.resumption = .always },
    Change("roles = { music = { release-delay = 0 } }") { $0.roles["music"]?.releaseDelay = .zero },
    Change("roles = { music = { interruptible = false } }") { $0.roles["music"]?.isInterruptible = false },
    Change("roles = { music = { pause-player = false } }") { $0.roles["music"]?.pausesPlayer = false },
    Change("roles = { game = { pause-player = true } }") { $0.roles["game"]?.pausesPlayer = true },
    Change("roles = { game = { fade = 20 } }") { $0.roles["game"]?.fade = .milliseconds(20) },
    // Untagged
    Change("untagged = none") { $0.untagged = nil },
    Change("untagged = { fade = 20 }") { $0.untagged?.fade = .milliseconds(20) },
    Change("untagged = { category = solo-ambient options = [ ] }") {
        $0.untagged?.category = .soloAmbient
        $0.untagged?.options = []
    },
    Change("switches = { lock = [ ] }") { $0.switches[.locked] = [] },
    Change("switches = { silent = [ ui-sound playback ui-sound ] do-not-disturb = [ ambient ] }") {
        $0.switches[.silent] = [.uiSound, .playback]
        $0.switches[.doNotDisturb] = [.ambient]
    },
    Change("routes = { pause-on-disconnect = false }") { $0.routes.pausesPlayback = false },
    Change("routes = { resume-within = 0.5s }") { $0.routes.resumesWithin = .milliseconds(500) },
    Change("routes = { stop-recording = disconnect }") { $0.routes.stopsRecording = .disconnect },
    Change("routes = { stop-recording = any-change }") { $0.routes.stopsRecording = .anyChange },
    Change("user = { play = wait }") { $0.user.play = .wait },
    Change("user = { unmute = wait raise = wait }") {
        $0.user.unmute = .wait
        $0.user.raise = .wait
    },
    Change("notify = [ output-gone ]") { $0.notified = [.outputGone] },
    Change("muted = count") { $0.muted = .count },
    Change("sounding = { above = -30 hold = 1s }") {
        $0.sounding = SoundingRules(above: Decibels(-30), hold: .seconds(1))
    },
    Change("zones = { desk = [ speaker \"usb*\" ] }") {
        $0.zones = Zones([
            Zones.Zone(name: "desk", outputs: ["speaker", "usb*"].compactMap { OutputPattern($0) })
        ])
    },
    Change("stock-modules = keep") { $0.stockModules = .keep },
    Change("untagged-capture = { category = record }") {
        $0.untaggedCapture = SessionDescription(name: "untagged-capture", category: .record)
    },
    // Roles
    Change("roles = { dtmf = { category = ui-sound } }") {
        $0.roles["dtmf"] = SessionDescription(name: "dtmf", category: .uiSound)
    },
    Change("roles = { dsp = { category = ambient } }") {
        $0.unmanaged.remove("dsp")
        $0.roles["dsp"] = SessionDescription(name: "dsp", category: .ambient)
    },
    Change("roles = { game = none }") {
        $0.roles["game"] = nil
        $0.unmanaged.insert("game")
    },
    // Its other words are left alone with it.
    Change("roles = { notification = none }") {
        $0.roles["notification"] = nil
        $0.aliases["event"] = nil
        $0.aliases["alert"] = nil
        $0.unmanaged.formUnion(["notification", "event", "alert"])
    },
    Change("roles = { event = none }") {
        $0.aliases["event"] = nil
        $0.unmanaged.insert("event")
    },
    Change("roles = { event = { category = ambient } }") {
        $0.aliases["event"] = nil
        $0.roles["event"] = SessionDescription(name: "event", category: .ambient)
    },
    Change("roles = { phone = { aliases = [ VoIP call ] } }") {
        $0.aliases["communication"] = nil
        $0.aliases["communications"] = nil
        $0.aliases["voip"] = "phone"
    },
    Change("roles = { video = { aliases = [] } }") { $0.aliases["movie"] = nil },
    // A role of the preset, with its own other words, becomes another word for this one.
    Change("roles = { navigation = { aliases = [ prompt ] } }") {
        $0.roles["prompt"] = nil
        $0.aliases["prompt"] = "navigation"
        $0.aliases["voice-prompt"] = "navigation"
    },
    Change("roles = { music = { aliases = [ production ] } }") {
        $0.unmanaged.remove("production")
        $0.aliases["production"] = "music"
    },
    Change("roles = { alarm = { aliases = [ alert ] } }") { $0.aliases["alert"] = "alarm" },
    // Defaults reach whoever does not say it better.
    Change("duck = { gain = -10 }") { preset in
        for (role, description) in preset.roles where description.ducking.gain == Ducking().gain {
            preset.roles[role]?.ducking.gain = Decibels(-10)
        }
        preset.untagged?.ducking.gain = Decibels(-10)
        preset.ducking.gain = Decibels(-10)
    },
    Change("duck = { attack = 20 } roles = { prompt = { duck = { attack = 250 } } }") { preset in
        for role in preset.roles.keys where role != "prompt" {
            preset.roles[role]?.ducking.attack = .milliseconds(20)
        }
        preset.untagged?.ducking.attack = .milliseconds(20)
        preset.ducking.attack = .milliseconds(20)
    },
    Change("interruptions = { resume-within = 0 }") { $0.interruptions.resumesWithin = .zero },
    Change("interruptions = { resume-within = 10s }") { _ in },
    Change("interruptions = { resume-within = 600s }") { $0.interruptions.resumesWithin = .seconds(600) },
]

@Suite struct ValueTests {
    @Test("one line changes one thing", arguments: changes) fileprivate func oneLineChangesOneThing(change: Change)
        throws
    {
        var expected = Policy.desktop
        change.change(&expected)
        // What is added comes last.
        let added = expected.roles.keys.filter { !expected.order.contains($0) }
        expected.order = expected.order.filter { expected.roles[$0] != nil } + added.sorted()
        let read = try policy(change.text)
        #expect(read == expected)
    }

    @Test("every category has a name", arguments: Category.allCases) func everyCategoryHasName(category: Category)
        throws
    {
        let read = try policy("roles = { new = { category = \(category.rawValue) } }")
        #expect(read.roles["new"] == SessionDescription(name: "new", category: category))
    }

    @Test("every mode has a name", arguments: Mode.allCases) func everyModeHasName(mode: Mode) throws {
        #expect(try policy("roles = { phone = { mode = \(mode.rawValue) } }").roles["phone"]?.mode == mode)
    }

    @Test("every handover has a name", arguments: Handover.allCases) func everyHandoverHasName(handover: Handover)
        throws
    {
        #expect(
            try policy("roles = { alarm = { handover = \(handover.rawValue) } }").roles["alarm"]?.handover == handover)
    }

    @Test("every resumption has a name", arguments: Resumption.allCases) func everyResumptionHasName(
        resumption: Resumption
    ) throws {
        let read = try policy("roles = { alarm = { resume = \(resumption.rawValue) } }")
        #expect(read.roles["alarm"]?.resumption == resumption)
    }

    @Test(
        "a priority is a name or a number",
        arguments: [
            ("normal", 0), ("alarm", 100), ("phone", 200), ("0", 0), ("255", 255), ("+7", 7), ("\"150\"", 150),
            ("0x10", 16), ("010", 8),
        ] as [(String, UInt8)])
    func priorityIsNameOrNumber(text: String, value: UInt8) throws {
        let read = try policy("roles = { game = { priority = \(text) } }")
        #expect(read.roles["game"]?.priority == Priority(rawValue: value))
    }

    @Test(
        "a gain has decibels, with or without saying so",
        arguments: [
            ("-20", -20), ("0", 0), ("-0", 0), ("-144", -144), ("-14.5", -14.5), ("-1.45e1", -14.5), ("-.5", -0.5),
            ("-20dB", -20), ("\"-20 dB\"", -20), ("\"-20 db\"", -20), ("\"-20\"", -20),
        ] as [(String, Double)])
    func gainHasDecibelsWithOrWithoutSayingSo(text: String, value: Double) throws {
        let read = try policy("roles = { prompt = { duck = { gain = \(text) } } }")
        #expect(read.roles["prompt"]?.ducking.gain == Decibels(value))
        #expect(read.roles["prompt"]?.ducking.gain.value.sign == (value < 0 ? .minus : .plus))
    }

    @Test(
        "a time has milliseconds, or a unit",
        arguments: [
            ("250", .milliseconds(250)), ("250ms", .milliseconds(250)), ("\"250 ms\"", .milliseconds(250)),
            ("0.7s", .milliseconds(700)), ("\"0.7 s\"", .milliseconds(700)), ("1e3", .seconds(1)),
            ("10", .milliseconds(10)), ("60000", .seconds(60)), ("60s", .seconds(60)), ("10.5", .microseconds(10_500)),
            ("\"1 S\"", .seconds(1)),
        ] as [(String, Duration)])
    func timeHasMillisecondsOrUnit(text: String, value: Duration) throws {
        #expect(try policy("roles = { game = { fade = \(text) } }").roles["game"]?.fade == value)
    }

    @Test(
        "the nearest word is the one that was meant",
        arguments: [
            ("categroy", "category"), ("CATEGORY", "category"), ("releasedelay", "release-delay"),
            ("release_delay", "release-delay"), ("optoins", "options"), ("faed", "fade"), ("x", nil), ("", nil),
            ("interuptable", "interruptible"), (String(repeating: "category", count: 9), nil),
        ])
    func nearestWordIsOneThatWasMeant(word: String, meant: String?) {
        #expect(nearest(to: word, among: SessionDescription.words) == meant)
    }
}
