import CPulseCore
import SessionCore
import SessionHost
import SessionRuntime
import SessionService

/// One stream in the daemon: what its client wants, and what the policy wants on top.
///
/// What the policy stops is held in the thread that plays it, below the state that its client sets. So nothing is lost of
/// it; and what the client does meanwhile, a pause above all, shows in its state, as it does not when the daemon corks the
/// stream itself. Clients that listen are asked to cork by themselves besides, so that their windows tell the truth.
package final class PulseStream: HostedStream {
    package private(set) var id: StreamID
    let handle: StreamHandle
    let index: UInt32
    private(set) var properties: StreamProperties
    package var description: SessionDescription?
    private unowned let host: PulseAudioHost

    private(set) var silence = Silence.none
    private var gain = StreamGain()
    /// It is corked, and silent in advance in case its client starts it, because it would be rejected (R8).
    private var isGuarded = false
    private var isMuffled = false
    /// What is done to it is carried out when all of it is known.
    private var isChanging = false
    /// What the thread that plays it was told last.
    private var isHeldByThread = false

    /// What its client wants.
    private var client: CorkRequests
    /// Its client runs it, as far as that is the client's own wish.
    package var wantsToPlay: Bool { client.wantsToPlay }
    /// Its client was told of an interruption, and not yet of its end.
    private var isInterrupted = false
    /// It goes on for what the stream has become.
    private var isToldAgain = false
    /// What its client has to be told when it can hear it.
    private var news: [(event: String, properties: [(String, String)])] = []

    /// More is not told at once.
    private static let mostNews = 16

    init(id: StreamID, handle: StreamHandle, properties: StreamProperties, host: PulseAudioHost) {
        self.id = id
        self.handle = handle
        self.properties = properties
        self.host = host
        index = handle.index
        client = CorkRequests(wantsToPlay: handle.state == CPC_RUNNING)
    }

    package var direction: StreamDirection { handle.direction }
    package var application: ApplicationID { properties.identity.application }
    package var complaint: String? { properties.complaint }

    /// Its client has corked it.
    var isCorked: Bool { handle.state == CPC_CORKED }

    /// Its client runs it and nothing holds it.
    package var isRunning: Bool { handle.state == CPC_RUNNING && !isHeld }

    package func property(_ key: String) -> String? { text(handle.property(key)) }

    package var identity: StreamIdentity {
        StreamIdentity(node: index, client: properties.identity, session: property(StreamIdentity.sessionProperty))
    }

    /// It says something else of itself now, so it counts as another stream, to which nothing was done yet. What is done to
    /// it in `introduction` takes the place of what was done before: what stays silent is not let go in between.
    func become(_ id: StreamID, _ properties: StreamProperties, _ introduction: () -> Void) {
        isToldAgain = false
        changeAtOnce {
            silence = .none
            gain = StreamGain()
            self.id = id
            self.properties = properties
            introduction()
        }
        if !isToldAgain { tell(of: .ended(shouldResume: true)) }
    }

    /// Has what is done to it meanwhile carried out when all of it is known.
    private func changeAtOnce(_ change: () -> Void) {
        let wasHeld = isHeld
        isChanging = true
        change()
        isChanging = false
        carryOut(after: wasHeld)
    }

    /// It is not managed any more.
    func letGo() {
        guardStart(false)
        set(Silence.none)
        set(LinearGain.unity)
        setInputGain(.unity)
        tell(of: .ended(shouldResume: true))
    }

    // MARK: - What the client wants

    /// Its state is another one. Asked by the daemon amid its own work, so what the policy says of it comes before the first
    /// sound.
    func stateChanged() {
        switch handle.state {
        case CPC_RUNNING: started()
        case CPC_CORKED: corked()
        default: break
        }
    }

    private func started() {
        follow(client.started())
        if isHeld {
            // Its state has ended what held it.
            hold()
            askToCork()
        }
        host.post(.streamRunning(id, isRunning), now: false)
    }

    private func corked() {
        follow(client.corked(at: host.now))
        host.post(.streamRunning(id, false), now: false)
    }

    private func follow(_ wish: CorkRequests.Wish) {
        switch wish {
        case .same: break
        case .wanted(let isWanted): host.post(.streamWanted(id, isWanted), now: true)
        case .wantedAnew:
            // Where it may not begin it is not let go in between (R8).
            changeAtOnce {
                host.post(.streamWanted(id, false), now: true)
                host.post(.streamWanted(id, true), now: true)
            }
        }
    }

    /// Looks whether a client that was asked to go on has done so.
    func lookAtRequest(at now: Instant) {
        let (wish, again) = client.look(at: now, isRunning: handle.state == CPC_RUNNING)
        if let again { host.lookLater(at: again) }
        follow(wish)
    }

    // MARK: - What the policy wants

    /// Whether the daemon's thread leaves it alone.
    private var isHeld: Bool {
        switch silence {
        case .none: false
        case .cork, .pausePlayer: true
        // What has no volume can be stopped only.
        case .mute: handle.isPassthrough
        }
    }

    func set(_ silence: Silence) {
        guard silence != self.silence else { return }
        let wasHeld = isHeld
        self.silence = silence
        carryOut(after: wasHeld)
    }

    private func carryOut(after wasHeld: Bool) {
        guard !isChanging else { return }
        writeFactor()
        guard isHeld != wasHeld else { return }
        hold()
        if isHeld {
            askToCork()
        } else {
            let (asksToGoOn, moment) = client.release(at: host.now)
            if let moment { host.lookLater(at: moment) }
            if asksToGoOn { tell("request-uncork") }
        }
        host.post(.streamRunning(id, isRunning), now: false)
    }

    /// Asks a client to cork that runs its stream; not for the moment until others are silent, which it would only make
    /// longer.
    private func askToCork() {
        guard handle.state == CPC_RUNNING, !host.isHandover(id) else { return }
        client.ask(at: host.now)
        tell("request-cork")
    }

    func set(_ gain: LinearGain) {
        guard gain != self.gain.policy else { return }
        self.gain.policy = gain
        writeFactor()
    }

    func setInputGain(_ gain: LinearGain) {
        guard gain != self.gain.input else { return }
        self.gain.input = gain
        writeFactor()
    }

    private func writeFactor() {
        guard !isChanging else { return }
        let wished = silence == .mute ? 0 : gain.factor
        guard !handle.setFactor(isGuarded ? 0 : wished), wished != 1, !isMuffled, handle.isPassthrough else { return }
        isMuffled = true
        host.log(.info, "\(application.name) cannot be ducked: its sound passes through the daemon as it is")
    }

    /// Makes it silent in advance, before its client starts it; or no longer, and it has the level again that was decided.
    func guardStart(_ isGuarded: Bool) {
        guard isGuarded != self.isGuarded else { return }
        self.isGuarded = isGuarded
        writeFactor()
    }

    /// It is somewhere else now: what was done to it there is done to it here.
    func moved() {
        writeFactor()
        // A move keeps what the thread knows, and it may have been let go meanwhile. No others, for what is said of the state
        // of one stream its thread takes for those that are synchronized with it, too.
        if isHeld || isHeldByThread { hold() }
    }

    /// Has the thread that plays it leave it alone, or play it.
    private func hold() {
        if handle.hold(isHeld) { isHeldByThread = isHeld }
    }

    // MARK: - What its client is told

    /// Tells the client of an interruption, once, and of its end: also of one that goes on though the stream has become
    /// another one.
    func tell(of interruption: StreamInterruption) {
        switch interruption {
        case .began(let reason, let actor):
            isToldAgain = true
            guard !isInterrupted else { return }
            isInterrupted = true
            tell(
                StreamEvent.name,
                [(StreamEvent.state, "began"), (StreamEvent.reason, reason.rawValue), (StreamEvent.actor, actor)])
        case .ended(let shouldResume):
            guard isInterrupted else { return }
            isInterrupted = false
            tell(StreamEvent.name, [(StreamEvent.state, "ended"), (StreamEvent.shouldResume, "\(shouldResume)")])
        }
    }

    /// Queues an event for the client, which hears nothing before it has been answered that the stream exists.
    func tell(_ event: String, _ properties: [(String, String)] = []) {
        guard news.count < PulseStream.mostNews else { return }
        news.append((event, properties))
        host.hasNews(self)
    }

    /// Sends what is queued.
    func sendNews() {
        let due = news
        news = []
        for (event, properties) in due { handle.send(event, properties) }
    }
}
