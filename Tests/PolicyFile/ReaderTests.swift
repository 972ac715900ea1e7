import PolicyEngine
import Testing

@testable import PolicyFile

/// A tree without places, to be written down in a test.
private indirect enum Tree: Equatable, CustomStringConvertible {
    case text(String)
    case array([Tree])
    case object([(key: String, value: Tree)])

    init(_ node: Node) {
        switch node.content {
        case .text(let text, _): self = .text(text)
        case .array(let elements): self = .array(elements.map { Tree($0) })
        case .object(let members): self = Tree(members)
        }
    }

    init(_ members: [Member]) { self = .object(members.map { ($0.key.text, Tree($0.value)) }) }

    /// The tree as strict JSON.
    var description: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .array(let elements): "[\(elements.map(\.description).joined(separator: ","))]"
        case .object(let members): "{\(members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
        }
    }

    static func == (left: Tree, right: Tree) -> Bool { left.description == right.description }
}

private func read(_ bytes: [UInt8]) -> (members: [Member], messages: [String]) {
    let document = Document(bytes, named: "t")
    return (document.members, document.mistakes.diagnostics.map(\.description))
}

private func read(_ text: String) -> (members: [Member], messages: [String]) { read(Array(text.utf8)) }

@Suite struct ReaderTests {
    @Test(
        "the relaxed syntax is read as PipeWire reads it",
        arguments: [
            // Nothing
            ("", "{}"), (" \t\r\n,, ,", "{}"), ("# only a comment", "{}"), ("{}", "{}"), ("{ } # end", "{}"),
            // Between key and value
            ("a = 1", #"{"a":"1"}"#), ("a: 1", #"{"a":"1"}"#), ("a 1", #"{"a":"1"}"#), ("a=1", #"{"a":"1"}"#),
            ("a\n=\n1", #"{"a":"1"}"#), ("a # why\n= # not\n1", #"{"a":"1"}"#), ("\"a\"\"1\"", #"{"a":"1"}"#),
            ("\"a\":\"1\",\"b\":\"2\"", #"{"a":"1","b":"2"}"#),
            // Between members
            ("a 1 b 2", #"{"a":"1","b":"2"}"#), ("{ a = 1, b = 2, }", #"{"a":"1","b":"2"}"#),
            ("{ a = 1,, b = 2 }", #"{"a":"1","b":"2"}"#), ("a=1\r\nb=2\rc=3", #"{"a":"1","b":"2","c":"3"}"#),
            // Brackets
            ("a = [ 1, 2 3 ]", #"{"a":["1","2","3"]}"#), ("a [] b {}", #"{"a":[],"b":{}}"#),
            ("a[1]b{c 2}", #"{"a":["1"],"b":{"c":"2"}}"#), ("a = [ [ ] { } [ x ] ]", #"{"a":[[],{},["x"]]}"#),
            ("a = { b = { c = [ { d = e } ] } }", #"{"a":{"b":{"c":[{"d":"e"}]}}}"#),
            // Words
            ("a = -1.5e3", #"{"a":"-1.5e3"}"#), ("media.role = ~alsa_*.!/", #"{"media.role":"~alsa_*.!/"}"#),
            ("größe = naïve", #"{"größe":"naïve"}"#), ("a = b#c\nd = e", #"{"a":"b","d":"e"}"#),
            ("a 1 a 2", #"{"a":"1","a":"2"}"#), ("a = x\\y", #"{"a":"x\y"}"#),
            // Strings
            (#"a = "b c""#, #"{"a":"b c"}"#), (##"a = "#""##, ##"{"a":"#"}"##),
            (#"a = "{[=:,]}""#, #"{"a":"{[=:,]}"}"#),
            (#"a = """#, #"{"a":""}"#), (#""" = a"#, #"{"":"a"}"#), (#"a = "\"\\\/""#, #"{"a":""\/"}"#),
            (#"a = "\b\f\n\r\t""#, "{\"a\":\"\u{8}\u{C}\n\r\t\"}"), (#"a = "\u00e9\u20AC""#, #"{"a":"é€"}"#),
            (#"a = "\ud83c\udfb5""#, #"{"a":"🎵"}"#), (#"a = "\u0000""#, "{\"a\":\"\0\"}"),
            (#"a = "x"[y]"#, #"{"a":"x"}"#),
        ])
    func relaxedSyntaxIsReadAsPipeWireReadsIt(text: String, tree: String) {
        let read = read(text)
        // The last one has a value too many, which is the only mistake in the table.
        if !text.hasSuffix("[y]") { #expect(read.messages == []) }
        #expect(Tree(read.members).description == tree)
    }

    @Test("every key and value knows its place, counted in scalars") func everyKeyAndValueKnowsItsPlaceCounted() throws
    {
        let read = read("\u{FEFF}# e\u{301}\r\n\té = [ x \"ö\" { k : v } ]\n{")
        let member = try #require(read.members.first)
        #expect(member.key == Key(text: "é", place: Place(line: 2, column: 2)))
        #expect(member.value.place == Place(line: 2, column: 6))
        guard case .array(let elements) = member.value.content, case .object(let inner) = elements.last?.content else {
            Issue.record("no array with an object")
            return
        }
        #expect(elements.map(\.place) == [8, 10, 14].map { Place(line: 2, column: $0) })
        #expect(inner.first?.key.place == Place(line: 2, column: 16))
        #expect(inner.first?.value.place == Place(line: 2, column: 20))
        #expect(read.messages.first == "t:3:1: error: found '{', expected a key")
    }

    @Test("every kind of line end counts as one", arguments: ["\n", "\r\n", "\r"]) func everyKindOfLineEndCountsAsOne(
        end: String
    ) {
        let text = ["preset = phone", "# comment", "", "duck = { gain = 3 }"].joined(separator: end)
        let file = PolicyFile(text: text, named: "t")
        #expect(file.diagnostics.map(\.place) == [Place(line: 4, column: 17)])
    }

    @Test("a file saved on Windows is the same file") func fileSavedOnWindowsIsSameFile() throws {
        for file in ShippedFile.allCases {
            var bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
            for byte in try file.bytes() {
                if byte == 0x0A { bytes.append(0x0D) }
                bytes.append(byte)
            }
            let read = PolicyFile(bytes: bytes, named: "t")
            #expect(read.diagnostics == [])
            #expect(read.policy?.with { $0.name = file.rawValue } == file.policy)
        }
    }

    @Test(
        "what is no UTF-8 is an error in a text and nothing in a comment",
        arguments: [
            // A stray continuation, an overlong slash, half a pair, beyond the last scalar, cut off, not UTF-8 at all.
            [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFF, 0xFE],
        ] as [[UInt8]])
    func whatIsNoUTF8IsErrorInTextAndNothingInComment(bytes: [UInt8]) {
        let quoted = read(Array("a = \"x".utf8) + bytes + Array("\"\nb = 1".utf8))
        #expect(quoted.messages == ["t:1:7: error: found bytes that are no UTF-8, expected UTF-8"])
        #expect(Tree(quoted.members).description == #"{"b":"1"}"#)
        let bare = read(Array("a = x".utf8) + bytes + Array("\nb = 1".utf8))
        #expect(bare.messages == ["t:1:6: error: found bytes that are no UTF-8, expected UTF-8"])
        let key = read(bytes + Array(" = 1".utf8))
        #expect(key.messages == ["t:1:1: error: found bytes that are no UTF-8, expected UTF-8"])
        let comment = read(Array("# x".utf8) + bytes + Array("\nb = 1".utf8))
        #expect(comment.messages == [])
        #expect(Tree(comment.members).description == #"{"b":"1"}"#)
        let end = read(Array("a = \"".utf8) + bytes)
        #expect(end.messages.count == 2)
    }

    // Not within the attribute: Swift 6.0 ends when it reads an interpolation there.
    private static let serverFiles =
        ["pipewire", "pipewire-pulse", "client", "client-rt", "jack", "minimal"].map {
            "/usr/share/pipewire/\($0).conf"
        }
        + ["/usr/share/wireplumber/wireplumber.conf"]

    @Test("the server's own files are read without a complaint, where there are any", arguments: serverFiles)
    func serversOwnFilesAreReadWithoutComplaintWhere(path: String) {
        guard case .success(let bytes) = FileContents.read(path) else { return }
        let read = read(bytes)
        #expect(read.messages == [])
        #expect(!read.members.isEmpty)
    }

    @Test("a forgotten bracket costs one message and no other part of the file")
    func forgottenBracketCostsOneMessageAndNoOther() {
        let file = PolicyFile(
            text: """
                roles = {
                  navigation = { options = [ duck-others }
                  game = { fade = 3 }
                }
                duck = { gain = 1 }
                """, named: "t")
        #expect(
            file.diagnostics.map(\.place) == [
                Place(line: 2, column: 42), Place(line: 3, column: 19), Place(line: 5, column: 17),
            ])
    }
}

@Suite struct LimitTests {
    @Test("64 brackets inside each other are read, 65 are refused") func deepNestingIsRefused() {
        for (open, close) in [("[", "]"), ("{a=", "}")] {
            let deepest = "x=" + String(repeating: open, count: 64) + "1" + String(repeating: close, count: 64)
            let tooDeep = "x=" + String(repeating: open, count: 65) + "1" + String(repeating: close, count: 65)
            #expect(read(deepest).messages == [])
            let column = 3 + 64 * open.count
            #expect(
                read(tooDeep).messages == [
                    "t:1:\(column): error: found more than 64 brackets inside each other, expected fewer"
                ])
        }
    }

    @Test("a megabyte is read, a byte more is refused") func megabyteIsReadByteMoreIsRefused() {
        let line = Array("# music\n".utf8)
        var bytes = [UInt8]((0..<(1 << 17)).map { _ in line }.joined())
        #expect(bytes.count == PolicyFile.maximumSize)
        #expect(PolicyFile(bytes: bytes, named: "t").policy == .desktop)
        bytes.append(0x0A)
        let file = PolicyFile(bytes: bytes, named: "t")
        #expect(file.policy == nil)
        #expect(file.diagnostics.map(\.description) == ["t: error: found 1048577 bytes, expected at most 1048576"])
    }

    /// Pieces of one kind that are repeated without end.
    private static let pieces = [
        "[", "{", "]", "}", "\"", "=", "a", "a ", "\0", "\\", "#", "\u{FFFF}", "a=[", "{a={", "\"\\u\"",
    ]

    @Test("a large file of one kind is read to its end", arguments: pieces)
    func largeFileOfOneKindIsRead(piece: String) {
        let bytes = Array(String(repeating: piece, count: (1 << 13) / piece.utf8.count).utf8)
        #expect(PolicyFile(bytes: bytes, named: "t").diagnostics.count <= Diagnosis.limit + 1)
    }

    private struct Large: Sendable, CustomTestStringConvertible {
        var start: String
        var part: String
        var end: String
        var testDescription: String { start + part }

        init(_ start: String, _ part: String, _ end: String) { (self.start, self.part, self.end) = (start, part, end) }
    }

    /// Sections whose policy grows with the file, and errors in all of their parts; `#` is a number. How long such files
    /// take is measured by `Tests/bin/bench policy`.
    private static let sections = [
        Large("roles={", "r#={category=ambient aliases=[a#]} ", "}"), Large("roles={", "r#=none ", "}"),
        Large("roles={", "r#={aliases=[game prompt r]} ", "}"), Large("roles={", "r#=none r#={aliases=[b]} ", "}"),
        Large("roles={", "game={aliases=[x y]} ", "}"), Large("roles={", "game={r#=1} ", "}"),
        Large("interplay={", "r#={any=mix x#=cork} ", "}"), Large("interplay={", "music={r#=duck} ", "}"),
        Large("rules=[", "{matches=[{a=#}] actions={update-session={role=music fade=20}}} ", "]"),
        Large("rules=[", "{matches=[{a=x}] actions={update-session={role=game mode=voice-chat}}} ", "]"),
        Large("rules=[", "{matches=[{a=\"~^x(y|#)+\"}] actions={update-session={role=r#}}} ", "]"),
        Large("claims={phone={allow=[", "{a=#} ", "]}}"),
    ]

    @Test("a large section is read to its end, with a limit of messages", arguments: sections)
    private func largeSectionIsRead(_ section: Large) {
        let parts = (0..<300).map { section.part.replacing("#", with: "\($0)") }
        let file = PolicyFile(text: section.start + parts.joined() + section.end, named: "t")
        #expect(file.diagnostics.count <= Diagnosis.limit + 1)
        _ = file.classifier?.classify(direction: .playback) { _ in "x" }
    }
}
