import HostSupport
import Testing

@Suite struct ModuleArgumentsTests {
    private func mistake(_ text: String) -> String? {
        guard case .failure(let mistake) = ModuleArguments.read(text) else { return nil }
        return mistake.text
    }

    @Test(
        "without a word there is a bus and no other policy", arguments: ["", "  ", "dbus=yes", "dbus=on", " dbus=1 "])
    func withoutWordThereIsBusAndNoOtherPolicy(text: String) throws {
        let read = try ModuleArguments.read(text).get()
        #expect(read == ModuleArguments())
        #expect(read.policyText == nil)
    }

    @Test("all of them, in quotes of either kind") func allOfThemInQuotesOfEitherKind() throws {
        let read = try ModuleArguments.read("policy='/etc/a b.conf' dbus=no preset=\"car\"").get()
        #expect(read.policy == "/etc/a b.conf")
        #expect(read.preset == "car")
        #expect(!read.servesBus)
        #expect(read.policyText == #"{ policy = "/etc/a b.conf" preset = "car" }"#)
    }

    @Test("what the reader of policies takes for its own is written so that it does not")
    func whatReaderOfPoliciesTakesForItsOwnIsWritten() throws {
        let read = try ModuleArguments.read(#"policy='/a"b\c'"#).get()
        #expect(read.policyText == #"{ policy = "/a\"b\\c" }"#)
    }

    @Test(
        "a wrong one is named, with those that there are",
        arguments: [
            ("bogus=1", "there is no argument bogus"),
            ("phone", "'phone' is not KEY=VALUE"),
            ("preset", "'preset' is not KEY=VALUE"),
            ("a b=c", "'a b=c' is not KEY=VALUE"),
            ("dbus=maybe", "dbus=maybe is neither yes nor no"),
            ("dbus=", "dbus= is neither yes nor no"),
            ("policy=phone", "policy=phone is not the path of a file, which begins with /"),
            ("preset=/etc/car.conf", "preset=/etc/car.conf is not a name"),
            ("preset='car", "the value of preset has no end"),
            ("preset='car'dbus=no", "there is no blank after the value of preset"),
            ("dbus=no dbus=yes", "dbus is there twice"),
        ])
    func wrongOneIsNamedWithThoseThatThereAre(text: String, message: String) {
        #expect(
            mistake(text) == "module arguments: \(message); there are: policy=/PATH preset=NAME dbus=yes|no")
    }
}
