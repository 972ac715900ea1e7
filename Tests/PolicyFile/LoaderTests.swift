import Foundation
import SessionCore
import Testing

@testable import PolicyFile

/// A folder with the places where policies are looked for; gone when the test ends.
private final class Folders {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("policy-\(UUID().uuidString)").path

    deinit { try? FileManager.default.removeItem(atPath: root) }

    @discardableResult func write(_ text: String, to path: String) throws -> String {
        let url = URL(fileURLWithPath: "\(root)/\(path)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    func load(_ arguments: String? = nil, environment: [String: String]? = nil) -> LoadedPolicy {
        let variables = environment ?? ["XDG_CONFIG_HOME": "\(root)/config", "HOME": "\(root)/home"]
        return PolicyLoader.load(
            arguments: arguments, environment: { variables[$0] },
            systemFolders: ["\(root)/etc/audio-session", "\(root)/usr/share/audio-session"])
    }
}

private func untagged(_ policy: Policy) -> SessionDescription? {
    policy.description(of: nil, direction: .playback)
}

@Suite struct LoaderTests {
    private let folders = Folders()

    @Test func `without a file the built-in desktop policy is in force`() {
        let loaded = folders.load()
        #expect(loaded.policy == .desktop)
        #expect(loaded.origin == "built-in desktop")
        #expect(loaded.diagnostics == [])
        #expect(folders.load(environment: [:]) == loaded)
        for empty in ["", " ", "{ }", "{ # nothing\n }"] { #expect(folders.load(empty) == loaded) }
    }

    @Test func `the first file found is taken, the user's before the administrator's`() throws {
        var expected: [String] = []
        for (place, fade) in [
            ("usr/share", 100), ("etc", 200), ("home/.config", 300), ("config", 400),
        ] {
            expected.append(
                try folders.write("untagged = { fade = \(fade) }", to: "\(place)/audio-session/policy.conf"))
            if place == "home/.config" { continue }
            let loaded = folders.load()
            #expect(loaded.diagnostics == [])
            #expect(loaded.origin == expected.last)
            #expect(untagged(loaded.policy)?.fade == .milliseconds(fade))
        }
        let home = ["HOME": "\(folders.root)/home"]
        #expect(untagged(folders.load(environment: home).policy)?.fade == .milliseconds(300))
        // The base directory specification: what is empty or relative counts as not set.
        for variable in ["", "config", "./config"] {
            let loaded = folders.load(environment: home.merging(["XDG_CONFIG_HOME": variable]) { $1 })
            #expect(untagged(loaded.policy)?.fade == .milliseconds(300))
        }
        #expect(untagged(folders.load(environment: [:]).policy)?.fade == .milliseconds(200))
    }

    @Test func `the search path is the documented one`() {
        let home = ["HOME": "/home/ada"]
        #expect(
            PolicyLoader.searchPath { home[$0] } == [
                "/home/ada/.config/audio-session/policy.conf", "/etc/audio-session/policy.conf",
                "/usr/share/audio-session/policy.conf",
            ])
    }

    @Test(arguments: [
        "{ policy = phone }", "{ preset = phone }", "policy: \"phone\"", "{ policy = phone preset = phone }",
    ])
    func `arguments can name a preset, whatever files there are`(arguments: String) throws {
        try folders.write("broken = {", to: "config/audio-session/policy.conf")
        let loaded = folders.load(arguments)
        #expect(loaded.policy == .phone)
        #expect(loaded.origin == "built-in phone")
        #expect(loaded.diagnostics == [])
    }

    @Test func `arguments can name a file`() throws {
        let path = try folders.write("preset = phone", to: "car.conf")
        try folders.write("untagged = none", to: "config/audio-session/policy.conf")
        let loaded = folders.load("{ policy = \"\(path)\" }")
        #expect(loaded.policy == .phone)
        #expect(loaded.origin == path)
        // A preset in the arguments is the stronger one.
        let desktop = folders.load("{ policy = \"\(path)\" preset = desktop }")
        #expect(desktop.policy == .desktop)
        #expect(desktop.origin == path)
    }

    @Test func `sections in the arguments override what they are laid over`() throws {
        let bare = folders.load("{ untagged = { fade = 50 } }")
        #expect(bare.origin == "built-in desktop with module arguments")
        #expect(untagged(bare.policy)?.fade == .milliseconds(50))
        let path = try folders.write(
            "preset = phone untagged = { fade = 80 release-delay = 80 }", to: "etc/audio-session/policy.conf")
        let loaded = folders.load("{ untagged = { fade = 50 } }")
        #expect(loaded.diagnostics == [])
        #expect(loaded.origin == "\(path) with module arguments")
        #expect(loaded.policy.name == "phone")
        #expect(untagged(loaded.policy)?.fade == .milliseconds(50))
        #expect(untagged(loaded.policy)?.releaseDelay == .milliseconds(80))
        let preset = folders.load("{ policy = phone untagged = none }")
        #expect(preset.origin == "built-in phone with module arguments")
        #expect(untagged(preset.policy) == nil)
    }

    /// An alias or a repeated key of another source is no conflict: the later source wins.
    @Test func `sources do not quarrel with each other`() throws {
        try folders.write("roles = { game = { aliases = [ fun ] } }", to: "etc/audio-session/policy.conf")
        let loaded = folders.load("{ roles = { music = { aliases = [ fun ] } } }")
        #expect(loaded.diagnostics == [])
        let fun = loaded.policy.description(of: Role("fun"), direction: .playback)
        #expect(fun?.name == "music")
    }

    @Test func `an error anywhere puts the built-in desktop policy in force, and all errors are told`() throws {
        let path = try folders.write(
            "preset = phone\nuntagged = { fade = 5 }\nx = 1", to: "config/audio-session/policy.conf")
        // The next file is not a substitute: the user would wonder which one is in force.
        try folders.write("preset = phone", to: "etc/audio-session/policy.conf")
        let loaded = folders.load("{ duck = { gain = 3 } }")
        #expect(loaded.policy == .desktop)
        #expect(loaded.origin == "built-in desktop")
        #expect(
            loaded.diagnostics.map(\.description) == [
                "\(path):2:21: error: found '5', expected a time from 10 ms to 60 s, such as 250 or \"250 ms\"",
                "\(path):3:1: warning: found the unknown key 'x', expected preset, duck, untagged, untagged-capture "
                    + "or roles",
                "<module arguments>:1:19: error: found '3', expected a gain from -144 to 0 dB, such as -20 or \"-20 dB\"",
            ])
    }

    @Test func `parts of two sources that do not go together are an error where the last one said it`() throws {
        try folders.write("roles = { alarm = { handover = hold } }", to: "etc/audio-session/policy.conf")
        let loaded = folders.load("{ roles = { alarm = { category = play-and-record } } }")
        #expect(loaded.policy == .desktop)
        #expect(loaded.diagnostics.count == 1)
    }

    @Test func `a warning leaves the policy in force`() throws {
        try folders.write("preset = phone\nuntaged = none", to: "etc/audio-session/policy.conf")
        let loaded = folders.load()
        #expect(loaded.policy == .phone)
        #expect(loaded.diagnostics.map(\.severity) == [.warning])
        #expect(loaded.diagnostics.first?.nearest == "untagged")
    }

    @Test(arguments: [
        (
            "{ policy = fone }",
            "1:12: error: found 'fone', expected the absolute path of a policy file or a preset: desktop or phone"
        ),
        (
            "{ policy = desktp }",
            "1:12: error: found 'desktp', expected the absolute path of a policy file or a preset: desktop or phone; "
                + "did you mean 'desktop'?"
        ),
        (
            "{ policy = [ ] }",
            "1:12: error: found an array, expected the path of a policy file or a preset: desktop or phone"
        ),
        (
            "{ policy = /no/such/file }",
            "1:12: error: found '/no/such/file': no such file, expected one that can be read"
        ),
        ("{ policy = / }", "1:12: error: found '/': a folder, expected a file"),
        ("{ policy = /dev/null }", "1:12: error: found '/dev/null': no regular file, expected a file"),
        (#"{ policy = "/a\u0000b" }"#, "1:12: error: found '/a\u{FFFD}b': a zero byte in the path, expected none"),
        ("{ policy = ", "1:12: error: found the end of the text, expected the value of 'policy'"),
    ])
    func `arguments that name nothing are an error`(arguments: String, message: String) {
        let loaded = folders.load(arguments)
        #expect(loaded.policy == .desktop)
        #expect(loaded.diagnostics.first?.description == "<module arguments>:\(message)")
    }

    @Test func `a file that is there but cannot be read is an error`() throws {
        try FileManager.default.createDirectory(
            atPath: "\(folders.root)/config/audio-session/policy.conf", withIntermediateDirectories: true)
        try folders.write("preset = phone", to: "etc/audio-session/policy.conf")
        let loaded = folders.load()
        #expect(loaded.policy == .desktop)
        #expect(
            loaded.diagnostics.map(\.description) == [
                "\(folders.root)/config/audio-session/policy.conf: error: found a folder, expected a file"
            ])
    }

    @Test func `a pipe in place of a file does not hold up the server`() throws {
        let path = try folders.write("", to: "pipe")
        try FileManager.default.removeItem(atPath: path)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(
            PolicyFile(path: path).diagnostics.map(\.description) == [
                "\(path): error: found no regular file, expected a file"
            ])
    }

    @Test func `a file that is too large is not read`() throws {
        let path = try folders.write(String(repeating: " ", count: PolicyFile.maximumSize + 1), to: "large.conf")
        #expect(
            PolicyFile(path: path).diagnostics.map(\.description)
                == ["\(path): error: found 1048577 bytes, expected at most 1048576"])
        try folders.write(String(repeating: " ", count: PolicyFile.maximumSize), to: "large.conf")
        #expect(PolicyFile(path: path).policy == .desktop)
    }
}
