import PolicyEngine
import PolicyFile
@testable import PolicyRuntime
import Testing

/// A host that writes down what it is told, on a clock that stands still until it is moved.
final class RecordingHost: Host {
    enum Call: Equatable {
        case gain(UInt32, Double)
        case silence(UInt32, Silence)
    }

    struct Entry: Equatable {
        var milliseconds: Double
        var call: Call
    }

    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    var quantum = Duration.nanoseconds(21_333_333)
    private(set) var armed: Instant?
    private(set) var entries: [Entry] = []
    private(set) var lines: [String] = []
    private(set) var gains: [UInt32: Double] = [:]
    private(set) var silences: [UInt32: Silence] = [:]
    private(set) var refused: [UInt32] = []
    /// What clients were told of interruptions.
    private(set) var news: [StreamInterruption] = []
    /// What the server does in the middle of a call.
    var interjection: ((RecordingHost, Call) -> Void)?
    private(set) var depth = 0
    private(set) var deepest = 0
    lazy var runtime = SessionRuntime(
        policy: PolicyInForce(policy: policy, classifier: Self.classifier, preset: "", origin: ""), host: self)
    /// Nothing is classified: descriptions come with the events.
    private static let classifier = PolicyLoader.load(arguments: nil) { _ in nil }.classifier
    private let policy: Policy
    private let start: Instant

    init(_ policy: Policy = .desktop) {
        self.policy = policy
        start = now
    }

    var gainCost = Duration.microseconds(20)
    let server = ServerDescription.pipeWire("0")
    let measuresStreams = false
    let longestBuffer = Duration.zero
    /// The outputs that were lost while something was heard there.
    private(set) var lost: [RoutePort] = []
    func outputLost(_ port: RoutePort) { lost.append(port) }
    func device(_ node: UInt32) -> DeviceProperties? { nil }
    func choose(_ port: RoutePort, direction: PortDirection) -> Bool { true }
    func turnEnded() {}
    func drainLater() {}
    /// The streams that are heard on each sink.
    var heard: [UInt32: [StreamID]] = [:]
    func streams(heardOn node: UInt32) -> [StreamID] { heard[node] ?? [] }
    private(set) var commands: [RouteCommand] = []
    /// What the server says amid a command.
    var answer: ((RecordingHost, RouteCommand) -> Void)?
    func carryOut(_ command: RouteCommand) {
        commands.append(command)
        answer?(self, command)
    }
    /// What streams were to prefer, as it was asked for.
    private(set) var preferences: [UInt32: [StreamPreferences]] = [:]
    var clock: GraphClock { GraphClock(sampleRate: 48000, quantum: quantum) }
    /// The clients of streams about whose processes something is known.
    var clients: [UInt32: ClientIdentity] = [:]
    /// The streams that have no volume.
    var rigid: Set<UInt32> = []
    func arm(at moment: Instant?) { armed = moment }
    func log(_ level: LogLevel, _ text: @autoclosure () -> String) { if level != .debug { lines.append(text()) } }

    /// A stream of this host.
    private final class Stream: ServerStream {
        unowned let host: RecordingHost
        var id: StreamID
        let direction: StreamDirection
        let identity: StreamIdentity

        init(_ id: StreamID, of application: ApplicationID, _ direction: StreamDirection, _ host: RecordingHost) {
            self.host = host
            self.id = id
            self.direction = direction
            let client = host.clients[id.rawValue] ?? ClientIdentity(application)
            identity = StreamIdentity(node: id.rawValue, client: client, session: nil)
        }

        var complaint: String? { nil }
        func property(_ key: String) -> String? { nil }
        func readProperties() {}
        var wantsToPlay: Bool { false }
        var isMuted: Bool { false }
        var isRunning: Bool { false }
        var place: UInt32? { host.heard.first { $0.value.contains(id) }?.key }
        var clock: GraphClock { host.clock }
        var hasVolume: Bool { !host.rigid.contains(id.rawValue) }
        var canRamp: Bool { false }
        func set(_ gain: LinearGain) { host.note(.gain(id.rawValue, gain.value)) }
        func ramp(to gain: LinearGain, within duration: Duration, fromSilence: Bool) { set(gain) }
        func hold(_ isHeld: Bool) { host.note(.silence(id.rawValue, isHeld ? .cork : .none)) }
        func refuse() { host.refused.append(id.rawValue) }
        func tell(of interruption: StreamInterruption) { host.news.append(interruption) }
        func apply(_ preferences: StreamPreferences) {
            host.preferences[id.rawValue, default: []].append(preferences)
        }
        func measure(_ isMeasured: Bool) {}
    }

    private func note(_ call: Call) {
        depth += 1
        deepest = max(deepest, depth)
        defer { depth -= 1 }
        switch call {
        case .gain(let stream, let gain): gains[stream] = gain
        case .silence(let stream, let silence): silences[stream] = silence
        }
        entries.append(
            Entry(milliseconds: Double(start.duration(to: now).wholeNanoseconds) / 1_000_000, call: call))
        interjection?(self, call)
    }

    // MARK: - The script

    /// A stream that appears and is wanted; it runs only when told.
    func appear(_ id: UInt32, role: String, app: String? = nil) {
        let application = ApplicationID(portal: nil, binary: app ?? "app\(id)", displayName: nil, fallback: "")
        guard let description = runtime.engine.policy.description(of: Role(role), direction: .playback) else { return }
        post(.streamAppeared(StreamID(id), application: application, description: description, direction: .playback))
        post(.streamWanted(StreamID(id), true))
        runtime.drain()
    }

    func play(_ id: UInt32, role: String, app: String? = nil) {
        appear(id, role: role, app: app)
        send(.streamRunning(StreamID(id), true))
    }

    /// Queues an event. The server has each stream that appears, and the service each session that is opened.
    func post(_ event: Event) {
        switch event {
        case .streamAppeared(let id, let application, _, let direction) where runtime.streams[id] == nil:
            runtime.streams[id] = StreamEntry(id, Stream(id, of: application, direction, self))
        case .sessionOpened(let id, let application, _):
            runtime.sessions[id] = SessionEntry(id, of: ClientIdentity(application), isInterruption: false)
        case .sessionClosed(let id): runtime.sessions[id] = nil
        default: break
        }
        runtime.post(event)
    }

    func send(_ event: Event) {
        post(event)
        runtime.drain()
    }

    /// Time passes, and the timer fires when it is due, or late.
    func advance(_ duration: Duration, late: Duration = .zero) {
        let end = now.advanced(by: duration)
        var limit = 1_000_000
        while let due = armed, due.advanced(by: late) <= end, limit > 0 {
            limit -= 1
            now = max(now, due.advanced(by: late))
            armed = nil
            runtime.timerFired()
        }
        #expect(limit > 0, "the timer never rests")
        now = end
    }

    /// The timer fires once, when it is due.
    func fire() {
        guard let due = armed else { return }
        now = max(now, due)
        armed = nil
        runtime.timerFired()
    }

    func skip(_ duration: Duration) { now = now.advanced(by: duration) }

    /// The gains that a stream was given, and when.
    func curve(of stream: UInt32) -> [(milliseconds: Double, gain: Double)] {
        entries.compactMap { entry in
            if case .gain(stream, let gain) = entry.call { (entry.milliseconds, gain) } else { nil }
        }
    }

    /// When a stream was silenced or let go, and how.
    func silencings(of stream: UInt32) -> [(milliseconds: Double, silence: Silence)] {
        entries.compactMap { entry in
            if case .silence(stream, let silence) = entry.call { (entry.milliseconds, silence) } else { nil }
        }
    }

    func forgetEntries() { entries.removeAll() }

    /// The largest change of gain from one step to the next, starting from a gain.
    func largestStep(of stream: UInt32, from start: Double) -> Double {
        var last = start
        return curve(of: stream).reduce(0) { largest, point in
            defer { last = point.gain }
            return max(largest, abs(point.gain - last))
        }
    }
}
