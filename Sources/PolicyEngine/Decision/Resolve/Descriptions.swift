/// What sessions are.
extension Scene {
    /// R1: returns whether the description has changed.
    mutating func describe(_ place: Int) -> Bool {
        guard let described = describedNow(place), described !== standings[place].described else { return false }
        let isOther = described != standings[place].described
        standings[place].described = described
        return isOther
    }

    /// `nil` if unchanged.
    private func describedNow(_ place: Int) -> Described? {
        if standings[place].driver == .closed, !facts.sessions[place].isConfigured { return nil }
        guard isDescribedByStreams(place) else { return ownDescribed(place) }
        // A session in its release delay stays what it was.
        guard sums[place].wantedCount > 0 || standings[place].phase == .inactive else { return nil }
        let saying = sums[place].wantedCount > 0 ? sums[place].wanted : sums[place].all
        // N8: the preference about ringing counts even if nothing else is set.
        let avoidsAlerts = facts.sessions[place].configuration.avoidsAlerts
        if !avoidsAlerts, isSame(saying, place) { return nil }
        let described = strongest(saying)
        guard avoidsAlerts || sums[place].count == 0 && facts.sessions[place].kind == .opened else { return described }
        var description = (described ?? standings[place].described).description
        description.avoidsAlerts = avoidsAlerts
        return remembered(description, place)
    }

    private func isSame(_ saying: Sums.Saying, _ place: Int) -> Bool {
        saying.strongest >= 0 && !(saying.plays && saying.records)
            && facts.streams[Int(saying.strongest)].described === standings[place].described
    }

    /// R1, N14: the description of a call if streams play and record.
    func strongest(_ saying: Sums.Saying) -> Described? {
        guard saying.strongest >= 0 else { return nil }
        let strongest = facts.streams[Int(saying.strongest)].described
        guard saying.plays, saying.records, let pairing = rules.call else { return strongest }
        let call = Described(pairing, rules)
        return call.isStronger(than: strongest) ? call : strongest
    }

    /// R36: by its configuration, with the priority of its strongest wanted stream.
    func ownDescribed(_ place: Int) -> Described {
        guard let own = facts.sessions[place].own else { return standings[place].described }
        if facts.sessions[place].kind != .opened || sums[place].priority <= own.description.priority { return own }
        var description = own.description
        description.priority = sums[place].priority
        description.isCall = sums[place].isCall
        return remembered(description, place)
    }

    private func remembered(_ description: SessionDescription, _ place: Int) -> Described {
        let present = standings[place].described
        return present.description == description ? present : Described(description, rules)
    }
}
