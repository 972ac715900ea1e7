import Foundation
import PolicyEngine
import PolicyFile
import Testing

/// The presets that are delivered, as their files have them.
enum PresetFile: String, CaseIterable, CustomTestStringConvertible {
    case desktop, phone, car

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    var testDescription: String { rawValue }

    /// The table that is kept beside the tests.
    var table: URL { PresetFile.root.appendingPathComponent("Tests/PolicyEngine/Pairs/\(rawValue).txt") }

    func policy() throws -> Policy {
        let file = PolicyFile(path: PresetFile.root.appendingPathComponent("policy/\(rawValue).conf").path)
        return try #require(file.policy, "\(file.diagnostics)")
    }
}

@Suite struct PresetTableTests {
    /// With the variable AUDIO_SESSION_RECORD the tables are written anew, and the test fails, so that one looks at the
    /// difference.
    @Test("every pair of a preset is heard as its table says", arguments: PresetFile.allCases)
    func everyPairOfPresetIsHeardAsItsTableSays(
        preset: PresetFile
    ) throws {
        let text = PairTable(try preset.policy()).text
        if ProcessInfo.processInfo.environment["AUDIO_SESSION_RECORD"] != nil {
            try text.write(to: preset.table, atomically: true, encoding: .utf8)
            Issue.record("\(preset.table.lastPathComponent) was recorded; look at the difference")
        }
        let kept = try String(contentsOf: preset.table, encoding: .utf8)
        let old = kept.split(separator: "\n", omittingEmptySubsequences: false)
        let new = text.split(separator: "\n", omittingEmptySubsequences: false)
        let differences = new.difference(from: old).map { change in
            switch change {
            case .remove(let offset, let line, _): (offset, "line \(offset + 1) was: \(line)")
            case .insert(let offset, let line, _): (offset, "line \(offset + 1) is:  \(line)")
            }
        }
        let sorted = differences.sorted { ($0.0, $1.1) < ($1.0, $0.1) }.map(\.1)
        if !sorted.isEmpty {
            Issue.record("\(preset.table.lastPathComponent) differs:\n\(sorted.joined(separator: "\n"))")
        }
    }

    /// A table that compares equal because it is empty would show nothing.
    @Test("a table has a line for every ordered pair", arguments: PresetFile.allCases)
    func tableHasLineForEveryOrderedPair(preset: PresetFile) throws {
        let table = PairTable(try preset.policy())
        #expect(table.kinds.count >= 12)
        #expect(Set(table.blocks.joined()).count == table.kinds.count * table.kinds.count)
    }
}
