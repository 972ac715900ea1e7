import Foundation
import SessionCore
import Testing

@testable import PolicyFile

@Suite struct FuzzTests {
    /// As many as `AUDIO_SESSION_FUZZ` says, of each of which nothing may be said but: no trap, no hang, no growing memory,
    /// a message for whatever has no policy, and all messages on one line and inside the text.
    ///
    /// Half of them are pieces of the shipped files with some bytes changed, the others files that follow the grammar,
    /// whole or changed, whole shipped files, and random bytes.
    @Test("no input brings the reader down", .timeLimit(.minutes(60))) func noInputBringsReaderDown() throws {
        let variable = ProcessInfo.processInfo.environment["AUDIO_SESSION_FUZZ"]
        let rounds = try variable.map { try #require(Int($0), "AUDIO_SESSION_FUZZ is no number") } ?? 10_000
        var random = SplitMix(seed: 20_240_229)
        var grammar = Grammar(seed: 1)
        // Comments are passed over quickly and prove little.
        let texts = try ShippedFile.allCases.map { Array(withoutComments(try $0.bytes())) }
        var memory = 0
        var slowest = Duration.zero
        for round in 0..<rounds {
            let bytes = try input(round, texts, &grammar, &random)
            let start = ContinuousClock.now
            let file = PolicyFile(bytes: bytes, named: "t")
            _ = file.classifier?.classify(direction: .playback) { $0 == "media.role" ? "phone" : "Firefox" }
            slowest = max(slowest, ContinuousClock.now - start)
            let hasError = file.diagnostics.contains { $0.severity == .error }
            guard (file.policy == nil) == hasError, file.diagnostics.count <= Diagnosis.limit + 1 else {
                Issue.record("round \(round): \(bytes)")
                continue
            }
            if round % 16 == 0 { check(file, bytes) }
            // By then, whatever is allocated once has been.
            if round == rounds / 10 { memory = try residentMemory() }
        }
        #expect(slowest < .seconds(5))
        let growth = try residentMemory() - memory
        #expect(growth < 64 << 20, "\(growth) bytes more")
    }

    private func input(
        _ round: Int, _ texts: [[UInt8]], _ grammar: inout Grammar, _ random: inout SplitMix
    ) throws -> [UInt8] {
        if round % 500 == 499 {
            // Large, and mostly nonsense.
            let count = Int.random(in: 0...4096, using: &random)
            return (0..<count).map { _ in .random(in: 0...255, using: &random) }
        }
        var bytes: [UInt8]
        switch round % 4 {
        case 0:
            bytes = Array(grammar.file().utf8)
            if round % 8 == 0 { return bytes }
        case 1 where round % 200 == 1: bytes = try #require(texts.randomElement(using: &random))
        case 1: bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in .random(in: 0...255, using: &random) }
        default:
            let text = try #require(texts.randomElement(using: &random))
            let first = Int.random(in: 0..<text.count, using: &random)
            bytes = Array(text.dropFirst(first).prefix(Int.random(in: 0...160, using: &random)))
            if Bool.random(using: &random) { bytes = Array("roles={phone={".utf8) + bytes }
        }
        for _ in 0..<Int.random(in: 0...8, using: &random) { mutate(&bytes, using: &random) }
        return bytes
    }

    /// In bytes.
    private func residentMemory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private func check(_ file: PolicyFile, _ bytes: [UInt8]) {
        let lines = 1 + bytes.count { $0 == 0x0A || $0 == 0x0D }
        for diagnostic in file.diagnostics {
            let place = diagnostic.place ?? Place(line: 1, column: 1)
            let isInside = 1...lines ~= place.line && 1...(bytes.count + 1) ~= place.column
            let isOneLine = !diagnostic.description.unicodeScalars.contains { $0.value < 0x20 }
            if !isInside || !isOneLine { Issue.record("\(diagnostic) for \(bytes)") }
        }
    }

    private func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
        var isComment = false
        return bytes.filter { byte in
            if byte == 0x23 { isComment = true }
            if byte == 0x0A { isComment = false }
            return !isComment
        }
    }

    /// What is likely to matter: the syntax, and bytes at the edges of what is valid.
    private static let pieces: [[UInt8]] =
        [
            "{", "}", "[", "]", "\"", "\\", "\\u", "\\ud800", "\\udc00", "=", ":", ",", "#", "\n", "\r", "\0", "\t",
            " ",
            "none", "-", "1e999", "-0", "nan", "0x", "99999999999999999999", "é", "\u{FEFF}", "\u{10FFFF}", "roles",
            "duck",
            "aliases", "category", "preset=phone", "rules=[{matches=[{", "~", "!", "null", "~(a|b)+{9}", "~[[:",
            "interplay",
            "claims", "any", "update-session",
        ].map { Array($0.utf8) } + [[0x80], [0xC0], [0xE2, 0x82], [0xF4, 0x90], [0xFF], [0xED, 0xA0, 0x80]]

    private func mutate(_ bytes: inout [UInt8], using random: inout SplitMix) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let rest = bytes.count - place
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes.insert(.random(in: 0...255, using: &random), at: place)
        case 1: bytes.removeSubrange(place..<(place + min(rest, .random(in: 0...8, using: &random))))
        case 2 where rest > 0: bytes[place] = .random(in: 0...255, using: &random)
        case 3 where rest > 0: bytes[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
        case 4:
            let piece = bytes.dropFirst(place).prefix(.random(in: 0...24, using: &random))
            bytes.insert(contentsOf: Array(piece), at: .random(in: 0...bytes.count, using: &random))
        default: bytes.insert(contentsOf: FuzzTests.pieces.randomElement(using: &random) ?? [], at: place)
        }
    }
}
