import Foundation
import SessionTestKit

/// The interrupted tone and the interrupting one: one capture tells who is heard.
private let music = Tone(440, on: .left)
private let interrupter = Tone(880, on: .right)

/// The level of a tone of amplitude 0.5 that nobody lowers, in dBFS.
private let full = -6.02

/// Writes what is played. The music is longer than any visit, and so is an interrupter that will be killed.
func writeSounds(for ending: Ending, to sandbox: Sandbox) throws {
    let length = ending == .played ? Duration.milliseconds(1200) : .seconds(10)
    _ = try sandbox.write(Signal.tone(music.frequency, for: .seconds(60), on: music.channel), to: "music.wav")
    _ = try sandbox.write(
        Signal.tone(interrupter.frequency, for: length, on: interrupter.channel), to: "interrupter.wav")
}

/// Plays music on a server and interrupts it, once or several times, with each interruption measured on its own.
struct Visit<Server: PrivateServer> {
    let server: Server
    let ending: Ending
    /// Where the server writes when streams stop.
    let log: LogFile?

    func run(_ transitions: [Transition]) async throws -> [Measurement] {
        let capture = try await Capture.start(on: server)
        let player = try Client(
            .paplay, file: server.sandbox.path("home/music.wav"), as: ApplicationIdentity("music-player"), role: .music,
            on: server)
        try await capture.wait(for: music, at: full, lasting: .milliseconds(300), from: 0)
        var measurements: [Measurement] = []
        for transition in transitions { measurements.append(try await measure(transition, capture)) }
        player.kill()
        try await player.waitForExit()
        _ = try await capture.stop()
        return measurements
    }

    private func measure(_ transition: Transition, _ capture: Capture) async throws -> Measurement {
        let start = capture.frameCount
        let logStart = log?.lineCount ?? 0
        // For the noise floor, and so that no moment of the tones or of the quantum is preferred.
        let clock = try await CaptureClock(of: capture)
        try await capture.waitForFrames(
            start + Duration.milliseconds(1400).frames + Int.random(in: 0..<Duration.milliseconds(50).frames))
        let client = try Client(
            .paplay, file: server.sandbox.path("home/interrupter.wav"), as: ApplicationIdentity("interrupter"),
            role: transition.role, on: server)
        let begin = try await capture.wait(for: interrupter, at: full, from: start)
        if ending == .killed {
            try await capture.waitForFrames(
                begin + Duration.milliseconds(1150).frames + Int.random(in: 0..<Duration.milliseconds(50).frames))
            client.kill()
        }
        let end = try await capture.wait(
            for: interrupter, below: -90, lasting: .milliseconds(20), from: begin + 480)
        try await client.waitForExit()
        let restored = try await capture.wait(
            for: music, at: full, tolerance: 0.05, lasting: .milliseconds(150), from: end)
        try await capture.waitForFrames(restored + Duration.milliseconds(50).frames)
        let lost = try await CaptureClock(of: capture).lost(since: clock)
        let sound = try capture.read(from: start)
        guard
            let figures = InterruptionFigures(
                of: sound, interrupted: music, by: interrupter, marginAtEnd: .seconds(2))
        else { throw NothingHeard(transition: transition.name) }
        var tail: Duration?
        if let log, let stop = Self.streamStop(in: log, after: logStart) {
            tail = clock.moment(of: start + figures.interrupter.upperBound).duration(to: stop)
        }
        let level = ToneEnvelope(of: sound[music.channel], frequency: music.frequency)
        let last = figures.interrupter.upperBound
        let back = level.firstFrame(from: last, above: figures.fullLevel - 0.1).map { Duration.frames($0 - last) }
        return Measurement(figures: figures, back: back, tail: tail, lost: lost)
    }

    /// When the server heard that the interrupter paused its stream, or saw it go.
    private static func streamStop(in log: LogFile, after line: Int) -> LogMoment? {
        let lines = log.text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(line)
        return lines.first {
            $0.contains("] interrupter (") && $0.hasSuffix("is paused by its application")
                || $0.contains("(interrupter-") && $0.hasSuffix(") destroy")
        }.flatMap { LogMoment(logLine: $0) }
    }
}
