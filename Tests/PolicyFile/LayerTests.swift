import Foundation
import PolicyEngine
import Testing

@testable import PolicyFile

/// Files in two or three layers, and what comes of one description.
private struct Layering: Sendable, CustomTestStringConvertible {
    var name: String
    var files: [(path: String, text: String)]
    var role: String?
    var expected: @Sendable (inout SessionDescription) -> Void

    init(
        _ name: String, _ files: [(String, String)], role: String? = "alarm",
        _ expected: @escaping @Sendable (inout SessionDescription) -> Void
    ) {
        self.name = name
        self.files = files
        self.role = role
        self.expected = expected
    }

    var testDescription: String { name }
}

private let share = "usr/share/audio-session/policy.conf"
private let shareDropIn = "usr/share/audio-session/policy.conf.d"
private let etc = "etc/audio-session/policy.conf"
private let etcDropIn = "etc/audio-session/policy.conf.d"
private let user = "config/audio-session/policy.conf"
private let userDropIn = "config/audio-session/policy.conf.d"

private func alarm(_ text: String) -> String { "roles = { alarm = { \(text) } }" }

private let layerings: [Layering] = [
    Layering(
        "a category here, a priority there", [(share, alarm("category = ambient")), (user, alarm("priority = 7"))]
    ) {
        $0.category = .ambient
        $0.priority = Priority(rawValue: 7)
    },
    Layering("the machine over the distribution", [(share, alarm("fade = 20")), (etc, alarm("fade = 30"))]) {
        $0.fade = .milliseconds(30)
    },
    Layering("the user over the machine", [(user, alarm("fade = 20")), (etc, alarm("fade = 30"))]) {
        $0.fade = .milliseconds(20)
    },
    Layering(
        "drop-ins over their folder's file", [(etcDropIn + "/a.conf", alarm("fade = 20")), (etc, alarm("fade = 30"))]
    ) {
        $0.fade = .milliseconds(20)
    },
    Layering(
        "a folder's file over drop-ins of a weaker one",
        [(shareDropIn + "/z.conf", alarm("fade = 20")), (etc, alarm("fade = 30"))]
    ) {
        $0.fade = .milliseconds(30)
    },
    Layering(
        "drop-ins in the order of their bytes",
        [
            (etcDropIn + "/9.conf", alarm("fade = 20")), (etcDropIn + "/10.conf", alarm("fade = 30")),
            (etcDropIn + "/Z.conf", alarm("release-delay = 1")), (etcDropIn + "/a.conf", alarm("release-delay = 2")),
        ]
    ) {
        $0.fade = .milliseconds(20)
        $0.releaseDelay = .milliseconds(2)
    },
    Layering(
        "only what ends in .conf and is not hidden",
        [
            (userDropIn + "/a.conf~", alarm("fade = 20")), (userDropIn + "/.b.conf", alarm("fade = 30")),
            (userDropIn + "/conf", alarm("fade = 40")), (userDropIn + "/d/e.conf", alarm("fade = 50")),
        ]
    ) { _ in },
    Layering(
        "each time of ducking by itself",
        [
            (share, "roles = { prompt = { duck = { attack = 1 hold = 2 } } }"),
            (etc, "roles = { prompt = { duck = { hold = 3 } } }"), (user, "duck = { release = 4 gain = -3 }"),
        ], role: "prompt"
    ) {
        $0.ducking.attack = .milliseconds(1)
        $0.ducking.hold = .milliseconds(3)
        $0.ducking.release = .milliseconds(4)
    },
    Layering(
        "a list replaces a list",
        [
            (share, "roles = { phone = { options = [ default-to-speaker ] } }"),
            (etc, "roles = { phone = { options = [ allow-bluetooth-input ] } }"),
        ], role: "phone"
    ) { $0.options = .allowBluetoothInput },
    Layering(
        "a new role here, its alias there",
        [
            (share, "roles = { siren = { category = playback } }"),
            (user, "roles = { siren = { aliases = [ horn ] priority = alarm } }"),
        ], role: "horn"
    ) { $0 = SessionDescription(name: "siren", category: .playback, priority: .alarm) },
    Layering(
        "an alias of the later one",
        [(share, "roles = { game = { aliases = [ fun ] } }"), (etc, "roles = { alarm = { aliases = [ fun ] } }")],
        role: "fun"
    ) { _ in },
    Layering(
        "untagged, key by key", [(share, "untagged = { fade = 20 }"), (user, "untagged = { release-delay = 30 }")],
        role: nil
    ) {
        $0 = SessionDescription(
            name: "untagged", category: .playback, options: .mixWithOthers, fade: .milliseconds(20),
            releaseDelay: .milliseconds(30), pausesPlayer: true)
    },
    Layering(
        "untagged again after none", [(share, "untagged = none"), (user, "untagged = { category = playback }")],
        role: nil
    ) {
        $0 = SessionDescription(name: "untagged", category: .playback)
    },
    Layering(
        "two that go together only with a third",
        [
            (etcDropIn + "/1.conf", alarm("category = play-and-record")),
            (etcDropIn + "/2.conf", alarm("handover = overlap")),
        ]
    ) {
        $0.category = .playAndRecord
        $0.handover = .overlap
    },
]

@Suite struct LayerTests {
    private let folders = PolicyFolders()

    @Test("later layers win key by key", arguments: layerings) fileprivate func laterLayersWinKeyByKey(
        layering: Layering
    ) throws {
        for (path, text) in layering.files { try folders.write(text, to: path) }
        let loaded = folders.load()
        #expect(loaded.diagnostics == [])
        var expected = try #require(Policy.desktop.description(of: Role("alarm"), direction: .playback))
        if let role = layering.role.flatMap({ Role($0) }),
            let own = Policy.desktop.description(of: role, direction: .playback), own.name != Policy.untaggedName
        {
            expected = own
        }
        layering.expected(&expected)
        let role = layering.role.flatMap { Role($0) }
        #expect(loaded.policy.description(of: role, direction: .playback) == expected)
    }

    @Test("the files in force are told in order") func filesInForceAreToldInOrder() throws {
        let paths = try [share, shareDropIn + "/a.conf", etc, etcDropIn + "/1.conf", etcDropIn + "/2.conf", user].map {
            try folders.write("untagged = { fade = 50 }", to: $0)
        }
        let loaded = folders.load("{ untagged = none }")
        #expect(loaded.files == paths)
        #expect(loaded.origin == paths.joined(separator: ", ") + " with module arguments")
    }

    // MARK: Presets

    @Test("a preset can be a file in any folder, and lies below all layers")
    func presetCanBeFileInAnyFolderAndLiesBelow() throws {
        let car = try folders.write(
            "preset = phone\nuntagged = { fade = 70 release-delay = 70 }", to: "usr/share/audio-session/car.conf")
        let own = try folders.write("preset = car\nuntagged = { fade = 80 }", to: user)
        let loaded = folders.load()
        #expect(loaded.diagnostics == [])
        #expect(loaded.files == [car, own])
        #expect(untagged(loaded)?.category == .soloAmbient)
        #expect(untagged(loaded)?.fade == .milliseconds(80))
        #expect(untagged(loaded)?.releaseDelay == .milliseconds(70))
        // The strongest folder's file of that name is the one.
        let other = try folders.write("untagged = { release-delay = 90 }", to: "etc/audio-session/car.conf")
        #expect(folders.load().files == [other, own])
        #expect(untagged(folders.load())?.category == .playback)
        #expect(untagged(folders.load("{ preset = phone }"))?.releaseDelay == .milliseconds(300))
        #expect(folders.load("{ policy = car }").files == [other, own])
    }

    @Test("the last preset that is named counts") func lastPresetThatIsNamedCounts() throws {
        try folders.write("preset = desktop", to: share)
        try folders.write("preset = phone", to: etcDropIn + "/a.conf")
        #expect(folders.load().policy == .phone)
        try folders.write("preset = desktop", to: user)
        #expect(folders.load().policy == .desktop)
    }

    @Test("a preset that is not there is an error with those that are")
    func presetThatIsNotThereIsErrorWithThoseThatAre() throws {
        try folders.write("", to: "etc/audio-session/car.conf")
        try folders.write("", to: "etc/audio-session/policy.conf")
        let path = try folders.write("untagged = none\npreset = cra", to: user)
        let loaded = folders.load()
        #expect(loaded.policy == .desktop)
        #expect(
            loaded.diagnostics.map(\.description) == [
                "\(path):2:10: error: found 'cra', expected a preset: car, desktop or phone; did you mean 'car'?"
            ])
        for name in ["policy", "../car", "\"\"", ".car", "audio-session/car"] {
            try folders.write("preset = \(name)", to: user)
            #expect(folders.load().hasErrors)
        }
    }

    @Test("a preset's file can name only what is built in") func presetsFileCanNameOnlyWhatIsBuiltIn() throws {
        let car = try folders.write("preset = car", to: "etc/audio-session/car.conf")
        try folders.write("preset = car\nuntagged = none", to: user)
        let loaded = folders.load()
        #expect(
            loaded.diagnostics.map(\.description) == [
                "\(car):1:10: error: found 'car', expected a built-in preset: desktop or phone"
            ])
        #expect(untagged(loaded) == nil)
    }

    @Test("R1 roles have the preset's order, and those that files add come after them")
    func rolesHavePresetsOrderAndThoseThatFilesAdd() throws {
        let preset = Policy.desktop.order
        #expect(Set(preset) == Set(Policy.desktop.roles.keys) && preset.count == Policy.desktop.roles.count)
        #expect(Policy.phone.order == preset)
        try folders.write("roles = { zither = { category = ambient } }", to: etc)
        try folders.write(
            "roles = { game = none bell = { category = ambient } accordion = { category = ambient } }", to: user)
        let loaded = folders.load("roles = { zither = { fade = 20 } game = { category = ambient } }")
        #expect(!loaded.hasErrors)
        let names = preset + ["zither", "bell", "accordion", "untagged", "untagged-capture"]
        #expect(loaded.policy.ranks.sorted { $0.value < $1.value }.map(\.key) == names)
    }

    // MARK: Errors

    @Test("a file with an error is left out, all its mistakes are told, and the rest is in force")
    func fileWithErrorIsLeftOutAllItsMistakesAreTold() throws {
        let broken = try folders.write(
            "preset = phone\nuntagged = { fade = 5 }\nx = 1\nduck = { gain = 3 }", to: user)
        let good = try folders.write("untagged = { fade = 50 }", to: etc)
        let loaded = folders.load("{ untagged = { release-delay = 1 } }")
        #expect(loaded.hasErrors)
        #expect(loaded.files == [good])
        #expect(loaded.policy.name == "desktop")
        #expect(untagged(loaded)?.fade == .milliseconds(50))
        #expect(untagged(loaded)?.releaseDelay == .milliseconds(1))
        #expect(
            loaded.diagnostics.map(\.description) == [
                "\(broken):2:21: error: found '5', expected a time from 10 ms to 60 s, such as 250 or \"250 ms\"",
                "\(broken):3:1: warning: found the unknown key 'x', expected preset, duck, untagged, untagged-capture, "
                    + "capture-pairing, call-after, roles, interplay, switches, routes, interruptions, user, muted, sounding, zones, notify, stock-modules, "
                    + "claims or rules",
                "\(broken):4:17: error: found '3', expected a gain from -144 to 0 dB, such as -20 or \"-20 dB\"",
            ])
    }

    @Test("mistakes of several files are told in the order of the layers")
    func mistakesOfSeveralFilesAreToldInOrderOfLayers() throws {
        let paths = try [share, etc, user].map { try folders.write("duck = 1", to: $0) }
        let loaded = folders.load("duck = 2")
        #expect(loaded.diagnostics.map(\.file) == paths + ["<module arguments>"])
        #expect(loaded.policy == .desktop)
    }

    @Test("what does not go together is the mistake of the later file") func whatDoesNotGoTogetherIsMistakeOfLaterFile()
        throws
    {
        let first = try folders.write("roles = { alarm = { handover = hold } }", to: etc)
        let loaded = folders.load("{ roles = { alarm = { category = play-and-record } } }")
        #expect(loaded.files == [first])
        #expect(
            loaded.diagnostics.map(\.description) == [
                "<module arguments>:1:34: error: found handover hold with category play-and-record, "
                    + "expected overlap, as a call must never be held back"
            ])
        // The other way round the category was there first.
        try folders.write("roles = { alarm = { category = play-and-record handover = overlap } }", to: etc)
        let other = folders.load("{ roles = { alarm = { handover = hold } } }")
        #expect(other.diagnostics.map(\.place) == [Place(line: 1, column: 34)])
        #expect(other.policy.description(of: Role("alarm"), direction: .playback)?.category == .playAndRecord)
    }

    /// The middle one is wrong because of the first, and the last because of the middle one.
    @Test("no file is left out for the sake of one that is") func noFileIsLeftOutForSakeOfOneThatIs() throws {
        try folders.write("roles = { new = { category = record } }", to: etcDropIn + "/1.conf")
        let middle = try folders.write("roles = { new = { options = [ mix-with-others ] } }", to: etcDropIn + "/2.conf")
        let last = try folders.write(
            "roles = { new = { options = [ allow-bluetooth-input ] } }", to: etcDropIn + "/3.conf")
        #expect(folders.load().diagnostics == [])
        try folders.write("roles = { new = { category = playback } }", to: etcDropIn + "/1.conf")
        #expect(folders.load().diagnostics.map(\.file) == [last])
        try folders.write("roles = { new = { category = playback } } duck = 1", to: etcDropIn + "/1.conf")
        // Without the first, the role is new in the second; and then in the third.
        #expect(folders.load().diagnostics.map(\.severity) == [.error, .error, .error])
        #expect(folders.load().diagnostics.map(\.file)[1...] == [middle, last])
    }

    @Test("a file or folder that is there but cannot be read is an error") func fileOrFolderThatIsThereButCannotBeRead()
        throws
    {
        let folder = "\(folders.root)/\(user)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = try folders.write("", to: etcDropIn)
        let good = try folders.write("preset = phone", to: etc)
        let loaded = folders.load()
        #expect(loaded.policy == .phone)
        #expect(loaded.files == [good])
        #expect(
            loaded.diagnostics.map(\.description) == [
                "\(file): error: found no folder, expected one", "\(folder): error: found a folder, expected a file",
            ])
    }

    @Test("a folder of too many files is refused") func folderOfTooManyFilesIsRefused() throws {
        for number in 0...Folder.maximumCount { try folders.write("", to: "\(userDropIn)/\(number).conf") }
        #expect(
            folders.load().diagnostics.map(\.description) == [
                "\(folders.root)/\(userDropIn): error: found more than 256 files, expected fewer"
            ])
    }
}

private func untagged(_ loaded: LoadedPolicy) -> SessionDescription? {
    loaded.policy.description(of: nil, direction: .playback)
}
