import SessionTestKit
import Testing

extension LiveModule {
    @Test("R34 R36 R37 a call silences the music and gives it back", arguments: ClientProgram.victims)
    func callOverMusic(victim: ClientProgram) async throws {
        for interrupter in ClientProgram.interrupters {
            try await Desk.run { desk in
                _ = try await desk.playMusic(with: victim)
                let call = try desk.play(
                    Desk.interrupter, with: interrupter, as: "telephone", role: .phone, for: .seconds(3))
                try await desk.hear(Desk.interrupter)
                try await desk.hearNothing(of: Desk.music)
                try await call.waitForExit()
                try await desk.hear(Desk.music)
                let figures = try #require(
                    InterruptionFigures(
                        of: try await desk.capture.stop(), interrupted: Desk.music, by: Desk.interrupter))
                print("call by \(interrupter) over \(victim): \(figures)")
                #expect(figures.levelWhileInterrupted == nil)
            }
        }
    }

    @Test("R34 R36 R37 ringing waits until the music is silent, and loses nothing", arguments: ClientProgram.victims)
    func ringingOverMusic(victim: ClientProgram) async throws {
        for interrupter in ClientProgram.interrupters {
            try await Desk.run { desk in
                _ = try await desk.playMusic(with: victim)
                let length = Duration.seconds(2)
                let ringing = try desk.play(
                    Desk.interrupter, with: interrupter, as: "telephone", role: .ringtone, for: length)
                try await desk.hear(Desk.interrupter)
                try await ringing.waitForExit()
                try await desk.hear(Desk.music)
                let sound = try await desk.capture.stop()
                let figures = try #require(
                    InterruptionFigures(of: sound, interrupted: Desk.music, by: Desk.interrupter))
                print("ringing by \(interrupter) over \(victim): \(figures)")
                #expect(figures.levelWhileInterrupted == nil)
                #expect(figures.overlap == .zero)
                // The file ends in a fade, which the threshold cuts by a few frames.
                let heard = soundingFrames(of: sound.right).map(\.count).reduce(0, +)
                #expect(heard > length.frames - 2400)
            }
        }
    }

    @Test("R40 R45 R49 a spoken prompt lowers the music by 20 dB", arguments: ClientProgram.victims)
    func promptOverMusic(victim: ClientProgram) async throws {
        for interrupter in ClientProgram.interrupters {
            try await Desk.run { desk in
                _ = try await desk.playMusic(with: victim)
                let prompt = try desk.play(
                    Desk.interrupter, with: interrupter, as: "navigator", role: .navigation, for: .seconds(3))
                try await desk.hear(Desk.interrupter)
                try await desk.hear(Desk.music, lowered: 20)
                try await prompt.waitForExit()
                try await desk.hear(Desk.music)
                let figures = try #require(
                    InterruptionFigures(
                        of: try await desk.capture.stop(), interrupted: Desk.music, by: Desk.interrupter))
                print("prompt by \(interrupter) over \(victim): \(figures)")
                let level = try #require(figures.levelWhileInterrupted)
                #expect(abs(level + 20) < 0.5)
            }
        }
    }

    @Test("R27 R30 two interrupters overlap, and the music waits for the last", arguments: [true, false])
    func twoInterrupters(firstEndsFirst: Bool) async throws {
        try await Desk.run { desk in
            _ = try await desk.playMusic()
            let alarm = try desk.play(Desk.interrupter, with: .plain, as: "clock", role: .alarm)
            try await desk.hear(Desk.interrupter)
            try await desk.hearNothing(of: Desk.music)
            let call = try desk.play(Desk.secondInterrupter, with: .paplay, as: "telephone", role: .phone)
            try await desk.hear(Desk.secondInterrupter)
            // R36: the alarm comes after the phone. The other tone on its channel hides what is 48 dB below it.
            try await desk.capture.wait(
                for: Desk.interrupter, below: Desk.full - 40, lasting: .milliseconds(300))
            if firstEndsFirst {
                alarm.terminate()
                try await alarm.waitUntilGone()
                #expect(try await desk.highestLevel(of: Desk.music, during: .seconds(1)) < -90)
                call.terminate()
            } else {
                call.terminate()
                try await desk.hear(Desk.interrupter)
                #expect(try await desk.highestLevel(of: Desk.music, during: .seconds(1)) < -90)
                alarm.terminate()
            }
            try await desk.hear(Desk.music)
        }
    }

    @Test("N10 two prompts lower the music no further than one")
    func twoPrompts() async throws {
        try await Desk.run { desk in
            _ = try await desk.playMusic()
            let first = try desk.play(Desk.interrupter, with: .plain, as: "navigator", role: .navigation)
            try await desk.hear(Desk.music, lowered: 20)
            let second = try desk.play(Desk.secondInterrupter, with: .paplay, as: "reader", role: .accessibility)
            try await desk.hear(Desk.secondInterrupter)
            try await desk.hear(Desk.music, lowered: 20)
            first.terminate()
            try await first.waitUntilGone()
            #expect(try await desk.highestLevel(of: Desk.music, during: .seconds(1)) < Desk.full - 19)
            second.terminate()
            try await desk.hear(Desk.music)
        }
    }

    @Test(
        "R9 R36 music that starts during a call waits for its end and loses nothing", arguments: ClientProgram.victims)
    func musicStartsDuringCall(victim: ClientProgram) async throws {
        try await Desk.run { desk in
            let call = try desk.play(Desk.interrupter, with: .paplay, as: "telephone", role: .phone)
            try await desk.hear(Desk.interrupter)
            let start = desk.capture.frameCount
            let length = Duration.seconds(2)
            let music = try desk.play(Desk.music, with: victim, as: "music-player", role: .music, for: length)
            try await desk.log.wait(forLineContaining: "cork music-player")
            #expect(try await desk.highestLevel(of: Desk.music, during: .seconds(1)) < -90)
            call.terminate()
            try await desk.capture.wait(for: Desk.music, above: Desk.full - 1, from: start)
            try await music.waitForExit()
            try await desk.hearNothing(of: Desk.music)
            let heard = soundingFrames(of: try await desk.capture.stop().left).map(\.count).reduce(0, +)
            #expect(heard > length.frames - 2400)
        }
    }

    @Test("N10 music that starts under a prompt starts lowered")
    func musicStartsUnderPrompt() async throws {
        try await Desk.run { desk in
            let prompt = try desk.play(Desk.interrupter, with: .paplay, as: "navigator", role: .navigation)
            try await desk.hear(Desk.interrupter)
            for victim in ClientProgram.victims {
                let start = desk.capture.frameCount
                let music = try desk.play(Desk.music, with: victim, as: "player-\(victim)", role: .music)
                try await desk.capture.wait(
                    for: Desk.music, above: Desk.full - 21, lasting: .milliseconds(500), from: start)
                let sound = try desk.capture.read(from: start)
                let loudest = ToneEnvelope(of: sound.left, frequency: 440).levels.max() ?? 0
                #expect(loudest < Desk.full - 19, "\(victim) began with \(loudest) dBFS")
                music.terminate()
                try await music.waitUntilGone()
            }
            prompt.terminate()
        }
    }
}
