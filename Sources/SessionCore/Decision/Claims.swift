/// What the verdict needs to know of one session, in sixteen bytes.
struct Claimant: Sendable, Equatable {
    /// The rank among all sessions, higher first: priority, then recordings (R21), then the latest activation. No two
    /// sessions share one.
    var claim: UInt64
    /// The session's slot.
    var session: Int32
    var description: DescriptionID
    /// It claims the right to be heard at this moment.
    var isActive = false
    /// The description of the session that took over from it for good (R31).
    var supersededBy: DescriptionID?
}

/// All sessions, the strongest claim first.
struct Claims: Sendable, Equatable {
    private(set) var order: [Claimant] = []

    mutating func insert(_ claimant: Claimant) { order.insert(claimant, at: firstPlace(notAbove: claimant.claim)) }

    mutating func remove(_ claim: UInt64) {
        if let place = place(of: claim) { order.remove(at: place) }
    }

    /// Replaces what is known under a claim, and moves it if the claim has changed. Returns what was known.
    @discardableResult
    mutating func replace(_ claim: UInt64, with claimant: Claimant) -> Claimant? {
        guard let place = place(of: claim) else { return nil }
        let old = order[place]
        if claimant.claim == claim {
            if old != claimant { order[place] = claimant }
        } else {
            order.remove(at: place)
            insert(claimant)
        }
        return old
    }

    subscript(claim: UInt64) -> Claimant? { place(of: claim).map { order[$0] } }

    /// The places of all claims in a range.
    func places(in range: ClosedRange<UInt64>) -> Range<Int> {
        let first = firstPlace(notAbove: range.upperBound)
        let end = range.lowerBound == 0 ? order.count : firstPlace(notAbove: range.lowerBound - 1)
        return first..<max(first, end)
    }

    private func place(of claim: UInt64) -> Int? {
        let place = firstPlace(notAbove: claim)
        return place < order.count && order[place].claim == claim ? place : nil
    }

    /// The first place whose claim is not above this one.
    private func firstPlace(notAbove claim: UInt64) -> Int {
        var low = 0
        var high = order.count
        while low < high {
            let middle = low + (high - low) / 2
            if order[middle].claim > claim { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
