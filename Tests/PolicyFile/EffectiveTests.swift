import PolicyEngine
import RandomEvents
import RandomPolicies
import Testing

@testable import PolicyFile

@Suite struct EffectiveTests {
    private let folders = PolicyFolders()

    private func effective(_ arguments: String? = nil) -> EffectivePolicy {
        PolicyLoader.effective(arguments: arguments, layers: folders.layers())
    }

    @Test("every value is written with where it is from") func everyValueIsWrittenWithWhereItIsFrom() throws {
        let first = try folders.write(
            """
            preset = phone
            duck = { hold = 400 }
            roles = {
                siren = { category = playback priority = alarm aliases = [ horn ] release-delay = 400 }
                music = { options = [ mix-with-others ] }
            }
            """, to: "etc/audio-session/policy.conf")
        let second = try folders.write(
            """
            untagged-capture = none routes = { stop-recording = disconnect } stock-modules = keep user = { unmute = beside } muted = count
            interplay = { siren = { any = { kind = duck gain = -30 } } }
            claims = { phone = { allow = [ { application.name = "GNOME Calls" } ] otherwise = siren } }
            rules = [ {
                matches = [ { media.name = "~^WEBRTC" application.name = !null } ]
                actions = { update-session = { role = phone fade = "0.25 s" } }
            } ]
            """, to: "config/audio-session/policy.conf.d/a.conf")
        let effective = effective("{ roles = { siren = { fade = 50.5 } } }")
        #expect(effective.diagnostics == [])
        #expect(effective.sources == [first, second, "<module arguments>"])
        // Each line with what is behind it, as far as they differ from the preset.
        let lines = effective.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        for line in [
            "preset = phone # \(first):1:10",
            "gain = -14 # built-in phone",
            "hold = 400 # \(first):2:17",
            "horn # \(first):4:64",
            "priority = alarm # \(first):4:46",
            "release-delay = 400 # \(first):4:87",
            "fade = 50.5 # <module arguments>:1:30",
            "mix-with-others # \(first):5:27",
            "handover = overlap # built-in phone",
            "untagged-capture = none # \(second):1:20",
            "kind = duck # \(second):2:40",
            "gain = -30 # \(second):2:52",
            "allow = [ # \(second):3:30",
            "{ application.name = \"GNOME Calls\" }",
            "otherwise = siren # \(second):3:83",
            "alarm = usual # built-in phone",
            "matches = [ # \(second):4:11",
            "{ media.name = \"~^WEBRTC\", application.name = !null }",
            "role = phone # \(second):6:43",
            "fade = 250 # \(second):6:56",
            "dsp = none # built-in phone",
            "pause-on-disconnect = true # built-in phone",
            "resume-within = 10000 # built-in phone",
            "stop-recording = disconnect # \(second):1:53",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        try expectSame(
            effective, PolicyLoader.load(arguments: "{ roles = { siren = { fade = 50.5 } } }", layers: folders.layers())
        )
    }

    @Test(
        "a preset written out is the preset",
        arguments: ["", "{ preset = phone }", "{ duck = { gain = -3.25 } untagged = none }"])
    func presetWrittenOutIsPreset(arguments: String) throws {
        let loaded = folders.load(arguments)
        try expectSame(effective(arguments), loaded)
        #expect(PolicyFile(text: effective(arguments).text, named: "t").diagnostics == [])
    }

    @Test("a shipped file written out is the same", arguments: ShippedFile.allCases) func shippedFileWrittenOutIsSame(
        file: ShippedFile
    ) throws {
        let effective = EffectivePolicy(path: file.path)
        let read = PolicyFile(text: effective.text, named: "t")
        #expect(read.diagnostics == [])
        #expect(read.policy?.with { $0.name = file.policy.name } == file.policy)
    }

    /// What is hard to write down: names that changed what they are from layer to layer.
    @Test(
        "layers that change what a name is can be written as one file",
        arguments: [
            ["roles = { navigation = { aliases = [ prompt ] } }", "roles = { navigation = { aliases = [ ] } }"],
            ["roles = { music = { aliases = [ production ] } }", "roles = { music = { aliases = [ ] } }"],
            [
                "roles = { navigation = { aliases = [ prompt ] } }",
                "roles = { navigation = { aliases = [ prompt siren ] } }",
            ],
            ["roles = { video = { aliases = [ ] } }", "roles = { alarm = { aliases = [ video ] } }"],
            ["roles = { video = { aliases = [ ] } }", "roles = { video = none }"],
            ["roles = { prompt = none }", "roles = { prompt = { category = playback } }"],
            ["roles = { navigation = { aliases = [ prompt ] } }", "roles = { prompt = { fade = 20 } }"],
            ["roles = { navigation = { aliases = [ prompt ] } }", "roles = { navigation = none }"],
            ["roles = { prompt = { options = [ ] } }", "duck = { gain = -1 }"],
            ["interplay = { any = { music = { kind = duck gain = -3 } } }", "interplay = { any = { music = cork } }"],
            ["roles = { music = { duck = { gain = -3 } } }", "interplay = { music = { game = duck } }"],
            ["claims = { alarm = { allow = [ ] } }", "claims = { alarm = any }"],
            ["claims = { alarm = { otherwise = game } }", "claims = { alarm = { allow = [ ] } }"],
            ["switches = { silent = [ ] lock = [ ui-sound ambient ] }", "switches = { lock = [ playback ] }"],
            [
                "routes = { stop-recording = disconnect resume-within = 3s }",
                "routes = { stop-recording = any-change }",
            ],
            ["interruptions = { resume-within = 3s }", "interruptions = { resume-within = 600s }"],
            ["interplay = { playback = { record = mute } }", "roles = { playback = { category = ambient } }"],
            [
                "interplay = { any = { playback = { kind = duck gain = -3 } } }",
                "interplay = { any = { Playback = cork } }",
            ],
            ["stock-modules = keep", "stock-modules = unload"],
            ["user = { play = wait raise = wait }", "user = { play = beside }"],
            ["muted = count", "muted = ignore"],
            ["notify = [ output-gone recording-stopped ]", "notify = [ recording-stopped ]"],
            ["sounding = { above = -30 hold = 1s }", "sounding = { hold = 2s }"],
            [
                "zones = { desk = [ speaker \"usb *\" ] rear = [ hdmi ] }",
                "zones = { desk = none front = [ line ] rear = [ usb ] }",
            ],
            [
                "roles = { alarm = { output = speaker volume = -6 acts-while = sounding } }",
                "roles = { alarm = { output = any } } untagged = { capture-pairing = true }",
            ],
            ["capture-pairing = true", "capture-pairing = game"],
            ["capture-pairing = communication", "untagged-capture = { category = record }"],
        ])
    func layersThatChangeWhatNameIsCanBeWritten(layers: [String]) throws {
        for (number, text) in layers.enumerated() {
            try folders.write(text, to: "etc/audio-session/policy.conf.d/\(number).conf")
        }
        let loaded = folders.load()
        #expect(!loaded.hasErrors)
        try expectSame(effective(), loaded)
    }

    @Test("whatever files say is read to the end, and can be written as one file") func whateverFilesSay() {
        for failure in (0..<80).lazy.compactMap({ PolicyPlay.failure(ofSeed: $0) }).prefix(1) {
            Issue.record("\(failure)")
        }
    }

    private func expectSame(_ effective: EffectivePolicy, _ loaded: LoadedPolicy) throws {
        let path = try folders.write(effective.text, to: "effective.conf")
        let read = PolicyLoader.load(arguments: "policy = \(path)", layers: Layers(folders: []))
        #expect(!read.hasErrors, "\(read.diagnostics.map(\.description))")
        #expect(read.policy == loaded.policy)
        #expect(read.classifier == loaded.classifier)
    }
}
