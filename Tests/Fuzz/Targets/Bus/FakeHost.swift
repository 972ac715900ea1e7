import DBus
import HostSupport
import PaperServer
import PolicyEngine
import PolicyRuntime

@testable import PolicyFile

/// A server on paper with a timer, whose streams do what the policy permits and whose card has a jack.
final class FakeHost: PaperHost {
    /// A stream whose client wants it to run; it runs while the policy permits.
    final class Stream: PaperStream {
        fileprivate weak var host: FakeHost?

        override var place: UInt32? { 1 }
        override func set(_ gain: LinearGain) { found("a gain of \(gain.value)", !(0...1).contains(gain.value)) }
        override func hold(_ isHeld: Bool) {
            super.hold(isHeld)
            follow()
        }
        /// Runs if its client wants it to, and the policy permits.
        fileprivate func follow() {
            guard isRunning != (wantsToPlay && holds.last != true) else { return }
            isRunning.toggle()
            host?.runtime.post(.streamRunning(id, isRunning), now: false)
        }
    }

    private let loop: any EventLoop
    private var timer: (any LoopTimer)?

    init(_ loop: any EventLoop, _ policy: PolicyInForce) {
        self.loop = loop
        super.init(policy)
    }

    deinit { timer?.cancel() }

    static let policies: [PolicyInForce] = [
        "preset = desktop", "preset = phone", "preset = phone capture-pairing = true",
        "preset = desktop claims = { phone = { allow = [ { application.process.binary = \"talk-zq\" } ] otherwise = none } }",
        "preset = phone rules = [ { matches = [ { media.name = \"~.*player\" } ] "
            + "actions = { update-session = { pause-player = true } } } ]",
    ].map { PolicyLoader.load(arguments: "{ \($0) }", layers: Layers(folders: [])).inForce }

    override var now: Instant { Instant(nanoseconds: loop.now) }
    override func streams(heardOn node: UInt32) -> [StreamID] { streams.filter { $0.direction == .playback }.map(\.id) }
    override func arm(at moment: Instant?) {
        if timer == nil { timer = loop.timer { [weak self] in self?.runtime.timerFired() } }
        timer?.arm(at: moment?.nanoseconds)
    }
    override func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
        let line = text()
        printStep("    \(line)")
        found("two lines in the log: \(line)", line.unicodeScalars.contains { $0.value < 0x20 })
    }

    // MARK: - Streams

    /// The streams that their clients have not closed, the oldest first.
    var streams: [Stream] { runtime.streamsByAge.compactMap { $0.server as? Stream } }

    /// Adds a stream in place of one with the same number.
    func play(_ stream: Stream) {
        forget(stream.identity.node)
        stream.host = self
        runtime.add(stream)
    }

    func want(_ number: UInt32, _ isWanted: Bool) {
        guard let stream = stream(number), stream.wantsToPlay != isWanted else { return }
        stream.wantsToPlay = isWanted
        runtime.handle(.streamWanted(stream.id, isWanted))
        stream.follow()
        runtime.drain()
    }

    func forget(_ number: UInt32) {
        if let stream = stream(number) { runtime.remove(stream, now: true) }
    }

    private func stream(_ number: UInt32) -> Stream? { streams.first { $0.identity.node == number } }

    /// Announces the card with its ports plugged in or out, and its nodes.
    func plug(_ isThere: Bool) {
        runtime.handle(.device(FakeHost.device(isThere)))
        for (id, name, direction) in [(1, "sink", .output), (2, "source", .input)] as [(UInt32, String, PortDirection)]
        {
            runtime.handle(
                .node(
                    RouteNode(
                        id: id, name: name, description: name, direction: direction, deviceID: 9, profileDevice: id)))
            runtime.handle(.defaultNode(direction, name: name))
        }
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
