import Foundation
import TestKit
import Testing

/// All tests that run the built module in a real server. They run beside each other, each in a server that no other test
/// uses at that time (``SharedDesktops``).
///
/// Each is a scenario for every server: ``ServerKind/underTest`` says which one this run is about, and ``Difference/all``
/// what a server cannot show, and why.
@Suite(.differences) struct LiveModule {}

/// What a test wishes of its desktop beyond the usual. Tests with equal wishes share a desktop.
struct LiveDesktopOptions: Hashable {
    /// More of PipeWire and its session manager; of no account on another server.
    var pipeWire = DesktopOptions()
    /// More of PulseAudio; of no account on another server.
    var pulseAudio = PulseAudioOptions.stock
    /// More files, by their path under `XDG_CONFIG_HOME`.
    var configurationFiles: [String: String] = [:]
    /// Whether there is a system bus, for the services of ``DesktopMocks``.
    var runsSystemBus = false
    /// Whether the module may use the session bus.
    var servesBus = true
    /// On PipeWire, whether the module is not there before the test loads it, without arguments.
    var isModuleLate = false
    /// On PulseAudio, whether there is a source from which nothing comes.
    var hasSource = true
    /// How loud an output of a card is that nobody has heard yet, linear. PulseAudio begins with 1 in any case.
    var routeVolume: Double?
    /// Whether the server, or its session manager, gives a stream the volume that an earlier one had.
    var remembersVolumes = false
    /// The test that needs a desktop of its own, which is ended with it.
    var owner: String?

    /// Has a microphone from which nothing comes on PipeWire as well. Without one, newer releases of WirePlumber link no
    /// recording, and older ones link it to what others play.
    mutating func addMicrophone() {
        pipeWire.pipeWireFragments["30-microphone.conf"] = """
            context.objects = [ { factory = adapter args = { factory.name = support.null-audio-sink
                node.name = no-microphone media.class = Audio/Source/Virtual audio.rate = 48000
                audio.position = [ FL FR ] object.linger = true } } ]
            """
    }

    /// Starts the server under test.
    func start() async throws -> any PrivateServer {
        let folder = try LiveDesktop.moduleFolder()
        switch ServerKind.underTest {
        case .pipeWire: return try await PrivateDesktop.start(try desktop(folder))
        case .pulseAudio: return try await PrivatePulseAudio.start(try await daemon(folder))
        }
    }

    private func desktop(_ folder: String) throws -> DesktopOptions {
        var desktop = pipeWire
        desktop.routeVolume = routeVolume
        desktop.runsSystemBus = runsSystemBus
        desktop.comesFirst = true
        desktop.configurationFiles.merge(configurationFiles) { $1 }
        if !remembersVolumes { desktop.configurationFiles.merge(PrivateDesktop.withoutMemory) { wished, _ in wished } }
        var module = ServerModule(
            PrivateDesktop.moduleName, folder: folder, arguments: servesBus ? nil : "{ dbus = no }")
        module.isLate = isModuleLate
        desktop.modules = [
            module,
            ServerModule("libpipewire-module-test-unloader", folder: try LiveDesktop.unloaderFolder.get()),
        ]
        // Nodes say when they miss a cycle, and pipewire-pulse when it has no sound of a client (MachineWatch).
        let debug = "2,mod.audio-session:4,pw.node:3,mod.protocol-pulse:3"
        desktop.environment.merge(["PIPEWIRE_DEBUG": debug]) { wished, _ in wished }
        return desktop
    }

    private func daemon(_ folder: String) async throws -> PulseAudioOptions {
        var daemon = pulseAudio
        daemon.runsSystemBus = runsSystemBus
        daemon.comesFirst = true
        daemon.configurationFiles.merge(configurationFiles) { $1 }
        daemon.moduleFolders = [folder, try await LiveDesktop.cardFolder.value]
        if !remembersVolumes { daemon.earlyModules.removeAll { $0 == "module-stream-restore" } }
        // Or the null sink's monitor would be the default source, and the capture would follow when another becomes it.
        if hasSource { daemon.earlyModules.append("module-null-source source_name=no-microphone") }
        daemon.modules.append("module-audio-session" + (servesBus ? "" : " dbus=no"))
        if daemon.logLevel == "notice" { daemon.logLevel = "info" }
        daemon.environment["AUDIO_SESSION_DEBUG"] = "1"
        return daemon
    }
}

/// A private desktop whose sound server has loaded the module, with a capture of what its sink plays.
struct LiveDesktop: Sendable {
    /// The sound server, with what belongs to it.
    let server: any PrivateServer
    let capture: Capture
    /// Prints the cycles that PipeWire's graph has lost.
    private let cycles: ChildProcess?
    /// What the daemon has logged since the test began.
    private let logFile: LogFile?

    init(server: any PrivateServer, capture: Capture, cycles: ChildProcess? = nil, log: LogFile? = nil) {
        self.server = server
        self.capture = capture
        self.cycles = cycles
        logFile = log ?? server.daemon?.log
    }

    /// Music plays on the left, interrupters on the right, each with a tone of its own, so that one capture tells who is
    /// heard.
    static let music = Tone(440, on: .left)
    static let interrupter = Tone(880, on: .right)
    static let secondInterrupter = Tone(1320, on: .right)
    /// The level of a tone of amplitude 0.5 that nobody lowers, in dBFS.
    static let full = -6.02
    /// The loudest click that any fade may have, in dBFS. A hard cut is at −14.
    static let loudestClick = -80.0
    /// Whether the recording of the server's own sink has fades as they are played.
    ///
    /// PulseAudio's monitors give out the sound of the last cycle before the sink has played it, and so also what the sink
    /// takes back to let a fade begin: up to 25 ms of a fade are missing in a recording of the monitor. What a card plays
    /// has none of that, and so `glidesOnCard` is where clicks are looked for there.
    var showsFades: Bool { server.kind == .pipeWire }

    /// How often a scene is played at most when the machine loses sound in it.
    static let mostPlays = 10

    /// Plays a scene on a desktop with the module, and checks afterwards that the daemon survived.
    ///
    /// The scene is played again, before anything is judged, if the machine has lost sound in the stretch to be judged
    /// (``heard(from:to:in:)``): alone, with no other test beside it, ten times at most, and each time is printed. Nothing
    /// else is tried again. A scene in which the machine itself stood still each time is printed as not judged; one that the
    /// server alone complains of each time is a failure.
    ///
    /// - Parameters:
    ///   - preset: The policy's name.
    ///   - policy: More of a policy: both are the user's file.
    ///   - servesBus: Whether the module may use the session bus.
    ///   - quantum: Of PipeWire's graph.
    ///   - own: Why the test needs a desktop of its own; nil if it leaves its desktop as it was.
    static func run(
        preset: String? = nil, policy: String? = nil, servesBus: Bool = true, quantum: Quantum = .fixed(1024),
        own: String? = nil, options change: (inout LiveDesktopOptions) -> Void = { _ in },
        _ body: (LiveDesktop) async throws -> Void
    ) async throws {
        var options = LiveDesktopOptions()
        options.pipeWire.quantum = quantum
        options.servesBus = servesBus
        let test = Test.current?.name ?? "a test"
        // What a session manager remembers of a card would reach the next test.
        if own != nil || CardScenario.withCard.contains(String(test.prefix { $0 != "(" })) { options.owner = test }
        change(&options)
        var text = [preset.map { "preset = \($0)" }, policy].compactMap(\.self).joined(separator: "\n")
        let file = "audio-session/policy.conf"
        if options.owner != nil, !text.isEmpty {
            options.configurationFiles[file] = text + "\n"
            text = ""
        }
        // A policy that is there from the start would be taken away with the test.
        if options.configurationFiles[file] != nil { options.owner = test }
        for play in 1...mostPlays {
            do {
                return try await runOnce(options, policy: text, isAlone: play > 1, body)
            } catch let broken as BrokenStretch {
                if play < mostPlays {
                    print("Played again: \(test), as \(broken)")
                } else if broken.isOfMachine {
                    print("Not judged: \(test): no whole stretch of sound in \(play) plays, as \(broken)")
                } else {
                    throw broken
                }
            }
        }
    }

    private static func runOnce(
        _ options: LiveDesktopOptions, policy: String, isAlone: Bool, _ body: (LiveDesktop) async throws -> Void
    ) async throws {
        let desktops = SharedDesktops.ofThisRun
        let shared = try await desktops.take(options, isAlone: isAlone)
        do {
            try await play(policy, on: shared, body)
        } catch {
            await desktops.end(shared)
            throw error
        }
        await desktops.giveBack(shared)
    }

    private static func play(
        _ policy: String, on shared: SharedDesktops.Server, _ body: (LiveDesktop) async throws -> Void
    ) async throws {
        let server = shared.server
        defer { keepLogs(of: server) }
        // Also after a test that ended with an error.
        defer { #expect(server.daemon?.isRunning ?? true, "the daemon ended:\n\(server.sandbox.logTails())") }
        // Begins to measure, if no test has begun yet.
        _ = MachineWatch.shared
        let isWatched = server.kind == .pipeWire && server.daemon != nil
        let cycles =
            isWatched ? try server.sandbox.start("cycles", Invocation(try builtProgram("cycle-watch"))) : nil
        // The first test of a server also sees how it began.
        let log = shared.isNew ? server.daemon?.log : server.daemon?.log.fromNow
        let desk = LiveDesktop(
            server: server, capture: try await Capture.start(on: server), cycles: cycles, log: log)
        if !policy.isEmpty {
            let log = server.daemon?.log.fromNow
            try server.sandbox.write(policy + "\n", to: "home/.config/audio-session/policy.conf")
            try await server.waitForPolicy(besides: desk.policyPath, log: log)
        }
        try await body(desk)
    }

    /// Copies all logs to where `AUDIO_SESSION_LOGS` says, if it does, to be read after the desktop is gone.
    private static func keepLogs(of server: some PrivateServer) {
        guard let folder = ProcessInfo.processInfo.environment["AUDIO_SESSION_LOGS"], !folder.isEmpty else { return }
        let name = (Test.current?.name ?? "test").prefix { $0 != "(" }
        let copy = "\(folder)/\(name)-\(UUID().uuidString.prefix(6))"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: server.sandbox.path("log"), toPath: copy)
        } catch {
            print("no logs in \(copy): \(error)")
        }
    }

    /// The folder of the built module. There is no test without it.
    static func moduleFolder() throws -> String {
        let folder =
            ProcessInfo.processInfo.environment["AUDIO_SESSION_MODULES"]
            ?? FileManager.default.currentDirectoryPath + "/.build/modules"
        try #require(
            FileManager.default.fileExists(atPath: "\(folder)/\(ServerKind.underTest.moduleFile)"),
            "no module for \(ServerKind.underTest) in \(folder): run install/build")
        return folder
    }

    /// A folder with nothing but the module that unloads others. PipeWire looks through folders with all that is below them,
    /// and the one of the build has thousands of files.
    static let unloaderFolder = Result {
        let module = URL(fileURLWithPath: try builtProgram("libpipewire-module-test-unloader.so"))
        let folder = module.deletingLastPathComponent().appendingPathComponent("unloader").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let link = "\(folder)/\(module.lastPathComponent)"
        if access(link, R_OK) != 0 {
            try? FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: module.path)
        }
        return folder
    }

    /// Its folder, environment and processes.
    var sandbox: Sandbox { server.sandbox }

    /// What only PipeWire's desktop has; for tests of it alone.
    var pipeWire: PrivateDesktop {
        get throws { try #require(server as? PrivateDesktop) }
    }

    /// What only PulseAudio has; for tests of it alone.
    var pulseAudio: PrivatePulseAudio {
        get throws { try #require(server as? PrivatePulseAudio) }
    }

    /// What the daemon has logged.
    var log: LogFile {
        get throws {
            // A daemon that was started again has a log of its own.
            let present = try #require(server.daemon).log
            return logFile?.path == present.path ? logFile ?? present : present
        }
    }

    /// What our module has written to it.
    var moduleLog: String {
        get throws {
            try log.text.split(separator: "\n").filter { $0.contains("audio-session") }.joined(separator: "\n")
        }
    }

    // MARK: - Who plays

    /// Plays a tone through a real client.
    func play(
        _ tone: Tone, with program: ClientProgram, as name: String, role: MediaRole?,
        for duration: Duration = .seconds(60),
        properties: [String: String] = [:]
    ) throws -> Client {
        let sound = Signal.tone(tone.frequency, for: duration, on: tone.channel)
        return try play(sound, with: program, as: name, role: role, properties: properties)
    }

    /// Plays a sound through a real client.
    func play(
        _ sound: Sound, with program: ClientProgram, as name: String, role: MediaRole?,
        properties: [String: String] = [:]
    ) throws -> Client {
        let file = try sandbox.write(sound, to: "\(name)-\(UUID().uuidString.prefix(6)).wav")
        return try Client(
            program, file: file, as: ApplicationIdentity(name), role: role, properties: properties, on: server)
    }

    /// How a client would be started by an application, as its child.
    func invocation(
        _ tone: Tone, with program: ClientProgram, as name: String, role: MediaRole?,
        properties: [String: String] = [:], isShared: Bool = false
    ) throws -> Invocation {
        let sound = Signal.tone(tone.frequency, for: .seconds(60), on: tone.channel)
        let file = try sandbox.write(sound, to: "\(name)-\(UUID().uuidString.prefix(6)).wav")
        return try Client.invocation(
            program, file: file, as: ApplicationIdentity(name, isShared: isShared), role: role, properties: properties,
            on: server)
    }

    /// Plays the interrupter's tone through a client that has any number of streams, with properties of any bytes
    /// (`\\xHH` stands for a byte, `%d` for the stream's number), on a sink, or on the one that the server chooses. Their
    /// role becomes the later one when the process gets SIGUSR1.
    func playOddly(
        count: Int = 1, amplitude: Double = 0.5, frequency: Double = LiveDesktop.interrupter.frequency,
        properties: [String],
        on sink: String? = nil, laterRole: MediaRole? = nil
    ) throws -> ChildProcess {
        let program = server.kind == .pipeWire ? "odd-client" : "odd-pulse-client"
        return try sandbox.start(
            program,
            Invocation(
                try builtProgram(program), ["\(count)", "\(frequency)", "\(amplitude)"] + properties,
                environment: [
                    "ODD_CLIENT_SINK": sink,
                    "ODD_CLIENT_ROLE": server.kind == .pipeWire ? laterRole?.pipeWire : laterRole?.pulse,
                ].compactMapValues { $0 }))
    }

    /// Plays music and waits until it is heard at its full level.
    func playMusic(with program: ClientProgram = .paplay, role: MediaRole? = .music) async throws -> Client {
        let client = try play(LiveDesktop.music, with: program, as: "music-player", role: role)
        try await hear(LiveDesktop.music)
        return client
    }

    /// A call begins, and the music player stops for it only after longer than a client may take with its first answer:
    /// as on a machine that has no time for the player. The sound of `capture` is the clock.
    func call(answeredLateBy music: Client, while capture: Capture) async throws -> Client {
        music.process.signal(SIGSTOP)
        let call = try play(LiveDesktop.interrupter, with: .plain, as: "telephone", role: .phone)
        try await log.wait(forLineContaining: "music-player (music) was interrupted")
        try await capture.record(.milliseconds(700))
        music.process.signal(SIGCONT)
        try await music.waitForStream(in: [.idle, .suspended])
        return call
    }

    // MARK: - What is heard

    /// The sound of a capture between two frames, or to its present end, to be judged. All that is judged is read here.
    ///
    /// - Throws: ``BrokenStretch`` if the machine may have lost some of that sound; then the scene is played again.
    func heard(from start: Int = 0, to end: Int? = nil, in other: Capture? = nil) async throws -> Sound {
        let capture = other ?? self.capture
        let sound = try capture.read(from: start, to: end)
        let stretch = capture.moment(of: start)..<capture.moment(of: start + sound.frameCount)
        if let cycles {
            // The daemon tells of its cycles some at a time.
            _ = try await waitUntil("the cycles of what was recorded", evidence: { cycles.log.tail() }) {
                MachineWatch.hasSeen(stretch.upperBound, in: cycles.log.text) || !cycles.isRunning ? true : nil
            }
        }
        let quantum = (server as? PrivateDesktop)?.options.quantum.standard
        try MachineWatch.shared.checkIsWhole(stretch, quantum: quantum, logs: sandbox.logs)
        return sound
    }

    /// Waits until a tone is heard at its full level, and checks that it was no louder before.
    func hear(_ tone: Tone) async throws {
        let start = capture.frameCount
        try await capture.wait(for: tone, at: LiveDesktop.full, lasting: .milliseconds(300), from: start)
        let loudest = try await highestLevel(of: tone, from: start)
        #expect(loudest < LiveDesktop.full + 1, "\(tone) was at \(loudest) dBFS")
    }

    /// Waits until a tone is not heard at all.
    func hearNothing(of tone: Tone) async throws {
        try await capture.wait(for: tone, below: -90, lasting: .milliseconds(300))
    }

    /// Waits until a tone is heard at this much below its full level, within a dB.
    func hear(_ tone: Tone, lowered decibels: Double) async throws {
        try await capture.wait(for: tone, at: LiveDesktop.full - decibels, lasting: .milliseconds(200))
    }

    /// Checks that a tone stays within a dB of a level while so much more is recorded.
    func expect(_ tone: Tone, at level: Double, during duration: Duration) async throws {
        let start = capture.frameCount
        try await capture.record(duration)
        let levels = ToneEnvelope(of: try await heard(from: start)[tone.channel], frequency: tone.frequency).levels
        let lowest = try #require(levels.min())
        let highest = try #require(levels.max())
        #expect(highest < level + 1, "\(tone) was at \(highest) dBFS, expected \(level)")
        #expect(lowest > level - 1, "\(tone) was at \(lowest) dBFS, expected \(level)")
    }

    /// Checks that the music's channel has had no click since a frame of the capture, up to its present end or another
    /// frame; in another capture than the desktop's own, which may not show it (``showsFades``), in any case.
    func expectNoClick(
        since start: Int, to end: Int? = nil, in capture: Capture? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        guard showsFades || capture != nil else { return }
        let samples = try await heard(from: start, to: end, in: capture)[LiveDesktop.music.channel]
        let measured = ClickMeter().peak(in: samples)
        let (click, frame) = try #require(measured)
        let text = click.formatted(.number.precision(.fractionLength(1)))
        // What the tone did then says where the click comes from.
        let envelope = ToneEnvelope(of: samples, frequency: LiveDesktop.music.frequency)
        let tone = frame.flatMap { envelope.levels[envelope.indices(in: $0 - 48..<$0 + 48)].first } ?? -200
        print("\(Test.current?.name ?? "test"): the loudest click was \(text) dBFS, with the tone at \(Int(tone))")
        let around = frame.map { envelope.levels[envelope.indices(in: $0 - 1440..<$0 + 1440)].map { Int($0) } } ?? []
        #expect(
            click <= LiveDesktop.loudestClick, "a click of \(text) dBFS in the middle of \(around) dBFS",
            sourceLocation: sourceLocation)
    }

    /// Checks that a tone has been heard all the time since a frame of the capture, at its full level and without a click.
    func expectUnbroken(_ tone: Tone, since start: Int) async throws {
        let sound = try await heard(from: start)[tone.channel]
        let envelope = ToneEnvelope(of: sound, frequency: tone.frequency)
        let levels = envelope.levels
        try #require(!levels.isEmpty, "nothing was recorded")
        let odd = levels.indices.filter { abs(levels[$0] - LiveDesktop.full) > 0.5 }
        #expect(odd.isEmpty, "\(odd.count) ms at another level, the first after \(odd.first ?? 0) ms")
        let click = try #require(ClickMeter().loudest(in: sound))
        #expect(click < -60, "a click of \(click) dBFS")
    }

    /// The highest level of a tone while so much more is recorded.
    func highestLevel(of tone: Tone, during duration: Duration) async throws -> Double {
        let start = capture.frameCount
        try await capture.record(duration)
        return try await highestLevel(of: tone, from: start)
    }

    /// The highest level of a tone since a frame of the capture.
    func highestLevel(of tone: Tone, from start: Int) async throws -> Double {
        let envelope = ToneEnvelope(of: try await heard(from: start)[tone.channel], frequency: tone.frequency)
        return try #require(envelope.highestLevel, "nothing was recorded")
    }

    // MARK: - Cards

    /// Plugs a card in, as ``FixtureCard`` and ``PulseCard`` do.
    func card(_ kind: CardKind, buffer: Int = 0, lies: Bool = false) async throws -> any SoundCard {
        let test = Test.current.map { String($0.name.prefix { $0 != "(" }) } ?? ""
        #expect(CardScenario.withCard.contains(test), "\(test) has a card; list it in Differences.swift")
        return switch server.kind {
        case .pipeWire: try await FixtureCard.start(kind, buffer: buffer, lies: lies, on: pipeWire)
        case .pulseAudio:
            // Without its module no desk has begun.
            try await PulseCard.start(kind, buffer: buffer, on: pulseAudio)
        }
    }

    /// Where the module is that is a card in PulseAudio; asked once.
    static let cardFolder = Task { try await PulseCard.moduleFolder() }
}

extension MediaRole {
    /// The ringing of a telephone: phone priority, and the others fall silent first.
    static let ringtone = MediaRole("Ringtone")
}

extension ClientProgram {
    /// The four victims that real people play music with, as far as they can on this server.
    static let victims = [paplay, pwPlay, mpvPulse, gstreamerPulse].filter(\.isServed)
    /// The players that interrupt them: of each kind of client one.
    static let interrupters = [paplay, pwPlay].filter(\.isServed)
    /// The players that can be paused as by their users, as far as they can play on this server.
    static let pausable = [mpvPulse, mpvPipeWire].filter(\.isServed)
}
