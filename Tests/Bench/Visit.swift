import BenchReport
import Foundation
import TestKit

/// Plays music on a server and interrupts it several times in one recording. What was recorded is measured afterwards, so
/// that the measuring takes no time from the servers.
struct Visit: Sendable {
    let server: any PrivateServer
    /// A recording that goes on, or nil for one of the visit's own.
    let recording: Capture?
    let options: TransitionsOptions
    let ending: Ending

    /// One interruption, to be measured.
    struct Interruption: Sendable {
        let recorded: RecordedInterruption
        /// How much of the sound the server left out meanwhile, or was late by.
        let lost: Duration
    }

    /// How many interruptions fit into one recording in the short mode.
    static let shortInterruptions = 32
    /// How many servers of each kind play at the same time in the short mode.
    static let shortServers = 3

    /// The interrupted tone and the interrupting one: one recording tells who is heard.
    private static let music = Tone(440, on: .left)
    private static let interrupter = Tone(880, on: .right)
    /// The level of a tone of amplitude 0.5 that nobody lowers, in dBFS.
    private static let full = -6.02

    /// Writes what is played. The music is longer than any visit, and so is an interrupter that will be killed.
    static func writeSounds(_ options: TransitionsOptions, _ ending: Ending, to sandbox: Sandbox) throws {
        let length =
            ending == .killed
            ? Duration.seconds(10) : options.isShort ? .milliseconds(700) : .milliseconds(1200)
        _ = try sandbox.write(Signal.tone(music.frequency, for: .seconds(90), on: music.channel), to: "music.wav")
        _ = try sandbox.write(
            Signal.tone(interrupter.frequency, for: length, on: interrupter.channel), to: "interrupter.wav")
    }

    /// Where one interruption is in the recording.
    private struct Place {
        let launch: Int
        let end: Int
        let lost: Duration

        func moved(by frames: Int) -> Place { Place(launch: launch + frames, end: end + frames, lost: lost) }
    }

    /// Interrupts music as each row says, one after the other. Those after a failure are left out.
    func run(_ rows: [TransitionRow]) async throws -> [Interruption] {
        let capture: Capture
        if let recording { capture = recording } else { capture = try await Capture.start(on: server) }
        let first = recording?.frameCount ?? 0
        let player = try Client(
            .paplay, file: server.sandbox.path("home/music.wav"), as: ApplicationIdentity("music-player"), role: .music,
            on: server)
        try await capture.wait(for: Visit.music, at: Visit.full, lasting: .milliseconds(300), from: first)
        var places: [Place] = []
        do {
            var clock = try await CaptureClock(of: capture)
            for row in rows { places.append(try await interrupt(row, capture, &clock)) }
        } catch {
            note("\(rows[places.count].name): \(error)")
        }
        player.kill()
        try await player.waitForExit()
        let sound = recording != nil ? try capture.read(from: first) : try await capture.stop()
        return places.map { interruption($0.moved(by: -first), in: sound) }
    }

    private func interrupt(
        _ row: TransitionRow, _ capture: Capture, _ clock: inout CaptureClock
    ) async throws -> Place {
        // For the noise floor, and so that no moment of the tones or of the quantum is preferred.
        let quiet = Duration.milliseconds(options.isShort ? 200 : 700) + .milliseconds(Int.random(in: 0..<50))
        try await capture.record(quiet)
        let launch = max(capture.frameCount, clock.presentFrame)
        let client = try Client(
            .paplay, file: server.sandbox.path("home/interrupter.wav"), as: ApplicationIdentity("interrupter"),
            role: MediaRole(row.role), on: server)
        let begin = try await capture.wait(for: Visit.interrupter, at: Visit.full, from: launch)
        if ending == .killed {
            let length = Duration.milliseconds(options.isShort ? 650 : 1150) + .milliseconds(Int.random(in: 0..<50))
            try await capture.waitForFrames(begin + length.frames)
            client.kill()
        }
        let end = try await capture.wait(
            for: Visit.interrupter, below: -90, lasting: .milliseconds(20), from: begin + 480)
        try await client.waitForExit()
        let restored = try await capture.wait(
            for: Visit.music, at: Visit.full, tolerance: 0.05, lasting: .milliseconds(150), from: end)
        try await capture.waitForFrames(restored + Duration.milliseconds(200).frames)
        let later = try await CaptureClock(of: capture)
        let lost = later.lost(since: clock)
        clock = later
        return Place(launch: launch, end: restored + Duration.milliseconds(200).frames, lost: lost)
    }

    private func interruption(_ place: Place, in sound: Sound) -> Interruption {
        let begin = max(0, place.launch - Duration.milliseconds(600).frames)
        let frames = begin..<min(place.end, sound.frameCount)
        return Interruption(
            recorded: RecordedInterruption(
                sound: Sound(left: Array(sound.left[frames]), right: Array(sound.right[frames])), victim: Visit.music,
                interrupter: Visit.interrupter, launch: place.launch - begin),
            lost: place.lost)
    }
}
