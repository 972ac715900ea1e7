import BusInterface
import Foundation
import TestKit
import Testing

@testable import Commands

/// `audio-session monitor` against a canned service.
@Suite struct MonitorTests {
    @Test("R56 it shows what there is, and then what happens", arguments: [SIGINT, SIGTERM])
    func itShowsWhatThereIsAndThenWhatHappens(signal: Int32) async throws {
        try await CannedDesk.run { desk in
            let command = try desk.start(["monitor"])
            try desk.wait(for: "the situation", evidence: command.complaints) {
                command.output.contains("13 capture  free")
            }
            let count = command.lines.count
            // What is the same in words is said once.
            for _ in 0..<2 { desk.manager.send("stream-changed", Canned.streams[0]) }
            desk.manager.send("switch-changed", .record([("name", .string("silent")), ("value", .boolean(true))]))
            desk.manager.send(
                "route-changed",
                .record([
                    ("reason", .string("old-device-unavailable")), ("reason-number", .uint32(2)),
                    ("previous", Canned.route(outputs: [Canned.outputs[0]])),
                    ("current", Canned.route(outputs: [Canned.outputs[1]])),
                ]))
            try desk.wait(for: "three lines") { command.lines.count == count + 3 }
            #expect(
                command.lines.suffix(3) == [
                    "18:39:49.123  stream 7 of rhythmbox (music) corked by Calls (phone)",
                    "18:39:49.123  switch silent: on",
                    "18:39:49.123  route: Headphones -> Speakers (old device unavailable)",
                ])
            #expect(command.lines.first == "Policy desktop, silent, screen locked")
            command.child.signal(signal)
            #expect(try desk.end(of: command) == .exited(0))
            #expect(command.complaints == "")
        }
    }

    @Test("each line is an object") func eachLineIsObject() async throws {
        try await CannedDesk.run { desk in
            let command = try desk.start(["monitor", "--json"])
            try desk.wait(for: "the situation") { command.output.hasSuffix("\n") }
            desk.manager.send("policy-changed", .record([("policy", .string("phone"))]))
            try desk.wait(for: "a line") { command.lines.count == 2 }
            let objects = try command.lines.map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            #expect(objects.map { $0["kind"] as? String } == ["snapshot", "policy-changed"])
            #expect(objects.allSatisfy { $0["schema"] as? Int == 2 && $0["time"] is Int })
            #expect((objects[0]["streams"] as? [Any])?.count == 8)
            #expect((objects[1]["details"] as? [String: String]) == ["policy": "phone"])
            command.child.signal(SIGTERM)
            #expect(try desk.end(of: command) == .exited(0))
        }
    }

    @Test("nothing is missed between the subscription and the situation") func nothingIsMissedBetweenSubscription()
        async throws
    {
        try await CannedDesk.run { desk in
            func event(_ name: String) -> (kind: String, details: WireValue) {
                ("policy-changed", .record([("policy", .string(name))]))
            }
            // What comes before the situation is asked for is part of it; what comes in between is shown after it.
            desk.manager.eventsAfter = [
                "Subscribe": event("early"), "ListSessions": event("meanwhile"), "ListStreams": event("late"),
            ]
            let command = try desk.start(["monitor"])
            try desk.wait(for: "the situation and two lines", evidence: command.output) {
                command.output.contains("late")
            }
            #expect(
                command.lines.suffix(2) == [
                    "18:39:49.123  policy changed: meanwhile", "18:39:49.123  policy changed: late",
                ])
            #expect(!command.output.contains("early"))
            let asked = desk.manager.asked
            #expect(asked == ["Subscribe", "ListSessions", "ListStreams", "ListLeftAlone"])
            command.child.signal(SIGTERM)
            #expect(try desk.end(of: command) == .exited(0))
        }
    }

    @Test("R82 it waits for the service, and for the next one", arguments: [false, true])
    func itWaitsForServiceAndForNextOne(json: Bool) async throws {
        try await CannedDesk.run(hasService: false) { desk in
            let command = try desk.start(["monitor"] + (json ? ["--json"] : []))
            try desk.wait(for: "a word of it") { command.complaints.contains("waiting for the service") }
            func situations() -> Int { command.lines.count { $0.hasPrefix("Policy") || $0.contains("snapshot") } }
            try desk.startService()
            try desk.wait(for: "the situation") { situations() == 1 }
            let stream = json ? "\"kind\":\"stream-changed\"" : "stream 7 of rhythmbox"
            func changes() -> Int { command.lines.count { $0.contains(stream) } }
            desk.manager.send("stream-changed", Canned.streams[0])
            try desk.wait(for: "a change") { changes() == 1 }
            desk.stopService()
            let gone = json ? "\"kind\":\"services-lost\"" : "the service has gone; waiting for it"
            try desk.wait(for: "a word of its end") { command.output.contains(gone) }
            try desk.startService()
            try desk.wait(for: "the situation") { situations() == 2 }
            let lines = command.lines.map(String.init)
            let back = json ? "\"kind\":\"services-reset\"" : "the service is back"
            let places = [gone, back].map { word in lines.firstIndex { $0.contains(word) } ?? -1 }
            #expect(places[0] > 0 && places[1] == places[0] + 1, "\(lines)")
            // It says of the next service what it has said of this one.
            desk.manager.send("stream-changed", Canned.streams[0])
            try desk.wait(for: "the same change") { changes() == 2 }
            command.child.signal(SIGINT)
            #expect(try desk.end(of: command) == .exited(0))
        }
    }

    @Test("a reader that has enough ends it") func readerThatHasEnoughEndsIt() async throws {
        try await CannedDesk.run { desk in
            let shell = try desk.sandbox.start(
                "sh",
                Invocation("sh", ["-c", "\"$0\" monitor | head -1", Project.command.path()]),
                output: desk.sandbox.path("tmp/first"))
            try desk.wait(for: "the first line") {
                let text = FileManager.default.contents(atPath: desk.sandbox.path("tmp/first")) ?? Data()
                return String(decoding: text, as: UTF8.self) == "Policy desktop, silent, screen locked\n"
            }
            desk.manager.send("policy-changed", .record([]))
            try desk.wait(for: "the end of the pipe", evidence: shell.log.text) {
                desk.manager.send("policy-changed", .record([]))
                return !shell.isRunning
            }
        }
    }
}
