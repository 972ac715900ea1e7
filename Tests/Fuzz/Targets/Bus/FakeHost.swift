import DBus
import DesktopServices
import HostSupport
import PolicyEngine
import PolicyRuntime

@testable import BusService
@testable import PolicyFile

/// A host without a sound server: streams are only recorded.
final class FakeHost: Host, ServiceHost {
    /// A stream whose client wants it to run; it runs while the policy permits.
    final class Stream: HostedStream {
        let id: StreamID
        let direction: StreamDirection
        let identity: StreamIdentity
        let properties: [String: String]
        var isMuted: Bool { false }
        var wantsToPlay = true
        var isRunning = true

        init(_ identity: StreamIdentity, _ direction: StreamDirection, _ properties: [String: String]) {
            id = StreamID(identity.node)
            self.direction = direction
            self.identity = identity
            self.properties = properties
        }

        var application: ApplicationID { identity.application }
        let complaint: String? = nil
        func property(_ key: String) -> String? { properties[key] }
    }

    private let loop: any EventLoop
    private let policy: LoadedPolicy
    private(set) lazy var runtime = SessionRuntime(policy: policy.policy, host: self)
    private(set) lazy var book = StreamBook<Stream>(policy: policy, runtime: runtime, host: self) {}
    private var timer: (any LoopTimer)?
    private var silenced: [StreamID: Silence] = [:]

    init(_ loop: any EventLoop, _ policy: LoadedPolicy) {
        self.loop = loop
        self.policy = policy
    }

    deinit { timer?.cancel() }

    static let policies: [LoadedPolicy] = [
        "preset = desktop", "preset = phone", "preset = phone capture-pairing = true",
        "preset = desktop claims = { phone = { allow = [ { application.process.binary = \"talk-zq\" } ] otherwise = none } }",
        "preset = phone rules = [ { matches = [ { media.name = \"~.*player\" } ] "
            + "actions = { update-session = { pause-player = true } } } ]",
    ].map { PolicyLoader.load(arguments: "{ \($0) }", layers: Layers(folders: [])) }

    var now: Instant { Instant(nanoseconds: loop.now) }
    func quantum(of stream: StreamID) -> Duration { .milliseconds(20) }
    var gainCost: Duration { .microseconds(20) }
    func setGain(_ gain: LinearGain, of stream: StreamID) {
        found("a gain of \(gain.value)", !(0...1).contains(gain.value))
    }
    func setSilence(_ silence: Silence, of stream: StreamID) {
        silenced[stream] = silence == .none ? nil : silence
        guard let stream = book[stream] else { return }
        let runs = stream.wantsToPlay && silence != .cork
        guard stream.isRunning != runs else { return }
        stream.isRunning = runs
        runtime.post(.streamRunning(stream.id, runs))
    }
    func silence(of stream: StreamID) -> Silence { silenced[stream] ?? .none }
    func streams(heardOn node: UInt32) -> [StreamID] { book.all.filter { $0.direction == .playback }.map(\.id) }
    func place(of stream: StreamID) -> UInt32? { 1 }
    func carryOut(_ command: RouteCommand) {}
    func refuse(_ stream: StreamID) {}
    func tell(_ stream: StreamID, of interruption: StreamInterruption) {}
    func apply(_ wish: StreamWish, to stream: StreamID) {}
    func clock(of stream: StreamID?) -> GraphClock { GraphClock(sampleRate: 48000, quantum: .milliseconds(20)) }
    func hasVolume(_ stream: StreamID) -> Bool { true }
    func arm(at moment: Instant?) {
        if timer == nil { timer = loop.timer { [weak self] in self?.runtime.timerFired() } }
        timer?.arm(at: moment?.nanoseconds)
    }
    func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
        let line = text()
        printStep("    \(line)")
        found("two lines in the log: \(line)", line.unicodeScalars.contains { $0.value < 0x20 })
    }

    let policyOrigin = "paper"
    var server: ServerDescription { .pipeWire("0") }
    func classify(
        _ client: ClientIdentity, _ direction: StreamDirection, _ property: (String) -> String?
    ) -> (description: SessionDescription?, refusedClaim: String?) { book.classify(client, direction, property) }
    func mayControlDesktop(_ client: ClientIdentity) -> Bool { book.mayControlDesktop(client) }
    func accessChanged() {}
    func classificationSteps(of stream: StreamID) -> [String] { book.classificationSteps(of: stream) }
    func move(_ stream: StreamID, to session: SessionID?) { book.move(stream, to: session) }
    func choose(_ port: RoutePort, direction: PortDirection) -> Bool { true }

    // MARK: - Streams

    func play(_ stream: Stream) {
        forget(stream.id)
        book.add(stream)
        runtime.drain()
    }

    func want(_ id: StreamID, _ isWanted: Bool) {
        guard let stream = book[id], stream.wantsToPlay != isWanted else { return }
        stream.wantsToPlay = isWanted
        runtime.post(.streamWanted(id, isWanted))
        runtime.drain()
        guard stream.isRunning != (isWanted && silence(of: id) != .cork) else { return }
        stream.isRunning.toggle()
        runtime.post(.streamRunning(id, stream.isRunning))
        runtime.drain()
    }

    func forget(_ id: StreamID) {
        guard let stream = book[id] else { return }
        book.forget(stream, now: true)
        silenced[id] = nil
        runtime.drain()
    }

    /// Announces the card with its ports plugged in or out, and its nodes.
    func plug(_ isThere: Bool) {
        _ = runtime.handle(.device(FakeHost.device(isThere)))
        for (id, name, direction) in [(1, "sink", .output), (2, "source", .input)] as [(UInt32, String, PortDirection)]
        {
            _ = runtime.handle(
                .node(
                    RouteNode(
                        id: id, name: name, description: name, direction: direction, deviceID: 9, profileDevice: id)))
            _ = runtime.handle(.defaultNode(direction, name: name))
        }
        runtime.drain()
    }

    private static func device(_ isThere: Bool) -> RouteDevice {
        func port(
            _ name: String, _ direction: PortDirection, _ type: PortType, isActive: Bool, isThere: Bool = true
        ) -> DevicePort {
            let node: UInt32 = direction == .output ? 1 : 2
            return DevicePort(
                name: name, direction: direction, type: type, availability: isThere ? .yes : .no,
                profileDevices: [node], activeOn: isActive ? node : nil)
        }
        return RouteDevice(
            id: 9, name: "card",
            ports: [
                port("speaker", .output, .builtInSpeaker, isActive: !isThere),
                port("headphones", .output, .headphones, isActive: isThere, isThere: isThere),
                port("microphone", .input, .builtInMic, isActive: true),
            ])
    }
}
