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
        wait {
            bus.call(
                owner, path: AudioSessionBus.managerPath, interface: interface, member, arguments,
                timeout: Self.patience, then: $0)
        }
    }

    /// Calls a method like ``call``; on an error, prints the error and ends the command.
    @discardableResult func callOrExit(
        _ member: String, _ arguments: [WireValue] = [], interface: String = AudioSessionBus.managerInterface,
        of owner: String = AudioSessionBus.name
    ) throws -> [WireValue] {
        try call(member, arguments, interface: interface, of: owner).orExit()
    }

    /// The service's present unique name.
    func owner() -> Result<String, WireError> {
        wait {
            bus.call(
                BusConnection.busName, path: "/org/freedesktop/DBus", interface: BusConnection.busName, "GetNameOwner",
                [.string(AudioSessionBus.name)], then: $0)
        }.map { $0.first?.text ?? AudioSessionBus.name }
    }

    /// Runs the loop until a result is there.
    func wait<Value>(
        for start: (@escaping (Result<Value, WireError>) -> Void) -> Void
    ) -> Result<Value, WireError> {
        var result: Result<Value, WireError>?
        start { result = $0 }
        loop.run(until: { result != nil })
        return result ?? .failure(.withoutService)
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
    func state() throws -> ServiceState { try wait { read(then: $0) }.orExit() }

    /// Asks for the service's complete state.
    ///
    /// - Parameter began: What to do at the first answer: what happens from then on may not be in the state.
    func read(
        of owner: String = AudioSessionBus.name, began: @escaping () -> Void = {},
        then body: @escaping (Result<ServiceState, WireError>) -> Void
    ) {
        let manager = AudioSessionBus.managerInterface
        // The service handles them in order.
        let calls = [
            ("GetAll", [WireValue.string(manager)], Self.properties), ("ListSessions", [], manager),
            ("ListStreams", [], manager), ("ListLeftAlone", [], manager),
        ]
        var answers = [WireValue?](repeating: nil, count: calls.count)
        var hasFailed = false
        for (index, (member, arguments, interface)) in calls.enumerated() {
            bus.call(
                owner, path: AudioSessionBus.managerPath, interface: interface, member, arguments,
                timeout: Self.patience
            ) { result in
                guard !hasFailed else { return }
                switch result {
                // An older service does not know the last one.
                case .failure(let error) where error.name == WireErrorName.unknownMethod && index == 3:
                    answers[index] = .records([])
                case .success(let values):
                    answers[index] = values.first ?? .records([])
                    if index == 0 { began() }
                case .failure(let error):
                    hasFailed = true
                    return body(.failure(error))
                }
                let all = answers.compactMap { $0 }
                guard all.count == calls.count else { return }
                body(
                    .success(
                        ServiceState(properties: all[0], sessions: all[1], streams: all[2], leftAlone: all[3])))
            }
        }
    }
}

extension Result where Failure == WireError {
    /// The value; on failure, prints the error and ends the command with status 1.
    func orExit() throws -> Success {
        switch self {
        case .success(let value): return value
        case .failure(let error):
            throw Terminal.failure(error.explanation)
        }
    }
}

extension WireError {
    /// The error of a call when no service is there.
    static let withoutService = WireError("org.freedesktop.DBus.Error.ServiceUnknown", "")

    /// Whether the error means that no service runs, or no bus.
    var isAbsence: Bool { isWithoutService || name == WireErrorName.disconnected }

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
