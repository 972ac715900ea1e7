extension WireInterface {
    /// `org.AudioSession1.Session`, at `/org/AudioSession1/session/NUMBER`.
    public static let session = WireInterface(
        AudioSessionBus.sessionInterface,
        """
        One session. Only the connection that opened it can change it; all others get AccessDenied. Signals go to its owner.
        """,
        methods: [
            Method(
                "SetCategory", [Argument("category", "s"), Argument("options", "as"), Argument("mode", "s")],
                """
                What the session's sound is for. Takes effect at once while the session is active, else when it is \
                activated. The options replace all former ones. An empty mode keeps the present one.

                Categories: ambient, solo-ambient, playback, record, play-and-record, audio-processing. Options: \
                mix-with-others, duck-others, interrupt-spoken-audio, default-to-speaker, allow-bluetooth-input, \
                allow-bluetooth-a2dp, allow-airplay. Modes: default, voice-chat, video-recording, measurement, spoken-audio, \
                voice-prompt, movie-playback, video-chat, game-chat. Another mode is taken while the session is inactive and \
                does not mix, either as it is or as it is asked to be.

                Without allow-bluetooth-a2dp or allow-airplay a session of play-and-record is sent elsewhere if its sound would \
                go to such an output and another one is surely connected.

                Errors: UnknownValue, IncompatibleCategory, ModeNotChangeable; InsufficientPriority when the session is active \
                and could not be with what it asks for: nothing changes then.
                """),
            Method(
                "SetMode", [Argument("mode", "s")],
                """
                What kind of use the category is put to. Only while the session is inactive and does not mix. A mode that \
                does not fit the category behaves as default. Errors: UnknownValue, ModeNotChangeable.
                """),
            Method(
                "Activate", [Argument("flags", "as")], returns: [Argument("outcome", "s")],
                """
                Asks to be heard. The outcome is active, or delayed with the flag "delayed" where it would have failed: \
                ActivationGranted follows when it can be, unless CancelActivation or Deactivate comes first.

                Errors: InsufficientPriority, and nothing has changed; UnknownValue; InvalidFlag for a flag of Deactivate.
                """),
            Method(
                "Deactivate", [Argument("flags", "as")],
                """
                Gives up the right to be heard. With the flag "notify-others" those that this session has interrupted are told \
                that they should resume, without it that they should not. Errors: UnknownValue.
                """),
            Method("CancelActivation", [], "Withdraws a delayed activation. Errors: NotFound."),
            Method(
                "OverrideOutput", [Argument("port", "s")],
                """
                Sends the output to the loudspeaker: "speaker", or "none" to end that. Ends by itself with any change of route \
                and any interruption. Errors: UnknownValue, IncompatibleCategory (only play-and-record).
                """),
            Method(
                "SetPreference", [Argument("name", "s"), Argument("value", "v")],
                """
                no-interruptions-from-system-alerts (b): ringing does not interrupt, an accepted call does. \
                interruption-on-route-disconnect (b): whether the loss of its output interrupts the session, whatever the policy \
                has for that; an empty s leaves it to the policy again. \
                sample-rate (d, Hz), buffer-duration (d, s): wishes, see the properties for what came of them; 0 takes one \
                back. input-gain (d): the factor on what the session records, brought into 0…1. The streams have what is \
                wished for while the session is active, and afterwards what they had before; one that asked for no rate or \
                latency asks for the default ones of that moment then. input and output (s): the id of \
                one of the manager's AvailableInputs or AvailableOutputs, which is preferred whenever it is there; an \
                empty one ends that. Errors: UnknownValue, with the ids that there are; InvalidArgs.
                """),
            Method("Close", [], "Ends the session. Its streams go on as those of an application without one."),
        ],
        signals: [
            Signal(
                "InterruptionBegan", [Argument("reason", "s"), Argument("by", "s")],
                """
                The session is inactive and its sound has stopped. Reasons: default (another session, a call or an alarm), \
                suspended (the machine sleeps), device-muted (its user has muted what it records from), route-disconnected \
                (its output has gone, or a plug has changed what it records from). By whom, for people.
                """),
            Signal(
                "InterruptionEnded", [Argument("should_resume", "b")],
                "The interruption is over. Whether the application should activate the session again and go on."),
            Signal("ActivationGranted", [], "A delayed activation was granted: the session is active."),
            Signal(
                "SecondaryAudioHint", [Argument("should_be_silenced", "b")],
                "Another session that does not mix has begun (true) or ceased (false) to play."),
            Signal(
                "StreamRefused", [Argument("stream", "u")],
                "A stream was given no device: audio-processing has none."),
            Signal(
                "RouteChanged",
                [Argument("reason", "u"), Argument("previous", "a{sv}"), Argument("current", "a{sv}")],
                """
                What the session's category uses of the route is another one: by the manager's RouteChanged, whose \
                reasons it has, or because the category is another one (reason 3). Reason 7 comes once when an active \
                session lacks an input or output that its category needs, even if nothing else has changed.
                """),
            Signal(
                "ServicesLost", [],
                "The service is about to leave. When it is back, the manager sends ServicesReset."),
        ],
        properties: [
            Property("ApplicationId", "s", isConstant: true, "What tells the application apart."),
            Property("DisplayName", "s", isConstant: true, "For people."),
            Property("Category", "s", "See SetCategory."),
            Property(
                "Options", "as",
                "As they were set by SetCategory, which takes them again whenever it takes the category and the mode."),
            Property(
                "EffectiveOptions", "as",
                """
                What is in effect: the options that were set, with those that follow from them. Who ducks others or interrupts \
                spoken audio mixes, and a voice chat may use a Bluetooth headset's microphone.
                """),
            Property("Mode", "s", "See SetMode."),
            Property("Active", "b", "Whether the session may be heard."),
            Property("Interrupted", "b", "Whether an interruption has begun and not ended."),
            Property("ActivationDelayed", "b", "Whether an activation waits to be granted."),
            Property("OutputOverride", "s", "See OverrideOutput."),
            Property(
                "Preferences", "a{sv}",
                "See SetPreference. What was not set, or was taken back by an empty text, is missing."),
            Property(
                "CurrentRoute", "a{sv}",
                """
                The inputs and outputs in use, as the manager has them. Without inputs where the category does not \
                record, without outputs where it does not play.
                """),
            Property("OtherAudioPlaying", "b", "Whether another application is heard."),
            Property(
                "SecondaryAudioShouldBeSilenced", "b",
                "Whether another session that does not mix is playing: an application's own background music should wait."
            ),
            Property(
                "SampleRate", "d",
                """
                What the graph runs at that the session's streams are part of, in Hz. A wish for another rate is granted \
                only while nothing runs there, and only where the server's settings allow the rate.
                """),
            Property(
                "BufferDuration", "d",
                "How long one round of that graph takes, in s. The smallest wish of all who run there is granted."
            ),
            Property(
                "InputGain", "d",
                "The factor on what the session records now, 0…1: as preferred while it is active, 1 otherwise."),
            Property(
                "InputGainAvailable", "b", "Whether the session records something whose level can be changed."),
            Property(
                "InputMuted", "b",
                """
                Whether all that the session records from is muted by its user. That interrupts a session of the \
                category record, for the reason device-muted; a call goes on, as its other side is heard all the same.
                """),
        ])
}
