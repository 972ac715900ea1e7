import BusInterface
import Testing

@testable import DBus

/// Another peer, on a loop of its own, so that what it sends lies before the service when that looks.
final class Peer {
    let connection: BusConnection
    let loop = PollLoop()

    init(_ bus: Bus) throws {
        connection = BusConnection(.custom(bus.sandbox.busAddress), loop: loop)
        connection.open()
        let connection = connection
        try #require(loop.wait { connection.isConnected })
    }

    deinit { connection.close() }

    /// Waits until the bus has all that was sent, and so has handed it on.
    func deliver() throws {
        var isDelivered = false
        connection.askBus("GetId", []) { _ in isDelivered = true }
        try #require(loop.wait { isDelivered })
    }

    /// Adds so many numbers to 1; the sums come in the order of the calls.
    func add(_ count: Int32, then body: @escaping (Int64?) -> Void = { _ in }) throws {
        for number in 0..<count {
            connection.call(
                Bus.name, path: Bus.path, interface: Bus.interface, "Add", [.int32(number), .int32(1)]
            ) { body((try? $0.get())?.first?.integer) }
        }
        try deliver()
    }
}
