import BusInterface
import DBus
import Foundation
import TestKit
import Testing

@testable import DesktopServices

/// All tests that speak to services on private buses.
@Suite struct Services {}

/// A private session bus and a private system bus, and our connections to both on a loop of our own.
struct Buses {
    let sandbox: Sandbox
    let mocks: DesktopMocks
    /// The session bus's daemons, the present one last.
    let sessionBuses = Record<ChildProcess>()
    let loop: PollLoop
    /// The clock of the connections and of what is tested, if it is held.
    let clock: HeldClock?
    let session: BusConnection
    let system: BusConnection
    /// Sees what players are told.
    let observer: BusConnection

    /// Starts the buses, hands them to `body`, and ends everything whatever happens.
    ///
    /// - Parameter holdsClock: Whether time passes only when the test advances ``clock``.
    static func run(holdsClock: Bool = false, _ body: (Buses) async throws -> Void) async throws {
        let sandbox = try Sandbox()
        do {
            let sessionBus = try await sandbox.startBus()
            _ = try await sandbox.startSystemBus()
            let buses = Buses(connecting: sandbox, holdsClock: holdsClock)
            defer { buses.close() }
            buses.sessionBuses.add(sessionBus)
            try await buses.turn(until: "the buses") {
                buses.clock?.advance(by: .milliseconds(100))
                return buses.session.isConnected && buses.system.isConnected && buses.observer.isObserving
            }
            try await body(buses)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    /// Connects to the buses of a sandbox, as soon as they run.
    init(connecting sandbox: Sandbox, holdsClock: Bool = false) {
        self.sandbox = sandbox
        mocks = DesktopMocks(sandbox)
        let loop = PollLoop()
        self.loop = loop
        clock = holdsClock ? HeldClock(over: loop) : nil
        let eventLoop = clock ?? loop as any EventLoop
        session = BusConnection(.custom(sandbox.busAddress), loop: eventLoop)
        system = BusConnection(.custom(sandbox.systemBusAddress), loop: eventLoop, takesDescriptors: true)
        observer = BusConnection(.custom(sandbox.busAddress), loop: eventLoop, observing: Players.commands)
        session.open()
        system.open()
        observer.open()
    }

    /// Ends the session bus and starts another one, as after a crash.
    func restartSessionBus() async throws {
        await sessionBuses.last?.stop()
        try await turn(until: "the loss of the session bus") { !session.isConnected }
        sessionBuses.add(try await sandbox.startBus())
        try await turn(until: "the session bus") {
            clock?.advance(by: .milliseconds(100))
            return session.isConnected
        }
    }

    /// Closes both connections.
    func close() {
        session.close()
        system.close()
        observer.close()
    }

    /// Turns the loop until a condition holds. Meanwhile the thread is free for other tests.
    func turn(until awaited: String, _ condition: () async throws -> Bool) async throws {
        _ = try await waitUntil(awaited, every: .milliseconds(3), evidence: { sandbox.logTails() }) {
            loop.runOnce(timeout: .zero)
            return try await condition() ? true : nil
        }
    }

    /// Turns the loop until all that was under way has been answered, and what it led to as well: somebody who owns a
    /// name was asked for a life sign five times in turn, after everything else.
    func settle(_ bus: BusConnection, with name: String = BusConnection.busName) async throws {
        for _ in 0..<5 {
            var isAnswered = false
            bus.call(name, path: "/", interface: "org.freedesktop.DBus.Peer", "Ping") { _ in isAnswered = true }
            try await turn(until: "an answer of \(name)") { isAnswered }
        }
    }
}

/// What was told, in order.
final class Record<Value> {
    private(set) var values: [Value] = []
    func add(_ value: Value) { values.append(value) }
    var last: Value? { values.last }
}
