import Foundation
import TestKit
import Testing

/// Peers that want no good, and a bus that comes and goes.
extension LiveModule {
    @Test("another connection cannot change a session, and one connection has a limit")
    func strangers() async throws {
        try await LiveDesktop.run { desk in
            let owner = try await desk.application("owner")
            let stranger = try await desk.application("stranger")
            let session = try await owner.open()
            for (method, arguments) in [
                ("Activate", ["[]"]), ("Deactivate", ["[]"]), ("SetCategory", [#""record""#, "[]", #""""#]),
                ("Close", []),
            ] {
                let request = (["\"session\"", "\"\(session)\"", "\"\(method)\""] + arguments).joined(separator: ", ")
                #expect(
                    await desk.error { try await stranger.ask("[\(request)]") }
                        == "org.freedesktop.DBus.Error.AccessDenied")
            }
            #expect(try await owner.get(session, "Active").bool == false)
            #expect(try await owner.get(session, "Category").text == "solo-ambient")
            // One is open already.
            var refused = 0
            for _ in 1..<1_000 {
                let error = await desk.error { _ = try await owner.open() }
                if error == "org.freedesktop.DBus.Error.LimitsExceeded" { refused += 1 } else { #expect(error == "") }
            }
            #expect(refused == 1_000 - 64)
            _ = try await stranger.open()
            owner.process.signal(SIGKILL)
            _ = try await waitUntil("the owner's sessions to end") {
                try await stranger.manager("ListSessions").elements.count == 1 ? true : nil
            }
        }
    }

    @Test("messages of wrong types, unknown things and 10 MB are answered with errors, and the music plays on")
    func nonsense() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let app = try await desk.application()
            let session = try await app.open()
            let start = desk.capture.frameCount
            let manager = SessionApplication.manager
            let calls: [(arguments: [String], error: String)] = [
                (["call", manager, "org.AudioSession1.Manager", "OpenSession", "s", "x"], "takes a{sv}"),
                (
                    [
                        "call", manager, "org.AudioSession1.Manager", "OpenSession", "a{sv}", "1", "display-name", "u",
                        "3",
                    ], "expected s"
                ),
                (
                    ["call", manager, "org.AudioSession1.Manager", "OpenSession", "a{sv}", "1", "colour", "s", "red"],
                    "there is no property 'colour'"
                ),
                (["call", manager, "org.AudioSession1.Manager", "Explode"], "no method"),
                (["call", manager, "org.AudioSession1.Other", "Explode"], "no interface"),
                (["call", manager + "/nothing", "org.AudioSession1.Session", "Close"], "no object"),
                (["call", session, "org.AudioSession1.Session", "Activate", "u", "1"], "takes as"),
                (
                    ["call", manager, "org.AudioSession1.Manager", "BeginInterruption", "sa{sv}", "war", "0"],
                    "there is no kind 'war'"
                ),
                (["call", manager, "org.AudioSession1.Manager", "EndInterruption", "u", "77"], "no interruption"),
                (["set-property", manager, "org.AudioSession1.Manager", "Locked", "b", "true"], "can only be read"),
                (["set-property", manager, "org.AudioSession1.Manager", "Silent", "s", "yes"], "b"),
                (["get-property", manager, "org.AudioSession1.Manager", "Colour"], "no property"),
            ]
            for (arguments, expected) in calls {
                let message = await desk.busctlError(arguments)
                #expect(message.contains(expected), "\(arguments): \(message)")
            }
            // 10 MB in one text, which is longer than any name, and in many entries.
            let giant = String(repeating: "x", count: 10_000_000)
            #expect(
                await desk.error { _ = try await app.ask(#"["open", {"display-name": "\#(giant)"}]"#) }.isEmpty == false
            )
            #expect(
                await desk.error {
                    _ = try await app.session(session, "SetCategory", #""playback""#, #"["\#(giant)"]"#, #""""#)
                }.isEmpty == false)
            let words = Array(repeating: #""mix-with-others""#, count: 500_000).joined(separator: ",")
            #expect(
                await desk.error {
                    _ = try await app.session(session, "SetCategory", #""playback""#, "[\(words)]", #""""#)
                }
                .isEmpty == false)
            #expect(try await app.get(session, "Category").text == "solo-ambient")
            try await desk.expectUnbroken(LiveDesktop.music, since: start)
        }
    }

    @Test(
        "no message and no descriptor of one peer ends another's session",
        arguments: [["long", "100000000"], ["long", "134217727"], ["descriptors", "2000"]])
    func attackOnConnection(attack: [String]) async throws {
        try await LiveDesktop.run { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, #"["mix-with-others"]"#, #""""#)
            try await app.session(session, "Activate", "[]")
            let lines = try desk.log.lineCount
            let before = try desk.peakMemory
            let attacker = try desk.sandbox.start(
                "attacker", Invocation("/usr/bin/python3", [DesktopMocks.fixture("bus-attack.py")] + attack))
            #expect(try await attacker.waitForExit() == .exited(0), "\(attacker.log.tail())")
            // It is answered after everything that came before.
            #expect(try await app.get(session, "Active").bool == true)
            let log = try desk.log.text.split(separator: "\n").dropFirst(lines)
            #expect(!log.contains { $0.contains("session bus is gone") })
            let growth = try desk.peakMemory - before
            print("\(attack.joined(separator: " ")): \(growth >> 10) KiB more at most; \(attacker.log.tail())")
            // A message of 2 MiB is read as a whole, in whatever number of copies; one of 100 is not.
            #expect(growth < 16 << 20, "\(growth) bytes")
        }
    }

    @Test("10,000 calls a second from one peer: others get answers, the music has no gap, and sessions are in time")
    func flood() async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            let app = try await desk.application()
            let start = desk.capture.frameCount
            let flood = try desk.sandbox.start(
                "flood",
                Invocation("/usr/bin/python3", [DesktopMocks.fixture("flood.py"), "100000", "10000", "ListStreams"]))
            var answers = 0
            while flood.isRunning {
                _ = try await app.manager("ListSessions")
                let session = try await app.open()
                try await app.session(session, "SetCategory", #""playback""#, #"["mix-with-others"]"#, #""""#)
                try await app.session(session, "Activate", "[]")
                try await app.session(session, "Close")
                answers += 5
            }
            #expect(answers >= 50)
            let report = try #require(flood.log.text.split(separator: "\n").last)
            #expect(report.contains("answered 100000, refused 0"), "\(report)")
            try await desk.expectUnbroken(LiveDesktop.music, since: start)
            print("flood: \(report); meanwhile \(answers) calls of another peer were answered")
        }
    }

    @Test("the bus goes away and comes back: the policy for streams goes on, and the name is taken again")
    func busRestart() async throws {
        try await LiveDesktop.run(own: "ends the bus") { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""playback""#, #"["duck-others"]"#, #""""#)
            try await app.session(session, "Activate", "[]")
            _ = try await desk.playMusic(lowered: 14)
            let lines = try desk.log.lineCount
            try await desk.server.stopBus()
            try await desk.log.wait(forLineContaining: "the session bus is gone", after: lines)
            // R12: the session is kept for a while, and ends as its owner does not come back.
            try await desk.hear(LiveDesktop.music)
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            try await desk.server.startBusAgain()
            try await desk.log.wait(forLineContaining: "org.AudioSession1 is on the session bus", after: lines)
            let other = try await desk.application("another-application")
            let again = try await other.open()
            try await other.session(again, "SetCategory", #""playback""#, #"["duck-others"]"#, #""""#)
            try await other.session(again, "Activate", "[]")
            try await desk.hear(LiveDesktop.music, lowered: 14)
        }
    }

    @Test(
        "R82 the server goes and comes back: lost, reset, and a session can be opened again",
        arguments: [SIGTERM, SIGKILL])
    func serverRestart(signal: Int32) async throws {
        try await LiveDesktop.run(own: "ends the server") { desk in
            let app = try await desk.application()
            let session = try await app.open()
            try await app.session(session, "Activate", "[]")
            if signal == SIGKILL { try await desk.server.outliveStart() }
            try await desk.server.stopDaemon(signal: signal)
            if signal == SIGTERM { try await app.hear("ServicesLost") }
            await desk.server.stopServers()
            try await desk.server.startServers()
            try await app.hear("ServicesReset")
            let again = try await app.open()
            #expect(try await app.session(again, "Activate", "[]").text == "active")
        }
    }

    @Test("dbus = no: the policy without a service")
    func withoutService() async throws {
        try await LiveDesktop.run(servesBus: false) { desk in
            _ = try await desk.playMusic()
            let call = try desk.play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
            try await desk.hearNothing(of: LiveDesktop.music)
            call.terminate()
            try await desk.hear(LiveDesktop.music)
            let names = await desk.busctlError(["status"])
            #expect(!names.isEmpty)
        }
    }
}

extension LiveDesktop {
    /// What `busctl` says is wrong with a call; empty when nothing is.
    func busctlError(_ arguments: [String]) async -> String {
        var words = arguments
        words.insert("org.AudioSession1", at: 1)
        let address = sandbox.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
        do {
            try await sandbox.run(Invocation("busctl", ["--address=\(address)"] + words))
            return ""
        } catch let failure as CommandFailure {
            return failure.errors
        } catch {
            return "\(error)"
        }
    }

    /// Plays music that is lowered from its beginning.
    func playMusic(lowered decibels: Double) async throws -> Client {
        let client = try play(LiveDesktop.music, with: .paplay, as: "music-player", role: .music)
        try await hear(LiveDesktop.music, lowered: decibels)
        return client
    }
}

extension LiveDesktop {
    /// The most memory that the daemon has had at once, in bytes (proc(5), `VmHWM`).
    fileprivate var peakMemory: Int {
        get throws {
            let daemon = try #require(server.daemon)
            let status = try String(contentsOfFile: "/proc/\(daemon.processID)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) << 10
        }
    }
}
