import Foundation
import PolicyFile
import SessionBus
import SessionCore
import SessionDesktop
import SessionHost
import SessionRuntime
import SessionService
import SessionTestKit
import Synchronization

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

    /// A stream that its client wants to run, and that does.
    private final class FakeStream: HostedStream {
        let id: StreamID
        let direction: StreamDirection
        let identity: StreamIdentity
        private let role: String?

        init(_ identity: StreamIdentity, _ direction: StreamDirection, role: String?) {
            id = StreamID(identity.node)
            self.direction = direction
            self.identity = identity
            self.role = role
        }

        var application: ApplicationID { identity.application }
        let complaint: String? = nil
        var isMuted: Bool { false }
        let wantsToPlay = true
        let isRunning = true

        func property(_ key: String) -> String? {
            switch key {
            case "media.role": role
            case "application.process.binary": application.name
            default: nil
            }
        }
    }

    private final class FakeHost: RuntimeHost, ServiceHost {
        let loop = PollLoop()
        var moment: Int64?
        lazy var timer = loop.timer { [unowned self] in runtime.timerFired() }
        let policy: LoadedPolicy
        lazy var runtime = SessionRuntime(policy: policy.policy, host: self)
        lazy var book = StreamBook<FakeStream>(policy: policy, runtime: runtime, host: self) {}
        var silenced: (StreamID, Silence) -> Void = { _, _ in }
        weak var service: SessionService?

        init(_ policy: LoadedPolicy) { self.policy = policy }

        var now: Instant { Instant(nanoseconds: loop.now) }
        func quantum(of stream: StreamID) -> Duration { .milliseconds(20) }
        var gainCost: Duration { .microseconds(20) }
        func setGain(_ gain: LinearGain, of stream: StreamID) {}
        func setSilence(_ silence: Silence, of stream: StreamID) { silenced(stream, silence) }
        func silence(of stream: StreamID) -> Silence { .none }
        func streams(heardOn node: UInt32) -> [StreamID] { [] }
        func place(of stream: StreamID) -> UInt32? { nil }
        func carryOut(_ command: RouteCommand) {}
        func refuse(_ stream: StreamID) {}
        func tell(_ stream: StreamID, of interruption: StreamInterruption) {}
        /// The graph follows, and says so.
        func apply(_ wish: StreamWish, to stream: StreamID) {
            wishes[stream] = wish == .none ? nil : wish
            service?.graphChanged()
        }
        func clock(of stream: StreamID?) -> GraphClock {
            // It can do all that is wished for.
            let wish = stream.flatMap { wishes[$0] }
            return GraphClock(
                sampleRate: wish?.sampleRate ?? 48000, quantum: wish?.bufferDuration ?? .milliseconds(20))
        }
        func hasVolume(_ stream: StreamID) -> Bool { true }
        var devices: [UInt32: DeviceFigures] = [:]
        func device(_ node: UInt32) -> DeviceFigures? { devices[node] }
        var wishes: [StreamID: StreamWish] = [:]
        func arm(at moment: Instant?) { timer.arm(at: moment?.nanoseconds) }
        func log(_ level: LogLevel, _ text: @autoclosure () -> String) {}
        let policyOrigin = "paper"
        let server = ServerDescription.pipeWire("0")
        func classify(
            _ client: ClientIdentity, _ direction: StreamDirection, _ property: (String) -> String?
        ) -> (description: SessionDescription?, refusedClaim: String?) { book.classify(client, direction, property) }
        func mayControlDesktop(_ client: ClientIdentity) -> Bool { book.mayControlDesktop(client) }
        func accessChanged() {}
        func classificationSteps(of stream: StreamID) -> [String] { book.classificationSteps(of: stream) }
        func move(_ stream: StreamID, to session: SessionID?) { book.move(stream, to: session) }
        var chose: (String) -> Void = { _ in }
        /// The ports that the card does not let one use.
        static let unusable = "two/out"
        func choose(_ port: RoutePort, direction: PortDirection) -> Bool {
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
    private let isOver = Mutex(false)
    private let isRunning = Mutex(false)
    /// The ports that users have chosen: direction and id.
    package let chosen = Mutex<[String]>([])
    /// The streams that are silenced.
    package let silent = Mutex<Set<StreamID>>([])

    package init() async throws {
        sandbox = try Sandbox()
        bus = Mutex(try await sandbox.startBus())
        policy = try Self.load("", in: sandbox)
        startService()
    }

    /// Starts the service, on a thread of its own.
    package func startService() {
        let (tree, policy) = (tree, policy)
        isOver.withLock { $0 = false }
        isRunning.withLock { $0 = true }
        let thread = Thread { [self] in
            let host = FakeHost(policy)
            host.chose = { port in self.chosen.withLock { $0.append(port) } }
            host.silenced = { stream, silence in
                self.silent.withLock { if silence == .none { $0.remove(stream) } else { $0.insert(stream) } }
            }
            let service = SessionService(
                runtime: host.runtime, host: host, loop: host.loop,
                buses: (.custom(self.sandbox.busAddress), .custom(self.sandbox.systemBusAddress)), processes: tree)
            host.book.service = service
            host.service = service
            while !isOver.withLock({ $0 }) {
                for body in work.withLock({ list in
                    defer { list = [] }
                    return list
                }) {
                    body(host, service)
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
    package func describe(_ node: UInt32, as figures: DeviceFigures) {
        work.withLock {
            $0.append { host, service in
                host.devices[node] = figures
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
                host.book.add(FakeStream(identity, isCapture ? .capture : .playback, role: role))
                host.runtime.drain()
            }
        }
    }

    /// Puts another policy in force.
    package func change(to policy: String) throws {
        let policy = try Self.load(policy, in: sandbox)
        work.withLock { $0.append { host, _ in _ = host.book.apply(policy) } }
    }

    private static func load(_ policy: String, in sandbox: Sandbox) throws -> LoadedPolicy {
        let file = sandbox.path("tmp/\(UUID().uuidString).conf")
        try policy.write(toFile: file, atomically: true, encoding: .utf8)
        return PolicyLoader.load(arguments: "{ policy = \"\(file)\" }") { _ in nil }
    }
}
