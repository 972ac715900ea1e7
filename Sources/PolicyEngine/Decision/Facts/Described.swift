/// A description with what is read from it most often, computed once where a description is set.
final class Described: Sendable, Equatable {
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt32
        /// A user interface sound (R13).
        static let uiSound = Traits(rawValue: 1 << 0)
        /// Plays sound (R77).
        static let plays = Traits(rawValue: 1 << 1)
        /// Plays sound and does not mix (N6).
        static let isPrimary = Traits(rawValue: 1 << 2)
        /// Has no audio device (R23).
        static let hasNoDevice = Traits(rawValue: 1 << 3)
        /// Waits until its victims are silent (R37); a call never does (R19).
        static let waitsForSilence = Traits(rawValue: 1 << 7)
        /// Lets its victims resume, where its streams drive it (R31).
        static let letsOthersResume = Traits(rawValue: 1 << 8)
        /// Speech, which is stopped rather than lowered (N1).
        static let isSpeech = Traits(rawValue: 1 << 9)
        /// Can affect others at all.
        static let acts = Traits(rawValue: 1 << 10)
        /// Has the priority of a call, which nothing silences (R36).
        static let isCall = Traits(rawValue: 1 << 11)
        /// Goes on elsewhere when its output is lost (R64).
        static let goesOnElsewhere = Traits(rawValue: 1 << 12)
        /// Affects others only while it sounds (N13).
        static let actsWhileSounding = Traits(rawValue: 1 << 13)
        /// With the other of the two in one application, makes a call (N14).
        static let pairsPlaying = Traits(rawValue: 1 << 14)
        static let pairsRecording = Traits(rawValue: 1 << 15)
    }

    let description: SessionDescription
    let traits: Traits
    /// The upper part of a claim: the priority, then whether it only records (R36, R21).
    let weight: UInt64
    /// The strength in its application: no user interface sound, the priority, how little it mixes (R1).
    let strength: Int
    /// Its place in the policy's order (R1).
    let order: Int
    /// The policy's rules in which this description is the actor's.
    let rules: [InterplayRules.Meeting]
    /// The level of its own streams (N23), and that of the streams that it lowers (N10).
    let level: LinearGain
    let gain: LinearGain

    init(_ description: SessionDescription, _ rules: Rules) {
        self.description = description
        let plays = description.category.playsSound
        weight = UInt64(description.priority.rawValue) << 1 | (description.precedesEquals ? 1 : 0)
        let mixing = description.isMixable ? (description.ducksOthers ? 1 : 0) : 2
        strength =
            (description.category == .uiSound ? 0 : 1) << 16 | Int(description.priority.rawValue) << 8 | mixing
        order = rules.ranks[description.name] ?? rules.ranks.count
        self.rules = rules.rules(of: description)
        level = description.level.linear
        gain = description.ducking.gain.linear
        let table: [(Traits, Bool)] = [
            (.uiSound, description.category == .uiSound), (.plays, plays),
            (.isPrimary, plays && !description.isMixable), (.hasNoDevice, description.category == .audioProcessing),
            (.waitsForSilence, description.holdsOnHandover), (.letsOthersResume, description.letsOthersResume),
            (.isSpeech, description.mode == .spokenAudio && plays), (.isCall, description.priority >= .phone),
            (.acts, rules.lets(act: description)), (.goesOnElsewhere, description.goesOnElsewhere),
            (.actsWhileSounding, description.actsWhileSounding),
            (.pairsPlaying, rules.pairs(description, as: .playback)),
            (.pairsRecording, rules.pairs(description, as: .capture)),
        ]
        traits = table.reduce(into: []) { if $1.1 { $0.insert($1.0) } }
    }

    static func == (one: Described, other: Described) -> Bool {
        one === other || one.description == other.description
    }

    /// R1: the strongest description is that of an application's session.
    func isStronger(than other: Described) -> Bool {
        if strength != other.strength { return strength > other.strength }
        if order != other.order { return order < other.order }
        let (one, other) = (description, other.description)
        return (one.name, one.category.rawValue) < (other.name, other.category.rawValue)
    }

    func has(_ trait: Traits) -> Bool { traits.contains(trait) }
}
