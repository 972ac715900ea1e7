import PolicyEngine
import Testing

@testable import PolicyFile

/// Reads a file that has to be right, and tells what a stream is under it.
private func classify(
    _ text: String, _ properties: [String: String], capture: Bool = false, warnings: Int = 0
) throws -> Classification {
    let file = PolicyFile(text: text, named: "t")
    #expect(file.diagnostics.count == warnings, "\(file.diagnostics.map(\.description))")
    return try #require(file.classifier).classify(direction: capture ? .capture : .playback) { properties[$0] }
}

private func described(_ role: String) throws -> SessionDescription {
    try #require(Policy.desktop.description(of: Role(role), direction: .playback))
}

private func rule(_ matches: String, _ update: String) -> String {
    "{ matches = [ \(matches) ] actions = { update-session = { \(update) } } }"
}

/// A condition and whether streams with these properties meet it.
private struct Case: Sendable, CustomTestStringConvertible {
    var match: String
    var matching: [[String: String]]
    var others: [[String: String]]

    init(_ match: String, yes: [[String: String]], no: [[String: String]]) {
        self.match = match
        matching = yes
        others = no
    }

    var testDescription: String { match }
}

private let none: [String: String] = [:]

private let cases: [Case] = [
    // Equality
    Case(
        "{ a = x }", yes: [["a": "x"], ["a": "x", "b": "y"]],
        no: [none, ["a": "X"], ["a": "xx"], ["a": ""], ["b": "x"]]),
    Case("{ a = \"x y\" }", yes: [["a": "x y"]], no: [["a": "x"]]),
    Case("{ a = \"\" }", yes: [["a": ""]], no: [none, ["a": "x"]]),
    Case("{ a = \"null\" }", yes: [["a": "null"]], no: [none, ["a": "x"]]),
    Case("{ a = 10 }", yes: [["a": "10"]], no: [["a": "10.0"]]),
    Case("{ A = x }", yes: [["A": "x"]], no: [["a": "x"]]),
    // Negation
    Case("{ a = !x }", yes: [none, ["a": "y"], ["a": ""]], no: [["a": "x"]]),
    Case("{ a = \"!x\" }", yes: [none, ["a": "y"]], no: [["a": "x"]]),
    Case("{ a = \"!!x\" }", yes: [["a": "x"]], no: [["a": "!x"]]),
    // Not there
    Case("{ a = null }", yes: [none, ["b": "x"]], no: [["a": "x"], ["a": ""], ["a": "null"]]),
    Case("{ a = !null }", yes: [["a": "x"], ["a": ""]], no: [none, ["b": "x"]]),
    Case("{ a = \"!null\" }", yes: [["a": "x"]], no: [none]),
    // Regular expressions
    Case("{ a = ~x }", yes: [["a": "x"], ["a": "axb"]], no: [none, ["a": "y"], ["a": "X"]]),
    Case("{ a = \"~^x\" }", yes: [["a": "xb"]], no: [["a": "ax"], none]),
    Case("{ a = \"~x$\" }", yes: [["a": "ax"]], no: [["a": "xa"]]),
    Case("{ a = \"~^x$\" }", yes: [["a": "x"]], no: [["a": "xx"]]),
    Case("{ a = \"~^(mpv|vlc)$\" }", yes: [["a": "mpv"], ["a": "vlc"]], no: [["a": "mpv2"], ["a": "(mpv|vlc)"]]),
    Case("{ a = \"~mpv|vlc\" }", yes: [["a": "my vlc"]], no: [["a": "mp"]]),
    Case("{ a = \"~^a.c+[0-9]{2}$\" }", yes: [["a": "abc12"], ["a": "axcc99"]], no: [["a": "ac12"], ["a": "abc1"]]),
    Case("{ a = \"~[[:upper:]]b?\" }", yes: [["a": "xA"]], no: [["a": "xa"]]),
    Case("{ a = \"~\" }", yes: [["a": ""], ["a": "x"]], no: [none]),
    Case("{ a = \"~\\\\.bin$\" }", yes: [["a": "zoom.bin"]], no: [["a": "zoomxbin"]]),
    Case("{ a = \"!~x\" }", yes: [none, ["a": "y"]], no: [["a": "axb"]]),
    // As PipeWire has it: after a modifier, null is no text.
    Case("{ a = \"!~null\" }", yes: [["a": "x"]], no: [none]),
    // All of a match, one of several
    Case("{ a = x, b = y }", yes: [["a": "x", "b": "y"]], no: [["a": "x"], ["b": "y"], none]),
    Case("{ a = ~x, a = ~y }", yes: [["a": "xy"]], no: [["a": "x"], ["a": "y"]]),
    Case("{ a = x } { b = y }", yes: [["a": "x"], ["b": "y"]], no: [none, ["a": "y"]]),
]

@Suite struct RuleTests {
    @Test("a match means what it means in PipeWire", arguments: cases) fileprivate func matchMeansWhatItMeansInPipeWire(
        example: Case
    ) throws {
        let text = "rules = [ \(rule(example.match, "role = music")) ]"
        for properties in example.matching {
            #expect(try classify(text, properties).description?.name == "music", "\(properties)")
        }
        for properties in example.others {
            #expect(try classify(text, properties).description?.name == "untagged", "\(properties)")
        }
    }

    @Test("nothing to match matches nothing", arguments: ["", "{ }"]) func nothingToMatchMatchesNothing(matches: String)
        throws
    {
        let text = "rules = [ \(rule(matches, "role = music")) ]"
        #expect(try classify(text, ["a": "x"], warnings: 1).description?.name == "untagged")
    }

    @Test("rules run in order over all layers, and later ones see what earlier ones did")
    func rulesRunInOrderOverAllLayersAndLaterOnesSee() throws {
        let folders = PolicyFolders()
        try folders.write(
            "rules = [ \(rule("{ a = x }", "role = music fade = 20")) \(rule("{ a = x }", "release-delay = 30")) ]",
            to: "usr/share/audio-session/policy.conf.d/50.conf")
        try folders.write(
            "rules = [ \(rule("{ a = x }", "priority = alarm")) ]", to: "config/audio-session/policy.conf")
        func result(_ arguments: String?) throws -> SessionDescription? {
            let loaded = folders.load(arguments)
            #expect(loaded.diagnostics == [])
            return loaded.classifier.classify(direction: .playback) { $0 == "a" ? "x" : nil }.description
        }
        var expected = try described("music")
        expected.fade = .milliseconds(20)
        expected.releaseDelay = .milliseconds(30)
        expected.priority = .alarm
        #expect(try result(nil) == expected)
        // A later role starts over.
        #expect(try result("rules = [ \(rule("{ a = x }", "role = movie")) ]") == described("video"))
        #expect(try result("rules = [ \(rule("{ a = x }", "role = none")) ]") == nil)
        #expect(try result("rules = [ \(rule("{ a = x }", "role = dsp")) ]") == nil)
        // What is left alone has nothing to change; but it can be given a role.
        let leftAlone = rule("{ a = x }", "role = none")
        #expect(try result("rules = [ \(leftAlone) \(rule("{ a = x }", "fade = 50")) ]") == nil)
        #expect(try result("rules = [ \(leftAlone) \(rule("{ a = x }", "role = game")) ]") == described("game"))
    }

    @Test(
        "a rule changes what a role would have with the same keys",
        arguments: [
            (
                "category = record options = [ allow-bluetooth-input ]",
                "category = record options = [ allow-bluetooth-input ]"
            ),
            ("mode = spoken-audio", "mode = spoken-audio"), ("priority = 7", "priority = 7"),
            ("fade = 20 handover = hold", "fade = 20 handover = hold"), ("resume = never", "resume = never"),
            ("release-delay = 9 interruptible = false", "release-delay = 9 interruptible = false"),
            (
                "options = [ duck-others ] duck = { gain = -30 hold = 5 }",
                "options = [ duck-others ] duck = { gain = -30 hold = 5 }"
            ),
        ])
    func ruleChangesWhatRoleWouldHaveWithSameKeys(update: String, role: String) throws {
        let changed = try #require(PolicyFile(text: "roles = { music = { \(role) } }", named: "t").policy)
        let expected = changed.description(of: Role("music"), direction: .playback)
        // On the stream's own role, and on one that the rule gives.
        let own = try classify("rules = [ \(rule("{ a = x }", update)) ]", ["a": "x", "media.role": "Music"])
        #expect(own.description == expected)
        let given = try classify("rules = [ \(rule("{ a = x }", "role = music \(update)")) ]", ["a": "x"])
        #expect(given.description == expected)
    }

    @Test("parts that rules put together go together") func partsThatRulesPutTogetherGoTogether() throws {
        let text = "rules = [ \(rule("{ a = x }", "category = play-and-record")) ]"
        let alarm = try #require(try classify(text, ["a": "x", "media.role": "alarm"]).description)
        #expect(alarm.category == .playAndRecord)
        #expect(alarm.handover == .overlap)
        let music = try classify(
            "rules = [ \(rule("{ a = x }", "category = ambient")) ]", ["a": "x", "media.role": "music"])
        #expect(music.description?.options == [])
    }

    @Test("media.role is matched as the server has it") func mediaRoleIsMatchedAsServerHasIt() throws {
        let text = "rules = [ \(rule("{ media.role = Music }", "role = game")) ]"
        #expect(try classify(text, ["media.role": "Music"]).description?.name == "game")
        #expect(try classify(text, ["media.role": "music"]).description?.name == "music")
    }

    @Test("every step is explained with its place") func everyStepIsExplainedWithItsPlace() throws {
        let folders = PolicyFolders()
        let path = try folders.write(
            """
            roles = { music = { fade = 50 } }
            rules = [
                { matches = [ { a = x } ] actions = { update-session = { priority = 7 fade = 20 } } }
                { matches = [ { a = y } ] actions = { update-session = { role = none } } }
                { matches = [ { a = x } ] actions = { update-session = { role = movie } } }
            ]
            """, to: "etc/audio-session/policy.conf")
        let classifier = folders.load().classifier
        func steps(_ properties: [String: String], _ direction: StreamDirection = .playback) -> [String] {
            classifier.classify(direction: direction) { properties[$0] }.steps.map { step in
                step.text + (step.origin.map { " (\($0.place.line):\($0.place.column))" } ?? "")
            }
        }
        #expect(
            classifier.classify(direction: .playback) { ["media.role": "music"][$0] }.steps.first?.origin?.file == path)
        #expect(
            steps(["media.role": "Music", "a": "x"]) == [
                "its media.role is music: it is music (1:11)", "a rule changes its priority and fade (3:5)",
                "a rule makes it video (5:5)",
            ])
        #expect(steps([:]) == ["it has no media.role: it is untagged"])
        #expect(steps([:], .capture) == ["it has no media.role: it is left alone, as untagged-capture is"])
        #expect(
            steps(["media.role": "Fun", "a": "y"]) == [
                "its media.role is fun, which is no known role: it is untagged", "a rule leaves it alone (4:5)",
            ])
        #expect(
            steps(["media.role": "DSP"]) == ["its media.role is dsp: it is left alone"])
    }

    @Test("R66 R76 R79 a session takes what is left alone only for want of a role", arguments: [false, true])
    func leftAlone(isCapture: Bool) throws {
        let name = isCapture ? "untagged-capture" : "untagged"
        let own = SessionDescription(name: name, category: isCapture ? .record : .playback)
        func inSession(_ text: String, _ properties: [String: String] = [:]) throws -> SessionDescription? {
            let result = try classify("untagged = none " + text, properties, capture: isCapture)
            #expect(result.description == nil)
            return result.descriptionInSession
        }
        #expect(try inSession("") == own)
        #expect(try inSession("", ["media.role": "fun"]) == own)
        #expect(try inSession("rules = [ \(rule("{ a = x }", "priority = alarm")) ]", ["a": "x"]) == own)
        #expect(try inSession("", ["media.role": "production"]) == nil)
        #expect(try inSession("rules = [ \(rule("{ a = x }", "role = none")) ]", ["a": "x"]) == nil)
        let claim = "claims = { phone = { allow = [ { a = x } ] otherwise = dsp } }"
        #expect(try inSession(claim, ["media.role": "phone"]) == nil)
        let result = try classify("untagged = none", ["media.role": "phone"], capture: isCapture)
        #expect(result.description != nil && result.descriptionInSession == result.description)
    }

    @Test("policies with the same rules are the same wherever these are written")
    func policiesWithSameRulesAreSameWhereverThese() throws {
        let one = rule("{ a = ~x }", "role = music fade = 20")
        let classifiers = [
            "rules = [ \(one) ]", "\n\n  rules = [ \(one) ]",
            "rules = [ \(rule("{ a = ~y }", "role = music fade = 20")) ]",
            "rules = [ \(rule("{ a = ~x }", "role = music fade = 21")) ]", "",
        ].map { PolicyFile(text: $0, named: "t").classifier }
        #expect(classifiers[0] == classifiers[1])
        for other in classifiers[2...] { #expect(classifiers[0] != other) }
    }
}
