import CPulseCore
import Glibc
import PolicyFile
import SessionBus
import SessionCore
import SessionDesktop
import SessionHost
import SessionRuntime
import SessionService

/// The policy's host in PulseAudio: turns the daemon's hooks into events, and effects into calls.
public final class PulseAudioHost: Host {
    let core: OpaquePointer
    private let loop: PulseAudioLoop
    package private(set) var runtime: SessionRuntime?
    /// The streams by their numbers in the engine, with the service and the policy.
    package private(set) var book: StreamBook<PulseStream>?
    private var hooks: [Hook] = []
    private var timer: (any LoopTimer)?
    private var drainEvent: Deferred?
    /// The timer for the check whether clients have followed our requests.
    private var requestTimer: (any LoopTimer)?
    private var requestsDue: Instant?
    /// The streams by the daemon's index.
    private(set) var playback: [UInt32: PulseStream] = [:]
    private(set) var capture: [UInt32: PulseStream] = [:]
    /// Whether streams have come, gone, started or stopped since the latencies of devices were read.
    private var mustReadLatencies = false
    /// The streams whose events for their clients are queued.
    private var streamsWithEvents: [PulseStream] = []
    /// The streams whose own volume or mute has changed.
    private var louderOrQuieter: [PulseStream] = []
    /// The rejected streams, to be killed when the daemon has finished its present work.
    private var refused: [StreamID] = []
    lazy var routes = RouteWatch(host: self)
    private var messages: MessageHandler?
    /// The process behind each client.
    let peers = PeerProcesses(processes: LinuxProcessTree())
    private var rivals: RivalModules?
    private let streamCame: () -> Void
    /// Measures levels; made for the first stream that is measured (N13).
    private var meters: OpaquePointer?
    /// The daemon's indices of the streams that are measured.
    private var measured: [StreamID: UInt32] = [:]

    /// Attaches to the daemon: observes all present and future streams and devices.
    ///
    /// - Parameters:
    ///   - core: The daemon's core; `cpc_verify` must have succeeded.
    ///   - servesBus: Whether to offer the service on the session bus.
    ///   - streamCame: Called before anything is done to a new stream.
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
        requestTimer = loop.timer { [unowned self] in checkRequests() }
        drainEvent = Deferred(core) { [unowned self] in drain() }
        book.service = SessionService(
            runtime: runtime, host: self, loop: loop, buses: servesBus ? (.session, .system) : nil)
        rivals = RivalModules(host: self)
        rivals?.begin()
        listen()
        routes.begin()
        for input in all(CPC_SINK_INPUTS) { added(StreamHandle(pointer: input, direction: .playback)) }
        for output in all(CPC_SOURCE_OUTPUTS) { added(StreamHandle(pointer: output, direction: .capture)) }
        messages = MessageHandler(core: core) { [unowned self] in service }
        runtime.drain()
        wakeLater()
    }

    /// Undoes all changes and removes the listeners.
    public func leave() {
        guard let runtime else { return }
        cpc_meters_free(meters)
        meters = nil
        measured = [:]
        messages = nil
        runtime.shutDown()
        for stream in streams { stream.left() }
        cpc_end_glides()
        for stream in streamsWithEvents { stream.sendPendingEvents() }
        streamsWithEvents = []
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

    /// `org.AudioSession1`; `nil` without a bus.
    var service: SessionService? { book?.service }

    /// Puts another policy into force. Returns whether it differs from the present one.
    public func apply(_ policy: LoadedPolicy) -> Bool {
        defer { rivals?.update() }
        return book?.apply(policy) ?? false
    }

    /// Whether the policy unloads the daemon's own modules with the same purpose.
    var stockModules: StockModules { book?.policy.policy.stockModules ?? .keep }

    /// The daemon's main loop.
    public var eventLoop: any EventLoop { loop }

    /// All objects of one of the core's sets.
    func all(_ set: cpc_set) -> [OpaquePointer] {
        var found: [OpaquePointer] = []
        var state: UnsafeMutableRawPointer?
        while let next = cpc_iterate(core, set, &state) { found.append(OpaquePointer(next)) }
        return found
    }

    // MARK: - Streams

    /// Listens to a hook for the lifetime of this host.
    func on(_ hook: cpc_hook, priority: Int, _ body: @escaping (OpaquePointer) -> Void) {
        hooks.append(Hook(core, hook, priority: priority) { if let subject = $0 { body(subject) } })
    }

    /// Listens to a hook whose object may be missing.
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
            // First, so that a stream's start is decided before other modules act on the stream.
            on(put, priority: CPC_EARLY) { [unowned self] in
                latenciesMayChange()
                added(StreamHandle(pointer: $0, direction: direction))
            }
            on(unlink, priority: CPC_EARLY) { [unowned self] in
                latenciesMayChange()
                if let stream = stream($0, direction) {
                    stream.left()
                    removed(stream)
                }
            }
            on(state, priority: CPC_EARLY) { [unowned self] in
                latenciesMayChange()
                if let stream = stream($0, direction) { stream.stateChanged() }
            }
            on(properties) { [unowned self] in propertiesChanged(StreamHandle(pointer: $0, direction: direction)) }
            on(moved, priority: CPC_EARLY) { [unowned self] in
                latenciesMayChange()
                streamMoved(StreamHandle(pointer: $0, direction: direction))
            }
        }
        for hook in [CPC_SINK_INPUT_VOLUME_CHANGED, CPC_SINK_INPUT_MUTE_CHANGED] {
            on(hook, priority: CPC_EARLY) { [unowned self] in
                guard let stream = stream($0, .playback) else { return }
                // The daemon has not finished the change.
                if !louderOrQuieter.contains(where: { $0 === stream }) { louderOrQuieter.append(stream) }
                wakeLater()
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
        book.add(stream)
        moveCompleted(stream)
    }

    private func removed(_ stream: PulseStream) {
        if stream.direction == .playback { playback[stream.index] = nil } else { capture[stream.index] = nil }
        streamsWithEvents.removeAll { $0 === stream }
        book?.forget(stream, now: false)
    }

    /// Classifies a stream again: some clients announce their role only after the stream exists.
    func propertiesChanged(_ handle: StreamHandle) {
        guard let book, let stream = stream(handle.pointer, handle.direction),
            let properties = StreamProperties(handle, peers), properties != stream.properties || book.isOutdated(stream)
        else { return }
        book.forget(stream, now: true)
        stream.renew(book.nextID(), properties) { book.add(stream) }
    }

    private var streams: [PulseStream] { book?.all ?? [] }

    /// Whether a stream still exists: an action on one stream may end another.
    private func isKnown(_ stream: PulseStream) -> Bool { book?[stream.id] === stream }

    /// Handles a stream that has moved to another device.
    private func streamMoved(_ handle: StreamHandle) {
        if handle.filtered != nil {
            // This stream is the end of a filter. Streams that play through the filter could not be changed while it
            // moved, so they are updated now. If the move completes a filter further up, the streams of that filter are
            // updated, too.
            for stream in streams where isKnown(stream) { stream.moved() }
        }
        guard let stream = stream(handle.pointer, handle.direction) else { return added(handle) }
        guard handle.isInternal else { return moveCompleted(stream) }
        // The stream moved from a microphone to the monitor of a sink.
        stream.undoChanges()
        stream.sendPendingEvents()
        removed(stream)
    }

    private func moveCompleted(_ stream: PulseStream) {
        stream.moved()
        if let place = place(of: stream.id) { runtime?.handle(.linked(to: place)) }
    }

    /// Queues an event, and processes it at once or after the daemon has finished its present work.
    func post(_ event: Event, now: Bool) { book?.post(event, now: now) }

    func wakeLater() { drainEvent?.ask() }

    /// Reads the latencies of devices when the daemon has finished its present work.
    private func latenciesMayChange() {
        guard service != nil else { return }
        mustReadLatencies = true
        wakeLater()
    }

    /// Reads the volumes of the streams that have changed theirs.
    private func readVolumes() {
        let changed = louderOrQuieter
        louderOrQuieter = []
        for stream in changed where isKnown(stream) {
            let (wasMuted, isHigher) = stream.readVolume()
            book?.volumeChanged(of: stream, wasMuted: wasMuted, isHigher: isHigher)
        }
    }

    private func drain() {
        readVolumes()
        if mustReadLatencies {
            mustReadLatencies = false
            routes.readLatencies()
        }
        let ended = refused
        refused = []
        for id in ended { book?[id]?.handle.kill() }
        runtime?.drain()
        let due = streamsWithEvents
        streamsWithEvents = []
        for stream in due { stream.sendPendingEvents() }
    }

    /// Schedules the sending of a stream's queued events. The client receives events only after the daemon has
    /// confirmed the stream's creation.
    func sendEventsLater(_ stream: PulseStream) {
        if !streamsWithEvents.contains(where: { $0 === stream }) { streamsWithEvents.append(stream) }
        wakeLater()
    }

    /// Schedules the check whether clients have followed our requests, at the given moment or earlier.
    func checkRequestLater(at moment: Instant) {
        guard requestsDue.map({ moment < $0 }) ?? true else { return }
        requestsDue = moment
        requestTimer?.arm(at: moment.nanoseconds)
    }

    private func checkRequests() {
        requestsDue = nil
        for stream in streams where isKnown(stream) { stream.checkRequest(at: now) }
        runtime?.drain()
    }

    /// Whether a stream is held only until other streams have faded out.
    func isHandover(_ stream: StreamID) -> Bool { runtime?.treatment(of: stream)?.reason == .handover }

    // MARK: - Host

    /// The clock that the daemon's own timers use.
    public var now: Instant { Instant(nanoseconds: cpc_monotonic_nanoseconds()) }

    /// The interval between the steps of a fade. A volume change makes the daemon remix what it has mixed ahead, so it
    /// takes effect at once whatever the device's buffer; this value limits how often that happens.
    public func quantum(of stream: StreamID) -> Duration { .milliseconds(10) }

    /// The cost of one volume change. The daemon's main loop waits for the sink's thread, which remixes everything
    /// mixed ahead for all streams of the sink.
    public var gainCost: Duration { .microseconds(500) }

    /// Sets our own factor on a stream's volume; no mixer shows or saves this factor.
    public func setGain(_ gain: LinearGain, of stream: StreamID) { book?[stream]?.set(gain) }

    /// Whether the gain of a stream can change with every sample.
    public func glides(_ stream: StreamID) -> Bool { book?[stream]?.glides ?? false }

    /// Lets the gain of a stream go to another, sample by sample.
    public func glide(_ stream: StreamID, to gain: LinearGain, within duration: Duration, fromSilence: Bool) {
        book?[stream]?.glide(to: gain, within: duration, fromSilence: fromSilence)
    }

    /// Holds a stream in the sink's thread, or sets its factor to zero.
    public func setSilence(_ silence: Silence, of stream: StreamID) { book?[stream]?.set(silence) }

    /// How a stream is silenced at this moment.
    public func silence(of stream: StreamID) -> Silence { book?[stream]?.silence ?? .none }

    /// Kills the stream (R23). The daemon still needs the stream while creating it, so the kill comes later.
    public func refuse(_ stream: StreamID) {
        refused.append(stream)
        wakeLater()
    }

    /// Sends the stream's client an event that describes the interruption.
    public func tell(_ stream: StreamID, of interruption: StreamInterruption) {
        book?[stream]?.tell(of: interruption)
    }

    /// Arms the runtime's only timer.
    public func arm(at moment: Instant?) { timer?.arm(at: moment?.nanoseconds) }

    /// Applies the one preference that PulseAudio supports: a gain on recorded sound (R76). The daemon gives each
    /// stream its own latency, and a sink runs at the rate of the first stream that it plays.
    public func apply(_ wish: StreamWish, to stream: StreamID) { book?[stream]?.setInputGain(wish.inputGain) }

    /// The rate of a stream's device; without a device, that of the default sink (R74).
    public func clock(of stream: StreamID?) -> GraphClock {
        let handle = stream.flatMap { book?[$0]?.handle }
        let device = handle?.device
        let specification =
            handle?.direction == .capture
            ? cpc_source_sample_spec(device) : cpc_sink_sample_spec(device ?? cpc_default_sink(core))
        return GraphClock(sampleRate: Double(max(specification.rate, 1)), quantum: quantum(of: StreamID(0)))
    }

    /// Whether the daemon allows changes of a stream's volume.
    public func hasVolume(_ stream: StreamID) -> Bool { book?[stream].map { !$0.handle.isPassthrough } ?? false }

    /// Levels are measured by a client of our own.
    public var measuresStreams: Bool { true }

    /// Measures a stream's level where it plays now, or no longer does.
    public func measure(_ stream: StreamID, _ isMeasured: Bool) {
        guard isMeasured else {
            // The stream may be gone.
            if let index = measured.removeValue(forKey: stream) { cpc_meters_end(meters, index) }
            return
        }
        guard let playing = book?[stream], playing.direction == .playback else { return }
        if meters == nil {
            meters = cpc_meters_new(
                core,
                { index, peak, data in
                    guard let host = object(data, as: PulseAudioHost.self), let stream = host.playback[index] else {
                        return
                    }
                    host.runtime?.measured(stream.id, peak: Double(peak))
                }, pointer(to: self))
        }
        measured[stream] = playing.index
        cpc_meters_begin(meters, playing.handle.pointer)
    }

    /// Mutes each corked stream in advance that would be rejected (R8), or might have to wait (R34), if its client started
    /// it. The daemon's thread plays a started stream at once, and the main loop learns of it only later.
    public func turnEnded() {
        guard let runtime else { return }
        for streams in [playback, capture] {
            for stream in streams.values {
                stream.guardStart(stream.isCorked && runtime.mustBeginSilent(stream.id))
            }
        }
    }

    /// Writes a line to the daemon's log.
    public func log(_ level: LogLevel, _ text: @autoclosure () -> String) { PulseAudioHost.write(level, text()) }

    /// Whether observations are logged like decisions. The daemon's own debug log has many lines for each volume
    /// change, so ours can be switched on without it.
    private static let isVerbose = getenv("AUDIO_SESSION_DEBUG") != nil

    /// Writes a line to the daemon's log, whatever clients have said in it.
    static func write(_ level: LogLevel, _ text: String) {
        let number: Int32 =
            switch level {
            case .error: 0
            case .warning: 1
            case .info: 3
            case .debug: isVerbose ? 3 : 4
            }
        cpc_log(number, printable(text, limit: 4000))
    }
}

/// The event for clients of PulseAudio, besides `request-cork` and `request-uncork`.
enum StreamEvent {
    static let name = "audio-session-interrupted"
    /// `began` or `ended`.
    static let state = "audio-session.interruption"
    static let reason = "audio-session.reason"
    /// The name of the interrupting application, for people.
    static let actor = "audio-session.by"
    /// `true` or `false`.
    static let shouldResume = "audio-session.should-resume"
}

extension PulseAudioHost: RouteWatchHost, PulseStreamHost, RivalModulesHost {}
