import HostSupport
import PolicyEngine
import Testing

/// When a stream's node is active and when it is muted, on PipeWire.
@Suite struct NodeActivityTests {
    private func node(isActive: Bool = true, isUnanswered: Bool = false, ignoresPause: Bool = false) -> NodeActivity {
        NodeActivity(isActive: isActive, isUnanswered: isUnanswered, ignoresPause: ignoresPause)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var isActive: Bool
        var isUnanswered = false
        var ignoresPause = false
        var isHeld = false
        /// Wanted, active, muted.
        var expected: [Bool]
        var testDescription: String {
            "\(isActive ? "active" : "paused")\(isUnanswered ? ", unanswered" : "")"
                + "\(ignoresPause ? ", ignores a pause" : "")\(isHeld ? ", held" : "")"
        }
    }

    @Test(
        "R9 R34 what the client wants and what the policy does come together",
        arguments: [
            Case(isActive: true, expected: [true, true, false]),
            Case(isActive: true, isHeld: true, expected: [true, false, false]),
            Case(isActive: false, expected: [false, false, false]),
            Case(isActive: false, isHeld: true, expected: [false, false, false]),
            Case(isActive: true, ignoresPause: true, isHeld: true, expected: [true, true, true]),
            Case(isActive: true, isUnanswered: true, expected: [false, true, false]),
            Case(isActive: true, isUnanswered: true, isHeld: true, expected: [false, true, true]),
            Case(isActive: false, isUnanswered: true, isHeld: true, expected: [false, false, true]),
        ])
    func table(row: Case) {
        var node = node(isActive: row.isActive, isUnanswered: row.isUnanswered, ignoresPause: row.ignoresPause)
        #expect(node.hold(row.isHeld) == row.isHeld)
        #expect(node.hold(row.isHeld) == false)
        #expect([node.wantsToPlay, node.shouldBeActive, node.isMuted] == row.expected)
    }

    @Test("R9 a client that changes its mind while it is corked is heard by the policy, and stays corked")
    func mind() {
        var node = node()
        _ = node.hold(true)
        #expect(node.want(false) == false)
        #expect(node.want(false) == nil)
        #expect(node.want(true) == true)
        #expect(!node.shouldBeActive)
        _ = node.hold(false)
        #expect(node.shouldBeActive && !node.isMuted)
    }

    @Test("R34 a stream of a PulseAudio client that appears amid a call starts muted, is answered, and is corked then")
    func unanswered() {
        var node = node(isUnanswered: true)
        _ = node.hold(true)
        #expect(node.shouldBeActive && node.isMuted)
        #expect(node.want(false) == nil, "its answer is still to come")
        #expect(node.want(true) == nil)
        #expect(node.started() == true)
        #expect(node.started() == nil)
        // Muted until its node is inactive.
        #expect(!node.shouldBeActive && node.isMuted && node.isMutedUntilCorked)
        node.activityApplied()
        #expect(!node.isMuted)
    }

    @Test("R8 one that the policy would reject starts muted, and is corked or heard then", arguments: [true, false])
    func guarded(isRejected: Bool) {
        var node = node(isUnanswered: true)
        node.guardStart(true)
        #expect(node.mayStart && node.shouldBeActive && node.isMuted)
        node.guardStart(false)
        #expect(!node.isMuted)
        node.guardStart(true)
        #expect(node.started() == true)
        if isRejected { _ = node.hold(true) }
        #expect(!node.mayStart && node.shouldBeActive == !isRejected && node.isMuted == isRejected)
        node.activityApplied()
        #expect(!node.isMuted)
    }

    @Test("R34 one that is created paused is answered, and its client is not said to want it")
    func paused() {
        var node = node(isUnanswered: true)
        #expect(node.want(false) == nil)
        #expect(node.started() == false)
        #expect(!node.wantsToPlay && !node.shouldBeActive && !node.isMuted)
        #expect(node.want(true) == true)
    }
}
