import SessionCore

/// What the runtime keeps about one stream beside the engine's facts.
///
/// A class, because one event may change the records of a thousand streams. As values in a dictionary they would be copied
/// out and in for each change, which took a sixth of the time of the turn in which a call begins.
final class RuntimeStream {
    /// Its application; `nil` until the engine knows the stream.
    private(set) var application: ApplicationID?
    /// Its label for people: its application, and its description if it has one.
    private(set) var label = "?"
    /// Whether the server processes it.
    var isRunning = false
    /// Whether its application wants it to run.
    var isWanted = false
    /// When its application last paused it; `nil` if it never did.
    var pausedSince: Instant?
    /// When the engine came to know it.
    var knownSince: Instant?
    /// Its last treatment.
    var treatment = Treatment.untouched
    /// When the treatment was set; `nil` if nothing was done to the stream yet.
    var treatedSince: Instant?
    /// The ports on which it was heard when it was silenced, by id; `nil` while it is not silenced.
    var heardOn: Set<String>?
    /// Since when it waits for its output to come back (R64); `nil` if it does not.
    var awaitsSince: Instant?
    /// The treatment for one of the next turns of the loop; `nil` for none.
    var postponed: PostponedTreatment?
    /// The pending notices to its client.
    var notices = ClientNotices()
    /// The wish that was last sent to the host.
    var wish = StreamWish.none
    /// The muted input from which it records, as last reported to the engine.
    var mutedInput: MutedInputs.Input?

    /// Tells whether it sounds; `nil` if nobody asks (N13).
    var detector: SoundDetector?
    /// Whether the host measures it now.
    var isMeasured = false
    /// Whether its session does something to others only while it sounds.
    private(set) var isToBeMeasured = false
    private(set) var direction = StreamDirection.playback

    /// Whether the engine knows the stream, or has known it.
    var isManaged: Bool { application != nil }

    /// Records that the engine knows the stream as part of an application.
    func appeared(
        of application: ApplicationID, as description: SessionDescription, _ direction: StreamDirection, at now: Instant
    ) {
        self.application = application
        self.direction = direction
        knownSince = now
        mutedInput = nil
        described(as: description)
    }

    /// Records the stream's description, which gives its label.
    func described(as description: SessionDescription) {
        guard let application else { return }
        isToBeMeasured = direction == .playback && description.actsWhileSounding
        let isTagged = description.name != Policy.untaggedName && description.name != Policy.untaggedCaptureName
        label = isTagged ? "\(application.name) (\(description.name))" : application.name
    }
}

/// A treatment postponed to a later turn of the loop, because one event concerned very many streams.
struct PostponedTreatment {
    var treatment: Treatment
    var duration: Duration
    var delay: Duration
}
