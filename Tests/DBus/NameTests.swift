import BusInterface
@testable import DBus
import Glibc
import TestKit
import Testing

/// Names: asked for, waited for, followed, over the end of a bus.
@Suite struct NameTests {
    @Test func aNameIsWaitedFor() async throws {
        try await withBus { bus in
            var told: [Bool] = []
            bus.client.connection.requestName(Bus.name) { told.append($0) }
            #expect(bus.client.wait { told == [false] })
            bus.service.releaseName(Bus.name)
            #expect(bus.client.wait { told == [false, true] })
        }
    }

    @Test func anOwnerIsFollowed() async throws {
        try await withBus { bus in
            var owners: [String?] = []
            let follower = bus.client.connection.follow("org.test.Other") { owners.append($0) }
            #expect(bus.client.wait { owners == [nil] })
            bus.service.requestName("org.test.Other") { _ in }
            #expect(bus.client.wait { owners == [nil, bus.service.uniqueName] })
            var again: [String?] = []
            let second = bus.client.connection.follow("org.test.Other") { again.append($0) }
            #expect(bus.client.wait { again == [bus.service.uniqueName] })
            second.cancel()
            bus.service.releaseName("org.test.Other")
            #expect(bus.client.wait { owners.count == 3 })
            #expect(owners.last == .some(nil) && again.count == 1)
            follower.cancel()
            #expect(bus.client.connection.nameWatches.isEmpty && bus.client.connection.matches.isEmpty)
        }
    }

    /// As for want of memory, which nobody can arrange here; `Tests/bin/faults` does.
    @Test func aQuestionThatCannotBeMadeIsAskedOverAnotherConnection() async throws {
        try await withBus { bus in
            let former = try #require(bus.service.uniqueName)
            var answers: [Result<[WireValue], WireError>] = []
            bus.service.setUp("RequestName", [.objectPath("not a path"), .uint32(0)]) { answers.append($0) }
            #expect(bus.client.wait { bus.states.count == 3 && bus.ownsName })
            #expect(bus.states[1] == .lost && bus.service.uniqueName != former)
            #expect(throws: WireError.self) { try answers.first?.get() }
            // What the bus itself refuses is an answer.
            bus.service.setUp("RequestName", [.string("no name"), .uint32(0)]) { answers.append($0) }
            #expect(bus.client.wait { answers.count == 2 })
            try #require(bus.client.connection.isConnected)
            _ = try bus.client.call(
                BusConnection.busName, path: BusConnection.busPath, interface: BusConnection.busName, "GetId")
            #expect(bus.service.isConnected && bus.states.count == 3)
        }
    }

    @Test func aPeerIsKnownByItsSocket() async throws {
        try await withBus { bus in
            var found: [Result<PeerCredentials, WireError>] = []
            let name = try #require(bus.service.uniqueName)
            bus.client.connection.credentials(of: name) { found.append($0) }
            bus.client.connection.credentials(of: ":1.9999") { found.append($0) }
            #expect(bus.client.wait { found.count == 2 })
            #expect(try found.first?.get() == PeerCredentials(processID: UInt32(getpid()), userID: getuid()))
            #expect(throws: WireError.self) { try found.last?.get() }
        }
    }

    @Test func afterTheBusComesBackAllIsAsBefore() async throws {
        try await withBus { bus in
            var owners: [String?] = []
            let follower = bus.client.connection.follow(Bus.name) { owners.append($0) }
            bus.client.listen(to: MatchRule(sender: Bus.name, member: "Said"))
            #expect(bus.client.wait { owners.count == 1 })
            for round in 1...3 {
                var answers: [Result<[WireValue], WireError>] = []
                bus.client.connection.call(Bus.name, path: Bus.path, interface: Bus.interface, "Later") {
                    answers.append($0)
                }
                #expect(bus.client.wait { bus.echo.later.count == 1 })
                bus.killDaemon()
                #expect(bus.client.wait { !answers.isEmpty && !bus.ownsName && owners.last == .some(nil) })
                guard case .failure(let error)? = answers.first else {
                    throw WireError(WireErrorName.failed, "answered")
                }
                #expect(error.name == WireErrorName.disconnected && answers.count == 1)
                #expect(bus.states.last == .lost)
                // An answer to a caller who is gone, and signals and calls that reach nobody, do no harm.
                bus.echo.later.removeFirst().answer()
                bus.server.emit("Said", interface: Bus.interface, at: Bus.path)
                #expect(throws: WireError.self) { try bus.call("Add", [.int32(1), .int32(1)]) }

                bus.daemon = try await bus.sandbox.startBus()
                #expect(bus.client.wait { bus.ownsName && bus.client.connection.isConnected })
                #expect(bus.client.wait { owners.last == bus.service.uniqueName })
                try #expect(bus.call("Add", [.int32(1), .int32(1)]) == [.int64(2)])
                bus.server.emit(
                    "Said", interface: Bus.interface, at: Bus.path, [.string("back"), .uint32(UInt32(round))])
                #expect(
                    bus.client.nextSignal()?.arguments == [.string("back"), .uint32(UInt32(round))])
                #expect(bus.states.count == 1 + 2 * round)
            }
            follower.cancel()
        }
    }

    /// The sockets of a process that lead to a bus, of all of which the bus has the other end.
    private static func connections(to bus: ChildProcess) throws -> Int {
        let folder = try #require(opendir("/proc/\(bus.processID)/fd"))
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    /// A connection leaves neither a descriptor nor a watch behind, however it ends.
    @Test func nothingIsLeft() async throws {
        try await withBus { bus in
            let loop = PollLoop()
            let before = try Self.connections(to: bus.daemon)
            for round in 0..<20 {
                weak var gone: BusConnection?
                do {
                    let connection = BusConnection(.custom(bus.sandbox.busAddress), loop: loop)
                    gone = connection
                    connection.open()
                    #expect(loop.wait { connection.isConnected })
                    connection.call(
                        BusConnection.busName, path: "/", interface: BusConnection.busName, "GetId"
                    ) { _ in }
                    if round % 2 == 0 { connection.close() }
                }
                #expect(gone == nil)
                #expect(loop.isIdle)
            }
            // The bus closes its end when ours is closed.
            #expect(try bus.client.wait { try Self.connections(to: bus.daemon) == before })
        }
    }
}

extension BusConnection {
    /// Releases a name, or cancels the request; no callback is called.
    fileprivate func releaseName(_ name: String) {
        nameRequests.removeAll { $0.name == name }
        if isConnected { askBus("ReleaseName", [.string(name)]) { _ in } }
    }
}
