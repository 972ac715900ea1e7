import BusService
import DBus
import DesktopServices
import Foundation
import PaperServer
import PolicyEngine
import PolicyFile
import PolicyRuntime
import Synchronization
import TestKit

/// The service on a real bus, with a host that has streams on paper only, on a thread of its own.
package final class ServiceFixture: Sendable {
    /// What the processes of a test are.
    package final class Tree: ProcessTree, Sendable {
        package let parents: Mutex<[UInt32: UInt32]> = Mutex([:])
        package let sandboxes: Mutex<[UInt32: String]> = Mutex([:])

        /// What they run.
        package let executables: Mutex<[UInt32: String]> = Mutex([:])
        /// The desktop's units that they are part of.
        package let units: Mutex<[UInt32: String]> = Mutex([:])
        /// When they were started, of those whose number was another process's before.
        package let starts: Mutex<[UInt32: UInt64]> = Mutex([:])

        package func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? {
            (parents.withLock { $0[process] ?? 1 }, starts.withLock { $0[process] ?? 0 })
        }
        package func confinement(of process: UInt32) -> Confinement {
            sandboxes.withLock { $0[process].map { .sandbox(AppSandbox($0)) } ?? .unconfined }
        }
        package func executable(of process: UInt32) -> String? { executables.withLock { $0[process] } }
        package func name(of process: UInt32) -> String? { nil }
        package func unit(of process: UInt32) -> String? { units.withLock { $0[process] } }
    }

    private final class FakeStream: PaperStream {
        let host: FakeHost
        /// The graph can do all that is preferred.
        private var preferred = StreamPreferences.none

        init(_ identity: StreamIdentity, _ direction: StreamDirection, role: String?, _ host: FakeHost) {
            self.host = host
            var properties = ["application.process.binary": identity.application.name]
            properties["media.role"] = role
            super.init(identity, direction, properties)
        }

        override var clock: GraphClock {
            GraphClock(
                sampleRate: preferred.sampleRate ?? 48000, quantum: preferred.bufferDuration ?? .milliseconds(20))
        }
        override func set(_ gain: LinearGain) { host.silenced(id, gain == .silence || holds.last == true) }
        override func hold(_ isHeld: Bool) {
            super.hold(isHeld)
            host.silenced(id, isHeld)
        }
        /// The graph follows, and says so.
        override func apply(_ preferences: StreamPreferences) {
            preferred = preferences
            host.service?.graphChanged()
        }
    }

    private final class FakeHost: PaperHost {
        let loop = PollLoop()
        lazy var timer = loop.timer { [unowned self] in runtime.timerFired() }
        var silenced: (StreamID, Bool) -> Void = { _, _ in }
        weak var service: SessionService?
        var devices: [UInt32: DeviceProperties] = [:]
        var chose: (String) -> Void = { _ in }
        /// The ports that the card does not let one use.
        static let unusable = "two/out"

        /// The sinks that streams are heard on.
        var places: [StreamID: UInt32] = [:]

        override func streams(heardOn node: UInt32) -> [StreamID] {
            places.filter { $0.value == node }.keys.sorted { $0.rawValue < $1.rawValue }
        }
        /// What a test does in one turn happens at one moment, however long the machine takes for it.
        var moment: Instant?

        override var now: Instant { moment ?? Instant(nanoseconds: loop.now) }
        override func device(_ node: UInt32) -> DeviceProperties? { devices[node] }
        override func arm(at moment: Instant?) { timer.arm(at: moment?.nanoseconds) }
        override func choose(_ port: RoutePort, direction: PortDirection) -> Bool {
            guard port.id != Self.unusable else { return false }
            chose("\(direction) \(port.id)")
            return true
        }
    }

    package let sandbox: Sandbox
    package let tree = Tree()
    private let bus: Mutex<ChildProcess>
    private let work = Mutex<[@Sendable (FakeHost, SessionService) -> Void]>([])
    private let policy: LoadedPolicy
    private let patience: Duration
    private let isOver = Mutex(false)
    private let isRunning = Mutex(false)
    /// The ports that users have chosen: direction and id.
    package let chosen = Mutex<[String]>([])
    /// The streams that are silenced.
    package let silent = Mutex<Set<StreamID>>([])

    /// - Parameter patience: How long the service keeps sessions after it has lost the bus.
    package init(patience: Duration = .seconds(10)) async throws {
        self.patience = patience
        sandbox = try Sandbox()
        bus = Mutex(try await sandbox.startBus())
        policy = try Self.load("", in: sandbox)
        startService()
    }

    /// Starts the service, on a thread of its own.
    package func startService() {
        let (tree, policy, patience) = (tree, policy, patience)
        isOver.withLock { $0 = false }
        isRunning.withLock { $0 = true }
        let thread = Thread { [self] in
            let host = FakeHost(policy.inForce)
            host.chose = { port in self.chosen.withLock { $0.append(port) } }
            host.silenced = { stream, isSilent in
                self.silent.withLock { if isSilent { $0.insert(stream) } else { $0.remove(stream) } }
            }
            let service = SessionService(
                runtime: host.runtime, loop: host.loop,
                buses: (.custom(self.sandbox.busAddress), .custom(self.sandbox.systemBusAddress)), processes: tree,
                patience: patience)
            host.service = service
            while !isOver.withLock({ $0 }) {
                for body in work.withLock({ list in
                    defer { list = [] }
                    return list
                }) {
                    host.moment = Instant(nanoseconds: host.loop.now)
                    body(host, service)
                    host.moment = nil
                }
                host.loop.runOnce(timeout: .milliseconds(5))
            }
            service.leave()
            isRunning.withLock { $0 = false }
        }
        thread.start()
    }

    /// Ends the service as if the sound server ended, and waits until it is off the bus.
    package func stopService() async throws {
        isOver.withLock { $0 = true }
        _ = try await waitUntil("the end of the service") { isRunning.withLock { $0 } ? nil : true }
    }

    /// Ends the bus as in a crash, and starts another one at its address.
    package func restartBus() async throws {
        bus.withLock { $0.signal(SIGKILL) }
        _ = try await bus.withLock { $0 }.waitForExit()
        let other = try await sandbox.startBus()
        bus.withLock { $0 = other }
    }

    /// The service loses its connection to the bus, and makes another one.
    package func loseConnection() { perform { _, service in service.connection.giveUp() } }

    deinit { isOver.withLock { $0 = true } }

    package func stop() async {
        isOver.withLock { $0 = true }
        await bus.withLock { $0 }.stop()
    }

    /// Does something on the service's thread.
    package func perform(_ body: @escaping @Sendable (SessionRuntime, SessionService) -> Void) {
        work.withLock { $0.append { host, service in body(host.runtime, service) } }
    }

    /// A sink or source is like this from now on.
    package func describe(_ node: UInt32, as properties: DeviceProperties) {
        work.withLock {
            $0.append { host, service in
                host.devices[node] = properties
                service.graphChanged()
                host.runtime.drain()
            }
        }
    }

    /// A stream appears and plays, or records.
    package func play(
        _ number: UInt32, process: UInt32, portal: String? = nil, tag: String? = nil, isCapture: Bool = false,
        role: String? = "music"
    ) {
        let client = ClientIdentity(
            program: tree.program(of: process), sandbox: portal.map { AppSandbox($0) }, binary: "program-\(number)",
            displayName: nil, fallback: "", connection: "\(number)")
        let identity = StreamIdentity(node: number, client: client, session: tag)
        work.withLock {
            $0.append { host, _ in
                host.runtime.add(
                    FakeStream(identity, isCapture ? .capture : .playback, role: role, host), as: StreamID(number))
            }
        }
    }

    /// A stream is heard on a sink.
    package func link(_ number: UInt32, to node: UInt32) {
        work.withLock {
            $0.append { host, _ in
                host.places[StreamID(number)] = node
                host.runtime.handle(.linked(to: node))
            }
        }
    }

    /// Puts another policy in force.
    package func change(to policy: String) throws {
        let policy = try Self.load(policy, in: sandbox)
        work.withLock { $0.append { host, _ in host.runtime.apply(policy.inForce) } }
    }

    private static func load(_ policy: String, in sandbox: Sandbox) throws -> LoadedPolicy {
        let file = sandbox.path("tmp/\(UUID().uuidString).conf")
        try policy.write(toFile: file, atomically: true, encoding: .utf8)
        return PolicyLoader.load(arguments: "{ policy = \"\(file)\" }") { _ in nil }
    }
}
