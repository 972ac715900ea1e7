import Foundation
import TestKit

/// One run of the built command: what it printed, and how it ended.
struct CommandRun {
    let status: Int32
    let output: String
    let complaints: String

    /// Runs the command to its end, with nothing of the caller's environment that it looks at.
    init(_ arguments: [String], environment: [String: String] = [:], folder: TemporaryFolder) throws {
        try self.init(Project.command.path(), arguments, environment: environment, folder: folder)
    }

    /// Runs another program the same way.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], folder: TemporaryFolder
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: program.contains("/") ? program : "/usr/bin/\(program)")
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = Sandbox.sanitizerOptions
            .merging(["HOME": folder.url.path(), "PATH": "/usr/bin:/bin"]) { $1 }
            .merging(environment) { $1 }
        // Files, because a pipe that nobody reads can fill.
        let files = try ["output", "complaints"].map { name in
            let path = try folder.file(".\(name)", "")
            return (path: path, handle: try FileHandle(forWritingTo: URL(filePath: path)))
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = files[0].handle
        process.standardError = files[1].handle
        try process.run()
        process.waitUntilExit()
        status = process.terminationStatus
        output = try String(contentsOfFile: files[0].path, encoding: .utf8)
        complaints = try String(contentsOfFile: files[1].path, encoding: .utf8)
    }
}
