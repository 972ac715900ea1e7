public import PolicyEngine

/// What the runtime knows of one stream beside the engine's facts; the host's half is its ``server``. A class, because
/// copies out of and into a dictionary took a sixth of the turn in which a call silences a thousand streams.
public final class StreamEntry {
    /// Its id in the engine.
    public let id: StreamID
    /// Whose it is.
    public internal(set) var identity: StreamIdentity
    /// Its direction.
    public let direction: StreamDirection
    /// The stream in the server; `nil` once the server has removed it.
    public internal(set) var server: (any ServerStream)?
    /// When the server had it first.
    public internal(set) var appeared = Instant(nanoseconds: 0)

    // MARK: What the policy makes of it

    /// The opened session to which it belongs; `nil` for none.
    public internal(set) var session: SessionID?
    /// Its description; `nil` while the policy leaves the stream alone.
    public internal(set) var description: SessionDescription? { didSet { updateLabel() } }
    /// The label for people, with the description if there is one.
    private(set) var label: String
    /// When the engine came to know it.
    var knownSince: Instant?

    // MARK: What its client and the server do

    var isWanted = false
    var isRunning = false
    /// When its application last paused the stream.
    var pausedSince: Instant?
    /// Numbers grow with each closing; `nil` unless the engine still has a stream that its client has closed.
    var closing: UInt32?
    /// For the end of the process that closed it.
    var endCheck: Instant?
    /// For the output that it has lost (R64).
    var wait: OutputWait?
    /// The ids of the ports on which it was heard when it was silenced.
    var heardOn: Set<String>?
    /// As last reported to the engine.
    var mutedInput: MutedInput?

    // MARK: What is done to it

    var treatment = Treatment.untouched
    /// When the treatment was set; `nil` if nothing was done to the stream yet.
    public internal(set) var treatedSince: Instant?
    /// For one of the next turns of the loop, because one event concerned very many streams.
    var postponed: (treatment: Treatment, duration: Duration, delay: Duration)?
    var level = StreamLevel()
    /// As the server was last told.
    var isHeld = false
    var pause: PlayerPause?
    /// As the server was last told.
    var preferences = StreamPreferences.none
    var notices = ClientNotices()
    /// Only for a session that affects others while it sounds (N13).
    var detector: SoundDetector?
    var isMeasured = false

    init(_ id: StreamID, _ server: any ServerStream) {
        self.id = id
        self.server = server
        identity = server.identity
        direction = server.direction
        label = identity.application.name
    }

    /// The application to which it belongs.
    public var application: ApplicationID { identity.application }

    /// What the kernel verifies takes precedence over what the client says.
    public func property(_ name: String) -> String? {
        identity.client.verified(name) ?? server?.property(name)
    }

    /// Whether the policy decides about it.
    public var isManaged: Bool { description != nil }

    /// Whether it may be audible: it is not silenced, or is still fading out.
    public var isAudible: Bool { isManaged && (treatment.silence == .none || level.isFading) }

    var isToBeMeasured: Bool { direction == .playback && description?.actsWhileSounding == true }

    func nextMoment(_ rules: SoundingRules) -> Instant? {
        var next = level.nextStep
        if let pause, let until = pause.until { next = min(next ?? until, until) }
        if let detector, let end = detector.end(rules) { next = min(next ?? end, end) }
        if let endCheck { next = min(next ?? endCheck, endCheck) }
        return next
    }

    private func updateLabel() {
        guard let name = description?.name else { return }
        let isTagged = name != Policy.untaggedName && name != Policy.untaggedCaptureName
        label = isTagged ? "\(application.name) (\(name))" : application.name
    }
}
