import Foundation
import Glibc
import Testing

@testable import DesktopServices
@testable import PolicyRuntime

/// Where the kernel says that a program runs. What it does not say counts as a sandbox.
@Suite struct ConfinementTests {
    /// A proc file system on paper, in which process 7 has mounts of its own.
    private final class Paper {
        let folder = FileManager.default.temporaryDirectory.path + "/proc-\(UUID().uuidString)"
        private let files = FileManager.default

        init() throws {
            for name in ["self/ns", "self/root", "7/ns", "7/root"] {
                try files.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
            }
            try link("mnt:[1]", "self/ns/mnt")
            try link("user:[1]", "self/ns/user")
            try link("mnt:[2]", "7/ns/mnt")
            try link("user:[1]", "7/ns/user")
            try write("0::/user.slice\n", "7/cgroup")
            try write(mount("tmpfs"), "7/mountinfo")
        }

        deinit { try? files.removeItem(atPath: folder) }

        func link(_ target: String, _ path: String) throws {
            try? files.removeItem(atPath: "\(folder)/\(path)")
            try files.createSymbolicLink(atPath: "\(folder)/\(path)", withDestinationPath: target)
        }

        func write(_ text: String, _ path: String) throws {
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(path)"))
        }

        func remove(_ path: String) throws { try files.removeItem(atPath: "\(folder)/\(path)") }

        func makePipe(_ path: String) { #expect(mkfifo("\(folder)/\(path)", 0o600) == 0) }

        /// The line of the mount on which the folder really is, with another kind of file system.
        func mount(_ kind: String) throws -> String {
            let file = open(folder, O_RDONLY)
            defer { close(file) }
            let facts = try String(contentsOfFile: "/proc/self/fdinfo/\(file)", encoding: .utf8)
            let line = try #require(facts.split(separator: "\n").first { $0.hasPrefix("mnt_id:") })
            return "\(line.dropFirst(7).drop { $0.isWhitespace }) 1 0:1 / / rw - \(kind) x rw\n"
        }

        var confinement: Confinement { LinuxProcessTree(root: folder).confinement(of: 7) }
    }

    private static let description = "[Application]\nname=org.example.Game\n[Instance]\ninstance-id=7\n"
    private static let game = Confinement.sandbox(AppSandbox("org.example.Game", instance: "7"))

    @Test("who sees our files is outside, and so is who has others without having given itself the right to")
    func outside() throws {
        let paper = try Paper()
        // A service has mounts of its own and our root, a container another root.
        #expect(paper.confinement == .unknown)
        try paper.link("../self/root", "7/root")
        #expect(paper.confinement == .unconfined)
        try paper.link("mnt:[1]", "7/ns/mnt")
        #expect(paper.confinement == .unconfined)
        #expect(LinuxProcessTree().confinement(of: UInt32(getpid())) == .unconfined)
    }

    @Test("Flatpak describes the sandbox") func described() throws {
        let paper = try Paper()
        try paper.write(Self.description, "7/root/.flatpak-info")
        #expect(paper.confinement == Self.game)
        // A description that comes late in the list of mounts, and one that is longer than a page, are read all the same.
        let others = (1...2000).map { "9\($0) 1 0:2 / /m/\($0) rw - tmpfs x rw\n" }.joined()
        try paper.write(others + (try paper.mount("ext4")), "7/mountinfo")
        try paper.write("#" + String(repeating: "x", count: 20_000) + "\n" + Self.description, "7/root/.flatpak-info")
        #expect(paper.confinement == Self.game)
    }

    @Test("the control group names the sandbox") func named() throws {
        let paper = try Paper()
        try paper.write("0::/app.slice/app-flatpak-org.example.Game-17.scope\n", "7/cgroup")
        #expect(paper.confinement == .sandbox(AppSandbox("org.example.Game")))
        try paper.link("mnt:[1]", "7/ns/mnt")
        #expect(paper.confinement == .sandbox(AppSandbox("org.example.Game")))
    }

    @Test("who describes itself as another sandbox than its control group says stays in that one") func misnamed()
        throws
    {
        let paper = try Paper()
        try paper.write(Self.description, "7/root/.flatpak-info")
        try paper.write("0::/app.slice/app-flatpak-org.example.Game-17.scope\n", "7/cgroup")
        #expect(paper.confinement == Self.game)
        try paper.write("0::/app.slice/app-flatpak-org.evil.Game-17.scope\n", "7/cgroup")
        #expect(paper.confinement == .sandbox(AppSandbox("org.evil.Game")))
        try paper.write("0::/app.slice/snap.evil.game.scope\n", "7/cgroup")
        #expect(paper.confinement == .sandbox(AppSandbox("evil")))
    }

    @Test("the memory of a confined program is not read for its name, and a proxy outside speaks for nobody known")
    func names() throws {
        let paper = try Paper()
        try paper.write("7 (player) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 99 0 0\n", "7/stat")
        try paper.write("player\n", "7/comm")
        try paper.write("a-name-of-its-own\0", "7/cmdline")
        let tree = LinuxProcessTree(root: paper.folder)
        #expect(tree.program(of: 7)?.name == "player")
        try paper.link("mnt:[1]", "7/ns/mnt")
        #expect(tree.program(of: 7)?.name == "a-name-of-its-own")
        try paper.link("/usr/bin/xdg-dbus-proxy", "7/exe")
        #expect(tree.program(of: 7)?.confinement == .unknown)
    }

    @Test(
        "what has ended, hides itself or cannot be read is unknown",
        arguments: ["7/ns/mnt", "7/ns/user", "7/cgroup", "7/mountinfo", "7/root"])
    func unreadable(path: String) throws {
        let paper = try Paper()
        try paper.remove(path)
        #expect(paper.confinement == .unknown)
    }

    @Test("a zombie is unknown") func zombie() throws {
        var process: pid_t = 0
        var name: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(name[0]) }
        #expect(posix_spawnp(&process, "true", nil, nil, &name, environ) == 0)
        var facts = siginfo_t()
        #expect(waitid(P_PID, id_t(process), &facts, WEXITED | WNOWAIT) == 0)
        #expect(LinuxProcessTree().confinement(of: UInt32(process)) == .unknown)
        #expect(LinuxProcessTree().program(of: UInt32(process))?.confinement == .unknown)
        waitpid(process, nil, 0)
    }

    @Test("files of one's own in a user namespace of one's own, without a description, are unknown") func selfMade()
        throws
    {
        let paper = try Paper()
        try paper.link("user:[2]", "7/ns/user")
        #expect(paper.confinement == .unknown)
        try paper.write(Self.description, "7/root/.flatpak-info")
        #expect(paper.confinement == Self.game)
        // Our root makes it no better: what else is there may be its own.
        try paper.link("../self/root", "7/root")
        #expect(paper.confinement == .unknown)
    }

    @Test(
        "what the process itself may serve is not opened",
        arguments: ["fuse.slow", "nfs4", "overlay", "9p", "virtiofs"])
    func servedByItself(kind: String) throws {
        let paper = try Paper()
        try paper.write(try paper.mount(kind), "7/mountinfo")
        try paper.write(Self.description, "7/root/.flatpak-info")
        #expect(paper.confinement == .unknown)
    }

    @Test("a description that is cut off, empty of a name, a pipe or a link is unknown") func misleading() throws {
        let paper = try Paper()
        for text in [
            "", "[Application]\n", "[Runtime]\nname=org.example.Game\n",
            Self.description + String(repeating: "x", count: 1 << 17),
        ] {
            try paper.write(text, "7/root/.flatpak-info")
            #expect(paper.confinement == .unknown)
        }
        try paper.write(Self.description, "7/root/other")
        try paper.link("other", "7/root/.flatpak-info")
        #expect(paper.confinement == .unknown)
        try paper.remove("7/root/.flatpak-info")
        paper.makePipe("7/root/.flatpak-info")
        #expect(paper.confinement == .unknown)
    }

    @Test("a list of mounts that does not end is cut off, and tells nothing") func endlessMounts() throws {
        let paper = try Paper()
        let line = "9 1 0:2 / /m rw - tmpfs x rw\n"
        try paper.write(
            try paper.mount("tmpfs") + String(repeating: line, count: (1 << 20) / line.utf8.count + 1), "7/mountinfo")
        #expect(paper.confinement == .unknown)
    }
}
