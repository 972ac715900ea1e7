/// Which description a stream or session has: an index into the ``Catalogue``, so that facts stay small and flat.
struct DescriptionID: Sendable, Hashable {
    /// The place in the catalogue, from 0.
    let rawValue: UInt16

    init(_ rawValue: Int) { self.rawValue = UInt16(truncatingIfNeeded: rawValue) }

    var index: Int { Int(rawValue) }
}

/// What a description does to another, in both orders of their activation.
struct PairActs: Sendable, Equatable {
    /// To one that was active before.
    var playing = Interplay.Kind.mix
    /// To one that is activated while it is heard.
    var newcomer = Interplay.Kind.mix
    /// Speech is stopped by it whoever came first (N1, N2).
    var stopsSpeech = false

    static let none = PairActs()
}

/// The descriptions in use, and who does what to whom for every pair of them.
///
/// What the policy itself says has always room: whatever applications make of it, with tags or opened sessions, shares the
/// rest.
struct Catalogue: Sendable, Equatable {
    /// The most different descriptions that can be in use at the same time.
    static let capacity = 256

    /// What the engine asks of a description again and again.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt16
        /// A sound of the interface (R13).
        static let interfaceSound = Traits(rawValue: 1 << 0)
        /// It can be heard, and does not mix (R77, N6).
        static let sounding = Traits(rawValue: 1 << 1)
        static let primary = Traits(rawValue: 1 << 2)
        /// It has no device (R23).
        static let deviceless = Traits(rawValue: 1 << 3)
        /// What it obeys (R15, R16, N16).
        static let obeysSilentSwitch = Traits(rawValue: 1 << 4)
        static let obeysScreenLock = Traits(rawValue: 1 << 5)
        static let disturbs = Traits(rawValue: 1 << 6)
        /// It waits until those that it interrupts are silent.
        static let waits = Traits(rawValue: 1 << 7)
        /// Those that it interrupted may resume when its streams end (R31).
        static let letsOthersResume = Traits(rawValue: 1 << 8)
        /// Speech that is stopped rather than spoken over (N1).
        static let speech = Traits(rawValue: 1 << 9)
        /// It does something to another description; lowers another.
        static let acts = Traits(rawValue: 1 << 10)
        static let ducks = Traits(rawValue: 1 << 11)
        /// Stops speech, whoever came first.
        static let stopsSpeech = Traits(rawValue: 1 << 12)
        /// It has the priority of a call (R36).
        static let call = Traits(rawValue: 1 << 13)
        /// Does not let another description begin (R8).
        static let rejects = Traits(rawValue: 1 << 14)
    }

    private struct Row: Sendable, Equatable {
        var description: SessionDescription
        /// The gain of those that it ducks.
        var gain: LinearGain
        /// It is none of the policy's own.
        var isGuest: Bool
    }

    private struct Pair: Sendable, Hashable {
        var actor: DescriptionID
        var other: DescriptionID
    }

    /// A policy in memory of its own. It would be more than half of an engine, and the compiler copies an engine wherever
    /// something that changes it asks it something.
    private final class Kept: Sendable, Equatable {
        let policy: Policy
        /// What the policy itself says that streams are.
        let own: Set<SessionDescription>

        init(_ policy: Policy) {
            self.policy = policy
            let others = [policy.untagged, policy.untaggedCapture ?? Policy.listener, policy.pairing]
            own = Set(policy.roles.values).union(others.compactMap { $0 })
        }

        static func == (left: Kept, right: Kept) -> Bool { left === right || left.policy == right.policy }
    }

    private let kept: Kept
    /// The policy that says who does what.
    var policy: Policy { kept.policy }
    private var rows: [Row] = []
    /// How many of them are none of the policy's own.
    private var guests = 0
    private var traits: [Traits] = []
    /// The upper nine bits of a claim: priority, then recordings (R21).
    private var weights: [UInt64] = []
    private var ids: [SessionDescription: DescriptionID] = [:]
    /// What is done to each description, by each of all that there is room for.
    private var acts: [PairActs] = []
    private var stride = 0
    /// Gains and times of pairs, where they are not the actor's own.
    private var ducking: [Pair: Ducking] = [:]
    private var fades: [Pair: Duration] = [:]
    /// A rule lets somebody not begin (R8).
    private(set) var hasRejections = false
    /// Somebody may speak (N1).
    private(set) var hasSpeech = false
    /// What an application is that plays and records without a role (N14).
    private(set) var pairing: DescriptionID?

    init(policy: Policy) {
        kept = Kept(policy)
        pairing = policy.pairing.flatMap { id(of: $0) { [] } }
    }

    /// The description behind an id; `nil` for an id of another catalogue.
    subscript(id: DescriptionID) -> SessionDescription? { row(id)?.description }

    /// Whether a description is in the catalogue, so that it needs no room.
    func has(_ description: SessionDescription) -> Bool { ids[description] != nil }

    /// The id of a description of this name, for explanations.
    func id(named name: String) -> DescriptionID? {
        rows.firstIndex { $0.description.name == name }.map { DescriptionID($0) }
    }

    /// The id of a description, which is taken in if need be; `nil` when there is no room.
    ///
    /// - Parameter inUse: Those to which anything still refers; asked only when there is no free place.
    mutating func id(of description: SessionDescription, inUse: () -> Set<DescriptionID>) -> DescriptionID? {
        if let id = ids[description] { return id }
        var place = rows.count
        let isGuest = !kept.own.contains(description)
        if place >= Catalogue.capacity || isGuest && guests >= roomForGuests {
            var used = inUse()
            if let pairing { used.insert(pairing) }
            // A guest takes a guest's place only.
            let free = rows.indices.first { (rows[$0].isGuest || !isGuest) && !used.contains(DescriptionID($0)) }
            guard let free else { return nil }
            place = free
            if rows[place].isGuest { guests -= 1 }
        }
        if isGuest { guests += 1 }
        let row = Row(description: description, gain: description.ducking.gain.linear, isGuest: isGuest)
        let weight = UInt64(description.priority.rawValue) << 1 | (description.precedesEquals ? 1 : 0)
        if place < rows.count {
            ids[rows[place].description] = nil
            rows[place] = row
            weights[place] = weight
        } else {
            rows.append(row)
            weights.append(weight)
            traits.append([])
            if rows.count > stride { makeRoom() }
        }
        let id = DescriptionID(place)
        ids[description] = id
        relate(id, description)
        return id
    }

    /// What is left beside the policy's own; half of all, whatever the policy says.
    private var roomForGuests: Int { Catalogue.capacity - min(kept.own.count, Catalogue.capacity / 2) }

    private mutating func makeRoom() {
        let wider = max(16, stride * 2)
        var table = [PairActs](repeating: .none, count: wider * wider)
        for victim in 0..<stride {
            for actor in 0..<stride { table[victim * wider + actor] = acts[victim * stride + actor] }
        }
        acts = table
        stride = wider
    }

    /// Enters what a new description and those that are there do to each other.
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
        for actor in rows.indices {
            var own = traits[actor].subtracting([.acts, .ducks, .stopsSpeech, .rejects])
            for victim in rows.indices {
                let pair = acts[victim * stride + actor]
                if pair != .none { own.insert(.acts) }
                if pair.newcomer == .reject {
                    own.insert(.rejects)
                    hasRejections = true
                }
                if pair.playing == .duck || pair.newcomer == .duck { own.insert(.ducks) }
                if pair.stopsSpeech { own.insert(.stopsSpeech) }
            }
            traits[actor] = own
        }
    }

    private func traits(of description: SessionDescription) -> Traits {
        let plays = description.category.playsSound
        // R36: no switch keeps phone and alarm silent.
        let obeys = !description.priority.overridesMixing
        let table: [(Traits, Bool)] = [
            (.interfaceSound, description.category == .uiSound), (.sounding, plays),
            (.primary, plays && !description.isMixable), (.deviceless, description.category == .audioProcessing),
            (.obeysSilentSwitch, obeys && policy.switches.silent.contains(description.category)),
            (.obeysScreenLock, obeys && policy.switches.locked.contains(description.category)),
            (.disturbs, obeys && policy.switches.undisturbed.contains(description.category)),
            (.waits, description.holdsOnHandover), (.letsOthersResume, description.letsOthersResume),
            (.speech, description.mode == .spokenAudio && plays), (.call, description.priority >= .phone),
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
        // R8: nothing that plays already is rejected.
        let kind = playing == .reject ? usual : playing ?? usual
        acts[other.index * stride + actor.index] = PairActs(
            playing: kind, newcomer: newcomer ?? kind,
            stopsSpeech: isSpeech && kind == .cork
                && (acting.interruptsSpokenAudio || rule?.playing?.kind == .duck))
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
        guard let kind, kind == .usual || kind == .mix || other.priority < .phone else { return nil }
        switch kind {
        case .usual: return Interplay.between(actor, and: other)
        case .mix: return .mix
        case .duck:
            guard other.category.playsSound else { return nil }
            // N1: speech is stopped rather than spoken over.
            let isStopped = other.mode == .spokenAudio && other.isInterruptible && actor.priority >= other.priority
            return isStopped ? .cork : .duck
        case .mute, .cork, .pausePlayer, .reject:
            guard actor.priority >= other.priority, other.isInterruptible else { return nil }
            // R13: a sound of the interface is dropped, not kept for later.
            return other.category == .uiSound ? .mute : kind
        }
    }

    private func row(_ id: DescriptionID) -> Row? { id.index < rows.count ? rows[id.index] : nil }

    // MARK: - Look-ups

    /// What a description does to another.
    func acts(of actor: DescriptionID, on victim: DescriptionID) -> PairActs {
        let place = victim.index * stride + actor.index
        return place < acts.count ? acts[place] : .none
    }

    func traits(of id: DescriptionID) -> Traits { id.index < traits.count ? traits[id.index] : [] }
    func weight(of id: DescriptionID) -> UInt64 { id.index < weights.count ? weights[id.index] : 0 }

    /// Which switch keeps a description from being heard; `nil` for none.
    func switchedOff(by switches: Switches, _ id: DescriptionID) -> Reason? {
        let traits = traits(of: id)
        if switches.isSilent && traits.contains(.obeysSilentSwitch) { return .silentSwitch }
        if switches.isLocked && traits.contains(.obeysScreenLock) { return .screenLock }
        if switches.isUndisturbed && traits.contains(.disturbs) { return .doNotDisturb }
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

    /// R1: whether a description speaks for its application rather than another of its streams' ones. Sounds of the
    /// interface come last (R13); then the order is that of priority, of mixing, and of the policy.
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

    /// What an application is whose streams have these descriptions (R1, N14); `nil` without any.
    func strongest(of descriptions: some Sequence<DescriptionID>) -> DescriptionID? {
        var best: DescriptionID?
        var plays = false
        var records = false
        for id in descriptions {
            if best.map({ isStronger(id, than: $0) }) ?? true { best = id }
            guard pairing != nil else { continue }
            if self[id] == policy.untagged { plays = true }
            if self[id] == policy.untaggedCapture ?? Policy.listener { records = true }
        }
        if let pairing, plays, records, let found = best, isStronger(pairing, than: found) { best = pairing }
        return best
    }
}
