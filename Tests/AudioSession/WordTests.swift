import Foundation
import PolicyEngine
import Testing

@testable import AudioSession

/// Each term (Sources/Terms) has a word in the library for Swift, in the one for C, and in the manual of policy files.
@Suite struct WordTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The words of a file: what its letters, digits and the signs `-` and `_` make.
    private static func words(_ path: String) throws -> Set<String> {
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            .replacing("\\-", with: "-")
        return Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }.map(String.init))
    }

    /// Says which of some words a file lacks.
    private func expect(_ words: [String], in path: String, but exceptions: Set<String> = []) throws {
        let known = try Self.words(path)
        for word in words where !exceptions.contains(word) { #expect(known.contains(word), "\(path) lacks '\(word)'") }
        // An exception that is none any more hides nothing.
        for word in exceptions { #expect(!known.contains(word), "\(path) has '\(word)'") }
    }

    private static let manual = "install/man/audio-session.conf.5"
    private static let wordsOfC = "Sources/CAudioSession/words.c"
    private static let header = "Sources/CAudioSession/include/audio_session.h"

    @Test("every category has its word everywhere") func categories() throws {
        let own = PolicyEngine.Category.allCases.filter { $0 != .uiSound }.map(\.rawValue)
        #expect(own == AudioSession.Category.allCases.map(\.rawValue))
        try expect(own, in: Self.wordsOfC)
        try expect(PolicyEngine.Category.allCases.map(\.rawValue), in: Self.manual)
    }

    @Test("every mode has its word everywhere") func modes() throws {
        let modes = Mode.allCases.map(\.rawValue)
        #expect(modes == AudioSession.Mode.allCases.map(\.rawValue))
        try expect(modes, in: Self.manual)
        // The phone's interface for C is older than these.
        let later: [Mode] = [.spokenAudio, .voicePrompt, .moviePlayback, .videoChat, .gameChat]
        try expect(modes, in: Self.wordsOfC, but: Set(later.map(\.rawValue)))
    }

    @Test("every option has its word everywhere") func options() throws {
        let options = CategoryOption.allCases.map(\.rawValue)
        try expect(options, in: Self.manual)
        for option in options {
            let known = AudioSession.CategoryOptions(words: [option])
            #expect(known.words == [option], "the Swift library lacks \(option)")
        }
        // The phone's interface for C is older than these.
        let later: Set = ["interrupt-spoken-audio", "allow-bluetooth-a2dp", "allow-airplay"]
        try expect(options, in: Self.wordsOfC, but: later)
    }

    @Test("every type of port has its word everywhere") func ports() throws {
        let types = PortType.allCases.map(\.rawValue)
        for path in ["Sources/AudioSession/Routes.swift", Self.header] { try expect(types, in: path) }
        try expect(types, in: "Sources/CAudioSession/routes.inc", but: [PortType.unknown.rawValue])
        try expect(PortType.allCases.compactMap(\.policyWord), in: Self.manual)
    }

    @Test("every switch has its word everywhere") func switches() throws {
        try expect(Switch.allCases.map(\.policyWord), in: Self.manual)
        try expect(Switch.allCases.map(\.policyWord), in: "policy/desktop.conf")
    }

    @Test("every reason of a change of the route has its number and its word everywhere") func routeReasons() throws {
        #expect(
            RouteChangeReason.allCases.map { UInt($0.rawValue) }
                == AudioSession.RouteChangeReason.allCases.map(\.rawValue))
        let header = try String(contentsOf: Self.root.appendingPathComponent(Self.header), encoding: .utf8)
        for reason in RouteChangeReason.allCases {
            let name = reason.name.split(separator: "-").map(\.capitalized).joined()
            let line = "kAudioSessionRouteChangeReason_\(name) = \(reason.rawValue)"
            #expect(header.contains("\(line),") || header.contains("\(line)\n"), "\(Self.header) lacks \(line)")
        }
    }

    @Test("every reason of an interruption has its word everywhere") func interruptionReasons() throws {
        #expect(InterruptionReason.allCases.map(\.rawValue) == AudioSession.InterruptionReason.allCases.map(\.rawValue))
        // C takes an unknown one for the default.
        let words = InterruptionReason.allCases.filter { $0 != .default }.map(\.rawValue)
        try expect(words, in: "Sources/CAudioSession/signals.c")
        let names = InterruptionReason.allCases.map { $0.rawValue.split(separator: "-").map(\.capitalized).joined() }
        try expect(names.map { "kAudioSessionInterruptionReason_\($0)" }, in: Self.header)
    }
}
