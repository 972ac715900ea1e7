import PolicyEngine

/// What has to hold in every state beside what always holds (`Property`): there is a way out of it.
extension World {
    /// What is wrong with this state; `nil` when nothing is.
    var flaw: String? { violation ?? wrongEnd }

    private var isSuspended: Bool { switches.pausedUntil != nil }

    /// Everything ends, one thing after the other: nobody stays interrupted, nobody waits for ever, everybody can be
    /// heard afterwards, and nothing is left of all that.
    private var wrongEnd: String? {
        var world = self
        if world.isSuspended { _ = world.play(.suspension) }
        if world.isCalling { _ = world.play(.call) }
        if world.isRinging { _ = world.play(.ringing) }
        world.rest()
        var limit = 4 * members.count
        while limit > 0, let index = world.members.indices.first(where: { world.isActive($0) }) {
            limit -= 1
            if world.members[index].isWanted { _ = world.play(.stream(index)) }
            _ = world.play(.leave(index))
            world.rest()
        }
        if limit == 0 { return "deactivation never ends: " + (world.violation ?? "somebody is always active") }
        for index in world.members.indices {
            guard let state = world.engine.state(of: world.members[index].id) else { return "a session is unknown" }
            if state.isInterrupted { return world.violation ?? "still interrupted when nobody is active" }
            if state.isDelayed { return world.violation ?? "N9 still waiting when nobody is active" }
        }
        for index in world.members.indices {
            _ = world.play(.activate(index))
            if !world.isActive(index) { return world.violation ?? "R10 cannot be active though nobody else is" }
            _ = world.play(.leave(index))
        }
        world.vanish()
        world.rest()
        if world.engine.sessionCount != 0 || world.engine.streamCount != 0 {
            return world.violation ?? "something is left when all are gone"
        }
        return world.violation
    }

    private func isActive(_ index: Int) -> Bool { engine.state(of: members[index].id)?.isActive ?? false }

    /// Whatever fades has faded, and all time has passed.
    private mutating func rest() {
        var limit = 64
        var isDone = false
        while !isDone && limit > 0 {
            limit -= 1
            isDone = true
            for index in members.indices where settle(index) { isDone = false }
            if play(.clock) { isDone = false }
        }
        if limit == 0 { fail("it never comes to rest") }
    }
}
