import Foundation
import TestKit
import Testing

@Suite("Debian packages", .enabled(if: (try? Sandbox().locate("dpkg-deb")) != nil))
struct DebianTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private static let names = [
        "libpipewire-0.3-modules-audio-session", "pulseaudio-module-audio-session", "audio-session", "libaudiosession1",
        "libaudiosession-dev",
    ]

    /// The kind, mode and path of each file in a folder that is no folder itself.
    private func files(in folder: String, _ conditions: String...) async throws -> Set<String> {
        let command = ["find", ".", "!", "-type", "d"] + conditions + ["-printf", "%y %m %P\\n"]
        return Set(lines(try await sandbox.output(of: command, in: folder)))
    }

    /// Tests/Install/packages shows the rest as root: that they are the same bytes wherever they are built, and what becomes
    /// of a Debian that installs and removes them.
    @Test("They contain what install/install installs, and lintian finds nothing")
    func contents() async throws {
        let made = sandbox.path("made")
        let unpacked = sandbox.path("unpacked")
        let control = sandbox.path("control")
        let debug = sandbox.path("debug")
        let installed = sandbox.path("installed")
        // Packing them well would take as long as everything else.
        var environment = ["DPKG_DEB_COMPRESSOR_LEVEL": "0"]
        // The same flags as for what is built already, or everything would be built anew.
        for name in ["AUDIO_SESSION_BUILD_FLAGS", "AUDIO_SESSION_ARGUMENT_PARSER", "AUDIO_SESSION_DEPENDENCIES"] {
            environment[name] = ProcessInfo.processInfo.environment[name]
        }
        try await sandbox.output(of: ["install/package", made], environment: environment)
        let packages = try FileManager.default.contentsOfDirectory(atPath: made).map { "\(made)/\($0)" }
        for package in packages.sorted() where package.contains("-dbgsym_") {
            try await sandbox.output(of: ["dpkg-deb", "--extract", package, debug])
        }
        for name in Self.names {
            let package = try #require(
                packages.first { $0.hasPrefix("\(made)/\(name)_") }, "there is no package \(name)")
            try await sandbox.output(of: ["dpkg-deb", "--extract", package, unpacked])
            try await sandbox.output(of: ["mkdir", "-p", "\(control)/\(name)"])
            try await sandbox.output(of: ["dpkg-deb", "--control", package, "\(control)/\(name)"])
            for file in ["copyright", "changelog.Debian.gz"] {
                #expect(access("\(unpacked)/usr/share/doc/\(name)/\(file)", F_OK) == 0, "\(name) has no \(file)")
            }
        }
        for package in packages {
            let listed = lines(try await sandbox.output(of: ["dpkg-deb", "--contents", package]))
            #expect(listed.filter { !$0.contains(" root/root ") } == [])
        }

        // Manual pages are compressed, and the packages' own documents are added.
        let project = try await sandbox.copyOfProject()
        try await sandbox.output(of: ["\(project)/install/install"], environment: ["DESTDIR": installed])
        let found = try await files(
            in: unpacked, "!", "-path", "./usr/share/doc/*", "!", "-path", "./usr/share/lintian/*")
        let withoutEnding = found.map { $0.contains("/man/") && $0.hasSuffix(".gz") ? String($0.dropLast(3)) : $0 }
        #expect(try await Set(withoutEnding) == files(in: installed))
        let listed = Self.names.flatMap {
            lines((try? String(contentsOfFile: "\(control)/\($0)/conffiles", encoding: .utf8)) ?? "")
        }
        let configuration = try await files(in: "\(unpacked)/etc").map { "/etc/\($0.split(separator: " ")[2])" }
        #expect(listed.sorted() == configuration.sorted())
        let scripts = try FileManager.default.subpathsOfDirectory(atPath: control).filter {
            $0.contains("/") && !["control", "md5sums", "conffiles"].contains(($0 as NSString).lastPathComponent)
        }
        // None that runs a program when a package is installed or removed.
        #expect(scripts.sorted() == ["shlibs", "symbols", "triggers"].map { "libaudiosession1/\($0)" })

        let changes = try Project.text("install/CHANGELOG.md")
        if let newest = changes.firstMatch(of: /## \[Unreleased\]\n+(?:[^#\n].*\n+)*?- (\S+ \S+ \S+ \S+)/)?.1 {
            let list = "\(unpacked)/usr/share/doc/audio-session/changelog.Debian.gz"
            let said = try await sandbox.output(of: ["zcat", list])
            #expect(said.contains("  * \(newest.replacingOccurrences(of: "*", with: ""))"))
        }
        // The module is for one release of the daemon: that one, or a later package of it.
        let modules = try await sandbox.variable("modlibexecdir", of: "libpulse")
        let release = try #require(modules.firstMatch(of: /\/pulse-([^\/]+)\//)?.1)
        let needed = try String(contentsOfFile: "\(control)/\(Self.names[1])/control", encoding: .utf8)
        for version in [">= \(release)", "<< \(release).~"] {
            // Where the package's version has an epoch, it stands before the release.
            let range = needed.replacing(/\ [0-9]+:/, with: " ").range(of: "pulseaudio (\(version))")
            #expect(range != nil, "\(needed)")
        }

        for binary in Binary.allCases {
            let programs = found.filter { $0.hasSuffix("/\(binary.name)") && !$0.contains("completions") }
                .map { "\(unpacked)/\($0.split(separator: " ")[2])" }
            try await debuggable(try #require(programs.first), as: binary, debug: debug)
        }
        let lint = try await sandbox.output(of: ["lintian", "--allow-root"] + packages)
        #expect(lint == "")
    }

    /// What is packaged is what was built, and debuggers find names of functions and lines of the sources, without the folder
    /// in which they were built.
    private func debuggable(_ program: String, as binary: Binary, debug: String) async throws {
        func readelf(_ options: String..., of file: String) async throws -> String {
            try await sandbox.output(of: ["readelf", "-W"] + options + [file])
        }
        let notes = try await readelf("-n", of: program)
        let id = try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)?.1, "\(binary.name)")
        #expect(try await readelf("-n", of: binary.path).contains(id), "\(binary.name) was built anew")
        #expect(try await !readelf("-S", of: program).contains(/\.symtab|\.debug/))
        let symbols = "\(debug)/usr/lib/debug/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
        let sections = try await readelf("-S", of: symbols)
        #expect(sections.contains(".debug_info") && sections.contains(".debug_line"))
        #expect(try await sandbox.output(of: ["readelf", "-sW", symbols]).contains(" FUNC "))
        let dumps = ["--string-dump=.debug_str", "--string-dump=.debug_line_str"]
        let strings = try await readelf("--decompress", dumps[0], dumps[1], of: symbols)
        #expect(strings.contains("Sources/"))
        #expect(!strings.contains(Project.folder))
        #expect(try Data(contentsOf: URL(fileURLWithPath: program)).range(of: Data(Project.folder.utf8)) == nil)
    }
}
