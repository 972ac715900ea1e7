/// What one session does to another while both want to be heard.
public enum Interplay: Sendable, Hashable {
    /// Nothing.
    case mix
    /// The other is lowered.
    case duck
    /// The other is made silent and misses what it would have played: sounds of the interface.
    case mute
    /// The other is stopped where it is, and goes on from there.
    case cork

    /// What a session does to another, when its claim is the stronger one.
    ///
    /// - Parameters:
    ///   - actor: The session with the stronger claim: the higher priority or, between equals, the later activation.
    ///   - other: The session that it meets.
    public static func between(_ actor: SessionDescription, and other: SessionDescription) -> Interplay {
        // R36: nothing lowers the phone. R20: what has no device is not heard anyway.
        if other.priority >= .phone || actor.category == .audioProcessing { return .mix }
        // R13: sounds of the interface neither interrupt …
        if actor.category == .uiSound { return actor.ducksOthers && other.category.playsSound ? .duck : .mix }
        // R22: … nor are they interrupted, except by a recording, which they would spoil.
        if other.category == .uiSound {
            return actor.category == .record ? .mute : (actor.ducksOthers ? .duck : .mix)
        }
        if !other.isInterruptible { return actor.ducksOthers ? .duck : .mix }
        // R36: phone and alarm interrupt whatever is below them, mixable or not.
        if actor.priority.overridesMixing && actor.priority > other.priority { return .cork }
        // R21: a recording silences all playback.
        if actor.category == .record && !actor.isMixable && other.category.playsSound
            && actor.priority >= other.priority
        {
            return .cork
        }
        // R40, R45, R49: a ducking session is mixable, and lowers all that can be heard.
        if actor.ducksOthers { return other.category.playsSound ? .duck : .mix }
        // R28: one mixable side is enough.
        if actor.isMixable || other.isMixable { return .mix }
        return .cork
    }
}
