import CPulseCore
import Glibc
import PolicyFile
import SessionBus
import SessionCore
import SessionDesktop
import SessionHost
import SessionRuntime
import SessionService

/// PulseAudio's side of the policy: turns the daemon's hooks into events, and effects into calls.
public final class PulseAudioHost: Host {
    let core: OpaquePointer
    private let loop: PulseAudioLoop
    package private(set) var runtime: SessionRuntime?
    /// The streams by their numbers in the engine, with the service and the policy.
    package private(set) var book: StreamBook<PulseStream>?
    private var hooks: [Hook] = []
    private var timer: (any LoopTimer)?
    private var drainEvent: Deferred?
    /// When clients are looked at that were asked for something.
    private var requestTimer: (any LoopTimer)?
    private var requestsDue: Instant?
    /// By the daemon's own number of each.
    private(set) var playback: [UInt32: PulseStream] = [:]
    private(set) var capture: [UInt32: PulseStream] = [:]
    /// Some streams are silent in advance (``lookAtStarts()``).
    private var isGuarding = false
    private var withNews: [PulseStream] = []
    /// The streams that get no device, to be ended when the daemon has finished what it is doing.
    private var refused: [StreamID] = []
    lazy var routes = RouteWatch(host: self)
    private var messages: MessageHandler?
    /// Who is behind each client.
    let peers = PeerProcesses(processes: LinuxProcessTree())
    private var rivals: RivalModules?
    private let streamCame: () -> Void

    /// Joins the daemon: sees all streams and devices that exist and all that come.
    ///
    /// - Parameters:
    ///   - core: The daemon's core; `cpc_verify` has found it to be what it is taken for.
    ///   - servesBus: Whether there is to be a service on the session bus.
    ///   - streamCame: Called before anything is done to a stream that is new.
    /// - Returns: `nil` when the daemon has no main loop.
    public init?(
        core: OpaquePointer, policy: LoadedPolicy, servesBus: Bool, streamCame: @escaping () -> Void = {}
    ) {
        guard let loop = PulseAudioLoop(core) else { return nil }
        self.core = core
        self.loop = loop
        self.streamCame = streamCame
        let runtime = SessionRuntime(policy: policy.policy, host: self)
        self.runtime = runtime
        let book = StreamBook<PulseStream>(policy: policy, runtime: runtime, host: self) { [unowned self] in wakeLater()
        }
        self.book = book
        timer = loop.timer { [unowned self] in self.runtime?.timerFired() }
        requestTimer = loop.timer { [unowned self] in lookAtRequests() }
        drainEvent = Deferred(core) { [unowned self] in drain() }
        book.service = SessionService(
            runtime: runtime, host: self, loop: loop, buses: servesBus ? (.session, .system) : nil)
        rivals = RivalModules(host: self)
        rivals?.begin()
        listen()
        routes.begin()
        for input in all(CPC_SINK_INPUTS) { added(StreamHandle(pointer: input, direction: .playback)) }
        for output in all(CPC_SOURCE_OUTPUTS) { added(StreamHandle(pointer: output, direction: .capture)) }
        messages = MessageHandler(host: self)
        runtime.drain()
        wakeLater()
    }

    /// Undoes everything and listens no more.
    public func leave() {
        guard let runtime else { return }
        messages = nil
        runtime.shutDown()
        for stream in withNews { stream.sendNews() }
        withNews = []
        service?.leave()
        book?.service = nil
        hooks = []
        routes.leave()
        rivals?.restore()
        rivals = nil
        self.runtime = nil
        book = nil
        playback = [:]
        capture = [:]
        timer?.cancel()
        requestTimer?.cancel()
        drainEvent = nil
    }

    /// `org.AudioSession1`.
    var service: SessionService? { book?.service }

    /// Puts another policy in force. Returns whether it differs from the present one.
    public func apply(_ policy: LoadedPolicy) -> Bool {
        defer { rivals?.update() }
        return book?.apply(policy) ?? false
    }

    /// What the policy makes of the daemon's own modules with the same purpose.
    var stockModules: StockModules { book?.policy.policy.stockModules ?? .keep }

    /// The daemon's main loop.
    public var eventLoop: any EventLoop { loop }

    /// All objects of a set.
    func all(_ set: cpc_set) -> [OpaquePointer] {
        var found: [OpaquePointer] = []
        var state: UnsafeMutableRawPointer?
        while let next = cpc_iterate(core, set, &state) { found.append(OpaquePointer(next)) }
        return found
    }

    // MARK: - Streams

    /// Listens to a hook, as long as this host is there.
    func on(_ hook: cpc_hook, priority: Int = CPC_NORMAL, _ body: @escaping (OpaquePointer) -> Void) {
        hooks.append(Hook(core, hook, priority: priority) { if let subject = $0 { body(subject) } })
    }

    /// Listens to a hook that may be about nothing.
    func onChange(_ hook: cpc_hook, _ body: @escaping () -> Void) {
        hooks.append(Hook(core, hook, priority: CPC_EARLY) { _ in body() })
    }

    private func listen() {
        let kinds:
            [(StreamDirection, put: cpc_hook, unlink: cpc_hook, state: cpc_hook, properties: cpc_hook, moved: cpc_hook)] =
                [
                    (
                        .playback, CPC_SINK_INPUT_PUT, CPC_SINK_INPUT_UNLINK, CPC_SINK_INPUT_STATE_CHANGED,
                        CPC_SINK_INPUT_PROPLIST_CHANGED, CPC_SINK_INPUT_MOVE_FINISH
                    ),
                    (
                        .capture, CPC_SOURCE_OUTPUT_PUT, CPC_SOURCE_OUTPUT_UNLINK, CPC_SOURCE_OUTPUT_STATE_CHANGED,
                        CPC_SOURCE_OUTPUT_PROPLIST_CHANGED, CPC_SOURCE_OUTPUT_MOVE_FINISH
                    ),
                ]
        for (direction, put, unlink, state, properties, moved) in kinds {
            // What decides whether a stream may start comes before what others do about it.
            on(put, priority: CPC_EARLY) { [unowned self] in added(StreamHandle(pointer: $0, direction: direction)) }
            on(unlink, priority: CPC_EARLY) { [unowned self] in
                if let stream = stream($0, direction) { removed(stream) }
            }
            on(state, priority: CPC_EARLY) { [unowned self] in
                if let stream = stream($0, direction) { stream.stateChanged() }
            }
            on(properties) { [unowned self] in propertiesChanged(StreamHandle(pointer: $0, direction: direction)) }
            on(moved, priority: CPC_EARLY) { [unowned self] in
                isElsewhere(StreamHandle(pointer: $0, direction: direction))
            }
        }
        on(CPC_CLIENT_PUT, priority: CPC_EARLY) { [unowned self] in peers.added($0) }
        on(CPC_CLIENT_UNLINK) { [unowned self] in peers.removed($0) }
        on(CPC_CLIENT_PROPLIST_CHANGED) { [unowned self] client in
            for stream in streams where isKnown(stream) && stream.handle.client == client {
                propertiesChanged(stream.handle)
            }
        }
    }

    private func stream(_ pointer: OpaquePointer, _ direction: StreamDirection) -> PulseStream? {
        direction == .playback
            ? playback[cpc_sink_input_index(pointer)] : capture[cpc_source_output_index(pointer)]
    }

    private func added(_ handle: StreamHandle) {
        guard let book, let properties = StreamProperties(handle, peers) else { return }
        streamCame()
        let stream = PulseStream(id: book.nextID(), handle: handle, properties: properties, host: self)
        if handle.direction == .playback { playback[stream.index] = stream } else { capture[stream.index] = stream }
        book.introduce(stream)
        movedTo(stream)
    }

    private func removed(_ stream: PulseStream) {
        if stream.direction == .playback { playback[stream.index] = nil } else { capture[stream.index] = nil }
        withNews.removeAll { $0 === stream }
        book?.forget(stream, now: false)
    }

    /// Some clients tell their role only after the stream exists.
    func propertiesChanged(_ handle: StreamHandle) {
        guard let book, let stream = stream(handle.pointer, handle.direction),
            let properties = StreamProperties(handle, peers), properties != stream.properties || book.isOutdated(stream)
        else { return }
        book.forget(stream, now: true)
        stream.become(book.nextID(), properties) { book.introduce(stream) }
    }

    private var streams: [PulseStream] { book?.all ?? [] }

    /// Whether a stream is still there: what is done for one may end another.
    private func isKnown(_ stream: PulseStream) -> Bool { book?[stream.id] === stream }

    /// A stream is somewhere else now.
    private func isElsewhere(_ handle: StreamHandle) {
        if handle.filtered != nil {
            // The end of a filter: what could not be done to those that play through it while it moved is done now; and to
            // those of a filter on it, if it is back where that one takes it to be.
            for stream in streams where isKnown(stream) { stream.moved() }
        }
        guard let stream = stream(handle.pointer, handle.direction) else { return added(handle) }
        guard handle.isInternal else { return movedTo(stream) }
        // From a microphone to what a sink plays.
        stream.letGo()
        stream.sendNews()
        removed(stream)
    }

    private func movedTo(_ stream: PulseStream) {
        stream.moved()
        if let place = place(of: stream.id) { runtime?.linked(to: place) }
    }

    /// Queues an event, to be taken at once or when the daemon has finished what it is doing.
    func post(_ event: Event, now: Bool) { book?.post(event, now: now) }

    private func wakeLater() { drainEvent?.ask() }

    private func drain() {
        let ended = refused
        refused = []
        for id in ended { book?[id]?.handle.kill() }
        runtime?.drain()
        let due = withNews
        withNews = []
        for stream in due { stream.sendNews() }
    }

    /// A stream has something to tell its client, which hears nothing before the daemon's answer that the stream exists.
    func hasNews(_ stream: PulseStream) {
        if !withNews.contains(where: { $0 === stream }) { withNews.append(stream) }
        wakeLater()
    }

    /// Has all clients looked at that were asked for something, at a moment at the latest.
    func lookLater(at moment: Instant) {
        guard requestsDue.map({ moment < $0 }) ?? true else { return }
        requestsDue = moment
        requestTimer?.arm(at: moment.nanoseconds)
    }

    private func lookAtRequests() {
        requestsDue = nil
        for stream in streams where isKnown(stream) { stream.lookAtRequest(at: now) }
        runtime?.drain()
    }

    /// Whether a stream is held only until others are silent.
    func isHandover(_ stream: StreamID) -> Bool { runtime?.treatment(of: stream)?.reason == .handover }

    // MARK: - Host

    /// The clock that the daemon's own timers use.
    public var now: Instant { Instant(nanoseconds: cpc_monotonic_nanoseconds()) }

    /// A change of volume has the daemon mix anew what it has mixed ahead. So it lands wherever the sound is, whatever the
    /// device's buffer; this is how often it is asked to do that in a fade.
    public func quantum(of stream: StreamID) -> Duration { .milliseconds(10) }

    /// The daemon's loop waits for the thread that plays the stream, and that mixes anew what it has mixed ahead of all
    /// streams of its sink.
    public var gainCost: Duration { .microseconds(500) }

    /// Sets our own factor on a stream's volume, which is neither seen nor saved.
    public func setGain(_ gain: LinearGain, of stream: StreamID) { book?[stream]?.set(gain) }

    /// Holds a stream in the thread that plays it, or sets its factor to nothing.
    public func setSilence(_ silence: Silence, of stream: StreamID) { book?[stream]?.set(silence) }

    /// How a stream is silenced at this moment.
    public func silence(of stream: StreamID) -> Silence { book?[stream]?.silence ?? .none }

    /// Ends the stream (R23). Amid its creation the daemon still needs it.
    public func refuse(_ stream: StreamID) {
        refused.append(stream)
        wakeLater()
    }

    /// Sends the stream's client an event with all that it has to know.
    public func tell(_ stream: StreamID, of interruption: StreamInterruption) {
        book?[stream]?.tell(of: interruption)
    }

    /// Arms the one timer of the runtime.
    public func arm(at moment: Instant?) { timer?.arm(at: moment?.nanoseconds) }

    /// Sets what its session wishes for that there is here: a factor on what is recorded (R76). The daemon gives each stream
    /// a latency of its own, and its sinks have the rate of what they play first.
    public func request(_ wish: StreamWish, of stream: StreamID) { book?[stream]?.setInputGain(wish.inputGain) }

    /// The rate of the device; for a stream that is on none, of the default sink (R74).
    public func clock(of stream: StreamID?) -> GraphClock {
        let handle = stream.flatMap { book?[$0]?.handle }
        let device = handle?.device
        let specification =
            handle?.direction == .capture
            ? cpc_source_sample_spec(device) : cpc_sink_sample_spec(device ?? cpc_default_sink(core))
        return GraphClock(sampleRate: Double(max(specification.rate, 1)), quantum: quantum(of: StreamID(0)))
    }

    /// Whether the daemon lets its volume be changed.
    public func hasVolume(_ stream: StreamID) -> Bool { book?[stream].map { !$0.handle.isPassthrough } ?? false }

    /// R8: makes each corked stream silent that would be rejected if its client started it. When that happens, the daemon's
    /// thread plays it at once, and the main loop is told later.
    public func lookAtStarts() {
        guard let runtime else { return }
        let rejects = runtime.rejects
        guard rejects || isGuarding else { return }
        isGuarding = false
        for streams in [playback, capture] {
            for stream in streams.values {
                let isGuarded = rejects && stream.isCorked && runtime.wouldReject(stream.id)
                stream.guardStart(isGuarded)
                if isGuarded { isGuarding = true }
            }
        }
    }

    /// Writes to the daemon's log.
    public func log(_ level: LogLevel, _ text: @autoclosure () -> String) { PulseAudioHost.write(level, text()) }

    /// Whether what is seen is logged as what is decided is: the daemon's own debugging writes many lines for every change of
    /// a volume, so one may not want it together with ours.
    private static let isVerbose = getenv("AUDIO_SESSION_DEBUG") != nil

    static func write(_ level: LogLevel, _ text: String) {
        let number: Int32 =
            switch level {
            case .error: 0
            case .warning: 1
            case .info: 3
            case .debug: isVerbose ? 3 : 4
            }
        cpc_log(number, text)
    }
}

/// The event that clients of PulseAudio get besides `request-cork` and `request-uncork`.
enum StreamEvent {
    static let name = "audio-session-interrupted"
    /// `began` or `ended`.
    static let state = "audio-session.interruption"
    static let reason = "audio-session.reason"
    /// Who interrupts, for people.
    static let actor = "audio-session.by"
    /// `true` or `false`.
    static let shouldResume = "audio-session.should-resume"
}
