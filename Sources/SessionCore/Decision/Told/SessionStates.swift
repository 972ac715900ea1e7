/// What opened sessions may read of themselves and of others (R77, N6).
///
/// An event concerns few sessions, so only these are looked at, unless it makes a difference to all of them whether anybody
/// is heard.
struct Heard: Sendable, Equatable {
    /// How many sessions are heard.
    var all = 0
    /// How many of them do not mix.
    var primary = 0
    /// By session slot: 1 for one that is heard, 3 for one that does not mix either.
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

    /// Whether there is another one than this.
    fileprivate func others(than slot: Int) -> (all: Bool, primary: Bool) {
        (all > Int(self[slot] & 1), primary > Int(self[slot] >> 1))
    }

    /// Whether it is the same to everybody that it is not about.
    fileprivate func isAlike(_ other: Heard) -> Bool {
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

    /// Counts all sessions anew.
    func countHeard() -> Heard {
        var heard = Heard()
        for slot in 0..<facts.sessions.capacity { heard.set(slot, flags(of: slot)) }
        return heard
    }

    /// Notes that something may have changed about a session. Of interest only while sessions are opened.
    mutating func note(_ slot: Int, isOpened: Bool) {
        heard.set(slot, flags(of: slot))
        if isOpened { toShow.append(slot) }
    }

    private func state(of slot: Int) -> SessionState {
        var state = SessionState()
        guard let session = facts.sessions[slot] else { return state }
        if let configuration = configurations[slot] { state.configuration = configuration }
        state.isActive = session.isToldActive
        state.isInterrupted = session.interruption == .announced || session.interruption == .ended
        state.isDelayed = waiting.contains(slot)
        let others = heard.others(than: slot)
        state.isOtherAudioPlaying = others.all
        state.isSecondaryAudioToBeSilenced = others.primary
        state.isInputMuted = session.isOpened && isInputMuted(slot)
        return state
    }

    /// R77, N6: tells of what has changed of opened sessions.
    mutating func showSessions(_ effects: inout [Effect]) {
        let isOfAll = !heard.isAlike(shownHeard)
        shownHeard = heard
        if isOfAll {
            for slot in shown.keys.sorted() { show(slot, &effects) }
        } else {
            if toShow.count > 1 { toShow.sort() }
            for index in toShow.indices { show(toShow[index], &effects) }
        }
        toShow.removeAll(keepingCapacity: true)
    }

    private mutating func show(_ slot: Int, _ effects: inout [Effect]) {
        guard let old = shown[slot], let id = facts.id(of: slot) else { return }
        let new = state(of: slot)
        guard new != old else { return }
        shown[slot] = new
        effects.append(.sessionChanged(id))
    }

    /// Whether each state that is shown equals one made anew.
    var isShownRight: Bool {
        if shown.isEmpty { return true }
        let counted = countHeard()
        guard counted.all == heard.all, counted.primary == heard.primary else { return false }
        return shown.allSatisfy { state(of: $0.key) == $0.value }
    }
}
