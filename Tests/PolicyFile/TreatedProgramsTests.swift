import PolicyEngine
import Testing

@testable import PolicyFile

/// The file that `audio-session treat` writes.
@Suite struct TreatedProgramsTests {
    private static let odd = [
        "mpv", "Music Player", "a\"b\\c", "tab\tand\nline\u{1}", "null", "!no", "~yes(.*)", "Ünï", "", "# }", "a = b",
    ]

    private func file(_ programs: TreatedPrograms.Program...) -> TreatedPrograms {
        var file = TreatedPrograms()
        file.programs = programs
        return file
    }

    @Test("what is written is read back, and is a policy file without mistakes", arguments: odd)
    func readBack(value: String) throws {
        for treatment in TreatedPrograms.Treatment.allCases {
            for isOfRecordings in [false, true] {
                let written = file(
                    .init("first", as: .music, ofRecordings: false, knownBy: [("application.name", "x")]),
                    .init(
                        value, as: treatment, ofRecordings: isOfRecordings,
                        knownBy: [("application.name", value), ("node.name", "n")]))
                #expect(try TreatedPrograms(written.text) == written, "\(written.text)")
                let policy = PolicyFile(bytes: Array(written.text.utf8), named: "treated")
                #expect(policy.diagnostics.isEmpty, "\(policy.diagnostics)")
                let classifier = try #require(policy.classifier)
                func name(_ said: String, _ direction: StreamDirection = .capture) -> String? {
                    let properties = ["application.name": said, "node.name": "n", "media.role": "game"]
                    return classifier.classify(direction: direction) { properties[$0] }.description?.name
                }
                // The rule holds for this value, and for no other.
                let isCall = treatment == .call
                #expect(name(value, .capture) == (isCall ? "phone" : nil), "\(value)")
                #expect(name(value + "x", .capture) == nil)
                let playback = isOfRecordings ? "game" : isCall ? "phone" : treatment == .alone ? nil : "music"
                #expect(name(value, .playback) == playback)
                #expect(written.line(of: written.programs[1]) == 7)
                let steps = classifier.classify(direction: .capture) {
                    ["application.name": value, "node.name": "n"][$0]
                }
                .steps
                #expect(steps.last?.origin?.place.line == 7)
            }
        }
    }

    @Test("speech is stopped rather than spoken over") func speech() throws {
        let text = file(.init("a", as: .speech, ofRecordings: false, knownBy: [("application.name", "a")])).text
        let classifier = try #require(PolicyFile(bytes: Array(text.utf8), named: "treated").classifier)
        let found = classifier.classify(direction: .playback) { ["application.name": "a"][$0] }
        #expect(found.description?.mode == .spokenAudio)
    }

    @Test(
        "lines of somebody else are seen",
        arguments: [
            ("", 1), ("rules = [ ]\n", 1), ("# Mine\n", 1), ("]\n", 7), ("\n", 8), ("    # x\n", 6),
        ])
    func foreign(added: String, line: Int) throws {
        let text = file(.init("a", as: .alone, ofRecordings: false, knownBy: [("application.name", "a")])).text
        let changed = line == 1 ? added : line == 8 ? text + added : text.replacing("]\n", with: added + "]\n")
        #expect(throws: TreatedPrograms.Foreign(line: line)) { try TreatedPrograms(changed) }
    }
}
