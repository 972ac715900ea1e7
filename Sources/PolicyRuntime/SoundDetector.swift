import PolicyEngine

/// Tells sound from silence by the peaks of a stream (N13): sound begins after loud peaks for the attack, and ends
/// after none for the hold, so that neither a click nor a pause between two words counts.
struct SoundDetector {
    /// How long peaks must be loud before they count as sound.
    static let attack = Duration.milliseconds(40)

    private(set) var isSounding = false
    private var loudSince: Instant?
    private var lastLoud: Instant?

    /// Unless it is loud again.
    func end(_ rules: SoundingRules) -> Instant? { isSounding ? lastLoud?.advanced(by: rules.hold) : nil }

    /// `nil` is the passing of time. Returns whether sound has begun or ended.
    mutating func hear(_ peak: Double?, at now: Instant, _ rules: SoundingRules) -> Bool {
        let wasSounding = isSounding
        if let peak, LinearGain(peak) >= rules.above.linear, peak > 0 {
            let since = loudSince ?? now
            loudSince = since
            lastLoud = now
            if since.duration(to: now) >= SoundDetector.attack { isSounding = true }
        } else {
            if peak != nil { loudSince = nil }
            if let end = end(rules), end <= now { isSounding = false }
        }
        return isSounding != wasSounding
    }
}
