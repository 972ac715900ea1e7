import Foundation
import TestKit
import Testing

@Suite("The sources")
struct SourceTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("Everything is formatted, and lint finds nothing")
    func format() async throws {
        let command = ["swift", "format", "lint", "--strict", "--parallel", "--recursive"]
        try await sandbox.output(of: command + ["Package.swift", "Sources", "Tests"])
    }

    @Test("The list of changes has the version of the sources")
    func version() throws {
        let newest = try Project.text("install/CHANGELOG.md").firstMatch(of: /\n## \[([0-9][0-9.]*)\]/)?.1
        #expect(try newest.map(String.init) == Project.version)
    }

    @Test(
        "Rules, stories, statements, pages, texts for users and the package's dependencies agree with what is there",
        arguments: ["rules", "peers", "statements", "named-files", "plain-texts", "imports"])
    func agreement(of script: String) async throws {
        try await sandbox.output(of: [Project.path("Tests/bin/\(script)")])
    }

    @Test("A number of a rule is noticed in texts and in texts within them, but not in comments")
    func numbers() async throws {
        try sandbox.write(
            """
            /// R1
            let first = "https://R2.org/" /* N3 " */ + #"\\("N4")"#  // "N5"
            let second = \"""
                \\(words("R6", of: 7)) "N8" /* R9 */
                \"""

            """, to: "numbers.swift")
        let found = try await sandbox.output(
            of: [Project.path("Tests/bin/plain-texts"), sandbox.path("numbers.swift")], status: 1)
        #expect(
            found.matches(of: /swift:(\d+: [RN]\d+):/).map { String($0.1) } == [
                "2: R2", "2: N4", "4: R6", "4: N8", "4: R9",
            ])
    }

    @Test("A name of what is not there is noticed in a page")
    func names() async throws {
        // Not written in one piece, because this file is searched too.
        let no = "Nowhere"
        let missing = [
            "Engine.handle\(no)", "Engine\(no)", "\(no).swift", "AUDIO_SESSION_\(no.uppercased())", "Tests/\(no)",
            Project.path("Tests/\(no)"),
        ]
        let text = """
            'Engine.handle', '\(missing[0])', 'Engine', '\(missing[1])', 'Engine.swift', '\(missing[2])',
            'AUDIO_SESSION_MODULES', '\(missing[3])', 'Tests/run --all', '\(missing[4]) --all',
            [one](\(Project.path("Tests/run"))), [other](\(missing[5])#part)

            """
        try sandbox.write(Self.disguised(text), to: "names.md")
        let found = try await sandbox.output(
            of: [Project.path("Tests/bin/named-files"), sandbox.path("names.md")], status: 1)
        #expect(found.matches(of: /md:\d+: (.*) does not exist/).map { String($0.1) } == missing)
    }

    /// Swift with other characters in place of some, because this file is searched too.
    private static func disguised(_ text: String) -> String {
        let characters: [Character: Character] = ["'": "`", "%": "#", "?": "@"]
        return String(text.map { characters[$0] ?? $0 })
    }

    /// Names with blanks, an attribute, an error that a macro returns, a closure in a macro (the compiler crashes). A build
    /// with Swift 6.0 shows more.
    private static let newer = disguised(
        "^[^/]*('[^']*[^'[:alnum:]_][^']*'|?concurrent|= (try |await )*%(expect|require)\\(throws:|?Test\\(.*\\$0)")

    @Test("Nothing is written that Swift 6.0 cannot read")
    func oldSwift() async throws {
        let command = ["grep", "-rnE", "--include=*.swift", Self.newer]
        try await sandbox.output(of: command + ["Package.swift", "Sources", "Tests"], status: 1)
    }

    @Test("What Swift 6.0 cannot read is noticed")
    func newSwift() async throws {
        let text = """
            @Test func 'a call corks'() async {
                // 'a b' and 'c d' in a comment
                let 'default' = await work { ?concurrent in 1 }
                let error = await %expect(throws: WireError.self) { try call() }
                let other = try %require(throws: WireError.self) { try call() }
                %expect(throws: WireError.self) { try call() }
            }
            ?Test(arguments: values.filter { $0 > 1 })
            """
        try sandbox.write(Self.disguised(text), to: "newer.swift")
        let found = try await sandbox.output(of: ["grep", "-nE", Self.newer, sandbox.path("newer.swift")])
        #expect(lines(found).map { String($0.prefix { $0 != ":" }) } == ["1", "3", "4", "5", "8"])
    }

    /// Not justified: groff 1.23 warns of each line that it cannot stretch.
    @Test("Manual pages are formatted without a warning", arguments: try Project.files(in: "install/man"))
    func manual(page: String) async throws {
        #expect(try await sandbox.output(of: ["groff", "-ww", "-dAD=l", "-mandoc", "-Tutf8", "-z", page]) == "")
    }

    /// The pages are left in `.build/documentation`, for `docc preview` or a web server.
    @Test("The documentation of the library for Swift has no broken link")
    func documentation() async throws {
        let information = try await sandbox.output(of: ["swift", "-print-target-info"])
        let target = try #require(information.firstMatch(of: /"triple": "(.*)"/)?.1)
        // Beside this program, whose build has made them.
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let modules = program.deletingLastPathComponent().appendingPathComponent("Modules").path
        let graph = sandbox.path("graph")
        try FileManager.default.createDirectory(atPath: graph, withIntermediateDirectories: true)
        try await sandbox.output(of: [
            "swift", "symbolgraph-extract", "-module-name", "AudioSession", "-I", modules, "-I", "Sources/CSystemdBus",
            "-target", String(target), "-minimum-access-level", "public", "-output-dir", graph,
        ])
        try await sandbox.output(of: [
            "docc", "convert", "Sources/AudioSession/Documentation.docc", "--additional-symbol-graph-dir", graph,
            "--fallback-display-name", "AudioSession", "--fallback-bundle-identifier",
            "org.AudioSession1.AudioSession", "--output-path", ".build/documentation", "--warnings-as-errors",
        ])
        let pages = FileManager.default.enumerator(atPath: Project.path(".build/documentation/data/documentation"))
        #expect(pages?.compactMap { $0 as? String }.filter { $0.hasSuffix(".json") }.count ?? 0 > 100)
    }
}
