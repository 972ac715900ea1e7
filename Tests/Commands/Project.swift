import Foundation
import Testing

/// Where things are that the tests need: the shipped scenarios, the snapshots, and the command as it was built.
enum Project {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let scenarios = folder.appending(path: "policy/scenarios")
    /// What is installed of the D-Bus interface.
    static let interface = folder.appending(path: "install/dbus/org.AudioSession1.xml")
    static let snapshots = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")

    /// The command, which is built into the folder that this program is in.
    static var command: URL {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: own).deletingLastPathComponent().appending(path: "audio-session")
        }
    }

    /// The names of all shipped scenarios.
    static let scenarioNames: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: scenarios.path())) ?? []
        return files.filter { $0.hasSuffix(".scenario") }.map { String($0.dropLast(".scenario".count)) }.sorted()
    }()

    static func path(ofScenario name: String) -> String {
        scenarios.appending(path: "\(name).scenario").path()
    }

    /// Compares with a file under Snapshots. With AUDIO_SESSION_SNAPSHOTS=record in the environment the file is written
    /// anew, and the test fails, so that nobody records by accident.
    static func compare(
        _ text: String, withSnapshot name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try compare(text, with: snapshots.appending(path: name), sourceLocation: sourceLocation)
    }

    /// Compares with any file of the project, in the same way.
    static func compare(
        _ text: String, with file: URL, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        if ProcessInfo.processInfo.environment["AUDIO_SESSION_SNAPSHOTS"] == "record" {
            try text.write(to: file, atomically: true, encoding: .utf8)
            Issue.record(
                "\(file.lastPathComponent) was recorded; look at the difference", sourceLocation: sourceLocation)
        }
        #expect(try text == String(contentsOf: file, encoding: .utf8), sourceLocation: sourceLocation)
    }
}

/// A folder of its own for each test, which ends with it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "audio-session-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path()
    }
}
