/// The difference between the verdict before an event and the one after it, as effects in the order of R27.
struct Difference {
    /// The decision. Records in its standings what sessions are notified of.
    var scene: Scene
    var applied: [Applied]
    var effects: [Effect] = []
    private(set) var interrupted: [Int] = []

    init(_ scene: Scene, _ applied: [Applied]) {
        self.scene = scene
        self.applied = applied
    }

    /// Notifies of activity, granted activations, treatments, and beginnings and ends of interruptions, each from the
    /// strongest claim down. The end for a closed session comes last.
    mutating func notify(granted: [SessionID]) {
        var changed: [Int] = []
        for place in scene.standings.indices where mayBeNotified(place) { changed.append(place) }
        if changed.count > 1 { changed.sort { scene.isAbove($0, $1) } }
        for place in changed { notifyOfPhase(place) }
        for id in granted { effects.append(.activationGranted(id)) }
        treat()
        for place in changed where scene.standings[place].driver != .closed { notifyOfInterruption(place) }
        for place in changed where scene.standings[place].driver == .closed {
            if scene.standings[place].interruption.isNotified {
                effects.append(.interruptionEnded(reference(place), shouldResume: false))
            }
        }
    }

    func reference(_ place: Int) -> SessionReference {
        scene.facts.sessions[place].reference(scene.standings[place].described)
    }

    private func mayBeNotified(_ place: Int) -> Bool {
        let isActive = scene.standings[place].phase != .inactive
        return isActive != scene.standings[place].isNotifiedActive || scene.standings[place].interruption != .none
            || isActive && scene.isSilenced(place)
    }

    // MARK: - Activity

    private mutating func notifyOfPhase(_ place: Int) {
        let standing = scene.standings[place]
        let isActive = standing.phase != .inactive
        // R30: an interrupted session is notified of the end of the interruption first.
        if isActive, standing.interruption.isNotified || scene.isSilenced(place) { return }
        notify(place, isActive: isActive)
    }

    private mutating func notify(_ place: Int, isActive: Bool) {
        if scene.standings[place].isNotifiedActive == isActive { return }
        scene.standings[place].isNotifiedActive = isActive
        effects.append(isActive ? .sessionActivated(reference(place)) : .sessionDeactivated(reference(place)))
    }

    // MARK: - Interruptions

    /// R26, R27, R30: a session learns of its interruption when silent, and of the end when that is over.
    private mutating func notifyOfInterruption(_ place: Int) {
        let (isSilenced, isStopped) = (scene.isSilenced(place), scene.isStopped(place))
        begin(place, isSilenced: isSilenced)
        notifyOfObstacle(place, isSilenced: isSilenced && !isStopped)
        if scene.standings[place].interruption.hasBegun, isSilenced, !scene.isAudible(place), !awaitsRoute(place) {
            notifyOfBeginning(place)
        }
        switch scene.standings[place].interruption {
        case .notified(_, let prospect):
            if isStopped || !isSilenced { notifyOfEnd(place, prospect, isStopped: isStopped) }
        case .over(_, let prospect): notifyOfEnd(place, prospect, isStopped: isStopped)
        case .mayResume(let until): if until <= scene.now { scene.standings[place].interruption = .none }
        case .none, .begun, .mustNotResume: break
        }
    }

    /// R58, R64: a session that has lost its output is told of its new route first.
    private func awaitsRoute(_ place: Int) -> Bool {
        guard scene.standings[place].cause == nil, case .lostOutput = scene.standings[place].obstacle else {
            return false
        }
        return scene.standings[place].routeIsToldUntil.map { $0 > scene.now } ?? false
    }

    private mutating func begin(_ place: Int, isSilenced: Bool) {
        let standing = scene.standings[place]
        if isSilenced, standing.interruption == .none, standing.phase != .inactive {
            scene.standings[place].interruption = .begun(.mayResume)
        }
        // A session whose last stream has gone while fading no longer exists when silent.
        let isGone = scene.facts.sessions[place].kind == .implicit && scene.sums[place].count == 0
        if !isSilenced || isGone, standing.interruption.hasBegun { scene.standings[place].interruption = .none }
    }

    /// R64: after the interrupter, a session whose output or input is not there is notified of that.
    private mutating func notifyOfObstacle(_ place: Int, isSilenced: Bool) {
        guard case .notified(ofObstacle: false, let prospect) = scene.standings[place].interruption, isSilenced,
            scene.standings[place].cause == nil, scene.standings[place].obstacle?.isOfRoute ?? false
        else { return }
        effects.append(.interruptionEnded(reference(place), shouldResume: false))
        scene.standings[place].interruption = .begun(prospect)
    }

    private mutating func notifyOfBeginning(_ place: Int) {
        guard let prospect = scene.standings[place].interruption.prospect else { return }
        notify(place, isActive: false)
        interrupted.append(place)
        scene.standings[place].interruption = .notified(ofObstacle: scene.standings[place].cause == nil, prospect)
        if let interrupter = scene.facts.interrupter(of: place, scene.standings) {
            effects.append(.interruptionBegan(reference(place), by: interrupter))
        }
        guard scene.standings[place].driver.isApplication else { return }
        // R26, R34: the session is inactive until its application activates it again.
        if scene.standings[place].driver == .activated { scene.standings[place].driver = .interrupted }
        scene.standings[place].progress = Progress()
    }

    private mutating func notifyOfEnd(_ place: Int, _ prospect: Prospect, isStopped: Bool) {
        let standing = scene.standings[place]
        let mayResume = standing.driver.isApplication ? prospect == .mayResume : scene.asks(place)
        let resumes = mayResume && !isStopped
        effects.append(.interruptionEnded(reference(place), shouldResume: resumes))
        scene.standings[place].interruption = .none
        if standing.driver == .interrupted {
            // N17: the victims of the session wait as long.
            let within = scene.rules.policy.interruptions.resumesWithin
            scene.standings[place].interruption =
                resumes ? .mayResume(until: scene.now.advanced(by: within)) : .mustNotResume
        }
        // R34: a session driven by its streams goes on at once.
        if standing.phase != .inactive, !isStopped { notify(place, isActive: true) }
    }
}

extension Facts {
    func interrupter(of place: Int, _ standings: [Standing]) -> Interrupter? {
        if let cause = standings[place].cause { return sessions[cause].interrupter(standings[cause].described) }
        return standings[place].obstacle?.interrupter
    }
}
