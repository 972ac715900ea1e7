import Foundation
import TestKit

/// Plays on the user's present desktop without changing anything there. Returns whether the streams were treated as
/// announced.
func playHere() async throws -> Bool {
    guard let environment = RunningDesktop.environment else {
        complain("--here: XDG_RUNTIME_DIR is not set, so there is no desktop session here.")
        return false
    }
    let desktop = RunningDesktop(sandbox: try Sandbox(environment: environment))
    defer { withExtendedLifetime(desktop) {} }
    guard let objects = try? await desktop.dump() else {
        complain("--here: no PipeWire answers. Is it running? systemctl --user status pipewire")
        return false
    }
    guard objects.contains(where: RunningDesktop.isModule) else {
        complain(
            """
            --here: the PipeWire that runs here has not loaded the module. Install it and start PipeWire again:
                install/install --user
                systemctl --user restart pipewire
            """)
        return false
    }
    let workshop = try Sandbox()
    let files = try await SoundFiles(in: workshop, separable: false)
    say("This plays sound on your desktop for about 20 seconds.\n")
    let timeline = Timeline()
    let stage = Stage(sandbox: desktop.sandbox, timeline: timeline)
    var observer = Observer(desktop: desktop, timeline: timeline)

    let player = try stage.playMusic(files)
    observer.watch(player)
    try await observer.observe(for: .seconds(4))

    let navigator = try stage.speakPrompt(files)
    observer.watch(navigator)
    let underPrompt = try await observer.observe(for: .seconds(15)) { !navigator.isRunning }
    try await observer.observe(for: .seconds(3))

    let phone = try stage.ring(files)
    observer.watch(phone)
    let underRinging = try await observer.observe(for: .seconds(3))
    let call = try stage.call(files)
    observer.watch(call)
    try await observer.observe(for: .milliseconds(300))
    phone.signal(SIGTERM)
    let inCall = try await observer.observe(for: .seconds(20)) { !call.isRunning }
    timeline.act("The call is over.")
    try await observer.observe(for: .seconds(3))
    let after = observer.last(of: player)
    for child in [player, navigator, phone, call] { await child.stop() }

    let music = player.processID
    var findings = Findings()
    findings.add(
        "music under the prompt", "lowered",
        underPrompt.compactMap { $0[music]?.gain }.min().map { String(format: "by %.1f dB", -$0) } ?? "not seen",
        underPrompt.contains { ($0[music]?.gain ?? 0) < -3 })
    for (name, seen) in [("while it rings", underRinging), ("in the call", inCall)] {
        let isSilent = seen.contains { $0[music]?.isPlaying == false }
        findings.add("music \(name)", "stopped", isSilent ? "stopped" : "plays", isSilent)
    }
    let isBack = after.map { $0.isPlaying && abs($0.gain) < 0.5 } ?? false
    findings.add(
        "music after the call", "plays at its own level", isBack ? "plays at its own level" : "does not", isBack)
    return findings.report(heading: "What the streams showed:")
}

/// The user's present desktop: programs started in a sandbox use its sockets and home.
struct RunningDesktop: Sendable {
    let sandbox: Sandbox

    /// The user's variables, in place of those that a sandbox sets for itself; nil without a session.
    static var environment: [String: String]? {
        var environment = ProcessInfo.processInfo.environment
        guard let runtime = environment["XDG_RUNTIME_DIR"], let home = environment["HOME"] else { return nil }
        let usual = [
            "PIPEWIRE_RUNTIME_DIR": runtime, "PULSE_RUNTIME_PATH": "\(runtime)/pulse",
            "PULSE_SERVER": "unix:\(runtime)/pulse/native", "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(runtime)/bus",
            "XDG_CONFIG_HOME": "\(home)/.config", "XDG_STATE_HOME": "\(home)/.local/state",
            "XDG_DATA_HOME": "\(home)/.local/share", "XDG_CACHE_HOME": "\(home)/.cache",
        ]
        environment.merge(usual) { own, _ in own }
        return environment
    }

    /// All objects of the server as `pw-dump` prints them.
    func dump() async throws -> [JSONValue] {
        try JSONValue(parsing: try await sandbox.run(Invocation("pw-dump"))).elements
    }

    static func isModule(_ object: JSONValue) -> Bool {
        object["info"]?["name"]?.text == "libpipewire-module-audio-session"
    }
}

/// A stream's observable treatment.
struct Appearance: Sendable, Equatable {
    /// Whether the stream is processed.
    var isPlaying: Bool
    /// The soft volume relative to the user's own, in decibels.
    var gain: Double

    init?(_ node: JSONValue) {
        guard let info = node["info"], info["props"]?["media.class"]?.text == "Stream/Output/Audio" else { return nil }
        isPlaying = info["state"]?.text == "running"
        gain = 0
        func volume(_ key: String) -> Double? {
            (info["params"]?["Props"]?.elements ?? []).lazy.compactMap { $0[key]?.elements.first?.number }.first
        }
        if let own = volume("channelVolumes"), let soft = volume("softVolumes"), own > 0 {
            gain = 20 * log10(max(soft / own, 1e-5))
        }
    }
}

/// Polls the streams of our own players and reports changes.
struct Observer {
    let desktop: RunningDesktop
    let timeline: Timeline
    private var players: [pid_t: String] = [:]
    private var seen: [pid_t: Appearance] = [:]
    private var told: [pid_t: Appearance] = [:]

    init(desktop: RunningDesktop, timeline: Timeline) {
        self.desktop = desktop
        self.timeline = timeline
    }

    mutating func watch(_ player: ChildProcess) { players[player.processID] = player.name }

    func last(of player: ChildProcess) -> Appearance? { seen[player.processID] }

    /// Observes for a time or until a condition holds, and returns all observations.
    @discardableResult
    mutating func observe(
        for duration: Duration, until isOver: () -> Bool = { false }
    ) async throws -> [[pid_t: Appearance]] {
        let end = ContinuousClock.now + duration
        var all: [[pid_t: Appearance]] = []
        while ContinuousClock.now < end, !isOver() {
            // A dump during a change may be incomplete; the next one is not.
            if let objects = try? await desktop.dump() { all.append(look(at: objects)) }
            try await Task.sleep(for: .milliseconds(50))
        }
        return all
    }

    private mutating func look(at objects: [JSONValue]) -> [pid_t: Appearance] {
        var clients: [String: pid_t] = [:]
        for object in objects where object["type"]?.text?.hasSuffix(":Client") == true {
            guard let id = object["id"]?.text, let props = object["info"]?["props"] else { continue }
            clients[id] = (props["application.process.id"] ?? props["pipewire.sec.pid"])?.number.map { pid_t($0) }
        }
        var now: [pid_t: Appearance] = [:]
        for object in objects {
            guard let appearance = Appearance(object), let props = object["info"]?["props"],
                let process = props["application.process.id"]?.number.map({ pid_t($0) })
                    ?? props["client.id"]?.text.flatMap({ clients[$0] }), players[process] != nil
            else { continue }
            now[process] = appearance
        }
        for (process, appearance) in now.sorted(by: { $0.key < $1.key }) {
            // Only a value seen twice is reported, so that the steps of a fade are not.
            if seen[process] == appearance { tell(process, appearance) }
        }
        seen = now
        return now
    }

    private mutating func tell(_ process: pid_t, _ now: Appearance) {
        let name = players[process] ?? "?"
        let before = told[process]
        if now.isPlaying != before?.isPlaying ?? false {
            timeline.decide(
                now.isPlaying ? (before == nil ? "\(name) plays" : "\(name) goes on") : "\(name) is stopped")
        } else if now.isPlaying, abs(now.gain - (before?.gain ?? 0)) > 0.1 {
            timeline.decide(
                abs(now.gain) < 0.1
                    ? "\(name) is at its own level again" : String(format: "\(name) is lowered by %.1f dB", -now.gain))
        } else {
            return
        }
        told[process] = now
    }
}
