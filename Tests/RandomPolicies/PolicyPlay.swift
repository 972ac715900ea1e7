import Foundation
import PolicyEngine
import RandomEvents

@testable import PolicyFile

/// A random policy file: the reader reads it to its end, every message stands inside the text on one line, and there is a
/// policy exactly if there is no error. What is read can be written out as one file, and read again as the same.
///
/// One in four is three files over each other that are mostly right. The others are such a file, a piece of a shipped one,
/// or random bytes, some of which are changed.
public struct PolicyPlay: RandomPlay {
    private let seed: UInt64
    private var random: SplitMix64
    private var grammar: Grammar
    /// What is wrong; `nil` for nothing.
    public private(set) var failure: String?

    /// The play of a seed.
    public init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        grammar = Grammar(seed: seed)
    }

    /// Makes the file, and reads it.
    public mutating func play() {
        if seed % 4 == 3 {
            writeOut((0..<3).map { _ in Array(grammar.file().utf8) })
        } else {
            let bytes = bytes()
            read(bytes)
            if failure == nil { writeOut([bytes]) }
        }
    }

    private mutating func fail(_ text: String, _ bytes: [UInt8]) {
        failure = failure ?? "\(text), in:\n\(String(decoding: bytes, as: UTF8.self))\n\(bytes)"
    }

    private mutating func read(_ bytes: [UInt8]) {
        let file = PolicyFile(bytes: bytes, named: "t")
        _ = file.classifier?.classify(direction: .playback) { $0 == "media.role" ? "phone" : "Firefox" }
        let hasError = file.diagnostics.contains { $0.severity == .error }
        if (file.policy == nil) != hasError { fail("a policy in spite of errors, or none without", bytes) }
        if file.diagnostics.count > Diagnosis.limit + 1 { fail("\(file.diagnostics.count) messages", bytes) }
        let lines = 1 + bytes.count { $0 == 0x0A || $0 == 0x0D }
        for diagnostic in file.diagnostics {
            let place = diagnostic.place ?? Place(line: 1, column: 1)
            let isInside = 1...lines ~= place.line && 1...(bytes.count + 1) ~= place.column
            let isOneLine = !diagnostic.description.unicodeScalars.contains { $0.value < 0x20 }
            if !isInside || !isOneLine { fail("the message \(diagnostic)", bytes) }
        }
    }

    /// Layers amount to the same when they are written out as one file.
    private mutating func writeOut(_ layers: [[UInt8]]) {
        let documents = layers.enumerated().map { Document($1, named: "\($0)") }
        let assembly = Assembly(documents, presetsFrom: Layers(folders: []))
        let written = EffectivePolicy(assembly).text
        let read = PolicyFile(bytes: Array(written.utf8), named: "written")
        if read.policy != assembly.contents.policy || read.classifier != assembly.contents.classifier {
            let all = Array(layers.joined(separator: [0x0A]))
            fail("not the same when it is written out:\n\(written)\(read.diagnostics)", all)
        }
    }

    // MARK: - Bytes

    private mutating func bytes() -> [UInt8] {
        var bytes: [UInt8]
        switch random.below(8) {
        case 0: return Array(grammar.file().utf8)
        case 1, 2: bytes = Array(grammar.file().utf8)
        case 3: bytes = (0..<random.below(random.oneIn(60) ? 4096 : 60)).map { _ in UInt8(random.below(256)) }
        default:
            let text = random.pick(Self.shipped)
            let first = random.below(text.count)
            bytes = Array(text.dropFirst(first).prefix(random.oneIn(100) ? text.count : random.below(160)))
            if random.oneIn(2) { bytes = Array("roles={phone={".utf8) + bytes }
        }
        for _ in 0..<random.below(9) { mutate(&bytes) }
        return bytes
    }

    /// The shipped files without comments, which are passed over quickly and prove little.
    private static let shipped = ["desktop", "phone"].map { name in
        let folder = URL(fileURLWithPath: #filePath + "/../../../policy").standardized
        let text = (try? String(contentsOf: folder.appendingPathComponent("\(name).conf"), encoding: .utf8)) ?? ""
        return Array(text.replacing(/#.*/, with: "").utf8)
    }

    /// What is likely to matter: the syntax, and bytes at the edges of what is valid.
    private static let pieces: [[UInt8]] =
        [
            "{", "}", "[", "]", "\"", "\\", "\\u", "\\ud800", "\\udc00", "=", ":", ",", "#", "\n", "\r", "\0", "\t",
            " ", "none", "-", "1e999", "-0", "nan", "0x", "99999999999999999999", "é", "\u{FEFF}", "\u{10FFFF}",
            "roles",
            "duck", "aliases", "category", "preset=phone", "rules=[{matches=[{", "~", "!", "null", "~(a|b)+{9}", "~[[:",
            "interplay", "claims", "any", "update-session",
        ].map { Array($0.utf8) } + [[0x80], [0xC0], [0xE2, 0x82], [0xF4, 0x90], [0xFF], [0xED, 0xA0, 0x80]]

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let place = random.below(bytes.count + 1)
        let rest = bytes.count - place
        switch random.below(6) {
        case 0: bytes.insert(UInt8(random.below(256)), at: place)
        case 1: bytes.removeSubrange(place..<(place + min(rest, random.below(9))))
        case 2 where rest > 0: bytes[place] = UInt8(random.below(256))
        case 3 where rest > 0: bytes[place] ^= UInt8(1) << UInt8(random.below(8))
        case 4:
            let piece = Array(bytes.dropFirst(place).prefix(random.below(25)))
            bytes.insert(contentsOf: piece, at: random.below(bytes.count + 1))
        default: bytes.insert(contentsOf: random.pick(Self.pieces), at: place)
        }
    }
}
