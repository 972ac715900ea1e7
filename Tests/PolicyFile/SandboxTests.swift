import PolicyEngine
import Testing

@testable import PolicyFile

/// What programs in sandboxes may claim (N11, N20).
@Suite struct SandboxTests {
    private let call = ["media.role": "phone", "application.process.binary": "linphone"]

    private func classify(
        _ text: String, _ properties: [String: String], mayRecord: Bool = false, sandbox: String = "org.example.App"
    ) throws -> Classification {
        let file = PolicyFile(text: text, named: "policy.conf")
        #expect(file.diagnostics.isEmpty)
        var properties = properties
        properties["pipewire.access.portal.app_id"] = sandbox
        return try #require(file.classifier).classify(direction: .playback, access: .confined(mayRecord: mayRecord)) {
            properties[$0]
        }
    }

    private func isCall(_ result: Classification) -> Bool { (result.description?.priority ?? .normal) >= .phone }

    @Test("N11 a sandbox without the microphone is not in a call") func sandboxWithoutMicrophoneIsNotInCall() throws {
        let result = try classify("", call)
        #expect(!isCall(result))
        #expect(result.refusedClaim == "phone")
        #expect(result.description?.name == "phone")
        #expect(result.steps.last?.text.contains("from inside a sandbox") == true)
        #expect(try !isCall(classify("", ["media.role": "alarm"])))
        #expect(try classify("", ["media.role": "music"]).refusedClaim == nil)
    }

    @Test("N11 one with the microphone is") func oneWithMicrophoneIs() throws {
        #expect(try isCall(classify("", call, mayRecord: true)))
        // Not where the policy names who may.
        let named = "claims = { phone = { allow = [ { application.process.binary = linphone } ] } }"
        #expect(try !isCall(classify(named, call, mayRecord: true)))
    }

    @Test("a line names a sandbox by what is verified, and by nothing else")
    func lineNamesSandboxByWhatIsVerifiedAndByNothing() throws {
        func allow(_ match: String) -> String { "claims = { phone = { allow = [ { \(match) } ] } }" }
        #expect(try isCall(classify(allow("pipewire.access.portal.app_id = org.example.App"), call)))
        #expect(try !isCall(classify(allow("pipewire.access.portal.app_id = org.example.Other"), call)))
        #expect(try !isCall(classify(allow("application.process.binary = linphone"), call)))
        #expect(try isCall(classify("claims = { phone = any }", call)))
        #expect(try !isCall(classify("claims = { phone = usual }", call)))
        func rule(_ match: String) -> String {
            "rules = [ { matches = [ { \(match) } ] actions = { update-session = { role = phone } } } ]"
        }
        let untagged = ["application.process.binary": "linphone"]
        #expect(try isCall(classify(rule("pipewire.access.portal.app_id = org.example.App"), untagged)))
        #expect(try !isCall(classify(rule("application.process.binary = linphone"), untagged)))
    }

    @Test("N20 what concerns the desktop is for those outside, and for those whom a line names")
    func whatConcernsDesktopIsForThoseOutside() throws {
        func may(_ text: String, _ sandbox: String?) throws -> Bool {
            let file = PolicyFile(text: text, named: "policy.conf")
            let access: ClientAccess = sandbox == nil ? .outside : .confined(mayRecord: true)
            return try #require(file.classifier).mayControlDesktop(access: access) {
                $0 == "pipewire.access.portal.app_id" ? sandbox : "x"
            }
        }
        #expect(try may("", nil))
        #expect(try !may("", "org.example.App"))
        let line = "claims = { desktop = { allow = [ { pipewire.access.portal.app_id = org.example.App } ] } }"
        #expect(try may(line, "org.example.App"))
        #expect(try !may(line, "org.example.Other"))
        #expect(try !may("claims = { desktop = { allow = [ { application.name = x } ] } }", "org.example.App"))
        #expect(try may("claims = { desktop = any }", "org.example.App"))
        #expect(try may(line, nil))
    }
}
