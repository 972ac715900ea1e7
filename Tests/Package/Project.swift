import Foundation
import TestKit

/// The project's folder, and what `install/build` has made in it.
enum Project {
    /// The folder.
    static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// Whether tests run that take minutes: those with sanitizers.
    static let runsAll = ProcessInfo.processInfo.environment["AUDIO_SESSION_ALL"] != nil

    /// The version that the sources state.
    static var version: String {
        get throws {
            let names = try text("Sources/BusInterface/AudioSessionNames.swift")
            return String(names.firstMatch(of: /static let version = "([0-9.]+)"/)?.1 ?? "")
        }
    }

    /// The absolute path of a file of the project.
    static func path(_ file: String) -> String { "\(folder)/\(file)" }

    /// The text of a file of the project.
    static func text(_ file: String) throws -> String { try String(contentsOfFile: path(file), encoding: .utf8) }

    /// The files in a folder of the project with one of the endings, by their paths from the project's folder.
    static func files(in folder: String, ending: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).filter { $0.hasSuffix(ending) }.sorted()
            .map { "\(folder)/\($0)" }
    }
}

/// What is built for the modules, users and applications.
enum Binary: String, CaseIterable {
    case pipeWire = ".build/modules/libpipewire-module-audio-session.so"
    case pulseAudio = ".build/modules/module-audio-session.so"
    case command = ".build/commands/audio-session"
    case library = ".build/library/libaudiosession.so.1"

    static let modules = [pipeWire, pulseAudio]
    static let loaded = [pipeWire, pulseAudio, library]

    var path: String { Project.path(rawValue) }
    var name: String { (rawValue as NSString).lastPathComponent }
}

/// How a program in C is built.
enum Build: String {
    case plain, address, thread

    static let sanitized = [address, thread]

    /// What the compiler and the linker need for it.
    var flags: [String] {
        switch self {
        case .plain: []
        case .address: ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
        case .thread: ["-fsanitize=thread"]
        }
    }

    /// What a program that is built so needs when it runs.
    var environment: [String: String] {
        ["ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0", "TSAN_OPTIONS": "die_after_fork=0:halt_on_error=1"]
    }
}

/// A command ended with another status than expected.
struct OtherStatus: Error, CustomStringConvertible {
    let command: [String]
    let status: ExitStatus
    /// All that it has printed.
    let text: String

    var description: String { "\(command.joined(separator: " ")): \(status)\n\(text)" }
}

extension Sandbox {
    /// Runs a command in the project's folder, and returns what it prints, also to standard error.
    ///
    /// It may take minutes, because some commands compile.
    ///
    /// - Throws: ``OtherStatus`` if its status is not the expected one.
    @discardableResult
    func output(
        of command: [String], status: Int32 = 0, environment: [String: String] = [:], in folder: String = Project.folder
    ) async throws -> String {
        let name = (command[0] as NSString).lastPathComponent
        let child = try start(name, Invocation("env", ["-C", folder] + command, environment: environment))
        let ending = try await child.waitForExit(within: hangLimit * 5)
        guard ending == .exited(status) else {
            throw OtherStatus(command: command, status: ending, text: child.log.text)
        }
        return child.log.text
    }

    /// The flags that pkg-config prints for packages.
    func flags(_ option: String, _ packages: String..., environment: [String: String] = [:]) async throws -> [String] {
        try await output(
            of: ["pkg-config"] + option.split(separator: " ").map(String.init) + packages, environment: environment
        )
        .split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// A variable of a package, such as the folder of PipeWire's modules.
    func variable(_ name: String, of package: String) async throws -> String {
        try await flags("--variable=\(name)", package).first ?? ""
    }

    /// Copies what `install/install` needs of the project, with what is built, and returns the copy's folder. Its
    /// `install/build` has nothing to do.
    func copyOfProject() async throws -> String {
        let project = path("project")
        try FileManager.default.createDirectory(atPath: project, withIntermediateDirectories: false)
        let built = ["modules", "commands", "library"].map { ".build/\($0)" }
        let sources = ["install", "policy", "Sources/CAudioSession/include", "Sources/CAudioSession/compat"]
        try await output(of: ["cp", "-rL", "--parents"] + sources + built + [project])
        try write("#!/bin/sh\n", to: "project/install/build")
        try await output(of: ["chmod", "+x", "\(project)/install/build"])
        return project
    }

    /// Compiles and links C with all warnings as errors; returns the path of the result.
    func compile(
        _ sources: [String], to name: String, compiler: String = "cc", flags: [String] = []
    ) async throws -> String {
        let result = path(name)
        try await output(
            of: [compiler, "-g", "-Wall", "-Wextra", "-Werror"] + flags + sources + [
                "-o", result, "-lm", "-ldl", "-pthread",
            ])
        return result
    }
}

/// The lines of a text that are not empty.
func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
