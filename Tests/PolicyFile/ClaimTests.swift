import PolicyEngine
import Testing

@testable import PolicyFile

/// A policy, a stream, and what it becomes.
private struct Claiming: Sendable, CustomTestStringConvertible {
    var policy: String
    var properties: [String: String]
    var role: String
    /// The description's name and priority; `nil` is left alone.
    var expected: (name: String, priority: UInt8)?
    var refused: String?

    init(
        _ policy: String, _ role: String, _ properties: [String: String] = [:], is expected: (String, UInt8)?,
        refused: String? = nil
    ) {
        self.policy = policy
        self.role = role
        self.properties = properties
        self.expected = expected
        self.refused = refused
    }

    var testDescription: String { "\(policy) \(role) \(properties)" }
}

private let calls = "claims = { phone = { allow = [ { application.name = Calls } { application.name = ~^Jami } ] } }"
private let calls2 = "claims = { phone = { allow = [ { application.name = Calls } ] otherwise = music } }"

private let claimings: [Claiming] = [
    Claiming("", "phone", is: ("phone", 200)),
    Claiming("claims = { phone = any }", "phone", is: ("phone", 200)),
    Claiming(calls, "phone", ["application.name": "Calls"], is: ("phone", 200)),
    Claiming(calls, "Communication", ["application.name": "Jami 2"], is: ("phone", 200)),
    // Refused: the second-best category
    Claiming(calls, "phone", ["application.name": "Spam"], is: ("phone", 0), refused: "phone"),
    Claiming(calls, "phone", is: ("phone", 0), refused: "phone"),
    Claiming(calls, "ringtone", ["application.name": "Spam"], is: ("ringtone", 0), refused: "phone"),
    Claiming(calls2, "phone", ["application.name": "Spam"], is: ("music", 0), refused: "phone"),
    Claiming("claims = { phone = { allow = [ { a = x } ] otherwise = dsp } }", "phone", is: nil, refused: "phone"),
    // A claim covers what is at or above its priority, and below the next.
    Claiming(calls, "alarm", is: ("alarm", 100)),
    Claiming(calls, "music", is: ("music", 0)),
    Claiming("claims = { alarm = { allow = [ { a = x } ] } }", "alarm", is: ("alarm", 0), refused: "alarm"),
    Claiming("claims = { alarm = { allow = [ { a = x } ] } }", "alarm", ["a": "x"], is: ("alarm", 100)),
    Claiming("claims = { alarm = { allow = [ { a = x } ] } }", "phone", is: ("phone", 200)),
    Claiming(
        "roles = { game = { priority = 150 } } claims = { alarm = { allow = [ { a = x } ] } }", "game", is: ("game", 0),
        refused: "alarm"),
    Claiming(
        "roles = { game = { priority = 255 } } claims = { phone = { allow = [ { a = x } ] } }", "game", is: ("game", 0),
        refused: "phone"),
    Claiming(
        "roles = { game = { priority = 99 } } claims = { alarm = { allow = [ { a = x } ] } }", "game", is: ("game", 99)),
    // What the administrator gives needs no claim.
    Claiming(
        calls + " rules = [ { matches = [ { a = x } ] actions = { update-session = { role = phone } } } ]", "music",
        ["a": "x"], is: ("phone", 200)),
    Claiming(
        calls + " rules = [ { matches = [ { a = x } ] actions = { update-session = { role = phone } } } ]", "phone",
        ["a": "x"], is: ("phone", 200), refused: "phone"),
    Claiming(calls + " untagged = { priority = phone }", "", is: ("untagged", 200)),
    Claiming(calls + " untagged = { priority = phone }", "unheard-of", is: ("untagged", 200)),
]

@Suite struct ClaimTests {
    @Test("N11 only those may be phone or alarm who are allowed to", arguments: claimings)
    fileprivate func onlyThoseMayBePhoneOrAlarmWhoAreAllowedTo(
        claiming: Claiming
    ) throws {
        let file = PolicyFile(text: claiming.policy, named: "t")
        #expect(file.diagnostics == [])
        let result = try #require(file.classifier).classify(direction: .playback) { key in
            key == "media.role" && !claiming.role.isEmpty ? claiming.role : claiming.properties[key]
        }
        #expect(result.description?.name == claiming.expected?.name)
        #expect(result.description?.priority.rawValue == claiming.expected?.priority)
        #expect(result.refusedClaim == claiming.refused)
        // A refused ringtone is not waited for.
        if claiming.refused != nil, let description = result.description { #expect(description.handover == .overlap) }
    }

    @Test("N11 an empty list allows nobody") func emptyListAllowsNobody() throws {
        let file = PolicyFile(text: "claims = { phone = { allow = [ ] } }", named: "t")
        #expect(file.diagnostics.map(\.severity) == [.warning])
        let result = file.classifier?.classify(direction: .playback) { $0 == "media.role" ? "phone" : "x" }
        #expect(result?.refusedClaim == "phone")
    }

    @Test("N11 both sides of a claim are laid over by themselves") func bothSidesOfClaimAreLaidOverByThemselves() throws
    {
        let folders = PolicyFolders()
        try folders.write(
            "claims = { phone = { allow = [ { a = x } ] otherwise = music } }", to: "etc/audio-session/policy.conf")
        try folders.write("claims = { phone = { allow = [ { a = y } ] } }", to: "config/audio-session/policy.conf")
        func name(_ arguments: String?, _ a: String) -> String? {
            folders.load(arguments).classifier.classify(direction: .playback) {
                $0 == "media.role" ? "phone" : a
            }.description?.name
        }
        #expect(name(nil, "x") == "music")
        #expect(name(nil, "y") == "phone")
        #expect(name("claims = { phone = { otherwise = game } }", "x") == "game")
        #expect(name("claims = { phone = any }", "x") == "phone")
    }

    @Test("N11 a claim's verdict is explained with its place") func claimsVerdictIsExplainedWithItsPlace() throws {
        let classifier = try #require(PolicyFile(text: calls2, named: "t").classifier)
        for (name, text) in [
            ("Calls", "it may claim the priority of phone"),
            ("Spam", "it may not claim the priority of phone: it is music"),
        ] {
            let steps = classifier.classify(direction: .playback) {
                $0 == "media.role" ? "phone" : $0 == "application.name" ? name : nil
            }.steps
            #expect(steps.map(\.text) == ["its media.role is phone: it is phone", text])
            #expect(steps.last?.origin == Origin(file: "t", place: Place(line: 1, column: 30)))
        }
    }
}
