import BusInterface
import Foundation
import Terms

/// Files that follow from others: `derived FOLDER` writes them in the project's folder, `derived FOLDER --check` names the
/// first line in which one is not what would be written.
let arguments = CommandLine.arguments.dropFirst()
guard let folder = arguments.first, arguments.count <= 2 else {
    FileHandle.standardError.write(Data("usage: derived FOLDER [--check]\n".utf8))
    exit(2)
}
let isCheck = arguments.last == "--check"

func text(of path: String) throws -> String { try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8) }

/// The errors of the service with their results, as rows of a table in C.
func errorsOfC() -> String {
    let rows = WireErrorName.phoneResults.sorted { $0.key < $1.key }.map { name, characters in
        let number = characters.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return "        { \"\(name)\", 0x\(String(number, radix: 16)) }, /* '\(characters)' */\n"
    }
    return "/* Written by Tests/bin/derived from Sources/BusInterface/AudioSessionNames.swift. */\n" + rows.joined()
}

/// The names of routes, as rows of a table in C.
func routesOfC() -> String {
    let rows = PortType.routeNames.map { route in
        let input =
            switch route.input {
            case .type(let type): type.rawValue
            case .some: "+"
            case .any: "*"
            }
        return "        { \"\(route.output?.rawValue ?? "")\", \"\(input)\", \"\(route.name)\" },\n"
    }
    return "/* Written by Tests/bin/derived from Sources/Terms/Ports.swift. */\n" + rows.joined()
}

/// What the C library exports, each with the version that first did: all that the header declares.
func symbolsOfDebian() throws -> String {
    let path = "install/debian/libaudiosession1.symbols"
    let header = try text(of: "Sources/CAudioSession/include/audio_session.h")
    let declaration = /\n *AUDIO_SESSION_(?:PUBLIC [^;]*?\b(AudioSession\w+)\(|TEXT\((kAudioSession\w+),)/
    let declared = header.matches(of: declaration).map { String($0.1 ?? $0.2 ?? "") }
    let lines = try text(of: path).split(separator: "\n")
    let names = (["AUDIOSESSION_1"] + declared.sorted()).map { "\($0)@AUDIOSESSION_1" }
    let version = AudioSessionBus.version
    // Programs that use it would not start any more.
    if let gone = lines.dropFirst().first(where: { line in !names.contains { line.hasPrefix(" \($0) ") } }) {
        print("\(path): the header does not declare\(gone) any more; take the line out by hand if that is wanted")
        exit(1)
    }
    return
        ([lines.first ?? ""]
        + names.map { name in
            lines.first { $0.hasPrefix(" \(name) ") } ?? " \(name) \(version)"
        }).map { "\($0)\n" }.joined()
}

let files = [
    "install/dbus/org.AudioSession1.xml": WireInterface.introspection(of: [.manager, .session]),
    "Sources/CAudioSession/errors.inc": errorsOfC(),
    "Sources/CAudioSession/routes.inc": routesOfC(),
    "install/debian/libaudiosession1.symbols": try symbolsOfDebian(),
]
var isRight = true
for (path, wanted) in files.sorted(by: { $0.key < $1.key }) {
    let present = (try? text(of: path)) ?? ""
    if present == wanted { continue }
    if isCheck {
        let lines = (present.components(separatedBy: "\n"), wanted.components(separatedBy: "\n"))
        let line = zip(lines.0, lines.1).prefix { $0 == $1 }.count
        let (found, expected) = (lines.0.dropFirst(line).first ?? "", lines.1.dropFirst(line).first ?? "")
        print("\(path):\(line + 1): found '\(found)', expected '\(expected)'; Tests/bin/derived writes it")
        isRight = false
    } else {
        try wanted.write(toFile: "\(folder)/\(path)", atomically: true, encoding: .utf8)
        print("\(path) was written")
    }
}
exit(isRight ? 0 : 1)
