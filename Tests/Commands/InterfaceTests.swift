import BusInterface
import Foundation
import FoundationXML
import TestKit
import Testing

/// The description of the D-Bus interface that is installed for developers: it is made from the tables that the service
/// itself works by.
@Suite struct InterfaceTests {
    @Test("the installed description is that of the service; other derived files are what they should be, too")
    func derivedFiles() throws {
        let process = Process()
        process.executableURL = try Project.command.deletingLastPathComponent().appending(path: "derived")
        process.arguments = [Project.folder.path(), "--check"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let printed = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && printed.isEmpty, "\(printed)")
    }

    @Test("the installed description is well-formed, and has everything") func installedDescriptionIsWellFormed() throws
    {
        let counter = ElementCounter()
        let parser = XMLParser(data: try Data(contentsOf: Project.interface))
        parser.delegate = counter
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        let interfaces = [WireInterface.manager, .session]
        #expect(counter.counts["interface"] == 2)
        #expect(counter.counts["method"] == interfaces.map(\.methods.count).reduce(0, +))
        #expect(counter.counts["signal"] == interfaces.map(\.signals.count).reduce(0, +))
        #expect(counter.counts["property"] == interfaces.map(\.properties.count).reduce(0, +))
    }

    /// The first block of code in a language on a page.
    private func example(_ language: String, on path: String) throws -> String {
        let page = try String(contentsOf: Project.folder.appending(path: path), encoding: .utf8)
        let block = try #require(page.components(separatedBy: "```\(language)\n").dropFirst().first)
        return try #require(block.components(separatedBy: "```").first)
    }

    @Test("the examples for shells work") func examplesForShellsWork() async throws {
        try await CannedDesk.run { desk in
            let page = "Sources/AudioSession/Documentation.docc/Applications.md"
            let lines = try example("sh", on: page).split(separator: "\n")
            #expect(lines.count == 5)
            for line in lines {
                let status = try desk.run("/bin/sh", ["-c", String(line)]).status
                #expect(status == .exited(0), "\(line)")
            }
            #expect(
                desk.manager.asked == [
                    #"Explain "mpv""#, "Set Silent true", "ListSessions", #"BeginInterruption "alarm" {}"#,
                ])
        }
    }

    @Test("the example in Python works") func exampleInPythonWorks() async throws {
        try await CannedDesk.run { desk in
            let program = try desk.start("/usr/bin/python3", ["-u", "-c", example("python", on: "README.md")])
            // It goes on after the interruption, and the desk interrupts it at each activation.
            let asked = [#"SetCategory "playback" [] "default""#, "Activate []", "Activate []"]
            try desk.wait(for: "another activation", evidence: program.complaints) {
                (desk.manager.session?.asked.count ?? 0) >= asked.count
            }
            #expect(desk.manager.session?.asked.prefix(asked.count) == asked[...])
            // The signals come behind the answer, but its handlers run in the loop.
            #expect(program.lines.prefix(2) == ["active", "interrupted by Calls"])
            program.child.signal(SIGKILL)
        }
    }
}

private final class ElementCounter: NSObject, XMLParserDelegate {
    var counts: [String: Int] = [:]

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        counts[element, default: 0] += 1
    }
}
