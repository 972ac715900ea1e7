/// What counts of a session's streams, summed up in one pass over all streams.
struct Sums: Sendable {
    /// What the wanted streams, or all of them, say of their session.
    struct Saying: Sendable {
        /// The stream with the strongest description (R1); −1 for none.
        var strongest: Int32 = -1
        /// Whether there are both halves of a call (N14).
        var plays = false
        var records = false
    }

    var count: Int32 = 0
    var wanted = Saying()
    var all = Saying()
    /// How many streams are wanted; how many of these are user interface sounds, and how many of the rest record.
    var wantedCount: Int32 = 0
    var wantedUISounds: Int32 = 0
    var wantedCaptures: Int32 = 0
    /// Whether a wanted user interface sound records.
    var hasUICapture = false
    /// How many wanted streams run.
    var running: Int32 = 0
    /// How many streams can be heard, as far as is known; and how many of these are no user interface sounds.
    var audible: Int32 = 0
    var audibleSounds: Int32 = 0
    /// How many wanted streams play and are loud enough to count (N13).
    var sounding: Int32 = 0
    /// How many streams record, and how many of these record from a muted input (N7).
    var captures: Int32 = 0
    var mutedCaptures: Int32 = 0
    /// Where the wanted playback is heard, and whether that is unknown of some of it (N27).
    private var knownZones: ZoneSet = []
    private var isSomewhere = false
    /// The highest priority of a wanted stream, and whether one that has it is a call and no ringing (R36, N8).
    var priority = Priority.normal
    var isCall = false

    /// Where the session is heard; empty if that is not known (N27).
    var zones: ZoneSet { isSomewhere ? [] : knownZones }

    /// N7: whether it records, and all its inputs are muted.
    var isInputMuted: Bool { captures > 0 && captures == mutedCaptures }

    /// Adds up the streams of each session.
    static func all(_ facts: Facts, _ applied: [Applied]) -> [Sums] {
        var result = [Sums](repeating: Sums(), count: facts.sessions.count)
        let (muted, pairs) = (facts.rules.policy.muted, facts.rules.call != nil)
        let streams = facts.streams
        for index in streams.indices {
            let isSettled = index < applied.count && applied[index].isSettled
            result[streams[index].session].add(index, streams, muted, isSettled: isSettled, pairs: pairs)
        }
        return result
    }

    private mutating func add(_ index: Int, _ streams: [Stream], _ muted: MutedStreams, isSettled: Bool, pairs: Bool) {
        let isUISound = streams[index].isUISound
        let isCapture = streams[index].direction == .capture
        count &+= 1
        if streams[index].isRunning, !isSettled {
            audible &+= 1
            if !isUISound { audibleSounds &+= 1 }
        }
        if isCapture {
            captures &+= 1
            if streams[index].isInputMuted { mutedCaptures &+= 1 }
        }
        all.add(index, streams, pairs: pairs)
        guard streams[index].isWanted(muted) else { return }
        wanted.add(index, streams, pairs: pairs)
        wantedCount &+= 1
        if streams[index].isRunning { running &+= 1 }
        if isUISound {
            wantedUISounds &+= 1
            if isCapture { hasUICapture = true }
        } else {
            if isCapture { wantedCaptures &+= 1 }
            rank(streams[index].described)
        }
        if isCapture { return }
        if streams[index].isSounding { sounding &+= 1 }
        if streams[index].zones.isEmpty { isSomewhere = true }
        knownZones.formUnion(streams[index].zones)
    }

    private mutating func rank(_ described: Described) {
        let priority = described.description.priority
        guard priority > .normal, priority >= self.priority else { return }
        let isCall = !described.description.isAlert
        self.isCall = priority == self.priority ? self.isCall || isCall : isCall
        self.priority = priority
    }
}

extension Sums.Saying {
    fileprivate mutating func add(_ index: Int, _ streams: [Stream], pairs: Bool) {
        if pairs, streams[index].callsAt == nil {
            if streams[index].described.has(.pairsPlaying) { plays = true }
            if streams[index].described.has(.pairsRecording) { records = true }
        }
        if strongest >= 0, streams[index].described === streams[Int(strongest)].described { return }
        if strongest < 0 || streams[index].described.isStronger(than: streams[Int(strongest)].described) {
            strongest = Int32(truncatingIfNeeded: index)
        }
    }
}
