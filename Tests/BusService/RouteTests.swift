import BusInterface
import DBus
import Foundation
import PolicyEngine
import ServiceFixture
import TestKit
import Testing

@testable import PolicyRuntime

/// Routes on the bus: who is told of what, and what can be chosen.
@Suite struct RouteTests {
    /// A desk with a machine, whose ports the service knows.
    private func desk(_ body: (ServiceFixture, SessionApplication) async throws -> Void) async throws {
        let desk = try await ServiceFixture()
        let app = try await SessionApplication(in: desk.sandbox)
        desk.use(Machine().events)
        do {
            try await wait(for: "the ports") {
                (try? await names("CurrentRoute", part: "outputs", app)) == ["Headphones"]
            }
            try await body(desk, app)
        } catch {
            await desk.stop()
            throw error
        }
        await desk.stop()
    }

    private func wait(for awaited: String, until isThere: () async throws -> Bool) async throws {
        _ = try await waitUntil(awaited) { try await isThere() ? true : nil }
    }

    /// Waits until the route rests, and applications have heard all that was said of it.
    private func rest(_ desk: ServiceFixture, _ apps: SessionApplication...) async throws {
        try await wait(for: "the route to rest") { await desk.routeRests() }
        for app in apps { _ = try await app.get(SessionApplication.manager, "CurrentRoute") }
    }

    /// Waits until an application has heard of these changes, and of no other.
    private func expect(_ expected: [String], of app: SessionApplication) async throws {
        var seen: [String] = []
        _ = try await waitUntil("the changes", evidence: { seen.joined(separator: "\n") }) {
            seen = try changes(app)
            return seen.count >= expected.count ? true : nil
        }
        #expect(seen == expected)
    }

    /// The names of ports in a property of the manager, or of a session.
    private func names(
        _ property: String, part: String? = nil, _ app: SessionApplication, of path: String = SessionApplication.manager
    ) async throws -> [String] {
        let value = try await app.get(path, property)
        return (part.flatMap { value[$0] } ?? value).elements.compactMap { $0["name"]?.text }
    }

    /// The changes of route that an application has heard of, as `2 Headphones>Speakers`; inputs stand behind a slash.
    private func changes(_ app: SessionApplication) throws -> [String] {
        try app.signals.filter { $0.hasPrefix("RouteChanged ") }.map { line in
            let parts = line.components(separatedBy: " {\"inputs\"")
            let routes = try parts.dropFirst().map { part in
                let route = try JSONValue(parsing: Data("{\"inputs\"\(part)".utf8))
                let lists = ["outputs", "inputs"].map { key in
                    (route[key]?.elements ?? []).compactMap { $0["name"]?.text }.joined(separator: "+")
                }
                return lists[1].isEmpty ? lists[0] : lists.joined(separator: "/")
            }
            return parts[0].dropFirst("RouteChanged ".count) + " " + routes.joined(separator: ">")
        }
    }

    @Test("R56 R58 R60 R78 everybody who listens is told of the route, each session of its own part, and nobody twice")
    func telling() async throws {
        try await desk { desk, app in
            let other = try await SessionApplication("other", in: desk.sandbox)
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""play-and-record""#, "[]", #""""#)
            let music = try await other.open()
            try await app.manager("Subscribe")
            let news = try Announcements(at: desk.sandbox.busAddress, subscribes: true)
            let stranger = try Announcements(at: desk.sandbox.busAddress)
            // What is there at first is no change.
            #expect(try changes(app) == ["3 Headphones>Headphones/Microphone"])
            let route = try await app.get(SessionApplication.manager, "CurrentRoute")
            let headphones: [String: JSONValue] = [
                "type": .string("Headphones"), "name": .string("Headphones"), "id": .string("card/headphones"),
                "node-name": .string("sink"), "node": .number(20), "device": .string("card"), "device-id": .number(10),
                "availability": .string("yes"),
            ]
            #expect(route["outputs"]?.elements == [.object(headphones)])
            #expect(try await names("CurrentRoute", part: "inputs", app) == ["Microphone"])
            #expect(try await names("AvailableInputs", app) == ["Microphone"])
            #expect(try await names("AvailableOutputs", app) == ["Speakers", "Headphones"])

            desk.use(Machine(hasHeadphones: false).events)
            let whole = "2 Headphones/Microphone>Speakers/Microphone"
            try await expect(["3 Headphones>Headphones/Microphone", whole, whole], of: app)
            // R58: of another's session, nothing; its own does not record.
            try await expect([whole, "2 Headphones>Speakers"], of: other)
            #expect(try await names("CurrentRoute", part: "outputs", app, of: session) == ["Speakers"])
            #expect(try await names("CurrentRoute", part: "inputs", app, of: session) == ["Microphone"])
            #expect(try await names("CurrentRoute", part: "inputs", app, of: music) == [])
            #expect(try await names("AvailableOutputs", app) == ["Speakers"])
            try await app.process.log.wait(forLineContaining: #""route-changed""#)
            let events = app.signals.filter { $0.hasPrefix("Event ") && $0.contains(#""route-changed""#) }
            #expect(events.count == 1)
            #expect(
                events.first?.contains(#"{"reason": "old-device-unavailable", "reason-number": 2, "previous": {"#)
                    == true
            )
            #expect(!other.signals.contains { $0.hasPrefix("Event ") })
            try news.wait { $0.count == 3 }
            #expect(
                Set(news.seen) == [
                    "\(SessionApplication.manager): AvailableOutputs CurrentRoute", "\(session): CurrentRoute",
                    "\(music): CurrentRoute",
                ])
            // Sessions are announced to their owners, and to who has asked for it.
            try stranger.wait { $0 == ["\(SessionApplication.manager): AvailableOutputs CurrentRoute"] }

            // The same once more, and a cause without an effect.
            desk.use(Machine(hasHeadphones: false).events)
            desk.use([.asked(.override), .category(.playback), .category(nil)])
            try await rest(desk, app, other)
            #expect(try changes(app).count == 3 && changes(other).count == 2)
            try news.wait { _ in true }
            try stranger.wait { _ in true }
            #expect(news.seen.count == 3 && stranger.seen.count == 1)
        }
    }

    @Test("R78 an input comes and goes: everybody who listens is told that the available inputs are others")
    func availableInputs() async throws {
        try await desk { desk, app in
            _ = try await app.open()
            let manager = SessionApplication.manager
            #expect(try await names("AvailableInputs", app) == ["Microphone"])
            let news = try Announcements(at: desk.sandbox.busAddress)
            desk.use(Machine(hasMicrophone: false).events)
            try news.wait { $0 == ["\(manager): AvailableInputs CurrentRoute"] }
            #expect(try await names("AvailableInputs", app) == [])
            desk.use(Machine().events)
            try news.wait { $0.count == 2 }
            #expect(try await names("AvailableInputs", app) == ["Microphone"])
            // One that nobody uses, which changes no route.
            let headset = DevicePort(
                name: "mic", description: "Headset", direction: .input, type: .usbAudio, availability: .yes,
                profileDevices: [0], activeOn: 0)
            desk.use([
                .device(RouteDevice(id: 30, name: "usb", ports: [headset])),
                .node(RouteNode(id: 31, name: "usb-source", direction: .input, deviceID: 30, profileDevice: 0)),
            ])
            try news.wait { $0.count == 3 }
            #expect(try await names("AvailableInputs", app) == ["Microphone", "Headset"])
            #expect(
                news.seen == [
                    "\(manager): AvailableInputs CurrentRoute", "\(manager): AvailableInputs CurrentRoute",
                    "\(manager): AvailableInputs",
                ])
        }
    }

    @Test("R57 another category is another route for its session, and for nobody else")
    func categories() async throws {
        try await desk { desk, app in
            let other = try await SessionApplication("other", in: desk.sandbox)
            let session = try await app.open()
            for category in [
                "ambient", "playback", "record", "record", "play-and-record", "audio-processing", "playback",
            ] {
                try await app.session(session, "SetCategory", "\"\(category)\"", "[]", #""""#)
            }
            let expected = [
                "3 Headphones>/Microphone", "3 /Microphone>Headphones/Microphone", "3 Headphones/Microphone>",
                "3 >Headphones",
            ]
            try await expect(expected, of: app)
            // Also once the route had the time to follow.
            try await app.session(session, "Activate", "[]")
            try await rest(desk, app, other)
            #expect(try changes(app) == expected)
            #expect(try changes(other) == [])
        }
    }

    @Test(
        "R27 R56 R57 R58 R64 each change is told once, with its own reason and before what comes of it",
        arguments: [SessionApplication.Interface.bus, .swift])
    func order(interface: SessionApplication.Interface) async throws {
        try await desk { desk, watcher in
            let app = try await SessionApplication("player", isTraced: true, through: interface, in: desk.sandbox)
            let session = try await app.open()
            let process = UInt32(app.process.processID)
            var told = 0
            /// Waits until the session has been told so much more, and the route rests.
            func expect(_ news: [String]) async throws {
                var seen: [String] = []
                _ = try await waitUntil("\(news)", evidence: { "\(seen)" }) {
                    seen = Array(try notices(of: session, app).dropFirst(told))
                    return seen.count >= news.count ? true : nil
                }
                try await rest(desk, watcher)
                seen = Array(try notices(of: session, app).dropFirst(told))
                #expect(seen == news)
                told += seen.count
            }
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            desk.play(1, process: process)
            desk.link(1, to: 20)
            try await expect([])
            // The route stays as it is.
            try await app.session(session, "SetCategory", #""ambient""#, "[]", #""""#)
            try await expect(["route 3"])
            try await app.session(session, "SetCategory", #""playback""#, "[]", #""""#)
            try await expect(["route 3"])
            desk.use(Machine(hasHeadphones: false).events)
            try await expect(["route 2", "began"])
            try await app.session(session, "Activate", "[]")
            try await expect(["ended"])
            desk.use(Machine().events)
            try await expect(["route 1"])
            try await app.session(session, "SetCategory", #""play-and-record""#, "[]", #""""#)
            try await expect(["route 3"])
            /// What the card tells when the session's configuration is another one.
            func use(_ machine: Machine, once condition: @escaping @Sendable (SessionConfiguration) -> Bool) {
                desk.use(machine.events) { runtime in
                    runtime.engine.snapshot.sessions.contains { $0.configuration.map(condition) ?? false }
                }
            }
            use(Machine(isHeardOnSpeaker: true)) { $0.outputOverride == .speaker }
            try await app.session(session, "OverrideOutput", #""speaker""#)
            try await expect(["route 4"])
            use(Machine()) { $0.outputOverride == .none }
            try await app.session(session, "OverrideOutput", #""none""#)
            try await expect(["route 4"])
            use(Machine(isHeardOnSpeaker: true)) { $0.options.contains(.defaultToSpeaker) }
            try await app.session(session, "SetCategory", #""play-and-record""#, #"["default-to-speaker"]"#, #""""#)
            try await expect(["route 4"])
            try await app.session(session, "Deactivate", #"["notify-others"]"#)
            desk.use(Machine().events)
            try await expect(["route 8"])
        }
    }

    /// What a session was told of routes and interruptions, in order.
    private func notices(of session: String, _ app: SessionApplication) throws -> [String] {
        try app.events(of: session).compactMap { event in
            guard event.count == 3, event[0].text == "signal" else { return nil }
            return switch event[1].text {
            case "RouteChanged": "route \(Int(event[2].elements.first?.number ?? -1))"
            case "InterruptionBegan": "began"
            case "InterruptionEnded": "ended"
            default: nil
            }
        }
    }

    @Test("R56 R57 the input of an active session goes: 2; one that finds none: 7, once for each time")
    func noSuitableRoute() async throws {
        try await desk { desk, app in
            let other = try await SessionApplication("other", in: desk.sandbox)
            let music = try await other.open()
            try await other.session(music, "SetCategory", #""playback""#, "[]", #""""#)
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
            try await app.session(session, "Activate", "[]")
            desk.use(Machine(hasMicrophone: false).events)
            // First everybody's, then the session's own. That it is without an input now says the lost one already.
            var expected = [
                "3 Headphones>/Microphone", "2 Headphones/Microphone>Headphones", "2 /Microphone>",
            ]
            try await expect(expected, of: app)
            desk.use(Machine(hasHeadphones: false, hasMicrophone: false).events)
            expected.append("2 Headphones>Speakers")
            try await expect(expected, of: app)
            desk.use(Machine(hasHeadphones: false).events)
            expected += ["1 Speakers>Speakers/Microphone", "1 >/Microphone"]
            try await expect(expected, of: app)
            // R58: what another session lacks is nothing to this one; its own output is.
            let whole = [
                "2 Headphones/Microphone>Headphones", "2 Headphones>Speakers", "2 Headphones>Speakers",
                "1 Speakers>Speakers/Microphone",
            ]
            try await expect(whole, of: other)

            desk.use(Machine(hasHeadphones: false, hasMicrophone: false).events)
            expected += ["2 Speakers/Microphone>Speakers", "2 /Microphone>"]
            try await expect(expected, of: app)
            // In one turn of the service's loop: after a quarter of a second, everybody's route would be told, too.
            let number = try #require(session.split(separator: "/").last.flatMap { UInt32($0) })
            desk.perform { runtime, _ in
                for request in [SessionRequest.deactivate(notifyOthers: false), .activate(mayWait: false)] {
                    runtime.post(.sessionRequested(SessionID(number), request))
                    runtime.drain()
                }
            }
            expected.append("7 >")
            try await expect(expected, of: app)

            // R84: what the speakers play can be recorded.
            try await app.session(session, "Deactivate", "[]")
            try await app.session(session, "Activate", "[]")
            try await app.session(session, "Deactivate", "[]")
            // Without a device it cannot become active, unless it records what another program plays.
            desk.use(Machine.gone)
            try await wait(for: "no output") { try await names("AvailableOutputs", app).isEmpty }
            do {
                try await app.session(session, "Activate", "[]")
                Issue.record("a recording without an input is active")
            } catch let failure as SessionApplication.Failure {
                #expect(failure.name == "org.AudioSession1.Error.NoHardware")
            }
            #expect(try await app.get(session, "Active").bool == false)
            desk.play(9, process: UInt32(app.process.processID), isCapture: true)
            try await app.wait(forStreams: [9])
            try await app.session(session, "Activate", "[]")
            #expect(try await app.get(session, "Active").bool == true)
        }
    }

    @Test("R56 one session finds no input at the moment at which another's output goes: each is told its own reason")
    func ownReasons() async throws {
        try await desk { desk, app in
            desk.use(Machine(hasMicrophone: false).events)
            try await expect(["2 Headphones/Microphone>Headphones"], of: app)
            let other = try await SessionApplication("other", in: desk.sandbox)
            let music = try await other.open()
            try await other.session(music, "SetCategory", #""playback""#, "[]", #""""#)
            let session = try await app.open()
            try await app.session(session, "SetCategory", #""record""#, "[]", #""""#)
            // It records what another program plays.
            try await app.session(session, "Deactivate", "[]")
            desk.play(9, process: UInt32(app.process.processID), isCapture: true)
            try await app.wait(forStreams: [9])
            let number = try #require(session.split(separator: "/").last.flatMap { UInt32($0) })
            desk.perform { runtime, _ in
                runtime.post(.sessionRequested(SessionID(number), .activate(mayWait: false)))
                runtime.drain()
                for event in Machine(hasHeadphones: false, hasMicrophone: false).events { runtime.handle(event) }
            }
            let whole = "2 Headphones>Speakers"
            try await expect(["2 Headphones/Microphone>Headphones", "3 Headphones>", whole, "7 >"], of: app)
            try await expect([whole, whole], of: other)
        }
    }

    @Test("R66 of several ports with a name or type, the one of the profile that is on can be chosen by it")
    func choosingInProfile() async throws {
        try await desk { desk, app in
            let ports = ["analog", "digital"].enumerated().map { index, name in
                DevicePort(
                    name: name, description: "USB", direction: .output, type: .usbAudio,
                    profileDevices: [UInt32(index)], activeOn: index == 0 ? 0 : nil)
            }
            desk.use(
                Machine().events + [
                    .device(RouteDevice(id: 30, name: "usb", ports: ports)),
                    .node(RouteNode(id: 31, name: "usb-sink", direction: .output, deviceID: 30, profileDevice: 0)),
                ])
            try await wait(for: "all ports") { try await names("AvailableOutputs", app).count == 4 }
            for word in ["USB", "USBAudio"] { try await app.manager("SetRoute", "\"\(word)\"") }
            #expect(desk.chosen.withLock { $0 } == ["output usb/analog", "output usb/analog"])
        }
    }

    @Test("R66 only a port that there is can be chosen: by its id, or by a name or type that no other has")
    func choosing() async throws {
        try await desk { desk, app in
            var machine = Machine().events
            machine += ["one", "two"].enumerated().flatMap { index, name -> [RouteEvent] in
                let port = DevicePort(
                    name: "out", description: "USB", direction: .output, type: .usbAudio, profileDevices: [0])
                return [.device(RouteDevice(id: 30 + UInt32(index), name: name, ports: [port]))]
            }
            // An input and an output of one id, as a headset may have.
            let both = PortDirection.allCases.map { direction in
                DevicePort(name: "headset", description: "Headset", direction: direction, type: .bluetoothHFP)
            }
            machine.append(.device(RouteDevice(id: 40, name: "bluetooth", ports: both)))
            desk.use(machine)
            try await wait(for: "all ports") { try await names("AvailableOutputs", app).count == 5 }
            for word in ["card/speaker", "Speakers", "BuiltInSpeaker", "card/mic", "one/out", "bluetooth/headset"] {
                try await app.manager("SetRoute", "\"\(word)\"")
            }
            let speaker = "output card/speaker"
            #expect(
                desk.chosen.withLock { $0 } == [
                    speaker, speaker, speaker, "input card/mic", "output one/out", "input bluetooth/headset",
                    "output bluetooth/headset",
                ])
            let none = "there is no port"
            let all =
                "there are: card/speaker, card/headphones, one/out, two/out, bluetooth/headset, card/mic, bluetooth/headset"
            for (word, text) in [
                ("", "\(none) '', \(all)"), ("card/gone", "\(none) 'card/gone', \(all)"),
                ("USB", "several ports are 'USB', choose by id: one/out, two/out"),
                ("USBAudio", "several ports are 'USBAudio', choose by id: one/out, two/out"),
            ] {
                let failure = await thrownAsynchronously(SessionApplication.Failure.self) {
                    _ = try await app.manager("SetRoute", "\"\(word)\"")
                }
                #expect(failure?.name == "org.AudioSession1.Error.NotFound")
                #expect(failure?.message == text)
            }
            // What a card cannot do has no effect, and is not said to have one.
            let failure = await thrownAsynchronously(SessionApplication.Failure.self) {
                _ = try await app.manager("SetRoute", #""two/out""#)
            }
            #expect(failure?.name == "org.freedesktop.DBus.Error.Failed")
            #expect(failure?.message == "no profile of 'two' that can be used has the output 'two/out'")
            #expect(desk.chosen.withLock { $0.count } == 7)
            let state = try JSONValue(parsing: Data(#require(try await app.manager("DumpState").text).utf8))
            #expect(state["route"]?["outputs"]?.elements.map { $0["id"]?.text } == ["card/headphones"])
            #expect(state["route"]?["inputs"]?.elements.map { $0["id"]?.text } == ["card/mic"])
            #expect(state["route"]?["available-outputs"]?.elements.count == 5)
            #expect(state["route"]?["available-inputs"]?.elements.count == 2)
        }
    }

    @Test("R66 a session wishes for a port that there is, and goes on wishing when it is gone")
    func wishing() async throws {
        try await desk { desk, app in
            let session = try await app.open()
            let number = try #require(session.split(separator: "/").last.flatMap { UInt32($0) })
            func prefer(_ name: String, _ id: String) async throws {
                try await app.session(session, "SetPreference", "\"\(name)\"", "\"\(id)\"")
            }
            func wishes() async throws -> [String?] {
                let shown = try await app.get(session, "Preferences")
                let kept = await desk.preference(of: SessionID(number))
                #expect([shown["output"]?.text, shown["input"]?.text] == kept)
                return kept
            }
            func refuses(_ name: String, _ id: String, _ message: String) async {
                let failure = await thrownAsynchronously(SessionApplication.Failure.self) {
                    _ = try await prefer(name, id)
                }
                #expect(failure?.name == "org.AudioSession1.Error.UnknownValue")
                #expect(failure?.message == message)
            }
            #expect(try await wishes() == [nil, nil])
            try await prefer("output", "card/headphones")
            try await prefer("input", "card/mic")
            #expect(try await wishes() == ["card/headphones", "card/mic"])
            await refuses("input", "card/speaker", "there is no input 'card/speaker', there are: card/mic")
            await refuses(
                "output", "Speakers", "there is no output 'Speakers', there are: card/speaker, card/headphones")
            // The microphone of a headset that plays music is there, but its profile is off: nothing would come of it.
            let headset = PortDirection.allCases.map { direction in
                DevicePort(name: "headset", description: "Headset", direction: direction, type: .bluetoothHFP)
            }
            desk.use([.device(RouteDevice(id: 40, name: "bluetooth", ports: headset))])
            try await wait(for: "the headset") { try await names("AvailableInputs", app).count == 2 }
            let why = """
                the profile of 'bluetooth' that has the input 'bluetooth/headset' is off: SetRoute switches it, for everybody
                """
            let off = await thrownAsynchronously(SessionApplication.Failure.self) {
                _ = try await prefer("input", "bluetooth/headset")
            }
            #expect(off?.name == "org.freedesktop.DBus.Error.Failed")
            #expect(off?.message == why)
            #expect(try await wishes() == ["card/headphones", "card/mic"])
            desk.use([.deviceGone(40)])
            desk.use(Machine(hasHeadphones: false, hasMicrophone: false).events)
            try await wait(for: "less ports") { try await names("AvailableInputs", app).isEmpty }
            try await prefer("output", "card/headphones")
            #expect(try await wishes() == ["card/headphones", "card/mic"])
            try await prefer("input", "")
            await refuses("input", "card/mic", "there is no input 'card/mic', nor any other")
            #expect(try await wishes() == ["card/headphones", nil])
            try await prefer("output", "")
            #expect(try await wishes() == [nil, nil])
            try await prefer("output", "card/speaker")
            try await app.session(session, "Close")
            #expect(await desk.preference(of: SessionID(number)) == [nil, nil])
        }
    }
}

extension ServiceFixture {
    /// Whether the engine of routes waits for nothing.
    func routeRests() async -> Bool {
        await withCheckedContinuation { continuation in
            perform { runtime, _ in continuation.resume(returning: runtime.engine.routesAreAtRest) }
        }
    }

    /// The output and the input that a session wishes for, as the runtime has them.
    func preference(of session: SessionID) async -> [String?] {
        await withCheckedContinuation { continuation in
            perform { runtime, _ in
                let wish = runtime.engine.preference(of: session)
                continuation.resume(returning: [wish.output, wish.input])
            }
        }
    }
}

/// The changes of properties that are announced, as `PATH: NAME …`.
private final class Announcements {
    private let loop = PollLoop()
    private let connection: BusConnection
    private var subscription: Subscription?
    private(set) var seen: [String] = []

    /// - Parameter subscribes: Whether to ask the service to be told of all sessions.
    init(at address: String, subscribes: Bool = false) throws {
        connection = BusConnection(.custom(address), loop: loop)
        connection.open()
        subscription = connection.subscribe(
            MatchRule(interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
        ) { [weak self] signal in
            let names = (signal.arguments.dropFirst().first?.entries ?? []).compactMap(\.key.text)
            self?.seen.append("\(signal.path): \(names.sorted().joined(separator: " "))")
        }
        // The answer to a call comes when the rule is in force.
        var isThere = false
        let place =
            subscribes
            ? (AudioSessionBus.name, AudioSessionBus.managerPath, AudioSessionBus.managerInterface, "Subscribe")
            : (BusConnection.busName, "/org/freedesktop/DBus", BusConnection.busName, "GetId")
        connection.call(place.0, path: place.1, interface: place.2, place.3, []) { _ in isThere = true }
        try wait { _ in isThere }
    }

    /// Turns the loop until a condition holds.
    func wait(until isOver: ([String]) -> Bool) throws {
        let limit = Duration.seconds(120)
        let end = ContinuousClock.now + limit
        repeat {
            loop.runOnce(timeout: .milliseconds(20))
            if ContinuousClock.now >= end {
                throw WaitFailure(awaited: "announcements", evidence: seen.joined(separator: "\n"))
            }
        } while !isOver(seen)
    }
}
