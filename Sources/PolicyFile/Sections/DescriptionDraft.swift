import SessionCore

/// A session description on its way through the sources, with the origin of whatever a source said. What nothing has said
/// is `nil`.
struct DescriptionDraft: Sendable {
    static let keys = [
        "category", "options", "mode", "priority", "duck", "fade", "handover", "resume", "release-delay",
        "interruptible", "pause-player",
    ]

    let name: String
    /// Where the description was first mentioned in a source; `nil` while only the preset did.
    private(set) var origin: Origin?
    private(set) var category: Sourced<Category>?
    private(set) var options: [Sourced<CategoryOptions>]?
    private(set) var mode: Sourced<Mode>?
    private(set) var priority: Sourced<Priority>?
    private(set) var ducking = DuckingDraft()
    private(set) var duckingOrigin: Origin?
    private(set) var fade: Sourced<Duration>?
    private(set) var handover: Sourced<Handover>?
    private(set) var resumption: Sourced<Resumption>?
    private(set) var releaseDelay: Sourced<Duration>?
    private(set) var isInterruptible: Sourced<Bool>?
    private(set) var pausesPlayer: Sourced<Bool>?
    private(set) var isCategoryWrong = false

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
        pausesPlayer = Sourced(preset.pausesPlayer)
    }

    /// A draft of something new, of which nothing is known yet.
    init(name: String) { self.name = name }

    /// Takes over what an object says; keys that are not about the description are the caller's.
    mutating func apply(_ members: [Member], at place: Place, _ diagnosis: inout Diagnosis) {
        if origin == nil { origin = Origin(file: diagnosis.file, place: place) }
        for member in members {
            let node = member.value
            let origin = Origin(file: diagnosis.file, place: node.place)
            switch member.key.text {
            case "category":
                let value = diagnosis.word(node, of: .categories)
                category.set(value, at: origin)
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
            case "pause-player": pausesPlayer.set(diagnosis.word(node, of: .truth), at: origin)
            default: break
            }
        }
    }

    /// Takes over what another draft says.
    mutating func overlay(_ other: DescriptionDraft) {
        category = other.category ?? category
        options = other.options ?? options
        mode = other.mode ?? mode
        priority = other.priority ?? priority
        ducking.overlay(other.ducking)
        duckingOrigin = other.duckingOrigin ?? duckingOrigin
        fade = other.fade ?? fade
        handover = other.handover ?? handover
        resumption = other.resumption ?? resumption
        releaseDelay = other.releaseDelay ?? releaseDelay
        isInterruptible = other.isInterruptible ?? isInterruptible
        pausesPlayer = other.pausesPlayer ?? pausesPlayer
        isCategoryWrong = isCategoryWrong || other.isCategoryWrong
    }

    /// The finished description; `nil` while it has no category.
    ///
    /// - Parameter defaults: What others are ducked by where the draft does not say it.
    func description(defaults: DuckingDraft) -> SessionDescription? {
        guard let category else { return nil }
        var description = SessionDescription(name: name, category: category.value)
        defaults.change(&description.ducking)
        SessionChange(self).apply(to: &description)
        return description
    }
}
