import Testing

@testable import Commands

/// Mistakes in scenario files, each with its exact message.
@Suite struct ScenarioMistakeTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        var text: String
        var messages: [String]

        var testDescription: String { text }

        init(_ text: String, _ messages: String...) {
            self.text = text
            self.messages = messages
        }
    }

    /// What stands before most of the mistakes.
    static let stream = "streams = { music = { } }\n"

    /// What can stand in a file, and what can happen.
    static let sections = "title, policy, sessions, interruptions, inputs, streams, events or expect"
    static let actions =
        "play, pause, stop, kill, volume, mute, unmute, sound, quiet, free, move, open, category, mode, activate, deactivate, cancel, close, begin, end, "
        + "mute-input, unmute-input, plug, unplug, route, policy, sleep, silent, do-not-disturb or lock"

    static let mistakes = [
        Mistake("", "x: error: found no streams, expected streams = { NAME = { … } … }"),
        Mistake("streams = { }", "x: error: found no streams, expected streams = { NAME = { … } … }"),
        Mistake("streams = [ ]", "x:1:11: error: found an array, expected an object, { key = value … }"),
        Mistake(
            "steams = { }",
            "x: error: found no streams, expected streams = { NAME = { … } … }",
            "x:1:1: warning: found the unknown key 'steams', expected \(sections); "
                + "did you mean 'streams'?"),
        Mistake(
            "streams = { a = { } a = { } }", "x:1:21: error: found 'a' again, expected each stream once"),
        Mistake(
            "streams = { a = { direction = captur } }",
            "x:1:31: error: found 'captur', expected playback or capture; did you mean 'capture'?"),
        Mistake(
            "streams = { a = { media.role = [ ] } }",
            "x:1:32: error: found an array, expected the value of a property"),
        Mistake(
            stream + "policy = fone", "x:2:10: error: found 'fone', expected a preset: desktop or phone"),
        Mistake(
            stream + "policy = [ ]",
            "x:2:10: error: found an array, expected a preset or a policy, { key = value … }"),
        Mistake(
            stream + "policy = {\n  untagged = { fade = soon }\n}",
            "x:3:23: error: found 'soon', expected a time from 10 ms to 60 s, such as 250 or \"250 ms\""),
        Mistake(
            stream + "title = { }", "x:2:9: error: found an object, expected a title, such as \"The phone rings\""),
        Mistake(
            stream + "events = { }",
            "x:2:10: error: found an object, expected an array of events, { at = 1s play = NAME }"),
        Mistake(
            stream + "events = [ music ]",
            "x:2:12: error: found 'music', expected an object, { key = value … }"),
        Mistake(stream + "events = [ { play = music } ]", "x:2:12: error: found no moment, expected at = …"),
        Mistake(
            stream + "events = [ { at = soon play = music } ]",
            "x:2:19: error: found 'soon', expected a time from 0 to 24 h, such as 1500, 1500ms or 1.5s"),
        Mistake(
            stream + "events = [ { at = -1 play = music } ]",
            "x:2:19: error: found '-1', expected a time from 0 to 24 h, such as 1500, 1500ms or 1.5s"),
        Mistake(
            stream + "events = [ { at = 25h play = music } ]",
            "x:2:19: error: found '25h', expected a time from 0 to 24 h, such as 1500, 1500ms or 1.5s"),
        Mistake(
            stream + "events = [ { at = 1 } ]",
            "x:2:12: error: found an event without an action, expected one of \(actions)"),
        Mistake(
            stream + "events = [ { at = 1 play = music stop = music } ]",
            "x:2:34: error: found a second action in one event, expected one of \(actions)"),
        Mistake(
            stream + "events = [ { at = 1 play = musik } ]",
            "x:2:28: error: found 'musik', expected the name of one of the streams; did you mean 'music'?"),
        Mistake(
            stream + "events = [ { at = 1 volume = music } ]",
            "x:2:21: error: found volume without 'to', expected both, volume = NAME to = 40%"),
        Mistake(
            stream + "events = [ { at = 1 volume = music to = 101% } ]",
            "x:2:41: error: found '101%', expected a volume from 0% to 100%"),
        Mistake(
            stream + "events = [ { at = 1 play = music to = 1 } ]",
            "x:2:34: warning: found 'to' without volume, move, category or mode, expected both (it has no effect)"),
        Mistake(
            stream + "events = [ { at = 1 plays = music } ]",
            "x:2:12: error: found an event without an action, expected one of \(actions)",
            "x:2:21: warning: found the unknown key 'plays', expected at, to, options, flags, \(actions); did you mean 'play'?"
        ),
        Mistake(
            stream + "events = [ { at = 1 route = { } } ]",
            "x:2:29: error: found an object, expected the name of an output, such as headphones"),
        Mistake(
            stream + "events = [ { at = 1 plug = [ ] } ]",
            "x:2:28: error: found an array, expected the name of an output or input that comes and goes, such as "
                + "headphones"),
        Mistake(
            stream + "events = [ { at = 1 unplug = speaker } ]",
            "x:2:30: error: found 'speaker', which is always there, expected the name of an output or input that "
                + "comes and goes, such as headphones"),
        Mistake(
            stream + "events = [ { at = 1 policy = { preset = fone } } ]",
            "x:2:41: error: found 'fone', expected a preset: desktop or phone"),
        Mistake(
            stream + "expect = [ { } ]", "x:2:12: error: found no moment, expected at = …",
            "x:2:12: error: found an expectation without 'stream' or 'session', expected stream = … or session = …",
            "x:2:12: error: found an expectation without 'is', expected is = …"),
        Mistake(
            stream + "expect = [ { at = 1 stream = music is = korked } ]",
            "x:2:41: error: found 'korked', expected what the stream is: free, ducked, muted, corked, held, superseded, "
                + "rejected, left-alone, heard, silent or paused, or \"ducked -20\"; did you mean 'corked'?"),
        Mistake(
            stream + "expect = [ { at = 1 stream = film is = \"corked 3\" } ]",
            "x:2:30: error: found 'film', expected the name of one of the streams",
            "x:2:40: error: found 'corked 3', expected what the stream is: free, ducked, muted, corked, held, "
                + "superseded, rejected, left-alone, heard, silent or paused, or \"ducked -20\"; did you mean "
                + "'corked'?"),
        Mistake(
            stream + "expect = [ { at = 1 stream = music is = free ]",
            "x:2:46: error: found ']', expected '}' for the '{' at line 2, column 12"),
    ]

    @Test("a mistake is named with its place", arguments: mistakes) func mistakeIsNamedWithItsPlace(_ mistake: Mistake)
    {
        let (scenario, diagnostics) = ScenarioReader.read(
            Array(mistake.text.utf8), named: "x", presetFolders: [])
        #expect(diagnostics.map(\.description) == mistake.messages)
        #expect((scenario == nil) == diagnostics.contains { $0.severity == .error })
    }

    @Test(
        "times are read",
        arguments: [
            ("0", 0), ("1500", 1500), ("1500ms", 1500), ("1.5s", 1500), ("1.5 s", 1500), ("2min", 120_000), ("24", 24),
        ]) func timesAreRead(text: String, milliseconds: Int)
    {
        #expect(ScenarioTime.read(text) == .milliseconds(milliseconds))
    }

    @Test("other times are none", arguments: ["", "s", "1x", "1e9s", "nan", "-0.1", "86401s", "99999999999999999999"])
    func otherTimesAreNone(text: String) {
        #expect(ScenarioTime.read(text) == nil)
    }
}
