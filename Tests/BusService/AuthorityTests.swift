import BusInterface
import Foundation
import ServiceFixture
import TestKit
import Testing

/// Who may do what (N20).
@Suite struct AuthorityTests {
    private static let denied = "org.AudioSession1.Error.AccessDenied"

    private func desk(_ policy: String = "") async throws -> (
        desk: ServiceFixture, boxed: SessionApplication, path: String, shell: SessionApplication, other: String
    ) {
        let desk = try await ServiceFixture()
        if !policy.isEmpty { try desk.change(to: policy) }
        let boxed = try await SessionApplication("boxed", in: desk.sandbox)
        desk.tree.sandboxes.withLock { $0 = [UInt32(boxed.process.processID): "org.example.Boxed"] }
        let shell = try await SessionApplication("shell", in: desk.sandbox)
        let other = try await waitUntil("the service") { try? await shell.open(#"{"display-name": "Secret"}"#) }
        return (desk, boxed, try await boxed.open(), shell, other)
    }

    private func isDenied(_ body: () async throws -> Void) async -> Bool {
        do { try await body() } catch let error as SessionApplication.Failure {
            return error.name.hasSuffix("AccessDenied")
        } catch { return false }
        return false
    }

    @Test(
        "N20 what concerns the desktop is not for sandboxes",
        arguments: WireInterface.manager.methods.filter { $0.access == .desktop }.map { ($0.name, $0.inputs) })
    func whatConcernsDesktopIsNotForSandboxes(method: String, inputs: [WireInterface.Argument]) async throws {
        let (desk, boxed, _, _, _) = try await desk()
        let arguments = inputs.map { ["s": "\"phone\"", "t": "1000", "a{sv}": "{}"][$0.signature] ?? "" }
        let list = (["\"manager\"", "\"\(method)\""] + arguments).joined(separator: ", ")
        #expect(await isDenied { try await boxed.ask("[\(list)]") })
        await desk.stop()
    }

    @Test("N20 what is for everybody concerns nobody else's sound")
    func whatIsForEverybody() {
        let methods = WireInterface.manager.methods.filter { $0.access == .anyone }.map(\.name)
        #expect(
            methods == [
                "OpenSession", "ListSessions", "ListStreams", "ListLeftAlone", "Explain", "DumpState",
                "EndInterruption",
            ],
            "look whether a sandbox may call it: .github/SECURITY.md")
    }

    @Test("N20 nor are the switches") func norAreSwitches() async throws {
        let (desk, boxed, _, shell, _) = try await desk()
        #expect(await isDenied { try await boxed.set("Silent", "true") })
        #expect(await isDenied { try await boxed.set("DoNotDisturb", "true") })
        #expect(try await boxed.get(SessionApplication.manager, "Silent").bool == false)
        try await shell.set("Silent", "true")
        #expect(try await boxed.get(SessionApplication.manager, "Silent").bool == true)
        await desk.stop()
    }

    @Test("N20 a sandbox sees its own, and that there is something else")
    func sandboxSeesItsOwnAndThatThereIsSomethingElse() async throws {
        let (desk, boxed, path, shell, other) = try await desk()
        desk.play(1, process: UInt32(shell.process.processID))
        desk.play(2, process: UInt32(boxed.process.processID))
        _ = try await waitUntil("the streams") {
            try await shell.manager("ListStreams").elements.count == 2 ? true : nil
        }
        #expect(try await boxed.manager("ListSessions").elements.map { $0["path"]?.text } == [path])
        #expect(try await boxed.manager("ListStreams").elements.map { $0["id"]?.number } == [2])
        desk.play(3, process: UInt32(shell.process.processID), role: "production")
        desk.play(4, process: UInt32(boxed.process.processID), role: "production")
        _ = try await waitUntil("the streams that are left alone") {
            try await shell.manager("ListLeftAlone").elements.count == 2 ? true : nil
        }
        #expect(try await boxed.manager("ListLeftAlone").elements.map { $0["id"]?.number } == [4])
        let dump = try await boxed.manager("DumpState").text ?? ""
        #expect(!dump.contains("Secret") && dump.contains("org.example.Boxed"))
        #expect(try await shell.manager("DumpState").text?.contains("Secret") == true)
        #expect(await isDenied { _ = try await boxed.get(other, "DisplayName") })
        #expect(try await boxed.get(path, "Active").bool == true)
        #expect(try await shell.get(path, "ApplicationId").text == "org.example.Boxed")
        await desk.stop()
    }

    @Test("a line of the policy lets one in") func lineOfPolicyLetsOneIn() async throws {
        let line = "claims = { desktop = { allow = [ { pipewire.access.portal.app_id = org.example.Boxed } ] } }"
        let (desk, boxed, _, _, _) = try await desk(line)
        try await boxed.set("Silent", "true")
        #expect(try await boxed.manager("ListSessions").elements.count == 2)
        await desk.stop()
    }

    @Test("who may not use the microphone cannot silence what plays by recording") func recordingNeedsMicrophone()
        async throws
    {
        let (desk, boxed, path, shell, other) = try await desk()
        for (application, session) in [(boxed, path), (shell, other)] {
            try await application.session(session, "SetCategory", #""record""#, "[]", #""""#)
        }
        #expect(await isDenied { try await boxed.session(path, "Activate", "[]") })
        #expect(await isDenied { try await shell.session(other, "Activate", "[]") } == false)
        await desk.stop()
    }

    @Test("a path that is nowhere says nothing of other people's sessions") func pathThatIsNowhere() async throws {
        let (desk, _, _, _, _) = try await desk()
        let words = ["--address=\(desk.sandbox.busAddress)", "call", "org.AudioSession1"]
        for path in ["/x", "/org/AudioSession1/session/77", "/org/AudioSession1/sessio"] {
            var errors = ""
            do {
                _ = try await desk.sandbox.run(Invocation("busctl", words + [path, "a.b", "C"]))
            } catch let failure as CommandFailure { errors = "\(failure)" }
            #expect(!errors.isEmpty && !errors.contains("/session/1") && !errors.contains("/session/2"), "\(errors)")
        }
        await desk.stop()
    }

    @Test("who may no longer see everything is told nothing any more") func authorityTakenBack() async throws {
        let line = "claims = { desktop = { allow = [ { pipewire.access.portal.app_id = org.example.Boxed } ] } }"
        let (desk, boxed, _, shell, other) = try await desk(line)
        _ = try await boxed.manager("Subscribe")
        try await shell.session(other, "Activate", "[]")
        try await boxed.hear("Event")
        try desk.change(to: "")
        _ = try await waitUntil("the other policy") {
            await isDenied { _ = try await boxed.manager("Subscribe") } ? true : nil
        }
        let before = boxed.signals.count { $0.hasPrefix("Event") }
        try await shell.session(other, "Deactivate", "[]")
        // Its own call is answered after whatever it would have been sent.
        _ = try await boxed.manager("ListSessions")
        #expect(boxed.signals.count { $0.hasPrefix("Event") } == before)
        await desk.stop()
    }

    @Test("another connection cannot change a session") func anotherConnectionCannotChangeSession() async throws {
        let (desk, _, _, shell, other) = try await desk()
        let stranger = try await SessionApplication("stranger", in: desk.sandbox)
        #expect(await isDenied { try await stranger.session(other, "Activate", "[]") })
        #expect(await isDenied { try await stranger.session(other, "SetCategory", #""record""#, "[]", #""""#) })
        #expect(await isDenied { try await stranger.session(other, "Close") })
        #expect(try await shell.get(other, "Active").bool == false)
        #expect(try await shell.get(other, "Category").text == "solo-ambient")
        await desk.stop()
    }

    @Test("one connection can have 64 sessions and no more") func oneConnectionCanHave64SessionsAndNoMore() async throws
    {
        let (desk, _, _, shell, first) = try await desk()
        var last = first
        for _ in 1..<64 { last = try await shell.open() }
        func refusal() async throws -> String? {
            do { _ = try await shell.open() } catch let error as SessionApplication.Failure { return error.name }
            return nil
        }
        #expect(try await refusal() == "org.freedesktop.DBus.Error.LimitsExceeded")
        // Others have room, and so has who closes one.
        let stranger = try await SessionApplication("stranger", in: desk.sandbox)
        _ = try await stranger.open()
        try await shell.session(last, "Close")
        #expect(try await refusal() == nil)
        await desk.stop()
    }

    @Test("all connections of one application can have 128 sessions, and others have room")
    func oneApplicationCanHave128Sessions() async throws {
        let (desk, boxed, _, _, _) = try await desk()
        var crowd = [boxed]
        for number in 1...2 {
            let next = try await SessionApplication("boxed-\(number)", in: desk.sandbox)
            desk.tree.sandboxes.withLock { $0[UInt32(next.process.processID)] = "org.example.Boxed" }
            crowd.append(next)
        }
        for _ in 1..<64 { _ = try await boxed.open() }
        for _ in 0..<64 { _ = try await crowd[1].open() }
        do {
            _ = try await crowd[2].open()
            Issue.record("a session more than all")
        } catch let error as SessionApplication.Failure {
            #expect(error.name == "org.freedesktop.DBus.Error.LimitsExceeded")
        }
        let stranger = try await SessionApplication("stranger", in: desk.sandbox)
        _ = try await stranger.open()
        await desk.stop()
    }

    @Test("a process that has got the number of an owner is a stranger") func processThatHasGotNumberOfOwnerIsStranger()
        async throws
    {
        let (desk, _, _, shell, other) = try await desk()
        let process = UInt32(shell.process.processID)
        desk.play(1, process: process)
        desk.tree.starts.withLock { $0[process] = 1 }
        desk.play(2, process: process)
        let streams = try await waitUntil("the streams") {
            let streams = try await shell.manager("ListStreams").elements
            return streams.count == 2 ? streams : nil
        }
        let sessions = try await shell.manager("ListSessions").elements
        let paths = streams.map { stream in
            sessions.first { $0["id"]?.number == stream["session"]?.number }?["path"]?.text
        }
        #expect(paths == [other, ""])
        await desk.stop()
    }
}
