/// Where a session is between its first stream and its last. Every phase but `inactive` claims the right to be heard.
enum Phase: UInt8, Sendable {
    case inactive
    /// Wanted, and made to wait until those that it interrupts are silent.
    case holding
    /// Let go, not seen running yet.
    case starting
    /// Running, or stopped by an interruption while its application wants it to run.
    case active
    /// Its last stream has stopped a moment ago.
    case releasing
}

/// How far the news of an interruption has come (R26, R30).
enum Interruption: UInt8, Sendable {
    case none
    /// Decided; not told before the session is silent.
    case begun
    case announced
    /// Over; not told yet.
    case ended
}

/// What keeps a session silent besides another session.
enum Block: UInt8, Sendable {
    case none
    /// The output on which it was heard has gone, and may come back (R64).
    case awaitedOutput
    /// Its input was muted by its user (N7).
    case mutedInput
    /// From here on nothing but its own application makes it go on. It was told to stay silent (R31); …
    case toldToStay
    /// … it was not let begin (R8); …
    case rejected
    /// … its output has not come back in time; …
    case lostOutput
    /// … or the route has changed under its recording (R64).
    case changedRoute

    /// Whether only its own application makes the session go on.
    var isFinal: Bool { self.rawValue >= Block.toldToStay.rawValue }

    /// Whether it has to do with what the sound comes out of or goes into.
    var isOfRoute: Bool {
        self == .awaitedOutput || self == .mutedInput || self == .lostOutput || self == .changedRoute
    }
}

/// What is known of one stream. Flat, so that ten thousand of them are one block of memory.
struct StreamFacts: Sendable, Equatable {
    var id: StreamID
    /// The session's slot.
    var session: Int32
    /// The slots of the neighbours among the streams of the same session; −1 at the ends.
    var next: Int32 = -1
    var previous: Int32 = -1
    var description: DescriptionID
    var direction: StreamDirection
    /// It is a sound of the interface (R13).
    var isInterfaceSound: Bool
    /// Its application wants it to run.
    var isWanted = false
    /// The server processes it.
    var isRunning = false
    /// It has been heard since it appeared, so it fades back in instead of losing its beginning.
    var hasRun = false
    /// The silence that it was told to keep is reached.
    var isSettled = false
    /// What it records from is muted by its user (N7).
    var isInputMuted = false

    /// Whether it can be heard, as far as is known.
    var isAudible: Bool { isRunning && !isSettled }
}

/// Which ways sound goes in a session (R15-R19).
struct Directions: OptionSet, Sendable {
    let rawValue: UInt8
    static let output = Directions(rawValue: 1)
    static let input = Directions(rawValue: 2)
    static let both: Directions = [.output, .input]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Those of a category.
    init(_ category: Category) {
        self = category.playsSound ? category.recordsSound ? .both : .output : category.recordsSound ? .input : []
    }
}

/// What is known of one session: flat, the large fields first, the yes-or-no ones in one word.
struct SessionFacts: Sendable, Equatable {
    /// The rank among all sessions, higher first: priority, then recordings (R21), then the latest activation. No two
    /// sessions share one.
    var claim: UInt64 = 0
    /// When it last asked to be heard, in the order of all such requests.
    var stamp: UInt64 = 0
    /// When the present phase ends by itself.
    var deadline: Instant?
    /// It was told to resume, and its application has until then to do so (N17).
    var resumesUntil: Instant?
    /// The slot of one of its streams; −1 without streams.
    var firstStream: Int32 = -1
    /// How many of its streams are wanted, of them sounds of the interface and, of the others, recordings; wanted and
    /// running; audible.
    var wanted: Int32 = 0
    var wantedInterfaceSounds: Int32 = 0
    var wantedRecordings: Int32 = 0
    var running: Int32 = 0
    var audible: Int32 = 0
    /// The slot of the session that silences it (N17); −1 for none.
    var cause: Int32 = -1
    /// The same at the moment when it left, as long as those that it had interrupted are given to somebody else.
    var formerCause: Int32 = -1
    var description: DescriptionID
    var phase = Phase.inactive
    /// How far the application was told of an interruption.
    var interruption = Interruption.none
    var block = Block.none
    /// Which ways sound goes, by what its application has said that it is.
    var directions = Directions.both
    private var flags: UInt16 = 1 << 7

    init(description: DescriptionID) { self.description = description }

    private subscript(bit: UInt16) -> Bool {
        get { flags & 1 << bit != 0 }
        set { flags = newValue ? flags | 1 << bit : flags & ~(1 << bit) }
    }

    /// Something of it has changed since it was last looked at.
    var isDirty: Bool {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// It was told last that it is active.
    var isToldActive: Bool {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// It was active, or waited to be, since its application last began to ask: it waits for nobody's silence any more.
    var hasStarted: Bool {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// It asked to be heard while it had to be silent, so it goes ahead as soon as it may.
    var isWaiting: Bool {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// It was opened.
    var isOpened: Bool {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// Its application activates and deactivates it; until it first does so, its streams do.
    var isDriven: Bool {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// Its application has activated it, and nothing has ended that.
    var isActivated: Bool {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// What its application will be told when the present interruption ends (R11, R31).
    var mayResume: Bool {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// It was opened by an application that has said what it is, or activated it; until then it is what its streams are.
    var isDescribed: Bool {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The system's, begun by an application that it does not touch.
    var sparesItsOwn: Bool {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// It gives up those that it has interrupted, in the present event.
    var isLeaving: Bool {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// These may resume.
    var letsResume: Bool {
        get { self[11] }
        set { self[11] = newValue }
    }

    /// It was heard since it became active.
    var wasHeard: Bool {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// The present interruption was announced for its output or input, not for a session.
    var isToldOfRoute: Bool {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// Of the streams that it has there are some with different descriptions.
    var isMixed: Bool {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// Whether it asks to be heard. A sound of the interface asks for nothing (R13).
    var asks: Bool {
        if isDriven { return isActivated }
        return isDescribed ? hasWantedSound : wanted > 0
    }

    /// Whether something is wanted that is no sound of the interface, and of which something comes.
    var hasWantedSound: Bool {
        let playing = wanted &- wantedInterfaceSounds &- wantedRecordings
        return playing > 0 && directions.contains(.output) || wantedRecordings > 0 && directions.contains(.input)
    }

    /// Whether something comes of a stream here: a category without an output or an input keeps it silent for good.
    func hasUse(for stream: StreamFacts) -> Bool {
        stream.isInterfaceSound || directions.contains(stream.direction == .playback ? .output : .input)
    }

    /// Whether those that it has interrupted wait for it (N17): while it is heard, while it is interrupted itself and may
    /// resume, and while its application has not done so yet.
    var holds: Bool {
        if isLeaving { return false }
        return phase != .inactive || resumesUntil != nil || isInterruptedAndMayResume
    }

    /// Whether nothing of it has changed, and no time and nothing but other sessions will change it.
    var isAtRest: Bool { !isDirty && block == .none && deadline == nil && resumesUntil == nil }

    /// Whether its application has to activate it again, and may expect to.
    var isInterruptedAndMayResume: Bool {
        isDriven && mayResume && (interruption == .announced || interruption == .begun) && !block.isFinal
    }
}
