import Foundation
import TestKit

/// Starts the ordinary programs that make the sounds, and prints what it starts.
struct Stage: Sendable {
    let sandbox: Sandbox
    let timeline: Timeline

    /// Starts mpv with an explicit role, because mpv sets its own only after the stream has started.
    func playMusic(_ files: SoundFiles) throws -> ChildProcess {
        try start(
            "mpv plays music.", "mpv", ["--no-config", "--no-video", "--no-terminal", "--ao=pipewire", files.music],
            environment: ["PIPEWIRE_PROPS": "{ media.role = Music }"])
    }

    /// Starts a navigation prompt: paplay with an explicit role.
    func speakPrompt(_ files: SoundFiles) throws -> ChildProcess {
        try start(
            "A navigator speaks: \u{201c}In two hundred metres, turn left into Mill Lane.\u{201d}", "paplay",
            ["--property=media.role=Navigation", files.prompt])
    }

    /// Starts a ringing telephone.
    func ring(_ files: SoundFiles) throws -> ChildProcess {
        try start("The phone rings.", "pw-play", ["--media-role", "ringtone", files.ringing])
    }

    /// Starts a telephone call.
    func call(_ files: SoundFiles) throws -> ChildProcess {
        try start("The call is answered.", "paplay", ["--property=media.role=phone", files.call])
    }

    private func start(
        _ text: String, _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let shown = arguments.map { $0.hasPrefix("/") ? ($0 as NSString).lastPathComponent : $0 }
            .filter { !["--no-config", "--no-terminal"].contains($0) }
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0)='\($1)'" }
        timeline.act(text, command: (variables + [program] + shown).joined(separator: " "))
        // Started from a copy, because paplay and pw-play are links to other programs, whose names would appear in the
        // log.
        let copy = try sandbox.copy(of: program, named: program)
        return try sandbox.start(program, Invocation(copy, arguments, environment: environment))
    }
}

extension ChildProcess {
    /// Waits for the program's end, and throws if it failed.
    func succeed() async throws {
        let status = try await waitForExit()
        guard status == .exited(0) else { throw PlayerFailure(program: name, status: status, log: log.tail()) }
    }
}

/// A player that ended with an error.
struct PlayerFailure: Error, CustomStringConvertible {
    let program: String
    let status: ExitStatus
    let log: String

    var description: String { "\(program): \(status)\n\(log)" }
}
