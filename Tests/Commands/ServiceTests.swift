import BusInterface
import Foundation
import TestKit
import Testing

@testable import Commands

/// The built command against a service on a private bus that answers as the interface is documented.
@Suite struct ServiceTests {
    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    // MARK: - status and list

    @Test("N12 status shows what the service knows") func statusShowsWhatServiceKnows() async throws {
        try await CannedDesk.run { desk in
            let plain = try desk.run("status")
            #expect(plain.status == .exited(0))
            #expect(plain.complaints == "")
            // The age of the canned records grows with time.
            let lines = plain.output.split(separator: "\n")
            #expect(lines.first == "Policy desktop, silent, screen locked")
            #expect(lines.dropFirst().first == "Output Headphones, input Internal Microphone")
            #expect(lines.dropFirst(2).first == "|- Calls  phone: play-and-record, voice-chat  active")
            #expect(plain.output.contains("corked by Calls (phone) since "))
            let unicode = try desk.run("status", environment: ["LC_ALL": "C.UTF-8"])
            #expect(unicode.output.contains("├─ Calls"))
            let json = try desk.run("status", "--json")
            try Project.compare(json.output, withSnapshot: "status.json")
        }
    }

    @Test("list prints tables, and JSON") func listPrintsTablesAndJSON() async throws {
        try await CannedDesk.run { desk in
            try Project.compare(desk.run("list").output, withSnapshot: "list-sessions.txt")
            try Project.compare(desk.run("list", "sessions").output, withSnapshot: "list-sessions.txt")
            try Project.compare(desk.run("list", "streams").output, withSnapshot: "list-streams.txt")
            let sessions = try object(desk.run("list", "--json").output)
            #expect(sessions["schema"] as? Int == 2)
            #expect((sessions["sessions"] as? [[String: Any]])?.count == 6)
            let streams = try object(desk.run("list", "streams", "--json").output)
            #expect((streams["streams"] as? [[String: Any]])?.count == 8)
        }
    }

    private static let questions: [[String]] = [
        ["status"], ["status", "--json"], ["list"], ["list", "streams"], ["explain", "mpv"], ["explain", "7"],
        ["silent"], ["silent", "on"], ["do-not-disturb", "toggle"], ["pause"], ["pause", "1h"], ["resume"],
        ["route"], ["route", "--json"], ["route", "set", "Speakers"],
        ["interrupt", "begin", "phone"], ["interrupt", "begin", "phone", "--", "true"],
    ]

    @Test("without the service it is said what to look at", arguments: questions)
    func withoutServiceItIsSaidWhatToLookAt(arguments: [String]) async throws {
        try await CannedDesk.run(hasService: false) { desk in
            let command = try desk.start(arguments)
            #expect(try desk.end(of: command) == .exited(1))
            #expect(command.output == "")
            #expect(
                command.complaints.hasPrefix("audio-session: there is no service org.AudioSession1 on the session bus.")
            )
            #expect(command.complaints.contains("audio-session doctor"))
        }
    }

    @Test("without a bus it is said where it was looked for", arguments: questions)
    func withoutBusItIsSaidWhereItWasLookedFor(arguments: [String])
        async throws
    {
        try await CannedDesk.run(hasBus: false, hasService: false) { desk in
            let command = try desk.start(arguments)
            #expect(try desk.end(of: command) == .exited(1))
            #expect(command.output == "")
            #expect(command.complaints.hasPrefix("audio-session: the session bus cannot be reached: "))
            #expect(command.complaints.contains("DBUS_SESSION_BUS_ADDRESS"))
        }
    }

    // MARK: - explain

    @Test("N12 explain asks the service") func explainAsksService() async throws {
        try await CannedDesk.run { desk in
            #expect(try desk.run("explain", "7").output == "Stream 7 of rhythmbox is corked by Calls.\n")
            // A number that is no stream's is a process's.
            #expect(
                try desk.run("explain", "4712").output == "Stream 8 of Calls is free.\nStream 9 of Calls is free.\n")
            // Lines stay; what steers a terminal does not.
            #expect(try desk.run("explain", "mpv").output == "One.\n  Why?\nTwo\u{FFFD}[2J.\n")
            // Without a subject, what is done to anybody.
            #expect(try desk.run("explain").output == "Stream 7 of rhythmbox is corked by Calls.\n")
            desk.manager.streams = []
            #expect(try desk.run("explain").output == "Nothing is silenced or lowered now.\n")
            let json = try object(desk.run("explain", "mpv", "--json").output)
            #expect(json["schema"] as? Int == 2)
            #expect(json["subject"] as? String == "mpv")
            #expect(json["explanations"] as? [String] == ["One.\n  Why?", "Two\u{1B}[2J."])
            let missing = try desk.run("explain", "99")
            #expect(missing.status == .exited(1))
            #expect(
                missing.complaints
                    == "audio-session: there is no stream with the number 99, and none of a process with it\n")
            #expect(try desk.run("explain", "vlc").complaints == "audio-session: there is no stream of vlc\n")
        }
    }

    // MARK: - route

    @Test("R66 route shows the ports, and chooses one") func routeShowsPortsAndChoosesOne() async throws {
        try await CannedDesk.run { desk in
            try Project.compare(desk.run("route").output, withSnapshot: "route.txt")
            #expect(try desk.run("route", "show").output == desk.run("route").output)
            let json = try desk.run("route", "--json").output
            try Project.compare(json, withSnapshot: "route.json")
            let read = try object(json)
            #expect(read["schema"] as? Int == 2)
            #expect(((read["route"] as? [String: Any])?["available-outputs"] as? [Any])?.count == 3)
            let set = try desk.run("route", "set", "alsa_card.laptop/[Out] Speaker")
            #expect(set.status == .exited(0))
            #expect(
                set.output + set.complaints
                    == "Speakers is chosen as output; to go back: audio-session route set "
                    + "'alsa_card.laptop/[Out] Headphones'\n")
            #expect(try desk.run("route", "set", "Headphones").output == "Headphones is chosen as output\n")
            _ = try desk.run("route", "set", "alsa_card.laptop/[Out] Speaker")
            #expect(desk.manager.asked.last == #"SetRoute "alsa_card.laptop/[Out] Speaker""#)
            desk.manager.failures["SetRoute"] = WireError(WireErrorName.notFound, "there is no port 'x', there are: y")
            let missing = try desk.run("route", "set", "x")
            #expect(missing.status == .exited(1))
            #expect(missing.complaints == "audio-session: there is no port 'x', there are: y\n")
            #expect(try desk.run("route", "set").status == .exited(64))
        }
    }

    @Test("R60 where no ports are known, route says so") func whereNoPortsAreKnownRouteSaysSo() async throws {
        try await CannedDesk.run { desk in
            for property in ["CurrentRoute", "AvailableInputs", "AvailableOutputs"] {
                desk.manager.properties[property] = nil
            }
            let result = try desk.run("route")
            #expect(result.status == .exited(0))
            #expect(result.complaints == "audio-session: no inputs or outputs are known\n")
            let json = try object(desk.run("route", "--json").output)
            #expect((json["route"] as? [String: [String]]) == ["inputs": [], "outputs": []])
        }
    }

    // MARK: - Switches

    @Test(
        "N16 switches are shown, set and toggled",
        arguments: [("silent", "Silent"), ("do-not-disturb", "DoNotDisturb")])
    func switchesAreShownSetAndToggled(command: String, property: String) async throws {
        try await CannedDesk.run { desk in
            desk.manager.properties[property] = .boolean(false)
            #expect(try desk.run(command).output == "off\n")
            let on = try desk.run(command, "on").output
            #expect(on == "\(command) is on; to turn it off again: audio-session \(command) off\n")
            #expect(desk.manager.properties[property] == .boolean(true))
            #expect(try desk.run(command).output == "on\n")
            #expect(try desk.run(command, "toggle").output == "off\n")
            #expect(try desk.run(command, "toggle").output == "on\n")
            #expect(try desk.run(command, "off").status == .exited(0))
            #expect(desk.manager.properties[property] == .boolean(false))
            let json = try object(desk.run(command, "toggle", "--json").output)
            #expect(json["schema"] as? Int == 2)
            #expect(json[command] as? Bool == true)
        }
    }

    private static let end = "; to end that before: audio-session resume\n"

    @Test(
        "the policy is suspended and put in force again",
        arguments: [
            (["pause"], "Pause 0", "paused until it is resumed\(end)"),
            (["pause", "1h30m"], "Pause 5400000", "paused until 2026-11-21 20:09:49\(end)"),
            (["pause", "90s"], "Pause 90000", "paused until 2026-11-21 18:41:19\(end)"),
            (["resume"], "Resume", "the policy is in force; to suspend it: audio-session pause\n"),
        ])
    func policyIsSuspendedAndPutInForceAgain(arguments: [String], call: String, text: String) async throws {
        try await CannedDesk.run { desk in
            let command = try desk.start(arguments)
            #expect(try desk.end(of: command) == .exited(0))
            // Within a day of the canned moment, the date is left out.
            #expect(command.output == text || text.hasSuffix(command.output.dropFirst("paused until ".count)))
            #expect(desk.manager.asked.first == call)
            let json = try desk.start(arguments + ["--json"])
            #expect(try desk.end(of: json) == .exited(0))
            let read = try object(json.output)
            #expect(read["paused"] as? Bool == (arguments[0] == "pause"))
            #expect((read["paused-until"] is NSNull) == (arguments.count == 1))
        }
    }

    @Test(
        "a length says what it should be",
        arguments: [
            "", "90", "h", "1x", "1h1h", "1m1h", "-5s", "1.5h", "0s", "366d", "99999999999999999999s", "1h 30m",
        ])
    func lengthSaysWhatItShouldBe(text: String) async throws {
        let error = thrown((any Error).self) { try Length(text) }
        #expect("\(String(describing: error))".contains("expected a length of up to a year with units"))
    }

    @Test(
        "lengths have units",
        arguments: [
            ("90s", 90_000), ("1h", 3_600_000), ("30m", 1_800_000), ("1h30m", 5_400_000), ("250ms", 250),
            ("1d", 86_400_000),
            ("1d1h1m1s1ms", 90_061_001), ("365d", 31_536_000_000),
        ])
    func lengthsHaveUnits(text: String, milliseconds: UInt64) throws {
        #expect(try Length(text).milliseconds == milliseconds)
    }

    @Test("an error of the service is said") func errorOfServiceIsSaid() async throws {
        try await CannedDesk.run { desk in
            desk.manager.failures["Pause"] = WireError(WireErrorName.failed, "not today")
            let result = try desk.run("pause")
            #expect(result.status == .exited(1))
            #expect(result.complaints == "audio-session: not today\n")
        }
    }
}
