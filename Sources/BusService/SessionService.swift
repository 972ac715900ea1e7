import BusInterface
public import DBus
public import DesktopServices
import Glibc
import PolicyEngine
public import PolicyRuntime

/// `org.AudioSession1` on the session bus: turns the calls of applications into events, and the engine's decisions into
/// signals.
///
/// Without a bus, the service does nothing and the policy for streams continues. Whenever a bus appears, the service
/// requests its name there. No call blocks.
public final class SessionService {
    let runtime: SessionRuntime
    package let connection: BusConnection
    let server: ObjectServer
    /// The parents and sandboxes of processes.
    public let processes: any ProcessTree
    private(set) var manager: ManagerObject?
    private var desktop: Desktop?
    private var notes: DesktopNotes?
    private var permissions: RecordingPermissions?
    private var players: Players?

    /// The owners, by the connection's unique name.
    var owners: [String: Owner] = [:]
    /// The owners that receive events.
    var subscribers: [Owner] = []
    /// Ends the wait for owners while the connection to the bus is lost.
    private(set) var kept: KeptSessions?
    /// Whether sessions' hardware properties are being read, a few per turn.
    var isMeasuring = false
    /// The sessions with messages that the last turn had no time to send.
    private var unsent = Queue<SessionID>()
    private var lastID: UInt32 = 0
    private(set) var switches = Switches()
    /// Whether the policy is suspended for a time (N16).
    public var isPolicyPaused: Bool { switches.pausedUntil != nil }
    /// The chosen ports that have no node yet, with the time at which the wait ends.
    var awaitedChoices: [PortDirection: (id: String, end: Instant)] = [:]

    /// Attaches the service to a runtime. The service is on the bus once the connection is made.
    ///
    /// - Parameters:
    ///   - runtime: Receives the events from applications. The service becomes its observer and its control of players.
    ///   - loop: The sound server's loop.
    ///   - buses: The session bus and the system bus; `nil` for a service without a bus, which only reports the state
    ///     to its host.
    ///   - processes: The parents and sandboxes of processes.
    ///   - patience: How long sessions are kept after the connection to the bus was lost.
    public init(
        runtime: SessionRuntime, loop: any EventLoop,
        buses: (session: BusAddress, system: BusAddress)? = (.session, .system),
        processes: any ProcessTree = LinuxProcessTree(), patience: Duration = .seconds(10)
    ) {
        self.processes = processes
        self.runtime = runtime
        connection = BusConnection(buses?.session ?? .session, loop: loop)
        server = ObjectServer(connection: connection, root: AudioSessionBus.managerPath)
        server.admission = { [unowned self] call, body in
            owner(of: call) { [unowned self] owner in
                body(mayControlDesktop(owner) ? nil : Set(sessions(of: owner).map(\.path)))
            }
        }
        // N20: a session concerns its owners, and subscribers, which may see everything.
        server.audience = { [unowned self] object in
            let owners = (object as? SessionObject)?.owners ?? []
            return Set((owners + subscribers).filter(\.isKnown).map(\.name)).sorted()
        }
        let manager = ManagerObject(service: self)
        self.manager = manager
        server.add(manager, at: AudioSessionBus.managerPath)
        connection.stateChanged = { [weak self] in self?.connectionChanged($0) }
        kept = KeptSessions(for: patience, loop: loop) { [weak self] in self?.endKeptSessions() }
        runtime.observer = self
        guard let buses else { return }
        let observer = BusConnection(buses.session, loop: loop, observing: Players.commands)
        let players = Players(session: connection, observer: observer, loop: loop, tree: processes)
        players.tell = { [unowned runtime] in runtime.hear($0, of: $1) }
        self.players = players
        desktop = Desktop(
            service: self, system: BusConnection(buses.system, loop: loop, takesDescriptors: true), loop: loop)
        runtime.players = players
        notes = DesktopNotes(service: self)
        permissions = RecordingPermissions(session: connection) { [weak self] in self?.runtime.accessChanged() }
        runtime.hasEnded = { [processes] in processes.hasEnded($0) }
        runtime.mayRecord = { [weak self] in self?.permissions?.mayRecord($0) ?? $0.mayRecord }
        connection.requestName(AudioSessionBus.name) { [weak self] hasName in
            guard let self, hasName || connection.isConnected else { return }
            runtime.host.log(
                hasName ? .info : .warning,
                hasName
                    ? "\(AudioSessionBus.name) is on the session bus"
                    : "\(AudioSessionBus.name) belongs to another program on the session bus: the module waits for it")
            if hasName { self.manager?.reset() }
        }
        connection.open()
    }

    /// Tells all applications, and leaves the bus.
    public func leave() {
        for object in objects {
            catchUp(object)
            emit("ServicesLost", of: object)
        }
        runtime.observer = nil
        runtime.players = nil
        players = nil
        desktop?.leave()
        desktop = nil
        notes?.stop()
        notes = nil
        permissions?.stop()
        permissions = nil
        connection.close()
        kept?.cancel()
        kept = nil
        owners = [:]
        subscribers = []
        runtime.forgetSessions()
    }

    /// The opened sessions, the oldest first.
    var objects: [SessionObject] { objects { _ in true } }

    /// The opened sessions that meet a condition, the oldest first.
    func objects(where isIncluded: (SessionObject) -> Bool) -> [SessionObject] {
        var found: [SessionObject] = []
        for session in runtime.sessions.values {
            if let object = session as? SessionObject, isIncluded(object) { found.append(object) }
        }
        return found.count < 2 ? found : found.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// An opened session; `nil` if it is unknown, or an interruption.
    func object(_ id: SessionID) -> SessionObject? { runtime.sessions[id] as? SessionObject }

    /// The sessions that an owner controls, the oldest first.
    func sessions(of owner: Owner) -> [SessionObject] {
        objects { $0.owners.contains { $0 === owner } }
    }

    /// The interruptions that an owner has begun.
    func interruptions(of owner: Owner) -> [Interruption] {
        runtime.sessions.values.compactMap { $0 as? Interruption }.filter { $0.owner === owner }
    }

    /// The system clock, in microseconds since 1970.
    func realTime(of moment: Instant? = nil) -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let micros = Int64(now.tv_sec) &* 1_000_000 &+ Int64(now.tv_nsec) / 1_000
        let age = moment.map { $0.duration(to: runtime.now).wholeNanoseconds / 1_000 } ?? 0
        return UInt64(clamping: micros &- age)
    }

    /// Announces that another policy is in force.
    private func policyChanged() {
        // The policy says who may see and change everything.
        for owner in owners.values where owner.isKnown && !mayControlDesktop(owner) {
            subscribe(owner, false)
            endInterruptions(of: owner)
        }
        manager?.policyChanged()
    }

    private func connectionChanged(_ state: BusConnection.State) {
        switch state {
        case .connected: findOwners()
        case .lost:
            runtime.host.log(
                .info, "the session bus is gone: the policy for streams goes on, and the module waits for the bus")
            keepSessions()
        }
    }

    // MARK: - Sessions

    /// N26: tells the sessions whose activation was refused, and would succeed now.
    private func recommendResumption() {
        for object in objects(where: { $0.isRefused && runtime.engine.canBeActivated($0.id) }) {
            object.isRefused = false
            catchUp(object)
            if object.shown.state.isActive { continue }
            emit("ResumptionRecommended", of: object)
        }
    }

    func nextID() -> SessionID {
        lastID &+= 1
        return SessionID(lastID)
    }

    /// Throws if an owner may not open another session or interruption.
    func checkLimits(of owner: Owner) throws(WireError) {
        if sessions(of: owner).count + interruptions(of: owner).count >= AudioSessionBus.sessionsPerConnection {
            throw WireError(
                WireErrorName.limitsExceeded,
                "one connection can have \(AudioSessionBus.sessionsPerConnection) sessions: close some first")
        }
        let application = owner.identity.accountableName
        if runtime.sessions.values.count(where: { $0.identity.accountableName == application })
            >= AudioSessionBus.sessionsPerApplication
        {
            throw WireError(
                WireErrorName.limitsExceeded,
                "one application can have \(AudioSessionBus.sessionsPerApplication) sessions: close some first")
        }
        let count = objects.count
        if count >= AudioSessionBus.sessions {
            throw WireError(WireErrorName.limitsExceeded, "there are \(count) sessions, and there can be no more")
        }
    }

    /// Opens a session of an application.
    func open(_ object: SessionObject) {
        server.add(object, at: object.path)
        var events = [Event.sessionOpened(object.id, application: object.application, .application)]
        if !mayRecord(object.identity) { events.append(.route(.confined(object.id))) }
        runtime.open(object, with: events)
    }

    /// The shared session of a connection's process that another connection of it has opened (R6); `nil` for none, or if
    /// the process is not known for certain.
    func sharedSession(of owner: Owner) -> SessionObject? {
        // All programs of a sandbox call through one proxy, whose process the bus names.
        guard owner.identity.isUnconfined, let process = owner.identity.program?.process else { return nil }
        return objects.first { $0.isShared && $0.identity.program?.process == process }
    }

    /// Ends a connection's control of a session. Without any, the session is closed, and its streams return to their
    /// applications.
    func leave(_ object: SessionObject, _ owner: Owner) {
        catchUp(object)
        if object.owners.count > 1 { return object.owners.removeAll { $0 === owner } }
        guard self.object(object.id) === object else { return }
        object.owners = []
        close(object)
        server.remove(object.path)
    }

    /// Closes a session or an interruption, and tells subscribers its last state.
    func close(_ session: SessionEntry) {
        if let feed = manager?.feed, feed.isWanted, let snapshot = runtime.snapshot(of: session.id) {
            feed.add("session-closed", record(snapshot))
        }
        runtime.close(session.id)
    }

    /// The application of a connection; `nil` if it has neither a stream nor a session.
    private func application(of owner: Owner) -> ApplicationID? {
        if let oldest = sessions(of: owner).first { return oldest.application }
        let application = owner.identity.application
        let isKnown =
            objects.contains { $0.application == application }
            || runtime.streams.values.contains { $0.server != nil && $0.application == application }
        return isKnown ? application : nil
    }

    /// Begins an interruption, which spares its owner's application (R36).
    func begin(_ interruption: Interruption, _ description: SessionDescription, by name: String) {
        let application = interruption.owner.flatMap { self.application(of: $0) }
        let events = SystemInterruption.beginning(interruption.id, description, by: name, of: application)
        runtime.open(interruption, with: Array(events.prefix(1)), then: Array(events.dropFirst()))
    }

    // MARK: - Switches

    /// Changes the user's switches (N16).
    func change(_ body: (inout Switches) -> Void) {
        let old = switches
        body(&switches)
        guard switches != old else { return }
        runtime.handle(.switched(switches))
        manager?.switchesChanged(from: old, to: switches)
    }

    // MARK: - Signals

    func emit(_ signal: String, of object: SessionObject, _ arguments: [WireValue] = []) {
        for owner in object.owners where owner.isKnown {
            server.emit(signal, interface: AudioSessionBus.sessionInterface, at: object.path, arguments, to: owner.name)
        }
    }

    func changed(_ properties: [String], of object: SessionObject) {
        if properties.isEmpty { return }
        server.changed(properties, interface: AudioSessionBus.sessionInterface, at: object.path)
    }

    /// Sends a message about a session, or queues it if this turn has no time left: one event may concern a thousand
    /// sessions.
    private func tell(_ id: SessionID?, _ kind: Notice.Kind, _ state: SessionState?) {
        guard let object = id.flatMap({ object($0) }) else { return }
        object.isStale = true
        // The end of its interruption says whether to go on.
        if case .ended = kind { object.isRefused = false }
        let notice = Notice(kind: kind, state: state)
        if unsent.isEmpty, connection.mayHurry() { return tell(object, notice) }
        if unsent.isEmpty {
            connection.bitByBit { [weak self] in self?.tellNext() ?? false }
        }
        if object.notices.isEmpty { unsent.append(object.id) }
        object.notices.add(notice)
    }

    private func tellNext() -> Bool {
        if let id = unsent.first {
            unsent.removeFirst()
            if let object = object(id) { catchUp(object) }
        }
        return !unsent.isEmpty
    }

    /// Sends all waiting messages about a session.
    func catchUp(_ object: SessionObject) {
        let notices = object.notices.removeAll()
        for notice in notices { tell(object, notice) }
    }

    private func tell(_ object: SessionObject, _ notice: Notice) {
        if let state = notice.state { show(object, state) }
        switch notice.kind {
        case .stateChanged: break
        case .granted: emit("ActivationGranted", of: object)
        case .began(let reason, let label):
            let name = seesAll(object) ? label : Viewer.somebody
            emit("InterruptionBegan", of: object, [.string(reason.rawValue), .string(name)])
        case .ended(let shouldResume): emit("InterruptionEnded", of: object, [.boolean(shouldResume)])
        case .refused(let stream): emit("StreamRefused", of: object, [.uint32(stream.rawValue)])
        }
    }

    /// Publishes the state of a session.
    private func show(_ object: SessionObject, _ state: SessionState) {
        let old = object.shown.state
        object.show { $0.state = state }
        if old.isSecondaryAudioToBeSilenced != state.isSecondaryAudioToBeSilenced {
            emit("SecondaryAudioHint", of: object, [.boolean(state.isSecondaryAudioToBeSilenced)])
        }
    }
}

extension SessionService: RuntimeObserver {
    /// Answers calls, sends signals and events, and lets the machine sleep once everything is silent.
    public func turnEnded(_ runtime: SessionRuntime, _ news: [News]) {
        for item in news {
            switch item {
            case .event(let event):
                manager?.feed.add(event)
                if case .policyChanged = event { policyChanged() }
            case .effect(let effect, let state):
                tell(effect, state)
                notes?.handle(effect)
                manager?.feed.add(effect)
            }
        }
        if let end = switches.pausedUntil, end <= runtime.now { change { $0.pausedUntil = nil } }
        chooseAwaited()
        measure()
        // Without an event, nothing has changed.
        if !news.isEmpty { recommendResumption() }
        manager?.flush()
        desktop?.sleepIfSilent()
    }

    /// Answers calls and sends signals for an effect.
    private func tell(_ effect: Effect, _ state: SessionState?) {
        switch effect {
        case .answered(let id, let answer):
            object(id)?.answered(answer)
            (runtime.sessions[id] as? Interruption)?.begun()
        case .sessionChanged(let id): tell(id, .stateChanged, state)
        case .activationGranted(let id): tell(id, .granted, state)
        case .interruptionBegan(let session, let actor):
            tell(session.id, .began(reason: actor.reason, by: actor.label), state)
        case .interruptionEnded(let session, let shouldResume):
            tell(session.id, .ended(shouldResume: shouldResume), state)
        case .streamRefused(let stream):
            let session = runtime.streams[stream]?.session
            tell(session, .refused(stream), session.flatMap { runtime.engine.state(of: $0) })
        // R58, R78: what listeners and owners hear of routes and ports.
        case .routeChanged(let change): tell(change)
        case .sessionRouteChanged(let id, let change): if let object = object(id) { tell(object, change) }
        case .availablePortsChanged: showRoute()
        case .treat, .wake, .sessionActivated, .sessionDeactivated, .outputLost, .outputSwitched, .command, .routeBegun:
            break
        }
    }
}
