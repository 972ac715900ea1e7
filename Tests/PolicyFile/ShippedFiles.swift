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

    func bytes() throws -> [UInt8] { try FileContents.read(path).get() }
}

@Suite struct ShippedFileTests {
    @Test("a shipped file is its preset, without a complaint", arguments: ShippedFile.allCases)
    func shippedFileIsItsPresetWithoutComplaint(file: ShippedFile) {
        let read = PolicyFile(path: file.path)
        #expect(read.diagnostics == [])
        #expect(read.policy?.with { $0.name = file.rawValue } == file.policy)
        #expect(file.policy.name == file.rawValue)
    }

    /// So that nothing of the built-in preset is decided by code.
    @Test("the desktop's file has every key of every section") func desktopsFileHasEveryKey() throws {
        let document = Document(try ShippedFile.desktop.bytes(), named: "desktop")
        let optional: Set = ["interplay", "zones", "claims", "rules"]
        #expect(Set(document.members.map(\.key.text)) == Set(Policy.words).subtracting(optional))
        for member in document.members {
            let keys = Policy.keys(in: member.key.text).map(\.word)
            guard case .object(let members) = member.value.content, !keys.isEmpty else { continue }
            #expect(Set(members.map(\.key.text)) == Set(keys), "\(member.key.text)")
        }
    }

    /// Every key of every role is in the file, so that a change of the built-in defaults shows as a difference; but for keys
    /// that no shipped role sets.
    @Test("every role of the desktop's file has every key") func everyRoleOfDesktopsFileHasEveryKey() throws {
        let document = Document(try ShippedFile.desktop.bytes(), named: "desktop")
        let roles = try #require(document.member("roles")?.value)
        guard case .object(let members) = roles.content else {
            Issue.record("roles is no object")
            return
        }
        #expect(Set(members.map(\.key.text)) == Set(Policy.desktop.roles.keys).union(Policy.desktop.unmanaged))
        for member in members where member.value.text != "none" {
            guard case .object(let keys) = member.value.content else {
                Issue.record("\(member.key.text) is no object")
                continue
            }
            let role = try #require(Policy.desktop.roles[member.key.text])
            let usual = ["volume", "output", "acts-while", "capture-pairing"]
            #expect(role.level == Decibels(0) && role.output == nil && !role.actsWhileSounding && !role.isPaired)
            let all = Set(SessionDescription.words + ["aliases"])
                .subtracting(usual + (role.ducksOthers ? [] : ["duck"]))
            #expect(Set(keys.map(\.key.text)) == all)
        }
    }
}

extension PolicyFile {
    /// Reads a text.
    init(text: String, named name: String, presetFolders: [String] = []) {
        self.init(bytes: Array(text.utf8), named: name, presetFolders: presetFolders)
    }
}
