/// Which description a stream or session has: an index into the ``Catalogue``, so that facts stay small and flat.
public struct DescriptionID: Sendable, Hashable {
    /// The place in the catalogue, from 0.
    public let rawValue: UInt8

    init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// In the place of another session: the output on which a session was heard has gone, and may come back (R64).
    package static let awaitedOutput = DescriptionID(254)
    /// The same, but it has not come back in time.
    package static let lostOutput = DescriptionID(253)
    /// In the place of another session: the route has changed under a recording (R64).
    package static let changedRoute = DescriptionID(252)
    /// In the place of another session: the input of a recording was muted by its user (N7).
    package static let mutedInput = DescriptionID(251)
    /// Whether it stands for an output or input, or for the route as a whole.
    var isOfRoute: Bool {
        self == .awaitedOutput || self == .lostOutput || self == .changedRoute || self == .mutedInput
    }

    /// The set that holds only this one; empty for what stands for no description.
    var bit: UInt64 { 1 << UInt64(truncatingIfNeeded: rawValue) }
}

/// The descriptions in use, and who does what to whom for every pair of them, as sets that fit a word each.
struct Catalogue: Sendable, Equatable {
    /// The most different descriptions that can be in use at the same time: sets of them are kept in one machine word.
    static let capacity = 64

    /// What others do to a description, as sets of their descriptions.
    struct Victim: Sendable, Equatable {
        /// Those that stop it where it is; that silence it in any way; that lower it; that do not let it begin.
        var corkers: UInt64 = 0
        var silencers: UInt64 = 0
        var duckers: UInt64 = 0
        var rejecters: UInt64 = 0
        /// Of the corkers, those that ask its player to pause first (N15).
        var pausers: UInt64 = 0
    }

    private struct Row: Sendable, Equatable {
        var description: SessionDescription
        /// What others do to it if they come later, and if it comes later.
        var playing = Victim()
        var newcomer = Victim()
        /// The upper nine bits of a claim: priority, then recordings (R21).
        var weight: UInt64
        /// The order among streams of one application (R1).
        var strength: Int
        /// The gain of those that it ducks.
        var gain: LinearGain
    }

    private struct Pair: Sendable, Hashable {
        var actor: DescriptionID
        var other: DescriptionID
    }

    /// The policy that says who does what.
    let policy: Policy
    private var rows: [Row] = []
    private var ids: [SessionDescription: DescriptionID] = [:]
    /// Gains and times of pairs, where they are not the actor's own.
    private var ducking: [Pair: Ducking] = [:]
    private var fades: [Pair: Duration] = [:]
    /// Which descriptions duck others at all.
    private(set) var duckers: UInt64 = 0
    /// Which descriptions do anything to others.
    private(set) var actors: UInt64 = 0
    /// Which descriptions are those of sounds of the interface.
    private(set) var interfaceSounds: UInt64 = 0
    /// Which descriptions are heard, and which of them do not mix (R77, N6).
    private(set) var sounding: UInt64 = 0
    private(set) var primaries: UInt64 = 0
    /// Which descriptions have no device (R23).
    private(set) var deviceless: UInt64 = 0
    /// Which descriptions obey the silent switch and the screen lock (R15, R16), and which are disturbing (N16).
    private var silentObeying: UInt64 = 0
    private var lockObeying: UInt64 = 0
    private var disturbing: UInt64 = 0
    /// Which descriptions wait until those that they interrupt are silent.
    private(set) var holders: UInt64 = 0
    /// Which descriptions take over from others for good (R31).
    private(set) var successors: UInt64 = 0
    /// Whether it ever matters who of two came first, beyond the order of claims.
    private(set) var dependsOnOrder = false
    /// What an application is that plays and records without a role (N14).
    private(set) var pairing: DescriptionID?
    /// The descriptions of streams without a role, playing and recording.
    private var untagged: UInt64 = 0
    private var untaggedCapture: UInt64 = 0

    init(policy: Policy) {
        self.policy = policy
        pairing = policy.pairing.flatMap { id(of: $0) }
    }

    /// Changes whenever a description is taken in: who does something to others may be another matter then.
    private(set) var version = 0

    /// Whether there is room only in the place of one that is not in use.
    var isFull: Bool { rows.count >= Catalogue.capacity }

    /// The description behind an id; `nil` for an id of another catalogue.
    subscript(id: DescriptionID) -> SessionDescription? { row(id)?.description }

    /// The id of a description that is in the catalogue.
    func id(named name: String) -> DescriptionID? {
        rows.firstIndex { $0.description.name == name }.map { DescriptionID(UInt8(truncatingIfNeeded: $0)) }
    }

    /// The id of a description, which is taken in if need be; `nil` when there is no room.
    ///
    /// - Parameter inUse: Those to which anything still refers; of interest when the catalogue is full.
    mutating func id(of description: SessionDescription, inUse: UInt64 = .max) -> DescriptionID? {
        if let id = ids[description] { return id }
        var place = rows.count
        if isFull {
            let free = ~(inUse | (pairing?.bit ?? 0))
            guard free != 0 else { return nil }
            place = free.trailingZeroBitCount
        }
        let id = DescriptionID(UInt8(truncatingIfNeeded: place))
        let row = Row(
            description: description,
            weight: UInt64(description.priority.rawValue) << 1 | (description.precedesEquals ? 1 : 0),
            strength: Self.strength(of: description, id), gain: description.ducking.gain.linear)
        if place < rows.count {
            ids[rows[place].description] = nil
            rows[place] = row
        } else {
            rows.append(row)
        }
        ids[description] = id
        version &+= 1
        relate(id, description)
        return id
    }

    /// Enters what a new description and those that are there do to each other.
    private mutating func relate(_ id: DescriptionID, _ description: SessionDescription) {
        ducking = ducking.filter { $0.key.actor != id && $0.key.other != id }
        fades = fades.filter { $0.key.actor != id && $0.key.other != id }
        for index in rows.indices {
            let other = DescriptionID(UInt8(truncatingIfNeeded: index))
            enter(actor: id, other: other)
            if other != id { enter(actor: other, other: id) }
        }
        func note(_ set: inout UInt64, _ belongs: Bool) { set = belongs ? set | id.bit : set & ~id.bit }
        note(&interfaceSounds, description.category == .uiSound)
        note(&sounding, description.category.playsSound)
        note(&primaries, description.category.playsSound && !description.isMixable)
        note(&deviceless, description.category == .audioProcessing)
        // R36: no switch keeps phone and alarm silent.
        let obeys = !description.priority.overridesMixing
        note(&silentObeying, obeys && policy.switches.silent.contains(description.category))
        note(&lockObeying, obeys && policy.switches.locked.contains(description.category))
        note(&disturbing, obeys && policy.switches.undisturbed.contains(description.category))
        note(&holders, description.holdsOnHandover)
        note(&successors, !description.letsOthersResume)
        note(&untagged, description == policy.untagged)
        note(&untaggedCapture, description == policy.untaggedCapture ?? Policy.listener)
        actors = 0
        duckers = 0
        dependsOnOrder = false
        for row in rows {
            let both = row.playing.duckers | row.newcomer.duckers
            actors |= both | row.playing.silencers | row.newcomer.silencers | row.newcomer.rejecters
            duckers |= both
            var newcomer = row.newcomer
            newcomer.rejecters = row.playing.rejecters
            if row.playing != newcomer { dependsOnOrder = true }
        }
        for ducker in rows.indices where rows[ducker].description.ducksOthers { duckers |= 1 << UInt64(ducker) }
    }

    private mutating func enter(actor: DescriptionID, other: DescriptionID) {
        guard let acting = row(actor)?.description, let victim = row(other)?.description else { return }
        let rule = policy.interplay.rule(actor: acting.name, other: victim.name)
        let usual = Interplay.between(acting, and: victim)
        let playing = permitted(rule?.playing?.kind, acting, victim)
        let newcomer = permitted(rule?.newcomer?.kind, acting, victim)
        let index = Int(other.rawValue)
        mark(playing == .reject ? usual : playing ?? usual, actor, &rows[index].playing)
        mark(newcomer ?? (playing == .reject ? usual : playing ?? usual), actor, &rows[index].newcomer)
        let said = [rule?.playing, rule?.newcomer].compactMap { $0 }
        let pair = Pair(actor: actor, other: other)
        if let special = said.lazy.compactMap(\.ducking).first { ducking[pair] = special }
        if let special = said.lazy.compactMap(\.fade).first { fades[pair] = special }
    }

    /// What becomes of a rule between two descriptions; `nil` where it cannot be and the categories decide.
    private func permitted(
        _ kind: Interplay.Kind?, _ actor: SessionDescription, _ other: SessionDescription
    ) -> Interplay.Kind? {
        // R36, R45: nothing is done to a phone, whatever a policy says.
        guard let kind, kind == .mix || other.priority < .phone else { return nil }
        switch kind {
        case .mix: return .mix
        case .duck: return other.category.playsSound ? .duck : nil
        case .mute, .cork, .pausePlayer, .reject:
            guard actor.priority >= other.priority, other.isInterruptible else { return nil }
            // R13: a sound of the interface is dropped, not kept for later.
            return other.category == .uiSound ? .mute : kind
        }
    }

    private func mark(_ kind: Interplay.Kind, _ actor: DescriptionID, _ victim: inout Victim) {
        func note(_ set: inout UInt64, _ belongs: Bool) { set = belongs ? set | actor.bit : set & ~actor.bit }
        note(&victim.corkers, kind == .cork || kind == .pausePlayer)
        note(&victim.silencers, kind.silences)
        note(&victim.pausers, kind == .pausePlayer)
        note(&victim.duckers, kind == .duck)
        note(&victim.rejecters, kind == .reject)
    }

    /// R1: of the descriptions of one application's streams, the strongest is the one that the session has. Sounds of the
    /// interface come last (R13), then the order is that of priority, of mixing and of the policy.
    private static func strength(of description: SessionDescription, _ id: DescriptionID) -> Int {
        let mixing = description.isMixable ? (description.ducksOthers ? 1 : 0) : 2
        return (description.category == .uiSound ? 0 : 1) << 24 | Int(description.priority.rawValue) << 16
            | mixing << 8 | (255 - Int(id.rawValue))
    }

    private func row(_ id: DescriptionID) -> Row? {
        let index = Int(id.rawValue)
        return index < rows.count ? rows[index] : nil
    }

    // MARK: - Look-ups

    /// What is done to one that was there before those who do it.
    func playing(_ id: DescriptionID) -> Victim {
        let index = Int(id.rawValue)
        return index < rows.count ? rows[index].playing : Victim()
    }
    /// What is done to one that came after those who do it.
    func newcomer(_ id: DescriptionID) -> Victim {
        let index = Int(id.rawValue)
        return index < rows.count ? rows[index].newcomer : Victim()
    }
    func weight(of id: DescriptionID) -> UInt64 {
        let index = Int(id.rawValue)
        return index < rows.count ? rows[index].weight : 0
    }

    /// Whether one is kept silent for good by another that took over from it (R31), or did not let it begin (R8).
    func isKept(_ id: DescriptionID, fromBeginning isRejected: Bool, by other: DescriptionID) -> Bool {
        // R64: what waits for its output or input does so whatever it is.
        if other.isOfRoute { return true }
        let others = isRejected ? newcomer(id).rejecters : playing(id).silencers & successors
        return others & other.bit != 0
    }

    /// Whether a description is in the catalogue, so that it needs no room.
    func has(_ description: SessionDescription) -> Bool { ids[description] != nil }

    /// Which switch keeps a description from being heard; `nil` for none.
    func switchedOff(by switches: Switches, _ id: DescriptionID) -> Cause? {
        if switches.isSilent && silentObeying & id.bit != 0 { return .silentSwitch }
        if switches.isLocked && lockObeying & id.bit != 0 { return .screenLock }
        if switches.isUndisturbed && disturbing & id.bit != 0 { return .doNotDisturb }
        return nil
    }

    /// How far a description lowers another.
    func gain(of ducker: DescriptionID, on other: DescriptionID) -> LinearGain {
        special(ducker, on: other)?.gain.linear ?? row(ducker)?.gain ?? .unity
    }

    /// How a description lowers another.
    func ducking(of ducker: DescriptionID, on other: DescriptionID) -> Ducking? {
        special(ducker, on: other) ?? row(ducker)?.description.ducking
    }

    private func special(_ ducker: DescriptionID, on other: DescriptionID) -> Ducking? {
        ducking.isEmpty ? nil : ducking[Pair(actor: ducker, other: other)]
    }

    /// How long others fade for a session of this description.
    func fade(of id: DescriptionID) -> Duration { row(id)?.description.fade ?? .zero }

    /// How long a certain other one fades for it.
    func fade(of id: DescriptionID, on other: DescriptionID) -> Duration {
        fades.isEmpty ? fade(of: id) : fades[Pair(actor: id, other: other)] ?? fade(of: id)
    }

    /// How long a session of this description outlives its last stream.
    func releaseDelay(of id: DescriptionID) -> Duration { row(id)?.description.releaseDelay ?? .zero }

    /// N10: of several duckers, the one that asks for the lowest level; they do not add up.
    func deepest(of descriptions: UInt64, on other: DescriptionID) -> DescriptionID? {
        var best: DescriptionID?
        var lowest = LinearGain.unity
        forEach(descriptions) { id in
            let gain = gain(of: id, on: other)
            if best == nil || gain < lowest {
                best = id
                lowest = gain
            }
        }
        return best
    }

    /// The strongest of a set of descriptions; `nil` for an empty one.
    func strongest(of descriptions: UInt64) -> DescriptionID? {
        var best: DescriptionID?
        var strength = -1
        forEach(descriptions) { id in
            if let row = row(id), row.strength > strength {
                best = id
                strength = row.strength
            }
        }
        return best
    }

    /// What an application is whose streams have these descriptions (R1, N14); `nil` without any.
    func description(of descriptions: UInt64) -> DescriptionID? {
        var all = descriptions
        if let pairing, descriptions & untagged != 0, descriptions & untaggedCapture != 0 { all |= pairing.bit }
        return strongest(of: all)
    }

    private func forEach(_ descriptions: UInt64, _ body: (DescriptionID) -> Void) {
        var rest = descriptions
        while rest != 0 {
            body(DescriptionID(UInt8(truncatingIfNeeded: rest.trailingZeroBitCount)))
            rest &= rest &- 1
        }
    }
}
