import Foundation
import TestKit
import Testing

/// Programs in sandboxes as Flatpak makes them: with bubblewrap, its own processes and files, and a description at the root.
extension LiveModule {
    @Test(
        "N18 N20 out of a sandbox, a call silences the music if the sandbox may record",
        arguments: ClientProgram.interrupters)
    func callFromSandbox(program: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            // What reaches PipeWire's server for clients of PulseAudio may record in any case.
            if program == .plain {
                // What it says of itself makes no difference.
                let lies = ["pipewire.access.portal.app_id": "org.example.Other", "pipewire.sec.pid": "1"]
                for properties in [[:], lies] {
                    let call = try desk.call(
                        from: "org.example.Silent", "shared=network;", with: program, properties: properties)
                    try await desk.hear(LiveDesktop.interrupter)
                    try await desk.log.wait(forLineContaining: "org.example.Silent may not claim the priority of phone")
                    try await desk.hearMusicOn()
                    try await desk.end(call)
                }
            }
            let call = try desk.call(from: "org.example.Softphone", "sockets=x11;pulseaudio;", with: program)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.end(call)
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test(
        "N20 out of a sandbox, a call silences the music if a policy file names it, whether it may record or not",
        arguments: ClientProgram.interrupters)
    func callFromNamedSandbox(program: ClientProgram) async throws {
        let policy = "claims = { phone = { allow = [ { pipewire.access.portal.app_id = org.example.Named } ] } }"
        try await LiveDesktop.run(policy: policy) { desk in
            _ = try await desk.playMusic()
            let other = try desk.call(from: "org.example.Softphone", "sockets=x11;pulseaudio;", with: program)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.log.wait(forLineContaining: "org.example.Softphone may not claim the priority of phone")
            try await desk.hearMusicOn()
            try await desk.end(other)
            let call = try desk.call(from: "org.example.Named", "shared=network;", with: program)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.end(call)
            try await desk.hear(LiveDesktop.music)
        }
    }
}

extension LiveModule {
    @Test("no stream, and nothing from a sandbox, makes the module step back; what does ends with it")
    func stepsBackForWhoMayAsk() async throws {
        guard ServerKind.underTest == .pipeWire else { return }
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let roles = "policy.role-based.priority=60 policy.role-based.target=true wireplumber.is-endpoint=true"
            let sink = Invocation(
                "pw-loopback", ["--capture-props", "{ media.class=Audio/Sink node.name=roles \(roles) }"])
            let game = try desk.sandbox.start("game", try desk.sandboxed(sink, "org.evil.Game", "sockets=pulseaudio;"))
            try await desk.waitForNode("roles")
            let properties = Dictionary(
                uniqueKeysWithValues: roles.split(separator: " ").map { part in
                    let pair = part.split(separator: "=")
                    return (String(pair[0]), String(pair[1]))
                })
            let call = try desk.play(
                LiveDesktop.interrupter, with: .paplay, as: "telephone", role: .phone, properties: properties)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            game.signal(SIGTERM)
            try await game.waitForExit()
            // pipewire-pulse makes nodes for any client, under its own name.
            let module = Invocation(
                "pactl", ["load-module", "module-null-sink", "sink_name=roles", "sink_properties=\(roles)"])
            let maker = try desk.sandbox.start(
                "maker", try desk.sandboxed(module, "org.evil.Game", "sockets=pulseaudio;"))
            #expect(try await maker.waitForExit() == .exited(0))
            try await desk.waitForNode("roles")
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.sandbox.run(Invocation("pactl", ["unload-module", "module-null-sink"]))

            let policy = try desk.sandbox.start("policy", sink)
            try await desk.log.wait(forLineContaining: "roles belongs to WirePlumber's own role policy")
            try await desk.hear(LiveDesktop.music)
            let app = try await desk.application()
            #expect(
                try await app.get(SessionApplication.manager, "Policy").text?.hasPrefix("not in force, as roles")
                    == true)
            policy.signal(SIGTERM)
            try await desk.log.wait(forLineContaining: "no other role policy is left")
            try await desk.hearNothing(of: LiveDesktop.music)
            #expect(try await app.get(SessionApplication.manager, "Policy").text?.hasPrefix("not in force") == false)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test("N11 who has made a node that stays, and for whom, is not known: it is no call")
    func nodeOfNobody() async throws {
        guard ServerKind.underTest == .pipeWire else { return }
        try await LiveDesktop.run { desk in
            let music = try await desk.playMusic()
            let client = try #require(try await music.waitForStream().properties["client.id"])
            for (number, stated) in ["", "client.id=\(client)"].enumerated() {
                let node = """
                    { factory.name=support.null-audio-sink node.name=spoof-\(number) media.class=Stream/Output/Audio \
                    object.linger=true media.role=phone audio.position=[FL,FR] \(stated) }
                    """
                let start = Invocation("pw-cli", ["create-node", "adapter", node])
                let maker = try desk.sandbox.start(
                    "maker", try desk.sandboxed(start, "org.evil.Game", "shared=network;"))
                _ = try await maker.waitForExit()
                try await desk.log.wait(forLineContaining: "spoof-\(number) may not claim the priority of phone")
            }
            let module = Invocation(
                "pactl",
                [
                    "load-module", "module-null-sink", "sink_name=spoof-2",
                    "sink_properties=media.class=Stream/Output/Audio media.role=phone",
                ])
            let maker = try desk.sandbox.start(
                "maker", try desk.sandboxed(module, "org.evil.Game", "sockets=pulseaudio;"))
            #expect(try await maker.waitForExit() == .exited(0))
            try await desk.log.wait(forLineContaining: "spoof-2 may not claim the priority of phone")
            try await desk.hearMusicOn()
            try await desk.sandbox.run(Invocation("pactl", ["unload-module", "module-null-sink"]))
            try await desk.sandbox.run(Invocation("pw-cli", ["destroy", "spoof-0"]))
            try await desk.sandbox.run(Invocation("pw-cli", ["destroy", "spoof-1"]))
        }
    }

    @Test("N11 the first client after the bus has come back says that it is the bus: it stays in its sandbox")
    func firstAfterTheBus() async throws {
        guard ServerKind.underTest == .pulseAudio else { return }
        try await LiveDesktop.run(own: "ends the bus") { desk in
            try await desk.server.stopBus()
            try await desk.log.wait(forLineContaining: "the session bus is gone")
            let lines = try desk.log.lineCount
            try await desk.server.startBusAgain()
            let bus = try #require(desk.server.processes["bus"]).processID
            try await desk.log.wait(forLineContaining: "is on the session bus", after: lines)
            let call = try desk.call(
                from: "org.evil.Game", "shared=network;", with: .paplay,
                properties: ["application.process.id": "\(bus)"])
            // On PulseAudio 17 the bus's socket and the client's are new at the same time, and the client is unknown.
            try await desk.log.wait(forLineContaining: " may not claim the priority of phone", after: lines)
            try await desk.end(call)
        }
    }
}

extension LiveDesktop {
    /// Waits until the graph has a node of a name.
    fileprivate func waitForNode(_ name: String) async throws {
        _ = try await waitUntil("the node \(name)") {
            let list = try await sandbox.run(Invocation("pw-cli", ["list-objects", "Node"]))
            return String(decoding: list, as: UTF8.self).contains("\"\(name)\"") ? true : nil
        }
    }

    /// Plays the interrupter's tone as a call, in a sandbox.
    fileprivate func call(
        from application: String, _ context: String, with program: ClientProgram, properties: [String: String] = [:]
    ) throws -> ChildProcess {
        let start = try invocation(
            LiveDesktop.interrupter, with: program, as: "telephone", role: .phone, properties: properties)
        return try sandbox.start(application, try sandboxed(start, application, context))
    }

    /// Ends a call, and waits until it is not heard any more.
    fileprivate func end(_ call: ChildProcess) async throws {
        call.signal(SIGTERM)
        try await call.waitForExit()
        try await hearNothing(of: LiveDesktop.interrupter)
    }

    /// Checks that the music is heard from now on for a second.
    fileprivate func hearMusicOn() async throws {
        try await expect(LiveDesktop.music, at: LiveDesktop.full, during: .seconds(1))
    }

    /// The same program, run in a sandbox of an application of which Flatpak says what is in `context`
    /// (flatpak-metadata(5)).
    fileprivate func sandboxed(_ start: Invocation, _ application: String, _ context: String) throws -> Invocation {
        let name = "\(application)-\(UUID().uuidString.prefix(6)).flatpak-info"
        try sandbox.write(
            """
            [Application]
            name=\(application)

            [Instance]
            instance-id=\(UInt32.random(in: 1...UInt32.max))

            [Context]
            \(context)

            """, to: name)
        var arguments = ["--die-with-parent", "--unshare-pid", "--proc", "/proc", "--dev-bind", "/dev", "/dev"]
        for folder in ["/usr", "/etc"] { arguments += ["--ro-bind", folder, folder] }
        for name in ["lib", "lib64", "bin"] { arguments += ["--symlink", "usr/\(name)", "/\(name)"] }
        let home = String(sandbox.path("").dropLast())
        arguments += ["--bind", home, home, "--ro-bind", sandbox.path(name), "/.flatpak-info", "--", start.executable]
        return Invocation("bwrap", arguments + start.arguments, environment: start.environment)
    }
}
