import Foundation
import PolicyEngine
import TestKit

@testable import Commands

/// Plays a scenario in real time: real clients with a tone each, real sessions over D-Bus, real plugs.
final class StoryPlayer {
    /// A program that plays or records.
    private struct Running {
        var process: pid_t
        /// Of a program with a button for it.
        var button: MPVSocket?
        /// What a recording has written so far.
        var file: String?
    }

    /// What was noted when an expectation's moment had come.
    struct Mark {
        var expectation: Int
        /// The present frame of each capture.
        var frames: [Int] = []
        /// How much a recording had grown, and how much it has a moment later.
        var sizes: (before: Int, after: Int)?
        var state: SessionState?
        /// How much the session's application has been told so far.
        var told: [Told] = []
    }

    let plan: StoryPlan
    let desk: LiveDesktop
    private let mocks: DesktopMocks
    private var applications: [String: SessionApplication] = [:]
    /// Who switches, and chooses outputs: the user's desktop.
    private var shell: SessionApplication
    private var cards: [String: any SoundCard] = [:]
    private var laptop: (any SoundCard)?
    private(set) var captures: [Capture]
    private var running: [Int: Running] = [:]
    /// By session: its paths on the bus with their applications, the present one last.
    private var paths: [Int: [(path: String, application: SessionApplication)]] = [:]
    private var cookies: [Int: Int] = [:]
    private(set) var marks: [Mark] = []
    private(set) var lateness = Duration.zero
    /// When the story's first moment was, and that moment moved by as much as its events took longer than the time between
    /// them, both on the clock of ``StallMeter/now``.
    private var start = StallMeter.now
    private var begin = StallMeter.now
    /// What each stream's user has made of its volume.
    private(set) var volumes: [Int: [(moment: Duration, factor: Double)]] = [:]
    var scenario: Scenario { plan.scenario }

    /// How loud a tone is that nobody lowers, linear: some ten of them fit into one sink.
    static let amplitude = 0.08
    /// How long a file grows, to see whether it does.
    private static let growth = Duration.milliseconds(250)

    static func frequency(of stream: Int) -> Double { 500 + 350 * Double(stream) }

    /// Sets the stage.
    init(_ plan: StoryPlan, on desk: LiveDesktop) async throws {
        self.plan = plan
        self.desk = desk
        mocks = DesktopMocks(desk.sandbox)
        captures = [desk.capture]
        if plan.needsLogind { _ = try await mocks.startLogind() }
        shell = try await desk.application("shell")
        for name in plan.applications { try await startApplication(name) }
        if plan.hasLaptop {
            let card = try await desk.card(.laptop)
            try await card.unplug("headphones")
            try await card.wait(untilHeardFrom: "speaker")
            captures.append(try await card.record("speaker"))
            laptop = card
        }
        for (name, kind) in plan.cards.sorted(by: { $0.key < $1.key }) {
            let card: any SoundCard
            switch desk.server.kind {
            case .pipeWire: card = try await FixtureCard.start(kind, isAbsent: true, on: desk.pipeWire)
            case .pulseAudio: card = try await PulseCard.start(kind, isAbsent: true, on: desk.pulseAudio)
            }
            cards[name] = card
            captures.append(try await card.record("\(kind.rawValue)-output"))
        }
    }

    private func startApplication(_ name: String) async throws {
        applications[name] = try await SessionApplication(
            "application-\(name)", as: name, isShared: true, isTraced: true, through: plan.interface(of: name),
            in: desk.sandbox)
    }

    // MARK: - The story

    /// Plays it to its end. What happens at the beginning, before anybody plays or asks for anything, happens before time
    /// runs.
    func play() async throws {
        var events = scenario.events[...]
        while let event = events.first, event.moment == .zero, isSetUp(event.action) {
            events.removeFirst()
            try await perform(event.action, at: .zero)
        }
        start = StallMeter.now
        begin = start
        var expectations = Array(scenario.expectations.enumerated())[...]
        while !events.isEmpty || !expectations.isEmpty {
            let next = events.first
            if let next, next.moment <= expectations.first?.element.moment ?? next.moment {
                events.removeFirst()
                begin += max(elapsed - next.moment, .zero)
                try await wait(until: next.moment)
                lateness = max(lateness, elapsed - next.moment)
                try await perform(next.action, at: next.moment)
            } else if let (number, expectation) = expectations.popFirst() {
                begin += max(elapsed - expectation.moment, .zero)
                try await wait(until: expectation.moment)
                marks.append(try await mark(number, expectation))
            }
        }
        try await wait(until: scenario.length)
    }

    private var elapsed: Duration { StallMeter.now - begin }

    private func wait(until moment: Duration) async throws {
        try await Task.sleep(for: begin + moment - StallMeter.now, tolerance: .milliseconds(1))
    }

    /// The events of a story are tenths of a second apart. One that came later than a part of that, after the one before it
    /// was done, makes another story.
    private static let greatestLateness = Duration.milliseconds(60)

    /// Throws if the machine has not kept to the story's times, so that it has to be played again.
    func expectWhole() async throws {
        _ = try await desk.heard(from: max(0, desk.capture.frameCount - (StallMeter.now - start).frames))
        if lateness > Self.greatestLateness {
            throw BrokenStretch(["an event came \(Int(lateness.milliseconds)) ms late"], isOfMachine: true)
        }
    }

    private func isSetUp(_ action: Scenario.Action) -> Bool {
        switch action {
        case .open, .category, .mode, .plug, .unplug, .route, .flip, .mute: true
        default: false
        }
    }

    private func perform(_ action: Scenario.Action, at moment: Duration) async throws {
        switch action {
        case .play(let stream): try await play(stream)
        case .pause(let stream): try await running[stream]?.button?.setPaused(true)
        case .stop(let stream): end(stream, SIGTERM)
        case .kill(let party):
            let application = scenario.application(of: party)
            for (stream, _) in running where scenario.streams[stream].application == application {
                end(stream, SIGKILL)
            }
            applications.removeValue(forKey: application.name)?.process.signal(SIGKILL)
            for session in scenario.sessions.indices where scenario.sessions[session].application == application {
                ended.insert(session)
            }
        case .volume(let stream, let factor):
            volumes[stream, default: []].append((moment, factor))
            if let found = try await serverStream(of: stream) {
                try await desk.server.setSlider(of: found, to: cbrt(factor))
                if factor > 0 { try await endVolumeOfClient(of: found) }
            }
        case .muteStream(let stream, let isMuted):
            let last = volumes[stream]?.last { $0.factor > 0 }?.factor ?? 1
            volumes[stream, default: []].append((moment, isMuted ? 0 : last))
            guard let found = try await serverStream(of: stream) else { break }
            try await desk.server.setMuted(isMuted, of: found)
            if !isMuted {
                // What was muted before it began, has begun with its volume at zero.
                try await desk.server.setSlider(of: found, to: cbrt(last))
                try await endVolumeOfClient(of: found)
            }
        case .sound: break
        case .free(let stream):
            if let process = running[stream]?.process { try await shell.manager("Free", "\"pid:\(process)\"") }
        case .open, .category, .mode, .activate, .deactivate, .cancel, .close: try await performSession(action)
        case .begin(let index):
            let interruption = scenario.interruptions[index]
            let name = plan.program(of: interruption)
            if applications[name] == nil { try await startApplication(name) }
            let cookie = try await applications[name]?.manager(
                "BeginInterruption", "\"\(interruption.kind)\"", "{\"display-name\": \"\(interruption.displayName)\"}")
            cookies[index] = cookie?.number.map { Int($0) }
        case .end(let index):
            guard let cookie = cookies.removeValue(forKey: index) else { break }
            let name = plan.program(of: scenario.interruptions[index])
            try await applications[name]?.manager("EndInterruption", "\(cookie)")
        case .machine(.sleep, let isOn): if isOn { try await mocks.sleep() } else { try await mocks.wake() }
        case .flip(.locked, let isOn): if isOn { try await mocks.lock() } else { try await mocks.unlock() }
        case .flip(let one, let isOn): try await shell.set(one.property, "\(isOn)")
        case .policy(let policy):
            try desk.sandbox.write(StoryPlan.text(of: policy), to: "home/.config/audio-session/policy.conf")
        case .move, .plug, .unplug, .route, .mute: try await performRoute(action)
        }
    }

    /// The sessions whose applications have died.
    private var ended: Set<Int> = []

    // MARK: - Streams

    private func play(_ stream: Int) async throws {
        if let button = running[stream]?.button { return try await button.setPaused(false) }
        guard running[stream] == nil else { return }
        let own = scenario.streams[stream]
        let isCapture = own.direction == .capture
        // The player of PipeWire calls music whatever says nothing of its role. What begins with its volume at zero is played
        // by it, because pipewire-pulse lets a stream of PulseAudio begin neither so nor muted.
        let hasRole = own.property("media.role") != nil
        let isSilent = volumes[stream]?.last?.factor == 0 && (hasRole || own.session != nil)
        let isPlain = isSilent || hasRole && stream % 2 == 0
        let program: ClientProgram =
            isCapture ? .plainRecorder : plan.isPaused(stream) ? .mpvPulse : isPlain ? .plain : .paplay
        let left = ["media.role", "application.name", "application.process.binary"]
        var properties: [String: String] = [:]
        for property in own.properties where !left.contains(property.key) { properties[property.key] = property.value }
        if let session = own.session, !ended.contains(session), let path = paths[session]?.last?.path {
            properties["audio-session.id"] = path.split(separator: "/").last.map(String.init)
        }
        let name = own.application.name
        // What plays in one application runs one program, as the processes of a browser do.
        let isShared = scenario.streams.filter { $0.application == own.application }.count > 1
        if isShared, applications[name] == nil { try await startApplication(name) }
        let identity = ApplicationIdentity(
            name, name: own.property("application.name") ?? name, isShared: applications[name] != nil)
        let role = own.property("media.role").map { MediaRole($0) }
        let file: String
        if isCapture {
            file = desk.sandbox.path("tmp/\(own.name)-\(UUID().uuidString.prefix(6)).wav")
        } else {
            file = try desk.sandbox.write(
                Signal.tone(
                    Self.frequency(of: stream), amplitude: Self.amplitude, for: scenario.length + .seconds(10),
                    on: .left),
                to: "\(own.name)-\(UUID().uuidString.prefix(6)).wav")
        }
        var invocation = try Client.invocation(
            program, file: file, as: identity, role: role, properties: properties, on: desk.server)
        // Recordings grow all the time, and what is played is heard soon.
        if isCapture { invocation.environment["PULSE_LATENCY_MSEC"] = "20" }
        // What its user has turned down or muted before it plays.
        if let volume = volumes[stream]?.last?.factor {
            let slider = program.isNative ? "\(volume)" : "\(Int(cbrt(volume) * 65536))"
            invocation.arguments.insert("--volume=\(slider)", at: max(invocation.arguments.count - 1, 0))
        }
        let process: pid_t
        if let application = applications[name] {
            process = pid_t(try await application.start(invocation))
        } else {
            process = try desk.sandbox.start(name, invocation).processID
        }
        running[stream] = Running(
            process: process, button: MPVSocket(of: invocation), file: isCapture ? file : nil)
    }

    private func end(_ stream: Int, _ signal: Int32) {
        guard let client = running.removeValue(forKey: stream) else { return }
        kill(client.process, signal)
    }

    /// The volume with which a player of PipeWire begins is apart from that of its channels, which mixers show.
    private func endVolumeOfClient(of stream: ServerStream) async throws {
        guard desk.server.kind == .pipeWire else { return }
        try await desk.sandbox.run(Invocation("pw-cli", ["set-param", "\(stream.id)", "Props", "{ volume: 1.0 }"]))
    }

    private func serverStream(of stream: Int) async throws -> ServerStream? {
        guard let process = running[stream]?.process else { return nil }
        return try await desk.server.streams().first { $0.processID == process }
    }

    // MARK: - Sessions

    private func performSession(_ action: Scenario.Action) async throws {
        func call(_ session: Int, _ method: String, _ arguments: String...) async throws {
            guard let (path, application) = paths[session]?.last else { return }
            let list = (["\"session\"", "\"\(path)\"", "\"\(method)\""] + arguments).joined(separator: ", ")
            // An error is an answer, and is in what it was told.
            do { try await application.ask("[\(list)]") } catch is SessionApplication.Failure {}
        }
        func words(_ options: CategoryOptions) -> String {
            "[\(options.names.map { "\"\($0)\"" }.joined(separator: ", "))]"
        }
        switch action {
        case .open(let session):
            let own = scenario.sessions[session]
            let name = own.application.name
            if applications[name] == nil { try await startApplication(name) }
            guard let application = applications[name] else { break }
            ended.remove(session)
            let path = try await application.open("{\"display-name\": \"\(name)\"}")
            paths[session, default: []].append((path, application))
            if own.avoidsAlerts {
                try await call(session, "SetPreference", "\"no-interruptions-from-system-alerts\"", "true")
            }
            if let isInterrupted = own.isInterruptedOnDisconnect {
                try await call(session, "SetPreference", "\"interruption-on-route-disconnect\"", "\(isInterrupted)")
            }
        case .category(let session, let category, let options, let mode):
            try await call(
                session, "SetCategory", "\"\(category.rawValue)\"", words(options), "\"\(mode?.rawValue ?? "")\"")
        case .mode(let session, let mode): try await call(session, "SetMode", "\"\(mode.rawValue)\"")
        case .activate(let session, let mayWait): try await call(session, "Activate", mayWait ? "[\"delayed\"]" : "[]")
        case .deactivate(let session, let notifies):
            try await call(session, "Deactivate", notifies ? "[\"notify-others\"]" : "[]")
        case .cancel(let session): try await call(session, "CancelActivation")
        case .close(let session):
            try await call(session, "Close")
            ended.insert(session)
        default: break
        }
    }

    private func state(of session: Int) async throws -> SessionState? {
        guard !ended.contains(session), let (path, _) = paths[session]?.last else { return nil }
        var state = SessionState()
        state.isActive = try await shell.get(path, "Active").bool ?? false
        state.isInterrupted = try await shell.get(path, "Interrupted").bool ?? false
        state.isDelayed = try await shell.get(path, "ActivationDelayed").bool ?? false
        return state
    }

    /// All that a session's application was told so far.
    func told(_ session: Int) throws -> [Told] {
        try (paths[session] ?? []).flatMap { path, application in Told.list(of: try application.events(of: path)) }
    }

    // MARK: - Routes

    private func performRoute(_ action: Scenario.Action) async throws {
        switch action {
        case .plug(let name):
            if plan.isOutput(name) { try await appear(name) } else { try await laptop?.plug("headset-mic") }
        case .unplug(let name):
            if plan.isOutput(name) { try await cards[name]?.vanish() } else { try await laptop?.unplug("headset-mic") }
        case .route(let name):
            if let card = cards[name] {
                if try await card.state().isPresent {
                    try await shell.manager("SetRoute", "\"\(plan.cards[name] == .hdmi ? "HDMI" : "USBAudio")\"")
                } else {
                    try await appear(name)
                }
            } else {
                try await shell.manager("SetRoute", "\"\(laptop == nil ? desk.server.sinkName : "BuiltInSpeaker")\"")
            }
        case .move(let stream, let name):
            let isCapture = scenario.streams[stream].direction == .capture
            let kinds = isCapture ? ("source-outputs", "sources") : ("sink-inputs", "sinks")
            guard let process = running[stream]?.process else { break }
            let streams = try await pactl("list", kinds.0).elements
            let own = streams.first { $0["properties"]?["application.process.id"]?.text == "\(process)" }
            let devices = try await pactl("list", kinds.1).elements.compactMap { $0["name"]?.text }
            let kind = plan.cards[name]?.rawValue ?? (laptop == nil ? desk.server.sinkName : "laptop")
            guard let index = own?["index"]?.number, let device = devices.first(where: { $0.contains(kind) }) else {
                throw StoryFailure("no stream of process \(process), or no device \(kind) among \(devices)")
            }
            try await desk.sandbox.run(
                Invocation("pactl", ["move-\(isCapture ? "source-output" : "sink-input")", "\(Int(index))", device]))
        case .mute(_, let isMuted):
            let sources = try await pactl("list", "sources").elements.compactMap { $0["name"]?.text }
            guard let source = sources.first(where: { $0.contains("laptop") && !$0.hasSuffix(".monitor") }) else {
                throw StoryFailure("no input of the card among \(sources)")
            }
            try await desk.sandbox.run(Invocation("pactl", ["set-source-mute", source, isMuted ? "1" : "0"]))
        default: break
        }
    }

    private func appear(_ name: String) async throws {
        guard let card = cards[name] else { return }
        try await card.appear()
        // Before time runs there is time for that; later the server takes what it takes.
        if marks.isEmpty, running.isEmpty { try await card.waitUntilLinked() }
    }

    private func pactl(_ arguments: String...) async throws -> JSONValue {
        try JSONValue(parsing: await desk.sandbox.run(Invocation("pactl", ["--format=json"] + arguments)))
    }

    // MARK: - Marks

    private func mark(_ number: Int, _ expectation: Scenario.Expectation) async throws -> Mark {
        var mark = Mark(expectation: number)
        switch expectation.subject {
        case .stream(let stream, _):
            mark.frames = captures.map(\.frameCount)
            if let file = running[stream]?.file {
                let before = Self.size(of: file)
                try await Task.sleep(for: Self.growth)
                mark.sizes = (before, Self.size(of: file))
            }
        case .session(let session, _): mark.state = try await state(of: session)
        case .told(let session, _): mark.told = try told(session)
        }
        return mark
    }

    private static func size(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }
}

/// What went wrong with the means of a story.
struct StoryFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
