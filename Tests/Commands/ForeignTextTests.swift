import Foundation
import Testing

@testable import Commands

/// Text from programs, files and the service, on its way to logs and terminals.
@Suite struct ForeignTextTests {
    /// What writes text to where people read it, in Swift and in C.
    private static let writers =
        #"\b(?:print|fputs|fprintf|printf|puts|vprintf|perror|syslog|sd_journal_\w+|NSLog|debugPrint)\("#
        + #"|FileHandle\.standard|STD(?:OUT|ERR)_FILENO|\bstd(?:out|err)\b|\b(?:cpw|cpc|pw|pa|spa)_log\w*\("#

    /// All files that do so, how often, and what makes foreign text harmless there.
    private static let places: [String: (count: Int, why: String)] = [
        "CAudioSession/examples/player-glib.c": (2, "an example: its own arguments"),
        "CAudioSession/examples/player-phone.c": (8, "an example: its own arguments, and the texts of the library"),
        "CAudioSession/examples/player.c": (2, "an example: its own arguments"),
        "CAudioSession/examples/sound.c": (9, "an example: its own words"),
        "CAudioSession/session.c": (3, "writes an address into memory"),
        "CAudioSession/values.c": (7, "writes a description into memory, for its own program"),
        "CPipeWire/shim.c": (8, "what PipeWireHost.log passes on, and the loader's own words before there is a log"),
        "CPulseCore/daemon.c": (2, "what PulseAudioHost.log passes on"),
        "PipeWireHost/Module.swift": (2, "its own words"),
        "PipeWireHost/PipeWireHost.swift": (2, "printable in its log"),
        "PulseAudioHost/PulseAudioHost.swift": (1, "printable in its log"),
        "Commands/Doctor/ProgramOutput.swift": (2, "reads what programs write"),
        "Commands/Output/Style.swift": (1, "asks whether it is a terminal"),
        "Commands/Terminal.swift": (4, "harmless, and printable in each line of an error"),
        "Commands/Top/TopTerminal.swift": (7, "each line harmless, between its own marks"),
        "Commands/Waybar.swift": (1, "asks whether somebody reads"),
    ]

    private static func sources() throws -> [String] {
        let folder = Project.folder.appending(path: "Sources").path()
        let all = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        // Headers only declare.
        return all.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }.sorted()
    }

    @Test("every place that writes text for people is known, and what makes foreign text harmless there")
    func everyPlaceIsKnown() throws {
        let pattern = try Regex(Self.writers)
        var found: [String: Int] = [:]
        for file in try Self.sources() {
            let text = try String(contentsOf: Project.folder.appending(path: "Sources/\(file)"), encoding: .utf8)
            let code = text.split(separator: "\n").filter { line in
                let start = line.drop { $0 == " " }
                return !start.hasPrefix("//") && !start.hasPrefix("*") && !start.hasPrefix("/*")
            }
            let count = code.count { $0.contains(pattern) }
            if count > 0 { found[file] = count }
        }
        for (file, count) in found.sorted(by: { $0.key < $1.key }) {
            let known = Self.places[file]?.count ?? 0
            #expect(
                count == known,
                """
                \(file) writes text in \(count) lines, known are \(known): let it go through Terminal, Host.log or \
                printable, and say so in this table
                """)
        }
        for (file, place) in Self.places { #expect(found[file] == place.count, "\(file) writes no text any more") }
    }

    @Test(
        "what controls a terminal is replaced on standard output, but for colours, line ends and tabs",
        arguments: [
            ("\u{1B}[1mname\u{1B}[0m\n\tmore", "\u{1B}[1mname\u{1B}[0m\n\tmore"), ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"),
            ("\u{1B}]0;title\u{7}", "\u{FFFD}]0;title\u{FFFD}"), ("a\rb", "a\u{FFFD}b"), ("\u{202E}abc", "\u{FFFD}abc"),
            ("\u{1B}[31", "\u{FFFD}[31"), ("\u{1B}", "\u{FFFD}"), ("\u{9B}2J", "\u{FFFD}2J"), ("Ä – ü", "Ä – ü"),
        ])
    func harmless(text: String, expected: String) { #expect(Terminal.harmless(text) == expected) }
}
