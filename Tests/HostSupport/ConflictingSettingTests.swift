import HostSupport
import Testing

@Suite("a setting of the session manager that works against the policy")
struct ConflictingSettingTests {
    /// The setting while it is in the way, or not.
    private func setting(isInTheWay: Bool) -> ConflictingSetting {
        var setting = ConflictingSetting()
        #expect(setting.update(isInTheWay: isInTheWay) == nil)
        return setting
    }

    @Test("is turned off while it is in the way, once, and on again afterwards")
    func makesWay() {
        var setting = setting(isInTheWay: true)
        #expect(setting.report(true) == false)
        // Repeated for another listener before the change arrives.
        #expect(setting.report(true) == nil)
        #expect(setting.report(false) == nil)
        #expect(setting.report(false) == nil)
        #expect(setting.update(isInTheWay: true) == nil)
        #expect(setting.update(isInTheWay: false) == true)
        #expect(setting.report(true) == nil)
        #expect(setting.update(isInTheWay: true) == false)
    }

    @Test("is given back also before the session manager has answered")
    func givenBackAtOnce() {
        var setting = setting(isInTheWay: true)
        #expect(setting.report(true) == false)
        #expect(setting.update(isInTheWay: false) == true)
    }

    @Test("that is off, or that there is not, is left alone")
    func off() {
        var setting = setting(isInTheWay: true)
        #expect(setting.report(false) == nil)
        #expect(setting.update(isInTheWay: false) == nil)
        #expect(setting.update(isInTheWay: true) == nil)
        #expect(setting.report(nil) == nil)
        #expect(setting.update(isInTheWay: false) == nil)
        #expect(!setting.isKept)
    }

    @Test("that is not in the way stays on")
    func notInTheWay() {
        var setting = setting(isInTheWay: false)
        #expect(setting.report(true) == nil)
        #expect(!setting.isKept)
        #expect(setting.update(isInTheWay: true) == false)
    }

    @Test("stays on when somebody else turns it on again, and nothing is given back")
    func kept() {
        var setting = setting(isInTheWay: true)
        #expect(setting.report(true) == false)
        #expect(setting.report(false) == nil)
        #expect(setting.report(true) == nil)
        #expect(setting.isKept)
        #expect(setting.update(isInTheWay: true) == nil)
        #expect(setting.update(isInTheWay: false) == nil)
        #expect(!setting.isKept)
        // Turned off by whoever has turned it on, it is as if it had never been ours.
        #expect(setting.report(false) == nil)
        #expect(setting.update(isInTheWay: false) == nil)
    }

    @Test("that was off is left on when somebody turns it on while it is in the way, as often as they do")
    func turnedOnLater() {
        var setting = setting(isInTheWay: true)
        #expect(setting.report(false) == nil)
        for _ in 0..<2 {
            #expect(setting.report(true) == nil)
            #expect(setting.isKept)
            #expect(setting.report(false) == nil)
            #expect(!setting.isKept)
        }
        #expect(setting.update(isInTheWay: false) == nil)
    }

    @Test("is given back when its answers come late")
    func lateAnswers() {
        var setting = setting(isInTheWay: true)
        #expect(setting.report(true) == false)
        #expect(setting.update(isInTheWay: false) == true)
        #expect(setting.update(isInTheWay: true) == false)
        for answer in [false, true, false] { #expect(setting.report(answer) == nil) }
        #expect(!setting.isKept)
        #expect(setting.update(isInTheWay: false) == true)
    }

    @Test("of a session manager that has gone is not given back")
    func gone() {
        var setting = setting(isInTheWay: true)
        #expect(setting.report(true) == false)
        #expect(setting.report(false) == nil)
        #expect(setting.report(nil) == nil)
        #expect(setting.update(isInTheWay: false) == nil)
    }
}
