import Foundation
import TestKit
import Testing

/// Routes when those around do not behave: a card that lies, a session manager that dies, effects in between.
extension LiveModule {
    @Test("R61 a card that lies of the size of its numbers does no harm to the daemon")
    func lyingCard() async throws {
        try await LiveDesktop.run { desk in
            let card = try await desk.card(.laptop, lies: true)
            try await desk.log.wait(forLineContaining: "alsa_card.pci-0000_00_1f.3: ")
            for _ in 0..<3 {
                try await card.unplug("headphones")
                try await card.plug("headphones")
            }
            // Its ports are known all the same, and who asks is answered.
            try await desk.log.wait(forLineContaining: "analog-output-headphones yes")
            _ = try await waitUntil("the headphones in the list") {
                try await desk.command("route").contains("Headphones") ? true : nil
            }
        }
    }

    @Test("R46 R63 the session manager dies during a call, another begins: the earpiece is used till the call ends")
    func managerDies() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.phone)
            let earpiece = try await card.record("phone-earpiece")
            let app = try await desk.application()
            let session = try await app.call()
            _ = try await app.start(desk.invocation(LiveDesktop.interrupter, with: .plain, as: "call", role: .phone))
            try await earpiece.wait(for: LiveDesktop.interrupter, at: LiveDesktop.full, lasting: .milliseconds(300))
            for _ in 0..<2 {
                try await desk.pipeWire.killWirePlumber()
                let lines = try desk.log.lineCount
                try await desk.pipeWire.startWirePlumber()
                // It sends all sound to the loudspeaker, as it does with any card that it has not seen.
                try await desk.log.wait(forLineContaining: "Speaker unknown, [Out] Headphones", after: lines)
                try await card.wait(untilHeardFrom: "phone-earpiece")
            }
            try await app.session(session, "Deactivate", "[]")
            try await card.wait(untilHeardFrom: "phone-speaker")
        }
    }

    @Test("R46 R64 a module that is loaded late knows the card, the session manager and the streams that are there")
    func loadedLate() async throws {
        try await LiveDesktop.run(options: {
            $0.routeVolume = 1
            $0.isModuleLate = true
        }) { desk in
            var users: [ChildProcess] = []
            defer { withExtendedLifetime(users) {} }
            let card = try await FixtureCard.start(.laptop, on: desk.pipeWire)
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            _ = try desk.play(LiveDesktop.music, with: .plain, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            // Others use the session manager's metadata, too, each by a resource of its own.
            for number in 0..<8 {
                let user = try desk.sandbox.start("metadata-\(number)", Invocation("pw-metadata", ["-m"]))
                try await user.log.wait(forLineContaining: "Found \"default\" metadata")
                users.append(user)
            }
            try await desk.pipeWire.loadModule()
            try await desk.log.wait(forLineContaining: "route: Headphones")
            for _ in 0..<3 {
                try await desk.pullAndPlug("headphones", instead: "speaker", of: card, heardOn: headphones)
            }
            try await desk.expectSilence(of: speaker)
            // Its owner goes without a word, and another comes.
            try await card.killOwner()
            let lines = try desk.log.lineCount
            let other = try await desk.card(.laptop)
            try await desk.log.wait(forLineContaining: "analog-output-headphones yes", after: lines)
            try await other.unplug("headphones")
            try await other.wait(untilHeardFrom: "speaker")
        }
    }

    @Test("R64 what is heard through effects stops as well when the headphones are pulled out")
    func effectsBetween() async throws {
        let loopback = """
            context.modules = [
                { name = libpipewire-module-loopback
                  args = {
                      capture.props = { node.name = effects media.class = Audio/Sink audio.position = [ FL FR ] }
                      playback.props = { node.name = effects-out node.passive = true audio.position = [ FL FR ] }
                  } }
            ]
            """
        try await LiveDesktop.run(options: {
            $0.routeVolume = 1
            $0.pipeWire.pipeWireFragments["60-loopback.conf"] = loopback
        }) { desk in
            let card = try await desk.card(.laptop)
            if desk.server.kind == .pulseAudio {
                // It is behind the default sink from the moment at which it is there.
                try await desk.sandbox.run(
                    Invocation("pactl", ["load-module", "module-remap-sink", "sink_name=effects"]))
            }
            let speaker = try await card.record("speaker")
            let headphones = try await card.record("headphones")
            let file = try desk.sandbox.write(Signal.tone(440, for: .seconds(60), on: .left), to: "music.wav")
            _ = try Client(
                .plain, file: file, as: ApplicationIdentity("music-player"), role: .music,
                arguments: ClientProgram.plain.argumentsForSink("effects"), on: desk.server)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            for _ in 0..<3 {
                let start = headphones.frameCount
                try await card.unplug("headphones")
                try await card.wait(untilHeardFrom: "speaker")
                try await card.plug("headphones")
                try await card.wait(untilHeardFrom: "headphones")
                // The silence is in the recording, however late it is looked for.
                let silence = try await headphones.wait(
                    for: LiveDesktop.music, below: -90, lasting: .milliseconds(100), from: start)
                try await headphones.wait(
                    for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300), from: silence)
            }
            try await desk.expectSilence(of: speaker)
        }
    }
}
