import Glibc
import Testing

@testable import DesktopServices
@testable import PolicyRuntime

/// Which player a stream belongs to.
@Suite struct PlayerMatchTests {
    /// Processes on paper: the parent and the sandbox of each.
    private struct PaperTree: ProcessTree {
        var parents: [UInt32: UInt32] = [:]
        var sandboxes: [UInt32: String] = [:]
        var programs: [UInt32: String] = [:]
        func executable(of process: UInt32) -> String? { programs[process] }
        func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? { parents[process].map { ($0, 0) } }
        func confinement(of process: UInt32) -> Confinement {
            sandboxes[process].map { .sandbox(AppSandbox($0)) } ?? .unconfined
        }
    }
    /// 1 has 10 (the user's services) with 100 (a desktop) below, which has 200 (a browser) with 210, 211 and 220 below
    /// 211, and 300 (a player).
    private let tree = PaperTree(
        parents: [10: 1, 100: 10, 200: 100, 210: 200, 211: 200, 220: 211, 300: 100], sandboxes: [400: "org.test.Video"])

    private func player(
        _ process: UInt32?, _ status: PlaybackStatus? = .playing, sandbox: String? = nil, names: [String] = ["player"]
    ) -> Player {
        Player(owner: ":1.1", names: names, process: process, sandbox: sandbox, status: status)
    }

    @Test(
        "N15 by process",
        arguments: [
            (200, 200, 0), (220, 200, 1), (210, 200, 1), (200, 220, 3), (300, 200, nil), (210, 211, nil),
            (220, 210, nil),
            (300, 1, nil), (1, 300, nil), (0, 0, nil), (999, 200, nil), (200, 999, nil),
        ] as [(UInt32, UInt32, Int?)])
    func byProcess(stream: UInt32, process: UInt32, relation: Int?) {
        let nearness = player(process).nearness(to: stream, sandbox: nil, in: tree)
        #expect(nearness?.relation == relation)
    }

    @Test(
        "N15 by sandbox",
        arguments: [
            // The stream's sandbox, the player's, the player's name, whether they belong together.
            ("org.test.Video", "org.test.Video", "video", true), ("org.test.Video", "org.test.Other", "video", false),
            ("org.test.Video", nil, "org.test.Video", true), ("org.test.Video", nil, "org.test.Video.instance7", true),
            ("org.test.Video", nil, "org.test.Videos", false), ("org.test.Video", nil, "video", false),
            ("org.test.Video", "org.test.Other", "org.test.Video", false), (nil, "org.test.Video", "video", false),
        ] as [(String?, String?, String, Bool)])
    func bySandbox(stream: String?, sandbox: String?, name: String, isIts: Bool) {
        // The numbers of processes in a sandbox mean nothing outside, so even the same one does not help.
        let nearness = player(200, sandbox: sandbox, names: ["other", name])
            .nearness(to: 200, sandbox: stream, in: tree)
        #expect((nearness != nil) == isIts)
    }

    @Test(
        "N15 a program outside of sandboxes speaks for another one, by whose name it is called",
        arguments: [
            // The names of the player, its process, that of the stream, and whether it speaks for it.
            (["mpd"], 100, 300, true), (["mpd.instance7"], 100, 300, true), (["mpdx"], 100, 300, false),
            (["mpd"], 211, 300, false), (["mpd"], 400, 300, false), (["mpd"], 100, 400, false),
            (["mpd"], 100, 210, false), (["mpd"], nil, 300, false),
        ] as [([String], UInt32?, UInt32, Bool)])
    func bridge(names: [String], process: UInt32?, stream: UInt32, isIts: Bool) {
        var tree = tree
        tree.programs = [100: "/usr/bin/python3", 211: "/usr/bin/mpd", 300: "/usr/bin/mpd", 400: "/usr/bin/mpd"]
        #expect(player(process, names: names).speaks(for: stream, in: tree) == isIts)
    }

    @Test("N15 of several, the playing one, then the nearest")
    func order() throws {
        func nearness(_ process: UInt32, _ status: PlaybackStatus?) throws -> Player.Nearness {
            try #require(player(process, status).nearness(to: 211, sandbox: nil, in: tree))
        }
        #expect(try nearness(200, .playing) < nearness(211, .paused))
        #expect(try nearness(211, .playing) < nearness(200, .playing))
        #expect(try nearness(200, .playing) < nearness(220, .playing))
        #expect(try nearness(200, .playing) < nearness(100, .playing))
        #expect(try nearness(200, .playing) < nearness(200, nil))
    }

    @Test func aCircleOfProcessesEnds() {
        let circle = PaperTree(parents: [2: 3, 3: 2])
        #expect(circle.distance(from: 2, up: 4) == nil)
        #expect(circle.distance(from: 2, up: 3) == 1)
        let chain = PaperTree(parents: .init(uniqueKeysWithValues: (2..<100).map { (UInt32($0 + 1), UInt32($0)) }))
        #expect(chain.distance(from: 40, up: 9) == 31)
        #expect(chain.distance(from: 40, up: 8) == nil)
    }

    @Test(
        "the sandbox in /proc/PID/cgroup",
        arguments: [
            (
                "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.videolan.VLC-2873.scope",
                "org.videolan.VLC"
            ),
            ("0::/app.slice/app-flatpak-org.test.my\\x2dplayer-7.scope/inner\n", "org.test.my-player"),
            ("0::/app.slice/snap.spotify.spotify-7e31.scope", "spotify"), ("0::/snap.vlc.service", "vlc"),
            ("12:cpu:/\n1:name=systemd:/app-flatpak-org.a.B-1.scope\n0::/", "org.a.B"),
            ("0::/user.slice/app-gnome-firefox-1.scope", nil), ("0::/", nil), ("", nil),
            ("0::/app-flatpak-7.scope", nil), ("0::/app-flatpak-.scope", nil), ("0::/snap.", nil),
            ("0::/app-flatpak-\\x2-1.scope", "\\x2"), ("0::/app-flatpak-\\xzz-1.scope", "\\xzz"),
        ] as [(String, String?)])
    func sandbox(groups: String, sandbox: String?) {
        #expect(LinuxProcessTree.sandbox(inGroups: Array(groups.utf8)) == sandbox)
    }

    @Test("this process has a parent, and no process has none")
    func reality() {
        let tree = LinuxProcessTree()
        #expect(tree.birth(of: UInt32(getpid()))?.parent == UInt32(getppid()))
        #expect(tree.birth(of: .max) == nil)
        #expect(tree.confinement(of: .max) == .unknown)
        #expect(tree.distance(from: UInt32(getpid()), up: UInt32(getpid())) == 0)
    }
}
