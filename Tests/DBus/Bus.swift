import BusInterface
import DBus
import Foundation
import TestKit

/// A private bus, a service with an ``EchoObject`` on it, and a client; both turn on the client's loop.
///
/// Real peers are started as processes, and the loop turns until they end.
final class Bus {
    static let name = "org.test.Service"
    static let path = "/org/test/Echo"
    static let interface = EchoObject.interface.name

    let sandbox: Sandbox
    var daemon: ChildProcess
    let client: BusClient
    let service: BusConnection
    let server: ObjectServer
    let echo = EchoObject("echo")
    var ownsName = false
    var states: [BusConnection.State] = []

    /// - Parameter loop: What the service turns on instead of the client's loop itself, made of that.
    init(takesDescriptors: Bool = false, _ loop: (PollLoop) -> any EventLoop = { $0 }) async throws {
        sandbox = try Sandbox()
        daemon = try await sandbox.startBus()
        client = try BusClient(.custom(sandbox.busAddress), takesDescriptors: takesDescriptors)
        service = BusConnection(
            .custom(sandbox.busAddress), loop: loop(client.loop), takesDescriptors: takesDescriptors)
        server = ObjectServer(connection: service, root: "/org/test")
        echo.server = server
        server.add(echo, at: Bus.path)
        service.stateChanged = { [weak self] in self?.states.append($0) }
        service.requestName(Bus.name) { [weak self] in self?.ownsName = $0 }
        service.open()
        guard client.wait(until: { ownsName }) else {
            throw WaitFailure(awaited: "the name", evidence: sandbox.logTails())
        }
    }

    /// Ends the bus as in a crash.
    func killDaemon() {
        daemon.signal(SIGKILL)
        _ = client.wait { !service.isConnected && !client.connection.isConnected }
    }

    func call(_ member: String, _ arguments: [WireValue] = [], interface: String = Bus.interface) throws -> [WireValue]
    {
        try client.call(Bus.name, path: Bus.path, interface: interface, member, arguments)
    }

    /// Turns this loop and that of other peers until something is so.
    func wait(beside loop: PollLoop, until isSo: () -> Bool) -> Bool {
        client.wait {
            loop.runOnce(timeout: .milliseconds(1))
            return isSo()
        }
    }

    /// Runs a real peer to its end while the loop turns. Returns its status, and what it printed on both channels.
    func run(_ program: String, _ arguments: [String]) throws -> (status: ExitStatus, output: String, errors: String) {
        let output = sandbox.path("tmp/\(UUID().uuidString)")
        let child = try sandbox.start(program, Invocation(program, arguments), output: output)
        _ = client.wait { !child.isRunning }
        guard let status = child.exitStatus else {
            throw WaitFailure(awaited: "the end of \(program)", evidence: child.log.tail())
        }
        let text = FileManager.default.contents(atPath: output).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return (status, text, child.log.text)
    }
}

/// Runs a body with a bus of its own, and ends everything whatever happens.
func withBus(
    takesDescriptors: Bool = false, _ loop: (PollLoop) -> any EventLoop = { $0 },
    _ body: (Bus) async throws -> Void
) async throws {
    let bus = try await Bus(takesDescriptors: takesDescriptors, loop)
    do {
        try await body(bus)
    } catch {
        await bus.sandbox.stop()
        throw error
    }
    await bus.sandbox.stop()
}
