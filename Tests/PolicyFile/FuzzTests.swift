import SessionCore
import Testing

@testable import PolicyFile

@Suite struct FuzzTests {
    /// 100,000 pieces of the shipped files with some bytes changed, and 200 whole files: no trap, no hang, a message
    /// for whatever has no policy, and all messages on one line and inside the text.
    @Test(.timeLimit(.minutes(10))) func `no input brings the reader down`() throws {
        var random = SplitMix(seed: 20_240_229)
        // Comments are passed over quickly and prove little.
        let texts = try ShippedFile.allCases.map { Array(withoutComments(try $0.bytes())) }
        for round in 0..<100_200 {
            let text = try #require(texts.randomElement(using: &random))
            let isWhole = round >= 100_000
            let first = isWhole ? 0 : Int.random(in: 0..<text.count, using: &random)
            let length = isWhole ? text.count : Int.random(in: 0...160, using: &random)
            var bytes = Array(text.dropFirst(first).prefix(length))
            if !isWhole, Bool.random(using: &random) { bytes = Array("roles={phone={".utf8) + bytes }
            for _ in 0..<Int.random(in: 0...8, using: &random) { mutate(&bytes, using: &random) }
            let file = PolicyFile(bytes: bytes, named: "t")
            let hasError = file.diagnostics.contains { $0.severity == .error }
            guard (file.policy == nil) == hasError, file.diagnostics.count <= Diagnosis.limit + 1 else {
                Issue.record("round \(round): \(bytes)")
                continue
            }
            if round % 16 == 0 { check(file, bytes) }
        }
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
            "aliases", "category", "preset=phone",
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
