import BusInterface
import DBus
import Foundation
import TestKit

/// A manager that answers with the canned records, and remembers what it was asked.
final class CannedManager: ServedObject {
    weak var server: ObjectServer?
    var interfaces: [WireInterface] { [.manager] }
    var properties = Dictionary(uniqueKeysWithValues: Canned.properties())
    /// Methods with their arguments, and properties that were set, as text.
    var asked: [String] = []
    /// The session that was opened last.
    private(set) var session: CannedSession?
    /// Who has subscribed.
    var subscriber: String?
    /// Events to send right behind the answers to a method, before the caller can know of them.
    var eventsAfter: [String: (kind: String, details: WireValue)] = [:]
    /// The streams that there are.
    var streams = Canned.streams
    /// What a method fails with.
    var failures: [String: WireError] = [:]

    func value(of property: String, interface: String) -> WireValue? { properties[property] }

    func set(_ property: String, interface: String, to value: WireValue, call: BusCall) {
        asked.append("Set \(property) \(value.json)")
        properties[property] = value
        server?.changed([property], interface: interface, at: AudioSessionBus.managerPath)
        call.answer()
    }

    func call(_ method: String, interface: String, _ call: BusCall) {
        asked.append(([method] + call.arguments.map(\.json)).joined(separator: " "))
        if let failure = failures[method] { return call.fail(failure) }
        switch method {
        case "ListSessions": call.answer([.records(Canned.sessions)])
        case "ListStreams": call.answer([.records(streams)])
        case "ListLeftAlone": call.answer([.records(Canned.leftAlone)])
        case "Explain": explain(call)
        case "BeginInterruption": call.answer([.uint32(UInt32(asked.count { $0.hasPrefix("Begin") }))])
        case "Pause", "Resume":
            let milliseconds = call.arguments.first?.integer ?? -1
            let end: UInt64 = milliseconds == 0 ? .max : UInt64(Canned.now) + UInt64(max(0, milliseconds)) * 1000
            properties["PausedUntil"] = .uint64(method == "Pause" ? end : 0)
            call.answer()
        case "OpenSession":
            let path = "\(AudioSessionBus.sessionPrefix)1"
            session = CannedSession(path: path, owner: call.sender, server: server)
            if let session { server?.add(session, at: path) }
            call.answer([.objectPath(path)])
        case "Subscribe":
            subscriber = call.sender
            call.answer()
        default: call.answer()
        }
        if let event = eventsAfter[method] { send(event.kind, event.details) }
    }

    /// What is said of subjects.
    var explanations = [
        "7": ["Stream 7 of rhythmbox is corked by Calls."], "mpv": ["One.\n  Why?", "Two\u{1B}[2J."],
        "pid:4712": ["Stream 8 of Calls is free.", "Stream 9 of Calls is free."],
    ]

    private func explain(_ call: BusCall) {
        let subject = call.arguments.first?.text ?? ""
        if let found = explanations[subject] {
            call.answer([.strings(found)])
        } else {
            call.fail(WireError(WireErrorName.notFound, "there is no stream of \(subject)"))
        }
    }

    /// Tells the subscriber that something happened.
    func send(_ kind: String, _ details: WireValue) {
        guard let subscriber else { return }
        server?.emit(
            "Event", interface: AudioSessionBus.managerInterface, at: AudioSessionBus.managerPath,
            [.uint64(UInt64(Canned.now)), .string(kind), details], to: subscriber)
    }
}

/// A session that is interrupted as soon as it is active, and may go on at once.
final class CannedSession: ServedObject {
    let path: String
    let owner: String
    weak var server: ObjectServer?
    var interfaces: [WireInterface] { [.session] }
    private(set) var asked: [String] = []

    init(path: String, owner: String, server: ObjectServer?) {
        self.path = path
        self.owner = owner
        self.server = server
    }

    func value(of property: String, interface: String) -> WireValue? { nil }

    func set(_ property: String, interface: String, to value: WireValue, call: BusCall) {}

    func call(_ method: String, interface: String, _ call: BusCall) {
        asked.append(([method] + call.arguments.map(\.json)).joined(separator: " "))
        guard method == "Activate" else { return call.answer() }
        call.answer([.string("active")])
        for (signal, arguments) in [
            ("InterruptionBegan", [WireValue.string("default"), .string("Calls")]),
            ("InterruptionEnded", [.boolean(true)]),
        ] {
            server?.emit(signal, interface: interface, at: path, arguments, to: owner)
        }
    }
}

/// A private bus, perhaps with a canned service, and commands that are run against it while the service's loop turns.
final class CannedDesk {
    let sandbox: Sandbox
    let loop = PollLoop()
    private(set) var manager = CannedManager()
    private var connection: BusConnection?
    private var server: ObjectServer?
    private let limit = Duration.seconds(120)

    private init() throws { sandbox = try Sandbox(environment: ["TZ": "UTC", "LANG": "C"]) }

    /// Runs a body with a desk of its own, and ends everything whatever happens.
    static func run(hasBus: Bool = true, hasService: Bool = true, _ body: (CannedDesk) async throws -> Void)
        async throws
    {
        let desk = try CannedDesk()
        do {
            if hasBus { _ = try await desk.sandbox.startBus() }
            if hasService { try desk.startService() }
            try await body(desk)
        } catch {
            desk.stopService()
            await desk.sandbox.stop()
            throw error
        }
        desk.stopService()
        await desk.sandbox.stop()
    }

    /// Puts a service on the bus, which knows nothing of one before.
    func startService() throws {
        manager = CannedManager()
        let connection = BusConnection(.custom(sandbox.busAddress), loop: loop)
        let server = ObjectServer(connection: connection, root: AudioSessionBus.managerPath)
        manager.server = server
        server.add(manager, at: AudioSessionBus.managerPath)
        var isOwner = false
        connection.requestName(AudioSessionBus.name) { isOwner = $0 }
        connection.open()
        self.connection = connection
        self.server = server
        try wait(for: "the name") { isOwner }
    }

    /// Takes the service from the bus.
    func stopService() {
        connection?.close()
        connection = nil
        server = nil
    }

    /// A running command.
    struct Command {
        let child: ChildProcess
        let path: String
        /// What it has printed so far.
        var output: String {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        var complaints: String { child.log.text }
        var lines: [Substring] { output.split(separator: "\n") }
    }

    /// Starts the command.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Command {
        try start(Project.command.path(), arguments, environment: environment)
    }

    /// Starts another program.
    func start(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Command {
        let path = sandbox.path("tmp/\(UUID().uuidString)")
        let child = try sandbox.start(
            "command", Invocation(program, arguments, environment: environment), output: path)
        return Command(child: child, path: path)
    }

    /// Runs the command to its end.
    func run(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> (status: ExitStatus, output: String, complaints: String) {
        let command = try start(arguments, environment: environment)
        return (try end(of: command), command.output, command.complaints)
    }

    /// Runs another program to its end.
    func run(_ program: String, _ arguments: [String]) throws -> (status: ExitStatus, output: String) {
        let command = try start(program, arguments)
        return (try end(of: command), command.output)
    }

    /// Waits until a command has ended.
    func end(of command: Command) throws -> ExitStatus {
        try wait(for: "the end of the command", evidence: command.complaints) { !command.child.isRunning }
        return command.child.exitStatus ?? .exited(-1)
    }

    /// Turns the loop until a condition holds.
    func wait(for awaited: String, evidence: @autoclosure () -> String = "", until isOver: () -> Bool) throws {
        let end = ContinuousClock.now + limit
        while !isOver() {
            loop.runOnce(timeout: .milliseconds(5))
            if ContinuousClock.now >= end { throw WaitFailure(awaited: awaited, evidence: evidence()) }
        }
    }
}
