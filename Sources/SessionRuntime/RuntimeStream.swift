import SessionCore

/// What is kept of one stream beside what the engine knows of it; all of it goes with the stream.
struct RuntimeStream {
    /// The name of its application; `nil` while the engine does not know of it.
    private var application: String?
    /// How people are told of it: its application, and what it is unless nothing says so.
    private(set) var label = "?"
    /// Whether the server processes it.
    var isRunning = false
    /// Whether its application wants it to run.
    var isWanted = false
    /// What was done to it last.
    var treatment = Treatment.untouched
    /// When that was; `nil` if nothing was done to it yet.
    var treatedSince: Instant?
    /// What is to be done to it in one of the next turns of the loop.
    var postponed: PostponedTreatment?
    /// What its client is told when it is silent.
    var notices = ClientNotices()
    /// What the host was asked for on behalf of its session's application.
    var wish = StreamWish.none
    /// The muted input from which it records, as the engine knows.
    var mutedInput: MutedInputs.Input?

    /// Whether the engine knows of it, or has known.
    var isManaged: Bool { application != nil }

    /// It is part of an application, and is something.
    mutating func appeared(of application: ApplicationID, as description: SessionDescription) {
        self.application = application.name
        mutedInput = nil
        described(as: description)
    }

    /// It is something, or something else, to the policy.
    mutating func described(as description: SessionDescription) {
        guard let application else { return }
        let isTagged = description.name != Policy.untaggedName && description.name != Policy.untaggedCaptureName
        label = isTagged ? "\(application) (\(description.name))" : application
    }
}

/// A treatment that a stream gets some turns of the loop later, because one event concerned very many streams.
struct PostponedTreatment {
    var treatment: Treatment
    var duration: Duration
    var delay: Duration
}
