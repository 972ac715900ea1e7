import Glibc
public import SessionBus
public import SessionCore
public import SessionDesktop
public import SessionRuntime
import SessionWire

/// `org.AudioSession1` on the session bus: turns the calls of applications into events, and the engine's decisions into
/// signals.
///
/// Without a bus, the service does nothing and the policy for streams continues. Whenever a bus appears, the service
/// requests its name there. No call blocks.
public final class SessionService {
    unowned let host: any ServiceHost
    let runtime: SessionRuntime
    package let connection: BusConnection
    let server: ObjectServer
    /// The parents and sandboxes of processes.
    public let processes: any ProcessTree
    private(set) var manager: ManagerObject?
    private var desktop: Desktop?
    private var notes: DesktopNotes?
    private var permissions: RecordingPermissions?
    private var players: PlayerBridge?

    /// The host's streams, and the opened session of each.
    private(set) var memberships = StreamMemberships()
    /// The owners, by the connection's unique name.
    var owners: [String: Owner] = [:]
    /// What is kept while the connection to the bus is lost.
    private(set) var kept: KeptSessions?
    /// The owners that receive events.
    var subscribers: [Owner] = []
    private(set) var objects: [SessionID: SessionObject] = [:]
    /// What is done as soon as the engine has opened a session.
    private var opening: [SessionID: () -> Void] = [:]
    /// The sessions whose activation was refused, and that are to be told when it would succeed (N26).
    var refused: Set<SessionID> = []
    /// Whether the engine has handled an event since they were looked at.
    private var isNews = false
    /// The sessions whose figures may have changed.
    var unmeasured: Set<SessionID> = []
    /// Whether these sessions are being examined, a few per turn.
    var isMeasuring = false
    /// The sessions with messages that the last turn had no time to send.
    private var untold = Queue<SessionID>()
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
    public init(
        runtime: SessionRuntime, host: any ServiceHost, loop: any EventLoop,
        buses: (session: BusAddress, system: BusAddress)? = (.session, .system),
        processes: any ProcessTree = LinuxProcessTree()
    ) {
        self.processes = processes
        self.runtime = runtime
        self.host = host
        connection = BusConnection(buses?.session ?? .session, loop: loop)
        server = ObjectServer(connection: connection, root: AudioSessionBus.managerPath)
        server.admission = { [unowned self] call, body in
            owner(of: call) { [unowned self] owner in
                body(mayControlDesktop(owner) ? nil : Set(owner.sessions.compactMap { self.objects[$0]?.path }))
            }
        }
        // N20: who is in a call concerns its own application, and who may see everything and has asked for it.
        server.audience = { [unowned self] object in
            let owners = (object as? SessionObject)?.owners ?? []
            return Set((owners + subscribers).filter(\.isKnown).map(\.name)).sorted()
        }
        let manager = ManagerObject(service: self)
        self.manager = manager
        server.add(manager, at: AudioSessionBus.managerPath)
        connection.stateChanged = { [weak self] in self?.connectionChanged($0) }
        kept = KeptSessions(loop: loop) { [weak self] in self?.endKeptSessions() }
        runtime.observer = self
        guard let buses else { return }
        let players = PlayerBridge(service: self, loop: loop)
        self.players = players
        desktop = Desktop(
            service: self, system: BusConnection(buses.system, loop: loop, takesDescriptors: true), loop: loop)
        runtime.players = players
        notes = DesktopNotes(service: self)
        permissions = RecordingPermissions(session: connection) { [weak self] in self?.host.accessChanged() }
        connection.requestName(AudioSessionBus.name) { [weak self] hasName in
            guard let self, hasName || connection.isConnected else { return }
            host.log(
                hasName ? .info : .warning,
                hasName
                    ? "\(AudioSessionBus.name) is on the session bus"
                    : "\(AudioSessionBus.name) belongs to somebody else on the session bus: it is waited for")
            if hasName { self.manager?.reset() }
        }
        connection.open()
    }

    /// Tells all applications, resumes paused players, and leaves the bus.
    public func leave() {
        for object in objects.values {
            catchUp(object)
            emit("ServicesLost", of: object)
        }
        runtime.observer = nil
        players?.letGo()
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
        objects = [:]
        memberships.closeAll()
    }

    /// The system clock, in microseconds since 1970.
    func realTime(of moment: Instant? = nil) -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let micros = Int64(now.tv_sec) &* 1_000_000 &+ Int64(now.tv_nsec) / 1_000
        let age = moment.map { $0.duration(to: runtime.now).wholeNanoseconds / 1_000 } ?? 0
        return UInt64(clamping: micros &- age)
    }

    /// Passes an event to the engine, and the engine's effects to everybody.
    func handle(_ event: Event) {
        runtime.post(event)
        runtime.drain()
    }

    // MARK: - Streams

    /// Adds a stream, also one that the policy leaves alone.
    ///
    /// - Returns: The stream's opened session; `nil` for none (R79).
    public func add(_ stream: StreamID, _ identity: StreamIdentity) -> SessionID? {
        let session = memberships.add(stream, identity)
        if let session { unmeasured.insert(session) }
        return session
    }

    /// Removes a stream.
    public func forget(_ stream: StreamID) {
        if let session = memberships.remove(stream) { unmeasured.insert(session) }
    }

    /// Whether a sandboxed application may use the microphone.
    public func mayRecord(_ sandbox: AppSandbox) -> Bool { permissions?.mayRecord(sandbox) ?? sandbox.mayRecord }

    /// Whether a program may use the microphone: it is in no sandbox, or in one that may.
    func mayRecord(_ identity: ClientIdentity) -> Bool {
        identity.isUnconfined || identity.sandbox.map { mayRecord($0) } ?? false
    }

    /// Announces that another policy is in force.
    public func policyChanged() {
        // Who may see and change everything is the policy's to say.
        for owner in owners.values where owner.isKnown && !mayControlDesktop(owner) {
            subscribe(owner, false)
            endInterruptions(of: owner)
        }
        manager?.policyChanged()
    }

    /// Moves streams to the sessions that they belong to now, after their owner opened or closed a session.
    private func moveStreams(of owner: ClientIdentity) {
        for move in memberships.reassign(streamsOf: owner) {
            unmeasured.formUnion([move.from, move.to].compactMap { $0 })
            host.move(move.stream, to: move.to)
        }
    }

    private func connectionChanged(_ state: BusConnection.State) {
        switch state {
        case .connected: findOwners()
        case .lost:
            host.log(.info, "the session bus is gone: the policy for streams goes on, and the bus is waited for")
            keepSessions()
        }
    }

    // MARK: - Sessions

    /// N26: tells the sessions whose activation was refused, and would succeed now.
    private func recommendResumption() {
        // Without an event, nothing has changed.
        guard isNews else { return }
        isNews = false
        for id in refused where runtime.canBeActivated(id) {
            refused.remove(id)
            guard let object = objects[id], !object.state.isActive else { continue }
            catchUp(object)
            emit("ResumptionRecommended", of: object)
        }
    }

    func nextID() -> SessionID {
        lastID &+= 1
        return SessionID(lastID)
    }

    /// Throws if an owner may not open another session or interruption.
    func checkLimits(of owner: Owner) throws(WireError) {
        if owner.load >= AudioSessionBus.sessionsPerConnection {
            throw WireError(
                WireErrorName.limitsExceeded,
                "one connection can have \(AudioSessionBus.sessionsPerConnection) sessions: close some first")
        }
        let application = owner.identity.accountableName
        let begun = owners.values.lazy.filter { $0.identity.accountableName == application }
            .reduce(0) { $0 + $1.interruptions.count }
        if objects.values.count(where: { $0.identity.accountableName == application }) + begun
            >= AudioSessionBus.sessionsPerApplication
        {
            throw WireError(
                WireErrorName.limitsExceeded,
                "one application can have \(AudioSessionBus.sessionsPerApplication) sessions: close some first")
        }
        if objects.count >= AudioSessionBus.sessions {
            throw WireError(WireErrorName.limitsExceeded, "there are \(objects.count) sessions: that is all")
        }
    }

    /// Opens a session of an application.
    func open(_ object: SessionObject, then body: @escaping () -> Void) {
        objects[object.id] = object
        for owner in object.owners { owner.sessions.append(object.id) }
        memberships.open(object.id, of: object.identity, takesTaggedOnly: object.takesTaggedOnly)
        opening[object.id] = { [weak self] in
            guard let self else { return }
            if !mayRecord(object.identity) { runtime.handle(.confined(object.id)) }
            server.add(object, at: object.path)
            moveStreams(of: object.identity)
            body()
        }
        handle(.sessionOpened(object.id, application: object.application, .application))
    }

    /// The shared session of a connection's process that another connection of it has opened (R6); `nil` for none, or if
    /// the process is not known for certain.
    func sharedSession(of owner: Owner) -> SessionObject? {
        // All programs of a sandbox call through one proxy, whose process the bus names.
        guard owner.identity.isUnconfined, let process = owner.identity.program?.process else { return nil }
        return objects.values.first {
            $0.isShared && $0.identity.program?.process == process && opening[$0.id] == nil
        }
    }

    /// Lets another connection of the same process control a session (R6).
    func join(_ object: SessionObject, _ owner: Owner) {
        guard !object.owners.contains(where: { $0 === owner }) else { return }
        object.owners.append(owner)
        owner.sessions.append(object.id)
    }

    /// Ends a connection's control of a session. Without any, the session is closed, and its streams return to their
    /// applications.
    func leave(_ object: SessionObject, _ owner: Owner) {
        catchUp(object)
        if object.owners.count > 1 {
            object.owners.removeAll { $0 === owner }
            owner.sessions.removeAll { $0 == object.id }
            return
        }
        guard objects[object.id] != nil else { return }
        forget(object)
        // The streams go to another session of the same process, if there is one.
        moveStreams(of: object.identity)
        handle(.sessionClosed(object.id))
        server.remove(object.path)
    }

    /// Whether a session's owners, which are one process, may know who others are (N20).
    func seesAll(_ object: SessionObject) -> Bool { object.owners.first.map { viewer($0).seesAll } ?? false }

    private func forget(_ object: SessionObject) {
        objects[object.id] = nil
        refused.remove(object.id)
        for owner in object.owners { owner.sessions.removeAll { $0 == object.id } }
        object.owners = []
        memberships.close(object.id, of: object.identity)
    }

    /// The application of a connection; `nil` if it is not known from any other use of sound.
    func application(of owner: Owner) -> ApplicationID? {
        if let oldest = owner.sessions.first.flatMap({ objects[$0] }) { return oldest.application }
        let application = owner.identity.application
        let isKnown =
            objects.values.contains { $0.application == application }
            || memberships.hasStream(of: application)
        return isKnown ? application : nil
    }

    /// Begins an interruption by the system.
    ///
    /// - Parameter owner: Who has begun it; `nil` for the desktop. What the owner's process starts belongs to it.
    func beginInterruption(
        _ id: SessionID, _ description: SessionDescription, by name: String, owner: Owner? = nil,
        then body: @escaping () -> Void = {}
    ) {
        let application = owner.flatMap { self.application(of: $0) }
        opening[id] = { [weak self] in
            if let self, let identity = owner?.identity {
                memberships.begin(id, of: identity)
                moveStreams(of: identity)
            }
            body()
        }
        for event in SystemInterruption.beginning(id, description, by: name, of: application) { handle(event) }
    }

    /// Ends an interruption by the system.
    func endInterruption(_ id: SessionID, of owner: Owner? = nil) {
        if let owner {
            memberships.end(id, of: owner.identity)
            moveStreams(of: owner.identity)
        }
        handle(.sessionClosed(id))
    }

    // MARK: - Switches

    /// Changes the user's switches (N16).
    func change(_ body: (inout Switches) -> Void) {
        let old = switches
        body(&switches)
        guard switches != old else { return }
        handle(.switched(switches))
        manager?.switchesChanged(from: old, to: switches)
    }

    // MARK: - Signals

    func emit(_ signal: String, of object: SessionObject, _ arguments: [WireValue] = []) {
        for owner in object.owners where owner.isKnown {
            server.emit(signal, interface: AudioSessionBus.sessionInterface, at: object.path, arguments, to: owner.name)
        }
    }

    func changed(_ properties: [String], of object: SessionObject) {
        server.changed(properties, interface: AudioSessionBus.sessionInterface, at: object.path)
    }

    private func reason(of interrupter: Interrupter) -> InterruptionReason {
        InterruptionReason(of: interrupter, sleep: desktop?.sleeping)
    }

    /// Sends a message about a session, or queues it if this turn has no time left: one event may concern a thousand
    /// sessions.
    private func tell(_ id: SessionID, _ kind: Notice.Kind) {
        guard let object = objects[id] else { return }
        unmeasured.insert(id)
        // The end of its interruption says whether to go on.
        if case .ended = kind { refused.remove(id) }
        let notice = Notice(kind: kind, state: runtime.state(of: id))
        if untold.isEmpty, connection.mayHurry() { return tell(object, notice) }
        if untold.isEmpty {
            connection.bitByBit { [weak self] in self?.tellNext() ?? false }
        }
        if object.notices.isEmpty { untold.append(id) }
        object.notices.add(notice)
    }

    private func tellNext() -> Bool {
        if let id = untold.first {
            untold.removeFirst()
            if let object = objects[id] { catchUp(object) }
        }
        return !untold.isEmpty
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
        let old = object.state
        let names = object.show(state)
        if !names.isEmpty { changed(names, of: object) }
        if old.isSecondaryAudioToBeSilenced != state.isSecondaryAudioToBeSilenced {
            emit("SecondaryAudioHint", of: object, [.boolean(state.isSecondaryAudioToBeSilenced)])
        }
    }
}

extension SessionService: SessionObserver {
    /// Reports added, changed and removed streams to subscribers.
    public func runtime(_ runtime: SessionRuntime, handled event: Event) {
        isNews = true
        manager?.feed.add(event)
    }

    /// Answers calls and sends signals for an effect.
    public func runtime(_ runtime: SessionRuntime, carriedOut effect: Effect) {
        switch effect {
        case .answered(let id, let answer):
            if let body = opening.removeValue(forKey: id) {
                body()
            } else {
                objects[id]?.answered(answer)
            }
        case .sessionChanged(let id): tell(id, .stateChanged)
        case .activationGranted(let id): tell(id, .granted)
        case .interruptionBegan(let session, let actor):
            if let id = session.id { tell(id, .began(reason: reason(of: actor), by: actor.label)) }
        case .interruptionEnded(let session, let shouldResume):
            if let id = session.id { tell(id, .ended(shouldResume: shouldResume)) }
        case .streamRefused(let stream):
            if let id = memberships[stream] { tell(id, .refused(stream)) }
        // R58, R78: what listeners and owners hear of routes and ports.
        case .routeChanged(let change): tell(change)
        case .sessionRouteChanged(let id, let change): if let object = objects[id] { tell(object, change) }
        case .availablePortsChanged: showRoute()
        case .treat, .wake, .sessionActivated, .sessionDeactivated, .outputLost, .outputSwitched, .command, .routeBegun:
            break
        }
        notes?.handle(effect)
        manager?.feed.add(effect) { reason(of: $0) }
    }

    /// Sends queued messages, and lets the machine sleep once everything is silent.
    public func runtimeIsIdle(_ runtime: SessionRuntime) {
        if let end = switches.pausedUntil, end <= runtime.now { change { $0.pausedUntil = nil } }
        chooseAwaited()
        measure()
        recommendResumption()
        manager?.flush()
        desktop?.sleepIfSilent()
    }
}
