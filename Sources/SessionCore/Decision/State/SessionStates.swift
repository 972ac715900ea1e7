/// What opened sessions may read of themselves and of others (R77, N6).
///
/// An event concerns few sessions, so only those are compared, unless the answer to whether anybody is heard changes
/// for all.
struct HeardCounts: Sendable, Equatable {
    /// The number of sessions that are heard.
    var all = 0
    /// The number of those that do not mix.
    var primary = 0
    /// By session slot: 1 for a session that is heard, 3 if it also does not mix.
    fileprivate var flags: [UInt8] = []

    fileprivate subscript(slot: Int) -> UInt8 { slot < flags.count ? flags[slot] : 0 }

    fileprivate mutating func set(_ slot: Int, _ new: UInt8) {
        let old = self[slot]
        guard old != new else { return }
        while flags.count <= slot { flags.append(0) }
        flags[slot] = new
        all += Int(new & 1) - Int(old & 1)
        primary += Int(new >> 1) - Int(old >> 1)
    }

    /// Whether other sessions than this one are heard.
    fileprivate func others(than slot: Int) -> (all: Bool, primary: Bool) {
        (all > Int(self[slot] & 1), primary > Int(self[slot] >> 1))
    }

    /// Whether sessions whose own flags are unchanged read the same about others.
    fileprivate func isAlike(_ other: HeardCounts) -> Bool {
        min(all, 2) == min(other.all, 2) && min(primary, 2) == min(other.primary, 2)
    }
}

extension Engine {
    private func flags(of slot: Int) -> UInt8 {
        guard let session = facts.sessions[slot], session.running > 0, session.phase != .inactive,
            verdict(of: slot).silence == .none
        else { return 0 }
        let traits = catalogue.traits(of: session.description)
        return !traits.contains(.sounding) ? 0 : traits.contains(.primary) ? 3 : 1
    }

    /// Counts all sessions that are heard.
    func countHeard() -> HeardCounts {
        var heard = HeardCounts()
        for slot in 0..<facts.sessions.capacity { heard.set(slot, flags(of: slot)) }
        return heard
    }

    /// Records that a session may have changed. Needed only while sessions are opened.
    mutating func updateHeard(_ slot: Int, isOpened: Bool) {
        heard.set(slot, flags(of: slot))
        if isOpened { toPublish.append(slot) }
    }

    private func state(of slot: Int) -> SessionState {
        var state = SessionState()
        guard let session = facts.sessions[slot] else { return state }
        if let configuration = configurations[slot] { state.configuration = configuration }
        state.isActive = session.isToldActive
        state.isInterrupted = session.interruption == .announced || session.interruption == .ended
        state.isDelayed = delayed.contains(slot)
        let others = heard.others(than: slot)
        state.isOtherAudioPlaying = others.all
        state.isSecondaryAudioToBeSilenced = others.primary
        state.isInputMuted = session.isOpened && isInputMuted(slot)
        return state
    }

    /// R77, N6: reports the opened sessions whose state has changed.
    mutating func publishStates(_ effects: inout [Effect]) {
        let concernsAll = !heard.isAlike(publishedHeard)
        publishedHeard = heard
        if concernsAll {
            for slot in publishedStates.keys.sorted() { publish(slot, &effects) }
        } else {
            if toPublish.count > 1 { toPublish.sort() }
            for index in toPublish.indices { publish(toPublish[index], &effects) }
        }
        toPublish.removeAll(keepingCapacity: true)
    }

    private mutating func publish(_ slot: Int, _ effects: inout [Effect]) {
        guard let old = publishedStates[slot], let id = facts.id(of: slot) else { return }
        let new = state(of: slot)
        guard new != old else { return }
        publishedStates[slot] = new
        effects.append(.sessionChanged(id))
    }

    /// Whether each cached session state equals one computed anew.
    var publishedStatesAreCurrent: Bool {
        if publishedStates.isEmpty { return true }
        let counted = countHeard()
        guard counted.all == heard.all, counted.primary == heard.primary else { return false }
        return publishedStates.allSatisfy { state(of: $0.key) == $0.value }
    }
}
