import ArgumentParser
import BusInterface
import DBus
import PolicyEngine

/// The connection to the session bus, and the calls to the service.
final class ServiceConnection {
    let loop = PollLoop()
    let bus: BusConnection

    /// The time limit for an answer. The service itself never blocks.
    private static let patience = Duration.seconds(10)

    init() {
        bus = BusConnection(.session, loop: loop, readsAhead: false)
        bus.open()
    }

    deinit { bus.close() }

    /// Calls a method of the manager, or of another interface of the same object, and waits for the answer.
    func call(
        _ member: String, _ arguments: [WireValue] = [], interface: String = AudioSessionBus.managerInterface,
        of owner: String = AudioSessionBus.name
    ) -> Result<[WireValue], WireError> {
        answers(to: [(member, arguments, interface)], of: owner)[0]
    }

    /// Calls a method like ``call``; on an error, prints the error and ends the command.
    @discardableResult func callOrExit(
        _ member: String, _ arguments: [WireValue] = [], interface: String = AudioSessionBus.managerInterface,
        of owner: String = AudioSessionBus.name
    ) throws -> [WireValue] {
        try call(member, arguments, interface: interface, of: owner).orExit()
    }

    /// The service's present unique name.
    func owner() throws -> String {
        var result: Result<[WireValue], WireError>?
        bus.call(
            BusConnection.busName, path: "/org/freedesktop/DBus", interface: BusConnection.busName, "GetNameOwner",
            [.string(AudioSessionBus.name)]
        ) { result = $0 }
        loop.run(until: { result != nil })
        return try result?.orExit().first?.text ?? AudioSessionBus.name
    }

    /// Sends several calls at once; the service handles them in order.
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
        return try callOrExit("Get", arguments, interface: Self.properties).first?.bare
    }

    /// Sets a property of the manager.
    func setProperty(_ name: String, to value: WireValue) throws {
        let arguments: [WireValue] = [.string(AudioSessionBus.managerInterface), .string(name), .variant(value)]
        try callOrExit("Set", arguments, interface: Self.properties)
    }

    /// The service's complete state; on an error, prints the error and ends the command.
    func state() throws -> ServiceState { try read().orExit() }

    /// The service's complete state.
    func read() -> Result<ServiceState, WireError> {
        do throws(WireError) {
            var values: [[WireValue]] = []
            for answer in answers(to: Self.stateCalls) { values.append(try answer.get()) }
            return .success(ServiceState(answers: values))
        } catch {
            return .failure(error)
        }
    }

    /// The calls that together return the service's state.
    static let stateCalls: [(member: String, arguments: [WireValue], interface: String)] = [
        ("GetAll", [.string(AudioSessionBus.managerInterface)], properties),
        ("ListSessions", [], AudioSessionBus.managerInterface), ("ListStreams", [], AudioSessionBus.managerInterface),
    ]
}

extension ServiceState {
    /// Combines the answers to ``ServiceConnection/stateCalls``.
    init(answers: [[WireValue]]) {
        func value(_ index: Int) -> WireValue {
            answers.indices.contains(index) ? answers[index].first ?? .records([]) : .records([])
        }
        self.init(properties: value(0), sessions: value(1), streams: value(2))
    }
}

extension Result where Failure == WireError {
    /// The value; on failure, prints the error and ends the command with status 1.
    func orExit() throws -> Success {
        switch self {
        case .success(let value): return value
        case .failure(let error):
            Terminal.writeError("audio-session: \(error.explanation)")
            throw ExitCode.failure
        }
    }
}

extension WireError {
    /// Whether the error means that no service runs.
    var isWithoutService: Bool {
        ["ServiceUnknown", "NameHasNoOwner"].contains { name == "org.freedesktop.DBus.Error.\($0)" }
    }

    /// What went wrong, and what to check.
    var explanation: String {
        if isWithoutService {
            return """
                there is no service \(AudioSessionBus.name) on the session bus.
                To see whether the sound server has loaded the module, and what is in the way: audio-session doctor
                """
        }
        let message = printable(message, limit: 1000)
        if name == WireErrorName.disconnected {
            return "the session bus cannot be reached: \(message)\nSee DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR."
        }
        return message.isEmpty ? printable(name, limit: 255) : message
    }
}
