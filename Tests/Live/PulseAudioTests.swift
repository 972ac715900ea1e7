import Foundation
import SessionTestKit
import Testing

extension LiveModule {
    @Test("streams that come and go leave no memory behind")
    func streamsComeAndGo() async throws {
        // `Tests/run --large` asks for 10,000.
        let wanted = ProcessInfo.processInfo.environment["AUDIO_SESSION_CHURN"].flatMap { Int($0) } ?? 1000
        try await Desk.run(servesBus: false, options: { $0.pulseAudio.logLevel = "error" }) { desk in
            func churn(_ count: Int) async throws {
                let output = try await desk.sandbox.run(
                    Invocation(try Desk.builtProgram("stream-churn"), ["\(count)"]), within: .seconds(600))
                #expect(String(decoding: output, as: UTF8.self) == "\(count) of \(count) streams played\n")
            }
            let daemon = try #require(desk.server.daemon)
            // What is allocated once, and what the allocator keeps.
            try await churn(600)
            let before = try ProcessMemory(of: daemon.processID)
            try await churn(wanted)
            let after = try ProcessMemory(of: daemon.processID)
            print("\(wanted) streams: \(before.privateDirty) KiB before, \(after.privateDirty) KiB after")
            #expect(after.privateDirty - before.privateDirty < 1024)
        }
    }

    @Test("the module comes and goes 200 times in one daemon, and leaves what plays as it was")
    func loadsAndUnloads() async throws {
        try await Desk.run(servesBus: false) { desk in
            let music = try await desk.playMusic()
            let call = try desk.play(Desk.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: Desk.music)
            let daemon = try #require(desk.server.daemon)
            func reload(_ times: Int) async throws {
                for _ in 0..<times {
                    try await desk.server.unloadModule()
                    try await desk.sandbox.run(
                        Invocation("pactl", ["load-module", "module-audio-session", "dbus=no"]))
                }
            }
            try await reload(50)
            let before = try ProcessMemory(of: daemon.processID)
            try await reload(150)
            let after = try ProcessMemory(of: daemon.processID)
            print("150 loads: \(before.privateDirty) KiB before, \(after.privateDirty) KiB after")
            #expect(after.privateDirty - before.privateDirty < 1024)
            try await desk.hearNothing(of: Desk.music)
            call.terminate()
            try await desk.hear(Desk.music)
            #expect(try await music.waitForStream().state == .running)
        }
    }

    @Test(
        "R12 a client that dies in any phase of its stream's life leaves nothing behind",
        arguments: ["connecting", "creating", "ready", "playing", "corked", "draining"])
    func diesInPhase(phase: String) async throws {
        try await Desk.run { desk in
            _ = try await desk.playMusic()
            for role in ["phone", "music", "Ringtone"] {
                let client = try desk.sandbox.start(
                    "dying", Invocation(try Desk.builtProgram("stream-churn"), ["die-\(phase)", role]))
                try await client.waitForExit()
                try await desk.hear(Desk.music)
            }
            // All streams but that of the music are gone.
            try await desk.server.waitForStream("the music alone") { _ in true }
            #expect(try await desk.server.streams().filter { !$0.isCapture }.count == 1)
        }
    }

    @Test("R10 N7 clients are told of an interruption and its end by events of their stream")
    func streamEvents() async throws {
        try await Desk.run { desk in
            let file = try desk.sandbox.write(Signal.tone(440, for: .seconds(60), on: .left), to: "music.wav")
            let music = try desk.sandbox.start(
                "listener",
                Invocation("paplay", ["--verbose", "--property=media.role=music", file]))
            try await desk.hear(Desk.music)
            let call = try desk.play(Desk.interrupter, with: .plain, as: "telephone", role: .phone, for: .seconds(2))
            try await music.log.wait(forLineContaining: "Got event 'request-cork'")
            try await music.log.wait(
                forLineContaining: """
                    audio-session.interruption = "began", audio-session.reason = "default", audio-session.by = "phone"
                    """)
            // R26: it has corked itself, as it was asked to.
            try await desk.server.waitForStream("a corked stream") { $0.state != .running }
            try await call.waitForExit()
            try await music.log.wait(
                forLineContaining: "audio-session.interruption = \"ended\", audio-session.should-resume = \"true\"")
            try await music.log.wait(forLineContaining: "Got event 'request-uncork'")
            try await desk.hear(Desk.music)
        }
    }

    @Test("N12 status and explain are answered as messages, in JSON, without a bus too", arguments: [true, false])
    func messages(servesBus: Bool) async throws {
        try await Desk.run(servesBus: servesBus) { desk in
            _ = try await desk.playMusic()
            func ask(_ words: String...) async throws -> JSONValue {
                try JSONValue(
                    parsing: try await desk.sandbox.run(
                        Invocation("pactl", ["send-message", "/audio-session"] + words)))
            }
            let status = try await ask("status")
            #expect(status["streams"]?.elements.first?["description"]?.text == "music")
            let explanation = try await ask("explain", "\"music-player\"")
            #expect(explanation.elements.first?.text?.contains("is not touched") == true)
            #expect(try await ask("explain", "\"nobody\"").elements.isEmpty)
            await #expect(throws: CommandFailure.self) { _ = try await ask("explode") }
        }
    }

    @Test("a wrong argument is named, with those that there are, and a second module refused")
    func wrongArguments() async throws {
        try await Desk.run { desk in
            func load(_ arguments: String...) async throws {
                try await desk.sandbox.run(Invocation("pactl", ["load-module", "module-audio-session"] + arguments))
            }
            await #expect(throws: CommandFailure.self) { try await load("bogus=1") }
            try await desk.log.wait(
                forLineContaining: "there is no argument bogus; there are: policy=/PATH preset=NAME dbus=yes|no")
            await #expect(throws: CommandFailure.self) { try await load("dbus=no") }
            try await desk.log.wait(forLineContaining: "the module is loaded already")
        }
    }

    @Test("the daemon's own role modules make way, and come back when the module goes")
    func stockModulesMakeWay() async throws {
        try await Desk.run(options: { $0.pulseAudio.modules.append("module-role-cork cork_roles=music") }) { desk in
            func modules() async throws -> String {
                String(
                    decoding: try await desk.sandbox.run(Invocation("pactl", ["list", "short", "modules"])),
                    as: UTF8.self)
            }
            func wait(forRoleCork isThere: Bool) async throws {
                _ = try await waitUntil("module-role-cork is \(isThere ? "" : "not ")there") {
                    try await modules().contains("module-role-cork") == isThere ? true : nil
                }
            }
            try await wait(forRoleCork: false)
            // What is loaded later makes way too.
            try await desk.sandbox.run(Invocation("pactl", ["load-module", "module-role-ducking"]))
            _ = try await waitUntil("module-role-ducking is gone") {
                try await modules().contains("module-role-ducking") ? nil : true
            }
            try await desk.server.unloadModule()
            try await wait(forRoleCork: true)
            let lines = try await modules().split(separator: "\n")
            #expect(lines.contains { $0.contains("module-role-cork\tcork_roles=music") })
            #expect(lines.contains { $0.contains("module-role-ducking") })
        }
    }

    @Test("where the policy keeps the daemon's own role modules, they stay and are warned of")
    func stockModulesStay() async throws {
        try await Desk.run(
            policy: "stock-modules = keep", options: { $0.pulseAudio.modules.append("module-role-cork") }
        ) { desk in
            try await desk.log.wait(forLineContaining: "module-role-cork is loaded: it and audio sessions work against")
            let list = try await desk.sandbox.run(Invocation("pactl", ["list", "short", "modules"]))
            #expect(String(decoding: list, as: UTF8.self).contains("module-role-cork"))
        }
    }
}
