/// A sink or source that was given another port.
struct SteeredPort: Sendable, Equatable {
    private let nodeName: String
    let direction: PortDirection
    let deviceID: UInt32
    /// What was asked for last.
    private var asked: String
    /// What it was used with before, or what somebody has chosen since.
    private var former: String
    /// Whether that can be chosen.
    private var canReturn: Bool
    /// What was asked for earlier, and may show before the last does. A node has few ports, so these are few.
    private var earlier: Set<String> = []
    /// Whether the last has shown.
    private var isSeen = false
    /// What somebody has chosen instead since.
    private var chosen: String?
    /// Whether nobody wants it any more, and the former one has been asked for.
    private var isReturning = false

    private init(_ place: RoutePlace, _ deviceID: UInt32, asked: String, former: String) {
        nodeName = place.nodeName
        direction = place.direction
        self.deviceID = deviceID
        self.asked = asked
        self.former = former
        canReturn = place.ports.contains(former)
        isSeen = asked == former
    }

    /// Whether this is the sink or source, and not another one with its number.
    func isOf(_ place: RoutePlace) -> Bool { nodeName == place.nodeName && deviceID == place.deviceID }

    /// Takes what shows.
    mutating func note(_ place: RoutePlace) {
        // Pulled out: without us, the server would not use it any more either, nor when it is in again, as it would use it
        // now then. What a call leaves behind must not be the receiver; where there is no loudspeaker, what is used now is
        // as good as any. What was out before, and used all the same, may well be used when it is in again.
        let others = [place.fallback, canReturn && !isOverruled ? place.active : nil].compactMap { $0 }
        if !place.ports.contains(former), asked != former, let next = others.first(where: place.ports.contains) {
            former = next
        }
        canReturn = place.ports.contains(former)
        earlier.formIntersection(place.ports)
        // While nothing is active, the device is on its way from one state to another.
        guard let active = place.active else { return }
        if active == asked {
            // Back from where it was for a moment only; but from what was pulled out the server has fallen back, and would
            // have without us.
            if let chosen, !place.ports.contains(chosen) { former = active }
            isSeen = true
            chosen = nil
            earlier = []
        } else if isSeen, !isOverruled, active == place.fallback, !place.ports.contains(asked) {
            // What was asked for and used is pulled out, and the server has fallen back: nobody has chosen that.
            asked = active
            earlier = []
        } else if isSeen {
            chosen = active
        } else if active != former && !earlier.contains(active) {
            // Chosen by somebody while the command is on its way, which will have the last word.
            chosen = isReturning ? active : nil
            former = active
            canReturn = place.ports.contains(former)
        }
    }

    /// What was asked for and has not shown, though it could; `nil` for nothing.
    func unanswered(at place: RoutePlace) -> String? {
        isSeen || isOverruled || place.active == asked || !place.ports.contains(asked) ? nil : asked
    }

    /// What is to be asked for when all is undone; `nil` for nothing.
    var wayBack: String? { isReturning || isOverruled || !canReturn || asked == former ? nil : former }

    /// What would be used if nothing had been asked for; `nil` if that is what is used.
    var untouched: String? { isOverruled || !canReturn ? nil : former }

    /// Changes the port of a place to what is wanted, or back. Returns what has to be asked for.
    static func change(_ steered: inout SteeredPort?, to wanted: String?, of place: RoutePlace) -> String? {
        guard let deviceID = place.deviceID else { return nil }
        guard var old = steered else {
            // What is wanted and there already is remembered too: who chooses another one later has the last word. Where
            // nothing is active there is nothing to go back to; it will not last.
            guard let wanted, let active = place.active else { return nil }
            steered = SteeredPort(place, deviceID, asked: wanted, former: active)
            return wanted == active ? nil : wanted
        }
        defer { steered = old.isOver ? nil : old }
        guard let wanted else {
            guard !old.isReturning else { return nil }
            let back = old.wayBack
            old.ask(for: back)
            old.isReturning = true
            return back
        }
        guard wanted != old.asked || old.isReturning else { return nil }
        if old.isOverruled, let active = place.active {
            // As if from the beginning: what was asked for before is of no matter.
            old = SteeredPort(place, deviceID, asked: wanted, former: active)
            return wanted == active ? nil : wanted
        }
        let isAsked = wanted == old.asked
        old.isReturning = false
        old.chosen = nil
        old.ask(for: wanted)
        return isAsked ? nil : wanted
    }

    private mutating func ask(for port: String?) {
        guard let port, port != asked else { return }
        earlier.insert(asked)
        asked = port
        isSeen = false
    }

    private var isOverruled: Bool { chosen != nil }

    /// Whether there is nothing to remember.
    private var isOver: Bool { isReturning && (isSeen || isOverruled || asked != former) }
}

/// A stream that was sent to a node.
struct SteeredStream: Sendable, Equatable {
    private let nodeID: UInt32
    private let nodeName: String
    /// Whether it has arrived.
    private var isSeen = false
    /// Whether it was there, and somebody has put it elsewhere.
    private(set) var isOverruled = false
    /// Whether the node is gone.
    private var isLost = false

    private init(nodeID: UInt32, nodeName: String) {
        self.nodeID = nodeID
        self.nodeName = nodeName
    }

    /// Takes what shows.
    mutating func note(_ stream: RouteStream, _ nodes: [UInt32: String]) {
        isLost = isLost || nodes[nodeID] != nodeName
        guard !isLost, let place = stream.nodeID else { return }
        isOverruled = place != nodeID && isSeen
        isSeen = isSeen || place == nodeID
    }

    /// Sends a stream where it is wanted, or back. Returns what has to be done.
    static func change(
        _ steered: inout SteeredStream?, of stream: RouteStream, to target: UInt32?, _ nodes: [UInt32: String],
        _ plan: RoutePlan
    ) -> RouteCommand? {
        if let old = steered {
            if !old.isLost && old.nodeID == target { return nil }
            steered = nil
            if !old.isOverruled {
                guard let target, let name = nodes[target], !plan.isDefault(target, stream.direction) else {
                    return .send(stream.id, to: nil)
                }
                steered = SteeredStream(nodeID: target, nodeName: name)
                return .send(stream.id, to: target)
            }
        }
        guard let target, let name = nodes[target], !plan.isDefault(target, stream.direction) else { return nil }
        // What somebody has put elsewhere than the server does by default stays there, and what is in place is in place.
        if let place = stream.nodeID,
            place == target || plan.hasDefault(stream.direction) && !plan.isDefault(place, stream.direction)
        {
            return nil
        }
        steered = SteeredStream(nodeID: target, nodeName: name)
        return .send(stream.id, to: target)
    }
}
