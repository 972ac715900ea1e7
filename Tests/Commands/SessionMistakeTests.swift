import Testing

@testable import Commands

/// Mistakes in what a scenario file says of sessions, interruptions, inputs and the desktop, each with its exact message.
@Suite struct SessionMistakeTests {
    /// What stands before most of the mistakes: line 1.
    static let parties =
        "sessions = { player = { } } interruptions = { modem = { kind = phone } } inputs = { jack = { } } "
        + "streams = { track = { session = player } memo = { direction = capture } }\n"
    static let told =
        "active, inactive, began REASON [by NAME], ended resume, ended stay, granted, delayed, refused [by NAME], "
        + "mistaken WORD, route REASON, hint on or hint off"

    static let mistakes: [(text: String, messages: [String])] = [
        // Sections.
        ("sessions = [ ]", ["x:1:12: error: found an array, expected an object, { key = value … }"]),
        (
            "sessions = { a = { } a = { } }", ["x:1:22: error: found 'a' again, expected each session once"]
        ),
        (
            "sessions = { a = { no-interruptions-from-system-alerts = yes } }",
            ["x:1:58: error: found 'yes', expected true or false"]
        ),
        (
            "sessions = { a = { application.name = [ ] } }",
            ["x:1:39: error: found an array, expected the value of a property"]
        ),
        (
            "sessions = { a = { } } interruptions = { m = { kind = phon } }",
            [
                "x:1:55: error: found 'phon', expected one of phone, ringtone, alarm, accessibility, navigation, prompt, "
                    + "dictation, notification, music, video, game, animation, duck or speech; did you mean 'phone'?"
            ]
        ),
        (
            "sessions = { a = { } } interruptions = { m = { } }",
            [
                "x:1:40: error: found the interruption 'm' without 'kind', expected both, such as kind = phone"
            ]
        ),
        (
            "sessions = { a = { } } inputs = { microphone = { } }",
            ["x:1:35: error: found 'microphone' again, expected each input once"]
        ),
        (
            "sessions = { player = { } } streams = { a = { session = payer } }",
            [
                "x:1:57: error: found 'payer', expected the name of one of the sessions; did you mean 'player'?"
            ]
        ),
        (
            "sessions = { player = { } } streams = { a = { session = player application.name = Other } }",
            [
                "x:1:57: error: found a session of 'player', expected one of the stream's own application, 'Other'"
            ]
        ),
        // Events.
        (
            parties + "events = [ { at = 0 open = payer } ]",
            ["x:2:28: error: found 'payer', expected the name of one of the sessions; did you mean 'player'?"]
        ),
        (
            parties + "events = [ { at = 1 activate = player } ]",
            ["x:2:32: error: found 'player', which is not open at 0.001 s, expected open = NAME before"]
        ),
        (
            parties + "events = [ { at = 0 open = player } { at = 1 open = player } ]",
            [
                "x:2:53: error: found 'player', which is open already at 0.001 s, expected close = NAME before, or a "
                    + "session with another name"
            ]
        ),
        (
            parties + "events = [ { at = 0 open = player } { at = 1 kill = track } { at = 2 cancel = player } ]",
            ["x:2:79: error: found 'player', which is not open at 0.002 s, expected open = NAME before"]
        ),
        (
            parties + "events = [ { at = 0 open = player } { at = 1 category = player } ]",
            [
                "x:2:46: error: found category without 'to', expected both, category = NAME to = playback"
            ]
        ),
        (
            parties + "events = [ { at = 0 open = player } { at = 1 category = player to = play-back } ]",
            [
                "x:2:69: error: found 'play-back', expected a category: ambient, solo-ambient, playback, record, "
                    + "play-and-record or audio-processing; did you mean 'playback'?"
            ]
        ),
        (
            parties
                + "events = [ { at = 0 open = player } { at = 1 category = player to = playback options = [ duck ] } ]",
            [
                "x:2:90: error: found 'duck', expected options: mix-with-others, duck-others, default-to-speaker, "
                    + "allow-bluetooth-input, interrupt-spoken-audio, allow-bluetooth-a2dp or allow-airplay"
            ]
        ),
        (
            parties
                + "events = [ { at = 0 open = player } { at = 1 category = player to = playback options = duck } ]",
            [
                "x:2:88: error: found 'duck', expected an array of options: mix-with-others, duck-others, "
                    + "default-to-speaker, allow-bluetooth-input, interrupt-spoken-audio, allow-bluetooth-a2dp or "
                    + "allow-airplay"
            ]
        ),
        (
            parties + "events = [ { at = 0 open = player } { at = 1 mode = player to = spoken } ]",
            [
                "x:2:65: error: found 'spoken', expected a mode: default, voice-chat, video-recording, measurement, "
                    + "spoken-audio, voice-prompt, movie-playback, video-chat or game-chat"
            ]
        ),
        (
            parties + "events = [ { at = 0 open = player } { at = 1 activate = player flags = [ later ] } ]",
            ["x:2:74: error: found 'later', expected flags: delayed"]
        ),
        (
            parties + "events = [ { at = 0 open = player } { at = 1 activate = player flags = [ notify-others ] } ]",
            [
                "x:2:74: error: found 'notify-others', which is a flag of deactivate, expected flags of activate: delayed"
            ]
        ),
        (
            parties + "events = [ { at = 0 open = player } { at = 1 close = player flags = [ ] } ]",
            [
                "x:2:61: warning: found 'flags' without activate or deactivate, expected both (it has no effect)"
            ]
        ),
        (
            parties + "events = [ { at = 0 kill = trakc } ]",
            [
                "x:2:28: error: found 'trakc', expected the name of one of the streams or sessions; did you mean 'track'?"
            ]
        ),
        (
            "sessions = { a = { } } streams = { a = { application.name = A } } events = [ { at = 0 kill = a } ]",
            [
                "x:1:94: error: found 'a', which is a stream and a session of two applications, expected a name that "
                    + "only one of them has"
            ]
        ),
        (
            parties + "events = [ { at = 0 begin = modm } ]",
            ["x:2:29: error: found 'modm', expected the name of one of the interruptions; did you mean 'modem'?"]
        ),
        (
            parties + "events = [ { at = 0 end = modem } ]",
            ["x:2:27: error: found 'modem', which has not begun at 0.000 s, expected begin = NAME before"]
        ),
        (
            parties + "events = [ { at = 0 sleep = yes } ]", ["x:2:29: error: found 'yes', expected on or off"]
        ),
        (
            parties + "events = [ { at = 0 mute-input = jak } ]",
            ["x:2:34: error: found 'jak', expected an input: microphone or jack; did you mean 'jack'?"]
        ),
        (
            parties + "events = [ { at = 0 mute-input = jack } ]",
            ["x:2:34: error: found 'jack', which is not plugged in at 0.000 s, expected plug = NAME before"]
        ),
        (
            parties + "events = [ { at = 0 move = track to = jack } ]",
            ["x:2:39: error: found the input 'jack', expected an output, as the stream plays"]
        ),
        (
            parties + "events = [ { at = 0 move = memo to = speaker } ]",
            ["x:2:38: error: found the output 'speaker', expected one of the inputs, as the stream records"]
        ),
        (
            parties + "events = [ { at = 0 move = track to = usb } ]",
            ["x:2:28: error: found 'usb', which is not plugged in at 0.000 s, expected plug = NAME before"]
        ),
        (
            parties + "events = [ { at = 0 route = jack } ]",
            ["x:2:29: error: found the input 'jack', expected the name of an output, such as headphones"]
        ),
        // Expectations.
        (
            parties + "expect = [ { at = 1 session = player } ]",
            ["x:2:12: error: found an expectation without 'is' or 'told', expected is = … or told = [ … ]"]
        ),
        (
            parties + "expect = [ { at = 1 session = player is = activ } ]",
            [
                "x:2:43: error: found 'activ', expected what the session is: active, inactive, interrupted or delayed; "
                    + "did you mean 'active'?"
            ]
        ),
        (
            parties + "expect = [ { at = 1 session = player is = active told = [ ] } ]",
            ["x:2:57: error: found 'is' and 'told' in one expectation, expected an expectation for each"]
        ),
        (
            parties + "expect = [ { at = 1 session = player stream = track is = free } ]",
            ["x:2:31: error: found a stream and a session in one expectation, expected one of them"]
        ),
        (
            parties + "expect = [ { at = 1 stream = track is = free told = [ ] } ]",
            ["x:2:53: error: found what a stream is told, expected is = …, as only sessions are told something"]
        ),
        (
            parties + "expect = [ { at = 1 session = player told = active } ]",
            [
                "x:2:45: error: found 'active', expected an array of what it was told, [ active \"ended resume\" ]"
            ]
        ),
        (
            parties + "expect = [ { at = 1 session = player told = [ actve ] } ]",
            [
                "x:2:47: error: found 'actve', expected what the session is told: \(told); did you mean 'active'?"
            ]
        ),
        (
            parties + "expect = [ { at = 1 session = player told = [ \"began defalt\" ] } ]",
            [
                "x:2:47: error: found 'began defalt', expected why it began: default, device-muted, route-disconnected or "
                    + "suspended; did you mean 'default'?"
            ]
        ),
        (
            parties + "expect = [ { at = 1 session = player told = [ \"began default with modem\" ] } ]",
            [
                "x:2:47: error: found 'began default with modem', expected by NAME after 'began default', or nothing"
            ]
        ),
        (
            parties + "expect = [ { at = 1 session = player told = [ \"ended\" ] } ]",
            ["x:2:47: error: found 'ended', expected how it ended: resume or stay"]
        ),
        (
            parties + "expect = [ { at = 1 session = player told = [ \"active now\" ] } ]",
            ["x:2:47: error: found 'active now', expected nothing after 'active'"]
        ),
        (
            parties + "expect = [ { at = 1 session = player told = [ \"began default by modm\" ] } ]",
            [
                "x:2:45: error: found 'by modm', expected the name of a session, stream, interruption, output or input, or "
                    + "sleep; did you mean 'modem'?"
            ]
        ),
    ]

    @Test("a mistake is named with its place", arguments: mistakes.indices) func mistakeIsNamedWithItsPlace(index: Int)
    {
        let mistake = Self.mistakes[index]
        let (scenario, diagnostics) = ScenarioReader.read(
            Array(mistake.text.utf8), named: "x", presetFolders: [])
        #expect(diagnostics.map(\.description) == mistake.messages)
        #expect((scenario == nil) == diagnostics.contains { $0.severity == .error })
    }

    @Test(
        "what is told is written as it is read",
        arguments: [
            "active", "inactive", "began default", "began route-disconnected by the other one", "ended resume",
            "ended stay",
            "granted", "delayed", "refused", "refused by modem", "mistaken mode-not-changeable",
            "route old-device-unavailable", "hint on", "hint off",
        ]) func whatIsToldIsWrittenAsItIsRead(text: String) throws
    {
        #expect(try Told.read(text).text == text)
    }
}
