import PolicyEngine

/// The draft of how others are ducked. Values that are not set come from the defaults.
struct DuckingDraft: Sendable {
    static let keys = ["gain", "attack", "hold", "release"]

    var gain: Sourced<Decibels>?
    var attack: Sourced<Duration>?
    var hold: Sourced<Duration>?
    var release: Sourced<Duration>?

    init() {}

    /// Creates a draft from a preset. A preset's value that equals the usual one counts as not set, because the two
    /// cannot be told apart.
    init(_ ducking: Ducking) {
        let usual = Ducking()
        gain = ducking.gain == usual.gain ? nil : Sourced(ducking.gain)
        attack = ducking.attack == usual.attack ? nil : Sourced(ducking.attack)
        hold = ducking.hold == usual.hold ? nil : Sourced(ducking.hold)
        release = ducking.release == usual.release ? nil : Sourced(ducking.release)
    }

    /// The built-in values.
    static var usual: DuckingDraft {
        let usual = Ducking()
        var draft = DuckingDraft()
        draft.gain = Sourced(usual.gain)
        draft.attack = Sourced(usual.attack)
        draft.hold = Sourced(usual.hold)
        draft.release = Sourced(usual.release)
        return draft
    }

    /// Whether no value is set.
    var isEmpty: Bool { gain == nil && attack == nil && hold == nil && release == nil }

    /// Reads an object and merges it.
    mutating func apply(_ node: Node, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: DuckingDraft.keys) { apply(member, &diagnosis) }
    }

    /// Reads and merges one of the ``keys``.
    mutating func apply(_ member: Member, _ diagnosis: inout Diagnosis) {
        let origin = Origin(file: diagnosis.file, place: member.value.place)
        switch member.key.text {
        case "gain": gain.set(diagnosis.gain(member.value), at: origin)
        case "attack": attack.set(diagnosis.duration(member.value), at: origin)
        case "hold": hold.set(diagnosis.duration(member.value), at: origin)
        default: release.set(diagnosis.duration(member.value), at: origin)
        }
    }

    /// Merges another draft over this one.
    mutating func overlay(_ other: DuckingDraft) {
        gain = other.gain ?? gain
        attack = other.attack ?? attack
        hold = other.hold ?? hold
        release = other.release ?? release
    }

    /// Applies the values that are set.
    func change(_ ducking: inout Ducking) {
        ducking.gain = gain?.value ?? ducking.gain
        ducking.attack = attack?.value ?? ducking.attack
        ducking.hold = hold?.value ?? ducking.hold
        ducking.release = release?.value ?? ducking.release
    }

    /// The finished ducking, with defaults for values that are not set.
    func ducking(otherwise defaults: DuckingDraft) -> Ducking {
        var ducking = Ducking()
        defaults.change(&ducking)
        change(&ducking)
        return ducking
    }
}

extension DuckingDraft: Equatable {
    /// Whether both drafts set the same values, whatever the origins of these.
    static func == (left: DuckingDraft, right: DuckingDraft) -> Bool {
        left.gain?.value == right.gain?.value && left.attack?.value == right.attack?.value
            && left.hold?.value == right.hold?.value && left.release?.value == right.release?.value
    }
}
