import Testing

@testable import SessionTestKit

/// What tells that the machine may have lost sound.
@Suite struct MachineWatchTests {
    private static let line =
        "[I][00893.500000] pw.node      | [     impl-node.c: 1058 dump_states()] (pw-play-44) client too slow! rate:1024/48000"

    @Test("a line about a cycle that a node has missed has its moment")
    func lineHasItsMoment() {
        #expect(MachineWatch.moment(ofLostCycle: Substring(Self.line)) == .milliseconds(893_500))
        for other in ["[I][00893.5] pw.node | (pw-play-44) idle -> running", "client too slow!", ""] {
            #expect(MachineWatch.moment(ofLostCycle: Substring(other)) == nil)
        }
    }
}
