import PolicyEngine
import Testing

@testable import PolicyFile

/// A text with all that is wrong with it, word for word.
struct Mistake: Sendable, CustomTestStringConvertible {
    var text: String
    /// The messages without the file's name.
    var messages: [String]

    init(_ text: String, _ messages: String...) {
        self.text = text
        self.messages = messages
    }

    var testDescription: String { text }
}

private let categories =
    "a category: ambient, solo-ambient, playback, record, play-and-record, audio-processing or ui-sound"
private let modes =
    "a mode: default, voice-chat, video-recording, measurement, spoken-audio, voice-prompt, movie-playback, "
    + "video-chat or game-chat"
private let options =
    "an option: mix-with-others, duck-others, default-to-speaker, allow-bluetooth-input, interrupt-spoken-audio, allow-bluetooth-a2dp or allow-airplay"
private let priorities = "a priority: normal, alarm, phone or a whole number from 0 to 255"
private let gains = "a gain from -144 to 0 dB, such as -20 or \"-20 dB\""
private let times = "a time from 0 ms to 60 s, such as 250 or \"250 ms\""
private let fades = "a time from 10 ms to 60 s, such as 250 or \"250 ms\""
private let sections =
    "preset, duck, untagged, untagged-capture, capture-pairing, call-after, roles, interplay, switches, routes, interruptions, user, muted, sounding, zones, notify, stock-modules, claims or rules"
private let escapes = #"one of \" \\ \/ \b \f \n \r \t \uXXXX"#
private let roleKeys =
    "aliases, category, options, mode, priority, duck, fade, handover, resume, release-delay, interruptible, pause-player, "
    + "volume, output, acts-while or capture-pairing"

private let mistakesOfForm: [Mistake] = [
    // Brackets
    Mistake("roles = {", "1:10: error: found the end of the text, expected '}' for the '{' at line 1, column 9"),
    Mistake(
        "roles = {\n  game = {\n",
        "3:1: error: found the end of the text, expected '}' for the '{' at line 2, column 10",
        "3:1: error: found the end of the text, expected '}' for the '{' at line 1, column 9"),
    Mistake("}", "1:1: error: found '}', expected a key"),
    Mistake("preset = phone ]", "1:16: error: found ']', expected a key"),
    Mistake("{ preset = phone } duck", "1:20: error: found 'd', expected the end of the text"),
    Mistake("{ preset = phone ] }", "1:18: error: found ']', expected '}' for the '{' at line 1, column 1"),
    Mistake(
        "roles = {\n navigation = { options = [ duck-others } }\n",
        "2:41: error: found '}', expected ']' for the '[' at line 2, column 27"),
    Mistake("[ preset ]", "1:1: error: found '[', expected a key"),
    Mistake("duck = { { gain = 3 } }", "1:10: error: found '{', expected a key"),
    // Keys and values
    Mistake("preset", "1:7: error: found the end of the text, expected the value of 'preset'"),
    Mistake("preset =\n", "2:1: error: found the end of the text, expected the value of 'preset'"),
    Mistake("duck = { gain = }", "1:17: error: found '}', expected the value of 'gain'"),
    Mistake(
        "duck = { gain, -20 }", "1:14: error: found ',', expected the value of 'gain'",
        "1:20: error: found '}', expected the value of '-20'"),
    Mistake("preset == phone", "1:9: error: found '=', expected the value of 'preset'"),
    Mistake(
        "= phone", "1:1: error: found '=', expected a key (a value with spaces needs quotes)",
        "1:8: error: found the end of the text, expected the value of 'phone'"),
    Mistake(
        "duck = { gain = -20 dB attack = 100 }",
        "1:21: warning: found the unknown key 'dB', expected gain, attack, hold or release",
        "1:31: error: found '=', expected a key (a value with spaces needs quotes)",
        "1:37: error: found '}', expected the value of '100'"),
    Mistake(
        "roles = { game = { options = [ a = b ] } }", "1:32: error: found 'a', expected \(options)",
        "1:34: error: found '=', expected a value", "1:36: error: found 'b', expected \(options)"),
    // Strings
    Mistake(
        "preset = \"phone\nduck = { gain = 1 }",
        "1:16: error: found the end of the line, expected '\"' for the '\"' at line 1, column 10",
        "2:17: error: found '1', expected \(gains)"),
    Mistake(
        "preset = \"phone", "1:16: error: found the end of the text, expected '\"' for the '\"' at line 1, column 10"),
    Mistake(
        #"preset = "ph\one""#, "1:13: error: found '\\o', expected \(escapes)"),
    Mistake(
        #"preset = "\u12""#, "1:11: error: found an incomplete '\\u', expected four hexadecimal digits after it"),
    Mistake(
        #"x = "\uD83D""#,
        "1:6: error: found '\\uD83D', one half of a pair, expected both halves, high then low"),
    Mistake(
        "preset = phone\u{1}",
        "1:15: error: found the control character U+0001, expected text (in quotes, \\t is a tab and \\n a new line)"),
]

private let mistakesOfMeaning: [Mistake] = [
    // Top level
    Mistake(
        "preset = dekstop", "1:10: error: found 'dekstop', expected a preset: desktop or phone; did you mean 'desktop'?"
    ),
    Mistake("preset = [ phone ]", "1:10: error: found an array, expected a preset: desktop or phone"),
    Mistake(
        "ducking = 3",
        "1:1: warning: found the unknown key 'ducking', expected \(sections)"),
    Mistake(
        "Role { }",
        "1:1: warning: found the unknown key 'Role', expected \(sections); "
            + "did you mean 'roles'?"),
    Mistake(
        "policy = phone",
        "1:1: warning: found the unknown key 'policy', expected \(sections)"),
    Mistake(
        "preset = phone\npreset = phone",
        "2:1: warning: found 'preset' again, expected it once (it overrides line 1)"),
    Mistake("roles = none", "1:9: error: found 'none', expected an object, { key = value … }"),
    // Gains
    Mistake("duck = -14", "1:8: error: found '-14', expected an object, { key = value … }"),
    Mistake("duck = { gain = 14 }", "1:17: error: found '14', expected \(gains)"),
    Mistake("duck = { gain = -145 }", "1:17: error: found '-145', expected \(gains)"),
    Mistake("duck = { gain = -20ms }", "1:17: error: found '-20ms', expected \(gains)"),
    Mistake("duck = { gain = nan }", "1:17: error: found 'nan', expected \(gains)"),
    Mistake("duck = { gain = -inf }", "1:17: error: found '-inf', expected \(gains)"),
    Mistake("duck = { gain = -1e999 }", "1:17: error: found '-1e999', expected \(gains)"),
    Mistake("duck = { gain = { } }", "1:17: error: found an object, expected \(gains)"),
    Mistake(
        "duck = { gian = -20 }",
        "1:10: warning: found the unknown key 'gian', expected gain, attack, hold or release; did you mean 'gain'?"),
    // Times
    Mistake("duck = { attack = -1 }", "1:19: error: found '-1', expected \(times)"),
    Mistake("duck = { attack = \"61 s\" }", "1:19: error: found '61 s', expected \(times)"),
    Mistake("duck = { release = \"1 min\" }", "1:20: error: found '1 min', expected \(times)"),
    Mistake("duck = { release = soon }", "1:20: error: found 'soon', expected \(times)"),
    Mistake("roles = { game = { fade = 9 } }", "1:27: error: found '9', expected \(fades)"),
    Mistake("roles = { game = { fade = 60001 } }", "1:27: error: found '60001', expected \(fades)"),
    Mistake("roles = { game = { release-delay = [ 3 ] } }", "1:36: error: found an array, expected \(times)"),
    // Words
    Mistake(
        "roles = { game = { category = playbak } }",
        "1:31: error: found 'playbak', expected \(categories); did you mean 'playback'?"),
    Mistake(
        "roles = { game = { category = PlayAndRecord } }",
        "1:31: error: found 'PlayAndRecord', expected \(categories); did you mean 'play-and-record'?"),
    Mistake("roles = { game = { category = loud } }", "1:31: error: found 'loud', expected \(categories)"),
    Mistake(
        "roles = { game = { mode = voice_chat } }",
        "1:27: error: found 'voice_chat', expected \(modes); did you mean 'voice-chat'?"),
    Mistake(
        "roles = { game = { handover = wait } }",
        "1:31: error: found 'wait', expected a handover: overlap or hold"),
    Mistake(
        "roles = { game = { resume = allways } }",
        "1:29: error: found 'allways', expected when others resume: always, transient or never; "
            + "did you mean 'always'?"),
    Mistake(
        "roles = { game = { interruptible = yes } }",
        "1:36: error: found 'yes', expected a truth value: true or false"),
    Mistake(
        "roles = { game = { priority = alrm } }",
        "1:31: error: found 'alrm', expected \(priorities); did you mean 'alarm'?"
    ),
    Mistake("roles = { game = { priority = 256 } }", "1:31: error: found '256', expected \(priorities)"),
    Mistake("roles = { game = { priority = -1 } }", "1:31: error: found '-1', expected \(priorities)"),
    Mistake("roles = { game = { priority = 1.5 } }", "1:31: error: found '1.5', expected \(priorities)"),
    Mistake(
        "roles = { game = { priority = 99999999999999999999 } }",
        "1:31: error: found '99999999999999999999', expected \(priorities)"),
    // Options
    Mistake(
        "roles = { game = { options = duck-others } }",
        "1:30: error: found 'duck-others', expected an array of options, such as [ duck-others ]"),
    Mistake(
        "roles = { game = { options = [ duck-other ] } }",
        "1:32: error: found 'duck-other', expected \(options); did you mean 'duck-others'?"),
    Mistake("roles = { game = { options = [ [ ] ] } }", "1:32: error: found an array, expected \(options)"),
    Mistake(
        "roles = { game = { options = [ mix-with-others ] } }",
        "1:32: error: found the option mix-with-others with category ambient, "
            + "expected it with playback or play-and-record only"),
    Mistake(
        "roles = { game = { category = record options = [ duck-others ] } }",
        "1:50: error: found the option duck-others with category record, "
            + "expected it with ambient, solo-ambient, playback, play-and-record or ui-sound only"),
    Mistake(
        "roles = { music = { options = [ default-to-speaker ] } }",
        "1:33: error: found the option default-to-speaker with category playback, "
            + "expected it with play-and-record only"),
    Mistake(
        "roles = { music = { options = [ allow-bluetooth-input ] } }",
        "1:33: error: found the option allow-bluetooth-input with category playback, "
            + "expected it with record or play-and-record only"),
    // The preset's own option is at odds with the file's category.
    Mistake(
        "roles = { music = { category = ambient } }",
        "1:32: error: found the option mix-with-others with category ambient, "
            + "expected it with playback or play-and-record only"),
    // How things go together
    Mistake(
        "roles = { phone = { handover = hold } }",
        "1:32: error: found handover hold with category play-and-record, "
            + "expected overlap, as a call must never be held back"),
    Mistake(
        "roles = { ringtone = { category = play-and-record } }",
        "1:35: error: found handover hold with category play-and-record, "
            + "expected overlap, as a call must never be held back"),
    Mistake(
        "roles = { music = { mode = measurement } }",
        "1:28: warning: found mode measurement with category playback, "
            + "expected it with record or play-and-record only (it has no effect)"),
    Mistake(
        "roles = { music = { duck = { gain = -3 } } }",
        "1:21: warning: found duck without the option duck-others, expected both (it has no effect)"),
    // Roles
    Mistake(
        "roles = { game = { categroy = ambient } }",
        "1:20: warning: found the unknown key 'categroy', expected \(roleKeys); did you mean 'category'?"),
    Mistake(
        "roles = { navigatoin = { priority = alarm } }",
        "1:11: error: found 'navigatoin', which is new, without a category, expected category = …; "
            + "did you mean 'navigation'?"),
    Mistake(
        "roles = { event = { fade = 50 } }",
        "1:11: error: found 'event', which is new, without a category, expected category = …; "
            + "did you mean 'notification'?"),
    Mistake(
        "roles = { dsp = { } }",
        "1:11: error: found 'dsp', which is new, without a category, expected category = …"),
    Mistake(
        "untagged-capture = { }",
        "1:1: error: found 'untagged-capture', which is new, without a category, expected category = …"),
    Mistake("untagged = off", "1:12: error: found 'off', expected an object, { key = value … }, or none"),
    Mistake(
        "roles = { game = nne }",
        "1:18: error: found 'nne', expected an object, { key = value … }, or none; did you mean 'none'?"),
    Mistake(
        "untagged = { aliases = [ x ] }",
        "1:14: warning: found the unknown key 'aliases', expected category, options, mode, priority, duck, fade, "
            + "handover, resume, release-delay, interruptible, pause-player, volume, output, acts-while or capture-pairing"
    ),
    Mistake("roles = { \"\" = none }", "1:11: error: found an empty role, expected a role of 1 to 64 bytes"),
    Mistake(
        "roles = { \(String(repeating: "r", count: 65)) = none }",
        "1:11: error: found a role of 65 bytes, expected a role of 1 to 64 bytes"),
    Mistake(
        "roles = { game = none, Game = none }",
        "1:24: warning: found 'game' again, expected it once (it overrides line 1)"),
    // Aliases
    Mistake(
        "roles = { game = { aliases = play } }",
        "1:30: error: found 'play', expected an array of roles, such as [ communication call ]"),
    Mistake("roles = { game = { aliases = [ { } ] } }", "1:32: error: found an object, expected a role"),
    Mistake(
        "roles = {\n game = { aliases = [ fun ] }\n fun = none\n}",
        "2:23: error: found the alias 'fun', expected a name that is no role itself (it is, at line 3)"),
    Mistake(
        "roles = {\n game = { aliases = [ fun ] }\n music = { aliases = [ fun ] }\n}",
        "3:24: error: found the alias 'fun', expected it for one role (it is one of 'game')"),
    Mistake(
        "roles = { game = { aliases = [ game ] } }",
        "1:32: error: found the alias 'game', expected a name that is no role itself (it is, at line 1)"),
    // Places count scalars; messages stay on their line and are short.
    Mistake("# é\n\tpreset = \"größe\"", "2:11: error: found 'größe', expected a preset: desktop or phone"),
    Mistake(
        #"preset = "a\nb""#, "1:10: error: found 'a\u{FFFD}b', expected a preset: desktop or phone"),
    Mistake(
        "preset = \(String(repeating: "x", count: 60))",
        "1:10: error: found '\(String(repeating: "x", count: 48))…', expected a preset: desktop or phone"),
    // Several at once, in reading order
    Mistake(
        "preset = dektop\nduck = { gain = 1 attack = x }\nroles = { game = { mode = loud handover = held } }",
        "1:10: error: found 'dektop', expected a preset: desktop or phone; did you mean 'desktop'?",
        "2:17: error: found '1', expected \(gains)",
        "2:28: error: found 'x', expected \(times)",
        "3:27: error: found 'loud', expected \(modes)",
        "3:43: error: found 'held', expected a handover: overlap or hold; did you mean 'hold'?"),
]

@Suite struct MistakeTests {
    @Test("a mistake of form is named", arguments: mistakesOfForm) func mistakeOfFormIsNamed(mistake: Mistake) {
        check(mistake)
    }

    @Test("a mistake of meaning is named", arguments: mistakesOfMeaning) func mistakeOfMeaningIsNamed(mistake: Mistake)
    { check(mistake) }

    private func check(_ mistake: Mistake) {
        let file = PolicyFile(text: mistake.text, named: "a.conf")
        #expect(file.diagnostics.map(\.description) == mistake.messages.map { "a.conf:\($0)" })
        // Warnings leave a policy, errors do not.
        let hasError = file.diagnostics.contains { $0.severity == .error }
        #expect((file.policy == nil) == hasError)
        #expect((file.policy == nil) == hasError)
    }

    @Test(
        "R39 R42 R43 R50 R51 R52 R53 R55 what does not fit the category: an option is an error, a mode a warning",
        arguments: [
            ("R39", "ambient", "options = [ mix-with-others ]", true),
            ("R39", "playback", "options = [ mix-with-others ]", nil),
            ("R42", "playback", "options = [ default-to-speaker ]", true),
            ("R42", "play-and-record", "options = [ default-to-speaker ]", nil),
            ("R43", "playback", "options = [ allow-bluetooth-input ]", true),
            ("R43", "record", "options = [ allow-bluetooth-input ]", nil),
            ("R50", "ambient", "mode = default", nil), ("R51", "playback", "mode = voice-chat", false),
            ("R51", "play-and-record", "mode = voice-chat", nil), ("R52", "ambient", "mode = video-recording", false),
            ("R53", "record", "mode = measurement", nil), ("R55", "playback", "mode = measurement", false),
        ] as [(String, String, String, Bool?)])
    func fits(rule: String, category: String, setting: String, isError: Bool?) {
        let file = PolicyFile(text: "roles = { new = { category = \(category) \(setting) } }", named: "a.conf")
        #expect(file.diagnostics.map { $0.severity == .error } == (isError.map { [$0] } ?? []), "\(rule)")
        #expect((file.policy == nil) == (isError == true), "\(rule)")
    }

    @Test("a message has all its parts") func messageHasAllItsParts() throws {
        let file = PolicyFile(text: "duck = {\n  gian = -3 }", named: "/etc/audio-session/policy.conf")
        let diagnostic = try #require(file.diagnostics.first)
        #expect(diagnostic.severity == .warning)
        #expect(diagnostic.file == "/etc/audio-session/policy.conf")
        #expect(diagnostic.place == Place(line: 2, column: 3))
        #expect(diagnostic.found == "the unknown key 'gian'")
        #expect(diagnostic.expected == "gain, attack, hold or release")
        #expect(diagnostic.nearest == "gain")
    }

    @Test("a file's name cannot forge lines of the log") func filesNameCannotForgeLinesOfLog() {
        let file = PolicyFile(text: "}", named: "a\nb:1:1: error: x")
        #expect(file.diagnostics.allSatisfy { !$0.description.contains("\n") })
    }

    @Test("too many mistakes are counted, not kept") func tooManyMistakesAreCountedNotKept() {
        let file = PolicyFile(text: String(repeating: "x = 1\n", count: 1000), named: "a.conf")
        // 999 are unknown keys that are not even looked at as repetitions.
        #expect(file.diagnostics.count == Diagnosis.limit + 1)
        #expect(
            file.diagnostics.last?.description
                == "a.conf: warning: found 744 more mistakes, expected at most 256 to be worth showing")
        #expect(file.policy == .desktop)
    }
}
