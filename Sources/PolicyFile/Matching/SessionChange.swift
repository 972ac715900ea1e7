import SessionCore

/// Single things to be changed about a session description; `nil` leaves one as it is.
struct SessionChange: Sendable, Equatable {
    var category: Category?
    var options: CategoryOptions?
    var mode: Mode?
    var priority: Priority?
    var gain: Decibels?
    var attack: Duration?
    var hold: Duration?
    var release: Duration?
    var fade: Duration?
    var handover: Handover?
    var resumption: Resumption?
    var releaseDelay: Duration?
    var isInterruptible: Bool?
    var pausesPlayer: Bool?

    /// What a draft says.
    init(_ draft: DescriptionDraft) {
        category = draft.category?.value
        options = draft.options.map { CategoryOptions($0.map(\.value)) }
        mode = draft.mode?.value
        priority = draft.priority?.value
        gain = draft.ducking.gain?.value
        attack = draft.ducking.attack?.value
        hold = draft.ducking.hold?.value
        release = draft.ducking.release?.value
        fade = draft.fade?.value
        handover = draft.handover?.value
        resumption = draft.resumption?.value
        releaseDelay = draft.releaseDelay?.value
        isInterruptible = draft.isInterruptible?.value
        pausesPlayer = draft.pausesPlayer?.value
    }

    /// Changes a description.
    func apply(to description: inout SessionDescription) {
        description.category = category ?? description.category
        description.options = options ?? description.options
        description.mode = mode ?? description.mode
        description.priority = priority ?? description.priority
        description.ducking.gain = gain ?? description.ducking.gain
        description.ducking.attack = attack ?? description.ducking.attack
        description.ducking.hold = hold ?? description.ducking.hold
        description.ducking.release = release ?? description.ducking.release
        description.fade = fade ?? description.fade
        description.handover = handover ?? description.handover
        description.resumption = resumption ?? description.resumption
        description.releaseDelay = releaseDelay ?? description.releaseDelay
        description.isInterruptible = isInterruptible ?? description.isInterruptible
        description.pausesPlayer = pausesPlayer ?? description.pausesPlayer
    }

    /// The keys that change, for explanations.
    var keys: [String] {
        let all: [(key: String, changes: Bool)] = [
            ("category", category != nil), ("options", options != nil), ("mode", mode != nil),
            ("priority", priority != nil),
            ("duck", gain != nil || attack != nil || hold != nil || release != nil), ("fade", fade != nil),
            ("handover", handover != nil), ("resume", resumption != nil), ("release-delay", releaseDelay != nil),
            ("interruptible", isInterruptible != nil), ("pause-player", pausesPlayer != nil),
        ]
        return all.filter(\.changes).map(\.key)
    }
}
