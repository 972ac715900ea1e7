import BusInterface
import DBus

/// An audio session: an application says what its sound is for, and is notified when others interrupt it.
///
/// The sound server's module audio-session has to be loaded; its service on the session bus is `org.AudioSession1`.
///
/// ```swift
/// let session = AudioSession.shared
/// let interruptions = session.interruptions
/// try session.setCategory(.playback)
/// try session.setActive(true)
/// for await interruption in interruptions {
///     switch interruption {
///     case .began: player.pause()
///     case .ended(let options):
///         if options.contains(.shouldResume), (try? session.setActive(true)) != nil { player.resume() }
///     }
/// }
/// ```
///
/// **Threads.** Methods and properties may be used from any thread and any task. A method that can throw blocks its
/// thread until the service has answered, for five seconds at most, so keep it off the main thread;
/// ``activate(options:)`` suspends its task instead. Properties block only until the session is set up for the first
/// time.
///
/// **The service comes and goes.** While the service is away, methods fail at once. When the service is back, the
/// library sets the session up as the application had asked, and activates the session if it was active;
/// ``mediaServicesChanges`` has an event for the loss and for the return. If the session cannot be activated, an
/// interruption begins.
///
/// **Processes.** A child of `fork()` cannot use the sessions of its parent.
///
/// Names and meanings are those of AVAudioSession, where they fit a desktop. Source: Audio Session Programming Guide;
/// `org.AudioSession1`.
public final class AudioSession: Sendable {
    /// Which streams belong to a session.
    public enum Streams: String, Sendable, Hashable {
        /// All streams of the process and of its children, except those that name another session.
        case process
        /// As ``process``; the libraries for Swift and C in one process then have the same session.
        case shared
        /// Only streams that name the session: see ``AudioSession/streamProperty``.
        case tagged
    }

    /// The session of the process and its streams, set up at its first use. It lasts until ``close()`` or the end of
    /// the process. It is also the session of `libaudiosession` in the process: what one library sets holds for both,
    /// and both get all events.
    public static let shared = AudioSession(displayName: nil, streams: .shared)

    let worker: Worker

    /// Opens another session, for example for an embedded player that interrupts others, or is interrupted, on its own.
    /// It is closed by ``close()``, or when it is released.
    ///
    /// - Parameters:
    ///   - displayName: A name for people, of at most 256 bytes of UTF-8; nil for that of the application.
    ///   - streams: Which streams belong to the session.
    public convenience init(displayName: String? = nil, streams: Streams = .tagged) {
        self.init(displayName: displayName, streams: streams, bus: .session)
    }

    init(displayName: String?, streams: Streams, bus: BusAddress) {
        var properties: [(String, WireValue)] = [("streams", .string(streams.rawValue))]
        if let displayName { properties.append(("display-name", .string(displayName))) }
        worker = Worker(bus: bus, properties: properties)
    }

    deinit { worker.close() }

    /// Closes the session, without waiting for the service. Its streams go on without it.
    ///
    /// All sequences of events end. Methods that wait, and all later ones, fail with
    /// ``AudioSessionError/Code/notInitialized``.
    public func close() { worker.close() }

    // MARK: - What the sound is for

    /// Sets what the session's sound is for. It takes effect at once in an active session, else at the next activation.
    ///
    /// - Parameters:
    ///   - category: The category. A new category ends the override of the output.
    ///   - mode: The kind of use; nil keeps the present mode. The mode can change only while the session is inactive
    ///     and, before or after the change, does not mix with others.
    ///   - options: The options, which replace all former ones.
    /// - Throws: ``AudioSessionError/Code/incompatibleCategory`` for an option that does not fit the category;
    ///   ``AudioSessionError/Code/unsupportedProperty`` for a mode that cannot change now;
    ///   ``AudioSessionError/Code/notActive`` if the session is active and could not stay active;
    ///   ``AudioSessionError/Code/initializationTimedOut`` or ``AudioSessionError/Code/unspecified`` without the
    ///   service.
    public func setCategory(
        _ category: Category, mode: Mode? = nil, options: CategoryOptions = []
    ) throws(AudioSessionError) {
        try change(.category(category, options, mode))
    }

    /// Sets the kind of use. The mode can change only while the session is inactive and does not mix with others.
    ///
    /// - Throws: ``AudioSessionError/Code/unsupportedProperty`` if the mode cannot change now; as
    ///   ``setCategory(_:mode:options:)`` without the service.
    public func setMode(_ mode: Mode) throws(AudioSessionError) { try change(.mode(mode)) }

    /// The category that was set; ``Category/soloAmbient`` before that. Until the category is set, or the session
    /// activated, the application's streams say what their sound is for.
    public var category: Category { preference { $0.category ?? .soloAmbient } }
    /// The options that were set.
    public var categoryOptions: CategoryOptions { preference { $0.options } }
    /// The mode that was set.
    public var mode: Mode { preference { $0.mode } }

    /// Whether the application may let a device decode compressed sound, or pass the sound on undecoded. A device does
    /// so for one application at a time, so the session must not mix with others, and needs the category
    /// ``Category/soloAmbient``, ``Category/playback``, ``Category/playAndRecord`` or ``Category/audioProcessing``.
    public var mayUseHardwareCodecs: Bool {
        preference { preferences in
            switch preferences.category ?? .soloAmbient {
            case .ambient, .record: false
            case .soloAmbient, .playback, .playAndRecord, .audioProcessing:
                // R25. A session that lowers others mixes with them (R49).
                preferences.options.isDisjoint(with: [
                    .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers,
                ])
            }
        }
    }

    // MARK: - Activation

    /// Activates or deactivates the session. Activation may interrupt or lower others.
    ///
    /// A deactivation without the service succeeds: the session stays inactive when the service is back.
    ///
    /// - Throws: ``AudioSessionError/Code/notActive`` if a session with a stronger claim, such as a telephone call,
    ///   does not let this session be active; nothing changes then. ``AudioSessionError/Code/noHardware`` with
    ///   ``Category/record`` if there is nothing to record: no input, no output (whose sound can be recorded, too), and
    ///   no stream of the session that records already. ``AudioSessionError/Code/unsupportedProperty`` for an option of
    ///   deactivation with activation. As ``setCategory(_:mode:options:)`` without the service.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws(AudioSessionError) {
        let notifiesOthers = options.contains(.notifyOthersOnDeactivation)
        guard active else { return try change(.deactivation(notifyOthers: notifiesOthers)) }
        if notifiesOthers {
            throw AudioSessionError(
                .unsupportedProperty, "notifyOthersOnDeactivation is an option of deactivation only")
        }
        try worker.perform(.activate(delayed: false, number: worker.nextNumber()))
    }

    /// Activates the session, without blocking a thread.
    ///
    /// With ``ActivationOptions/delayed``, the method waits without a limit where it would fail because of another
    /// session, also while the service restarts. The wait ends when activation is possible, when the session is
    /// deactivated or closed, or when the task is cancelled.
    ///
    /// - Returns: Whether the session has become active; false if the wait ended otherwise.
    /// - Throws: As ``setActive(_:options:)``.
    @discardableResult
    public func activate(options: ActivationOptions = []) async throws(AudioSessionError) -> Bool {
        let number = worker.nextNumber()
        let worker = worker
        let answer: Request.Answer = await withTaskCancellationHandler {
            await worker.answer(to: .activate(delayed: options.contains(.delayed), number: number))
        } onCancel: {
            worker.cancel(number)
        }
        return try answer.get()
    }

    /// Whether the session may be heard.
    ///
    /// A session that was neither activated nor deactivated is active while its streams play.
    ///
    /// - Throws: ``AudioSessionError/Code/unspecified`` or ``AudioSessionError/Code/initializationTimedOut`` without
    ///   the service, like all properties that the service has to answer.
    public var isActive: Bool { get throws(AudioSessionError) { try property("Active", \.truth) } }

    // MARK: - Where the sound goes

    /// Sends the output to the loudspeaker, until a change of the route, an interruption or another category ends the
    /// override.
    ///
    /// - Throws: ``AudioSessionError/Code/incompatibleCategory`` with another category than ``Category/playAndRecord``;
    ///   as ``setCategory(_:mode:options:)`` without the service.
    public func overrideOutputAudioPort(_ portOverride: PortOverride) throws(AudioSessionError) {
        try change(.outputOverride(portOverride))
    }

    /// The inputs and outputs that the session uses.
    public var currentRoute: RouteDescription {
        get throws(AudioSessionError) { try property("CurrentRoute") { RouteDescription($0) } }
    }

    /// The inputs that can be chosen: those that are plugged in or built in.
    public var availableInputs: [PortDescription] {
        get throws(AudioSessionError) { try read("AvailableInputs") { $0.availableInputs } }
    }

    /// The outputs that can be chosen: those that are plugged in or built in.
    public var availableOutputs: [PortDescription] {
        get throws(AudioSessionError) { try read("AvailableOutputs") { $0.availableOutputs } }
    }

    /// Prefers an input whenever it is available; nil ends the preference.
    ///
    /// - Throws: ``AudioSessionError/Code/unsupportedProperty`` for an input that is not available;
    ///   ``AudioSessionError/Code/unspecified`` for an input that no program can use at present, such as a headset in
    ///   its profile for music; as ``setCategory(_:mode:options:)`` without the service.
    public func setPreferredInput(_ input: PortDescription?) throws(AudioSessionError) { try change(.input(input)) }
    /// The preferred input; nil for none.
    public var preferredInput: PortDescription? { preference { $0.input } }

    /// Prefers an output whenever it is available; nil ends the preference. The override of the output comes first.
    ///
    /// - Throws: As ``setPreferredInput(_:)``.
    public func setPreferredOutput(_ output: PortDescription?) throws(AudioSessionError) { try change(.output(output)) }
    /// The preferred output; nil for none.
    public var preferredOutput: PortDescription? { preference { $0.output } }

    /// Whether the loss of its output interrupts the session; nil, the default, leaves that to the user's policy.
    ///
    /// - Throws: As ``setCategory(_:mode:options:)`` without the service.
    public func setPrefersInterruptionOnRouteDisconnect(_ prefers: Bool?) throws(AudioSessionError) {
        try change(.interruptionOnRouteDisconnect(prefers))
    }
    /// What was set by ``setPrefersInterruptionOnRouteDisconnect(_:)``.
    public var prefersInterruptionOnRouteDisconnect: Bool? { preference { $0.interruptionOnRouteDisconnect } }

    // MARK: - Others

    /// Whether another application is heard.
    public var isOtherAudioPlaying: Bool {
        get throws(AudioSessionError) { try property("OtherAudioPlaying", \.truth) }
    }
    /// Whether another session that does not mix is playing: the application's background sound should be silent.
    public var secondaryAudioShouldBeSilencedHint: Bool {
        get throws(AudioSessionError) { try property("SecondaryAudioShouldBeSilenced", \.truth) }
    }

    /// Sets whether ringing leaves the session alone. An accepted telephone call interrupts the session all the same.
    ///
    /// - Throws: As ``setCategory(_:mode:options:)`` without the service.
    public func setPrefersNoInterruptionsFromSystemAlerts(_ prefers: Bool) throws(AudioSessionError) {
        try change(.avoidsAlerts(prefers))
    }
    /// Whether ringing should leave the session alone; false by default.
    public var prefersNoInterruptionsFromSystemAlerts: Bool { preference { $0.avoidsAlerts } }

    // MARK: - Streams

    /// The property that puts a stream into a session with ``Streams/tagged``. The value is another one after
    /// ``MediaServicesChange/wereReset``.
    public var streamProperty: (key: String, value: String) {
        get throws(AudioSessionError) {
            try read("path") { published in
                published.path.split(separator: "/").last.map { (AudioSessionBus.streamProperty, String($0)) }
            }
        }
    }

    // MARK: - For all properties

    func change(_ change: Change) throws(AudioSessionError) { try worker.perform(.change(change)) }

    /// What the application has asked for, and got.
    func preference<Value>(_ value: (Preferences) -> Value) -> Value {
        worker.shared.withLock { value($0.preferences) }
    }

    func property<Value>(_ name: String, _ value: (WireValue) -> Value?) throws(AudioSessionError) -> Value {
        try read(name) { $0.session[name].flatMap(value) }
    }

    func read<Value>(_ name: String, _ value: (PublishedState) -> Value?) throws(AudioSessionError) -> Value {
        if worker.shared.withLock({ $0.published == nil }) { try worker.perform(.setUp) }
        let (shown, isClosed) = worker.shared.withLock { ($0.published, $0.isClosed) }
        guard let published = shown else {
            // The service went after the session was set up.
            throw isClosed ? Worker.closed : AudioSessionError(.unspecified, "the service has gone")
        }
        guard let value = value(published) else {
            throw AudioSessionError(.unspecified, "this service does not tell \(name)")
        }
        return value
    }
}
