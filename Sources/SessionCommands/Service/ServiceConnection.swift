import ArgumentParser
import SessionBus
import SessionWire

/// The command's end of the session bus, and what it asks the service there.
final class ServiceConnection {
    let loop = PollLoop()
    let bus: BusConnection

    /// How long an answer may take. The service never waits for anything itself.
    private static let patience = Duration.seconds(10)

    init() {
        bus = BusConnection(.session, loop: loop, readsAhead: false)
        bus.open()
    }

    deinit { bus.close() }

    /// Calls a method of the manager, or of another interface of its object, and waits for the answer.
    func answer(
        to member: String, _ arguments: [WireValue] = [], interface: String = AudioSessionBus.managerInterface,
        of owner: String = AudioSessionBus.name
    ) -> Result<[WireValue], WireError> {
        answers(to: [(member, arguments, interface)], of: owner)[0]
    }

    /// The same; an error is said, and ends the command.
    @discardableResult func ask(
        _ member: String, _ arguments: [WireValue] = [], interface: String = AudioSessionBus.managerInterface,
        of owner: String = AudioSessionBus.name
    ) throws -> [WireValue] {
        try answer(to: member, arguments, interface: interface, of: owner).orComplain()
    }

    /// The unique name of the service as it is now.
    func owner() throws -> String {
        var result: Result<[WireValue], WireError>?
        bus.call(
            BusConnection.busName, path: "/org/freedesktop/DBus", interface: BusConnection.busName, "GetNameOwner",
            [.string(AudioSessionBus.name)]
        ) { result = $0 }
        loop.run(until: { result != nil })
        return try result?.orComplain().first?.text ?? AudioSessionBus.name
    }

    /// Calls several methods at once; the service carries them out one after the other.
    private func answers(
        to calls: [(member: String, arguments: [WireValue], interface: String)], of owner: String = AudioSessionBus.name
    ) -> [Result<[WireValue], WireError>] {
        var results = [Result<[WireValue], WireError>?](repeating: nil, count: calls.count)
        for (index, call) in calls.enumerated() {
            bus.call(
                owner, path: AudioSessionBus.managerPath, interface: call.interface, call.member, call.arguments,
                timeout: Self.patience
            ) { results[index] = $0 }
        }
        loop.run(until: { results.allSatisfy { $0 != nil } })
        return results.compactMap { $0 }
    }

    // MARK: - Properties and records

    private static let properties = "org.freedesktop.DBus.Properties"

    /// A property of the manager.
    func property(_ name: String) throws -> WireValue? {
        let arguments: [WireValue] = [.string(AudioSessionBus.managerInterface), .string(name)]
        return try ask("Get", arguments, interface: Self.properties).first?.bare
    }

    /// Sets a property of the manager.
    func setProperty(_ name: String, to value: WireValue) throws {
        let arguments: [WireValue] = [.string(AudioSessionBus.managerInterface), .string(name), .variant(value)]
        try ask("Set", arguments, interface: Self.properties)
    }

    /// All that the service knows.
    func situation() throws -> ServiceState {
        let results = try answers(to: Self.situationCalls).map { try $0.orComplain() }
        return ServiceState(answers: results)
    }

    /// The calls whose answers make a situation.
    static let situationCalls: [(member: String, arguments: [WireValue], interface: String)] = [
        ("GetAll", [.string(AudioSessionBus.managerInterface)], properties),
        ("ListSessions", [], AudioSessionBus.managerInterface), ("ListStreams", [], AudioSessionBus.managerInterface),
    ]
}

extension ServiceState {
    /// What the answers to ``ServiceConnection/situationCalls`` say together.
    init(answers: [[WireValue]]) {
        func value(_ index: Int) -> WireValue {
            answers.indices.contains(index) ? answers[index].first ?? .records([]) : .records([])
        }
        self.init(properties: value(0), sessions: value(1), streams: value(2))
    }
}

extension Result where Failure == WireError {
    /// The value; without one, says why and ends the command with status 1.
    func orComplain() throws -> Success {
        switch self {
        case .success(let value): return value
        case .failure(let error):
            Terminal.complain("audio-session: \(error.explanation)")
            throw ExitCode.failure
        }
    }
}

extension WireError {
    /// Whether nobody has the service's name.
    var isWithoutService: Bool {
        ["ServiceUnknown", "NameHasNoOwner"].contains { name == "org.freedesktop.DBus.Error.\($0)" }
    }

    /// What went wrong, and what to look at.
    var explanation: String {
        if isWithoutService {
            return """
                there is no service \(AudioSessionBus.name) on the session bus.
                Is the module loaded? This shows it: pw-dump | grep audio-session
                Is this the bus of that PipeWire's session? See DBUS_SESSION_BUS_ADDRESS.
                """
        }
        if name == WireErrorName.disconnected {
            return "the session bus cannot be reached: \(message)\nSee DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR."
        }
        return message.isEmpty ? name : message
    }
}
