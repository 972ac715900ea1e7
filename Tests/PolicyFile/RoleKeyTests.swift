import Foundation
import PolicyEngine
import RandomPolicies
import Testing

@testable import PolicyFile

/// The table of a role's keys, against the texts that describe the keys to people.
@Suite struct RoleKeyTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8).components(separatedBy: "\n")
    }

    @Test("the manual page describes the keys of a role with their words, and no others")
    func manualPageDescribesKeysOfRoleWithTheirWords() throws {
        let page = try Self.lines("install/man/audio-session.conf.5")
        let start = try #require(page.firstIndex(of: ".SS Descriptions"))
        let section = page[(start + 1)...].prefix { !$0.hasPrefix(".SS") }
        // An entry begins with `.BI "KEY = …`.
        let entries = Self.entries(of: section.map(Self.unescaped)) { line in
            guard line.hasPrefix(".BI \""), let end = line.firstRange(of: " = ") else { return nil }
            return line[..<end.lowerBound].dropFirst(5)
        }
        try expectTable(entries, also: [])
    }

    @Test(
        "the comments of a shipped file describe the keys of a role with their words, and no others",
        arguments: ShippedFile.allCases)
    func commentsOfShippedFileDescribeKeysOfRole(
        file: ShippedFile
    ) throws {
        let lines = try Self.lines("policy/\(file.rawValue).conf")
        let start = try #require(lines.firstIndex { $0.hasSuffix("A role is none (left alone) or has the keys") })
        let section = lines[(start + 2)...].prefix { $0 != "#" }
        // An entry begins with `#   KEY   …`; its other lines are indented further.
        let entries = Self.entries(of: section) { line in
            line.hasPrefix("#   ") && !line.hasPrefix("#    ") ? line.dropFirst(4).prefix { $0 != " " } : nil
        }
        try expectTable(entries, also: ["aliases"])
    }

    @Test("a shipped file spells out every key of streams without a role", arguments: ShippedFile.allCases)
    func shippedFileSpellsOutEveryKeyOfStreamsWithout(file: ShippedFile) throws {
        let document = Document(try file.bytes(), named: file.path)
        for section in ["untagged", "untagged-capture"] {
            let value = try #require(document.member(section)?.value)
            if value.text == "none" { continue }
            guard case .object(let members) = value.content else {
                Issue.record("\(section) is no object")
                continue
            }
            #expect(Set(members.map(\.key.text)) == Set(RoleKey.words).subtracting(["duck"]), "\(section)")
        }
    }

    @Test("random files have every key of a role") func randomFilesHaveEveryKeyOfRole() {
        var grammar = Grammar(seed: 3)
        let files = (0..<150).map { _ in grammar.file() }.joined(separator: " ")
        let words = Set(files.components(separatedBy: .whitespacesAndNewlines))
        for key in RoleKey.all { #expect(words.contains(key.word), "\(key.word)") }
    }

    @Test("a key without a mistake in it sets one value, which is written again")
    func keyWithoutMistakeInItSetsOneValue() throws {
        let values = [
            "category": "playback", "options": "[ duck-others ]", "mode": "voice-prompt", "priority": "alarm",
            "duck": "{ gain = -7 }", "fade": "70", "handover": "hold", "resume": "always", "release-delay": "80",
            "interruptible": "false", "pause-player": "true", "volume": "-6", "output": "speaker",
            "acts-while": "sounding", "capture-pairing": "true",
        ]
        let blank = SessionDescription(name: "", category: .ambient)
        for key in RoleKey.all {
            let value = try #require(values[key.word], "\(key.word)")
            let document = Document(Array("\(key.word) = \(value)".utf8), named: "t")
            var diagnosis = Diagnosis(file: "t")
            var draft = DescriptionDraft(name: "")
            draft.apply(document.members, at: Place(line: 1, column: 1), &diagnosis)
            #expect(diagnosis.diagnostics == [])
            #expect(draft.keys.map(\.key.word) == [key.word])
            var overlaid = DescriptionDraft(name: "")
            #expect(overlaid != draft)
            overlaid.overlay(draft)
            #expect(overlaid == draft)
            #expect(overlaid.keys.map(\.origin) == draft.keys.map(\.origin))
            var description = blank
            draft.change(&description)
            #expect(description != blank, "\(key.word)")
        }
    }

    /// Splits lines at those in which `key` finds the key of an entry.
    private static func entries(
        of lines: some Sequence<String>, key: (String) -> Substring?
    ) -> [(key: String, text: String)] {
        var entries: [(key: String, text: String)] = []
        for line in lines {
            if let key = key(line) {
                entries.append((String(key), line))
            } else if !entries.isEmpty {
                entries[entries.count - 1].text += "\n" + line
            }
        }
        return entries
    }

    /// Expects an entry for each key of the table, with every word that the key accepts.
    private func expectTable(_ entries: [(key: String, text: String)], also others: [String]) throws {
        #expect(entries.map(\.key).sorted() == (RoleKey.words + others).sorted())
        var count = 0
        for entry in entries where !others.contains(entry.key) {
            let text = Set(entry.text.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init))
            for word in RoleKey.words(of: entry.key) {
                #expect(text.contains(word), "\(entry.key) without \(word)")
                count += 1
            }
        }
        #expect(count > 30)
    }

    /// The manual page's own spelling of minus signs and changes of the font, undone.
    private static func unescaped(_ line: String) -> String {
        line.replacing(/\\f[A-Z]/, with: "").replacing("\\-", with: "-")
    }
}
