/// The counts of a session's streams, from one pass over all streams.
struct Sums: Sendable {
    struct Saying: Sendable {
        /// The stream with the strongest description (R1); −1 for none.
        var strongest: Int32 = -1
        /// The two halves of a call (N14).
        var plays = false
        var records = false
    }

    var count: Int32 = 0
    var wanted = Saying()
    var all = Saying()
    /// Of all wanted ones; of these, user interface sounds; of the rest, recordings.
    var wantedCount: Int32 = 0
    var wantedUISounds: Int32 = 0
    var wantedCaptures: Int32 = 0
    var hasUICapture = false
    var running: Int32 = 0
    /// As far as is known; and without user interface sounds.
    var audible: Int32 = 0
    var audibleSounds: Int32 = 0
    /// Of wanted playback (N13).
    var sounding: Int32 = 0
    /// All, and those with a muted input (N7).
    var captures: Int32 = 0
    var mutedCaptures: Int32 = 0
    /// Of wanted playback, and whether the place of some is unknown (N27).
    private var knownZones: ZoneSet = []
    private var isSomewhere = false
    /// The highest of the wanted streams, and whether one of these is a call and no ringing (R36, N8).
    var priority = Priority.normal
    var isCall = false

    /// Empty if unknown (N27).
    var zones: ZoneSet { isSomewhere ? [] : knownZones }

    /// N7: all inputs are muted.
    var isInputMuted: Bool { captures > 0 && captures == mutedCaptures }

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
