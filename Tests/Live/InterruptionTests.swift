import TestKit
import Testing

/// Each kind of client interrupts each victim, one after the other in one desktop, and every interruption is measured on
/// its own.
extension LiveModule {
    @Test("R34 R36 R37 a call silences the music and gives it back", arguments: ClientProgram.victims)
    func callOverMusic(victim: ClientProgram) async throws {
        try await Interruption(role: .phone, length: .seconds(3)).play(over: victim) { desk in
            try await desk.hearNothing(of: LiveDesktop.music)
        } judging: { figures, sound in
            #expect(figures.levelWhileInterrupted == nil)
            try Interruption.expectReturn(figures, sound, after: .milliseconds(300), fade: .milliseconds(80))
        }
    }

    @Test(
        "R34 R36 R37 ringing waits until the music is silent, and loses nothing", arguments: ClientProgram.victims)
    func ringingOverMusic(victim: ClientProgram) async throws {
        let ringing = Interruption(role: .ringtone, length: .seconds(2))
        try await ringing.play(over: victim) { _ in
        } judging: { figures, sound in
            #expect(figures.levelWhileInterrupted == nil)
            // Nothing was seen in any run, so nothing is allowed: the ringing is held until the music's fade has ended.
            #expect(figures.audibleOverlap == .zero, "both were heard for \(figures.audibleOverlap)")
            try ringing.expectWhole(sound.right)
            try Interruption.expectReturn(figures, sound, after: .milliseconds(300), fade: .milliseconds(80))
        }
    }

    /// The server's main thread learns late of what begins, while its data thread plays on. Others run out of sound when
    /// PipeWire's is late.
    @Test(
        "R34 R36 ringing is not heard over the music when the server's main loop is late",
        arguments: ServerKind.underTest == .pipeWire ? ClientProgram.interrupters : ClientProgram.victims)
    func ringingAtBusyServer(program: ClientProgram) async throws {
        try await LiveDesktop.run(own: "slows the server down") { desk in
            let server = desk.server as? PrivateDesktop
            if server == nil {
                // Nothing but its delay is of use here.
                _ = try await PulseCard.start(.laptop, isAbsent: true, delay: .milliseconds(60), on: desk.pulseAudio)
            }
            _ = try await desk.playMusic()
            let start = try await desk.capture.wait(
                for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(600))
            try await server?.slowMainLoop(by: .milliseconds(60))
            let ringing = try desk.play(
                LiveDesktop.interrupter, with: program, as: "ringing", role: .ringtone, for: .seconds(2))
            try await desk.hear(LiveDesktop.interrupter)
            try await server?.slowMainLoop(by: .zero)
            #expect(try await ringing.waitForExit() == .exited(0))
            try await desk.capture.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            let sound = try await desk.heard(from: start)
            let overlap = overlap(
                soundingFrames(of: sound[LiveDesktop.music.channel], above: InterruptionFigures.audible),
                soundingFrames(of: sound[LiveDesktop.interrupter.channel], above: InterruptionFigures.audible))
            #expect(overlap == .zero, "both were heard for \(overlap)")
        }
    }

    @Test("R40 R45 R49 a spoken prompt lowers the music by 20 dB", arguments: ClientProgram.victims)
    func promptOverMusic(victim: ClientProgram) async throws {
        try await Interruption(role: .navigation, length: .seconds(3)).play(over: victim) { desk in
            try await desk.hear(LiveDesktop.music, lowered: 20)
        } judging: { figures, _ in
            let level = try #require(figures.levelWhileInterrupted)
            #expect(abs(level + 20) < 0.5)
            let back = try #require(figures.backAfter)
            // 300 ms at the lower level, and most of a release of 700 ms.
            #expect(back > .milliseconds(800) && back < .milliseconds(1000), "back after \(back)")
        }
    }

    @Test("N18 a call stays the same call to its end: its program going is no other call", arguments: [true, false])
    func endsAsItself(byItself: Bool) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            for program in Set([ClientProgram.plain, .paplay]) {
                let call = try desk.play(
                    LiveDesktop.interrupter, with: program, as: "telephone", role: .phone,
                    for: byItself ? .seconds(2) : .seconds(60))
                try await desk.hearNothing(of: LiveDesktop.music)
                if !byItself { call.terminate() }
                try await call.waitForExit()
                try await desk.hear(LiveDesktop.music)
            }
            let odd = try desk.moduleLog.split(separator: "\n").filter { $0.contains("cork telephone") }
            #expect(odd.isEmpty, "\(odd.joined(separator: "\n"))")
        }
    }

    @Test("R27 R30 two interrupters overlap, and the music waits for the last", arguments: [true, false])
    func twoInterrupters(firstEndsFirst: Bool) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            let alarm = try desk.play(LiveDesktop.interrupter, with: .plain, as: "clock", role: .alarm)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            let call = try desk.play(LiveDesktop.secondInterrupter, with: .paplay, as: "telephone", role: .phone)
            try await desk.hear(LiveDesktop.secondInterrupter)
            // R36: the alarm comes after the phone. The other tone on its channel hides what is 48 dB below it.
            try await desk.capture.wait(
                for: LiveDesktop.interrupter, below: LiveDesktop.full - 40, lasting: .milliseconds(300))
            if firstEndsFirst {
                alarm.terminate()
                try await alarm.waitUntilGone()
                #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(1)) < -90)
                call.terminate()
            } else {
                call.terminate()
                try await desk.hear(LiveDesktop.interrupter)
                #expect(try await desk.highestLevel(of: LiveDesktop.music, during: .seconds(1)) < -90)
                alarm.terminate()
            }
            try await desk.hear(LiveDesktop.music)
            try await desk.expectNoClick(since: start)
        }
    }

    @Test("N10 two prompts lower the music no further than one")
    func twoPrompts() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let start = desk.capture.frameCount
            let first = try desk.play(LiveDesktop.interrupter, with: .plain, as: "navigator", role: .navigation)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            let second = try desk.play(LiveDesktop.secondInterrupter, with: .paplay, as: "reader", role: .accessibility)
            try await desk.hear(LiveDesktop.secondInterrupter)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            first.terminate()
            try await first.waitUntilGone()
            try await desk.expect(LiveDesktop.music, at: LiveDesktop.full - 20, during: .seconds(1))
            second.terminate()
            try await desk.hear(LiveDesktop.music)
            try await desk.expectNoClick(since: start)
        }
    }

    @Test(
        "R9 R36 music that starts during a call waits for its end and loses nothing", arguments: ClientProgram.victims)
    func musicStartsDuringCall(victim: ClientProgram) async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            // A monitor of PulseAudio misses the beginning, and players miss the end of what a card plays late.
            let isOnCard = !desk.showsFades && victim == .paplay
            let capture = isOnCard ? try await desk.card(.usb).record("usb-output") : desk.capture
            let call = try desk.play(LiveDesktop.interrupter, with: .paplay, as: "telephone", role: .phone)
            try await capture.wait(
                for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300), from: 0)
            let start = capture.frameCount
            let length = Duration.seconds(2)
            let music = try desk.play(LiveDesktop.music, with: victim, as: "music-player", role: .music, for: length)
            try await desk.log.wait(forLineContaining: "cork music-player")
            try await capture.record(.seconds(1))
            let early = ToneEnvelope(
                of: try await desk.heard(from: start, in: capture)[LiveDesktop.music.channel],
                frequency: LiveDesktop.music.frequency)
            #expect(try #require(early.highestLevel) < -90)
            call.terminate()
            let begin = try await capture.wait(for: LiveDesktop.music, at: LiveDesktop.full, from: start)
            #expect(try await music.waitForExit() == .exited(0))
            try await capture.wait(for: LiveDesktop.music, below: -90, lasting: .milliseconds(300))
            // Not to its end, at which pw-play leaves out the last of its file.
            let judged = isOnCard ? capture : nil
            try await desk.expectNoClick(since: start, to: begin + length.frames / 2, in: judged)
            let sound = try await desk.heard(from: start, in: capture).left
            try isOnCard
                ? Interruption.expectWhole(sound, length, but: 1024) : Interruption.expectWhole(sound, length)
        }
    }

    @Test("N10 music that starts under a prompt starts lowered")
    func musicStartsUnderPrompt() async throws {
        try await LiveDesktop.run { desk in
            let prompt = try desk.play(LiveDesktop.interrupter, with: .paplay, as: "navigator", role: .navigation)
            try await desk.hear(LiveDesktop.interrupter)
            for victim in ClientProgram.victims {
                let start = desk.capture.frameCount
                let music = try desk.play(LiveDesktop.music, with: victim, as: "player-\(victim)", role: .music)
                try await desk.capture.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full - 20, lasting: .milliseconds(500), from: start)
                let loudest = try await desk.highestLevel(of: LiveDesktop.music, from: start)
                try await desk.expectNoClick(since: start)
                #expect(loudest < LiveDesktop.full - 19, "\(victim) began with \(loudest) dBFS")
                music.terminate()
                try await music.waitUntilGone()
                // Its cut end may be recorded after its stream has gone.
                try await desk.hearNothing(of: LiveDesktop.music)
            }
            prompt.terminate()
        }
    }
}

/// An interruption of music, to be measured.
private struct Interruption {
    /// The interrupter's role.
    var role: MediaRole
    /// How long it plays.
    var length: Duration

    /// Plays music, interrupts it with each kind of client, and measures every interruption.
    ///
    /// - Parameters:
    ///   - inBetween: Waits for what is to be heard while the interrupter plays.
    ///   - judge: Gets the figures, and the sound from before the interruption to after it.
    func play(
        over victim: ClientProgram, inBetween: (LiveDesktop) async throws -> Void,
        judging judge: (InterruptionFigures, Sound) throws -> Void
    ) async throws {
        for program in ClientProgram.interrupters {
            try await LiveDesktop.run { desk in
                _ = try await desk.playMusic(with: victim)
                // The noise floor and the clicks before the interrupter's begin are measured in that time, in which a player
                // that has just begun must not have a gap of its own.
                let start = try await desk.capture.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(1400))
                let interrupter = try desk.play(
                    LiveDesktop.interrupter, with: program, as: "interrupter", role: role, for: length)
                try await desk.hear(LiveDesktop.interrupter)
                try await inBetween(desk)
                #expect(try await interrupter.waitForExit() == .exited(0))
                try await desk.capture.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full, tolerance: 0.1, lasting: .milliseconds(300))
                let sound = try await desk.heard(from: start)
                // Required on its own, or a failure would print all samples.
                let measured = InterruptionFigures(
                    of: sound, interrupted: LiveDesktop.music, by: LiveDesktop.interrupter, marginAtEnd: .seconds(3))
                let figures = try #require(measured)
                print("\(role.pulse) by \(program) over \(victim): \(figures)")
                #expect(abs(figures.fullLevel - LiveDesktop.full) < 0.1)
                #expect(figures.noiseFloor < -80, "a noise floor of \(figures.noiseFloor) dBFS")
                if desk.showsFades {
                    let click = max(figures.clickAtBegin, figures.clickAtEnd)
                    #expect(click <= LiveDesktop.loudestClick, "a click of \(click) dBFS by \(program)")
                }
                try judge(figures, sound)
            }
        }
    }

    /// Checks when the music comes back, and how long its fade takes, both in samples of the recording.
    ///
    /// - Parameters:
    ///   - delay: How long an interrupter counts after its last sound. Five cycles of the graph may pass until the server has
    ///     noticed the end and lets the music go.
    ///   - fade: How long the way back takes.
    static func expectReturn(
        _ figures: InterruptionFigures, _ sound: Sound, after delay: Duration, fade: Duration
    ) throws {
        let envelope = ToneEnvelope(of: sound[LiveDesktop.music.channel], frequency: LiveDesktop.music.frequency)
        let end = figures.interrupter.upperBound
        // Evenly on a volume slider, at rest at both ends: from 50 to 95 % of the slider, which are -18.06 and -1.34 dB, takes
        // 31.1 % of the time.
        let half = try #require(envelope.firstFrame(from: end, above: figures.fullLevel - 18.06))
        let most = try #require(envelope.firstFrame(from: half, above: figures.fullLevel - 1.34))
        let measured = Duration.frames(most - half)
        #expect(abs((measured - fade * 0.311).milliseconds) < 8, "from half to almost all in \(measured)")
        let begin = Duration.frames(half - end) - fade / 2
        #expect(begin > delay - .frames(1024) && begin < delay + .frames(5 * 1024), "back after \(begin)")
    }

    /// Checks that all of the interrupter was heard, and nothing of it twice.
    func expectWhole(_ samples: [Float]) throws { try Interruption.expectWhole(samples, length) }

    /// Checks that all frames of a tone of some length are in some samples, and none twice.
    ///
    /// The file begins and ends with fades, of which a few frames are below the threshold. On PipeWire, pw-play leaves out
    /// what of the file's end does not fill a quantum: of two seconds 95,225 or 95,226 frames were heard, of other players
    /// 95,872 or more. A stream of a PulseAudio client is muted there until the daemon's main loop has heard of its start: with
    /// that loop made late by 0 to 8 ms 95,872 frames were heard, by 12 to 30 ms one quantum less, 94,870. What a machine does
    /// to a loop in less time than ``MachineWatch`` sees may cost that quantum, and no more. A monitor of PulseAudio misses up
    /// to 25 ms of the beginning (``LiveDesktop/showsFades``): 94,939 to 95,114 frames were heard there, and of the same on a
    /// card 95,986.
    static func expectWhole(_ samples: [Float], _ length: Duration, but missed: Int? = nil) throws {
        let ranges = soundingFrames(of: samples)
        let heard = ranges.map(\.count).reduce(0, +)
        print("\(heard) of \(length.frames) frames")
        // What begins or ends louder than a fade does has lost that end of it.
        let parts = ranges.map { range in
            let edges = [samples[range].prefix(24), samples[range].suffix(24)]
            let loudest = edges.map { String(describing: $0.map(\.magnitude).max() ?? 0) }
            return "\(range), from a peak of \(loudest[0]) to one of \(loudest[1])"
        }
        #expect(
            heard > length.frames - (missed ?? 1200) && heard <= length.frames,
            "\(heard) of \(length.frames) frames were heard: \(parts.joined(separator: "; "))")
    }
}
