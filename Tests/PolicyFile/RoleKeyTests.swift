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

    @Test("the comments of the desktop's file describe the keys of a role with their words, and no others")
    func commentsOfDesktopsFileDescribeKeysOfRole() throws {
        let lines = try Self.lines("policy/desktop.conf")
        let start = try #require(lines.firstIndex { $0.hasSuffix("A role is none (left alone) or has the keys") })
        let section = lines[(start + 2)...].prefix { $0 != "#" }
        // An entry begins with `#   KEY   …`; its other lines are indented further.
        let entries = Self.entries(of: section) { line in
            line.hasPrefix("#   ") && !line.hasPrefix("#    ") ? line.dropFirst(4).prefix { $0 != " " } : nil
        }
        try expectTable(entries, also: ["aliases"])
    }

    @Test("the desktop's file spells out every key of streams without a role")
    func desktopsFileSpellsOutEveryKeyOfStreamsWithout() throws {
        let document = Document(try ShippedFile.desktop.bytes(), named: "desktop")
        for section in ["untagged", "untagged-capture"] {
            let value = try #require(document.member(section)?.value)
            if value.text == "none" { continue }
            guard case .object(let members) = value.content else {
                Issue.record("\(section) is no object")
                continue
            }
            #expect(Set(members.map(\.key.text)) == Set(SessionDescription.words).subtracting(["duck"]), "\(section)")
        }
    }

    @Test("the manual page says of every key what its table says") func manualPageSaysWhatTablesSay() throws {
        func letters(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
        let page = try Self.lines("install/man/audio-session.conf.5").map { line in
            line.hasPrefix(".") ? String(line.drop { $0 != " " }) : line
        }
        let said = letters(page.map(Self.unescaped).joined(separator: "\n"))
        let helps =
            Policy.keys.map { ($0.word, $0.help) } + SessionDescription.keys.map { ($0.word, $0.help) }
            + PairKeys.keys.map { ($0.word, $0.help) }
        #expect(helps.count > 50)
        for (word, help) in helps { #expect(said.contains(letters(help)), "\(word): \(help)") }
    }

    @Test("random files have every key of a role") func randomFilesHaveEveryKeyOfRole() {
        var grammar = Grammar(seed: 3)
        let files = (0..<150).map { _ in grammar.file() }.joined(separator: " ")
        let words = Set(files.components(separatedBy: .whitespacesAndNewlines))
        for key in SessionDescription.words { #expect(words.contains(key), "\(key)") }
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
        for word in SessionDescription.words {
            let value = try #require(values[word], "\(word)")
            let document = Document(Array("\(word) = \(value)".utf8), named: "t")
            var diagnosis = Diagnosis(file: "t")
            var draft = DescriptionDraft(name: "")
            draft.apply(document.members, at: Place(line: 1, column: 1), &diagnosis)
            #expect(diagnosis.diagnostics == [])
            #expect(draft.keys.words == [word])
            var overlaid = DescriptionDraft(name: "")
            #expect(overlaid != draft)
            overlaid.overlay(draft)
            #expect(overlaid == draft)
            #expect(overlaid.keys.set.map(\.setting.origin) == draft.keys.set.map(\.setting.origin))
            var description = blank
            draft.keys.change(&description)
            #expect(description != blank, "\(word)")
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
        #expect(entries.map(\.key).sorted() == (SessionDescription.words + others).sorted())
        var count = 0
        for entry in entries where !others.contains(entry.key) {
            let text = Set(entry.text.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init))
            let keys = SessionDescription.keys.filter { ($0.section ?? $0.word) == entry.key }
            for word in keys.flatMap({ ($0.section == nil ? [] : [$0.word]) + $0.words }) {
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
