import Glibc
public import SessionBus
public import SessionCore
public import SessionDesktop
public import SessionRuntime
import SessionWire

/// `org.AudioSession1` on the session bus: what applications ask becomes events, what the engine decides becomes signals.
///
/// Without a bus it does nothing, and the policy for streams goes on; when the bus is there, or there again, it takes its
/// name. Nothing of it ever waits.
public final class SessionService {
    unowned let host: any ServiceHost
    let runtime: SessionRuntime
    let connection: BusConnection
    let server: ObjectServer
    /// Which process started which, and in what sandbox it runs.
    public let processes: any ProcessTree
    private(set) var manager: ManagerObject?
    private var desktop: Desktop?
    private var permissions: RecordingPermissions?
    private var players: PlayerBridge?

    /// The streams that the host has told of.
    private(set) var streams: [StreamID: StreamIdentity] = [:]
    /// Which streams and sessions belong together by whom they are of.
    private var kin = Kinship()
    /// Which of the opened sessions they belong to.
    var memberships: [StreamID: SessionID] = [:]
    /// By the connection's unique name.
    private var owners: [String: Owner] = [:]
    private(set) var objects: [SessionID: SessionObject] = [:]
    /// What is done when a session of the system was opened, or not.
    private var opening: [SessionID: (Bool) -> Void] = [:]
    /// The sessions of which what came of their wishes may be something else now.
    var unmeasured: Set<SessionID> = []
    /// They are looked at bit by bit.
    var isMeasuring = false
    /// The sessions of which something is to be told for which there was no time at once.
    private var untold = Queue<SessionID>()
    private var lastID: UInt32 = 0
    private(set) var switches = Switches()
    /// The ports that were chosen and have no node yet, and until when they may get one.
    var awaitedChoices: [PortDirection: (id: String, end: Instant)] = [:]

    /// Joins the service to a runtime. It is on the bus once that is connected.
    ///
    /// - Parameters:
    ///   - runtime: Where what applications ask goes. Its observer and players become this service's.
    ///   - loop: The sound server's own.
    ///   - buses: Where the session bus and the system bus are; without, it is on no bus, and only tells its host what there
    ///     is.
    ///   - processes: Which process started which, and in what sandbox it runs.
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
        let manager = ManagerObject(service: self)
        self.manager = manager
        server.add(manager, at: AudioSessionBus.managerPath)
        connection.stateChanged = { [weak self] in self?.connectionChanged($0) }
        runtime.observer = self
        guard let buses else { return }
        let players = PlayerBridge(service: self, loop: loop)
        self.players = players
        desktop = Desktop(service: self, system: BusConnection(buses.system, loop: loop), loop: loop)
        runtime.players = players
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

    /// Tells everybody, undoes what players were asked for, and leaves the bus.
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
        permissions?.stop()
        permissions = nil
        connection.close()
        owners = [:]
        objects = [:]
        kin = Kinship()
    }

    /// The system clock, in microseconds since 1970.
    func realTime(of moment: Instant? = nil) -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let micros = Int64(now.tv_sec) &* 1_000_000 &+ Int64(now.tv_nsec) / 1_000
        let age = moment.map { $0.duration(to: runtime.now).wholeNanoseconds / 1_000 } ?? 0
        return UInt64(clamping: micros &- age)
    }

    /// Hands an event to the engine, and what comes of it to everybody.
    func take(_ event: Event) {
        runtime.post(event)
        runtime.drain()
    }

    // MARK: - Streams

    /// A stream is there. Whether a session has it is known from now on, whatever the policy makes of it.
    public func introduce(_ stream: StreamID, _ identity: StreamIdentity) {
        streams[stream] = identity
        kin.add(stream, of: identity.client)
        memberships[stream] = home(of: identity)?.id
    }

    /// Whether a session has a stream that an application has opened.
    public func isClaimed(_ stream: StreamID) -> Bool { memberships[stream] != nil }

    /// It has appeared in the engine, and goes to the session of its process, before it is wanted (R79).
    public func place(_ stream: StreamID) {
        guard let session = memberships[stream] else { return }
        unmeasured.insert(session)
        take(.streamMoved(stream, to: .opened(session)))
    }

    /// A stream is gone.
    public func forget(_ stream: StreamID) {
        if let identity = streams.removeValue(forKey: stream) { kin.remove(stream, of: identity.client) }
        if let session = memberships.removeValue(forKey: stream) { unmeasured.insert(session) }
    }

    /// Whether an application in a sandbox may use the microphone.
    public func mayRecord(_ sandbox: AppSandbox) -> Bool { permissions?.mayRecord(sandbox) ?? sandbox.mayRecord }

    /// The policy in force is another one.
    public func policyChanged() { manager?.policyChanged() }

    private func assign(_ stream: StreamID, _ identity: StreamIdentity) {
        let session = home(of: identity)
        let former = memberships[stream]
        guard session?.id != former else { return }
        unmeasured.formUnion([session?.id, former].compactMap { $0 })
        memberships[stream] = session?.id
        if session == nil || former == nil, host.claimChanged(of: stream) { return }
        take(.streamMoved(stream, to: session.map { .opened($0.id) } ?? .application(identity.application)))
    }

    /// The opened session that a stream belongs to: the one that it names, or else the oldest of its process, of the nearest
    /// process above that, or of its application.
    private func home(of identity: StreamIdentity) -> SessionObject? {
        let candidates = kin.sessions(of: identity.client)
        if let tag = identity.session.flatMap({ UInt32($0) }).map({ SessionID($0) }), candidates.contains(tag) {
            return objects[tag]
        }
        return candidates.lazy.compactMap { self.objects[$0] }.first { !$0.takesTaggedOnly }
    }

    /// Has the streams that may belong to somebody's sessions go where they belong now.
    private func assignStreams(of owner: Owner) {
        for stream in kin.streams(of: owner.identity) {
            if let identity = streams[stream] { assign(stream, identity) }
        }
    }

    // MARK: - Owners

    /// Who has sent a call, once it is known which process that is.
    func owner(of call: BusCall, then body: @escaping (Owner) -> Void) {
        let name = call.sender
        let owner = owners[name] ?? meet(name)
        if owner.isKnown { return body(owner) }
        owner.waiting.append { [weak owner] in if let owner { body(owner) } }
    }

    private func meet(_ name: String) -> Owner {
        let owner = Owner(name: name)
        owners[name] = owner
        // One call may be kept here, and not a thousand, which would all be carried out in the turn of the answer.
        connection.hold(name)
        owner.follower = connection.follow(name) { [weak self, weak owner] current in
            if current == nil, let owner { self?.gone(owner) }
        }
        connection.credentials(of: name) { [weak self, weak owner] result in
            guard let self, let owner else { return }
            if case .success(let credentials) = result, let process = credentials.processID {
                let program = processes.program(of: process)
                owner.identity = ClientIdentity(
                    program: program, sandbox: nil, binary: nil, displayName: nil, fallback: name, connection: name)
            }
            owner.isKnown = true
            let waiting = owner.waiting
            owner.waiting = []
            for body in waiting { body() }
            connection.release(name)
        }
        return owner
    }

    /// R12: with the connection, all that it has opened ends.
    private func gone(_ owner: Owner) {
        owners[owner.name] = nil
        owner.waiting = []
        for id in owner.sessions { if let object = objects[id] { close(object) } }
        for id in owner.interruptions.values { endInterruption(id) }
        owner.interruptions = [:]
        owner.follower = nil
    }

    /// All who are told of events.
    var subscribers: [Owner] { owners.values.filter(\.isSubscribed) }

    private func connectionChanged(_ state: BusConnection.State) {
        switch state {
        case .connected: break
        case .lost:
            host.log(.info, "the session bus is gone: the policy for streams goes on, and the bus is waited for")
            for owner in Array(owners.values) { gone(owner) }
        }
    }

    // MARK: - Sessions

    func nextID() -> SessionID {
        lastID &+= 1
        return SessionID(lastID)
    }

    /// Whether there is room for another one of an owner.
    func room(for owner: Owner) throws(WireError) {
        if owner.load >= AudioSessionBus.sessionsPerConnection {
            throw WireError(
                WireErrorName.limitsExceeded,
                "one connection can have \(AudioSessionBus.sessionsPerConnection) sessions: close some first")
        }
        if objects.count >= AudioSessionBus.sessions {
            throw WireError(WireErrorName.limitsExceeded, "there are \(objects.count) sessions: that is all")
        }
    }

    /// Opens a session of an application.
    func open(_ object: SessionObject, then body: @escaping (Bool) -> Void) {
        objects[object.id] = object
        object.owner.sessions.append(object.id)
        kin.add(object.id, of: object.owner.identity)
        opening[object.id] = { [weak self] isOpen in
            guard let self else { return }
            if isOpen {
                server.add(object, at: object.path)
            } else {
                objects[object.id] = nil
                object.owner.sessions.removeAll { $0 == object.id }
                kin.remove(object.id, of: object.owner.identity)
            }
            assignStreams(of: object.owner)
            body(isOpen)
        }
        take(.sessionOpened(object.id, application: object.application, .application))
    }

    /// Ends a session; its streams go back to their applications.
    func close(_ object: SessionObject) {
        catchUp(object)
        guard objects.removeValue(forKey: object.id) != nil else { return }
        object.owner.sessions.removeAll { $0 == object.id }
        kin.remove(object.id, of: object.owner.identity)
        // To another session of the same process, if there is one.
        assignStreams(of: object.owner)
        take(.sessionClosed(object.id))
        server.remove(object.path)
    }

    /// The application of a connection; `nil` if nothing else of it has to do with sound.
    func application(of owner: Owner) -> ApplicationID? {
        if let oldest = owner.sessions.first.flatMap({ objects[$0] }) { return oldest.application }
        let application = owner.identity.application
        let isKnown =
            objects.values.contains { $0.application == application }
            || streams.values.contains { $0.application == application }
        return isKnown ? application : nil
    }

    /// Begins an interruption by the system.
    func beginInterruption(
        _ id: SessionID, _ description: SessionDescription, by name: String, of application: ApplicationID? = nil,
        then body: @escaping (Bool) -> Void = { _ in }
    ) {
        opening[id] = body
        for event in SystemInterruption.beginning(id, description, by: name, of: application) { take(event) }
    }

    /// Ends one.
    func endInterruption(_ id: SessionID) { take(.sessionClosed(id)) }

    // MARK: - Switches

    /// The user has switched something (N16).
    func change(_ body: (inout Switches) -> Void) {
        let old = switches
        body(&switches)
        guard switches != old else { return }
        take(.switched(switches))
        manager?.switchesChanged(from: old, to: switches)
    }

    // MARK: - Signals

    func emit(_ signal: String, of object: SessionObject, _ arguments: [WireValue] = []) {
        server.emit(
            signal, interface: AudioSessionBus.sessionInterface, at: object.path, arguments, to: object.owner.name)
    }

    func changed(_ properties: [String], of object: SessionObject) {
        server.changed(properties, interface: AudioSessionBus.sessionInterface, at: object.path)
    }

    private func reason(of interrupter: Interrupter) -> InterruptionReason {
        InterruptionReason(of: interrupter, sleep: desktop?.sleeping)
    }

    /// Tells of a session, at once as long as there is time for that: one event may concern a thousand sessions.
    private func tell(_ id: SessionID, _ kind: Notice.Kind) {
        guard let object = objects[id] else { return }
        unmeasured.insert(id)
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

    /// Tells all that is to be told of a session.
    func catchUp(_ object: SessionObject) {
        let notices = object.notices.take()
        for notice in notices { tell(object, notice) }
    }

    private func tell(_ object: SessionObject, _ notice: Notice) {
        if let state = notice.state { show(object, state) }
        switch notice.kind {
        case .shown: break
        case .granted: emit("ActivationGranted", of: object)
        case .began(let reason, let label):
            let name = viewer(object.owner).seesAll ? label : Viewer.somebody
            emit("InterruptionBegan", of: object, [.string(reason.rawValue), .string(name)])
        case .ended(let shouldResume): emit("InterruptionEnded", of: object, [.boolean(shouldResume)])
        case .refused(let stream): emit("StreamRefused", of: object, [.uint32(stream.rawValue)])
        }
    }

    /// Brings what is shown of a session up to date.
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
    /// Tells subscribers of streams that come and go.
    public func runtime(_ runtime: SessionRuntime, took event: Event) {
        manager?.feed.note(event)
    }

    /// Answers calls and sends signals.
    public func runtime(_ runtime: SessionRuntime, carriedOut effect: Effect) {
        switch effect {
        case .answered(let id, let answer):
            if let body = opening.removeValue(forKey: id) {
                body(answer == .done)
            } else {
                objects[id]?.answered(answer)
            }
        case .sessionChanged(let id): tell(id, .shown)
        case .activationGranted(let id): tell(id, .granted)
        case .interruptionBegan(let session, let actor):
            if let id = session.id { tell(id, .began(reason: reason(of: actor), by: actor.label)) }
        case .interruptionEnded(let session, let shouldResume):
            if let id = session.id { tell(id, .ended(shouldResume: shouldResume)) }
        case .streamRefused(let stream):
            if let id = memberships[stream] { tell(id, .refused(stream)) }
        case .treat, .wake, .sessionActivated, .sessionDeactivated: break
        }
        manager?.feed.note(effect) { reason(of: $0) }
    }

    /// Tells of another route (R58).
    public func runtime(_ runtime: SessionRuntime, routeChanged change: RouteChange) { tell(change) }

    /// Tells a session of its part of the route (R57, R58).
    public func runtime(_ runtime: SessionRuntime, session: SessionID, routeChanged change: RouteChange) {
        if let object = objects[session] { tell(object, change) }
    }

    /// Tells of ports that have come or gone (R78).
    public func runtimeChangedAvailablePorts(_ runtime: SessionRuntime) { showRoute() }

    /// Sends what has piled up, and lets the machine sleep once all is silent.
    public func runtimeIsIdle(_ runtime: SessionRuntime) {
        if let end = switches.pausedUntil, end <= runtime.now { change { $0.pausedUntil = nil } }
        chooseAwaited()
        measure()
        manager?.flush()
        desktop?.settle()
    }
}
