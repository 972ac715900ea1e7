import PolicyEngine
import Testing

@testable import PolicyFile

/// A stream whose role goes the other way: pw-record calls every recording Music.
@Suite struct DirectionTests {
    private static let outputRoles = [
        "music", "Movie", "game", "animation", "event", "alarm", "ringtone", "navigation", "prompt", "a11y",
    ]
    /// A role that only records, and one that has no device.
    private static let roles =
        "roles = { memo = { category = record } encoder = { category = audio-processing } } "

    private func classify(
        _ text: String, _ properties: [String: String], _ direction: StreamDirection = .capture
    ) throws -> Classification {
        let file = PolicyFile(text: Self.roles + text, named: "t")
        #expect(file.diagnostics == [])
        return try #require(file.classifier).classify(direction: direction) { properties[$0] }
    }

    private func steps(_ result: Classification) -> [String] { result.steps.map(\.text) }

    private func rule(_ update: String) -> String {
        "rules = [ { matches = [ { a = x } ] actions = { update-session = { \(update) } } } ]"
    }

    @Test("R18 a recording whose role does not record has none", arguments: outputRoles)
    func recordingWhoseRoleDoesNotRecordHasNone(role: String) throws {
        let record = SessionDescription(name: "untagged-capture", category: .record)
        #expect(try classify("preset = phone", ["media.role": role]).description == record)
        let desktop = try classify("", ["media.role": role])
        #expect(desktop.description == nil)
        // It is left alone for want of a role alone, so a session takes it.
        #expect(desktop.descriptionInSession == record)
        // Nor has it a claim that could be refused.
        let nobody = "{ allow = [ { a = y } ] }"
        let claims = "claims = { phone = \(nobody) alarm = \(nobody) }"
        #expect(try classify(claims, ["media.role": role]).refusedClaim == nil)
        #expect(try classify("", ["media.role": role, "audio-session.category": "record"]).description == record)
    }

    @Test("R17 a playback stream whose role only records has none") func playbackStreamWhoseRoleOnlyRecordsHasNone()
        throws
    {
        let result = try classify("", ["media.role": "Memo"], .playback)
        #expect(result.description == Policy.desktop.untagged)
        #expect(steps(result) == ["its media.role is memo, which does not play: it is untagged"])
        #expect(try classify("untagged = none", ["media.role": "memo"], .playback).description == nil)
    }

    @Test(
        "a role that goes both ways, or neither, is that role, and one that is left alone stays so",
        arguments: [StreamDirection.playback, .capture])
    func roleThatGoesBothWaysOrNeitherIsThatRole(
        direction: StreamDirection
    ) throws {
        for role in ["phone", "encoder"] {
            #expect(try classify("", ["media.role": role], direction).description?.name == role)
        }
        let dsp = try classify("", ["media.role": "dsp"], direction)
        #expect(dsp.description == nil && dsp.descriptionInSession == nil)
        #expect(
            try classify("", ["media.role": "memo"], .capture).description?.name == "memo")
    }

    @Test("explanations say why it is not what its role says") func explanationsSayWhyItIsNotWhatItsRoleSays() throws {
        #expect(
            steps(try classify("preset = phone", ["media.role": "Music"]))
                == ["its media.role is music, which does not record: it is untagged-capture"])
        #expect(
            steps(try classify("", ["media.role": "Music"]))
                == ["its media.role is music, which does not record: it is left alone, as untagged-capture is"])
    }

    @Test("N14 whose recording calls itself music is paired all the same") func whoseRecordingCallsItselfMusicIsPaired()
        throws
    {
        let listener = try classify("capture-pairing = true", [:]).description
        #expect(listener != nil)
        #expect(try classify("capture-pairing = true", ["media.role": "Music"]).description == listener)
    }

    @Test("rules see the role that is said, and have the last word") func rulesSeeRoleThatIsSaidAndHaveLastWord() throws
    {
        let byRole =
            "rules = [ { matches = [ { media.role = Music } ] actions = { update-session = { role = phone } } } ]"
        #expect(try classify(byRole, ["media.role": "Music"]).description?.name == "phone")
        let music = ["a": "x", "media.role": "Music"]
        // A category that is said is meant.
        let recorder = try classify(rule("role = music category = record options = [ ]"), music).description
        #expect(recorder?.name == "music" && recorder?.category == .record)
        #expect(try classify("preset = phone " + rule("category = ambient"), music).description?.category == .ambient)
        let alone = try classify("preset = phone " + rule("role = none"), music)
        #expect(alone.description == nil && alone.descriptionInSession == nil)
    }

    @Test("a rule's role is for the streams of an application that it can be, and passes over the others")
    func rulesRoleIsForStreamsOfApplication() throws {
        let browser = ["a": "x"]
        let video = rule("role = video fade = 20")
        #expect(try classify(video, browser, .playback).description?.name == "video")
        let desktop = try classify(video, browser)
        #expect(desktop.description == nil && desktop.descriptionInSession?.category == .record)
        #expect(
            steps(desktop) == [
                "it has no media.role: it is left alone, as untagged-capture is",
                "a rule makes it video, which does not record: it stays as it is",
            ])
        let phone = try classify("preset = phone " + video, browser).description
        #expect(phone == SessionDescription(name: "untagged-capture", category: .record))
        // So is what its own role has made of it.
        #expect(
            try classify(video, ["a": "x", "media.role": "memo"]).description?.name == "memo")
        let tagged = try classify(video, ["a": "x", "audio-session.category": "record"]).description
        #expect(tagged == SessionDescription(name: "untagged-capture", category: .record))
    }

    @Test("N11 what a refused call is instead is for its playback, and its recording has no role")
    func whatRefusedCallIsInsteadIsForItsPlayback() throws {
        let claims = "claims = { phone = { allow = [ { a = y } ] otherwise = video } }"
        let call = ["media.role": "phone"]
        #expect(try classify(claims, call, .playback).description?.name == "video")
        let capture = try classify(claims, call)
        #expect(capture.refusedClaim == "phone" && capture.description == nil)
        #expect(capture.descriptionInSession?.category == .record)
        #expect(
            steps(capture) == [
                "its media.role is phone: it is phone",
                "it may not claim the priority of phone: it is video, which does not record, so it is left alone, as "
                    + "untagged-capture is",
            ])
        #expect(try classify("preset = phone " + claims, call).description?.name == "untagged-capture")
    }
}
