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
final class PulseStream: HostedStream {
    private(set) var id: StreamID
    let handle: StreamHandle
    let index: UInt32
    private(set) var properties: StreamProperties
    var description: SessionDescription?
    private unowned let host: PulseAudioHost

    private(set) var silence = Silence.none
    private var gain = LinearGain.unity
    /// The factor that its session wishes for on what it records (R76).
    private var inputGain = LinearGain.unity
    /// It is corked, and silent in advance in case its client starts it, because it would be rejected (R8).
    private var isGuarded = false
    private var isMuffled = false
    /// What is done to it is carried out when all of it is known.
    private var isChanging = false
    /// What the thread that plays it was told last.
    private var isHeldByThread = false

    /// What has passed between us and the client about a cork.
    private enum Request {
        case none
        /// It was asked to cork, and has not done it yet.
        case asked(Instant)
        /// It has corked because it was asked to.
        case followed
        /// It was asked to go on, having followed, and has not done it yet.
        case recalled(Instant)
    }
    private var request = Request.none
    /// It was asked to cork, and has to be asked to go on: who did not do the one will not do the other.
    private var wasAsked = false
    /// It has corked because it was asked to before, so it will again, however late.
    private var isFollower = false
    /// The client runs the stream, as far as that is the client's own wish.
    private(set) var wantsToPlay: Bool
    /// Its client was told of an interruption, and not yet of its end.
    private var isInterrupted = false
    /// It goes on for what the stream has become.
    private var isToldAgain = false
    /// What its client has to be told when it can hear it.
    private var news: [(event: String, properties: [(String, String)])] = []

    /// How late the cork of a client may be of which nobody knows whether it follows requests, and still be the answer to
    /// one; a user needs longer. One that comes later is its user's pause.
    static let patience = Duration.milliseconds(500)
    /// How late it may go on.
    static let returnPatience = Duration.seconds(1)
    /// More is not told at once.
    private static let mostNews = 16

    init(id: StreamID, handle: StreamHandle, properties: StreamProperties, host: PulseAudioHost) {
        self.id = id
        self.handle = handle
        self.properties = properties
        self.host = host
        index = handle.index
        wantsToPlay = handle.state == CPC_RUNNING
    }

    var direction: StreamDirection { handle.direction }
    var application: ApplicationID { properties.identity.application }
    var complaint: String? { properties.complaint }

    /// Its client has corked it.
    var isCorked: Bool { handle.state == CPC_CORKED }

    /// Its client runs it and nothing holds it.
    var isRunning: Bool { handle.state == CPC_RUNNING && !isHeld }

    func property(_ key: String) -> String? { text(handle.property(key)) }

    var identity: StreamIdentity {
        StreamIdentity(node: index, client: properties.identity, session: property("audio-session.id"))
    }

    /// It says something else of itself now, so it counts as another stream, to which nothing was done yet. What is done to
    /// it in `introduction` takes the place of what was done before: what stays silent is not let go in between.
    func become(_ id: StreamID, _ properties: StreamProperties, _ introduction: () -> Void) {
        isToldAgain = false
        changeAtOnce {
            silence = .none
            gain = .unity
            inputGain = .unity
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
        switch request {
        case .followed:
            // R36: it goes on by itself though it was asked to cork, as when its user presses play: it asks once more, and
            // where it may not begin it is not let go in between (R8).
            changeAtOnce {
                want(false)
                want(true)
            }
        default: want(true)
        }
        request = .none
        if isHeld {
            // Its state has ended what held it.
            hold()
            askToCork()
        }
        host.post(.streamRunning(id, isRunning), now: false)
    }

    private func corked() {
        if case .asked(let moment) = request, isFollower || moment.duration(to: host.now) < PulseStream.patience {
            request = .followed
            isFollower = true
        } else {
            request = .none
            // What its user has paused is not asked to go on: where the pause ends what held it, that would be heard at
            // once, and where its output has gone, on the speaker (R36, R64).
            wasAsked = false
            want(false)
        }
        host.post(.streamRunning(id, false), now: false)
    }

    private func want(_ isWanted: Bool) {
        guard isWanted != wantsToPlay else { return }
        wantsToPlay = isWanted
        host.post(.streamWanted(id, isWanted), now: true)
    }

    /// A client that was asked to go on has not: its application has paused it meanwhile, or leaves that to its user.
    func lookAtRequest(at now: Instant) {
        guard case .recalled(let moment) = request else { return }
        let end = moment.advanced(by: PulseStream.returnPatience)
        guard end <= now else { return host.lookLater(at: end) }
        request = .none
        want(handle.state == CPC_RUNNING)
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
            switch request {
            // Also who was asked to go on after an interruption before, and has not done so yet.
            case .followed, .recalled:
                request = .recalled(host.now)
                host.lookLater(at: host.now.advanced(by: PulseStream.returnPatience))
            case .asked, .none: request = .none
            }
            if wasAsked { tell("request-uncork") }
            wasAsked = false
        }
        host.post(.streamRunning(id, isRunning), now: false)
    }

    /// Asks a client to cork that runs its stream; not for the moment until others are silent, which it would only make
    /// longer.
    private func askToCork() {
        guard handle.state == CPC_RUNNING, !host.isHandover(id) else { return }
        request = .asked(host.now)
        wasAsked = true
        tell("request-cork")
    }

    func set(_ gain: LinearGain) {
        guard gain != self.gain else { return }
        self.gain = gain
        writeFactor()
    }

    func setInputGain(_ gain: LinearGain) {
        guard gain != inputGain else { return }
        inputGain = gain
        writeFactor()
    }

    private func writeFactor() {
        guard !isChanging else { return }
        let wished = silence == .mute ? 0 : gain.value * inputGain.value
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
