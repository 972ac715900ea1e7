import Foundation
import TestKit
import Testing

/// `Sources/CAudioSession`: what is built, and the tests in `Tests/AudioSessionC`, each with a bus, a service, a home and a
/// runtime folder of its own (`stage.py`).
@Suite("The library for C")
struct CLibraryTests {
    /// The names of the tests in C.
    static let tests = ((try? Project.text("Tests/AudioSessionC/testing.h")) ?? "").matches(
        of: /\n {4}TEST\((\w+)\)/
    ).map { String($0.1) }
    /// The compilers that are there, each with a version of its language.
    static let compilers = [("gcc", "c11"), ("gcc", "c17"), ("g++", "c++17"), ("g++", "c++20")].flatMap {
        name, standard in
        let other = name == "gcc" ? "clang" : "clang++"
        return [(name, standard)] + ((try? Sandbox().locate(other)) == nil ? [] : [(other, standard)])
    }

    private static let older = compilers.filter { $0.0 == "gcc" || $0.0 == "clang" }.filter { $0.1 == "c11" }.map {
        ($0.0, "c99")
    }

    static let hasClang = compilers.contains { $0.0 == "clang" }

    private static let folder = "Sources/CAudioSession"
    private static let header = "\(folder)/include/audio_session.h"
    private static let strict = ["-Wpedantic", "-I\(folder)/include"]

    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("It does what is said of it", arguments: tests)
    func test(name: String) async throws { try await run(name, .plain) }

    @Suite("The library for C, with sanitizers (only with AUDIO_SESSION_ALL)", .enabled(if: Project.runsAll))
    struct Sanitized {
        @Test("It does what is said of it", arguments: Build.sanitized, CLibraryTests.tests)
        func test(build: Build, name: String) async throws { try await CLibraryTests().run(name, build) }
    }

    // MARK: - The header

    /// Compiles a text that includes the header.
    private func compile(_ text: String, _ compiler: String, _ flags: String...) async throws {
        let file = compiler.hasSuffix("++") ? "includes.cpp" : "includes.c"
        try sandbox.write(text, to: file)
        try await sandbox.output(
            of: [compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only"] + Self.strict + flags + [sandbox.path(file)])
    }

    @Test("Its header is read without a warning", arguments: compilers)
    func header(compiler: String, standard: String) async throws {
        let text = "#include \"audio_session.h\"\nint main(void) { return AudioSessionSetActive(1) != 0; }\n"
        try await compile(text, compiler, "-std=\(standard)", "-Wconversion", "-Wshadow")
    }

    /// What sources of the phone say is read as the C of their time, too.
    @Test("The headers for sources of the phone are read without a warning", arguments: compilers + older)
    func compatible(compiler: String, standard: String) async throws {
        let folder = "\(Self.folder)/compat"
        let headers = try FileManager.default.subpathsOfDirectory(atPath: Project.path(folder)).filter {
            // Those say where another library's headers are, which may not be there.
            $0.hasSuffix(".h") && !$0.hasPrefix("OpenAL/")
        }
        #expect(headers.count == 4)
        // Each on its own, and all.
        let texts = headers.map { ["#include <\($0)>"] } + [headers.sorted().map { "#include <\($0)>" }]
        for text in texts {
            try await compile(
                text.joined(separator: "\n") + "\nint main(void) { return 0; }\n", compiler, "-std=\(standard)",
                "-I\(folder)", "-Wconversion", "-Wshadow")
        }
    }

    @Test("The texts in its header are texts of the phone's kind in those for sources of the phone")
    func compatibleTexts() throws {
        let names = try Project.text(Self.header).matches(of: /\nAUDIO_SESSION_TEXT\((\w+),/).map { String($0.1) }
        let header = try Project.text("\(Self.folder)/compat/AudioToolbox/AudioToolbox.h")
        let others = header.matches(of: /\n#define (k\w+)[ \\\n]+AUDIO_SESSION_COMPAT_TEXT\((\w+)\)/)
        #expect(others.map { String($0.1) } == names)
        #expect(others.map { String($0.2) } == names)
    }

    @Test("Its header is read after another one that has the types")
    func types() async throws {
        let text = """
            #include <stdint.h>
            typedef int32_t OSStatus; typedef uint32_t UInt32; typedef int32_t SInt32;
            typedef float Float32; typedef double Float64; typedef unsigned char Boolean;
            #define AUDIO_SESSION_NO_BASE_TYPES
            #include "audio_session.h"

            """
        try await compile(text, "cc", "-std=c11")
    }

    @Test("Each four characters in its header stand before the number that they are")
    func characters() throws {
        let header = try Project.text(Self.header)
        // No comment may run on, or it would take the next constant's number.
        let found = header.matches(of: /\/\* '(....)'(?:[^*]|\*[^\/])*\*\/\s*(k\w+) = 0x([0-9a-f]{8})\b/)
        for one in found {
            let number = one.1.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            #expect(UInt32(one.3, radix: 16) == number, "\(one.2)")
        }
        #expect(found.count == header.matches(of: /= 0x[0-9a-f]{8}\b/).count)
    }

    // MARK: - The library

    @Test("clang builds it, too", .enabled(if: hasClang))
    func clang() async throws {
        let command = ["\(Self.folder)/build", sandbox.path("clang")]
        try await sandbox.output(of: command, environment: ["CC": "clang"])
    }

    @Test("It exports the functions and constants of its header")
    func symbols() async throws {
        let symbols = lines(try await sandbox.output(of: ["nm", "-D", "--defined-only", Binary.library.path]))
        let exported = symbols.compactMap { $0.firstMatch(of: /^[0-9a-f]+ [^A] (\w+)@@AUDIOSESSION_1$/)?.1 }.map(
            String.init)
        // And the version itself.
        #expect(symbols.count == exported.count + 1)
        let declared = lines(try Project.text(Self.header)).filter { $0.hasPrefix("AUDIO_SESSION_") }
            .compactMap { $0.firstMatch(of: /\b(AudioSession[A-Za-z]+) ?\(|TEXT\((kAudioSession\w+),/) }.map {
                String($0.1 ?? $0.2 ?? "")
            }
        #expect(exported.sorted() == declared.sorted())
    }

    @Test("It has its name, and needs only libsystemd and the C library")
    func linkage() async throws {
        let dynamic = lines(try await sandbox.output(of: ["readelf", "-dW", Binary.library.path]))
        #expect(dynamic.contains { $0.contains(/SONAME.*\[libaudiosession\.so\.1\]/) })
        let needed = dynamic.filter { $0.contains("NEEDED") && !$0.contains(/libsystemd|libc\.so|libm\.so|ld-linux/) }
        #expect(needed == [])
    }

    @Test("It has less than 300,000 bytes, with what debuggers want")
    func size() async throws {
        let library = "\(try await Self.built(.plain))/libaudiosession.so.1"
        let size = try FileManager.default.attributesOfItem(atPath: library)[.size] as? Int
        #expect(try #require(size) < 300_000)
    }

    @Test("A file of it has less than 400 lines", arguments: try Project.files(in: folder, ending: ".c"))
    func length(file: String) throws {
        #expect(try Project.text(file).split(separator: "\n", omittingEmptySubsequences: false).count <= 400)
    }

    // MARK: - Its users

    @Test("The example in Python hears an interruption")
    func python() async throws {
        let library = "\(try await Self.built(.plain))/libaudiosession.so.1"
        let said = try await sandbox.output(
            of: stage(["python3", "Tests/AudioSessionC/example.py"]), environment: ["LIBRARY": library])
        #expect(lines(said).suffix(2) == ["pause", "play"])
    }

    @Test(
        "A program is built with what pkg-config says",
        arguments: [("audiosession", "audio_session.h"), ("audiosession-compat", "AudioToolbox/AudioToolbox.h")])
    func packageFile(package: String, header: String) async throws {
        let library = try await Self.built(.plain)
        // Where they are installed, one folder is in the other.
        try await sandbox.output(of: ["cp", "-r", "\(Self.folder)/include", sandbox.path("include")])
        try await sandbox.output(of: [
            "cp", "-r", "\(Self.folder)/compat", sandbox.path("include/audiosession-compat"),
        ])
        for name in ["audiosession", "audiosession-compat"] {
            var text = try Project.text("install/\(name).pc.in")
            let places = [
                "prefix": sandbox.directory, "libdir": library, "includedir": sandbox.path("include"), "version": "1.0",
                "runpath": "",
            ]
            for (name, place) in places { text = text.replacingOccurrences(of: "@\(name)@", with: place) }
            #expect(!text.contains("@"))
            try sandbox.write(text, to: "\(name).pc")
        }
        try sandbox.write(
            "#include <\(header)>\nint main(void) { return AudioSessionSetActive(1) == kAudioSessionNoError; }\n",
            to: "packaged.c")
        let flags = try await sandbox.flags(
            "--cflags --libs", package, environment: ["PKG_CONFIG_PATH": sandbox.directory])
        let program = try await sandbox.compile([sandbox.path("packaged.c")] + flags, to: "packaged")
        try await sandbox.output(of: [program], environment: ["LD_LIBRARY_PATH": library])
    }

    @Test("The players in the examples are built")
    func players() async throws {
        let library = try await Self.built(.plain)
        try await sandbox.output(of: ["\(Self.folder)/examples/build", sandbox.path("players"), library])
    }

    @Test("The page on porting a player leads to the one in the examples")
    func porting() async throws {
        let page = "Sources/AudioSession/Documentation.docc/PortingAPlayer.md"
        let library = try await Self.built(.plain)
        try await sandbox.output(of: ["python3", "Tests/AudioSessionC/porting.py", page, library])
    }

    @Test("Its manual page says what header and sources say")
    func manual() async throws {
        try await sandbox.output(of: ["python3", "Tests/AudioSessionC/manual.py", "install/man/audio_session.3"])
    }

    @Test("The example of its manual page is a program")
    func manualExample() async throws {
        let page = try Project.text("install/man/audio_session.3")
        let example = try #require(page.firstMatch(of: /\n(#include <audio_session\.h>\n(?:[^.]|[^\n]\.)*\n)\.Ed\n/)?.1)
        try sandbox.write(String(example), to: "example.c")
        let library = try await Self.built(.plain)
        _ = try await sandbox.compile(
            [sandbox.path("example.c"), "-L\(library)", "-laudiosession"], to: "example",
            flags: ["-std=c11"] + Self.strict)
    }

    /// The test of the tests: neither the end of their time nor the death of whoever runs them leaves a process.
    @Test("A test that hangs leaves nothing behind", arguments: [SIGALRM, SIGTERM, SIGKILL], [false, true])
    func leftovers(signal: Int32, goesToParent: Bool) async throws {
        // The signals of a stage's own do not end a parent that is a shell.
        guard !goesToParent || signal == SIGKILL else { return }
        // It takes no notice of signals and does not end.
        let program = ["bash", "-c", "trap '' ALRM TERM; : >\"$HOME/begun\"; exec sleep infinity"]
        let parent = try sandbox.start(
            "parent", Invocation("bash", ["-c", "cd \"$0\"; \"$@\"; exit $?", Project.folder] + stage(program)))
        _ = try await waitUntil("its begin", evidence: { parent.log.tail() }) {
            access(sandbox.path("stage/begun"), F_OK) == 0 ? true : nil
        }
        func children(of process: pid_t) -> [pid_t] {
            let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
            return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
        }
        let stage = try #require(children(of: parent.processID).first)
        let processes = children(of: stage)
        #expect(processes.count == 3, "bus, service and program")
        if goesToParent { parent.signal(signal) } else { kill(stage, signal) }
        try await parent.waitForExit()
        for process in [stage] + processes {
            // Nobody may have waited yet for one that has ended.
            _ = try await waitUntil("the end of process \(process)") {
                let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
                return status?.contains(/State:\t[^ZX]/) ?? false ? nil : true
            }
        }
    }

    // MARK: - What runs

    /// A command on a stage of its own, in a folder of this test. A command that takes ten minutes hangs.
    private func stage(_ command: [String]) throws -> [String] {
        try FileManager.default.createDirectory(atPath: sandbox.path("stage"), withIntermediateDirectories: true)
        return ["python3", "Tests/AudioSessionC/stage.py", "600", sandbox.path("stage")] + command
    }

    private func run(_ name: String, _ build: Build) async throws {
        var environment = build.environment
        if build != .plain { environment["AUDIO_SESSION_SANITIZED"] = build.rawValue }
        environment["AUDIO_SESSION_CYCLES"] = ProcessInfo.processInfo.environment["AUDIO_SESSION_CYCLES"]
        let said = try await sandbox.output(
            of: stage(["\(try await Self.built(build))/testing", name]), environment: environment)
        // How many conditions it has looked at.
        #expect(Int(lines(said).last ?? "") ?? 0 > 0, "\(said)")
    }

    /// The folder with the library and the program of its tests, which are built once.
    private static func built(_ build: Build) async throws -> String {
        try await (build == .plain ? plain : build == .address ? address : thread).value
    }
    private static let plain = Task { try await make(.plain) }
    private static let address = Task { try await make(.address) }
    private static let thread = Task { try await make(.thread) }
    /// For the results; removed when this program ends.
    private static let workshop = Result { try Sandbox() }

    private static func make(_ build: Build) async throws -> String {
        let sandbox = try workshop.get()
        let result = sandbox.path(build.rawValue)
        let environment = [
            "CC": "cc", "CFLAGS": build.flags.joined(separator: " "),
            "LDFLAGS": build == .plain ? "" : "-Wl,-z,undefs",
        ]
        try await sandbox.output(of: ["\(folder)/build", result], environment: environment)
        _ = try await sandbox.compile(
            try Project.files(in: "Tests/AudioSessionC", ending: ".c") + ["-L\(result)", "-laudiosession"],
            to: "\(build.rawValue)/testing",
            flags: build.flags + [
                "-std=c11", "-D_GNU_SOURCE", "-O1", "-I\(folder)/include", "-I\(folder)", "-I\(folder)/compat",
                "-Wl,-rpath,\(result)",
            ])
        return result
    }
}
