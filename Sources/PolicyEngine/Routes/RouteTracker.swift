/// Combines all that a server reports when a plug is pulled into one change of the route, with the reason that
/// listeners expect (R56, R58, R63).
///
/// A server reports one physical event in many steps: a port becomes unavailable, a profile and its sink disappear, the
/// default changes, a new sink appears, the default changes again. Steps that follow each other within the settle time
/// form one change. Only the loss of an output is reported at once (R64). Accepts every event in every order, without
/// clock or I/O; if time goes backwards, the latest time counts.
public struct RouteTracker: Sendable, Equatable {
    private enum Timing {
        /// After the last step.
        static let settle = Duration.milliseconds(250)
        /// After the last step, if no port is in use yet but the server is likely to choose one.
        static let patience = Duration.seconds(1)
        /// After the first step. While a device flaps, a change is reported this often.
        static let longest = Duration.seconds(2)
        /// How long a category change or an override may take to show. Some cards need seconds to change their profile.
        static let cause = Duration.seconds(3)
        /// How long devices may take to come back after sleep.
        static let wake = Duration.seconds(5)
        /// How long a new device may stay unused.
        static let arrival = Duration.seconds(2)
    }

    /// What a session has done that may show in the server.
    private struct Cause: Sendable, Equatable {
        /// `nil` for a request without a reason, such as an activation.
        var reason: RouteChangeReason?
        var moment: Instant
        var until: Instant { moment.advanced(by: Timing.cause) }
    }

    /// What the reason of a change depends on.
    private struct Circumstances: Sendable, Equatable {
        /// The reason of the latest request, if it can show in this change.
        var cause: RouteChangeReason?
        /// Whether a request, with a reason or without, can show in this change.
        var isAskedFor: Bool
        /// Devices that became available from this time on are new.
        var arrivals: Instant
    }

    private struct Loss: Sendable, Equatable {
        var port: RoutePort
        var moment: Instant
    }

    private struct Burst: Sendable, Equatable {
        var first: Instant
        var last: Instant
    }

    /// Beyond it, the oldest is forgotten.
    private static let maximumLosses = 64

    private var facts = RouteFacts()
    /// The category that the route serves (R57).
    private(set) var category: Category?
    private var now = Instant(nanoseconds: .min)
    private var burst: Burst?
    private var isWaitingForServer = false
    private var cause: Cause?
    /// Until when returning devices count as a wake from sleep; `nil` once the wake was reported.
    private var wakesUntil: Instant?
    private var outputs: [RoutePort] = []
    private var losses: [Loss] = []
    /// Of the last reported change, until the next event.
    private var lastCircumstances: Circumstances?
    /// Whether the tracker has been at rest once, and so knows the ports in use.
    public private(set) var hasBegun = false
    private var lacksRoute = false
    /// When listeners were last told of a change. Devices available by then are no longer new.
    private var lastChange = Instant(nanoseconds: .min)

    /// The route that listeners were last told. The first route is not announced.
    public private(set) var route = Route()
    /// The route at this moment, even if it is only temporary.
    public private(set) var present = Route()
    /// The inputs that are plugged in or built in.
    public private(set) var availableInputs: [RoutePort] = []
    /// The outputs that are plugged in or built in.
    public private(set) var availableOutputs: [RoutePort] = []

    /// Creates a tracker that knows no devices.
    public init() {}

    /// When the tracker next needs ``RouteEvent/clock``; `nil` for never.
    public var deadline: Instant? {
        guard let burst else { return nil }
        let rest = burst.last.advanced(by: isWaitingForServer ? Timing.patience : Timing.settle)
        return min(rest, burst.first.advanced(by: Timing.longest))
    }

    /// The outputs that were lost and are not back, the latest last.
    public var lostOutputs: [RoutePort] { losses.map(\.port) }

    /// All sinks and sources now.
    public var places: [RoutePlace] { facts.places }

    func isLost(_ port: RoutePort) -> Bool { losses.contains { $0.port.id == port.id } }

    var isEmpty: Bool { !hasBegun && facts.isEmpty }

    /// Whether no change is in progress.
    public var isAtRest: Bool { burst == nil }

    /// The ports on which a sink plays, or from which a source records, behind all filters.
    public func ports(of node: UInt32) -> [RoutePort] { facts.ports(behind: node) }

    /// Handles an event, and returns its effects in order.
    public mutating func handle(_ event: RouteEvent, at moment: Instant) -> [RouteEffect] {
        now = max(now, moment)
        lastCircumstances = nil
        var effects: [RouteEffect] = []
        if let deadline, deadline <= now { endBurst(&effects) }
        let forks = facts.forks
        guard apply(event) else { return effects }

        let route = facts.route
        let outputs = facts.outputs
        for old in self.outputs where !outputs.contains(where: { $0.id == old.id }) && facts.isLost(old) {
            // Streams started since the earlier loss must not play elsewhere either: report again, remember once.
            losses.removeAll { $0.port.id == old.id }
            if losses.count >= Self.maximumLosses { losses.removeFirst() }
            losses.append(Loss(port: old, moment: now))
            // The event may take other outputs of a combined sink, too: then the sink is lost.
            let spared = forks.filter { _, ports in
                ports.contains { $0.id == old.id }
                    && ports.contains { port in port.id != old.id && outputs.contains { $0.id == port.id } }
            }
            effects.append(.lostOutput(old, spared: Set(spared.keys)))
        }
        if hasBegun, isNewlyUsed(route) { effects.append(.newOutputUsed) }
        present = route
        self.outputs = outputs
        burst = Burst(first: burst?.first ?? now, last: now)
        isWaitingForServer = serverIsLikelyToMove(since: burst?.first ?? now)
        return effects
    }

    /// Returns whether anything relevant may have changed.
    private mutating func apply(_ event: RouteEvent) -> Bool {
        switch event {
        case .device(let device): return facts.set(device, at: now)
        case .deviceGone(let id): return facts.removeDevice(id)
        case .node(let node): return facts.set(node, at: now)
        case .nodeGone(let id): return facts.removeNode(id)
        case .passesOn(let id, let next): return facts.setNext(id, next)
        case .defaultNode(let direction, let name):
            facts.setDefault(direction, name)
            return facts.route != present
        case .category(let category):
            guard category != self.category else { return false }
            self.category = category
            let former = cause.flatMap { $0.until >= now ? $0.reason : nil }
            cause = Cause(reason: former, moment: now)
            return true
        case .asked(let reason):
            cause = Cause(reason: reason, moment: now)
            return false
        case .woke:
            wakesUntil = now.advanced(by: Timing.wake)
            return false
        case .clock, .linked, .preferred, .confined, .managerChanged, .turnEnded: return false
        }
    }

    private func serverIsLikelyToMove(since first: Instant) -> Bool {
        if present.outputs.isEmpty && !route.outputs.isEmpty && facts.hasOutput { return true }
        // The same device is switching to another profile.
        return losses.contains { loss in
            loss.moment >= first && facts.isPluggedIn(loss.port) && !outputs.contains { $0.id == loss.port.id }
        }
    }

    /// Whether a route has an output that was plugged in after the latest request, and was not in use a moment ago.
    private func isNewlyUsed(_ route: Route) -> Bool {
        let start = cause?.moment ?? now.advanced(by: .zero - Timing.arrival)
        return route.outputs.contains { port in
            !present.outputs.contains { $0.id == port.id } && facts.hasArrived(port, .output, since: start)
        }
    }

    // MARK: - At rest

    private mutating func endBurst(_ effects: inout [RouteEffect]) {
        guard let burst else { return }
        // While a device flaps, it does not count as back, and its latest report is not final.
        let isQuiet = burst.last.advanced(by: Timing.settle) <= now
        if isQuiet { tellReturns(&effects) }
        self.burst = isQuiet ? nil : Burst(first: now, last: now)
        isWaitingForServer = false

        let inputs = facts.available(.input)
        let outputs = facts.available(.output)
        if inputs != availableInputs || outputs != availableOutputs {
            availableInputs = inputs
            availableOutputs = outputs
            effects.append(.availableChanged)
        }

        guard hasBegun || !facts.isEmpty else { return }
        let previous = route
        let lackedRoute = lacksRoute
        route = present
        lacksRoute = category?.lacks(present) ?? false
        let isNewLack = lacksRoute && !lackedRoute
        let isFirst = !hasBegun
        hasBegun = true
        if isFirst { lastChange = now }
        guard isNewLack || (!isFirst && !present.isSame(as: previous)) else { return }
        let circumstances = circumstances(of: burst)
        lastCircumstances = circumstances
        let reason = reason(from: previous, to: present, lacksPort: isNewLack, in: circumstances)
        // The earlier request has taken effect or was superseded. A wake remains until reported: all devices come anew.
        cause = nil
        if reason == .wakeFromSleep { wakesUntil = nil }
        lastChange = now
        let isAskedFor: Bool
        switch reason {
        case .unknown, .categoryChange, .override, .routeConfigurationChange: isAskedFor = circumstances.isAskedFor
        case .newDeviceAvailable, .oldDeviceUnavailable, .wakeFromSleep, .noSuitableRouteForCategory: isAskedFor = false
        }
        effects.append(
            .changed(RouteChange(reason: reason, previous: previous, current: present), isAskedFor: isAskedFor))
    }

    private mutating func tellReturns(_ effects: inout [RouteEffect]) {
        losses.removeAll { loss in
            if let port = outputs.first(where: { $0.id == loss.port.id }) {
                effects.append(.returnedOutput(port))
                return true
            }
            guard facts.isSwitched(loss.port, outputs: outputs) else { return false }
            effects.append(.switchedOutput(loss.port))
            return true
        }
    }

    // MARK: - Reasons

    private func circumstances(of burst: Burst?) -> Circumstances {
        let first = burst?.first ?? now
        let isAwake = wakesUntil.map { $0 >= first } ?? false
        let asked = cause.flatMap { $0.until >= first ? $0 : nil }
        return Circumstances(
            cause: isAwake ? .wakeFromSleep : asked?.reason, isAskedFor: asked != nil,
            arrivals: max(first.advanced(by: .zero - Timing.arrival), lastChange))
    }

    /// The reason for which a session's route, or the whole route, follows another (R56). Just after a reported change,
    /// its circumstances decide. Otherwise only the session's own request (`asked`) can be the reason: another one
    /// would show for everybody. `lacksPort` says that the present route newly lacks a port that the category needs.
    public func reason(
        from previous: Route, to current: Route, lacksPort: Bool, asked: RouteChangeReason? = nil
    ) -> RouteChangeReason {
        var own = lastCircumstances ?? circumstances(of: burst)
        if own.cause != .wakeFromSleep {
            own.cause = asked ?? (lastCircumstances != nil && own.cause == .override ? .override : nil)
        }
        return reason(from: previous, to: current, lacksPort: lacksPort, in: own)
    }

    /// Events at devices take precedence over requests; but after sleep all devices come anew.
    private func reason(
        from previous: Route, to current: Route, lacksPort: Bool, in circumstances: Circumstances
    ) -> RouteChangeReason {
        if hasLost(previous.inputs, current.inputs, .input) || hasLost(previous.outputs, current.outputs, .output) {
            return .oldDeviceUnavailable
        }
        if lacksPort { return .noSuitableRouteForCategory }
        if circumstances.cause == .wakeFromSleep { return .wakeFromSleep }
        func hasArrived(_ new: [RoutePort], after old: [RoutePort], _ direction: PortDirection) -> Bool {
            new.contains { port in
                !old.contains { $0.id == port.id } && facts.hasArrived(port, direction, since: circumstances.arrivals)
            }
        }
        if hasArrived(current.inputs, after: previous.inputs, .input)
            || hasArrived(current.outputs, after: previous.outputs, .output)
        {
            return .newDeviceAvailable
        }
        if let cause = circumstances.cause { return cause }
        return previous.isEmpty || current.isEmpty ? .unknown : .routeConfigurationChange
    }

    /// If sound plays on several ports, the loss of one does not count.
    private func hasLost(_ old: [RoutePort], _ new: [RoutePort], _ direction: PortDirection) -> Bool {
        let left = old.filter { port in new.contains { $0.isSame(as: port) } }
        return left.isEmpty && old.contains { facts.isGone($0, direction) }
    }
}
