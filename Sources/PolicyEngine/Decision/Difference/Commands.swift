/// What is asked of the server for sessions, and for the outputs of roles (R41–R43, R46–R48, R66, N23).
extension Engine {
    /// The times between the checks of commands; after the last check, nothing is repeated.
    private static let checkIntervals: [Duration] = [
        .milliseconds(250), .milliseconds(750), .seconds(1), .seconds(1),
    ]
    /// From this check on, a port that was requested earlier is somebody's choice.
    private static let settlingCheck = 2

    /// Makes the choices of all active sessions, the commands for them, and what their owners are told.
    mutating func steer(_ places: (any StreamPlaces)?, at now: Instant) {
        guard routing.mustSteer, routing.newManagerUntil == nil else { return }
        routing.mustSteer = false
        planComparison(at: now)
        let (choices, detours) = choices()
        if !choices.isEmpty || !routing.steering.isEmpty || haveOutputs {
            let streams = routedStreams(places)
            let commands = routing.steering.update(
                choices, streams: streams, places: routing.tracker.places, outputs: sinks(of: streams))
            command(commands, at: now)
        }
        let available = availableOutputs + availableInputs
        let isUnderWay = isUnderWay
        for place in facts.sessions.indices where facts.sessions[place].kind == .opened {
            let former = verdict.routes[place].detour
            verdict.routes[place].detour = detours[place]
            if isUnderWay { continue }
            tellOwed(place)
            if let reason = Detour.reason(from: former, to: detours[place], available: available) {
                notify(place, reason)
            }
        }
    }

    /// In the order of activation; and each session's detour.
    private func choices() -> (choices: [(session: SessionID, choice: RouteChoice)], detours: [Detour?]) {
        let (inputs, outputs) = (availableInputs, availableOutputs)
        let untouched = routing.steering.untouched(routing.tracker.present, inputs: inputs, outputs: outputs)
        var choices: [(session: SessionID, choice: RouteChoice)] = []
        var detours = [Detour?](repeating: nil, count: facts.sessions.count)
        // Very many sessions may have the same requirements.
        var known: [RouteRequirements: (choice: RouteChoice, detour: Detour)] = [:]
        for place in routing.active.compactMap({ facts.place($0) }) {
            let session = facts.sessions[place]
            var requirements = RouteRequirements(
                session.configuration, preferredOutput: session.preferredOutput, preferredInput: session.preferredInput)
            requirements.mayUseSharedPorts = session.mayUseSharedPorts
            let answer =
                known[requirements]
                ?? {
                    let choice = RouteChoice(for: requirements, inputs: inputs, outputs: outputs, present: untouched)
                    return (choice, Detour(choice, for: requirements, beside: routing.tracker.present))
                }()
            known[requirements] = answer
            detours[place] = answer.detour
            if let id = session.id, answer.choice != RouteChoice() { choices.append((id, answer.choice)) }
        }
        return (choices, detours)
    }

    private func routedStreams(_ places: (any StreamPlaces)?) -> [RouteStream] {
        facts.streams.map { stream in
            RouteStream(
                stream.id, of: facts.sessions[stream.session].id, stream.direction,
                on: places?.node(of: stream.id),
                output: stream.direction == .playback ? stream.described.description.output : nil)
        }
    }

    /// Whether the role of any stream has an output (N23).
    var haveOutputs: Bool { facts.streams.contains { $0.described.description.output != nil } }

    /// N23: a sink for the output that each stream's role has, preferably the default sink. Only ports in use count:
    /// another port of a card would take all of the card's sound along.
    private func sinks(of streams: [RouteStream]) -> [OutputPattern: UInt32] {
        var sinks: [OutputPattern: UInt32] = [:]
        for pattern in Set(streams.compactMap(\.output)) {
            let fitting = routing.tracker.places.filter { place in
                place.direction == .output && ports(of: place.nodeID).contains { pattern.matches($0) }
            }
            sinks[pattern] = (fitting.first { $0.isDefault } ?? fitting.first)?.nodeID
        }
        return sinks
    }

    mutating func command(_ commands: [RouteCommand], at now: Instant) {
        for command in commands {
            if case .usePort = command {
                routing.nextCheck = now.advanced(by: Self.checkIntervals[0])
                routing.checks = 0
            }
            effects.append(.command(command))
        }
    }

    mutating func checkCommands(at now: Instant) {
        routing.checks += 1
        let commands = routing.steering.unanswered(routing.tracker.places)
        if routing.checks == Self.checkIntervals.count || routing.checks >= Self.settlingCheck && commands.isEmpty {
            routing.nextCheck = nil
            routing.steering.settle()
            planComparison(at: now)
        } else {
            routing.nextCheck = now.advanced(by: Self.checkIntervals[routing.checks])
            effects += commands.map { .command($0) }
        }
    }
}
