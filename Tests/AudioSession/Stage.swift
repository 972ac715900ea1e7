import DBus
import Foundation
import ServiceFixture
import TestKit
import Testing

@testable import AudioSession

/// The real service on a private bus, and sessions of this process there.
struct Stage {
    let desk: ServiceFixture

    /// A session whose service is there.
    func session(streams: AudioSession.Streams = .process) async throws -> AudioSession {
        let session = AudioSession(displayName: "Test", streams: streams, bus: .custom(desk.sandbox.busAddress))
        _ = try await waitUntil("the service") { try? session.isActive }
        return session
    }

    /// The unique names of all connections to the bus, but not of the one that asks.
    func connections() throws -> Set<String> {
        let loop = PollLoop()
        let connection = BusConnection(.custom(desk.sandbox.busAddress), loop: loop)
        connection.open()
        defer { connection.close() }
        var answer: [String]?
        connection.call(
            BusConnection.busName, path: "/org/freedesktop/DBus", interface: BusConnection.busName, "ListNames"
        ) { result in
            if case .success(let values) = result { answer = values.first?.elements?.compactMap(\.text) }
        }
        _ = loop.run(until: { answer != nil }, within: .seconds(120))
        return Set(try #require(answer).filter { $0.hasPrefix(":") && $0 != connection.uniqueName })
    }

    /// A stream of this process plays or records.
    func play(_ number: UInt32, tag: String? = nil, isCapture: Bool = false) {
        desk.play(number, process: UInt32(getpid()), tag: tag, isCapture: isCapture)
    }
}

/// Runs a body with a service of its own, and ends everything whatever happens.
func withStage(_ body: (Stage) async throws -> Void) async throws {
    let desk = try await ServiceFixture()
    do {
        try await body(Stage(desk: desk))
    } catch {
        await desk.stop()
        throw error
    }
    await desk.stop()
}

/// A call from another application.
struct Call {
    let application: SessionApplication
    private let cookie: String

    /// Begins the call.
    init(_ application: SessionApplication) async throws {
        self.application = application
        cookie = String(Int(try await application.manager("BeginInterruption", #""phone""#, "{}").number ?? 0))
    }

    func end() async throws { try await application.manager("EndInterruption", cookie) }
}

extension AudioSession {
    /// Waits until a property of the session has a value.
    func wait<Value: Equatable>(for value: Value, of property: String, _ read: () throws -> Value) async throws {
        _ = try await waitUntil("\(property) \(value)", evidence: { "\(Result { try read() })" }) {
            try read() == value ? true : nil
        }
    }
}

/// The code of the error of a call; nil if it succeeds.
func code(_ call: () throws -> Void) -> AudioSessionError.Code? {
    do {
        try call()
        return nil
    } catch {
        return (error as? AudioSessionError)?.code
    }
}
