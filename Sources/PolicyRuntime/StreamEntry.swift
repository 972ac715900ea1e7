public import PolicyEngine

/// Everything that the runtime knows of one stream beside the engine's facts; the host's half is its ``server``.
///
/// A class, because one event may change the entries of a thousand streams. As values in a dictionary they would be copied
/// out and in for each change, which took a sixth of the time of the turn in which a call begins.
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
    /// Its label for people: its application, and its description if it has one.
    private(set) var label: String
    /// When the engine came to know it; `nil` before.
    var knownSince: Instant?

    // MARK: What its client and the server do

    /// Whether its application wants it to run.
    var isWanted = false
    /// Whether the server processes it.
    var isRunning = false
    /// When its application last paused it; `nil` if it never did.
    var pausedSince: Instant?
    /// The number of its closing by its client, if the engine still has it: a later one is higher; `nil` otherwise.
    var closing: UInt32?
    /// When it is looked next whether the process has ended that closed it; `nil` while the stream is not closed.
    var endCheck: Instant?
    /// Its wait for the output that it has lost (R64); `nil` if it does not wait.
    var wait: OutputWait?
    /// The ports on which it was heard when it was silenced, by id; `nil` while it is not silenced.
    var heardOn: Set<String>?
    /// The muted input from which it records, as last reported to the engine.
    var mutedInput: MutedInput?

    // MARK: What is done to it

    /// Its last treatment.
    var treatment = Treatment.untouched
    /// When the treatment was set; `nil` if nothing was done to the stream yet.
    public internal(set) var treatedSince: Instant?
    /// The treatment for one of the next turns of the loop, because one event concerned very many streams; `nil` for none.
    var postponed: (treatment: Treatment, duration: Duration, delay: Duration)?
    /// The level that leads to it.
    var level = StreamLevel()
    /// Whether the server was last told to hold it.
    var isHeld = false
    /// The pause of its player; `nil` while there is none.
    var pause: PlayerPause?
    /// The preferences that the server was last told.
    var preferences = StreamPreferences.none
    /// The pending notices to its client.
    var notices = ClientNotices()
    /// Tells whether it sounds; `nil` if nobody asks (N13).
    var detector: SoundDetector?
    /// Whether the server measures it now.
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

    /// A property of it, or else of its client. What the kernel verifies takes precedence over what the client says.
    public func property(_ name: String) -> String? {
        identity.client.verified(name) ?? server?.property(name)
    }

    /// Whether the policy decides about it.
    public var isManaged: Bool { description != nil }

    /// Whether it may be audible: it is not silenced, or is still fading out.
    public var isAudible: Bool { isManaged && (treatment.silence == .none || level.isFading) }

    /// Whether its session does something to others only while it sounds.
    var isToBeMeasured: Bool { direction == .playback && description?.actsWhileSounding == true }

    /// The next moment at which something is to be done for it by itself.
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
