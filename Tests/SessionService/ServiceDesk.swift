import Foundation
import SessionBus
import SessionCore
import SessionDesktop
import SessionRuntime
import SessionService
import SessionTestKit
import Synchronization

/// The service on a real bus, with a host that has streams on paper only, on a thread of its own.
final class ServiceDesk: Sendable {
    /// What the processes of a test are.
    final class Tree: ProcessTree, Sendable {
        let parents: Mutex<[UInt32: UInt32]> = Mutex([:])
        let sandboxes: Mutex<[UInt32: String]> = Mutex([:])

        func parent(of process: UInt32) -> UInt32? { parents.withLock { $0[process] } }
        func sandbox(of process: UInt32) -> String? { sandboxes.withLock { $0[process] } }
    }

    private final class PaperHost: RuntimeHost, ServiceHost {
        let loop = PollLoop()
        var moment: Int64?
        lazy var timer = loop.timer { [unowned self] in runtime.timerFired() }
        lazy var runtime = SessionRuntime(policy: .desktop, host: self)

        var now: Instant { Instant(nanoseconds: loop.now) }
        func quantum(of stream: StreamID) -> Duration { .milliseconds(20) }
        func setGain(_ gain: LinearGain, of stream: StreamID) {}
        func setSilence(_ silence: Silence, of stream: StreamID) {}
        func silence(of stream: StreamID) -> Silence { .none }
        func streams(heardOn node: UInt32) -> [StreamID] { [] }
        func place(of stream: StreamID) -> UInt32? { nil }
        func carryOut(_ command: RouteCommand) {}
        func refuse(_ stream: StreamID) {}
        func tell(_ stream: StreamID, of interruption: StreamInterruption) {}
        func request(_ wish: StreamWish, of stream: StreamID) { wishes[stream] = wish == .none ? nil : wish }
        func clock(of stream: StreamID?) -> GraphClock {
            // It can do all that is wished for.
            let wish = stream.flatMap { wishes[$0] }
            return GraphClock(
                sampleRate: wish?.sampleRate ?? 48000, quantum: wish?.bufferDuration ?? .milliseconds(20))
        }
        func hasVolume(_ stream: StreamID) -> Bool { true }
        var wishes: [StreamID: StreamWish] = [:]
        func arm(at moment: Instant?) { timer.arm(at: moment?.nanoseconds) }
        func log(_ level: LogLevel, _ text: @autoclosure () -> String) {}
        let policyOrigin = "paper"
        func classify(
            _ property: (String) -> String?
        ) -> (description: SessionDescription?, refusedClaim: String?) { (nil, nil) }
        func steps(of stream: StreamID) -> [String] { [] }
        var chose: (String) -> Void = { _ in }
        func choose(_ port: RoutePort, direction: PortDirection) { chose("\(direction) \(port.id)") }
    }

    let sandbox: Sandbox
    let tree = Tree()
    private let bus: ChildProcess
    private let work = Mutex<[@Sendable (SessionRuntime, SessionService) -> Void]>([])
    private let isOver = Mutex(false)
    /// The ports that users have chosen: direction and id.
    let chosen = Mutex<[String]>([])

    init() async throws {
        sandbox = try Sandbox()
        bus = try await sandbox.startBus()
        let tree = tree
        let thread = Thread { [self] in
            let host = PaperHost()
            host.chose = { port in self.chosen.withLock { $0.append(port) } }
            let service = SessionService(
                runtime: host.runtime, host: host, loop: host.loop,
                buses: (.custom(self.sandbox.busAddress), .custom(self.sandbox.systemBusAddress)), processes: tree)
            while !isOver.withLock({ $0 }) {
                for body in work.withLock({ list in
                    defer { list = [] }
                    return list
                }) {
                    body(host.runtime, service)
                }
                host.loop.runOnce(timeout: .milliseconds(5))
            }
            service.leave()
        }
        thread.start()
    }

    deinit { isOver.withLock { $0 = true } }

    func stop() async {
        isOver.withLock { $0 = true }
        await bus.stop()
    }

    /// Does something on the service's thread.
    func perform(_ body: @escaping @Sendable (SessionRuntime, SessionService) -> Void) {
        work.withLock { $0.append(body) }
    }

    /// A stream appears and plays, or records.
    func play(
        _ number: UInt32, process: UInt32, portal: String? = nil, tag: String? = nil, isCapture: Bool = false
    ) {
        let application = ApplicationID(portal: nil, binary: "program-\(number)", displayName: nil, fallback: "")
        perform { runtime, service in
            let id = StreamID(number)
            service.introduce(
                id,
                StreamIdentity(node: number, application: application, process: process, portal: portal, session: tag))
            runtime.post(
                .streamAppeared(
                    id, application: application,
                    description: SessionDescription(name: "music", category: .playback),
                    direction: isCapture ? .capture : .playback))
            runtime.drain()
            service.place(id)
            runtime.post(.streamWanted(id, true))
            runtime.post(.streamRunning(id, true))
            runtime.drain()
        }
    }
}
