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
        func refuse(_ stream: StreamID) {}
        func streams(heardOn node: UInt32) -> [StreamID] { [] }
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
    }

    let sandbox: Sandbox
    let tree = Tree()
    private let bus: ChildProcess
    private let work = Mutex<[@Sendable (SessionRuntime, SessionService) -> Void]>([])
    private let isOver = Mutex(false)

    init() async throws {
        sandbox = try Sandbox()
        bus = try await sandbox.startBus()
        let tree = tree
        let thread = Thread { [self] in
            let host = PaperHost()
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

    /// A stream appears and plays, or records.
    func play(
        _ number: UInt32, process: UInt32, portal: String? = nil, tag: String? = nil, isCapture: Bool = false
    ) {
        let application = ApplicationID(portal: nil, binary: "program-\(number)", displayName: nil, fallback: "")
        work.withLock {
            $0.append { runtime, service in
                let id = StreamID(number)
                service.introduce(
                    id,
                    StreamIdentity(
                        node: number, application: application, process: process, portal: portal, session: tag))
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
}
