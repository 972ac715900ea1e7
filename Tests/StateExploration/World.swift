import EngineProperties
import PolicyEngine
import RandomEvents

/// Applications that each hold a session with one stream, a server that obeys at once, and a user; around an engine.
///
/// Whatever is sent to the engine is judged by what always holds (`Property`).
public struct World: Sendable {
    struct Member: Sendable {
        var id: SessionID
        var stream: StreamID
        var application: ApplicationID
        var isWanted = false
        var isRunning = false
        var isSettled = false
        var avoidsAlerts = false
    }

    /// The engine, and what always holds.
    private(set) var judged: PropertyJudge
    var engine: Engine { judged.engine }
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    private(set) var members: [Member] = []
    private var wake: Instant?
    private var lastID: UInt32 = 0
    private var call: SessionID?
    private var ringing: SessionID?
    private(set) var switches = Switches()
    /// What was found to be wrong first.
    private(set) var violation: String?
    /// What was sent and what came of it, for those who want to read it.
    var log: [String]?
    private static let callStream = StreamID(1_000)

    /// A world of so many sessions that have been opened and no more.
    ///
    /// - Parameter rules: The policy by which all is judged; `nil` for the one in force.
    public init(policy: Policy, sessions: Int, rules: Policy? = nil) {
        judged = PropertyJudge(policy: policy, isThorough: false, rules: rules)
        // So that a description has the same number in all states.
        open(SessionID(1), World.application(0))
        for (category, options, mode) in Configurations.all {
            for avoids in [false, true] {
                send(.sessionConfigured(SessionID(1), .category(.playback, [], nil)))
                send(.sessionConfigured(SessionID(1), .avoidsAlerts(avoids)))
                send(.sessionConfigured(SessionID(1), .category(category, options, mode)))
            }
        }
        send(.sessionClosed(SessionID(1)))
        lastID = 1
        for index in 0..<sessions {
            let stream = StreamID(UInt32(index + 1))
            let application = World.application(index)
            members.append(Member(id: SessionID(0), stream: stream, application: application))
            if let description = policy.description(of: Role("music"), direction: .playback) {
                send(
                    .streamAppeared(
                        stream, application: application, description: description, direction: .playback))
            }
            openAgain(index)
        }
    }

    private static func application(_ index: Int) -> ApplicationID {
        ApplicationID(portal: nil, binary: "application \(index)", displayName: nil, fallback: "")
    }

    /// Equal for worlds that go on alike.
    var fingerprint: UInt64 { engine.fingerprint(at: now) }
    var isCalling: Bool { call != nil }
    var isRinging: Bool { ringing != nil }

    // MARK: - What happens

    /// Takes a step; `false` when there is nothing to it here.
    mutating func play(_ step: Step) -> Bool {
        switch step {
        case .clock:
            guard let moment = wake else { return false }
            now = max(now, moment)
            wake = nil
            send(.clockReached)
        case .call:
            if let session = call {
                send(.streamVanished(World.callStream))
                end(session)
                call = nil
            } else if let session = begin("phone") {
                call = session
                if let phone = engine.policy.description(of: Role("phone"), direction: .playback) {
                    send(
                        .streamAppeared(
                            World.callStream, application: World.application(100), description: phone,
                            direction: .playback))
                }
                send(.streamMoved(World.callStream, to: .opened(session)))
                send(.streamWanted(World.callStream, true))
                send(.streamRunning(World.callStream, true))
            }
        case .ringing:
            if let session = ringing {
                end(session)
                ringing = nil
            } else {
                ringing = begin("ringtone")
            }
        case .silentSwitch: change { $0[.silent].toggle() }
        case .screenLock: change { $0[.locked].toggle() }
        case .suspension: change { $0.pausedUntil = $0.pausedUntil == nil ? Switches.never : nil }
        case .activate(let index): request(index, .activate(mayWait: false))
        case .wait(let index): request(index, .activate(mayWait: true))
        case .cancel(let index): request(index, .cancel)
        case .leave(let index): request(index, .deactivate(notifyOthers: true))
        case .leaveQuietly(let index): request(index, .deactivate(notifyOthers: false))
        case .reopen(let index):
            send(.sessionClosed(members[index].id))
            openAgain(index)
        case .stream(let index):
            members[index].isWanted.toggle()
            send(.streamWanted(members[index].stream, members[index].isWanted))
        case .settle(let index): return settle(index)
        case .avoidAlerts(let index):
            members[index].avoidsAlerts.toggle()
            send(.sessionConfigured(members[index].id, .avoidsAlerts(members[index].avoidsAlerts)))
            members[index].avoidsAlerts = engine.state(of: members[index].id)?.configuration.avoidsAlerts ?? false
        case .configure(let index, let configuration):
            let (category, options, mode) = Configurations.all[configuration]
            send(.sessionConfigured(members[index].id, .category(category, options, mode)))
        }
        follow()
        return true
    }

    /// The stream is as silent as it was told to be, and a corked one stops.
    mutating func settle(_ index: Int) -> Bool {
        guard members[index].isRunning, !members[index].isSettled,
            engine.treatment(of: members[index].stream)?.silence ?? .none != .none
        else { return false }
        members[index].isSettled = true
        send(.streamSettled(members[index].stream))
        follow()
        return true
    }

    mutating func request(_ index: Int, _ request: SessionRequest) {
        send(.sessionRequested(members[index].id, request))
    }

    /// All that is left of a world whose applications go.
    mutating func vanish() {
        for member in members {
            send(.sessionClosed(member.id))
            send(.streamVanished(member.stream))
        }
        members = []
    }

    private mutating func change(_ body: (inout Switches) -> Void) {
        body(&switches)
        send(.switched(switches))
    }

    private mutating func openAgain(_ index: Int) {
        lastID += 1
        members[index].id = SessionID(lastID)
        members[index].avoidsAlerts = false
        open(members[index].id, members[index].application)
        send(.streamMoved(members[index].stream, to: .opened(members[index].id)))
    }

    private mutating func open(_ id: SessionID, _ application: ApplicationID) {
        send(.sessionOpened(id, application: application, .application))
    }

    /// The system interrupts, with a sound that is made elsewhere.
    private mutating func begin(_ role: String) -> SessionID? {
        guard let description = engine.policy.description(of: Role(role), direction: .playback) else { return nil }
        lastID += 1
        let id = SessionID(lastID)
        send(.sessionOpened(id, application: World.application(100), .system(description)))
        let answers = send(.sessionRequested(id, .activate(mayWait: false)))
        if role == "phone", answers != [.done] { fail("R36 a call was refused: \(answers)") }
        return id
    }

    private mutating func end(_ session: SessionID) { send(.sessionClosed(session)) }

    /// The server runs what is wanted and may be heard.
    private mutating func follow() {
        var isDone = false
        while !isDone {
            isDone = true
            for index in members.indices {
                let silence = engine.treatment(of: members[index].stream)?.silence ?? .none
                if silence == .none { members[index].isSettled = false }
                let isStopped =
                    (silence == .cork || silence == .pausePlayer)
                    && (members[index].isSettled || !members[index].isRunning)
                let runs = members[index].isWanted && !isStopped
                guard runs != members[index].isRunning else { continue }
                members[index].isRunning = runs
                send(.streamRunning(members[index].stream, runs))
                isDone = false
            }
        }
    }

    // MARK: - What has to hold for every event

    mutating func fail(_ text: String) { if violation == nil { violation = text } }

    @discardableResult
    private mutating func send(_ event: Event) -> [SessionAnswer] {
        let effects = judged.send(event, at: now)
        if let flaw = judged.flaw { fail(flaw) }
        if let flaw = engine.inconsistency { fail("not consistent after \(event): \(flaw)") }
        log?.append("\(event)")
        log?.append(contentsOf: effects.map { "    → \($0)" })
        var answers: [SessionAnswer] = []
        for effect in effects {
            if case .wake(let moment) = effect { wake = moment }
            if case .answered(_, let answer) = effect { answers.append(answer) }
        }
        return answers
    }
}
