import SessionCore

/// How others are ducked, as far as it is said: what is not comes from the defaults.
struct DuckingDraft: Sendable {
    static let keys = ["gain", "attack", "hold", "release"]

    var gain: Sourced<Decibels>?
    var attack: Sourced<Duration>?
    var hold: Sourced<Duration>?
    var release: Sourced<Duration>?

    init() {}

    /// What a preset says. It cannot tell "14 dB" from "as usual", which are 14 dB: the usual is meant.
    init(_ ducking: Ducking) {
        let usual = Ducking()
        gain = ducking.gain == usual.gain ? nil : Sourced(ducking.gain)
        attack = ducking.attack == usual.attack ? nil : Sourced(ducking.attack)
        hold = ducking.hold == usual.hold ? nil : Sourced(ducking.hold)
        release = ducking.release == usual.release ? nil : Sourced(ducking.release)
    }

    /// What is built in.
    static var usual: DuckingDraft {
        let usual = Ducking()
        var draft = DuckingDraft()
        draft.gain = Sourced(usual.gain)
        draft.attack = Sourced(usual.attack)
        draft.hold = Sourced(usual.hold)
        draft.release = Sourced(usual.release)
        return draft
    }

    /// Whether nothing is said.
    var isEmpty: Bool { gain == nil && attack == nil && hold == nil && release == nil }

    /// Where the first part was said that a file says.
    var origins: [Origin] { [gain?.origin, attack?.origin, hold?.origin, release?.origin].compactMap { $0 } }

    /// Reads an object.
    mutating func apply(_ node: Node, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: DuckingDraft.keys) { apply(member, &diagnosis) }
    }

    /// Reads one of the ``keys``.
    mutating func apply(_ member: Member, _ diagnosis: inout Diagnosis) {
        let origin = Origin(file: diagnosis.file, place: member.value.place)
        switch member.key.text {
        case "gain": gain.set(diagnosis.gain(member.value), at: origin)
        case "attack": attack.set(diagnosis.duration(member.value), at: origin)
        case "hold": hold.set(diagnosis.duration(member.value), at: origin)
        default: release.set(diagnosis.duration(member.value), at: origin)
        }
    }

    /// Takes over what another draft says.
    mutating func overlay(_ other: DuckingDraft) {
        gain = other.gain ?? gain
        attack = other.attack ?? attack
        hold = other.hold ?? hold
        release = other.release ?? release
    }

    /// Changes what is said here.
    func change(_ ducking: inout Ducking) {
        ducking.gain = gain?.value ?? ducking.gain
        ducking.attack = attack?.value ?? ducking.attack
        ducking.hold = hold?.value ?? ducking.hold
        ducking.release = release?.value ?? ducking.release
    }

    /// The whole, with the defaults for what is not said.
    func ducking(otherwise defaults: DuckingDraft) -> Ducking {
        var ducking = Ducking()
        defaults.change(&ducking)
        change(&ducking)
        return ducking
    }
}
