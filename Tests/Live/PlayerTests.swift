import Foundation
import TestKit
import Testing

/// Players are asked to pause before they are corked (N15).
extension LiveModule {
    private static let asking = "interplay = { phone = { any = pause-player } }"

    @Test(
        "N15 mpv is paused through its own interface and goes on after the call",
        arguments: ClientProgram.pausable)
    func mpvPauses(program: ClientProgram) async throws {
        try await LiveDesktop.run(policy: Self.asking) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            let music = try await desk.playInMPV(program)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.log.wait(forLineContaining: "pause the player of music-player")
            try await mocks.wait(for: "mpv", toBe: "Paused")
            #expect(try await music.isPaused())
            let position = try #require(try await music.playbackTime())
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            #expect(try await mocks.status(of: "mpv") == "Playing")
            // It went on where it was: what has been heard since is no more than the time since.
            let later = try #require(try await music.playbackTime())
            #expect(later >= position && later - position < 5)
            #expect(try await desk.logHas("has not paused") == false)
        }
    }

    @Test("N15 VLC is paused through its own interface and goes on after the call")
    func vlcPauses() async throws {
        try await LiveDesktop.run(policy: Self.asking) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            let sound = Signal.tone(LiveDesktop.music.frequency, for: .seconds(60), on: LiveDesktop.music.channel)
            let file = try desk.sandbox.write(sound, to: "vlc.wav")
            let player = try desk.sandbox.startVLC(file: file, output: "pulse")
            try await mocks.waitForPlayer("vlc", of: player)
            try await desk.hear(LiveDesktop.music)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await mocks.wait(for: "vlc", toBe: "Paused")
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            #expect(try await mocks.status(of: "vlc") == "Playing")
        }
    }

    @Test(
        "N15 a player whose Pause lies is corked in time; so is one that hangs, and one that refuses",
        arguments: ["lies", "hangs", "fails"])
    func lyingPlayer(behaviour: String) async throws {
        try await LiveDesktop.run(policy: Self.asking) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            // The player's child makes the sound.
            let stream = try desk.invocation(LiveDesktop.music, with: .plain, as: "liar-stream", role: .music)
            let words = ([stream.executable] + stream.arguments).map { "'\($0)'" }.joined(separator: " ")
            let script = "\(words) & exec /usr/bin/python3 '\(DesktopMocks.fixture("player.py"))' liar \(behaviour)"
            let player = try desk.sandbox.start(
                "liar", Invocation("sh", ["-c", script], environment: stream.environment))
            try await mocks.waitForPlayer("liar", of: player)
            try await desk.hear(LiveDesktop.music)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.log.wait(forLineContaining: "has not paused when its player was asked to: cork it")
            #expect(try await desk.stream(of: "liar-stream")?["treatment"] as? String == "corked")
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            #expect(try await mocks.calls(of: "liar").first == "Pause")
        }
    }

    /// How a user pauses a player: before a call, in it, or by a remote control that tells a paused player to pause.
    enum UsersPause: Sendable, CaseIterable { case before, during, remotely }

    @Test(
        "N15 R35 a player that its user has paused before, or pauses during, the call stays paused",
        arguments: UsersPause.allCases)
    func pausedByUser(_ pause: UsersPause) async throws {
        try await LiveDesktop.run(policy: Self.asking) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            let music = try await desk.playInMPV(.mpvPulse)
            if pause == .before {
                try await music.pause()
                try await desk.hearNothing(of: LiveDesktop.music)
            }
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await mocks.wait(for: "mpv", toBe: "Paused")
            if pause == .remotely { try await mocks.callPlayer("mpv", "org.mpris.MediaPlayer2.Player", "Pause") }
            if pause == .during {
                // The user plays, which is heard beside the call (N19), and pauses.
                try await music.unpause()
                try await mocks.wait(for: "mpv", toBe: "Playing")
                try await desk.hear(LiveDesktop.music)
                try await music.pause()
                try await desk.hearNothing(of: LiveDesktop.music)
                try await mocks.wait(for: "mpv", toBe: "Paused")
            }
            call.terminate()
            try await call.waitUntilGone()
            #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(2)) < -90)
            #expect(try await mocks.status(of: "mpv") == "Paused")
            try await music.unpause()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("N15 a player that was paused goes on when the module is unloaded, and a policy without the wish corks")
    func playersAreLetGo() async throws {
        try await LiveDesktop.run(policy: Self.asking, own: "unloads the module") { desk in
            let mocks = DesktopMocks(desk.sandbox)
            _ = try await desk.playInMPV(ClientProgram.pausable.last ?? .mpvPulse)
            _ = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await mocks.wait(for: "mpv", toBe: "Paused")
            try await desk.server.unloadModule()
            try await mocks.wait(for: "mpv", toBe: "Playing")
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test(
        "N15 R64 a player whose headset goes pauses, and goes on there when it is back, unless its user has paused it",
        arguments: ClientProgram.pausable, [false, true])
    func playerLosesItsOutput(program: ClientProgram, isPausedByUser: Bool) async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            let card = try await desk.card(.usb)
            let headset = try await card.record("usb-output")
            let music = try await desk.playInMPV(program, heardOn: headset)
            let start = desk.capture.frameCount
            for _ in 0..<2 {
                let lines = try desk.log.lineCount
                try await card.vanish()
                try await desk.log.wait(forLineContaining: "was interrupted by", after: lines)
                try await mocks.wait(for: "mpv", toBe: "Paused")
                if isPausedByUser {
                    try await mocks.callPlayer("mpv", "org.mpris.MediaPlayer2.Player", "Pause")
                }
                try await card.appear()
                try await card.waitUntilLinked()
                if isPausedByUser {
                    let from = headset.frameCount
                    try await headset.record(.seconds(2))
                    try await desk.expectSilence(of: headset, since: from)
                    #expect(try await mocks.status(of: "mpv") == "Paused")
                    try await music.unpause()
                }
                let from = headset.frameCount
                try await headset.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300), from: from)
                #expect(try await mocks.status(of: "mpv") == "Playing")
            }
            try await desk.expectSilence(since: start)
        }
    }

    @Test(
        "N15 N16 WirePlumber's own pause of players is off while the policy is in force, and comes back with its end",
        .enabled(if: LiveDesktop.managerPausesPlayers, "WirePlumber pauses no players before 0.5.11"))
    func managersPauseMakesWay() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            let card = try await desk.card(.usb)
            let headset = try await card.record("usb-output")
            _ = try await desk.playInMPV(.mpvPulse, heardOn: headset)
            try await desk.wait(untilManagerPauses: false)
            try await desk.command("pause", "1h")
            try await desk.wait(untilManagerPauses: true)
            try await desk.command("resume")
            try await desk.wait(untilManagerPauses: false)
            try await desk.save("stock-modules = keep", .byRenaming)
            try await desk.wait(untilManagerPauses: true)
            try await desk.save("stock-modules = unload", .byRenaming)
            try await desk.wait(untilManagerPauses: false)
            try await desk.server.unloadModule()
            try await desk.wait(untilManagerPauses: true)
            try await card.vanish()
            try await mocks.wait(for: "mpv", toBe: "Paused")
        }
    }

    @Test(
        "N15 WirePlumber's own pause of players stays where the policy keeps it, and where its user turns it on again",
        .enabled(if: LiveDesktop.managerPausesPlayers, "WirePlumber pauses no players before 0.5.11"),
        arguments: ["keep", "unload"])
    func managersPauseStays(others: String) async throws {
        try await LiveDesktop.run(policy: "stock-modules = \(others)", options: { $0.routeVolume = 1 }) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            let card = try await desk.card(.usb)
            let headset = try await card.record("usb-output")
            _ = try await desk.playInMPV(.mpvPulse, heardOn: headset)
            if others == "unload" {
                try await desk.wait(untilManagerPauses: false)
                try await desk.sandbox.run(Invocation("wpctl", ["settings", "linking.pause-playback", "true"]))
                try await desk.log.wait(forLineContaining: "linking.pause-playback was turned on again")
            }
            try await desk.wait(untilManagerPauses: true)
            try await card.vanish()
            try await mocks.wait(for: "mpv", toBe: "Paused")
        }
    }
}

extension LiveDesktop {
    /// Plays music in an mpv that has the interface of players.
    func playInMPV(_ program: ClientProgram, heardOn output: Capture? = nil) async throws -> Client {
        let sound = Signal.tone(LiveDesktop.music.frequency, for: .seconds(60), on: LiveDesktop.music.channel)
        let file = try sandbox.write(sound, to: "music.wav")
        let client = try Client(
            program, file: file, as: ApplicationIdentity("music-player"), role: .music,
            arguments: ["--script=\(MediaPlayers.scriptOfMPV)"], on: server)
        try await DesktopMocks(sandbox).waitForPlayer("mpv", of: client.process)
        try await (output ?? capture).wait(
            for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
        return client
    }

    /// Whether the session manager pauses players itself when a sink goes.
    static let managerPausesPlayers = {
        let configuration = try? String(contentsOfFile: "/usr/share/wireplumber/wireplumber.conf", encoding: .utf8)
        return configuration?.contains("linking.pause-playback") ?? false
    }()

    /// Waits until that is on or off, as its users see it.
    func wait(untilManagerPauses isOn: Bool) async throws {
        _ = try await waitUntil("linking.pause-playback to be \(isOn)", evidence: { sandbox.logTails() }) {
            let answer = try await sandbox.run(
                Invocation("pw-metadata", ["-n", "sm-settings", "0", "linking.pause-playback"]))
            return String(decoding: answer, as: UTF8.self).contains("value:'\(isOn)'") ? true : nil
        }
    }

    /// Whether the daemon has said something so far.
    func logHas(_ text: String) async throws -> Bool { try log.text.contains(text) }
}

extension DesktopMocks {
    /// Waits until a player says what it does.
    func wait(for player: String, toBe expected: String) async throws {
        _ = try await waitUntil("\(player) to be \(expected)") {
            try await status(of: player) == expected ? true : nil
        }
    }
}
