import Foundation
import PolicyEngine
import Testing

@testable import PolicyFile

/// A folder with the places where policies are looked for; gone when the test ends.
final class PolicyFolders {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("policy-\(UUID().uuidString)").path

    deinit { try? FileManager.default.removeItem(atPath: root) }

    @discardableResult func write(_ text: String, to path: String) throws -> String {
        let url = URL(fileURLWithPath: "\(root)/\(path)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    func layers(environment: [String: String]? = nil) -> Layers {
        let variables = environment ?? ["XDG_CONFIG_HOME": "\(root)/config", "HOME": "\(root)/home"]
        return Layers(
            environment: { variables[$0] },
            systemFolders: ["\(root)/usr/share/audio-session", "\(root)/etc/audio-session"])
    }

    func load(_ arguments: String? = nil, environment: [String: String]? = nil) -> LoadedPolicy {
        PolicyLoader.load(arguments: arguments, layers: layers(environment: environment))
    }
}

private func untagged(_ policy: Policy) -> SessionDescription? {
    policy.description(of: nil, direction: .playback)
}

@Suite struct LoaderTests {
    private let folders = PolicyFolders()

    @Test("without a file the built-in desktop policy is in force") func withoutFileBuiltInDesktopPolicyIsInForce() {
        let loaded = folders.load()
        #expect(loaded.policy == .desktop)
        #expect(loaded.classifier == Classifier(.desktop, claims: [:], rules: [], origins: Classifier.Origins()))
        #expect(loaded.origin == "built-in desktop")
        #expect(loaded.files == [])
        #expect(loaded.diagnostics == [])
        #expect(folders.load(environment: [:]) == loaded)
        for empty in ["", " ", "{ }", "{ # nothing\n }"] { #expect(folders.load(empty) == loaded) }
    }

    @Test("the user's folder is the one that the environment says") func usersFolderIsOneThatEnvironmentSays() throws {
        for (place, fade) in [("etc", 200), ("home/.config", 300), ("config", 400)] {
            try folders.write("untagged = { fade = \(fade) }", to: "\(place)/audio-session/policy.conf")
        }
        #expect(untagged(folders.load().policy)?.fade == .milliseconds(400))
        let home = ["HOME": "\(folders.root)/home"]
        #expect(untagged(folders.load(environment: home).policy)?.fade == .milliseconds(300))
        // The base directory specification: what is empty or relative counts as not set.
        for variable in ["", "config", "./config"] {
            let loaded = folders.load(environment: home.merging(["XDG_CONFIG_HOME": variable]) { $1 })
            #expect(untagged(loaded.policy)?.fade == .milliseconds(300))
        }
        #expect(untagged(folders.load(environment: [:]).policy)?.fade == .milliseconds(200))
    }

    @Test("the folders are the documented ones, and are watched") func foldersAreDocumentedOnesAndAreWatched() {
        let home = ["HOME": "/home/ada"]
        let folders = ["/usr/share/audio-session", "/etc/audio-session", "/home/ada/.config/audio-session"]
        #expect(PolicyLoader.layerFolders { home[$0] } == folders)
        let watched = folders.flatMap { [$0, "\($0)/policy.conf.d"] }
        #expect(PolicyLoader.folders(arguments: nil) { home[$0] } == watched)
        #expect(PolicyLoader.folders(arguments: "{ policy = phone }") { home[$0] } == watched)
        #expect(PolicyLoader.folders(arguments: "policy = /srv/a.conf") { home[$0] } == watched + ["/srv"])
        #expect(PolicyLoader.folders(arguments: "policy = /a.conf") { home[$0] } == watched + ["/"])
        #expect(PolicyLoader.folders(arguments: "policy = /etc/audio-session/x.conf") { home[$0] } == watched)
    }

    @Test(
        "arguments can name a preset, and files still apply",
        arguments: [
            "{ policy = phone }", "{ preset = phone }", "policy: \"phone\"", "{ policy = phone preset = phone }",
            "{ policy = desktop preset = phone }",
        ])
    func argumentsCanNamePresetAndFilesStillApply(arguments: String) throws {
        #expect(folders.load(arguments).policy == .phone)
        #expect(folders.load(arguments).origin == "built-in phone")
        let path = try folders.write(
            "preset = desktop untagged = { fade = 50 }", to: "config/audio-session/policy.conf")
        let loaded = folders.load(arguments)
        #expect(loaded.policy.name == "phone")
        #expect(untagged(loaded.policy)?.category == .soloAmbient)
        #expect(untagged(loaded.policy)?.fade == .milliseconds(50))
        #expect(loaded.origin == path)
        #expect(loaded.files == [path])
        #expect(loaded.diagnostics == [])
    }

    @Test("arguments can name a file, which takes the place of all folders") func argumentsCanNameFileWhichTakesPlace()
        throws
    {
        let path = try folders.write("preset = phone", to: "car.conf")
        try folders.write("untagged = none", to: "config/audio-session/policy.conf")
        try folders.write("broken = {", to: "etc/audio-session/policy.conf.d/broken.conf")
        let loaded = folders.load("{ policy = \"\(path)\" }")
        #expect(loaded.policy == .phone)
        #expect(loaded.origin == path)
        #expect(loaded.diagnostics == [])
        // A preset in the arguments is the stronger one.
        let desktop = folders.load("{ policy = \"\(path)\" preset = desktop }")
        #expect(desktop.policy == .desktop)
        #expect(desktop.origin == path)
    }

    @Test("sections in the arguments override what they are laid over")
    func sectionsInArgumentsOverrideWhatTheyAreLaid() throws {
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
        #expect(untagged(folders.load("{ policy = phone untagged = none }").policy) == nil)
    }

    @Test(
        "arguments that name nothing are an error",
        arguments: [
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
                "1:12: error: found an array, expected the absolute path of a policy file or a preset: desktop or phone"
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
    func argumentsThatNameNothingAreError(arguments: String, message: String) {
        let loaded = folders.load(arguments)
        #expect(loaded.policy == .desktop)
        #expect(loaded.hasErrors)
        #expect(loaded.diagnostics.first?.description == "<module arguments>:\(message)")
    }

    @Test("a pipe in place of a file does not hold up the server") func pipeInPlaceOfFileDoesNotHoldUpServer() throws {
        let path = try folders.write("", to: "pipe")
        try FileManager.default.removeItem(atPath: path)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(
            PolicyFile(path: path).diagnostics.map(\.description) == [
                "\(path): error: found no regular file, expected a file"
            ])
    }

    @Test("a file that is too large is not read") func fileThatIsTooLargeIsNotRead() throws {
        let path = try folders.write(String(repeating: " ", count: PolicyFile.maximumSize + 1), to: "large.conf")
        #expect(
            PolicyFile(path: path).diagnostics.map(\.description)
                == ["\(path): error: found 1048577 bytes, expected at most 1048576"])
        try folders.write(String(repeating: " ", count: PolicyFile.maximumSize), to: "large.conf")
        #expect(PolicyFile(path: path).policy == .desktop)
    }
}
