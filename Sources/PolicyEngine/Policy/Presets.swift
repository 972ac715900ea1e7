extension Policy {
    /// The policy for a desktop. It also replaces a policy that cannot be read.
    ///
    /// Untagged streams mix. Phone and alarm cork playback and ambient. Accessibility, navigation and voice prompts
    /// duck by 20 dB, dictation by 30 dB. Notifications are sounds of the interface. Recordings are left alone.
    public static let desktop = Policy(.desktop)

    /// The phone's behaviour: untagged streams are solo-ambient, playback does not mix, an
    /// untagged recording is a record session.
    public static let phone = Policy(.phone)

    private init(_ preset: Preset) { self = preset.policy }
}

/// The parts of a policy under the names that policy files use, so that a file can change one of them.
public struct Preset: Sendable, Equatable {
    /// The preset's name.
    public var name: String
    /// Descriptions by canonical role, e.g. `phone`.
    public var roles: [String: SessionDescription]
    /// Other spellings, from alias to canonical role, e.g. `communication` to `phone`.
    public var aliases: [String: String]
    /// Roles that are left alone.
    public var unmanaged: Set<String>
    /// The description of a playback stream without a known role (R2); `nil` leaves the stream alone.
    public var untagged: SessionDescription?
    /// The description of a capture stream without a known role (R2); `nil` leaves the stream alone.
    public var untaggedCapture: SessionDescription?

    /// The rules for pairs of sessions.
    public var interplay = InterplayRules()
    /// The role of an application that plays and records without one (N14); `nil` for none.
    public var pairing: String?

    /// What the user's switches silence (N16).
    public var switches = SwitchRules()
    /// The rules for outputs that are removed and come back (R64).
    public var routes = RouteRules()
    /// How long interruptions last beyond their cause (N17).
    public var interruptions = InterruptionRules()
    /// What follows when a user wants to hear what the policy keeps silent (N19).
    public var user = UserRules()
    /// What muted streams do to others (N24).
    public var muted = MutedStreams.ignore
    /// What counts as sound (N13).
    public var sounding = SoundingRules()
    /// The zones (N27).
    public var zones = Zones()
    /// What people are told of on the desktop.
    public var notified: Set<Notified> = []
    /// The default ducking, for descriptions that give no other.
    public var ducking = Ducking()
    /// What to do with a server's own modules of the same purpose.
    public var stockModules = StockModules.unload

    /// The order of roles: in an application with several equally strong ones, the first counts (R1).
    public var order: [String] = []

    /// The policy of this preset.
    public var policy: Policy {
        var byRole: [Role: SessionDescription] = [:]
        for (name, description) in roles {
            if let role = Role(name) { byRole[role] = description }
        }
        for (alias, name) in aliases {
            if let role = Role(alias), let description = roles[name] { byRole[role] = description }
        }
        return Policy(
            name: name, roles: byRole, unmanagedRoles: Set(unmanaged.compactMap { Role($0) }), untagged: untagged,
            untaggedCapture: untaggedCapture, interplay: interplay, pairing: roles[pairing ?? Preset.call],
            pairsUntagged: pairing != nil,
            switches: switches, routes: routes, interruptions: interruptions, user: user, muted: muted,
            sounding: sounding, zones: zones, notified: notified,
            ducking: ducking, stockModules: stockModules, order: order)
    }

    /// The role of a call, which applications that play and record are in unless the policy names another one (N14).
    public static let call = "phone"

    /// The presets that are built in, by name.
    public static let all: [String: Preset] = ["desktop": desktop, "phone": phone]

    /// The other role names of PulseAudio and PipeWire, with the roles that they stand for.
    private static let commonAliases = [
        "communication": "phone", "call": "phone", "ringing": "ringtone", "a11y": "accessibility",
        "voice-prompt": "prompt", "event": "notification", "alert": "notification", "movie": "video",
    ]
    private static let commonOrder = [
        "phone", "ringtone", "alarm", "accessibility", "navigation", "prompt", "dictation", "notification", "music",
        "video", "game",
        "animation",
    ]
    private static let commonUnmanaged: Set<String> = ["production", "dsp", "test"]

    /// The ducking under speech. 20 dB above the background, speech is easy to follow.
    static let underSpeech = Ducking(gain: Decibels(-20))
    /// Low enough for a microphone beside a loudspeaker.
    private static let underDictation = Ducking(gain: Decibels(-30))
    /// Of a call that does not wait, half of the music is gone after 27 ms, and 20 dB after 42 ms.
    private static let systemFade = Duration.milliseconds(80)

    /// See ``Policy/desktop``.
    public static let desktop = Preset(
        name: "desktop",
        roles: systemRoles.merging([
            // Nobody's place in a film is lost.
            "dictation": SessionDescription(
                name: "dictation", category: .playAndRecord, options: .duckOthers,
                ducking: underDictation, isInterruptible: false),
            "music": SessionDescription(
                name: "music", category: .playback, options: .mixWithOthers, pausesPlayer: true),
            "video": SessionDescription(
                name: "video", category: .playback, options: .mixWithOthers, mode: .moviePlayback,
                pausesPlayer: true),
            "game": SessionDescription(name: "game", category: .ambient),
            "animation": SessionDescription(name: "animation", category: .ambient),
        ]) { _, new in new },
        aliases: commonAliases,
        unmanaged: commonUnmanaged,
        // Not ambient: the screen lock would stop the music of every browser and player without a role.
        untagged: SessionDescription(
            name: "untagged", category: .playback, options: .mixWithOthers, pausesPlayer: true),
        untaggedCapture: nil, order: commonOrder)

    /// See ``Policy/phone``.
    public static let phone = Preset(
        name: "phone",
        roles: systemRoles.merging([
            "dictation": SessionDescription(
                name: "dictation", category: .record, ducking: underDictation, isInterruptible: false),
            "music": SessionDescription(name: "music", category: .playback, pausesPlayer: true),
            "video": SessionDescription(
                name: "video", category: .playback, mode: .moviePlayback, pausesPlayer: true),
            "game": SessionDescription(name: "game", category: .soloAmbient),
            "animation": SessionDescription(name: "animation", category: .ambient),
        ]) { _, new in new },
        aliases: commonAliases,
        unmanaged: commonUnmanaged,
        untagged: SessionDescription(name: "untagged", category: .soloAmbient, pausesPlayer: true),
        untaggedCapture: SessionDescription(name: "untagged-capture", category: .record),
        routes: RouteRules(stopsRecording: .anyChange),
        // As on the phone, where no player begins during a call.
        user: UserRules(play: .wait, unmute: .wait, raise: .wait), order: commonOrder)

    /// The roles that both presets share: the system's own sounds and spoken prompts.
    private static let systemRoles: [String: SessionDescription] = [
        "phone": SessionDescription(
            name: "phone", category: .playAndRecord, mode: .voiceChat, priority: .phone, fade: systemFade),
        "ringtone": SessionDescription(
            name: "ringtone", category: .playback, priority: .phone, fade: systemFade, handover: .hold),
        "alarm": SessionDescription(
            name: "alarm", category: .playback, priority: .alarm, fade: systemFade, handover: .hold),
        // Without the screen reader, its user could not hang up a call.
        "accessibility": SessionDescription(
            name: "accessibility", category: .playback, options: .duckOthers, mode: .spokenAudio, ducking: underSpeech,
            isInterruptible: false),
        "navigation": SessionDescription(
            name: "navigation", category: .playback, options: .duckOthers, mode: .voicePrompt, ducking: underSpeech),
        "prompt": SessionDescription(
            name: "prompt", category: .playback, options: .duckOthers, mode: .voicePrompt, ducking: underSpeech),
        "notification": SessionDescription(name: "notification", category: .uiSound),
    ]
}
