extension WireInterface {
    /// `org.AudioSession1.Manager`, at `/org/AudioSession1`.
    public static let manager = WireInterface(
        AudioSessionBus.managerInterface,
        """
        Audio sessions: what applications' sound is for, who may be heard, and who is told when it is interrupted.

        Open a session and activate it:
          gdbus call --session -d org.AudioSession1 -o /org/AudioSession1 -m org.AudioSession1.Manager.OpenSession \
        "{'display-name': <'My player'>}"
        A session ends with the connection that opened it, so it takes a program that stays. In Python:
          manager = dbus.Interface(bus.get_object('org.AudioSession1', '/org/AudioSession1'), 'org.AudioSession1.Manager')
          path = manager.OpenSession({'display-name': 'My player'})
          session = dbus.Interface(bus.get_object('org.AudioSession1', path), 'org.AudioSession1.Session')
          session.SetCategory('playback', [], 'default')
          session.Activate([])
        """,
        methods: [
            Method(
                "OpenSession", [Argument("properties", "a{sv}")], returns: [Argument("session", "o")],
                """
                Opens a session for the caller. Streams of the caller's process, of its children and of its sandbox join it.

                Until SetCategory, Activate or Deactivate succeeds, the session is what its streams are; after that it is what \
                SetCategory says, solo-ambient by default. Until Activate or Deactivate succeeds, it is active while its \
                streams play; after that only while it is activated. An activation that fails or is delayed changes nothing \
                about that. The way back is Close and OpenSession.

                Properties: application-id (s), what tells the application apart, by default the sandbox's or the name of the \
                program; display-name (s), for people; streams (s), "process" (the default) or "tagged": only streams whose \
                property audio-session.id is the last part of the session's path join it, as for an embedded player that wants \
                a session of its own.

                Errors: LimitsExceeded, UnknownValue.
                """),
            Method(
                "ListSessions", [], returns: [Argument("sessions", "aa{sv}")],
                """
                All sessions, those of applications that never call this interface among them. Each has: id (u), path (s) \
                where it was opened here, application (s), display-name (s), kind (s: implicit, explicit or system), \
                description (s: the role or category), category (s), options (as) and mode (s) in effect, priority (u), state \
                (s: inactive, holding, starting, active, releasing, interrupted, delayed), by (s: who interrupts it), streams (au).
                """),
            Method(
                "ListStreams", [], returns: [Argument("streams", "aa{sv}")],
                """
                All streams that a policy is about. Each has: id (u), node (u: its number in the sound server), application \
                (s), process (u), direction (s: playback or capture), session (u), description (s), wanted (b: its application \
                wants it to run), running (b), treatment (s: untouched, ducked, muted, corked or player-paused), gain (d: dB), \
                cause (s), by (s: the session that causes it), since (t: microseconds since 1970).
                """),
            Method(
                "Explain", [Argument("subject", "s")], returns: [Argument("explanations", "as")],
                """
                Why a stream is treated as it is: which session and which rule changed it, and since when. The subject is a \
                stream's id, pid:NUMBER for all streams of a process, or an application's name. One text for each stream.

                Errors: NotFound.
                """),
            Method(
                "DumpState", [], returns: [Argument("json", "s")],
                """
                Everything that is known, as JSON: schema, version, server, server-limits, policy, switches, route, sessions, \
                streams.
                """),
            Method(
                "BeginInterruption", [Argument("kind", "s"), Argument("properties", "a{sv}")],
                returns: [Argument("cookie", "u")],
                """
                Begins an interruption by the system, for daemons whose calls and alarms make their sound elsewhere. Kinds: \
                phone, ringtone, alarm. It ends with EndInterruption, or with the caller's connection. Properties: \
                display-name (s).

                Errors: UnknownValue, NotClaimable, LimitsExceeded.
                """),
            Method(
                "EndInterruption", [Argument("cookie", "u")],
                "Ends an interruption of the caller. Errors: NotFound."),
            Method(
                "SetRoute", [Argument("port", "s")],
                """
                The user's own choice of an output or an input: one of AvailableOutputs and AvailableInputs, by its id, or by a \
                name or type that no other has. An id that is that of an output and of an input chooses both. What comes of it \
                is told as a change of route.

                Errors: NotFound, with the ids that there are.
                """),
            Method(
                "Pause", [Argument("milliseconds", "t")],
                """
                Suspends the policy: nobody is lowered, stopped or muted until the time is over, or until Resume. 0 is without \
                an end.
                """),
            Method("Resume", [], "Puts the policy in force again."),
            Method(
                "Subscribe", [],
                """
                From now on Event is sent to the caller, and to nobody who has not asked, until Unsubscribe or the end of the \
                connection.
                """),
            Method("Unsubscribe", [], "No more of them."),
        ],
        signals: [
            Signal(
                "Event",
                [Argument("time", "t"), Argument("kind", "s"), Argument("details", "a{sv}")],
                """
                Something happened; to subscribers only. The time is in microseconds since 1970. Kinds, with details as in \
                ListSessions and ListStreams: stream-appeared, stream-changed, stream-removed, session-opened, \
                session-changed, session-closed, interruption-began (reason, by), interruption-ended (should-resume), \
                switch-changed (name, value), route-changed (reason: s, reason-number: u, previous, current: as RouteChanged \
                has them), policy-changed.
                """),
            Signal(
                "RouteChanged",
                [Argument("reason", "u"), Argument("previous", "a{sv}"), Argument("current", "a{sv}")],
                """
                Another input or output is in use, as CurrentRoute has them. To everybody who listens.

                Reasons, with their words in events: 0 unknown, 1 new-device-available, 2 old-device-unavailable, \
                3 category-change, 4 override, 6 wake-from-sleep, 7 no-suitable-route-for-category (what is in use may be the \
                same as before), 8 route-configuration-change (another port was chosen, and none came or went). There is no 5.
                """),
            Signal(
                "ServicesReset", [], "The service is there anew; sessions have to be opened again. To everybody."),
        ],
        properties: [
            Property("Version", "s", isConstant: true, "The version of the software."),
            Property("SchemaVersion", "u", isConstant: true, "The version of this interface and of its records."),
            Property("Server", "s", isConstant: true, "The sound server, with its release."),
            Property(
                "ServerLimits", "a{sv}", isConstant: true,
                "What cannot be had with this sound server though another one has it: for each the reason (s)."),
            Property("Policy", "s", "Where the policy in force comes from."),
            Property(
                "Silent", "b", isWritable: true,
                "The silent switch: ambient and solo-ambient sessions are not heard while it is on."),
            Property(
                "DoNotDisturb", "b", isWritable: true,
                "Do not disturb: what the policy says is not heard while it is on."),
            Property(
                "Locked", "b", "The screen is locked: ambient and solo-ambient sessions are not heard."),
            Property(
                "PausedUntil", "t",
                "Until when the policy is suspended, in microseconds since 1970; 0 while it is in force, 2^64-1 without an end."
            ),
            Property(
                "CurrentRoute", "a{sv}",
                """
                What is in use: inputs and outputs, each aa{sv} of ports, empty where there is none. A port has: type (s: \
                LineIn, BuiltInMic, HeadsetMic, BluetoothHFP, USBAudio, LineOut, Headphones, BluetoothA2DP, BuiltInReceiver, \
                BuiltInSpeaker, HDMI, AirPlay, Unknown), name (s: for people), id (s: the same whenever that port is there), \
                node-name (s) and node (u: the sink or source in the sound server), device (s) and device-id (u: the card), \
                availability (s: yes, no or unknown: whether something is plugged in), server-type (s: the server's own word). \
                What is not known is left out.
                """),
            Property(
                "AvailableInputs", "aa{sv}",
                "The inputs that can be chosen: those that are plugged in or built in. Ports as in CurrentRoute."),
            Property("AvailableOutputs", "aa{sv}", "The outputs that can be chosen."),
        ])
}
