import Terms

extension WireInterface {
    private static let routeChangeReasons = RouteChangeReason.allCases.map { reason in
        "\(reason.rawValue) \(reason.name)" + (reason.remark.map { " (\($0))" } ?? "")
    }.joined(separator: ", ")

    /// The words for some terms, as a list.
    static func words<Term: RawRepresentable<String>>(_ terms: [Term]) -> String {
        terms.map(\.rawValue).joined(separator: ", ")
    }

    /// `org.AudioSession1.Manager`, at `/org/AudioSession1`.
    public static let manager = WireInterface(
        AudioSessionBus.managerInterface,
        """
        Audio sessions: applications say what their sound is for, and are told when another session interrupts them.

        Open a session and activate it:
          gdbus call --session -d org.AudioSession1 -o /org/AudioSession1 -m org.AudioSession1.Manager.OpenSession \
        "{'display-name': <'My player'>}"
        A session ends with the connection that opened it, so the program must stay connected. In Python:
          manager = dbus.Interface(bus.get_object('org.AudioSession1', '/org/AudioSession1'), 'org.AudioSession1.Manager')
          path = manager.OpenSession({'display-name': 'My player'})
          session = dbus.Interface(bus.get_object('org.AudioSession1', path), 'org.AudioSession1.Session')
          session.SetCategory('playback', [], 'default')
          session.Activate([])
        """,
        methods: [
            Method(
                "OpenSession", [Argument("properties", "a{sv}")], returns: [Argument("session", "o")], access: .anyone,
                """
                Opens a session for the caller. Streams of the caller's process, of its child processes and of its \
                sandbox join the session.

                Until SetCategory, Activate or Deactivate succeeds, the streams determine the session's category; \
                after that SetCategory does, with solo-ambient as the default. Until Activate or Deactivate succeeds, \
                the session is active while its streams play; after that, only while it is activated. An activation \
                that fails or is delayed does not count. To return to the first state, close the session and open \
                another one.

                Properties: application-id (s), the application's id, by default that of the sandbox or the name of \
                the program; display-name (s), for people; streams (s), "process" (the default), "shared" or "tagged".

                With "shared", the session that another connection of the same process has opened with "shared" is \
                returned, if there is one. Both connections control the session and get its signals, and it ends when \
                the last of them closes it or ends: two libraries in one program act on one session. With "tagged", \
                only streams whose property audio-session.id is the last part of the session's path join the session, \
                for example those of an embedded player with a session of its own.

                Errors: LimitsExceeded, UnknownValue.
                """),
            Method(
                "ListSessions", [], returns: [Argument("sessions", "aa{sv}")], access: .anyone,
                """
                All sessions, including those of applications that never call this interface. Each has: \
                \(SessionRecord.description).
                """),
            Method(
                "ListStreams", [], returns: [Argument("streams", "aa{sv}")], access: .anyone,
                """
                All streams that the policy manages. Each has: \
                \(StreamRecord.description).
                """),
            Method(
                "ListLeftAlone", [], returns: [Argument("streams", "aa{sv}")], access: .anyone,
                "All streams that the policy leaves alone, described as in ListStreams."),
            Method(
                "Free", [Argument("subject", "s")], returns: [Argument("streams", "u")], access: .desktop,
                """
                Lets streams be heard that the policy silences or lowers, because their user wants that: beside the \
                sessions that do so now, until these have ended, and in spite of the switches, until one of them \
                changes. The subject is as for Explain. Returns how many streams were freed.

                Errors: NotFound; Failed, with the reason, if nothing is done to them, or if only their application can \
                change that.
                """),
            Method(
                "Explain", [Argument("subject", "s")], returns: [Argument("explanations", "as")], access: .anyone,
                """
                Explains a stream's treatment: which session and which rule cause it, and since when. The subject is a \
                stream's id, pid:NUMBER for all streams of a process, or an application's name. Returns one text for \
                each stream.

                Errors: NotFound.
                """),
            Method(
                "DumpState", [], returns: [Argument("json", "s")], access: .anyone,
                """
                The whole state as JSON: schema, version, server, server-limits, preset, policy, switches, route, sessions, \
                streams, left-alone.
                """),
            Method(
                "BeginInterruption", [Argument("kind", "s"), Argument("properties", "a{sv}")],
                returns: [Argument("cookie", "u")], access: .desktop,
                """
                Begins an interruption by the system, for daemons whose calls and alarms are not streams of this \
                server, and for scripts. A kind is a role of the policy, such as phone, ringtone, alarm, navigation or \
                dictation; duck, which lowers others; or speech, which is spoken over others. The interruption ends \
                with EndInterruption, or with the caller's connection. Properties: display-name (s).

                Errors: UnknownValue, NotClaimable, LimitsExceeded.
                """),
            Method(
                "EndInterruption", [Argument("cookie", "u")], access: .anyone,
                "Ends an interruption of the caller. Errors: NotFound."),
            Method(
                "SetRoute", [Argument("port", "s")], access: .desktop,
                """
                Applies the user's choice of an output or input: one of AvailableOutputs and AvailableInputs, by id, \
                or by a unique name or type. An id that an output and an input share chooses both. The result is \
                announced by RouteChanged.

                Errors: NotFound, with the available ids.
                """),
            Method(
                "Pause", [Argument("milliseconds", "t")], access: .desktop,
                """
                Suspends the policy: no stream is lowered, stopped or muted until the time is over, or until Resume. 0 \
                means without end.
                """),
            Method("Resume", [], access: .desktop, "Puts the policy in force again."),
            Method(
                "Subscribe", [], access: .desktop,
                """
                Sends the signal Event, and the signals about all sessions' objects and properties, to the caller from now \
                on, until Unsubscribe or the end of the connection. Without it, only a session's owner gets its signals.
                """),
            Method("Unsubscribe", [], access: .desktop, "Ends the subscription to Event."),
        ],
        signals: [
            Signal(
                "Event",
                [Argument("time", "t"), Argument("kind", "s"), Argument("details", "a{sv}")],
                """
                Reports an event, to subscribers only. The time is in microseconds since 1970. Kinds, with details as \
                in ListSessions and ListStreams: stream-appeared, stream-changed, stream-removed, session-opened, \
                session-changed, session-closed, interruption-began (reason, by), interruption-ended (should-resume), \
                switch-changed (name, value), route-changed (reason: s, reason-number: u, previous, current: as in \
                RouteChanged), policy-changed.
                """),
            Signal(
                "RouteChanged",
                [Argument("reason", "u"), Argument("previous", "a{sv}"), Argument("current", "a{sv}")],
                """
                Another input or output is in use; routes as in CurrentRoute. Sent to all listeners.

                Reasons, with their names in events: \(routeChangeReasons). 5 is unused.
                """),
            Signal(
                "ServicesReset", [],
                "The service has started again; sessions must be opened again. Sent to all listeners."),
        ],
        properties: [
            Property("Version", "s", isConstant: true, "The version of the software."),
            Property("SchemaVersion", "u", isConstant: true, "The version of this interface and of its records."),
            Property("Server", "s", isConstant: true, "The sound server, with its release."),
            Property(
                "ServerLimits", "a{sv}", isConstant: true,
                "The features that this sound server lacks and another one has: for each the reason (s)."),
            Property("Preset", "s", "The name of the preset that the policy in force begins with."),
            Property("Policy", "s", "The origin of the policy in force."),
        ]
            + Switch.allCases.map { one in
                Property(
                    one.property, "b", setter: one.canBeSet ? .desktop : nil,
                    """
                    Whether \(one.sentence). The categories that the policy names, by default \
                    \(Category.allCases.filter(one.categories.contains).map(\.rawValue).joined(separator: " and ")), are not heard meanwhile.
                    """)
            } + [
                Property(
                    "PausedUntil", "t",
                    "The end of the policy's suspension, in microseconds since 1970; 0 while in force, 2^64-1 without end."
                ),
                Property(
                    "CurrentRoute", "a{sv}",
                    """
                    The ports in use: inputs and outputs, each aa{sv} of ports, empty if there is none. A port has: \
                    \(PortRecord.description). Unknown members are missing.
                    """),
                Property(
                    "AvailableInputs", "aa{sv}",
                    "The inputs that can be chosen: those that are plugged in or built in. Ports as in CurrentRoute."),
                Property("AvailableOutputs", "aa{sv}", "The outputs that can be chosen."),
            ])
}
