import BusInterface

/// A situation as the interface's documentation describes its records: a call has stopped music, a navigator lowers a film.
enum Canned {
    /// The moment of all records, in microseconds since 1970: 2026-11-21 18:39:49.123 UTC.
    static let now: Int64 = 1_795_286_389_123_000

    static func session(
        _ id: UInt32, _ application: String, _ description: String, _ category: String, _ options: [String] = [],
        mode: String = "default", priority: UInt32 = 0, state: String, streams: [UInt32], path: String? = nil,
        displayName: String = ""
    ) -> WireValue {
        // Not in the order of the documentation: keys are put in order by the command.
        .record([
            ("state", .string(state)), ("id", .uint32(id)), ("application", .string(application)),
            ("display-name", .string(displayName)), ("kind", .string(path == nil ? "implicit" : "explicit")),
            ("description", .string(description)), ("category", .string(category)), ("options", .strings(options)),
            ("mode", .string(mode)), ("priority", .uint32(priority)),
            ("streams", .array(of: "u", streams.map { .uint32($0) })), ("path", .string(path ?? "")),
            ("by", .string(state == "interrupted" ? "Calls (phone)" : "")),
        ])
    }

    static func stream(
        _ id: UInt32, node: UInt32, _ application: String, process: UInt32, capture: Bool = false, session: UInt32,
        _ description: String, wanted: Bool = true, running: Bool = true, treatment: String = "untouched",
        gain: Double = 0, cause: String = "none", by: String = "", ago: Int64 = 0
    ) -> WireValue {
        .record([
            ("id", .uint32(id)), ("node", .uint32(node)), ("application", .string(application)),
            ("process", .uint32(process)), ("direction", .string(capture ? "capture" : "playback")),
            ("session", .uint32(session)), ("description", .string(description)), ("wanted", .boolean(wanted)),
            ("running", .boolean(running)), ("treatment", .string(treatment)), ("gain", .double(gain)),
            ("cause", .string(cause)), ("by", .string(by)),
            ("since", .uint64(UInt64(treatment == "untouched" ? 0 : now - ago * 1_000_000))),
        ])
    }

    static let sessions: [WireValue] = [
        session(1, "rhythmbox", "music", "playback", state: "interrupted", streams: [7], displayName: "Rhythmbox"),
        session(
            2, "org.gnome.Calls", "phone", "play-and-record", mode: "voice-chat", priority: 200, state: "active",
            streams: [8, 9], path: "/org/AudioSession1/session/2", displayName: "Calls"),
        session(3, "mpv", "video", "playback", ["mix-with-others"], state: "active", streams: [10]),
        session(
            4, "an-application-with-a-name-that-is-longer-than-lines-are", "navigation", "playback",
            ["duck-others", "interrupt-spoken-audio", "allow-bluetooth-a2dp"], mode: "voice-prompt", state: "active",
            streams: [11]),
        session(5, "evil\u{1B}[2J\n", "untagged", "playback", ["mix-with-others"], state: "inactive", streams: [12]),
        session(
            6, "Übung", "playback", "playback", state: "delayed", streams: [14], path: "/org/AudioSession1/session/6"),
    ]

    static let streams: [WireValue] = [
        stream(
            7, node: 41, "rhythmbox", process: 4711, session: 1, "music", running: false, treatment: "corked",
            gain: -.infinity, cause: "interrupted", by: "Calls (phone)", ago: 3),
        stream(8, node: 42, "org.gnome.Calls", process: 4712, session: 2, "phone"),
        stream(9, node: 43, "org.gnome.Calls", process: 4712, capture: true, session: 2, "phone", running: false),
        stream(
            10, node: 44, "mpv", process: 4713, session: 3, "video", treatment: "ducked", gain: -20, cause: "ducked",
            by: "navigator (navigation)", ago: 4000),
        stream(
            11, node: 45, "an-application-with-a-name-that-is-longer-than-lines-are", process: 4714, session: 4,
            "navigation"),
        stream(
            12, node: 46, "evil\u{1B}[2J\n", process: 4715, session: 5, "untagged", wanted: false, running: false,
            treatment: "player-paused", cause: "interrupted", by: "a caller with a name that goes on and on",
            ago: 500_000),
        stream(
            14, node: 48, "Übung", process: 4716, session: 6, "playback", treatment: "muted", cause: "silent",
            ago: 60),
        stream(
            13, node: 47, "stray", process: 0, capture: true, session: 99, "untagged-capture", wanted: false,
            running: false),
    ]

    static let leftAlone: [WireValue] = [
        .record([
            ("id", .uint32(15)), ("node", .uint32(49)), ("application", .string("Audacity")),
            ("process", .uint32(4717)),
            ("direction", .string("capture")), ("session", .uint32(0)), ("description", .string("")),
            ("treatment", .string("untouched")), ("running", .boolean(true)), ("wanted", .boolean(true)),
            ("known-by", .strings(["application.process.binary=audacity"])),
            (
                "left-alone",
                .string(
                    "its media.role is production: it is left alone (/usr/share/audio-session/policy.conf:7:5)")
            ),
        ])
    ]

    static func port(
        _ type: String, _ name: String, _ id: String, availability: String = "unknown", node: UInt32? = nil
    ) -> WireValue {
        .record(
            [
                ("availability", .string(availability)), ("id", .string(id)), ("name", .string(name)),
                ("type", .string(type)),
            ] + (node.map { [("node", .uint32($0))] } ?? []))
    }

    static func route(inputs: some Sequence<WireValue> = [], outputs: some Sequence<WireValue> = []) -> WireValue {
        .record([("inputs", .records(Array(inputs))), ("outputs", .records(Array(outputs)))])
    }

    /// The first one is in use.
    static let outputs: [WireValue] = [
        port("Headphones", "Headphones", "alsa_card.laptop/[Out] Headphones", availability: "yes", node: 50),
        port("BuiltInSpeaker", "Speakers", "alsa_card.laptop/[Out] Speaker", availability: "no", node: 50),
        port("HDMI", "Fernseher \u{1B}[2J in der Küche und noch ein langer Name", "alsa_card.laptop/[Out] HDMI1"),
    ]
    static let inputs: [WireValue] = [
        port("BuiltInMic", "Internal Microphone", "alsa_card.laptop/[In] Mic1", node: 51)
    ]

    /// What the tree says of the server of ``properties(silent:doNotDisturb:locked:pausedUntil:hasPorts:)``.
    static let limits = """
        Not in PulseAudio 16.1:
        |- card-buffer  what a card has taken comes out?[2J of the speaker
        `- preferred-sample-rate  a sink keeps its rate while it is open

        """

    static func properties(
        silent: Bool = true, doNotDisturb: Bool = false, locked: Bool = true, pausedUntil: UInt64 = 0,
        hasPorts: Bool = true
    ) -> [(String, WireValue)] {
        let (inputs, outputs) = hasPorts ? (Canned.inputs, Canned.outputs) : ([], [])
        return [
            ("Version", .string("1.2")), ("SchemaVersion", .uint32(2)), ("Server", .string("PulseAudio 16.1")),
            (
                "ServerLimits",
                .record([
                    ("preferred-sample-rate", .string("a sink keeps its rate while it is open")),
                    ("card-buffer", .string("what a card has taken comes out\u{1B}[2J of the speaker")),
                ])
            ),
            ("Policy", .string("desktop")),
            ("Silent", .boolean(silent)), ("DoNotDisturb", .boolean(doNotDisturb)), ("Locked", .boolean(locked)),
            ("PausedUntil", .uint64(pausedUntil)),
            ("CurrentRoute", route(inputs: inputs.prefix(1), outputs: outputs.prefix(1))),
            ("AvailableInputs", .records(inputs)), ("AvailableOutputs", .records(outputs)),
        ]
    }
}
