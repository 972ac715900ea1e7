import SessionCore

/// A value with where it was set; `nil` when that was the built-in preset.
struct Sourced<Value: Sendable>: Sendable {
    var value: Value
    var origin: Origin?

    init(_ value: Value, at origin: Origin? = nil) {
        self.value = value
        self.origin = origin
    }

    /// Takes another value, unless reading it failed.
    mutating func set(_ value: Value?, at origin: Origin) {
        if let value { self = Sourced(value, at: origin) }
    }
}

/// How others are ducked, as far as it is said: what is not comes from the defaults.
struct DuckingDraft: Sendable {
    static let keys = ["gain", "attack", "hold", "release"]

    var gain: Decibels?
    var attack: Duration?
    var hold: Duration?
    var release: Duration?

    init() {}

    /// What a preset says. It cannot tell "14 dB" from "as usual", which are 14 dB: the usual is meant.
    init(_ ducking: Ducking) {
        let usual = Ducking()
        gain = ducking.gain == usual.gain ? nil : ducking.gain
        attack = ducking.attack == usual.attack ? nil : ducking.attack
        hold = ducking.hold == usual.hold ? nil : ducking.hold
        release = ducking.release == usual.release ? nil : ducking.release
    }

    mutating func apply(_ node: Node, _ diagnosis: inout Diagnosis) {
        guard let object = diagnosis.object(node) else { return }
        for member in diagnosis.members(of: object, known: DuckingDraft.keys) {
            switch member.key.text {
            case "gain": gain = diagnosis.gain(member.value) ?? gain
            case "attack": attack = diagnosis.duration(member.value) ?? attack
            case "hold": hold = diagnosis.duration(member.value) ?? hold
            default: release = diagnosis.duration(member.value) ?? release
            }
        }
    }

    func ducking(otherwise defaults: DuckingDraft) -> Ducking {
        var ducking = Ducking()
        ducking.gain = gain ?? defaults.gain ?? ducking.gain
        ducking.attack = attack ?? defaults.attack ?? ducking.attack
        ducking.hold = hold ?? defaults.hold ?? ducking.hold
        ducking.release = release ?? defaults.release ?? ducking.release
        return ducking
    }
}

/// A session description on its way through the sources, with the origin of whatever a source said.
struct DescriptionDraft: Sendable {
    static let keys = [
        "category", "options", "mode", "priority", "duck", "fade", "handover", "resume", "release-delay",
        "interruptible",
    ]

    let name: String
    /// Where the description was first mentioned in a source; `nil` while only the preset did.
    private(set) var origin: Origin?
    /// `nil` when nothing has said it yet.
    private var category: Sourced<Category>?
    private var isCategoryWrong = false
    private var options: [Sourced<CategoryOptions>]
    private var mode: Sourced<Mode>
    private var priority: Sourced<Priority>
    private var ducking: DuckingDraft
    private var duckingOrigin: Origin?
    private var fade: Sourced<Duration>
    private var handover: Sourced<Handover>
    private var resumption: Sourced<Resumption>
    private var releaseDelay: Sourced<Duration>
    private var isInterruptible: Sourced<Bool>

    /// A draft that begins with what a preset says.
    init(_ preset: SessionDescription) {
        name = preset.name
        category = Sourced(preset.category)
        options = CategoryOptions.named.map(\.option).filter(preset.options.contains).map { Sourced($0) }
        mode = Sourced(preset.mode)
        priority = Sourced(preset.priority)
        ducking = DuckingDraft(preset.ducking)
        fade = Sourced(preset.fade)
        handover = Sourced(preset.handover)
        resumption = Sourced(preset.resumption)
        releaseDelay = Sourced(preset.releaseDelay)
        isInterruptible = Sourced(preset.isInterruptible)
    }

    /// A draft of something new, which has to be given a category.
    init(name: String) {
        self.init(SessionDescription(name: name, category: .ambient))
        category = nil
    }

    /// Takes over what an object says; keys that are not about the description are the caller's.
    mutating func apply(_ members: [Member], at place: Place, _ diagnosis: inout Diagnosis) {
        if origin == nil { origin = Origin(file: diagnosis.file, place: place) }
        for member in members {
            let node = member.value
            let origin = Origin(file: diagnosis.file, place: node.place)
            switch member.key.text {
            case "category":
                let value = diagnosis.word(node, of: .categories)
                if let value { category = Sourced(value, at: origin) }
                isCategoryWrong = value == nil
            case "options":
                if let read = diagnosis.options(node) {
                    options = read.map { Sourced($0.option, at: Origin(file: diagnosis.file, place: $0.place)) }
                }
            case "mode": mode.set(diagnosis.word(node, of: .modes), at: origin)
            case "priority": priority.set(diagnosis.priority(node), at: origin)
            case "duck":
                ducking.apply(node, &diagnosis)
                duckingOrigin = Origin(file: diagnosis.file, place: member.key.place)
            // Shorter fades click.
            case "fade": fade.set(diagnosis.duration(node, shortest: 10), at: origin)
            case "handover": handover.set(diagnosis.word(node, of: .handovers), at: origin)
            case "resume": resumption.set(diagnosis.word(node, of: .resumptions), at: origin)
            case "release-delay": releaseDelay.set(diagnosis.duration(node), at: origin)
            case "interruptible": isInterruptible.set(diagnosis.word(node, of: .truth), at: origin)
            default: break
            }
        }
    }

    /// The finished description, after a look at how its parts go together.
    ///
    /// - Parameters:
    ///   - defaults: What others are ducked by where the draft does not say it.
    ///   - meant: Which known name is most likely meant by a new one.
    ///   - isComplete: Whether every source could be read, so that what is not there is indeed missing.
    func finish(
        defaults: DuckingDraft, meant: (String) -> String?, isComplete: Bool, _ diagnosis: inout Diagnosis
    ) -> SessionDescription? {
        guard let category else {
            if let origin, isComplete, !isCategoryWrong {
                diagnosis.error(
                    at: origin, found: "'\(printable(name))', which is new, without a category",
                    expected: "category = …", nearest: meant(name))
            }
            return nil
        }
        // The preset's own parts fit; that they do not any more is the doing of what the file changed.
        func culprit(_ origin: Origin?) -> Origin? { origin ?? category.origin }

        if !isCategoryWrong {
            for option in options where !category.value.takes(option.value) {
                if let origin = culprit(option.origin) {
                    diagnosis.error(
                        at: origin, found: "the option \(option.value.word) with category \(category.value.rawValue)",
                        expected: "it with \(list(option.value.takers)) only")
                }
            }
            // A call that is held back loses words.
            if category.value == .playAndRecord, handover.value == .hold, let origin = culprit(handover.origin) {
                diagnosis.error(
                    at: origin, found: "handover hold with category play-and-record",
                    expected: "overlap, as a call must never be held back")
            }
            // R55: such a mode is no error.
            if !category.value.takes(mode.value), let origin = culprit(mode.origin) {
                diagnosis.warning(
                    at: origin, found: "mode \(mode.value.rawValue) with category \(category.value.rawValue)",
                    expected: "it with \(list(mode.value.takers)) only (it has no effect)")
            }
        }
        var description = SessionDescription(name: name, category: category.value)
        description.options = CategoryOptions(options.map(\.value))
        description.mode = mode.value
        description.priority = priority.value
        description.ducking = ducking.ducking(otherwise: defaults)
        description.fade = fade.value
        description.handover = handover.value
        description.resumption = resumption.value
        description.releaseDelay = releaseDelay.value
        description.isInterruptible = isInterruptible.value
        if let duckingOrigin, !description.ducksOthers {
            diagnosis.warning(
                at: duckingOrigin, found: "duck without the option duck-others",
                expected: "both (it has no effect)")
        }
        return description
    }
}

extension Category {
    /// Whether an option is valid for the category.
    fileprivate func takes(_ option: CategoryOptions) -> Bool {
        switch option {
        // R39: what always mixes need not ask.
        case .mixWithOthers: self == .playback || self == .playAndRecord
        // R40, R49: whatever is heard can duck.
        case .duckOthers: playsSound
        // R42
        case .defaultToSpeaker: self == .playAndRecord
        // R43
        case .allowBluetoothInput: self == .record || self == .playAndRecord
        default: true
        }
    }

    /// Whether a mode does anything in the category (R50–R53).
    fileprivate func takes(_ mode: Mode) -> Bool {
        switch mode {
        case .voiceChat: self == .playAndRecord
        case .videoRecording, .measurement: self == .record || self == .playAndRecord
        case .default, .spokenAudio, .voicePrompt, .moviePlayback, .videoChat, .gameChat: true
        }
    }
}

extension CategoryOptions {
    fileprivate var word: String { CategoryOptions.named.first { $0.option == self }?.name ?? "" }

    fileprivate var takers: [String] { Category.allCases.filter { $0.takes(self) }.map(\.rawValue) }
}

extension Mode {
    fileprivate var takers: [String] { Category.allCases.filter { $0.takes(self) }.map(\.rawValue) }
}
