import Glibc
import PolicyEngine
import Testing

@testable import PolicyFile

private let kinds = "a kind of interplay: usual, mix, duck, mute, cork, pause-player or reject"
private let times = "a time from 0 ms to 60 s, such as 250 or \"250 ms\""
private let longTimes = "a time from 0 ms to 600 s, such as 250 or \"250 ms\""
private let fades = "a time from 10 ms to 60 s, such as 250 or \"250 ms\""
private let gains = "a gain from -144 to 0 dB, such as -20 or \"-20 dB\""
private let pairKeys = "kind, newcomer, gain, attack, hold, release or fade"
private let names = "a role, a category, untagged, untagged-capture or any"
private let arrayOfObjects = "an array of objects, such as [ { application.name = mpv } ]"
private let arrayOfRules = "an array of rules, [ { matches = [ … ] actions = { … } } … ]"
private let values = "a value: text, \"~regular expression\", null, or one of these after '!'"
private let updateKeys =
    "role, category, options, mode, priority, duck, fade, handover, resume, release-delay, interruptible, pause-player, "
    + "volume, output, acts-while or capture-pairing"
private let categories =
    "a category: ambient, solo-ambient, playback, record, play-and-record, audio-processing or ui-sound"

/// A wrong regular expression in the words of the C library, which differ from version to version.
private func wrong(_ pattern: String) -> String {
    var expression = regex_t()
    let code = regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB)
    var reason = [CChar](repeating: 0, count: 128)
    _ = regerror(code, &expression, &reason, reason.count)
    let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "a wrong regular expression (\(text)), expected a POSIX extended one"
}

private func pair(_ text: String) -> String { "interplay={\(text)}" }
private func rule(_ update: String) -> String { "rules=[{matches=[{a=x}] actions={update-session={\(update)}}}]" }
private func match(_ text: String) -> String { "rules=[{matches=[\(text)] actions={}}]" }

private let mistakesOfLayers: [Mistake] = [
    Mistake("preset = car", "1:10: error: found 'car', expected a preset: desktop or phone"),
    Mistake("preset = { }", "1:10: error: found an object, expected a preset: desktop or phone"),
    Mistake(
        "capture-paring = true",
        "1:1: warning: found the unknown key 'capture-paring', expected preset, duck, untagged, untagged-capture, "
            + "capture-pairing, call-after, roles, interplay, switches, routes, interruptions, user, muted, sounding, zones, notify, stock-modules, claims or rules; did you mean 'capture-pairing'?"
    ),
    Mistake(
        "rule = [ ]",
        "1:1: warning: found the unknown key 'rule', expected preset, duck, untagged, untagged-capture, "
            + "capture-pairing, call-after, roles, interplay, switches, routes, interruptions, user, muted, sounding, zones, notify, stock-modules, claims or rules; did you mean 'rules'?"
    ),
    Mistake("duck = { hold = long }", "1:17: error: found 'long', expected \(times)"),
    Mistake("duck = { hold = 60.1s }", "1:17: error: found '60.1s', expected \(times)"),
    Mistake(
        "duck = { hodl = 1 }",
        "1:10: warning: found the unknown key 'hodl', expected gain, attack, hold or release; did you mean 'hold'?"),
    Mistake("roles = { prompt = { duck = { hold = -1 } } }", "1:38: error: found '-1', expected \(times)"),
    // Reserved names
    Mistake(
        "roles = { any = { category = ambient } }",
        "1:11: error: found a role of the name 'any', expected another name, as this one has a meaning of its own"),
    Mistake(
        "roles = { Untagged = none }",
        "1:11: error: found a role of the name 'untagged', expected another name, as this one has a meaning of its own"),
    Mistake(
        "roles = { game = { aliases = [ none ] } }",
        "1:32: error: found a role of the name 'none', expected another name, as this one has a meaning of its own"),
    Mistake(
        "roles = { \(String(repeating: "İ", count: 30)) = none }",
        "1:11: error: found a role of 60 bytes, expected a role of 1 to 64 bytes"),
    // Switches
    Mistake("switches = on", "1:12: error: found 'on', expected an object, { key = value … }"),
    Mistake(
        "switches = { silent = ambient }",
        "1:23: error: found 'ambient', expected an array of categories, such as [ ambient ]"),
    Mistake(
        "switches = { lock = [ ambient music ] }", "1:31: error: found 'music', expected \(categories)"),
    Mistake(
        "switches = { lock = [ abmient ] }",
        "1:23: error: found 'abmient', expected \(categories); did you mean 'ambient'?"),
    Mistake(
        "switches = { locked = [ ] }",
        "1:14: warning: found the unknown key 'locked', expected silent, do-not-disturb or lock; did you mean 'lock'?"),
    // The user
    Mistake(
        "user = { play = besides }",
        "1:17: error: found 'besides', expected what the user's action does: beside or wait; did you mean 'beside'?"),
    Mistake(
        "user = { mute = wait }",
        "1:10: warning: found the unknown key 'mute', expected play, unmute or raise"),
    Mistake(
        "muted = ignored",
        "1:9: error: found 'ignored', expected what muted streams do to others: ignore or count; did you mean 'ignore'?"
    ),
    // Notifications
    Mistake("notify = output-gone", "1:10: error: found 'output-gone', expected an array, such as [ output-gone ]"),
    Mistake(
        "notify = [ output-lost ]",
        "1:12: error: found 'output-lost', expected what people are told of: output-gone or recording-stopped; "
            + "did you mean 'output-gone'?"),
    // Sounds, outputs and zones
    Mistake(
        "sounding = { above = 3 }", "1:22: error: found '3', expected \(gains)"),
    Mistake(
        "sounding = { threshold = -40 }",
        "1:14: warning: found the unknown key 'threshold', expected above or hold"),
    Mistake(
        "zones = { desk = speaker }",
        "1:18: error: found 'speaker', expected an array of outputs, such as [ speaker ], or none"),
    Mistake(
        "zones = { desk = [ \"\" ] }",
        "1:20: error: found '', expected an output by its type, such as speaker, or by its name, where * stands for anything"
    ),
    Mistake(
        "roles = { alarm = { acts-while = sound } }",
        "1:34: error: found 'sound', expected when it does something to others: playing or sounding"),
    Mistake("roles = { alarm = { volume = 6 } }", "1:30: error: found '6', expected \(gains)"),
    // Modules of the server
    Mistake(
        "stock-modules = unlaod",
        "1:17: error: found 'unlaod', expected what becomes of other modules: unload or keep; did you mean 'unload'?"),
    // Routes
    Mistake("routes = pause", "1:10: error: found 'pause', expected an object, { key = value … }"),
    Mistake(
        "routes = { pause-on-disconnect = maybe }", "1:34: error: found 'maybe', expected true or false"),
    Mistake("routes = { resume-within = 61s }", "1:28: error: found '61s', expected \(times)"),
    Mistake(
        "routes = { stop-recording = any-chnage }",
        "1:29: error: found 'any-chnage', expected what stops a recording: never, disconnect or any-change; "
            + "did you mean 'any-change'?"),
    Mistake(
        "routes = { stop-recording = [ ] }",
        "1:29: error: found an array, expected what stops a recording: never, disconnect or any-change"),
    Mistake(
        "routes = { stops-recording = never }",
        "1:12: warning: found the unknown key 'stops-recording', expected pause-on-disconnect, resume-within or "
            + "stop-recording; did you mean 'stop-recording'?"),
    // Interruptions
    Mistake("interruptions = 10s", "1:17: error: found '10s', expected an object, { key = value … }"),
    Mistake("interruptions = { resume-within = 601s }", "1:35: error: found '601s', expected \(longTimes)"),
    Mistake("interruptions = { resume-within = -1 }", "1:35: error: found '-1', expected \(longTimes)"),
    Mistake("interruptions = { resume-within = never }", "1:35: error: found 'never', expected \(longTimes)"),
    Mistake(
        "interruptions = { resumes-within = 1s }",
        "1:19: warning: found the unknown key 'resumes-within', expected resume-within; did you mean 'resume-within'?"),
    Mistake(
        "interruption = { }",
        "1:1: warning: found the unknown key 'interruption', expected preset, duck, untagged, untagged-capture, "
            + "capture-pairing, call-after, roles, interplay, switches, routes, interruptions, user, muted, sounding, zones, notify, stock-modules, claims or rules; "
            + "did you mean 'interruptions'?"),
    // Pairing
    Mistake(
        "capture-pairing = phnoe",
        "1:19: error: found 'phnoe', expected true, false or a role; did you mean 'phone'?"),
    Mistake(
        "capture-pairing = flase", "1:19: error: found 'flase', expected true, false or a role; did you mean 'false'?"),
    Mistake("capture-pairing = [ ]", "1:19: error: found an array, expected true, false or a role"),
    Mistake("capture-pairing = \"\"", "1:19: error: found an empty role, expected true, false or a role"),
    Mistake(
        "capture-pairing = dsp",
        "1:19: error: found capture-pairing with 'dsp', which is left alone, expected a role that is not"),
    Mistake(
        "capture-pairing = true roles = { phone = none }",
        "1:19: error: found capture-pairing with 'phone', which is left alone, expected a role that is not"),
]

private let mistakesOfInterplay: [Mistake] = [
    Mistake("interplay = mix", "1:13: error: found 'mix', expected an object, { key = value … }"),
    Mistake(pair("music = mix"), "1:20: error: found 'mix', expected an object, { key = value … }"),
    Mistake(pair("music={game=mxi}"), "1:24: error: found 'mxi', expected \(kinds); did you mean 'mix'?"),
    Mistake(pair("music={game=pause}"), "1:24: error: found 'pause', expected \(kinds)"),
    Mistake(pair("music={game=[]}"), "1:24: error: found an array, expected \(kinds), or an object, { kind = … }"),
    Mistake(pair("music={game={kind=loud}}"), "1:30: error: found 'loud', expected \(kinds)"),
    Mistake(
        pair("music={game={kind=Cork}}"), "1:30: error: found 'Cork', expected \(kinds); did you mean 'cork'?"),
    Mistake(
        pair("music={game={newcomer=rejct}}"), "1:34: error: found 'rejct', expected \(kinds); did you mean 'reject'?"),
    Mistake(pair("music={game={}}"), "1:19: error: found a pair without a kind, expected kind = … or newcomer = …"),
    Mistake(
        pair("music={game={gain=-3}}"), "1:19: error: found a pair without a kind, expected kind = … or newcomer = …"),
    Mistake(
        pair("music={game={kind=duck gian=-3}}"),
        "1:35: warning: found the unknown key 'gian', expected \(pairKeys); did you mean 'gain'?"),
    Mistake(pair("music={game={kind=duck gain=3}}"), "1:40: error: found '3', expected \(gains)"),
    Mistake(pair("music={game={kind=duck attack=x}}"), "1:42: error: found 'x', expected \(times)"),
    Mistake(pair("music={game={kind=cork fade=5}}"), "1:40: error: found '5', expected \(fades)"),
    // Parts of other kinds
    Mistake(
        pair("music={game={kind=cork gain=-3}}"),
        "1:40: warning: found gain with the kind cork, expected it with duck only (it has no effect)"),
    Mistake(
        pair("music={game={kind=mix attack=3 hold=4 release=5}}"),
        "1:41: warning: found attack with the kind mix, expected it with duck only (it has no effect)",
        "1:48: warning: found hold with the kind mix, expected it with duck only (it has no effect)",
        "1:58: warning: found release with the kind mix, expected it with duck only (it has no effect)"),
    Mistake(
        pair("music={game={kind=duck fade=50}}"),
        "1:40: warning: found fade with the kind duck, expected it with mute, cork or pause-player only "
            + "(it has no effect)"),
    // Names
    Mistake(pair("musik={game=mix}"), "1:12: error: found 'musik', expected \(names); did you mean 'music'?"),
    Mistake(pair("music={gaem=mix}"), "1:19: error: found 'gaem', expected \(names); did you mean 'game'?"),
    Mistake(pair("music={everything=mix}"), "1:19: error: found 'everything', expected \(names)"),
    Mistake(pair("untaged={any=mix}"), "1:12: error: found 'untaged', expected \(names); did you mean 'untagged'?"),
    Mistake(
        pair("call={music=mix}"),
        "1:12: error: found 'call', an alias, expected the role's own name; did you mean 'phone'?"
    ),
    Mistake(
        pair("music={dsp=mute}"),
        "1:19: warning: found 'dsp', which is left alone, expected a role that is not (it has no effect)"),
    Mistake(pair("music={game=usaul}"), "1:24: error: found 'usaul', expected \(kinds); did you mean 'usual'?"),
    Mistake(
        pair("music={game={kind=usual gain=-3 fade=50}}"),
        "1:41: warning: found gain with the kind usual, expected it with duck only (it has no effect)",
        "1:49: warning: found fade with the kind usual, expected it with mute, cork or pause-player only "
            + "(it has no effect)"),
    // Whatever the categories say can be.
    Mistake(pair("any={phone=usual accessibility=usual}")),
    Mistake(
        pair("music={game=mix Game=duck}"), "1:28: warning: found 'game' again, expected it once (it overrides line 1)"),
    Mistake(pair("playbak={any=mix}"), "1:12: error: found 'playbak', expected \(names); did you mean 'playback'?"),
    Mistake(
        pair("music={play_and_record=mix}"),
        "1:19: error: found 'play_and_record', expected \(names); did you mean 'play-and-record'?"),
    // A role's name is the role, left alone or not, and an alias still an alias.
    Mistake(
        "roles={record=none} " + pair("music={record=mute}"),
        "1:39: warning: found 'record', which is left alone, expected a role that is not (it has no effect)"),
    Mistake(
        "roles={game={aliases=[playback]}} " + pair("playback={music=mix}"),
        "1:46: error: found 'playback', an alias, expected the role's own name; did you mean 'game'?"),
    // What cannot be
    Mistake(
        pair("music={record=duck}"),
        "1:26: warning: found duck for 'record', which is not heard, expected it for what is heard (it has no effect)"),
    Mistake(
        pair("alarm={phone=cork}"),
        "1:25: warning: found cork for 'phone', which has the priority of a phone, expected mix, as nothing is done to it "
            + "(it has no effect)"),
    Mistake(
        pair("any={phone=duck}"),
        "1:23: warning: found duck for 'phone', which has the priority of a phone, expected mix, as nothing is done to it "
            + "(it has no effect)"),
    Mistake(
        pair("music={alarm=cork}"),
        "1:25: warning: found cork for 'alarm', which has the higher priority, expected mix or duck (it has no effect)"),
    Mistake(
        pair("music={alarm={newcomer=reject}}"),
        "1:35: warning: found reject for 'alarm', which has the higher priority, expected mix or duck (it has no effect)"
    ),
    Mistake(
        pair("phone={accessibility=mute}"),
        "1:33: warning: found mute for 'accessibility', which is not interruptible, expected mix or duck "
            + "(it has no effect)"),
    Mistake(
        "untagged-capture={category=record} " + pair("phone={untagged-capture=duck}"),
        "1:71: warning: found duck for 'untagged-capture', which is not heard, expected it for what is heard "
            + "(it has no effect)"),
]

private let mistakesOfClaims: [Mistake] = [
    Mistake("claims = any", "1:10: error: found 'any', expected an object, { key = value … }"),
    Mistake(
        "claims = { phnoe = any }",
        "1:12: warning: found the unknown key 'phnoe', expected phone, alarm or desktop; did you mean 'phone'?"),
    Mistake(
        "claims = { music = any }", "1:12: warning: found the unknown key 'music', expected phone, alarm or desktop"),
    Mistake(
        "claims = { phone = none }", "1:20: error: found 'none', expected an object, { key = value … }, or any or usual"
    ),
    Mistake(
        "claims = { phone = ayn }",
        "1:20: error: found 'ayn', expected an object, { key = value … }, or any or usual; did you mean 'any'?"),
    Mistake(
        "claims = { phone = { alow = [ ] } }",
        "1:22: warning: found the unknown key 'alow', expected allow or otherwise; did you mean 'allow'?"),
    Mistake("claims = { phone = { allow = Calls } }", "1:30: error: found 'Calls', expected \(arrayOfObjects)"),
    Mistake("claims = { phone = { allow = { a = x } } }", "1:30: error: found an object, expected \(arrayOfObjects)"),
    Mistake(
        "claims = { phone = { allow = [ ] } }",
        "1:30: warning: found an empty array, expected an object (nothing matches)"),
    Mistake(
        "claims = { phone = { otherwise = music } }",
        "1:34: warning: found otherwise without allow, expected both (it has no effect)"),
    Mistake(
        "claims = { phone = { allow = [ { a = x } ] otherwise = musik } }",
        "1:56: error: found 'musik', expected a role; did you mean 'music'?"),
    Mistake(
        "claims = { phone = { allow = [ { a = x } ] otherwise = [ ] } }", "1:56: error: found an array, expected a role"
    ),
    Mistake(
        "claims = { phone = { allow = [ { a = x } ] otherwise = \"\" } }",
        "1:56: error: found an empty role, expected a role"),
    Mistake(
        "claims = { phone = { allow = [ { a = x } ] otherwise = ringtone } }",
        "1:56: error: found 'ringtone', which has the priority of phone, expected a role with a lower one"),
    Mistake(
        "claims = { alarm = { allow = [ { a = x } ] otherwise = alarm } }",
        "1:56: error: found 'alarm', which has the priority of alarm, expected a role with a lower one"),
]

private let mistakesOfRules: [Mistake] = [
    Mistake("rules = { }", "1:9: error: found an object, expected \(arrayOfRules)"),
    Mistake("rules = none", "1:9: error: found 'none', expected \(arrayOfRules)"),
    Mistake("rules = [ music ]", "1:11: error: found 'music', expected an object, { key = value … }"),
    Mistake(
        "rules = [ { actions = { } } ]", "1:11: error: found a rule without matches, expected matches = [ … ]"),
    Mistake(
        "rules = [ { matches = [ { a = x } ] } ]",
        "1:11: warning: found a rule without actions, expected actions = { update-session = { … } } (it has no effect)"),
    Mistake(
        "rules = [ { match = [ ] actions = { } } ]",
        "1:11: error: found a rule without matches, expected matches = [ … ]",
        "1:13: warning: found the unknown key 'match', expected matches or actions"),
    Mistake(
        "rules = [ { matches = [ { a = x } ] action = { } } ]",
        "1:11: warning: found a rule without actions, expected actions = { update-session = { … } } (it has no effect)",
        "1:37: warning: found the unknown key 'action', expected matches or actions; did you mean 'actions'?"),
    Mistake(
        "rules=[{matches=[{a=x}] actions={update-props={}}}]",
        "1:34: warning: found the unknown key 'update-props', expected update-session"),
    Mistake(
        "rules=[{matches=[{a=x}] actions={update_session={}}}]",
        "1:34: warning: found the unknown key 'update_session', expected update-session; did you mean 'update-session'?"
    ),
    Mistake(
        "rules=[{matches=[{a=x}] actions={update-session=music}}]",
        "1:49: error: found 'music', expected an object, { key = value … }"),
    Mistake(
        "rules=[{matches=[{a=x}] actions=music}]", "1:33: error: found 'music', expected an object, { key = value … }"),
    Mistake(rule("role=musik"), "1:55: error: found 'musik', expected a role or none; did you mean 'music'?"),
    Mistake(rule("role=nome"), "1:55: error: found 'nome', expected a role or none; did you mean 'none'?"),
    Mistake(rule("role={}"), "1:55: error: found an object, expected a role or none"),
    Mistake(
        rule("rolle=music"),
        "1:50: warning: found the unknown key 'rolle', expected \(updateKeys); did you mean 'role'?"),
    Mistake(rule("aliases=[x]"), "1:50: warning: found the unknown key 'aliases', expected \(updateKeys)"),
    Mistake(rule("category=loud"), "1:59: error: found 'loud', expected \(categories)"),
    Mistake(
        rule("role=none fade=50"),
        "1:34: warning: found changes of what is left alone, expected role = none alone (they have no effect)"),
    Mistake(
        rule("role=music category=ambient options=[mix-with-others]"),
        "1:87: error: found the option mix-with-others with category ambient, "
            + "expected it with playback or play-and-record only"),
    Mistake(
        rule("category=play-and-record handover=hold"),
        "1:84: error: found handover hold with category play-and-record, "
            + "expected overlap, as a call must never be held back"),
    Mistake(
        rule("role=game options=[mix-with-others]"),
        "1:69: error: found the option mix-with-others with category ambient, "
            + "expected it with playback or play-and-record only"),
    Mistake(
        rule("role=game mode=voice-chat"),
        "1:65: warning: found mode voice-chat with category ambient, expected it with play-and-record only "
            + "(it has no effect)"),
    // Matches
    Mistake("rules=[{matches={a=x} actions={}}]", "1:17: error: found an object, expected \(arrayOfObjects)"),
    Mistake(match(""), "1:17: warning: found an empty array, expected an object (nothing matches)"),
    Mistake(match("{}"), "1:18: warning: found an empty object, expected a property (nothing matches)"),
    Mistake(
        match("{application.name = Music Player Daemon}"),
        "1:44: warning: found the property 'Player', expected a name with a dot, as all properties have; a value of "
            + "several words needs quotes"),
    Mistake(
        match("{media.class = Audio/Sink}"),
        "1:33: warning: found 'Audio/Sink', expected Stream/Output/Audio or Stream/Input/Audio (nothing else matches)"),
    Mistake(match("x"), "1:18: error: found 'x', expected an object, such as { application.name = mpv }"),
    Mistake(match("{a=[]}"), "1:21: error: found an array, expected \(values)"),
    Mistake(match("{a={}}"), "1:21: error: found an object, expected \(values)"),
    Mistake(match("{\"\"=x}"), "1:19: error: found an empty property, expected a property of 1 to 255 bytes"),
    Mistake(
        match("{\(String(repeating: "p", count: 256))=x}"),
        "1:19: error: found a property of 256 bytes, expected a property of 1 to 255 bytes"),
    // Regular expressions
    Mistake(
        match("{a=\"~[x\"}"),
        "1:21: error: found \(wrong("[x"))"),
    Mistake(
        match("{a=\"!~(x\"}"),
        "1:21: error: found \(wrong("(x"))"),
    Mistake(
        match("{a=~*}{b=\"~x{2,1}\"}"),
        "1:21: error: found \(wrong("*"))",
        "1:27: error: found \(wrong("x{2,1}"))"),
    Mistake(
        match("{a=\"~(x)\\\\1\"}"),
        "1:21: error: found a regular expression with a back reference, expected none, as it can take for ever"),
    Mistake(
        match("{a=\"~(x{99}){99}\"}"),
        "1:21: error: found a regular expression that repeats too much, expected at most 2000 characters with all "
            + "repetitions"),
    Mistake(
        match("{a=\"~\(String(repeating: "x", count: 257))\"}"),
        "1:21: error: found a regular expression of 257 bytes, expected at most 256"),
    Mistake(
        match("{a=\"~x\\u0000\"}"), "1:21: error: found a regular expression with a zero byte, expected none"),
    // Several at once, in reading order
    Mistake(
        "rules=[{matches=[{a=\"~[\"}] actions={}}\n{actions={update-session={role=x}}}\n3]\nclaims={phone=x}",
        "1:21: error: found \(wrong("["))",
        "2:1: error: found a rule without matches, expected matches = [ … ]",
        "3:1: error: found '3', expected an object, { key = value … }",
        "4:15: error: found 'x', expected an object, { key = value … }, or any or usual"),
]

@Suite struct SectionMistakeTests {
    @Test("a mistake in a simple section is named", arguments: mistakesOfLayers) func mistakeInSimpleSectionIsNamed(
        mistake: Mistake
    ) {
        check(mistake)
    }

    @Test("a mistake in interplay is named", arguments: mistakesOfInterplay) func mistakeInInterplayIsNamed(
        mistake: Mistake
    ) { check(mistake) }

    @Test("N11 a mistake in claims is named", arguments: mistakesOfClaims) func mistakeInClaimsIsNamed(mistake: Mistake)
    { check(mistake) }

    @Test("a mistake in rules is named", arguments: mistakesOfRules) func mistakeInRulesIsNamed(mistake: Mistake) {
        check(mistake)
    }

    private func check(_ mistake: Mistake) {
        let file = PolicyFile(text: mistake.text, named: "a.conf")
        #expect(file.diagnostics.map(\.description) == mistake.messages.map { "a.conf:\($0)" })
        #expect((file.policy == nil) == file.diagnostics.contains { $0.severity == .error })
    }

    @Test("a file may have 4096 conditions and no more") func fileMayHave4096ConditionsAndNoMore() {
        let condition = "{ a = x b = y } "
        let most = String(repeating: condition, count: 2048)
        #expect(PolicyFile(text: match(most), named: "t").diagnostics == [])
        let more = PolicyFile(text: match(most + condition + condition), named: "t")
        #expect(more.diagnostics.map(\.found) == ["more than 4096 conditions"])
    }
}
