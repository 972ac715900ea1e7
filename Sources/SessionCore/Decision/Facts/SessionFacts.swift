/// The phase of a session between its first stream and its last. In every phase but `inactive` it claims to be
/// heard.
enum Phase: UInt8, Sendable {
    case inactive
    /// Its application wants it, and it waits until the sessions that it interrupts are silent.
    case holding
    /// Its streams may run, but the server does not process them yet.
    case starting
    /// Its streams run, or an interruption has stopped them while its application wants them to run.
    case active
    /// Its last stream stopped a moment ago.
    case releasing
}

/// How far the application was told of an interruption (R26, R30).
enum Interruption: UInt8, Sendable {
    case none
    /// The interruption is decided, but not announced until the session is silent.
    case begun
    case announced
    /// The interruption is over, but its end is not announced yet.
    case ended
}

/// What keeps a session silent other than another session.
enum Block: UInt8, Sendable {
    case none
    /// The output on which it was playing was removed and may come back (R64).
    case awaitedOutput
    /// Its user muted its input (N7).
    case mutedInput
    /// The session that interrupted it has ended without letting it resume (R31). Only its own application ends this
    /// block and those below.
    case toldToStay
    /// It was rejected (R8).
    case rejected
    /// Its output did not come back in time (R64).
    case lostOutput
    /// The route changed while it was recording (R64).
    case changedRoute

    /// Whether only its own application can end the block.
    var isFinal: Bool { self.rawValue >= Block.toldToStay.rawValue }

    /// Whether the block concerns the session's output, input or route.
    var isOfRoute: Bool {
        self == .awaitedOutput || self == .mutedInput || self == .lostOutput || self == .changedRoute
    }
}

/// The facts of one stream. Flat, so that ten thousand of them are one block of memory.
struct StreamFacts: Sendable, Equatable {
    var id: StreamID
    /// The session's slot.
    var session: Int32
    /// The slots of the neighbours in the session's list of streams; −1 at the ends.
    var next: Int32 = -1
    var previous: Int32 = -1
    var description: DescriptionID
    var direction: StreamDirection
    /// Whether it is a user interface sound (R13).
    var isInterfaceSound: Bool
    /// Whether it counts as wanted: its application wants it to run, and it is not muted (N24).
    var isWanted = false
    /// Whether its application wants it to run.
    var isPlayed = false
    /// Whether its user or application has muted it (N24).
    var isMuted = false
    /// Whether its sound is loud enough to count (N13).
    var isSounding = true
    /// Where it is heard; empty if that is not known (N27).
    var zones: ZoneSet = []
    /// Whether the server processes it.
    var isRunning = false
    /// Whether it has run since it appeared. If so, it fades back in; if not, fading would cut its beginning.
    var hasRun = false
    /// Whether it has become as silent as it was told to be.
    var isSettled = false
    /// Whether its input was muted by the user (N7).
    var isInputMuted = false

    /// Whether it can be heard, as far as the engine knows.
    var isAudible: Bool { isRunning && !isSettled }

    /// Whether it keeps its session sounding (N13).
    var sounds: Bool { isWanted && isSounding && direction == .playback }

    /// N24: whether it counts as wanted. A muted recording does: its application still listens, or plays the rest of a
    /// call.
    func isWanted(_ muted: MutedStreams) -> Bool { isWanted(whilePlayed: isPlayed, muted) }

    /// The same for a stream that its application wants or not.
    func isWanted(whilePlayed isPlayed: Bool, _ muted: MutedStreams) -> Bool {
        isPlayed && (!isMuted || muted == .count || direction == .capture)
    }
}

/// The directions in which a session passes sound (R15-R19).
struct Directions: OptionSet, Sendable {
    let rawValue: UInt8
    static let output = Directions(rawValue: 1)
    static let input = Directions(rawValue: 2)
    static let both: Directions = [.output, .input]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The directions of a category.
    init(_ category: Category) {
        self = category.playsSound ? category.recordsSound ? .both : .output : category.recordsSound ? .input : []
    }
}

/// The facts of one session. Flat: large fields first, flags in one word.
struct SessionFacts: Sendable, Equatable {
    /// The rank among all sessions, higher first: priority, then recordings (R21), then the latest activation. No two
    /// sessions share one.
    var claim: UInt64 = 0
    /// The session's latest request for activation, numbered in the order of all requests.
    var stamp: UInt64 = 0
    /// When the present phase ends by itself.
    var deadline: Instant?
    /// Until when the application may resume after it was told to (N17).
    var resumesUntil: Instant?
    /// The slot of one of its streams; −1 without streams.
    var firstStream: Int32 = -1
    /// Counts of its streams: wanted; wanted user interface sounds; other wanted recordings; wanted and running;
    /// audible.
    var wanted: Int32 = 0
    var wantedInterfaceSounds: Int32 = 0
    var wantedRecordings: Int32 = 0
    var running: Int32 = 0
    var audible: Int32 = 0
    /// Of those that are wanted, the streams that play and sound (N13).
    var sounding: Int32 = 0
    /// The slot of the session that silences it (N17); −1 for none.
    var cause: Int32 = -1
    /// The cause at the moment when the session left, until its victims are handed to another session; −1 for none.
    var formerCause: Int32 = -1
    var description: DescriptionID
    var phase = Phase.inactive
    /// How far the application was told of an interruption.
    var interruption = Interruption.none
    var block = Block.none
    /// The directions that the category allows which the application has set.
    var directions = Directions.both
    private var flags: UInt32 = 1 << 7

    init(description: DescriptionID) { self.description = description }

    private subscript(bit: UInt32) -> Bool {
        get { flags & 1 << bit != 0 }
        set { flags = newValue ? flags | 1 << bit : flags & ~(1 << bit) }
    }

    /// Whether its facts have changed since the last decision about it.
    var isDirty: Bool {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// Whether it was last told that it is active.
    var isToldActive: Bool {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Whether it was active, or waited to be, since its application last began to request activation. Such a session
    /// no longer waits for others to fall silent.
    var hasStarted: Bool {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Whether it requested activation while it had to be silent. It then starts as soon as it may.
    var requestedWhileSilenced: Bool {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// Whether an application or the system opened it.
    var isOpened: Bool {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// Whether its application activates and deactivates it. Until the application first does so, its streams do.
    var isDriven: Bool {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// Whether its application has activated it and nothing has ended the activation.
    var isActivated: Bool {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// Whether its application will be told to resume when the present interruption ends (R11, R31).
    var mayResume: Bool {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// Whether its application has opened it and then configured or activated it. Until then its streams determine its
    /// description.
    var isDescribed: Bool {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// Whether it is an interruption by the system that does not affect the application which began it.
    var sparesBeginner: Bool {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// Whether it gives up the sessions that it has interrupted, in the present event.
    var isLeaving: Bool {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// Whether the sessions that it gives up may resume.
    var letsResume: Bool {
        get { self[11] }
        set { self[11] = newValue }
    }

    /// Whether its application has said that the sessions which it gives up stay silent (R11).
    var tellsToStay: Bool {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// Whether it was heard since it became active.
    var wasHeard: Bool {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// Whether the present interruption was announced because of its output or input, not because of a session.
    var isToldOfRoute: Bool {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// Whether its streams may have different descriptions.
    var isMixed: Bool {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// Whether a session is heard beside this one because its user wants that (N19).
    var isOverruled: Bool {
        get { self[15] }
        set { self[15] = newValue }
    }

    /// Whether it requests activation. A user interface sound requests nothing (R13).
    var requestsActivation: Bool {
        if isDriven { return isActivated }
        return isDescribed ? hasWantedSound : wanted > 0
    }

    /// Whether its application wants a stream that is no user interface sound and whose direction the category allows.
    var hasWantedSound: Bool {
        let playing = wanted &- wantedInterfaceSounds &- wantedRecordings
        return playing > 0 && directions.contains(.output) || wantedRecordings > 0 && directions.contains(.input)
    }

    /// Whether a stream can pass sound in this session. A category without output or input keeps the stream silent for
    /// good.
    func hasUse(for stream: StreamFacts) -> Bool {
        stream.isInterfaceSound || directions.contains(stream.direction == .playback ? .output : .input)
    }

    /// Whether the sessions that it interrupted keep waiting for it (N17): while it is heard, while it is interrupted
    /// itself and may resume, and until its application has resumed or the time for that has passed.
    var keepsVictimsWaiting: Bool {
        if isLeaving { return false }
        return phase != .inactive || resumesUntil != nil || isInterruptedAndMayResume
    }

    /// Whether nothing about it has changed, and only other sessions can change the verdict on it.
    var isAtRest: Bool { !isDirty && block == .none && deadline == nil && resumesUntil == nil }

    /// Whether it is interrupted and its application may activate it again.
    var isInterruptedAndMayResume: Bool {
        isDriven && mayResume && (interruption == .announced || interruption == .begun) && !block.isFinal
    }
}
