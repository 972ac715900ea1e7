/// A sink or source whose port was changed.
struct SteeredPort: Sendable, Equatable {
    private let nodeName: String
    let direction: PortDirection
    let deviceID: UInt32
    private var asked: String
    /// The port before, or somebody's choice since.
    private var former: String
    private var canReturn: Bool
    /// Ports requested earlier, which may still take effect, even after the last one: the session manager answers a
    /// port that it has seen by requesting it, too, with its own volume.
    private var earlier: Set<String> = []
    private var isSeen = false
    /// Somebody's choice since.
    private var chosen: String?
    /// Whether nobody needs the change any more and the former port was requested.
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

    /// Another sink or source may have the same number now.
    func isOf(_ place: RoutePlace) -> Bool { nodeName == place.nodeName && deviceID == place.deviceID }

    mutating func observe(_ place: RoutePlace) {
        // The former port was pulled out; the server would have left it for good. A call must not leave the receiver
        // in use; without a loudspeaker, the present port is as good as any. A port that was used although unavailable
        // may be used again when plugged in.
        let others = [place.fallback, canReturn && !isOverruled ? place.active : nil].compactMap { $0 }
        if !place.ports.contains(former), asked != former, let next = others.first(where: place.ports.contains) {
            former = next
        }
        canReturn = place.ports.contains(former)
        earlier.formIntersection(place.ports)
        // While no port is active, the device is between two states.
        guard let active = place.active else { return }
        if active == asked {
            // The server is back from a temporary choice; or has fallen back from a chosen port that was pulled out.
            if let chosen, !place.ports.contains(chosen) { former = active }
            isSeen = true
            chosen = nil
        } else if isSeen, !isOverruled, earlier.contains(active) {
            // An earlier request took effect after the last one.
            isSeen = false
        } else if isSeen, !isOverruled, active == place.fallback, !place.ports.contains(asked) {
            // The requested port was in use and was pulled out; the server, not somebody, has fallen back.
            asked = active
            earlier = []
        } else if isSeen {
            chosen = active
        } else if active != former && !earlier.contains(active) {
            // Somebody chose this port while the command was on its way; the command will win.
            chosen = isReturning ? active : nil
            former = active
            canReturn = place.ports.contains(former)
        }
    }

    /// The requested port, if it could take effect and has not.
    func unanswered(at place: RoutePlace) -> String? {
        isSeen || isOverruled || place.active == asked || !place.ports.contains(asked) ? nil : asked
    }

    /// Ends the time in which earlier requests may take effect. Returns whether the place may be forgotten.
    mutating func settle() -> Bool {
        earlier = []
        return isOver
    }

    /// The port to request when all is undone.
    var wayBack: String? { isReturning || isOverruled || !canReturn || asked == former ? nil : former }

    /// The port that would be in use without our requests; `nil` if it is.
    var untouched: String? { isOverruled || !canReturn ? nil : former }

    /// Returns the port to request; `nil` for none.
    static func change(_ steered: inout SteeredPort?, to wanted: String?, of place: RoutePlace) -> String? {
        guard let deviceID = place.deviceID else { return nil }
        guard var old = steered else {
            // An active wanted port is remembered too, so that somebody's later choice wins. Without an active port
            // there is none to restore; that state will not last.
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
            // Starts anew: earlier requests no longer matter.
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
        earlier.remove(port)
        asked = port
        isSeen = false
    }

    private var isOverruled: Bool { chosen != nil }

    private var isOver: Bool { isReturning && (isSeen && earlier.isEmpty || isOverruled || asked != former) }
}

/// A stream that was sent to a node.
struct SteeredStream: Sendable, Equatable {
    private let nodeID: UInt32
    private let nodeName: String
    private var isSeen = false
    /// Whether somebody has moved the stream since its arrival.
    private(set) var isOverruled = false
    private var isLost = false

    private init(nodeID: UInt32, nodeName: String) {
        self.nodeID = nodeID
        self.nodeName = nodeName
    }

    mutating func observe(_ stream: RouteStream, _ nodes: [UInt32: String]) {
        isLost = isLost || nodes[nodeID] != nodeName
        guard !isLost, let place = stream.nodeID else { return }
        isOverruled = place != nodeID && isSeen
        isSeen = isSeen || place == nodeID
    }

    /// Sends a stream to the wanted node, or back.
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
        // Neither a stream that somebody has moved nor one in place needs a command.
        if let place = stream.nodeID,
            place == target || plan.hasDefault(stream.direction) && !plan.isDefault(place, stream.direction)
        {
            return nil
        }
        steered = SteeredStream(nodeID: target, nodeName: name)
        return .send(stream.id, to: target)
    }
}
