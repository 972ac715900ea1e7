/// Makes of all that a server publishes when a plug is pulled one change of the route, with the reason that a listener
/// expects (R56, R58, R63).
///
/// A server tells of one physical event in many steps: a port is not available, a profile goes, a sink with it, the default
/// is another one, a new sink comes, the default again. All that follow each other within the settle time are one. Only what
/// cannot wait is told at once: that an output is lost (R64).
///
/// Like the engine it has no clock, does no I/O, and has an answer for every event in any order. Moments that go back count
/// as the latest one.
public struct RouteTracker: Sendable, Equatable {
    /// How long it waits for a server to come to rest.
    public struct Timing: Sendable, Hashable {
        /// After the last step.
        public var settle = Duration.milliseconds(250)
        /// After the last step, when the sound has no place yet but there is one where the server is likely to send it.
        public var patience = Duration.seconds(1)
        /// After the first step, at most: so often there is a change while a device flaps.
        public var longest = Duration.seconds(2)
        /// How long a category change or an override may take to show, on cards that need seconds to change their profile
        /// too.
        public var cause = Duration.seconds(3)
        /// How long devices may take to come back after sleep.
        public var wake = Duration.seconds(5)
        /// How long a new device may take to come into use.
        public var arrival = Duration.seconds(2)

        /// The usual times.
        public init() {}
    }

    private struct Cause: Sendable, Equatable {
        var reason: RouteChangeReason
        var until: Instant
    }

    /// By what a change is judged: what has gone, come or been asked for since.
    private struct Circumstances: Sendable, Equatable {
        /// The latest of what was asked for, if it can show in this change.
        var cause: RouteChangeReason?
        /// What came into use from then on is new.
        var arrivals: Instant
    }

    private struct Loss: Sendable, Equatable {
        var port: RoutePort
        var moment: Instant
    }

    /// The burst of steps that is going on.
    private struct Burst: Sendable, Equatable {
        var first: Instant
        var last: Instant
    }

    /// So many lost outputs are remembered; the oldest is forgotten first.
    private static let mostLosses = 64

    private let timing: Timing
    private var facts = RouteFacts()
    private var category: Category?
    private var now = Instant(nanoseconds: .min)
    private var burst: Burst?
    private var isWaitingForServer = false
    private var cause: Cause?
    /// Until when devices that come back do so because the machine woke up; `nil` when that was told, or is long ago.
    private var wakesUntil: Instant?
    private var outputs: [RoutePort] = []
    private var losses: [Loss] = []
    /// By a lost port's id: the combined sinks whose sound still comes out of another one. Of the latest event only.
    private var spared: [String: Set<UInt32>] = [:]
    /// Those of the change that was told last, as long as no event has followed.
    private var told: Circumstances?
    /// It was at rest once, and knows what is in use.
    public private(set) var hasBegun = false
    private var lacksRoute = false
    /// When listeners were last told of a change. What had arrived by then is not new any more.
    private var lastChange = Instant(nanoseconds: .min)

    /// What listeners were last told to be in use. The first one is taken as it is: nobody has heard of another.
    public private(set) var route = Route()
    /// What is in use at this moment, be it for a moment only.
    public private(set) var present = Route()
    /// The inputs that are plugged in or built in.
    public private(set) var availableInputs: [RoutePort] = []
    /// The outputs that are plugged in or built in.
    public private(set) var availableOutputs: [RoutePort] = []

    /// Makes a tracker that knows of nothing.
    public init(timing: Timing = Timing()) { self.timing = timing }

    /// When it wants ``RouteEvent/clock``; `nil` while nothing is going on.
    public var deadline: Instant? {
        guard let burst else { return nil }
        let rest = burst.last.advanced(by: isWaitingForServer ? timing.patience : timing.settle)
        return min(rest, burst.first.advanced(by: timing.longest))
    }

    /// The outputs that were lost and are not back, the latest last.
    public var lostOutputs: [RoutePort] { losses.map(\.port) }

    /// The sinks and sources as they are at this moment.
    public var places: [RoutePlace] { facts.places }

    /// Whether nothing is going on.
    public var isAtRest: Bool { burst == nil }

    /// The ports that the sound of a sink comes out of, or that a source takes it from, behind all filters.
    public func ports(of node: UInt32) -> [RoutePort] { facts.ports(behind: node) }

    /// Whether the sound of any sink still comes out of another port than the one that the latest event took away.
    public func isSpared(without port: RoutePort) -> Bool { spared[port.id] != nil }

    /// Whether the sound of this sink does.
    public func isSpared(_ node: UInt32, without port: RoutePort) -> Bool { spared[port.id]?.contains(node) ?? false }

    /// Takes an event, and returns what follows from it, in order.
    public mutating func handle(_ event: RouteEvent, at moment: Instant) -> [RouteEffect] {
        now = max(now, moment)
        told = nil
        spared = [:]
        var effects: [RouteEffect] = []
        if let deadline, deadline <= now { settle(&effects) }
        let forks = facts.forks
        guard apply(event) else { return effects }

        let route = facts.route
        let outputs = facts.outputs
        for old in self.outputs where !outputs.contains(where: { $0.id == old.id }) && facts.isLost(old) {
            // What was begun there since it was lost before must not be heard elsewhere either: told again, awaited once.
            losses.removeAll { $0.port.id == old.id }
            if losses.count >= Self.mostLosses { losses.removeFirst() }
            losses.append(Loss(port: old, moment: now))
            effects.append(.lostOutput(old))
            for (node, ports) in forks where ports.contains(where: { $0.id == old.id }) {
                // What its other outputs have lost in the same event is lost too.
                let isLeft = ports.contains { port in port.id != old.id && outputs.contains { $0.id == port.id } }
                if isLeft { spared[old.id, default: []].insert(node) }
            }
        }
        present = route
        self.outputs = outputs
        burst = Burst(first: burst?.first ?? now, last: now)
        isWaitingForServer = serverIsLikelyToMove(since: burst?.first ?? now)
        return effects
    }

    /// Whether the event may have changed anything that is looked at.
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
            cause = Cause(reason: .categoryChange, until: now.advanced(by: timing.cause))
            return true
        case .overridden:
            cause = Cause(reason: .override, until: now.advanced(by: timing.cause))
            return false
        case .woke:
            wakesUntil = now.advanced(by: timing.wake)
            return false
        case .clock: return false
        }
    }

    private func serverIsLikelyToMove(since first: Instant) -> Bool {
        if present.outputs.isEmpty && !route.outputs.isEmpty && facts.hasOutput { return true }
        // Another profile of the same device is on its way.
        return losses.contains { loss in
            loss.moment >= first && facts.isPluggedIn(loss.port) && !outputs.contains { $0.id == loss.port.id }
        }
    }

    // MARK: - At rest

    private mutating func settle(_ effects: inout [RouteEffect]) {
        guard let burst else { return }
        // While a device flaps, nothing is back, and what is told of it is not the last word.
        let isQuiet = burst.last.advanced(by: timing.settle) <= now
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
        told = circumstances
        let reason = reason(from: previous, to: present, lacksPort: isNewLack, in: circumstances)
        // What was asked for before has come true, or something else came of it. After sleep all devices come anew, so that
        // waits until it was told.
        cause = nil
        if reason == .wakeFromSleep { wakesUntil = nil }
        lastChange = now
        effects.append(.changed(RouteChange(reason: reason, previous: previous, current: present)))
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
        let asked = cause.flatMap { $0.until >= first ? $0.reason : nil }
        return Circumstances(
            cause: isAwake ? .wakeFromSleep : asked,
            arrivals: max(first.advanced(by: .zero - timing.arrival), lastChange))
    }

    /// Why one route, or a session's part of it, follows another (R56): by what was told last if that was told just now. Else
    /// what was asked for is no cause: that would show for everybody.
    ///
    /// - Parameter lacksPort: The present one has nothing for a category that needs it, and had something before, or nobody
    ///   asked.
    public func reason(from previous: Route, to current: Route, lacksPort: Bool) -> RouteChangeReason {
        var own = told ?? circumstances(of: burst)
        if told == nil, own.cause != .wakeFromSleep { own.cause = nil }
        return reason(from: previous, to: current, lacksPort: lacksPort, in: own)
    }

    /// What happened to the devices says more than what was asked for; but after sleep they all come anew.
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

    /// Whether something that was in use has gone. Where the sound comes out of several ports, one of them is no loss.
    private func hasLost(_ old: [RoutePort], _ new: [RoutePort], _ direction: PortDirection) -> Bool {
        let left = old.filter { port in new.contains { $0.isSame(as: port) } }
        return left.isEmpty && old.contains { facts.isGone($0, direction) }
    }
}
