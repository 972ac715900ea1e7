import PolicyEngine
import Testing

@testable import PolicyFile

/// The policy files that are delivered, which are test inputs too.
enum ShippedFile: String, CaseIterable, Sendable {
    case desktop, phone

    var path: String {
        let here = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return here.dropLast(3).joined(separator: "/") + "/policy/\(rawValue).conf"
    }

    var policy: Policy { self == .desktop ? .desktop : .phone }
    var preset: Preset { self == .desktop ? .desktop : .phone }

    func bytes() throws -> [UInt8] { try FileContents.read(path).get() }
}

@Suite struct ShippedFileTests {
    @Test("a shipped file is its preset, without a complaint", arguments: ShippedFile.allCases)
    func shippedFileIsItsPresetWithoutComplaint(
        file: ShippedFile
    ) {
        let read = PolicyFile(path: file.path)
        #expect(read.diagnostics == [])
        #expect(read.preset == file.preset)
        #expect(read.policy == file.policy)
    }

    /// Written over the other preset, a file still says all that makes the two different.
    @Test("a shipped file spells out everything", arguments: ShippedFile.allCases) func shippedFileSpellsOutEverything(
        file: ShippedFile
    ) throws {
        let other: ShippedFile = file == .desktop ? .phone : .desktop
        let text = String(decoding: try file.bytes(), as: UTF8.self)
        let line = "preset = \(file.rawValue)\n"
        let range = try #require(text.ranges(of: line).last)
        let moved = text.replacingCharacters(in: range, with: "preset = \(other.rawValue)\n")
        let preset = try #require(PolicyFile(text: moved, named: "moved").preset)
        #expect(preset.name == other.rawValue)
        #expect(preset.roles == file.preset.roles)
        #expect(preset.aliases == file.preset.aliases)
        #expect(preset.unmanaged == file.preset.unmanaged)
        #expect(preset.untagged == file.preset.untagged)
        #expect(preset.untaggedCapture == file.preset.untaggedCapture)
    }

    /// Every key of every role is in the file, so that a change of the built-in defaults shows as a difference; but for keys
    /// that no shipped role sets.
    @Test("every role of a shipped file has every key", arguments: ShippedFile.allCases)
    func everyRoleOfShippedFileHasEveryKey(file: ShippedFile) throws {
        let document = Document(try file.bytes(), named: file.path)
        let roles = try #require(document.member("roles")?.value)
        guard case .object(let members) = roles.content else {
            Issue.record("roles is no object")
            return
        }
        #expect(Set(members.map(\.key.text)) == Set(file.preset.roles.keys).union(file.preset.unmanaged))
        for member in members where member.value.text != "none" {
            guard case .object(let keys) = member.value.content else {
                Issue.record("\(member.key.text) is no object")
                continue
            }
            let role = try #require(file.preset.roles[member.key.text])
            let usual = ["volume", "output", "acts-while", "capture-pairing"]
            #expect(role.level == Decibels(0) && role.output == nil && !role.actsWhileSounding && !role.isPaired)
            let all = Set(RoleKey.words + ["aliases"]).subtracting(usual + (role.ducksOthers ? [] : ["duck"]))
            #expect(Set(keys.map(\.key.text)) == all)
        }
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}

extension PolicyFile {
    /// Reads a text.
    init(text: String, named name: String, presetFolders: [String] = []) {
        self.init(bytes: Array(text.utf8), named: name, presetFolders: presetFolders)
    }
}
