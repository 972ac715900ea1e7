import Foundation
import Glibc
import Testing

@testable import DesktopServices
@testable import PolicyRuntime

/// What the kernel says of a program, and which application it is part of (N18).
@Suite struct ProgramTests {
    /// Processes on paper.
    private struct PaperTree: ProcessTree {
        struct Entry {
            var parent: UInt32
            var executable: String?
            var start: UInt64 = 1
            var unit: String?
            var sandbox: AppSandbox?
        }

        var entries: [UInt32: Entry] = [:]

        func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? {
            entries[process].map { ($0.parent, $0.start) }
        }
        func confinement(of process: UInt32) -> Confinement {
            entries[process]?.sandbox.map { .sandbox($0) } ?? .unconfined
        }
        func executable(of process: UInt32) -> String? { entries[process]?.executable }
        func unit(of process: UInt32) -> String? { entries[process]?.unit }
    }

    /// A terminal with two players and a browser of several processes, of which one has lost its parent.
    private let tree = PaperTree(entries: [
        1: .init(parent: 0, executable: "/usr/lib/systemd"), 10: .init(parent: 1, executable: "/usr/bin/terminal"),
        11: .init(parent: 10, executable: "/bin/bash"), 20: .init(parent: 11, executable: "/usr/bin/pacat"),
        21: .init(parent: 11, executable: "/usr/bin/pacat"),
        30: .init(parent: 11, executable: "/usr/lib/browser"), 31: .init(parent: 30, executable: "/usr/lib/browser"),
        32: .init(parent: 31, executable: "/usr/lib/browser"), 33: .init(parent: 31, executable: "/usr/lib/helper"),
        34: .init(parent: 33, executable: "/usr/lib/browser"),
    ])

    private func key(_ process: UInt32, _ tree: PaperTree) throws -> String {
        try #require(tree.program(of: process)).applicationKey
    }

    @Test("N18 two players from one terminal are two applications, a browser is one")
    func twoPlayersFromOneTerminalAreTwoApplications() throws {
        #expect(try key(20, tree) != key(21, tree))
        #expect(try Set([30, 31, 32, 34].map { try key($0, tree) }).count == 1)
        #expect(try key(33, tree) != key(30, tree))
        #expect(try key(11, tree) != key(30, tree))
        #expect(tree.program(of: 99) == nil)
        #expect(tree.program(of: 34)?.lineage.map(\.number) == [34, 33, 31, 30, 11, 10])
        #expect(tree.program(of: 34)?.executable == "browser")
    }

    @Test("a number that another process has later is another program") func numberThatAnotherProcessHasLaterIsAnother()
        throws
    {
        var later = tree
        later.entries[20]?.start = 2
        #expect(try key(20, tree) != key(20, later))
        #expect(tree.program(of: 20)?.process != later.program(of: 20)?.process)
    }

    @Test("N18 what the kernel does not tell joins nobody") func whatKernelDoesNotTellJoinsNobody() throws {
        var unreadable = tree
        unreadable.entries[31]?.executable = nil
        unreadable.entries[30]?.executable = nil
        #expect(try key(31, unreadable) != key(30, unreadable))
    }

    @Test("a process that is its own ancestor is looked at to a limit")
    func processThatIsItsOwnAncestorIsLookedAtToLimit() {
        let loop = PaperTree(entries: [5: .init(parent: 6, executable: "/a"), 6: .init(parent: 5, executable: "/a")])
        #expect(loop.program(of: 5)?.lineage.count == Program.deepest)
    }

    @Test("N18 the desktop's unit comes before the process, and the sandbox before both")
    func desktopsUnitComesBeforeProcessAndSandbox() throws {
        var desktop = tree
        desktop.entries[20]?.unit = "app-player-1.scope"
        desktop.entries[21]?.unit = "app-player-1.scope"
        #expect(try key(20, desktop) == key(21, desktop))
        desktop.entries[20]?.sandbox = AppSandbox("org.example.Player", instance: "1")
        #expect(try key(20, desktop) != key(21, desktop))
        desktop.entries[21]?.sandbox = AppSandbox("org.example.Player", instance: "2")
        #expect(try key(20, desktop) != key(21, desktop))
        desktop.entries[21]?.sandbox = AppSandbox("org.example.Player", instance: "1")
        #expect(try key(20, desktop) == key(21, desktop))
    }

    // MARK: - Texts of the kernel

    private static let rest = " -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 1"

    // Not within the attribute: Swift 6.0 ends when it reads an interpolation there.
    private static let lines: [(String, LinuxProcessTree.Status?)] = [
        ("77 (mpv) S 42 77 77 34816\(rest)", LinuxProcessTree.Status(parent: 42, hasTerminal: true, start: 4711)),
        ("77 (Web Content) S 42 77 77 0\(rest)", .init(parent: 42, hasTerminal: false, start: 4711)),
        ("77 (a) R 1 (b) c)) S 42 77 77 0\(rest)", .init(parent: 42, hasTerminal: false, start: 4711)),
        (
            "77 (mpv) R 42 77 77 0\(rest.replacing("4194304", with: "4194308"))",
            .init(parent: 42, hasTerminal: false, start: 4711, isEnding: true)
        ),
        ("77 (mpv) S 42 77 77 0", nil), ("77 (mpv", nil), ("", nil), (")", nil),
        ("77 (mpv) S -1 77 77 0\(rest)", nil), ("77 (mpv) S 99999999999 77 77 0\(rest)", nil),
    ]

    @Test("the line of a process is read behind its name", arguments: lines)
    func lineOfProcessIsReadBehindItsName(line: String, status: LinuxProcessTree.Status?) {
        #expect(LinuxProcessTree.status(Array(line.utf8)) == status)
    }

    @Test(
        "people are shown the name by which a program was started",
        arguments: [
            (["paplay", "sound.wav"], "paplay\n", "paplay"), (["/usr/bin/paplay"], "paplay\n", "paplay"),
            (
                ["/usr/bin/python3", "/usr/bin/rhythmbox-script-of-mine"], "rhythmbox-scrip\n",
                "rhythmbox-script-of-mine"
            ),
            (["/opt/chromium/chromium --type=zygote"], "chromium\n", "chromium"),
            (["C:\\Games\\game.exe"], "game.exe\n", "game.exe"), (["firefox"], "GeckoMain\n", "firefox"),
            ([], "kworker\n", "kworker"), (["", ""], "", nil), ([], "", nil), (["a b/c d"], "c d\n", "c d"),
        ] as [([String], String, String?)])
    func peopleAreShownNameByWhichProgramWasStarted(
        arguments: [String], command: String, name: String?
    ) {
        #expect(LinuxProcessTree.name(command: command, arguments: arguments) == name)
    }

    @Test(
        "the desktop's unit is the innermost one of an application",
        arguments: [
            ("0::/user.slice/user@1000.service/app.slice/app-gnome-firefox-1.scope", "app-gnome-firefox-1.scope"),
            ("0::/app.slice/app-org.kde.dolphin@1.service/inner\n", "app-org.kde.dolphin@1.service"),
            ("0::/app.slice/snap.vlc.vlc-7.scope", "snap.vlc.vlc-7.scope"), ("0::/app.slice/vte-spawn-1.scope", nil),
            ("12:cpu:/\n0::/app.slice/app-a-1.scope", "app-a-1.scope"), ("0::/app-x", nil), ("", nil), ("0::/", nil),
        ] as [(String, String?)])
    func desktopsUnitIsInnermostOneOfApplication(groups: String, unit: String?) {
        #expect(LinuxProcessTree.unit(inGroups: Array(groups.utf8)) == unit)
    }

    @Test(
        "a unit's name has the application's desktop file in it",
        arguments: [
            ("app-gnome-org.gnome.Rhythmbox3-4711.scope", "org.gnome.Rhythmbox3"),
            ("app-firefox-4711.scope", "firefox"), ("app-gnome-my\\x2dplayer-4711.scope", "my-player"),
            ("app-KDE-org.kde.elisa@0f1e.service", "org.kde.elisa"), ("app-org.kde.elisa.service", "org.kde.elisa"),
            ("app-flatpak-org.videolan.VLC-17.scope", "org.videolan.VLC"),
            ("app-4711.scope", nil), ("app-a-b-c-d.scope", nil), ("app-gnome--4711.scope", nil), ("app.slice", nil),
            ("snap.spotify.spotify-4711.scope", nil), ("", nil), (".scope", nil), ("app-.service", nil),
        ])
    func unitsNameHasApplicationsDesktopFileInIt(unit: String, entry: String?) {
        #expect(UnitName.desktopEntry(of: unit) == entry)
    }

    @Test(
        "a file in a sandbox is looked at only where that cannot take long",
        arguments: [
            ("64 42 0:39 /newroot / rw,nosuid - tmpfs tmpfs rw", true),
            ("64 42 0:39 / / rw shared:1 master:2 - ext4 /dev/vda1 rw", true),
            ("64 42 0:39 / / rw - fuse.fuse-overlayfs fuse-overlayfs rw", false),
            ("64 42 0:39 / / rw - tmpfs tmpfs rw\n75 64 0:40 / /.flatpak-info ro - fuse slow rw", false),
            ("64 42 0:39 / / rw - fuse slow rw\n75 64 254:0 /tmp/x /.flatpak-info ro - ext4 /dev/vda rw", true),
            ("75 64 254:0 /tmp/x /.flatpak-info ro - ext4 /dev/vda rw\n64 42 0:39 / / rw - nfs4 server:/ rw", true),
            ("64 42 0:39 / / rw - tmpfs tmpfs rw\n64 42 0:39 / / rw - nfs4 server:/ rw", false),
            ("64 42 0:39 / / rw - tmpfs tmpfs rw\n65 64 0:41 / /home rw - nfs4 server:/home rw", true),
            ("", false), ("64 42 0:39 / / rw - ", false), ("64 42 0:39 /", false),
        ])
    func fileInSandboxIsLookedAtOnlyWhereThatCannot(mounts: String, isQuick: Bool) {
        #expect(LinuxProcessTree.answersAtOnce("/.flatpak-info", Array(mounts.utf8)) == isQuick)
    }

    @Test("what Flatpak says of a sandbox is read") func whatFlatpakSaysOfSandboxIsRead() {
        let text = """
            [Application]
            name=org.example.Player
            runtime=runtime/org.example.Platform/x86_64/1
            [Instance]
            instance-id=4711
            name=not this one
            [Context]
            shared=network;ipc;
            sockets=x11;wayland;pulseaudio;
            """
        let sandbox = LinuxProcessTree.sandbox(inFlatpak: Array(text.utf8))
        #expect(sandbox == AppSandbox("org.example.Player", instance: "4711", mayRecord: true))
        let silent = text.replacingOccurrences(of: "pulseaudio;", with: "")
        #expect(LinuxProcessTree.sandbox(inFlatpak: Array(silent.utf8))?.mayRecord == false)
        #expect(LinuxProcessTree.sandbox(inFlatpak: Array("name=a".utf8)) == nil)
        #expect(LinuxProcessTree.sandbox(inFlatpak: [0xff, 0x3d, 0x0a, 0x5b]) == nil)
    }

    @Test("a process that runs is known as it is") func processThatRunsIsKnownAsItIs() throws {
        let program = try #require(LinuxProcessTree().program(of: UInt32(getpid())))
        #expect(program.process.number == UInt32(getpid()))
        #expect(program.lineage.dropFirst().first?.number == UInt32(getppid()) || getppid() <= 1)
        #expect(program.executable?.hasSuffix(".xctest") == true)
    }
}
