import BusService
import CPulseCore
import DBus
import DesktopServices
import Glibc
import HostSupport
import PolicyEngine
import PolicyFile
import PolicyRuntime

/// The policy's host in PulseAudio: turns the daemon's hooks into events, and effects into calls.
public final class PulseAudioHost: Host {
    let core: OpaquePointer
    private let loop: PulseAudioLoop
    package private(set) var runtime: SessionRuntime?
    /// `org.AudioSession1`; without a bus, it only reports to the host.
    private(set) var service: SessionService?
    private var hooks: [Hook] = []
    private var timer: (any LoopTimer)?
    private var drainEvent: Deferred?
    /// The timer for the check whether clients have followed our requests.
    private var requestTimer: (any LoopTimer)?
    private var requestsDue: Instant?
    /// Whether streams have come, gone, started or stopped since the latencies of devices were read.
    private var mustReadLatencies = false
    lazy var routes = RouteWatch(host: self)
    private var messages: MessageHandler?
    /// The process behind each client.
    let peers = PeerProcesses(processes: LinuxProcessTree())
    private var conflictingModules: ConflictingModules?
    private let streamCame: () -> Void
    /// Measures levels; made for the first stream that is measured (N13).
    private var meters: OpaquePointer?

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
        let runtime = SessionRuntime(policy: policy.inForce, host: self)
        self.runtime = runtime
        timer = loop.timer { [unowned self] in self.runtime?.timerFired() }
        requestTimer = loop.timer { [unowned self] in checkRequests() }
        drainEvent = Deferred(core) { [unowned self] in drain() }
        service = SessionService(runtime: runtime, loop: loop, buses: servesBus ? (.session, .system) : nil)
        conflictingModules = ConflictingModules(host: self)
        conflictingModules?.begin()
        listen()
        routes.begin()
        for input in all(CPC_SINK_INPUTS) { added(StreamHandle(pointer: input, direction: .playback)) }
        for output in all(CPC_SOURCE_OUTPUTS) { added(StreamHandle(pointer: output, direction: .capture)) }
        messages = MessageHandler(core: core) { [unowned self] in service }
        runtime.drain()
        drainLater()
    }

    /// Undoes all changes and removes the listeners.
    public func leave() {
        guard let runtime else { return }
        cpc_meters_free(meters)
        meters = nil
        messages = nil
        runtime.shutDown()
        for stream in streams { stream.left() }
        cpc_end_ramps()
        for stream in streams { stream.sendPendingEvents() }
        service?.leave()
        service = nil
        hooks = []
        routes.leave()
        conflictingModules?.restore()
        conflictingModules = nil
        self.runtime = nil
        timer?.cancel()
        requestTimer?.cancel()
        drainEvent = nil
    }

    /// Puts another policy into force. Returns whether it differs from the present one.
    public func apply(_ policy: LoadedPolicy) -> Bool {
        defer { conflictingModules?.update() }
        return runtime?.apply(policy.inForce) ?? false
    }

    /// Whether the policy unloads the daemon's own modules with the same purpose.
    var stockModules: StockModules { runtime?.inForce.policy.stockModules ?? .keep }

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

    /// Listens to a hook for the lifetime of this host; after the daemon's own modules of a higher priority.
    func on(_ hook: cpc_hook, priority: Int = CPC_NORMAL, _ body: @escaping (OpaquePointer) -> Void) {
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
                    runtime?.remove(stream, now: false)
                }
            }
            on(state, priority: CPC_EARLY) { [unowned self] in
                latenciesMayChange()
                if let stream = stream($0, direction) { stream.stateChanged() }
            }
            on(properties) { [unowned self] in stream($0, direction)?.readProperties() }
            on(moved, priority: CPC_EARLY) { [unowned self] in
                latenciesMayChange()
                streamMoved(StreamHandle(pointer: $0, direction: direction))
            }
        }
        for hook in [CPC_SINK_INPUT_VOLUME_CHANGED, CPC_SINK_INPUT_MUTE_CHANGED] {
            on(hook, priority: CPC_EARLY) { [unowned self] in
                guard let stream = stream($0, .playback) else { return }
                // The daemon has not finished the change.
                stream.isVolumeStale = true
                drainLater()
            }
        }
        on(CPC_CLIENT_PUT, priority: CPC_EARLY) { [unowned self] in peers.added($0) }
        on(CPC_CLIENT_UNLINK) { [unowned self] in peers.removed($0) }
        on(CPC_CLIENT_PROPLIST_CHANGED) { [unowned self] client in
            for stream in streams where isKnown(stream) && stream.handle.client == client { stream.readProperties() }
        }
    }

    private func stream(_ pointer: OpaquePointer, _ direction: StreamDirection) -> PulseStream? {
        firstStream { $0.handle.pointer == pointer && $0.direction == direction }
    }

    /// The first stream that meets a condition.
    private func firstStream(where isFound: (PulseStream) -> Bool) -> PulseStream? {
        for entry in runtime?.streams ?? [:] {
            if let stream = entry.value.server as? PulseStream, isFound(stream) { return stream }
        }
        return nil
    }

    private func added(_ handle: StreamHandle) {
        guard let runtime, let properties = StreamProperties(handle, peers) else { return }
        streamCame()
        let stream = PulseStream(handle: handle, properties: properties, host: self)
        runtime.add(stream)
        moveCompleted(stream)
    }

    /// The properties of a stream if they, or what the policy makes of them, have changed.
    func changedProperties(of stream: PulseStream) -> StreamProperties? {
        guard let runtime, let properties = StreamProperties(stream.handle, peers) else { return nil }
        return properties != stream.properties || runtime.isOutdated(stream.id) ? properties : nil
    }

    private var streams: [PulseStream] { (runtime?.streamsByAge ?? []).compactMap { $0.server as? PulseStream } }

    /// Whether a stream still exists: an action on one stream may end another.
    private func isKnown(_ stream: PulseStream) -> Bool { runtime?.streams[stream.id]?.server === stream }

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
        runtime?.remove(stream, now: false)
    }

    private func moveCompleted(_ stream: PulseStream) {
        stream.moved()
        if let place = stream.place { runtime?.handle(.linked(to: place)) }
    }

    /// Calls ``drain()`` when the daemon has finished its present work.
    public func drainLater() { drainEvent?.ask() }

    /// Reads the latencies of devices when the daemon has finished its present work.
    private func latenciesMayChange() {
        guard service != nil else { return }
        mustReadLatencies = true
        drainLater()
    }

    private func drain() {
        for stream in streams where stream.isVolumeStale && isKnown(stream) {
            stream.isVolumeStale = false
            let (wasMuted, isHigher) = stream.readVolume()
            runtime?.volumeChanged(of: stream.id, wasMuted: wasMuted, isHigher: isHigher)
        }
        if mustReadLatencies {
            mustReadLatencies = false
            routes.readLatencies()
        }
        for stream in streams where stream.isRefused && isKnown(stream) { stream.handle.kill() }
        runtime?.drain()
        // A client receives events only after the daemon has confirmed the stream's creation.
        for stream in streams { stream.sendPendingEvents() }
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

    // MARK: - Host

    /// The clock that the daemon's own timers use.
    public var now: Instant { Instant(nanoseconds: cpc_monotonic_nanoseconds()) }

    /// The cost of one volume change. The daemon's main loop waits for the sink's thread, which remixes everything
    /// mixed ahead for all streams of the sink.
    public var gainCost: Duration { .microseconds(500) }

    /// Arms the runtime's only timer.
    public func arm(at moment: Instant?) { timer?.arm(at: moment?.nanoseconds) }

    /// The clock of the default sink.
    public var clock: GraphClock { clock(cpc_sink_sample_spec(cpc_default_sink(core))) }

    /// The clock of a device. A volume change makes the daemon remix what it has mixed ahead, so it takes effect at once
    /// whatever the device's buffer; the quantum limits how often that happens.
    func clock(_ specification: pa_sample_spec) -> GraphClock {
        GraphClock(sampleRate: Double(max(specification.rate, 1)), quantum: .milliseconds(10))
    }

    /// Levels are measured by a client of our own.
    public var measuresStreams: Bool { true }

    /// Measures a stream's level where it plays now, or no longer does.
    func measure(_ stream: PulseStream, _ isMeasured: Bool) {
        guard isMeasured else { return cpc_meters_end(meters, stream.index) }
        guard stream.direction == .playback else { return }
        if meters == nil {
            meters = cpc_meters_new(
                core,
                { index, peak, data in
                    guard let host = object(data, as: PulseAudioHost.self),
                        let stream = host.firstStream(where: { $0.index == index && $0.direction == .playback })
                    else { return }
                    host.runtime?.measured(stream.id, peak: Double(peak))
                }, pointer(to: self))
        }
        cpc_meters_begin(meters, stream.handle.pointer)
    }

    /// Mutes each corked stream in advance that would be rejected (R8), or might have to wait (R34), if its client started
    /// it. The daemon's thread plays a started stream at once, and the main loop learns of it only later.
    public func turnEnded() {
        guard let runtime else { return }
        for entry in runtime.streams.values {
            guard let stream = entry.server as? PulseStream else { continue }
            stream.guardStart(stream.isCorked && runtime.mustBeginSilent(stream.id))
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
