import Foundation
import TestKit
import Testing

/// What is heard when music is lowered, muted, stopped or held back, and comes back: nothing but its own tone.
extension LiveModule {
    /// All four ways, with fades that take so many milliseconds. A program that is ended may say something else of its stream
    /// before it goes, so an interrupter counts for a moment longer.
    private static func ways(_ fade: Int) -> String {
        """
        roles = {
            navigation = { duck = { gain = -20 attack = \(fade) hold = 0 release = \(fade) } release-delay = 100 }
            phone = { fade = \(fade) handover = overlap release-delay = 100 }
            ringtone = { fade = \(fade) handover = hold release-delay = 100 }
            alarm = { fade = \(fade) handover = overlap release-delay = 100 }
        }
        interplay = { alarm = { any = mute } }
        """
    }
    /// Each program at each quantum takes ten minutes, which is for Tests/run --all.
    private static func victims(at quantum: Int) -> [ClientProgram] {
        let all = ClientProgram.victims
        if Selection.isAll { return all }
        return [all[quantum.trailingZeroBitCount % all.count]]
    }

    /// In PulseAudio there is none for all.
    private static let quanta = ServerKind.underTest == .pipeWire ? [1024, 4096, 8192] : [1024]
    private static let roles: [MediaRole] = [.navigation, .phone, MediaRole("Ringtone"), .alarm]

    @Test(
        "R37 every fade is free of clicks at long quanta too, also one that is turned round", arguments: quanta, roles)
    func glides(quantum: Int, role: MediaRole) async throws {
        // So long that one can be turned round in the middle by the clock: a stream's end is noticed after some cycles.
        let fade = quantum > 4096 ? 1500 : 600
        for victim in Self.victims(at: quantum) {
            try await LiveDesktop.run(policy: Self.ways(fade), quantum: .fixed(quantum)) { desk in
                _ = try await desk.playMusic(with: victim)
                let start = try await desk.capture.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(500))
                // To its end, and turned round on its way.
                var ends: [Int] = []
                for isTurned in [false, true] {
                    let begin = desk.capture.frameCount
                    let other = try desk.play(LiveDesktop.interrupter, with: .plain, as: "interrupter", role: role)
                    if isTurned {
                        try await desk.capture.wait(
                            for: LiveDesktop.music, below: LiveDesktop.full - 1, lasting: .milliseconds(1), from: begin)
                    } else if role == .navigation {
                        try await desk.capture.wait(
                            for: LiveDesktop.music, at: LiveDesktop.full - 20, tolerance: 0.05,
                            lasting: .milliseconds(200))
                    } else {
                        try await desk.hearNothing(of: LiveDesktop.music)
                    }
                    ends.append(desk.capture.frameCount)
                    other.terminate()
                    try await other.waitUntilGone()
                    try await desk.capture.wait(
                        for: LiveDesktop.music, at: LiveDesktop.full, tolerance: 0.1, lasting: .milliseconds(300),
                        from: desk.capture.frameCount)
                }
                print("\(victim), \(role.pulse), quantum \(quantum)")
                try await desk.expectNoClick(since: start)
                let samples = try await desk.heard(from: start)[LiveDesktop.music.channel]
                let envelope = ToneEnvelope(of: samples, frequency: LiveDesktop.music.frequency)
                func lowest(_ frames: Range<Int>) throws -> Double {
                    let part = envelope.indices(in: frames.lowerBound - start..<frames.upperBound - start)
                    return try #require(envelope.levels[part].min())
                }
                let lowered = LiveDesktop.full - 20
                let whole = try lowest(ends[0] - 4800..<ends[0])
                #expect(role == .navigation ? abs(whole - lowered) < 0.1 : whole < -90, "\(whole) dBFS")
                let turned = try lowest(ends[1] - 24000..<desk.capture.frameCount)
                if turned < lowered + 0.5 - (role == .navigation ? 0 : 60) {
                    throw BrokenStretch(["a fade of \(fade) ms was over before its interrupter had gone"])
                }
                #expect(turned < LiveDesktop.full - 1, "turned round at \(turned) dBFS")
                let last = try #require(envelope.levels.last)
                #expect(abs(last - LiveDesktop.full) < 0.1, "back at \(last) dBFS")
                let glide = try await desk.streams().map { $0["glides"] as? Bool }
                #expect(glide == [true])
            }
        }
    }

    @Test(
        "R37 fades are free of clicks at short quanta, but for those in which the machine loses a quantum",
        arguments: [(64, [ClientProgram.pwPlay]), (256, [.gstreamerPulse, .gstreamerPipeWire])])
    func glidesAtShortQuanta(quantum: Int, victims: [ClientProgram]) async throws {
        try await LiveDesktop.run(
            policy: Self.ways(200), quantum: .fixed(quantum)
        ) { desk in
            for victim in victims {
                let music = try await desk.playMusic(with: victim)
                var clicks: [Double] = []
                /// Notes the loudest click while the music fades out, or back in: 300 ms, for what happens to the machine
                /// at other times is not meant.
                func noteClick(isOut: Bool, while record: () async throws -> Void) async throws {
                    let start = desk.capture.frameCount
                    try await record()
                    let samples = try await desk.heard(from: start)[LiveDesktop.music.channel]
                    let envelope = ToneEnvelope(of: samples, frequency: LiveDesktop.music.frequency)
                    let lowered = envelope.levels.indices.filter { envelope.levels[$0] < LiveDesktop.full - 1 }
                    let edge = envelope.frame(of: try #require(isOut ? lowered.first : lowered.last))
                    let fade = isOut ? edge - 4800..<edge + 9600 : edge - 9600..<edge + 4800
                    clicks.append(try #require(ClickMeter().peak(in: samples, frames: fade)).level)
                    let lowest = try #require(envelope.levels.min())
                    #expect(lowest < LiveDesktop.full - 19, "\(lowest) dBFS")
                }
                for role in Self.roles + Self.roles {
                    let other = try desk.play(LiveDesktop.interrupter, with: .plain, as: "interrupter", role: role)
                    try await noteClick(isOut: true) {
                        try await other.waitForStream()
                        try await desk.capture.record(.milliseconds(700))
                    }
                    try await noteClick(isOut: false) {
                        other.terminate()
                        try await other.waitUntilGone()
                        try await desk.hear(LiveDesktop.music)
                    }
                }
                clicks.sort()
                print("\(victim), quantum \(quantum): clicks of \(clicks.map { Int($0) }) dBFS")
                // A quantum of 64 frames lasts 1.3 ms, and virtual machines pause for longer: music that nobody touches
                // clicks then, too. A gain that changes in steps clicks in every fade, at −60 or more.
                let clean = quantum < 256 ? clicks.count / 4 : clicks.count / 2
                #expect(clicks[clean] < -80, "only \(clicks.count { $0 < -80 }) of \(clicks.count) are below −80")
                music.terminate()
                try await music.waitUntilGone()
            }
        }
    }

    @Test(
        "R37 a fade takes the time that the policy says, at every quantum", arguments: quanta)
    func fadeTimes(quantum: Int) async throws {
        let policy = """
            roles = { navigation = { duck = { gain = -20 attack = 400 hold = 0 release = 400 } release-delay = 100 } }
            """
        try await LiveDesktop.run(policy: policy, quantum: .fixed(quantum)) { desk in
            let music = try await desk.playMusic()
            let start = try await desk.capture.wait(
                for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(500))
            let prompt = try desk.play(LiveDesktop.interrupter, with: .paplay, as: "navigator", role: .navigation)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            prompt.terminate()
            try await desk.capture.wait(
                for: LiveDesktop.music, at: LiveDesktop.full, tolerance: 0.1, lasting: .milliseconds(300))
            let samples = try await desk.heard(from: start)[LiveDesktop.music.channel]
            let envelope = ToneEnvelope(of: samples, frequency: LiveDesktop.music.frequency)
            // Evenly on a volume slider, at rest at both ends: 5 % of the way are gone after 18.9 % of the time, 95 % after
            // 81.1 %. So 62.1 % of the time lie between. On the slider, −20 dB is 0.4642.
            let first = 60 * log10(1 - 0.05 * (1 - 0.4642)) + LiveDesktop.full
            let last = 60 * log10(1 - 0.95 * (1 - 0.4642)) + LiveDesktop.full
            let wanted = 400 * 0.6215
            for (name, time) in [
                ("down", Self.time(in: envelope.levels, from: first, to: last)),
                ("back", Self.time(in: envelope.levels, from: last, to: first)),
            ] {
                let milliseconds = try #require(time).milliseconds
                print("quantum \(quantum), \(name): \(milliseconds) ms, expected \(wanted)")
                #expect(abs(milliseconds - wanted) < 4, "\(name) took \(milliseconds) ms")
            }
            music.terminate()
        }
    }

    @Test("R37 fades of mono and 5.1 are as free of clicks as those of stereo", arguments: [1, 6])
    func glidesOfOtherWidths(channels: Int) async throws {
        for program in Set([ClientProgram.plain, .paplay]) {
            try await LiveDesktop.run(policy: Self.ways(400)) { desk in
                let sound = Signal.tone(LiveDesktop.music.frequency, for: .seconds(60), on: .left)
                let file = desk.sandbox.path("home/wide.wav")
                try sound.waveFile(channels: channels).write(to: URL(fileURLWithPath: file))
                let music = try Client(
                    program, file: file, as: ApplicationIdentity("music-player"), role: .music, on: desk.server)
                try await music.waitForStream(in: [.running])
                try await desk.capture.record(.seconds(1))
                // Mixed into two channels, its level is the server's to choose.
                let full = try await desk.highestLevel(of: LiveDesktop.music, during: .milliseconds(500))
                #expect(full > -20, "the tone is at \(full) dBFS")
                let start = desk.capture.frameCount
                for (role, lowered) in [(MediaRole.navigation, full - 20), (.phone, -200)] {
                    let other = try desk.play(LiveDesktop.interrupter, with: .plain, as: "interrupter", role: role)
                    try await other.waitForStream()
                    try await desk.capture.record(.milliseconds(1200))
                    let level = try await desk.highestLevel(of: LiveDesktop.music, during: .milliseconds(300))
                    #expect(level < max(lowered + 0.1, -100), "\(role.pulse): \(level) dBFS")
                    other.terminate()
                    try await other.waitUntilGone()
                    try await desk.capture.record(.milliseconds(1200))
                    let back = try await desk.highestLevel(of: LiveDesktop.music, during: .milliseconds(300))
                    #expect(abs(back - full) < 0.1, "\(role.pulse): back at \(back) of \(full) dBFS")
                }
                print("\(program), \(channels) channels")
                try await desk.expectNoClick(since: start)
            }
        }
    }

    @Test("R37 on a card, short fades are free of clicks, too, which begin in sound that was mixed ahead")
    func glidesOnCard() async throws {
        try await LiveDesktop.run(policy: Self.ways(100), options: { $0.routeVolume = 1 }) { desk in
            let headset = try await desk.card(.usb).record("usb-output")
            for program in ClientProgram.victims {
                let music = try desk.play(LiveDesktop.music, with: program, as: "music-player", role: .music)
                let start = try await headset.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(500))
                for role in Self.roles {
                    let other = try desk.play(LiveDesktop.interrupter, with: .plain, as: "interrupter", role: role)
                    try await other.waitForStream()
                    try await headset.record(.milliseconds(600))
                    other.terminate()
                    try await other.waitUntilGone()
                    try await headset.record(.milliseconds(600))
                }
                try await desk.expectNoClick(since: start, in: headset)
                music.terminate()
                try await music.waitUntilGone()
                try await headset.record(.milliseconds(300))
            }
        }
    }

    @Test("R37 lowered music that is moved to another program's sink and back stays as low, and is never louder")
    func gainFollowsMove() async throws {
        try await LiveDesktop.run(own: "loads a sink") { desk in
            let own = desk.server.sinkName
            try await desk.load("module-remap-sink sink_name=remapped master=\(own)")
            try await desk.waitForSink("remapped")
            _ = try await desk.playMusic(with: .paplay)
            func glides() async throws -> Bool? {
                try await desk.streams().first { $0["description"] as? String == "music" }?["glides"] as? Bool
            }
            #expect(try await glides() == true)
            let prompt = try desk.play(LiveDesktop.interrupter, with: .paplay, as: "navigator", role: .navigation)
            try await desk.hear(LiveDesktop.music, lowered: 20)
            let start = desk.capture.frameCount
            for (sink, isOwn) in [("remapped", false), (own, true)] {
                try await desk.moveMusic(to: sink)
                _ = try await waitUntil("the music's gain at \(sink)") { try await glides() == isOwn ? true : nil }
                try await desk.hear(LiveDesktop.music, lowered: 20)
                try await desk.expect(LiveDesktop.music, at: LiveDesktop.full - 20, during: .milliseconds(500))
            }
            let loudest = try await desk.highestLevel(of: LiveDesktop.music, from: start)
            #expect(loudest < LiveDesktop.full - 19, "\(loudest) dBFS")
            // And where steps are all there is, they lead back.
            try await desk.moveMusic(to: "remapped")
            _ = try await waitUntil("the music's gain at remapped") { try await glides() == false ? true : nil }
            prompt.terminate()
            try await desk.capture.wait(
                for: LiveDesktop.music, at: LiveDesktop.full, tolerance: 0.1, lasting: .milliseconds(500))
            try await desk.moveMusic(to: own)
            _ = try await waitUntil("the music's gain at \(own)") { try await glides() == true ? true : nil }
            try await desk.capture.wait(
                for: LiveDesktop.music, at: LiveDesktop.full, tolerance: 0.1, lasting: .milliseconds(500))
        }
    }

    /// How long levels a millisecond apart go from one to another, one after the other.
    private static func time(in levels: [Double], from first: Double, to last: Double) -> Duration? {
        let falls = last < first
        guard let lowest = levels.indices.min(by: { levels[$0] < levels[$1] }) else { return nil }
        func isPast(_ level: Double, _ limit: Double) -> Bool { falls ? level <= limit : level >= limit }
        let part = falls ? levels.indices : lowest..<levels.endIndex
        guard let begin = part.first(where: { isPast(levels[$0], first) }),
            let end = part.first(where: { isPast(levels[$0], last) })
        else { return nil }
        return .milliseconds(end - begin)
    }
}

extension LiveDesktop {
    /// Moves the stream that says that it is music, as its user.
    fileprivate func moveMusic(to sink: String) async throws {
        _ = try await waitUntil("the music on \(sink)") {
            let sinks = try await pactl("list", "short", "sinks").split(separator: "\n").map {
                $0.split(separator: "\t")
            }
            let number = try #require(sinks.first { $0.count > 1 && $0[1] == sink })[0]
            let text = try await pactl("-f", "json", "list", "sink-inputs")
            let inputs = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
            let music = inputs?.first { ($0["properties"] as? [String: Any])?["media.role"] as? String == "music" }
            let index = try #require(music?["index"] as? Int)
            if music?["sink"] as? Int == Int(number) { return true }
            try await pactl("move-sink-input", String(index), sink)
            return nil
        }
    }
}
