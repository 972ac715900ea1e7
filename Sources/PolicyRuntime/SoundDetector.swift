import PolicyEngine

/// Tells sound from silence by the peaks of a stream (N13).
///
/// Sound begins when peaks have been loud for the attack, and ends when none has been loud for the hold, so that neither a
/// click nor a pause between two words counts.
struct SoundDetector {
    /// How long peaks must be loud before they count as sound.
    static let attack = Duration.milliseconds(40)

    private(set) var isSounding = false
    private var loudSince: Instant?
    private var lastLoud: Instant?

    /// When sound ends unless it is loud again; `nil` while there is none.
    func end(_ rules: SoundingRules) -> Instant? { isSounding ? lastLoud?.advanced(by: rules.hold) : nil }

    /// Takes a peak, or the passing of time without one (`nil`). Returns whether sound has begun or ended.
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
