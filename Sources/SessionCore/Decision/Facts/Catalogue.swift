/// The description of a stream or session as an index into the ``Catalogue``, which keeps facts small and flat.
struct DescriptionID: Sendable, Hashable {
    /// The index in the catalogue, from 0.
    let rawValue: UInt16

    init(_ rawValue: Int) { self.rawValue = UInt16(truncatingIfNeeded: rawValue) }

    var index: Int { Int(rawValue) }
}

/// What one description, the actor, does to another, for both orders of activation.
struct PairInterplay: Sendable, Equatable {
    /// The effect on a session that was active before the actor.
    var playing = Interplay.Kind.mix
    /// The effect on a session that is activated while the actor is heard.
    var newcomer = Interplay.Kind.mix
    /// Whether the actor stops speech, whichever of the two came first (N1, N2).
    var stopsSpeech = false
    /// Whether a session that was active before the actor, and one that was activated while it was heard, resumes after
    /// the actor whatever else that one silences: a rule of the policy has it lowered, and speech is stopped in place of
    /// that (N1, R31).
    var playingResumes = false
    var newcomerResumes = false

    static let none = PairInterplay()
}

/// The descriptions in use, and for every pair of them what each does to the other.
///
/// The policy's own descriptions always have room. Those that applications make, with tags or opened sessions, share
/// the rest.
struct Catalogue: Sendable, Equatable {
    /// The maximum number of different descriptions in use at the same time.
    static let capacity = 256

    /// The properties of a description that the engine reads most often.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt16
        /// A user interface sound (R13).
        static let interfaceSound = Traits(rawValue: 1 << 0)
        /// Plays sound (R77).
        static let sounding = Traits(rawValue: 1 << 1)
        /// Plays sound and does not mix (N6).
        static let primary = Traits(rawValue: 1 << 2)
        /// Has no audio device (R23).
        static let deviceless = Traits(rawValue: 1 << 3)
        /// Silenced by the silent switch (R15, R16).
        static let obeysSilentSwitch = Traits(rawValue: 1 << 4)
        /// Silenced by the screen lock (R15, R16).
        static let obeysScreenLock = Traits(rawValue: 1 << 5)
        /// Silenced by "do not disturb" (N16).
        static let obeysDoNotDisturb = Traits(rawValue: 1 << 6)
        /// Waits until the sessions that it interrupts are silent.
        static let holdsOnHandover = Traits(rawValue: 1 << 7)
        /// Lets the sessions that it interrupted resume when its streams end (R31).
        static let letsOthersResume = Traits(rawValue: 1 << 8)
        /// Speech, which is stopped rather than ducked (N1).
        static let speech = Traits(rawValue: 1 << 9)
        /// Affects another description.
        static let affectsOthers = Traits(rawValue: 1 << 10)
        /// Ducks another description.
        static let ducks = Traits(rawValue: 1 << 11)
        /// Stops speech, whichever of the two came first.
        static let stopsSpeech = Traits(rawValue: 1 << 12)
        /// Has the priority of a call, as ringing also does (R36).
        static let call = Traits(rawValue: 1 << 13)
        /// Does something to others only while it sounds (N13).
        static let actsWhileSounding = Traits(rawValue: 1 << 15)
    }

    private struct Row: Sendable, Equatable {
        var description: SessionDescription
        /// The gain of sessions that it ducks.
        var gain: LinearGain
        /// The level of its own streams (N23).
        var level: LinearGain
        /// Whether an application made it, rather than the policy.
        var isGuest: Bool
    }

    private struct Pair: Sendable, Hashable {
        var actor: DescriptionID
        var other: DescriptionID
    }

    /// A policy behind a reference. It would be more than half of an engine, and the compiler copies the engine
    /// wherever a mutating method calls one of the engine's queries.
    private final class PolicyBox: Sendable, Equatable {
        let policy: Policy
        /// The descriptions that the policy itself gives to streams.
        let own: Set<SessionDescription>

        init(_ policy: Policy) {
            self.policy = policy
            let others = [policy.untagged, policy.untaggedCapture ?? Policy.listener, policy.pairing]
            own = Set(policy.roles.values).union(others.compactMap { $0 })
        }

        static func == (left: PolicyBox, right: PolicyBox) -> Bool { left === right || left.policy == right.policy }
    }

    private let box: PolicyBox
    /// The policy that defines the effects between descriptions.
    var policy: Policy { box.policy }
    private var rows: [Row] = []
    /// The number of rows whose description an application made.
    private var guests = 0
    private var traits: [Traits] = []
    /// The upper nine bits of a claim: priority, then recordings (R21).
    private var weights: [UInt64] = []
    private var ids: [SessionDescription: DescriptionID] = [:]
    /// The effect of each description on each other: `stride` entries for each affected description.
    private var interplay: [PairInterplay] = []
    private var stride = 0
    /// Gains and times of pairs whose values differ from the actor's own.
    private var ducking: [Pair: Ducking] = [:]
    private var fades: [Pair: Duration] = [:]
    /// Whether a rule rejects some description (R8).
    private(set) var hasRejections = false
    /// Whether a description is speech (N1).
    private(set) var hasSpeech = false
    /// Whether a description has an output of its own (N23).
    private(set) var haveOutputs = false
    /// Whether a description does something to others only while it sounds (N13).
    private(set) var hasSounding = false
    /// Whether the policy has zones (N27).
    let hasZones: Bool
    /// The description of an application that plays and records without a role (N14).
    private(set) var pairing: DescriptionID?

    init(policy: Policy) {
        box = PolicyBox(policy)
        hasZones = !policy.zones.all.isEmpty
        pairing = policy.pairing.flatMap { id(of: $0) { [] } }
    }

    /// The description of an id; `nil` for an id of another catalogue.
    subscript(id: DescriptionID) -> SessionDescription? { row(id)?.description }

    /// Whether the catalogue has a description already, so that adding it needs no room.
    func has(_ description: SessionDescription) -> Bool { ids[description] != nil }

    /// The id of the first description with this name, for explanations.
    func id(named name: String) -> DescriptionID? {
        rows.firstIndex { $0.description.name == name }.map { DescriptionID($0) }
    }

    /// The id of a description. Adds the description if needed; `nil` if the catalogue is full.
    ///
    /// - Parameter inUse: Returns the ids that are still referred to; called only if there is no free row.
    mutating func id(of description: SessionDescription, inUse: () -> Set<DescriptionID>) -> DescriptionID? {
        if let id = ids[description] { return id }
        var position = rows.count
        let isGuest = !box.own.contains(description)
        if position >= Catalogue.capacity || isGuest && guests >= roomForGuests {
            var used = inUse()
            if let pairing { used.insert(pairing) }
            // An application's description may only replace another application's description.
            let free = rows.indices.first { (rows[$0].isGuest || !isGuest) && !used.contains(DescriptionID($0)) }
            guard let free else { return nil }
            position = free
            if rows[position].isGuest { guests -= 1 }
        }
        if isGuest { guests += 1 }
        let row = Row(
            description: description, gain: description.ducking.gain.linear, level: description.level.linear,
            isGuest: isGuest)
        let weight = UInt64(description.priority.rawValue) << 1 | (description.precedesEquals ? 1 : 0)
        if position < rows.count {
            ids[rows[position].description] = nil
            rows[position] = row
            weights[position] = weight
        } else {
            rows.append(row)
            weights.append(weight)
            traits.append([])
            if rows.count > stride { makeRoom() }
        }
        let id = DescriptionID(position)
        ids[description] = id
        relate(id, description)
        return id
    }

    /// The room left beside the policy's own descriptions; always at least half of the capacity.
    private var roomForGuests: Int { Catalogue.capacity - min(box.own.count, Catalogue.capacity / 2) }

    private mutating func makeRoom() {
        let wider = max(16, stride * 2)
        var table = [PairInterplay](repeating: .none, count: wider * wider)
        for victim in 0..<stride {
            for actor in 0..<stride { table[victim * wider + actor] = interplay[victim * stride + actor] }
        }
        interplay = table
        stride = wider
    }

    /// Computes the effects between a new description and all others.
    private mutating func relate(_ id: DescriptionID, _ description: SessionDescription) {
        ducking = ducking.filter { $0.key.actor != id && $0.key.other != id }
        fades = fades.filter { $0.key.actor != id && $0.key.other != id }
        for index in rows.indices {
            let other = DescriptionID(index)
            enter(actor: id, other: other)
            if other != id { enter(actor: other, other: id) }
        }
        traits[id.index] = traits(of: description)
        if traits[id.index].contains(.speech) { hasSpeech = true }
        if description.actsWhileSounding { hasSounding = true }
        if description.output != nil { haveOutputs = true }
        for actor in rows.indices {
            var own = traits[actor].subtracting([.affectsOthers, .ducks, .stopsSpeech])
            for victim in rows.indices {
                let pair = interplay[victim * stride + actor]
                if pair != .none { own.insert(.affectsOthers) }
                if pair.newcomer == .reject { hasRejections = true }
                if pair.playing == .duck || pair.newcomer == .duck { own.insert(.ducks) }
                if pair.stopsSpeech { own.insert(.stopsSpeech) }
            }
            traits[actor] = own
        }
    }

    private func traits(of description: SessionDescription) -> Traits {
        let plays = description.category.playsSound
        // R36: no switch silences calls and alarms.
        let obeys = !description.priority.overridesMixing
        let table: [(Traits, Bool)] = [
            (.interfaceSound, description.category == .uiSound), (.sounding, plays),
            (.primary, plays && !description.isMixable), (.deviceless, description.category == .audioProcessing),
            (.obeysSilentSwitch, obeys && policy.switches.silent.contains(description.category)),
            (.obeysScreenLock, obeys && policy.switches.locked.contains(description.category)),
            (.obeysDoNotDisturb, obeys && policy.switches.undisturbed.contains(description.category)),
            (.holdsOnHandover, description.holdsOnHandover), (.letsOthersResume, description.letsOthersResume),
            (.speech, description.mode == .spokenAudio && plays), (.call, description.priority >= .phone),
            (.actsWhileSounding, description.actsWhileSounding),
        ]
        return table.reduce(into: []) { if $1.1 { $0.insert($1.0) } }
    }

    private mutating func enter(actor: DescriptionID, other: DescriptionID) {
        guard let acting = row(actor)?.description, let victim = row(other)?.description else { return }
        let rule = acting.isOutsidePolicy ? nil : policy.interplay.rule(actor: acting, other: victim)
        let usual = Interplay.between(acting, and: victim)
        let playing = permitted(rule?.playing?.kind, acting, victim)
        let newcomer = permitted(rule?.newcomer?.kind, acting, victim)
        let isSpeech = victim.mode == .spokenAudio && victim.category.playsSound
        // R8: a session that is already playing is not rejected.
        let kind = playing == .reject ? usual : playing ?? usual
        let playingResumes = acting.resumption == .transient && playing != nil && rule?.playing?.kind == .duck
        let newcomerResumes = acting.resumption == .transient && rule?.newcomer?.kind == .duck
        interplay[other.index * stride + actor.index] = PairInterplay(
            playing: kind, newcomer: newcomer ?? kind,
            stopsSpeech: isSpeech && kind == .cork
                && (acting.interruptsSpokenAudio || rule?.playing?.kind == .duck),
            playingResumes: playingResumes, newcomerResumes: newcomer == nil ? playingResumes : newcomerResumes)
        let said = [rule?.playing, rule?.newcomer].compactMap { $0 }
        let pair = Pair(actor: actor, other: other)
        if let special = said.lazy.compactMap(\.ducking).first { ducking[pair] = special }
        if let special = said.lazy.compactMap(\.fade).first { fades[pair] = special }
    }

    /// The effect of a policy rule between two descriptions; `nil` if the rule is not allowed and the categories
    /// decide.
    private func permitted(
        _ kind: Interplay.Kind?, _ actor: SessionDescription, _ other: SessionDescription
    ) -> Interplay.Kind? {
        // R36, R45: no policy affects a phone call.
        guard let kind, kind == .usual || kind == .mix || other.priority < .phone else { return nil }
        switch kind {
        case .usual: return Interplay.between(actor, and: other)
        case .mix: return .mix
        case .duck:
            guard other.category.playsSound else { return nil }
            // N1: speech is stopped rather than ducked.
            let isStopped = other.mode == .spokenAudio && other.isInterruptible && actor.priority >= other.priority
            return isStopped ? .cork : .duck
        case .mute, .cork, .pausePlayer, .reject:
            guard actor.priority >= other.priority, other.isInterruptible else { return nil }
            // R13: a user interface sound is dropped, not kept for later.
            return other.category == .uiSound ? .mute : kind
        }
    }

    private func row(_ id: DescriptionID) -> Row? { id.index < rows.count ? rows[id.index] : nil }

    // MARK: - Look-ups

    /// What a description does to another.
    func interplay(of actor: DescriptionID, on victim: DescriptionID) -> PairInterplay {
        let position = victim.index * stride + actor.index
        return position < interplay.count ? interplay[position] : .none
    }

    func traits(of id: DescriptionID) -> Traits { id.index < traits.count ? traits[id.index] : [] }
    func weight(of id: DescriptionID) -> UInt64 { id.index < weights.count ? weights[id.index] : 0 }

    /// The switch that silences a description; `nil` for none.
    func switchedOff(by switches: Switches, _ id: DescriptionID) -> Reason? {
        let traits = traits(of: id)
        if switches.isSilent && traits.contains(.obeysSilentSwitch) { return .silentSwitch }
        if switches.isLocked && traits.contains(.obeysScreenLock) { return .screenLock }
        if switches.isUndisturbed && traits.contains(.obeysDoNotDisturb) { return .doNotDisturb }
        return nil
    }

    /// The gain to which one description lowers another.
    func gain(of ducker: DescriptionID, on other: DescriptionID) -> LinearGain {
        special(ducker, on: other)?.gain.linear ?? row(ducker)?.gain ?? .unity
    }

    /// The level of streams of a description (N23).
    func level(of id: DescriptionID) -> LinearGain { row(id)?.level ?? .unity }

    /// The gain and times with which one description lowers another.
    func ducking(of ducker: DescriptionID, on other: DescriptionID) -> Ducking? {
        special(ducker, on: other) ?? row(ducker)?.description.ducking
    }

    private func special(_ ducker: DescriptionID, on other: DescriptionID) -> Ducking? {
        ducking.isEmpty ? nil : ducking[Pair(actor: ducker, other: other)]
    }

    /// The time in which others fade for a session of this description.
    func fade(of id: DescriptionID) -> Duration { row(id)?.description.fade ?? .zero }

    /// The time in which one other description fades for this one.
    func fade(of id: DescriptionID, on other: DescriptionID) -> Duration {
        fades.isEmpty ? fade(of: id) : fades[Pair(actor: id, other: other)] ?? fade(of: id)
    }

    /// The time for which a session of this description outlives its last stream.
    func releaseDelay(of id: DescriptionID) -> Duration { row(id)?.description.releaseDelay ?? .zero }

    /// R1: whether the left description rather than the right one determines its application's session. User interface
    /// sounds come last (R13); then higher priority, then mixing less with others, then the policy's order decides.
    func isStronger(_ left: DescriptionID, than right: DescriptionID) -> Bool {
        guard let left = row(left)?.description, let right = row(right)?.description else { return false }
        func rank(_ description: SessionDescription) -> Int {
            let mixing = description.isMixable ? (description.ducksOthers ? 1 : 0) : 2
            return (description.category == .uiSound ? 0 : 1) << 16 | Int(description.priority.rawValue) << 8 | mixing
        }
        let ranks = (rank(left), rank(right))
        if ranks.0 != ranks.1 { return ranks.0 > ranks.1 }
        return policy.precedes(left, right)
    }

    /// The description of an application whose streams have these descriptions (R1, N14); `nil` if there are none.
    func strongest(of descriptions: some Sequence<DescriptionID>) -> DescriptionID? {
        var best: DescriptionID?
        var plays = false
        var records = false
        for id in descriptions {
            if best.map({ isStronger(id, than: $0) }) ?? true { best = id }
            guard pairing != nil, let description = self[id] else { continue }
            if description.isPaired {
                if description.name == Policy.untaggedCaptureName { records = true } else { plays = true }
            } else if policy.pairsUntagged {
                if description == policy.untagged { plays = true }
                if description == policy.untaggedCapture ?? Policy.listener { records = true }
            }
        }
        if let pairing, plays, records, let found = best, isStronger(pairing, than: found) { best = pairing }
        return best
    }
}
