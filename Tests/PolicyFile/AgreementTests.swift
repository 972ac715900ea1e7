import Foundation
import RandomPolicies
import SpaEvents
import Testing

@testable import PolicyFile

/// What a reader sees in a file, piece by piece.
private enum Piece: Equatable, CustomStringConvertible {
    case bracket(Character)
    case key(String)
    case value(String)

    var description: String {
        switch self {
        case .bracket(let bracket): "\(bracket)"
        case .key(let text): "\(text)="
        case .value(let text): "'\(text)'"
        }
    }
}

private final class Pieces {
    var all: [Piece] = []

    /// What this project's reader sees; `nil` when it finds a mistake.
    static func ours(_ bytes: [UInt8]) -> [Piece]? {
        let document = Document(bytes, named: "t")
        let pieces = Pieces()
        pieces.add(document.members)
        return document.isWellFormed ? pieces.all : nil
    }

    private func add(_ members: [Member]) {
        for member in members {
            all.append(.key(member.key.text))
            add(member.value)
        }
    }

    private func add(_ node: Node) {
        switch node.content {
        case .text(let text, _): all.append(.value(text))
        case .array(let elements):
            all.append(.bracket("["))
            for element in elements { add(element) }
            all.append(.bracket("]"))
        case .object(let members):
            all.append(.bracket("{"))
            add(members)
            all.append(.bracket("}"))
        }
    }

    /// What PipeWire's sees; `nil` when it stops at a mistake.
    static func theirs(_ bytes: [UInt8]) -> [Piece]? {
        let pieces = Pieces()
        let result = bytes.withUnsafeBytes { buffer in
            spa_events_read(
                buffer.bindMemory(to: CChar.self).baseAddress, buffer.count,
                { data, kind, text, length in
                    guard let data else { return }
                    let pieces = Unmanaged<Pieces>.fromOpaque(data).takeUnretainedValue()
                    let bytes = UnsafeRawBufferPointer(start: text, count: length)
                    let text = String(decoding: bytes, as: UTF8.self)
                    switch UInt8(bitPattern: kind) {
                    case UInt8(ascii: "k"): pieces.all.append(.key(text))
                    case UInt8(ascii: "v"): pieces.all.append(.value(text))
                    case let bracket: pieces.all.append(.bracket(Character(Unicode.Scalar(bracket))))
                    }
                }, Unmanaged.passUnretained(pieces).toOpaque())
        }
        return result >= 0 ? pieces.all : nil
    }
}

@Suite struct AgreementTests {
    /// All configuration files that the server and its session manager have installed.
    private static func installed() -> [String] {
        ["/usr/share/pipewire", "/usr/share/wireplumber"].flatMap { folder -> [String] in
            let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
            return names.filter { $0.hasSuffix(".conf") }.map { "\(folder)/\($0)" }
        }.sorted()
    }

    private func compare(_ bytes: [UInt8], _ name: String) {
        let (ours, theirs) = (Pieces.ours(bytes), Pieces.theirs(bytes))
        guard let ours, let theirs else {
            let reader = ours == nil ? "we" : "PipeWire"
            Issue.record("\(name): \(reader) cannot read it: \(String(decoding: bytes, as: UTF8.self))")
            return
        }
        let difference = zip(ours, theirs).enumerated().first { $0.element.0 != $0.element.1 }
        if let (place, pieces) = difference {
            Issue.record("\(name), piece \(place): \(pieces.0) here, \(pieces.1) in PipeWire")
        }
        #expect(ours.count == theirs.count, "\(name)")
    }

    @Test("PipeWire's and WirePlumber's own files are read as PipeWire reads them")
    func pipeWiresAndWirePlumbersOwnFilesAreRead() throws {
        let files = AgreementTests.installed()
        // Without any, nothing has been shown.
        for folder in ["/usr/share/pipewire/", "/usr/share/wireplumber/"] {
            #expect(files.contains { $0.hasPrefix(folder) }, "no configuration files in \(folder)")
        }
        var pieces = 0
        for file in files {
            let bytes = try FileContents.read(file).get()
            compare(bytes, file)
            pieces += Pieces.ours(bytes)?.count ?? 0
        }
        #expect(pieces > 200)
    }

    @Test("shipped files are read as PipeWire reads them", arguments: ShippedFile.allCases)
    func shippedFilesAreReadAsPipeWireReadsThem(file: ShippedFile)
        throws
    {
        compare(try file.bytes(), file.rawValue)
    }

    @Test("whatever files say is read as PipeWire reads it") func whateverFilesSayIsReadAsPipeWireReadsIt() {
        var grammar = Grammar(seed: 5)
        // Newer releases of PipeWire, as 1.4.2, want quotes around other letters than ASCII's.
        let wantsQuotes = Pieces.theirs(Array("ünïcode = 1".utf8)) == nil
        for round in 0..<150 {
            let text = grammar.file()
            let quoted = text.replacingOccurrences(of: "ünïcode", with: "\"ünïcode\"")
            compare(Array((wantsQuotes ? quoted : text).utf8), "round \(round)")
        }
    }

    @Test("what is written is read as PipeWire reads it") func whatIsWrittenIsReadAsPipeWireReadsIt() {
        var grammar = Grammar(seed: 6)
        for round in 0..<40 {
            let assembly = Assembly(
                [Document(Array(grammar.file().utf8), named: "t")], presetsFrom: Layers(folders: []))
            compare(Array(EffectivePolicy(assembly).text.utf8), "round \(round)")
        }
    }
}
