import Foundation
import TestKit
import Testing

/// What the desktop around the sound says: screen lock, sleep, calls, the user's switches (N16).
extension LiveModule {
    @Test("R15 R16 R17 N16 lock and unlock: games fall silent, music does not", arguments: ["logind", "screen saver"])
    func screenLock(source: String) async throws {
        try await LiveDesktop.run(options: { $0.runsSystemBus = true }) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            let isLogind = source == "logind"
            _ = isLogind ? try await mocks.startLogind() : try await mocks.startScreenSaver()
            _ = try await desk.playMusic()
            _ = try desk.play(LiveDesktop.interrupter, with: .plain, as: "game", role: .game)
            try await desk.hear(LiveDesktop.interrupter)
            let app = try await desk.application()
            if isLogind { try await mocks.lock() } else { try await mocks.setScreenSaver(isActive: true) }
            try await desk.hearNothing(of: LiveDesktop.interrupter)
            #expect(try await app.get(SessionApplication.manager, "Locked").bool == true)
            try await desk.hear(LiveDesktop.music)
            if isLogind { try await mocks.unlock() } else { try await mocks.setScreenSaver(isActive: false) }
            try await desk.hear(LiveDesktop.interrupter)
            #expect(try await app.get(SessionApplication.manager, "Locked").bool == false)
        }
    }

    @Test("R18 R19 a recording goes on when the screen is locked; a call plays and records at the same time")
    func recordingWhileLocked() async throws {
        try await LiveDesktop.run(options: {
            $0.runsSystemBus = true
            $0.addMicrophone()
        }) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            _ = try await mocks.startLogind()
            let app = try await desk.application()
            for category in ["record", "play-and-record"] {
                let session = try await app.open()
                try await app.session(session, "SetCategory", "\"\(category)\"", "[]", #""""#)
                let recording = try Recording("recorder", on: desk)
                let recorder = try await app.start(recording.invocation)
                try await app.waitForStream(of: session)
                try await app.session(session, "Activate", "[]")
                var player: Int?
                if category == "play-and-record" {
                    player = try await app.start(
                        desk.invocation(LiveDesktop.interrupter, with: .plain, as: "voice", role: nil))
                    try await desk.hear(LiveDesktop.interrupter)
                }
                try await mocks.lock()
                _ = try await waitUntil("the lock") {
                    try await app.get(SessionApplication.manager, "Locked").bool == true ? true : nil
                }
                try await recording.waitUntilItGoesOn(for: .milliseconds(500))
                if player != nil { try await desk.hear(LiveDesktop.interrupter) }
                try await mocks.unlock()
                for child in [recorder, player].compactMap({ $0 }) { try await app.stop(child) }
                try await app.session(session, "Close")
            }
        }
    }

    @Test("R12 N7 N16 sleep and wake: the music fades out before the machine sleeps, and its session is told why")
    func sleepAndWake() async throws {
        try await LiveDesktop.run(options: { $0.runsSystemBus = true }) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            _ = try await mocks.startLogind()
            _ = try await waitUntil("a lock against sleep") {
                try await mocks.sleepInhibitors.contains("Audio sessions") ? true : nil
            }
            _ = try await desk.playMusic()
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, #"["mix-with-others"]"#, #""""#)
            try await app.session(session, "Activate", "[]")
            let start = desk.capture.frameCount
            try await mocks.sleep()
            _ = try await waitUntil("the machine to sleep") { try await mocks.isAsleep ? true : nil }
            // It was silent before the lock was given back: nothing is heard any more from then on, but for what is
            // under way to the capture.
            try await desk.capture.record(.milliseconds(100))
            let level = try await desk.highestLevel(of: LiveDesktop.music, during: .milliseconds(500))
            #expect(level < -90)
            // No louder than any other fade: −41 dBFS on PipeWire and −45 on PulseAudio were measured.
            try await desk.expectNoClick(since: start)
            try await app.hear(#"InterruptionBegan "suspended""#)
            let end = desk.capture.frameCount
            try await mocks.wake()
            try await desk.hear(LiveDesktop.music)
            try await desk.expectNoClick(since: end)
            try await app.hear("InterruptionEnded true")
            _ = try await waitUntil("another lock against sleep") {
                try await mocks.sleepInhibitors.contains("Audio sessions") ? true : nil
            }
        }
    }

    @Test("R36 a call that a telephone's shell has set up stops the music, and ends with the shell's service")
    func shellCalls() async throws {
        try await LiveDesktop.run { desk in
            let mocks = DesktopMocks(desk.sandbox)
            let service = try await mocks.startCallAudio()
            _ = try await desk.playMusic()
            try await desk.waitForService()
            try await mocks.setCallAudio(isInCall: true)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await mocks.setCallAudio(isInCall: false)
            try await desk.hear(LiveDesktop.music)
            try await mocks.setCallAudio(isInCall: true)
            try await desk.hearNothing(of: LiveDesktop.music)
            await service.stop()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("R64 where the policy says so, people are told that headphones are gone and what waits for them")
    func goneIsTold() async throws {
        try await LiveDesktop.run(
            policy: "notify = [ output-gone recording-stopped ]", options: { $0.routeVolume = 1 }
        ) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            _ = try await mocks.startNotifications()
            let card = try await desk.card(.laptop)
            let headphones = try await card.record("headphones")
            _ = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            #expect(try await mocks.shownNotifications() == "")
            try await card.unplug("headphones")
            let note = try await waitUntil("a notification") {
                let shown = try await mocks.shownNotifications()
                return shown.isEmpty ? nil : shown
            }
            #expect(note.contains("has gone: It goes on where it was when") && note.contains("music-player"), "\(note)")
            try await card.plug("headphones")
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            _ = try await waitUntil("the notification to be taken back") {
                try await mocks.shownNotifications().isEmpty ? true : nil
            }
        }
    }

    @Test("R30 R31 R36 N16 ring, accept, hang up; and ring, reject: one interruption each, and the music goes on")
    func modemCalls() async throws {
        try await LiveDesktop.run(options: { $0.runsSystemBus = true }) { desk in
            let mocks = DesktopMocks(desk.sandbox)
            _ = try await mocks.startModemManager()
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            try await desk.waitForService()
            for isAccepted in [true, false] {
                let lines = try desk.log.lineCount
                let call = try await mocks.ring()
                try await desk.hearNothing(of: LiveDesktop.music)
                if isAccepted {
                    try await mocks.accept(call)
                    try await desk.log.wait(forLineContaining: "(phone) is active", after: lines)
                    #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(1)) < -90)
                    try await mocks.hangUp(call)
                } else {
                    try await mocks.reject(call)
                }
                try await desk.hear(LiveDesktop.music)
                let news = try desk.log.text.split(separator: "\n").dropFirst(lines)
                #expect(news.count { $0.contains("session of music-player (music) was interrupted") } == 1)
                #expect(news.count { $0.contains("has ended, it resumes") } == 1)
            }
            // A call that somebody else's modem takes away with it.
            _ = try await mocks.ring()
            try await desk.hearNothing(of: LiveDesktop.music)
            try await mocks.removeModem()
            try await desk.hear(LiveDesktop.music)
            try await desk.expectNoClick(since: start)
        }
    }

    @Test("R15 R16 N16 the silent switch, do not disturb, and a policy that is suspended for a time")
    func switches() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let game = try desk.play(LiveDesktop.interrupter, with: .plain, as: "game", role: .game)
            try await desk.hear(LiveDesktop.interrupter)
            let app = try await desk.application()
            try await app.set("Silent", "true")
            try await desk.hearNothing(of: LiveDesktop.interrupter)
            try await desk.hear(LiveDesktop.music)
            try await app.set("Silent", "false")
            try await desk.hear(LiveDesktop.interrupter)
            // What is on the right is heard alone, as one tone leaks into the measure of another.
            game.terminate()
            try await desk.hearNothing(of: LiveDesktop.interrupter)
            let alert = try desk.play(LiveDesktop.secondInterrupter, with: .paplay, as: "alert", role: .event)
            try await desk.hear(LiveDesktop.secondInterrupter)
            try await app.set("DoNotDisturb", "true")
            try await desk.hearNothing(of: LiveDesktop.secondInterrupter)
            try await desk.hear(LiveDesktop.music)
            try await app.set("DoNotDisturb", "false")
            try await desk.hear(LiveDesktop.secondInterrupter)
            alert.terminate()
            let call = try desk.play(LiveDesktop.secondInterrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await app.manager("Pause", "4000")
            #expect(try await app.get(SessionApplication.manager, "PausedUntil").number ?? 0 > 0)
            try await desk.hear(LiveDesktop.music)
            // By itself, when the time is over.
            try await desk.hearNothing(of: LiveDesktop.music)
            #expect(try await app.get(SessionApplication.manager, "PausedUntil").number == 0)
            try await app.manager("Pause", "0")
            try await desk.hear(LiveDesktop.music)
            try await app.manager("Resume")
            try await desk.hearNothing(of: LiveDesktop.music)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
        }
    }
}
