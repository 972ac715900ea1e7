import Terms

extension WireInterface {
    /// `org.AudioSession1.Session`, at `/org/AudioSession1/session/NUMBER`.
    public static let session = WireInterface(
        AudioSessionBus.sessionInterface,
        """
        One session. Only the connection that opened it, or shares it, can change it; all others get AccessDenied. \
        Signals go to its owners.
        """,
        methods: [
            Method(
                "SetCategory", [Argument("category", "s"), Argument("options", "as"), Argument("mode", "s")],
                """
                Sets what the session's sound is for. The change takes effect at once while the session is active, \
                else when it is activated. The options replace all former ones. An empty mode keeps the present one.

                Categories: \(words(Category.ofApplications)). Options: \(words(CategoryOption.allCases)). Modes: \
                \(words(Mode.allCases)). The mode can change only while the session is inactive and does not mix, \
                either before or after the change.

                Without allow-bluetooth-a2dp or allow-airplay, a session of play-and-record that would play on such an \
                output plays on another one, if one is certainly connected.

                Errors: NoCategory for an empty category, UnknownValue, IncompatibleCategory, ModeNotChangeable; \
                InsufficientPriority if the session is \
                active and could not stay active after the change; nothing changes then.
                """),
            Method(
                "SetMode", [Argument("mode", "s")],
                """
                Sets the kind of use. Allowed only while the session is inactive and does not mix. A mode that does \
                not fit the category behaves as default. Errors: UnknownValue, ModeNotChangeable.
                """),
            Method(
                "Activate", [Argument("flags", "as")], returns: [Argument("outcome", "s")],
                """
                Requests activation. The outcome is "active"; or "delayed", if the flag "delayed" is set and the \
                activation would have failed. ActivationGranted then follows once activation is possible, unless \
                CancelActivation or Deactivate comes first.

                Errors: InsufficientPriority, and nothing has changed; NoHardware if the category is record and there \
                is nothing to record from: no input, no output (whose sound can be recorded, too), and no stream of the \
                session that records already, except while the server starts and the route is not known; UnknownValue; \
                InvalidFlag for a flag of Deactivate.
                """),
            Method(
                "Deactivate", [Argument("flags", "as")],
                """
                Deactivates the session. With the flag "notify-others", the sessions that it has interrupted are told \
                to resume; without it, not to. Errors: UnknownValue.
                """),
            Method("CancelActivation", [], "Withdraws a delayed activation. Errors: NotFound."),
            Method(
                "OverrideOutput", [Argument("port", "s")],
                """
                Sends the output to the loudspeaker with "speaker"; "none" ends that. Any change of route and any \
                interruption end it too. Errors: UnknownValue, IncompatibleCategory (only play-and-record).
                """),
            Method(
                "SetPreference", [Argument("name", "s"), Argument("value", "v")],
                """
                no-interruptions-from-system-alerts (b): ringing does not interrupt the session, an accepted call does. \
                interruption-on-route-disconnect (b): whether the loss of its output interrupts the session, in place \
                of the policy's rule; an empty s leaves that to the policy again. sample-rate (d, Hz), buffer-duration \
                (d, s): the properties show what the server grants; 0 withdraws the preference. input-gain (d): the \
                factor on what the session records, limited to 0…1. These three apply to the session's streams while \
                the session is active; afterwards the streams have their former values, or the present default rate \
                and latency if they had set none. input-channels and output-channels (u): how many channels of its \
                route's device the application would like, at most InputChannels and OutputChannels; 0 withdraws that. \
                The service keeps these two, and they change nothing: a device has as many channels as its user has \
                chosen. input and output (s): the id of one of the manager's AvailableInputs or AvailableOutputs, which \
                is preferred whenever it is available; an empty id withdraws the preference. \
                Errors: UnknownValue, with the available ids; InvalidArgs.
                """),
            Method("Close", [], "Ends the session. Its streams continue without an opened session."),
        ],
        signals: [
            Signal(
                "InterruptionBegan", [Argument("reason", "s"), Argument("by", "s")],
                """
                The session is inactive and its sound has stopped. Reasons: \
                \(InterruptionReason.allCases.map { "\($0.rawValue) (\($0.meaning))" }.joined(separator: ", ")). The \
                argument by names the cause, for people. A session whose output has gone gets RouteChanged with reason 2 \
                first. Category, options and mode stay as they are; an override of the output ends.
                """),
            Signal(
                "InterruptionEnded", [Argument("should_resume", "b")],
                "The interruption is over, and whether the application should activate the session again."
            ),
            Signal(
                "ResumptionRecommended", [],
                """
                An activation was refused with InsufficientPriority, and would succeed now. Sent once; not sent if the \
                session was activated, deactivated or its delayed activation cancelled since.
                """),
            Signal("ActivationGranted", [], "A delayed activation was granted: the session is active."),
            Signal(
                "SecondaryAudioHint", [Argument("should_be_silenced", "b")],
                "Another session that does not mix has started (true) or stopped (false) playing."),
            Signal(
                "StreamRefused", [Argument("stream", "u")],
                "A stream was refused a device, because audio-processing has none."),
            Signal(
                "RouteChanged",
                [Argument("reason", "u"), Argument("previous", "a{sv}"), Argument("current", "a{sv}")],
                """
                The part of the route that the session's category uses has changed, with the reasons of the manager's \
                RouteChanged. Reason 3 says that the category of the session has changed: it is sent for each change \
                while the session is active, even if the route is the same. Reason 4 says that an override of the \
                output or default-to-speaker has begun or ended. A change that the session has asked for is sent once, \
                when the server has made it. Reason 7 is sent once when an active \
                session lacks an input or output that its category needs, even if the route is the same.
                """),
            Signal(
                "ServicesLost", [],
                "The service is about to end. When it has started again, the manager sends ServicesReset."),
        ],
        properties: [
            Property("ApplicationId", "s", isConstant: true, "The application's id."),
            Property("DisplayName", "s", isConstant: true, "The application's name, for people."),
            Property("Category", "s", "See SetCategory."),
            Property(
                "Options", "as",
                "The options as they were set by SetCategory."),
            Property(
                "EffectiveOptions", "as",
                """
                The options in effect: those that were set, and those that follow from them. A session that ducks \
                others or interrupts spoken audio mixes, and a voice chat may use a Bluetooth headset's microphone.
                """),
            Property("Mode", "s", "See SetMode."),
            Property("Active", "b", "Whether the session may be heard."),
            Property("Interrupted", "b", "Whether an interruption has begun and not ended."),
            Property("ActivationDelayed", "b", "Whether a delayed activation is pending."),
            Property("OutputOverride", "s", "See OverrideOutput."),
            Property(
                "Preferences", "a{sv}",
                "See SetPreference. Preferences that were not set, or were withdrawn by an empty text, are missing."),
            Property(
                "CurrentRoute", "a{sv}",
                """
                The inputs and outputs in use, in the form of the manager's CurrentRoute. There are no inputs if the \
                category does not record, and no outputs if it does not play.
                """),
            Property("OtherAudioPlaying", "b", "Whether another application is heard."),
            Property(
                "SecondaryAudioShouldBeSilenced", "b",
                "Whether another session that does not mix is playing: an application's own background music should wait."
            ),
            Property(
                "SampleRate", "d",
                """
                The sample rate of the graph of the session's streams, in Hz. Another preferred rate is granted only \
                while nothing runs in that graph, and only if the server's settings allow the rate.
                """),
            Property(
                "BufferDuration", "d",
                "The duration of one cycle of that graph, in s. Of the preferences of all its streams, the smallest is granted."
            ),
            Property(
                "OutputVolume", "d",
                """
                The position of the volume slider of the first output in CurrentRoute, or of the output in use for a \
                session that does not play, 0…1: the cube root of the factor on its amplitude. 0 while the user has muted it, or without an output. The user sets it, the service \
                never does.
                """),
            Property(
                "OutputLatency", "d",
                """
                The time from a stream of the session until it is heard from the first output in CurrentRoute, in s, as \
                far as the server knows it: in PipeWire what the device states, such as a Bluetooth headset's delay; in \
                PulseAudio what the sink buffers at most for its present streams. 0 without an output.
                """),
            Property(
                "InputLatency", "d",
                "The time that sound takes from the first input in CurrentRoute to a stream of the session, in s, likewise."
            ),
            Property(
                "OutputChannels", "u", "The number of channels of the first output in CurrentRoute; 0 without one."),
            Property(
                "InputChannels", "u", "The number of channels of the first input in CurrentRoute; 0 without one."),
            Property(
                "InputGain", "d",
                "The present factor on recorded sound, 0…1: as preferred while the session is active, 1 otherwise."),
            Property(
                "InputGainAvailable", "b",
                """
                Whether the level of what the session records can be changed: of a stream that records, or before there \
                is one, of those that will record from the input in CurrentRoute.
                """),
            Property(
                "InputMuted", "b",
                """
                Whether the user has muted all inputs that the session records from. That interrupts a session of the \
                category record, with the reason device-muted; a call continues, because its other side can still be \
                heard.
                """),
        ])
}
