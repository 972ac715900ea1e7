import BusInterface
import Foundation
import TestKit
import Testing

@testable import Commands

/// `audio-session interrupt` against a canned service.
@Suite struct InterruptTests {
    private static let end = "; to end it: Ctrl-C, or audio-session interrupt end phone"

    private func begins(_ desk: CannedDesk) -> Int { desk.manager.asked.count { $0.hasPrefix("BeginInterruption") } }
    private func ends(_ desk: CannedDesk) -> [String] { desk.manager.asked.filter { $0.hasPrefix("EndInterruption") } }

    /// The files that tell `interrupt end` of processes.
    private func locks(_ desk: CannedDesk) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: desk.sandbox.path("run/audio-session"))) ?? []
    }

    private func begun(_ desk: CannedDesk, _ arguments: String...) throws -> CannedDesk.Command {
        let command = try desk.start(["interrupt", "begin"] + arguments)
        try desk.wait(for: "the interruption", evidence: command.complaints) {
            command.output.contains("began") && locks(desk).contains { $0.hasSuffix("-\(command.child.processID)") }
        }
        return command
    }

    @Test("an interruption lasts until a signal ends it cleanly", arguments: [SIGINT, SIGTERM, SIGHUP])
    func interruptionLastsUntilSignalEndsItCleanly(signal: Int32) async throws {
        try await CannedDesk.run { desk in
            let command = try begun(desk, "phone", "--name", "A \"call\"")
            #expect(desk.manager.asked == [#"BeginInterruption "phone" {"display-name":"A \"call\""}"#])
            command.child.signal(signal)
            #expect(try desk.end(of: command) == .exited(0))
            #expect(ends(desk) == ["EndInterruption 1"])
            #expect(command.output == "phone interruption began\(Self.end)\nphone interruption ended\n")
            #expect(command.complaints == "")
            #expect(locks(desk) == [])
        }
    }

    @Test("it lasts for a length of time") func itLastsForLengthOfTime() async throws {
        try await CannedDesk.run { desk in
            let result = try desk.run("interrupt", "begin", "alarm", "--for", "50ms", "--json")
            #expect(result.status == .exited(0))
            #expect(
                result.output == """
                    {"schema":2,"kind":"alarm","state":"began"}
                    {"schema":2,"kind":"alarm","state":"ended"}

                    """)
            #expect(ends(desk) == ["EndInterruption 1"])
        }
    }

    @Test(
        "it lasts as long as a command, and has its status",
        arguments: [("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 137)])
    func itLastsAsLongAsCommandAndHasItsStatus(script: String, status: Int32) async throws {
        try await CannedDesk.run { desk in
            let result = try desk.run("interrupt", "begin", "ringtone", "--", "sh", "-c", "echo ring; \(script)")
            #expect(result.status == .exited(status))
            #expect(result.output == "ring\n")
            #expect(begins(desk) == 1 && ends(desk) == ["EndInterruption 1"])
        }
    }

    @Test("a signal is passed on to the command") func signalIsPassedOnToCommand() async throws {
        try await CannedDesk.run { desk in
            let script = "trap 'echo bye; exit 5' TERM; echo ready; while :; do read -r line || sleep 0.01; done"
            let command = try desk.start(["interrupt", "begin", "phone", "--", "sh", "-c", script])
            try desk.wait(for: "the command") { command.output == "ready\n" }
            command.child.signal(SIGTERM)
            #expect(try desk.end(of: command) == .exited(5))
            #expect(command.output == "ready\nbye\n")
            #expect(ends(desk).count == 1)
        }
    }

    @Test("a command that cannot be run leaves no interruption") func commandThatCannotBeRunLeavesNoInterruption()
        async throws
    {
        try await CannedDesk.run { desk in
            let result = try desk.run("interrupt", "begin", "phone", "--", "no-such-command")
            #expect(result.status == .exited(127))
            #expect(result.complaints == "audio-session: no-such-command: No such file or directory\n")
            #expect(locks(desk) == [])
        }
    }

    @Test("an interruption of one run is ended by another") func interruptionOfOneRunIsEndedByAnother() async throws {
        try await CannedDesk.run { desk in
            let phones = try [begun(desk, "phone"), begun(desk, "phone")]
            let alarm = try begun(desk, "alarm")
            let result = try desk.run("interrupt", "end", "phone")
            #expect(result.status == .exited(0))
            for phone in phones {
                #expect(result.output.contains("phone interruption ended (process \(phone.child.processID))\n"))
                #expect(try desk.end(of: phone) == .exited(0))
            }
            #expect(alarm.child.isRunning)
            let all = try desk.run("interrupt", "end", "--json")
            #expect(
                all.output.filter { !$0.isWhitespace }
                    == #"{"schema":2,"ended":[{"kind":"alarm","process":\#(alarm.child.processID)}]}"#)
            #expect(try desk.end(of: alarm) == .exited(0))
            #expect(ends(desk).count == 3)
            let none = try desk.run("interrupt", "end", "phone")
            #expect(none.status == .exited(1))
            #expect(none.complaints.hasPrefix("audio-session: you hold no phone interruption"))
        }
    }

    @Test("only processes of this command are ended") func onlyProcessesOfThisCommandAreEnded() async throws {
        try await CannedDesk.run { desk in
            // A stranger with the number of one that has died, and one that holds the file itself.
            let stranger = try desk.sandbox.start("sleep", Invocation("sleep", ["60"]))
            try desk.sandbox.write("", to: "run/audio-session/interruption-phone-\(stranger.processID)")
            let holder = try desk.sandbox.start(
                "flock", Invocation("flock", [desk.sandbox.path("run/audio-session/lock"), "sleep", "60"]))
            let file = desk.sandbox.path("run/audio-session/interruption-phone-\(holder.processID)")
            try desk.wait(for: "the lock") {
                link(desk.sandbox.path("run/audio-session/lock"), file) == 0 || errno == EEXIST
            }
            for name in ["interruption-phone-1", "interruption-phone-x", "interruption-phone--5", "other"] {
                try desk.sandbox.write("", to: "run/audio-session/\(name)")
            }
            let result = try desk.run("interrupt", "end", "phone")
            #expect(result.status == .exited(1))
            #expect(stranger.isRunning && holder.isRunning)
            // What was left over is gone.
            #expect(!locks(desk).contains("interruption-phone-\(stranger.processID)"))
        }
    }

    @Test("R82 it begins again with the next service") func itBeginsAgainWithNextService() async throws {
        try await CannedDesk.run { desk in
            let command = try begun(desk, "phone")
            desk.stopService()
            try desk.wait(for: "a word of it", evidence: command.complaints) {
                command.complaints.contains("the service has gone")
            }
            try desk.startService()
            try desk.wait(for: "the second beginning") { begins(desk) == 1 }
            try desk.wait(for: "a word of it") {
                command.output.hasSuffix("began\(Self.end)\nphone interruption began\(Self.end)\n")
            }
            command.child.signal(SIGTERM)
            #expect(try desk.end(of: command) == .exited(0))
            #expect(ends(desk) == ["EndInterruption 1"])
        }
    }

    @Test("N11 what the service refuses is said") func whatServiceRefusesIsSaid() async throws {
        try await CannedDesk.run { desk in
            desk.manager.failures["BeginInterruption"] = WireError(WireErrorName.notClaimable, "not you")
            let result = try desk.run("interrupt", "begin", "phone")
            #expect(result.status == .exited(1))
            #expect(result.complaints == "audio-session: not you\n")
            #expect(result.output == "")
        }
    }

    @Test(
        "a wrong use is told",
        arguments: [
            ["interrupt", "begin"], ["interrupt", "begin", "a/b"], ["interrupt", "end", ""],
            ["interrupt", "begin", "phone", "--for", "5"], ["interrupt", "begin", "phone", "--json", "--", "true"],
            ["interrupt", "begin", "phone", "true"],
        ])
    func wrongUseIsTold(arguments: [String]) async throws {
        try await CannedDesk.run { desk in
            let command = try desk.start(arguments)
            #expect(try desk.end(of: command) == .exited(64))
            #expect(desk.manager.asked == [])
        }
    }
}
