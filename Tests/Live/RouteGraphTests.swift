import Foundation
import TestKit
import Testing

/// Routes through filters, combined sinks and the network, of streams that their user has moved, and of a machine without
/// a card (R56–R66).
extension LiveModule {
    /// How an application for effects puts itself in front of a card.
    enum Effects: String, CaseIterable {
        /// A sink that plays into another one.
        case remap
        /// A null sink, whose monitor is played elsewhere.
        case loopback
    }

    @Test(
        "R60 R64 a filter is the default sink: the headphones behind it are the route, and are lost when they are pulled",
        arguments: Effects.allCases)
    func filterIsDefault(effects: Effects) async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.laptop)
            let sink = try await desk.sink(like: "alsa_output")
            switch effects {
            case .remap: try await desk.load("module-remap-sink sink_name=effects master=\(sink)")
            case .loopback:
                try await desk.load("module-null-sink sink_name=effects")
                try await desk.load("module-loopback source=effects.monitor sink=\(sink)")
            }
            // A loopback of PulseAudio has 200 ms of its own, which come out wherever it plays.
            let isLate = effects == .loopback && desk.server.kind == .pulseAudio
            try await desk.expectLoss(of: card, behind: "effects", isLate: isLate)
        }
    }

    @Test("R60 R64 a filter chain of PipeWire's own configuration is the default sink")
    func filterChain() async throws {
        let chain = """
            context.modules = [
                { name = libpipewire-module-filter-chain
                  args = {
                      node.description = "Equalizer"
                      filter.graph = {
                          nodes = [
                              { type = builtin name = shelf label = bq_highshelf
                                control = { "Freq" = 100.0 "Q" = 1.0 "Gain" = 0.0 } }
                          ]
                      }
                      audio.channels = 2  audio.position = [ FL FR ]
                      capture.props = { node.name = effects media.class = Audio/Sink }
                      playback.props = { node.name = effects-output node.passive = true
                                         target.object = alsa_output.pci-0000_00_1f.3.analog-stereo }
                  }
                }
            ]
            """
        try await LiveDesktop.run(options: {
            $0.routeVolume = 1
            $0.configurationFiles["pipewire/pipewire.conf.d/60-effects.conf"] = chain
        }) { desk in
            try await desk.expectLoss(of: try await desk.card(.laptop), behind: "effects")
        }
    }

    @Test("R60 R64 a combined sink has two outputs: one is pulled out, and the music goes on at the other")
    func combinedSink() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let laptop = try await desk.card(.laptop)
            let usb = try await desk.card(.usb)
            let headphones = try await laptop.record("headphones")
            let headset = try await usb.record("usb-output")
            let app = try await desk.application()
            let sinks = [try await desk.sink(like: "pci-"), try await desk.sink(like: "usb-")]
            try await desk.load("module-combine-sink sink_name=both slaves=\(sinks.joined(separator: ","))")
            try await desk.pactl("set-default-sink", "both")
            let music = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await desk.expectRoute(["Headphones", "USBAudio"], app)
            try await usb.vanish()
            try await desk.expectRoute(["Headphones"], app)
            let from = headphones.frameCount
            try await headphones.wait(
                for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(500), from: from)
            #expect(try desk.moduleLog.contains("the output of") == false)
            #expect(try await music.stream()?.state == .running)
        }
    }

    @Test("R64 a sink that plays on another machine vanishes: what was heard there stops, and is not heard here")
    func tunnelVanishes() async throws {
        try await LiveDesktop.run(own: "loads a sink", options: { $0.routeVolume = 1 }) { desk in
            let far = try await desk.startFarServer()
            let tunnel = try await desk.load("module-tunnel-sink sink_name=tunnel server=unix:\(far)")
            try await desk.waitForSink("tunnel")
            try await desk.pactl("set-default-sink", "tunnel")
            let start = desk.capture.frameCount
            let music = try desk.play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
            try await music.waitForStream(in: [.running])
            try await desk.capture.record(.milliseconds(500))
            try await desk.pactl("unload-module", tunnel)
            try await desk.log.wait(forLineContaining: "and with it the output of 1 streams")
            try await desk.capture.record(.seconds(1))
            try await desk.expectSilence(since: start)
        }
    }

    @Test("R56 R60 without a card the route is empty, and a session that wants to play is told 7")
    func withoutCard() async throws {
        try await LiveDesktop.run(own: "takes the sink away") { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            try await desk.removeTestSink()
            try await desk.waitForSink("auto_null")
            try await desk.expectRoute([], app)
            try await desk.expectRoute([], app, of: session)
            try await app.session(session, "Activate", "[]")
            try await app.hear("RouteChanged 7 ")
        }
    }

    @Test(
        "R58 R64 its user moves a stream: its session has that route, which the loss of the default leaves alone",
        arguments: [false, true])
    func userMoves(isMetered: Bool) async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let scene = try await PlayerBetweenCards(on: desk)
            let (app, session, headphones) = (scene.app, scene.session, scene.headphones)
            let speaker = try await scene.laptop.record("speaker")
            if isMetered {
                _ = try await desk.meterOnlyStream()
                try await desk.expectRoute(["USBAudio"], app, of: session)
            }
            try await desk.moveOnlyStream(toSinkLike: "pci-")
            try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
            try await desk.expectRoute(["Headphones"], app, of: session)
            try await desk.expectRoute(["USBAudio"], app)
            // The default goes: nothing to it.
            try await scene.usb.vanish()
            let from = headphones.frameCount
            try await headphones.wait(
                for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(500), from: from)
            #expect(try desk.moduleLog.contains("the output of") == false)
            // Its own goes.
            try await scene.laptop.unplug("headphones")
            try await app.hear(#"InterruptionBegan "route-disconnected""#)
            try await speaker.record(.milliseconds(700))
            try await desk.expectSilence(of: speaker)
        }
    }

    @Test("R58 its user also links a stream to a second sink: its session stays at the first")
    func linkedTwice() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let scene = try await PlayerBetweenCards(on: desk)
            let second = try await desk.sink(like: "pci-")
            for channel in ["FL", "FR"] {
                try await desk.sandbox.run(
                    Invocation("pw-link", ["player:output_\(channel)", "\(second):playback_\(channel)"]))
            }
            for output in [scene.headphones, scene.headset] {
                try await output.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(500))
            }
            try await desk.expectRoute(["USBAudio"], scene.app, of: scene.session)
        }
    }

    @Test("R78 a headset with a microphone comes and goes: whoever listens is told of the available inputs")
    func availableInputs() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let app = try await desk.application()
            let card = try await desk.card(.usb)
            try await app.process.log.wait(forLineContaining: "changed AvailableInputs [{")
            let seen = app.process.log.lineCount
            try await card.vanish()
            try await app.process.log.wait(forLineContaining: "changed AvailableInputs", after: seen)
            let inputs = try await app.get(SessionApplication.manager, "AvailableInputs").elements
            #expect(inputs.allSatisfy { $0["type"]?.text != "USBAudio" }, "\(inputs)")
        }
    }

    @Test(
        "R43 R66 the microphone of a headset whose profile is off: a session is told so, its user switches the profile")
    func profileIsOff() async throws {
        try await LiveDesktop.run(options: { $0.routeVolume = 1 }) { desk in
            let card = try await desk.card(.bluetooth)
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""play-and-record""#, "[]", #""voice-chat""#)
            let found = try await waitUntil("the microphone") {
                try await app.get(SessionApplication.manager, "AvailableInputs").elements
                    .first { $0["type"]?.text == "BluetoothHFP" }?["id"]?.text
            }
            let failure = await thrownAsynchronously(SessionApplication.Failure.self) {
                _ = try await app.session(session, "SetPreference", #""input""#, "\"\(found)\"")
            }
            #expect(failure?.message.contains("is off: SetRoute switches it") == true, "\(String(describing: failure))")
            try await app.manager("SetRoute", "\"\(found)\"")
            _ = try await waitUntil("the profile") {
                try await card.state().profile.hasPrefix("headset-head-unit") ? true : nil
            }
            _ = try await waitUntil("the microphone in use") {
                let inputs = try await app.get(SessionApplication.manager, "CurrentRoute")["inputs"]?.elements ?? []
                return inputs.contains { $0["type"]?.text == "BluetoothHFP" } ? true : nil
            }
            try await app.session(session, "SetPreference", #""input""#, "\"\(found)\"")
        }
    }
}

/// An application with a session that plays music on a USB headset, beside a laptop's card.
private struct PlayerBetweenCards {
    let laptop, usb: any SoundCard
    let headphones, headset: Capture
    let app: SessionApplication
    let session: String

    /// PipeWire gives the numbers of what has gone to what comes next: here, to what is made after the music, numbers below
    /// those of the music's own links.
    init(on desk: LiveDesktop) async throws {
        laptop = try await desk.card(.laptop)
        usb = try await desk.card(.usb)
        headphones = try await laptop.record("headphones")
        headset = try await usb.record("usb-output")
        app = try await desk.application()
        session = try await app.open()
        try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
        try await desk.load("module-null-sink sink_name=earlier")
        _ = try await app.start(desk.invocation(LiveDesktop.music, with: .paplay, as: "player", role: .music))
        try await headset.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
        try await desk.expectRoute(["USBAudio"], app, of: session)
        try await desk.pactl("unload-module", "module-null-sink")
    }
}

extension LiveDesktop {
    /// Makes a filter in front of a laptop's headphones the default sink, plays, and pulls the headphones out: these are the
    /// route, and their music is not heard on the speaker.
    ///
    /// - Parameter isLate: The filter plays on for a moment what it has.
    fileprivate func expectLoss(
        of card: any SoundCard, behind filter: String, isLate: Bool = false
    ) async throws {
        let speaker = try await card.record("speaker")
        let headphones = try await card.record("headphones")
        let app = try await application()
        let session = try await app.open()
        try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
        try await waitForSink(filter)
        try await pactl("set-default-sink", filter)
        _ = try play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
        try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300))
        try await expectRoute(["Headphones"], app)
        try await expectRoute(["Headphones"], app, of: session)
        try await card.unplug("headphones")
        try await app.hear("RouteChanged 2 ")
        try await expectRoute(["BuiltInSpeaker"], app, of: session)
        let silent = isLate ? speaker.frameCount : 0
        try await speaker.record(.seconds(1))
        try await expectSilence(of: speaker, since: silent)
        try await card.plug("headphones")
        let from = headphones.frameCount
        try await headphones.wait(for: LiveDesktop.music, at: LiveDesktop.full, lasting: .milliseconds(300), from: from)
        try await expectRoute(["Headphones"], app)
        try await expectSilence(of: speaker, since: silent)
    }

    /// Asks the server by the tool that both have.
    @discardableResult
    func pactl(_ arguments: String...) async throws -> String {
        let output = try await sandbox.run(Invocation("pactl", arguments))
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Loads a module of PulseAudio, or what PipeWire has in its place. Returns its number.
    @discardableResult
    func load(_ module: String) async throws -> String {
        let output = try await sandbox.run(
            Invocation("pactl", ["load-module"] + module.split(separator: " ").map(String.init)))
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func sinks() async throws -> [String] {
        try await pactl("list", "short", "sinks").split(separator: "\n").compactMap { line in
            line.split(separator: "\t").dropFirst().first.map(String.init)
        }
    }

    /// The name of a sink.
    func sink(like part: String) async throws -> String {
        try await waitUntil("a sink like \(part)") { try await sinks().first { $0.contains(part) } }
    }

    func waitForSink(_ name: String) async throws {
        _ = try await waitUntil("the sink \(name)") { try await sinks().contains(name) ? true : nil }
    }

    /// Moves the one stream that plays, as its user.
    ///
    /// pipewire-pulse takes a move to what it believes to be the default sink for the end of an earlier move. On a busy
    /// machine a client that has just connected may be believed to have another default sink, so the move is asked for
    /// until the stream is there.
    func moveOnlyStream(toSinkLike part: String) async throws {
        let name = try await sink(like: part)
        _ = try await waitUntil("the stream on \(name)") {
            let sinks = try await pactl("list", "short", "sinks").split(separator: "\n")
                .map { $0.split(separator: "\t") }
            let number = try #require(sinks.first { $0.count > 1 && $0[1] == name })[0]
            let streams = try await pactl("list", "short", "sink-inputs").split(separator: "\n")
            let fields = try #require(streams.first).split(separator: "\t")
            if fields.count > 1, fields[1] == number { return true }
            try await pactl("move-sink-input", String(fields[0]), name)
            return nil
        }
    }

    /// Shows the level of the only stream as the mixers of desktops do, with a recording of that stream alone.
    func meterOnlyStream() async throws -> ChildProcess {
        let streams = try await pactl("list", "short", "sink-inputs").split(separator: "\n")
        let stream = try #require(streams.first)
        let index = try #require(stream.split(separator: "\t").first)
        let file = sandbox.path("tmp/meter.raw")
        let format = ["--raw", "--rate=25", "--channels=1", "--latency-msec=100"]
        let meter = try sandbox.start("meter", Invocation("parec", ["--monitor-stream=\(index)"] + format + [file]))
        _ = try await waitUntil("what the meter records") {
            (FileManager.default.contents(atPath: file) ?? Data()).isEmpty ? nil : true
        }
        return meter
    }

    /// Waits until the outputs of everybody's route, or a session's, have these types.
    func expectRoute(
        _ types: [String], _ app: SessionApplication, of path: String = SessionApplication.manager
    ) async throws {
        var seen: [String] = []
        _ = try await waitUntil("the outputs \(types)", evidence: { "\(seen)\n\(app.process.log.tail())" }) {
            let route = try await app.get(path, "CurrentRoute")
            seen = (route["outputs"]?.elements ?? []).compactMap { $0["type"]?.text }
            return seen == types ? true : nil
        }
    }

    /// Takes away the sink on which everything is heard, the only one without a card.
    func removeTestSink() async throws {
        _ = try await capture.stop()
        switch server.kind {
        case .pipeWire:
            let name = try #require(try await pipeWire.defaultSink())
            try await sandbox.run(Invocation("pw-cli", ["destroy", name]))
        case .pulseAudio:
            try await load("module-always-sink")
            try await pactl("unload-module", "module-null-sink")
        }
    }

    /// Starts a PulseAudio daemon of another machine, with a sink. Returns its socket.
    func startFarServer() async throws -> String {
        let folder = sandbox.path("run/far")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let socket = "\(folder)/native"
        let script = sandbox.path("tmp/far.pa")
        try """
        load-module module-native-protocol-unix auth-anonymous=1 socket=\(socket)
        load-module module-null-sink sink_name=far

        """.write(toFile: script, atomically: true, encoding: .utf8)
        _ = try sandbox.start(
            "far-server",
            Invocation(
                "pulseaudio", ["-n", "--exit-idle-time=-1", "--daemonize=no", "--use-pid-file=no", "-F", script],
                // It would end if another one had its name on the bus.
                environment: ["XDG_RUNTIME_DIR": folder, "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/no-bus"]))
        _ = try await waitUntil("the far server") { FileManager.default.fileExists(atPath: socket) ? true : nil }
        return socket
    }
}
