import BenchReport
import Foundation
import TestKit

/// A private server with one policy, and what was measured there so far.
struct Stage {
    let server: any PrivateServer
    /// In PulseAudio, what a card plays. The monitors there run ahead of what is played, and give out sound that the sink
    /// then takes back to change it, so that every change of a gain clicks in their recordings.
    private let recording: Capture?
    var results: [TransitionResult]
    /// For each result, the curves of the first undisturbed trial and of the one with the longest overlap.
    private var curves: [[TransitionCurves]]
    private var longest: [Double]

    /// Starts a server.
    static func start(
        _ place: TransitionRow.Place, rows: [TransitionRow], _ quantum: Int, _ options: TransitionsOptions
    ) async throws -> Stage {
        let server: any PrivateServer
        var recording: Capture?
        switch place {
        case .pipeWire: server = try await PrivateDesktop.start(desktop(quantum, options))
        case .wirePlumber: server = try await PrivateDesktop.start(roles(quantum))
        case .pulseAudio, .roleCork, .roleDucking:
            let daemon = try await PrivatePulseAudio.start(try await pulseAudio(place, options))
            server = daemon
            do {
                recording = try await PulseCard.start(.usb, on: daemon).record("usb-output")
            } catch {
                await daemon.stop()
                throw error
            }
        }
        try Visit.writeSounds(options, options.ending(in: place), to: server.sandbox)
        return Stage(server: server, recording, rows: rows, quantum: place.hasQuantum ? quantum : nil)
    }

    private init(server: any PrivateServer, _ recording: Capture?, rows: [TransitionRow], quantum: Int?) {
        self.server = server
        self.recording = recording
        results = rows.map { TransitionResult(row: $0, quantum: quantum) }
        curves = rows.map { _ in [] }
        longest = rows.map { _ in -1 }
    }

    /// Interrupts music in all ways, some times each, in one recording for each server, in all servers at the same time.
    /// A recording that fails leaves its remaining interruptions unmeasured.
    static func visit(_ stages: inout [Stage], repeats: Int, _ options: TransitionsOptions) async {
        let orders = stages.map { stage in (0..<repeats).flatMap { _ in stage.results.indices } }
        let recorded = await withTaskGroup(of: (Int, [Visit.Interruption]).self) { group in
            for (index, stage) in stages.enumerated() {
                let rows = orders[index].map { stage.results[$0].row }
                guard let place = rows.first?.place else { continue }
                let visit = Visit(
                    server: stage.server, recording: stage.recording, options: options,
                    ending: options.ending(in: place))
                group.addTask {
                    do {
                        return (index, try await visit.run(rows))
                    } catch {
                        note("\(rows.first?.place.rawValue ?? ""): \(error)")
                        return (index, [])
                    }
                }
            }
            return await group.reduce(into: [Int: [Visit.Interruption]]()) { $0[$1.0] = $1.1 }
        }
        for index in stages.indices { stages[index].add(recorded[index] ?? [], in: orders[index]) }
    }

    /// Adds interruptions of the rows with these numbers.
    private mutating func add(_ recorded: [Visit.Interruption], in order: [Int]) {
        for (number, index) in order.enumerated() {
            guard number < recorded.count, let figures = TransitionFigures(of: recorded[number].recorded) else {
                results[index].unmeasured += 1
                note("\(results[index].row.name): not measured")
                continue
            }
            add(Trial(figures: figures, lost: recorded[number].lost.milliseconds), recorded[number].recorded, to: index)
        }
    }

    /// Adds what another server with the same policy showed.
    mutating func add(_ other: Stage) {
        for index in results.indices {
            results[index].trials += other.results[index].trials
            results[index].unmeasured += other.results[index].unmeasured
            guard let first = curves[index].first ?? other.curves[index].first else { continue }
            let worst = other.longest[index] > longest[index] ? other.curves[index].last : curves[index].last
            curves[index] = [first] + [worst].compactMap(\.self)
            longest[index] = max(longest[index], other.longest[index])
        }
    }

    private mutating func add(_ trial: Trial, _ recorded: RecordedInterruption, to index: Int) {
        results[index].trials.append(trial)
        if trial.isDisturbed { return }
        if curves[index].isEmpty { curves[index].append(TransitionCurves(of: recorded, trial.figures)) }
        let both = trial.figures.both.half
        guard both > longest[index] else { return }
        longest[index] = both
        curves[index] = [curves[index][0], TransitionCurves(of: recorded, trial.figures)]
    }

    /// The pictures of all rows.
    var pictures: [TransitionPictures.Entry] {
        zip(results, curves).map { result, curves in
            let quantum = result.quantum.map { ", quantum \($0)" } ?? ""
            return TransitionPictures.Entry(title: result.row.name + quantum, curves: curves)
        }
    }
}

/// A desktop with this module and the roles for hard changes.
private func desktop(_ quantum: Int, _ options: TransitionsOptions) -> DesktopOptions {
    var desktop = DesktopOptions()
    desktop.quantum = .fixed(quantum)
    desktop.modules = [
        ServerModule(
            "libpipewire-module-audio-session", folder: URL(fileURLWithPath: options.modules).path,
            arguments: "{ preset = desktop }")
    ]
    desktop.configurationFiles = ["audio-session/policy.conf": TransitionRow.abruptRoles]
    return desktop
}

/// A daemon with this module, or with one of PulseAudio's own.
private func pulseAudio(
    _ place: TransitionRow.Place, _ options: TransitionsOptions
) async throws -> PulseAudioOptions {
    var daemon = PulseAudioOptions()
    daemon.moduleFolders = [URL(fileURLWithPath: options.modules).path, try await PulseCard.moduleFolder()]
    switch place {
    case .roleCork: daemon.modules = ["module-role-cork trigger_roles=phone cork_roles=music"]
    case .roleDucking: daemon.modules = ["module-role-ducking trigger_roles=phone ducking_roles=music volume=-20dB"]
    case .pulseAudio, .pipeWire, .wirePlumber:
        daemon.modules = ["module-audio-session preset=desktop dbus=no"]
        daemon.configurationFiles = ["audio-session/policy.conf": TransitionRow.abruptRoles]
    }
    return daemon
}

/// A desktop with WirePlumber's role policy, as its manual configures it: calls cork music, prompts duck it.
private func roles(_ quantum: Int) -> DesktopOptions {
    func loopback(_ name: String, _ roles: String, priority: Int, action: String) -> String {
        """
        { type = pw-module
          name = libpipewire-module-loopback
          provides = loopback.sink.role.\(name)
          requires = [ support.export-core, pw.node-factory.adapter ]
          arguments = {
              node.name = "loopback.sink.role.\(name)"
              capture.props = {
                  media.class = Audio/Sink
                  policy.role-based.target = true
                  device.intended-roles = [ \(roles) ]
                  policy.role-based.priority = \(priority)
                  policy.role-based.action.same-priority = "mix"
                  policy.role-based.action.lower-priority = "\(action)"
              }
              playback.props = { node.passive = true, media.role = "Loopback" }
          } }
        """
    }
    var desktop = DesktopOptions()
    desktop.quantum = .fixed(quantum)
    desktop.linksCapture = false
    desktop.configurationFiles = [
        "wireplumber/wireplumber.conf.d/60-roles.conf": """
        wireplumber.profiles = { main = { policy.linking.role-based.loopbacks = required } }
        wireplumber.components = [
            { type = virtual
              provides = policy.linking.role-based.loopbacks
              requires = [ loopback.sink.role.multimedia, loopback.sink.role.navigation,
                           loopback.sink.role.communication ] }
            \(loopback("multimedia", "\"Movie\", \"Music\", \"Game\"", priority: 10, action: "cork"))
            \(loopback("navigation", "\"Navigation\"", priority: 20, action: "duck"))
            \(loopback("communication", "\"Communication\"", priority: 30, action: "cork"))
        ]
        """
    ]
    return desktop
}
