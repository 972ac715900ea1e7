import DesktopServices
import HostSupport
@testable import PolicyRuntime
import Testing

@Suite("which metadata is the session manager's")
struct ManagerChoiceTests {
    /// Processes by their numbers: what each runs, and whether that is in a sandbox.
    private struct Processes: ProcessTree {
        var programs: [UInt32: (executable: String, isSandboxed: Bool)]

        func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? {
            programs[process] == nil ? nil : (1, UInt64(process))
        }
        func confinement(of process: UInt32) -> Confinement {
            programs[process]?.isSandboxed == true ? .sandbox(AppSandbox("org.example.App")) : .unconfined
        }
        func executable(of process: UInt32) -> String? { programs[process]?.executable }
    }

    private static let manager = "/usr/bin/wireplumber"
    private let processes = Processes(programs: [
        10: (manager, false), 11: (manager, false), 20: ("/usr/bin/other", false), 21: ("/usr/bin/third", false),
        30: ("/app/bin/player", true),
    ])

    private func program(_ process: UInt32) -> Program? { processes.program(of: process) }

    @Test("the first is, and stays when others call theirs the same")
    func first() {
        var choice = ManagerChoice<String>()
        #expect(choice.chosen == nil)
        choice.add("real", of: program(10))
        choice.add("other", of: program(20))
        #expect(choice.chosen == "real")
        choice.remove("other")
        #expect(choice.chosen == "real")
    }

    @Test("when it starts again it is found, whoever was there meanwhile, and however many")
    func again() {
        var choice = ManagerChoice<String>()
        choice.add("real", of: program(10))
        for number in 0..<50 { choice.add("other \(number)", of: program(20)) }
        #expect(choice.all.count == 2)
        choice.remove("real")
        #expect(choice.chosen == "other 0")
        choice.add("again", of: program(11))
        #expect(choice.chosen == "again")
    }

    @Test("many programs leave room for it")
    func crowd() {
        var processes = processes
        for number in 100..<200 { processes.programs[UInt32(number)] = ("/usr/bin/other", false) }
        var choice = ManagerChoice<Int>()
        choice.add(1, of: processes.program(of: 10))
        for number in 100..<200 { choice.add(number, of: processes.program(of: UInt32(number))) }
        #expect(choice.all.count == 1 + ManagerChoice<Int>.most)
        choice.remove(1)
        choice.add(2, of: processes.program(of: 11))
        #expect(choice.chosen == 2)
    }

    @Test("what runs in a sandbox, and what is not known, is not asked")
    func sandboxes() {
        var choice = ManagerChoice<String>()
        choice.add("sandbox", of: program(30))
        choice.add("unknown", of: program(99))
        #expect(choice.chosen == nil)
        choice.add("real", of: program(10))
        #expect(choice.chosen == "real")
        choice.remove("real")
        #expect(choice.chosen == nil)
    }

    @Test("the same program may offer it anew before it takes the old one back")
    func replaced() {
        var choice = ManagerChoice<String>()
        choice.add("old", of: program(10))
        choice.add("new", of: program(10))
        #expect(choice.chosen == "old")
        choice.remove("old")
        #expect(choice.chosen == "new")
    }
}
