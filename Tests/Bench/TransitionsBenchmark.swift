import BenchReport
import Foundation
import SessionTestKit

/// `Tests/bin/bench transitions`: how music is interrupted and comes back, by this module and by PulseAudio's own.
///
/// All play the same sounds with the same program, in turns, so that whatever the machine does meanwhile hits all alike.
func benchmarkTransitions(_ arguments: [String]) async throws {
    let options = try TransitionsOptions(arguments)
    let results = try await withServer(PrivateDesktop.start(desktop(options))) { desktop in
        try await withServer(PrivatePulseAudio.start(pulseAudio(options))) { own in
            try await withServer(PrivatePulseAudio.start(modules: [corking])) { corking in
                try await withServer(PrivatePulseAudio.start(modules: [ducking])) { ducking in
                    try await measure(options, desktop, own, corking, ducking)
                }
            }
        }
    }
    print(TransitionsReport(results: results, options: options).text)
}

/// What the command line asks for.
struct TransitionsOptions {
    var runs = 20
    var quantum = 1024
    var ending = Ending.played
    var modules = ".build/modules"

    init(_ arguments: [String]) throws {
        var rest = Arguments(arguments)
        runs = try rest.number("--runs", in: 1...1000) ?? runs
        quantum = try rest.number("--quantum", in: 32...8192) ?? quantum
        if let text = try rest.text("--ending") {
            guard let ending = Ending(rawValue: text) else { throw UsageError("--ending played or killed?") }
            self.ending = ending
        }
        modules = try rest.text("--modules") ?? modules
        try rest.finish()
    }
}

/// All that was measured of one way of interrupting.
struct TransitionResult: Sendable {
    let transition: Transition
    var measurements: [Measurement]

    func series(_ value: (Measurement) -> Double?) -> Series { Series(measurements.compactMap(value)) }
}

private let corking = "module-role-cork trigger_roles=phone cork_roles=music"
private let ducking = "module-role-ducking trigger_roles=phone ducking_roles=music volume=-20dB"

private func desktop(_ options: TransitionsOptions) -> DesktopOptions {
    var desktop = DesktopOptions()
    desktop.quantum = .fixed(options.quantum)
    desktop.modules = [
        ServerModule(
            "libpipewire-module-audio-session", folder: URL(fileURLWithPath: options.modules).path,
            arguments: "{ preset = desktop }")
    ]
    // The module's debug lines and the server's own account of its nodes say when a stream stopped.
    desktop.environment["PIPEWIRE_DEBUG"] = "2,mod.audio-session:4,pw.node:3"
    return desktop
}

private func pulseAudio(_ options: TransitionsOptions) -> PulseAudioOptions {
    var daemon = PulseAudioOptions()
    daemon.moduleFolders = [URL(fileURLWithPath: options.modules).path]
    daemon.modules = ["module-audio-session preset=desktop dbus=no"]
    return daemon
}

private func measure(
    _ options: TransitionsOptions, _ desktop: PrivateDesktop, _ own: PrivatePulseAudio, _ corking: PrivatePulseAudio,
    _ ducking: PrivatePulseAudio
) async throws -> [TransitionResult] {
    let ending = options.ending
    for server in [desktop, own, corking, ducking] as [any PrivateServer] {
        try writeSounds(for: ending, to: server.sandbox)
    }
    var results = Transition.all.map { TransitionResult(transition: $0, measurements: []) }
    for run in 1...options.runs {
        let log = desktop.pipeWire?.log
        let measured =
            try await Visit(server: desktop, ending: ending, log: log).run([.ringing, .call, .prompt])
            + Visit(server: own, ending: ending, log: nil).run([.pulseRinging, .pulseCall, .pulsePrompt])
            + Visit(server: corking, ending: ending, log: nil).run([.roleCork])
            + Visit(server: ducking, ending: ending, log: nil).run([.roleDucking])
        for (index, measurement) in measured.enumerated() {
            results[index].measurements.append(measurement)
            let lost = "lost \(format(measurement.lost.milliseconds)) ms"
            note("\(run)/\(options.runs) \(results[index].transition.name): \(measurement.figures), \(lost)")
        }
    }
    return results
}
