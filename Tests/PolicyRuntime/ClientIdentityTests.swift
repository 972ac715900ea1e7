import Testing

@testable import PolicyRuntime

/// What people are shown of who is behind a stream (N18).
@Suite struct ClientIdentityTests {
    /// One process, perhaps of an application that the desktop has started.
    struct OneProcess: ProcessTree {
        var unit: String?
        var sandbox: AppSandbox?
        var titles: [String: String] = [:]
        func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? { (1, 1) }
        func confinement(of process: UInt32) -> Confinement { sandbox.map { .sandbox($0) } ?? .unconfined }
        func executable(of process: UInt32) -> String? { "/usr/lib/player/player-bin" }
        func name(of process: UInt32) -> String? { "player" }
        func unit(of process: UInt32) -> String? { unit }
        func title(ofDesktopEntry entry: String) -> String? { titles[entry] }
    }

    private func identity(_ tree: OneProcess) -> ClientIdentity {
        ClientIdentity(
            program: tree.program(of: 20), sandbox: nil, binary: "says", displayName: "Says", fallback: "stream",
            connection: "1")
    }

    @Test("the name of the desktop file is shown, and all others are known")
    func nameOfDesktopFileIsShownAndAllOthersAreKnown() {
        let unit = "app-gnome-org.example.Player-4711.scope"
        let tree = OneProcess(unit: unit, titles: ["org.example.Player": "Player of Music"])
        #expect(identity(tree).application.name == "Player of Music")
        #expect(
            identity(tree).names
                == ["player", "player-bin", "org.example.Player", unit, "says", "Says", "stream"])
        // What tells applications apart is not what they are called.
        #expect(identity(tree).application == identity(OneProcess(unit: unit)).application)
    }

    @Test("of an application in a sandbox, too") func ofApplicationInSandboxToo() {
        let sandbox = AppSandbox("org.example.Player")
        let tree = OneProcess(sandbox: sandbox, titles: ["org.example.Player": "Player of Music"])
        #expect(identity(tree).application.name == "Player of Music")
        #expect(identity(tree).names.contains("org.example.Player"))
        #expect(identity(OneProcess(sandbox: sandbox)).application.name == "org.example.Player")
    }

    /// A sandbox's portal says whose sandbox it is, while the kernel sees the process through which it speaks.
    @Test("N18 the process through which a sandbox speaks is not the application")
    func processThroughWhichSandboxSpeaks() {
        let sandbox = AppSandbox("org.example.Player", instance: "7")
        let proxy = OneProcess(unit: "app-gnome-org.example.Proxy-4711.scope")
        let identity = ClientIdentity(
            program: proxy.program(of: 20), sandbox: sandbox, binary: nil, displayName: nil, fallback: "stream",
            connection: "1")
        #expect(identity.program == nil && identity.sandbox == sandbox)
        #expect(identity.application.name == "org.example.Player")
        #expect(identity.names == ["stream"])
        #expect(!identity.isUnconfined)
    }

    @Test("a name forges no line of the log") func nameForgesNoLine() {
        let identity = ClientIdentity(
            program: nil, sandbox: nil, binary: nil, displayName: "mpv\n[I] forged\u{1B}[31m", fallback: "stream",
            connection: "1")
        #expect(identity.application.name == "mpv\u{FFFD}[I] forged\u{FFFD}[31m")
    }

    @Test(
        "without a desktop file, the name that it gives itself is shown, or else the one by which it was started",
        arguments: [
            ("Says", "Says"), ("", "player"), (nil, "player"), ("PipeWire ALSA [player]", "player"),
            ("ALSA plug-in [player]", "player"),
        ])
    func withoutDesktopFile(says: String?, name: String) {
        for titles in [[:], ["player": "Player of Music"]] {
            let identity = ClientIdentity(
                program: OneProcess(titles: titles).program(of: 20), sandbox: nil, binary: "binary", displayName: says,
                fallback: "stream", connection: "1")
            #expect(identity.application.name == name)
            #expect(identity.names.union([name]).isSuperset(of: ["player", "player-bin", "binary"]))
        }
    }
}
