import Foundation
import TestKit

/// The moments of the performance, in frames of the capture.
struct Cues: Sendable {
    /// The start of the navigation prompt.
    var prompt = 0
    /// The start of the ringing.
    var ringing = 0
    /// The start of the call.
    var call = 0
    /// The moment just before the music ends.
    var end = 0
}

/// Plays on a private desktop and checks the capture. Returns whether all checks pass.
///
/// A capture that is not as announced says nothing of the module if the machine lost sound: then all is played again.
func playPrivately(_ options: Options) async throws -> Bool {
    let most = 3
    for play in 1...most {
        let start = StallMeter.now
        let (findings, logs) = try await perform(options)
        if findings.hold { return findings.report() }
        do {
            try MachineWatch.shared.checkIsWhole(start..<StallMeter.now, quantum: 1024, logs: logs)
            return findings.report()
        } catch let loss as BrokenStretch {
            let next = play < most ? "It is played again." : "Nothing can be said of the module; try again later."
            complain("\nThis machine was too busy to play without gaps: \(loss). \(next)\n")
        }
    }
    return false
}

private func perform(_ options: Options) async throws -> (Findings, logs: [String]) {
    let workshop = try Sandbox()
    let files = try await SoundFiles(in: workshop, separable: true)
    var desktop = DesktopOptions()
    // Always use the default policy, whatever policy this machine's administrator has installed.
    desktop.modules = [
        ServerModule(
            "libpipewire-module-audio-session", folder: absolute(options.modules), arguments: "{ preset = desktop }")
    ]
    // The module tells its decisions; nodes and pipewire-pulse tell when sound was lost (MachineWatch).
    desktop.environment["PIPEWIRE_DEBUG"] = "2,mod.audio-session:3,pw.node:3,mod.protocol-pulse:3"
    desktop.sinkName = "demo-sink"
    say("Starting a private desktop: D-Bus, PipeWire with the module, WirePlumber, pipewire-pulse, a silent sink.\n")
    return try await withServer(PrivateDesktop.start(desktop)) { desktop in
        let capture = try await Capture.start(on: desktop)
        let timeline = Timeline(from: try await origin(of: capture))
        let cues = try await follow(desktop, timeline) {
            try await perform(files, on: desktop, capture, timeline)
        }
        let recording = Recording(try await capture.stop(), music: files.musicSamples, cues: cues)
        let picture = DemoPicture(recording: recording, decisions: timeline.decisions)
        try await picture.draw(to: absolute(options.picture), in: desktop.sandbox)
        say("\nThe captured levels with the decisions: \(options.picture)")
        if let path = options.sound {
            try write(recording.forListening.waveFile(.signed16), to: path)
            say("The captured sound: \(path)")
        }
        return (Findings(of: recording, decisions: timeline.decisions), desktop.sandbox.logs)
    }
}

/// Prints the module's log lines while `body` runs.
private func follow(
    _ desktop: PrivateDesktop, _ timeline: Timeline, _ body: () async throws -> Cues
) async throws -> Cues {
    guard let log = desktop.pipeWire?.log else { throw CancellationError() }
    let teller = Task { await timeline.follow(log) }
    defer { teller.cancel() }
    let cues = try await body()
    teller.cancel()
    await teller.value
    return cues
}

/// The sequence: music; a prompt; music; ringing and a call; music.
private func perform(
    _ files: SoundFiles, on desktop: PrivateDesktop, _ capture: Capture, _ timeline: Timeline
) async throws -> Cues {
    let stage = Stage(sandbox: desktop.sandbox, timeline: timeline)
    var cues = Cues()
    let player = try stage.playMusic(files)
    try await waitForSound(of: player, on: desktop)
    try await capture.record(.milliseconds(3500))

    cues.prompt = capture.frameCount
    let navigator = try stage.speakPrompt(files)
    try await navigator.succeed()
    try await capture.record(.milliseconds(2800))

    cues.ringing = capture.frameCount
    let phone = try stage.ring(files)
    try await capture.record(.milliseconds(3200))

    cues.call = capture.frameCount
    let call = try stage.call(files)
    try await waitForSound(of: call, on: desktop)
    // The phone stops ringing when it is answered.
    phone.signal(SIGTERM)
    try await call.succeed()
    timeline.act("The call is over.")
    try await capture.record(.milliseconds(3500))

    cues.end = capture.frameCount
    await player.stop()
    return cues
}

private func waitForSound(of player: ChildProcess, on desktop: PrivateDesktop) async throws {
    let processID = player.processID
    try await desktop.waitForStream("the sound of \(player.name)") {
        $0.state == .running && $0.processID == processID
    }
}

/// The moment of the capture's first frame. Frames arrive in blocks, so the result comes from the observation that
/// followed a block soonest.
private func origin(of capture: Capture) async throws -> ContinuousClock.Instant {
    var earliest = ContinuousClock.now
    for _ in 0..<60 {
        earliest = min(earliest, ContinuousClock.now - .frames(capture.frameCount))
        try await Task.sleep(for: .milliseconds(2))
    }
    return earliest
}

private func absolute(_ path: String) -> String { URL(fileURLWithPath: path).path }

private func write(_ data: Data, to path: String) throws {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
}
