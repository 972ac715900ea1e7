import Foundation
import PolicyEngine
import Testing

@testable import PolicyFile

/// What people are shown to copy has to be right.
@Suite struct ExampleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// A file with its lines that are commented out put in force: what follows a `#` directly, or is indented behind it.
    /// Prose has one space behind it.
    @Test("what a file shows commented out is right", arguments: ["desktop", "applications"])
    func whatFileShowsCommentedOutIsRight(
        name: String
    ) throws {
        var shown = 0
        let lines = try Self.text("policy/\(name).conf").split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.lastIndex(of: name == "applications" ? "]" : "}"))
        let revived = lines.enumerated().map { index, line in
            let isShown = line.hasPrefix("#") && line.count > 1 && (!line.hasPrefix("# ") || line.hasPrefix("#    "))
            guard index > start, isShown else { return line }
            shown += 1
            return line.dropFirst()
        }
        #expect(shown >= 4)
        // The rules that applications.conf shows are for a file of their own.
        let own = name == "applications" ? Array(revived[(start + 1)...]) : revived
        let file = PolicyFile(text: own.joined(separator: "\n"), named: name)
        #expect(file.diagnostics == [])
        #expect(file.policy != nil)
    }

    @Test("every example of the manual page is right") func everyExampleOfManualPageIsRight() throws {
        let page = try Self.text("install/man/audio-session.conf.5")
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: ".SH EXAMPLES"))
        var examples: [String] = []
        var isInside = false
        for line in lines[start...] {
            if line == ".RS" {
                isInside = true
                examples.append("")
            } else if line == ".RE" {
                isInside = false
            } else if isInside {
                examples[examples.count - 1] += Self.unescaped(line) + "\n"
            }
        }
        #expect(examples.count >= 4)
        for example in examples { #expect(PolicyFile(text: example, named: example).diagnostics == []) }
    }

    /// The manual page's own spelling of quotes and minus signs, undone.
    private static func unescaped(_ line: Substring) -> String {
        line.replacingOccurrences(of: "\\(dq", with: "\"").replacingOccurrences(of: "\\-", with: "-")
    }

    @Test("what the page on the policy shows is right") func pageIsRight() throws {
        let lines = try Self.text("policy/README.md").split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasSuffix("one line changes one thing:") })
        let shown = lines[start...].dropFirst(2).prefix { $0.hasPrefix("    ") }
        #expect(shown.count >= 3)
        #expect(PolicyFile(text: shown.joined(separator: "\n"), named: "policy/README.md").diagnostics == [])
    }

    @Test("each line of a policy in the page of wishes is right") func wishesAreRight() throws {
        let sections = [
            "untagged", "untagged-capture", "capture-pairing", "roles", "interplay", "claims", "switches",
            "routes", "interruptions", "user", "muted", "sounding", "zones", "notify", "stock-modules", "rules",
        ]
        let page = try Self.text(".github/WISHES.md")
        // Between backticks, and in indented blocks.
        let parts = page.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        var shown = parts.filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
        for block in page.split(separator: "\n\n") where block.hasPrefix("    ") {
            shown.append(String(block))
        }
        let policies = shown.filter { text in
            let words = text.split { $0 == " " }
            return words.count > 1 && words[1] == "=" && sections.contains(String(words[0]))
        }
        #expect(policies.count > 40)
        for policy in policies { #expect(PolicyFile(text: policy, named: policy).diagnostics == []) }
    }

    @Test("every key of the format is in the manual page") func everyKeyOfFormatIsInManualPage() throws {
        let page = try Self.text("install/man/audio-session.conf.5").replacing("\\-", with: "-")
        let kinds = Interplay.Kind.allCases.map(\.rawValue)
        let keys =
            ["policy", "dbus", "aliases", "allow", "otherwise", "matches", "actions", "update-session"] + Policy.words
            + Policy.keys.map(\.word) + SessionDescription.words + PairKeys.words
        let words =
            keys + kinds + Policy.keys.flatMap(\.words) + SessionDescription.keys.flatMap(\.words)
            + Priority.named.map(\.name)
        for word in words { #expect(page.contains(word), "\(word)") }
    }
}
