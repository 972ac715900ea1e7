import Foundation
import SessionTestKit
import StandstillTrait
import Testing

/// All tests that run the built module in a real server; one at a time, because they measure sound.
///
/// Each is a scenario for every server: ``ServerKind/underTest`` says which one this run is about, and
/// ``Difference/all`` what a server cannot show, and why.
@Suite(.serialized, .differences, .standstills) struct LiveModule {}

/// What a test wishes of its desktop beyond the usual.
struct LiveDesktopOptions {
    /// More of PipeWire and its session manager; of no account on another server.
    var pipeWire = DesktopOptions()
    /// More of PulseAudio; of no account on another server.
    var pulseAudio = PulseAudioOptions.stock
    /// More files, by their path under `XDG_CONFIG_HOME`.
    var configurationFiles: [String: String] = [:]
    /// Whether there is a system bus, for the services of ``DesktopMocks``.
    var runsSystemBus = false
    /// On PipeWire, whether the module is not there before the test loads it, without arguments.
    var isModuleLate = false
    /// On PulseAudio, whether there is a source from which nothing comes.
    var hasSource = true
    /// Whether it keeps all processors busy, so that no other desktop may be there at the same time.
    var needsWholeMachine = false
    /// How loud an output of a card is that nobody has heard yet, linear. PulseAudio begins with 1 in any case.
    var routeVolume: Double?

    /// Has a microphone from which nothing comes on PipeWire as well. Without one, newer releases of WirePlumber link no
    /// recording, and older ones link it to what others play.
    mutating func addMicrophone() {
        pipeWire.pipeWireFragments["30-microphone.conf"] = """
            context.objects = [ { factory = adapter args = { factory.name = support.null-audio-sink
                node.name = no-microphone media.class = Audio/Source/Virtual audio.rate = 48000
                audio.position = [ FL FR ] object.linger = true } } ]
            """
    }
}

/// A private desktop whose sound server has loaded the module, with a capture of what its sink plays.
struct LiveDesktop: Sendable {
    /// The sound server, with what belongs to it.
    let server: any PrivateServer
    let capture: Capture

    /// Music plays on the left, interrupters on the right, each with a tone of its own, so that one capture tells who is
    /// heard.
    static let music = Tone(440, on: .left)
    static let interrupter = Tone(880, on: .right)
    static let secondInterrupter = Tone(1320, on: .right)
    /// The level of a tone of amplitude 0.5 that nobody lowers, in dBFS.
    static let full = -6.02
    /// The loudest click that any fade may have, in dBFS.
    ///
    /// In PipeWire −115 and less was measured. PulseAudio's monitors give out the sound of the last cycle before the sink has
    /// played it, and so also what the sink takes back to let a fade begin: up to 25 ms of a fade are missing in a recording
    /// of the monitor, which clicked at −30.7 dBFS in one of 80 ms, and at −65 in one of 400 ms. What a card plays has none
    /// of that (`glidesOnCard`). A hard cut is at −14.
    var loudestClick: Double { server.kind == .pipeWire ? -80 : -26 }
    /// The loudest click of a fade that has luck with that, in dBFS.
    var usualClick: Double { server.kind == .pipeWire ? -80 : -36 }

    /// Starts a desktop with the module, hands it to `body`, and checks afterwards that the daemon survived.
    ///
    /// - Parameters:
    ///   - preset: the policy's name, as an argument of the module.
    ///   - policy: more of a policy, without the braces around it: as an argument of the module where it takes one, or
    ///     else as the user's file.
    ///   - servesBus: whether the module may use the session bus.
    ///   - quantum: of PipeWire's graph.
    static func run(
        preset: String? = nil, policy: String? = nil, servesBus: Bool = true, quantum: Quantum = .fixed(1024),
        options change: (inout LiveDesktopOptions) -> Void = { _ in },
        _ body: (LiveDesktop) async throws -> Void
    ) async throws {
        var options = LiveDesktopOptions()
        change(&options)
        let folder = try moduleFolder()
        let turn = try await MachineTurn.acquire(isAlone: options.needsWholeMachine)
        defer { withExtendedLifetime(turn) {} }
        let server: any PrivateServer
        switch ServerKind.underTest {
        case .pipeWire:
            let arguments = [preset.map { "preset = \($0)" }, servesBus ? nil : "dbus = no", policy].compactMap { $0 }
            server = try await start(options, folder, arguments, quantum)
        case .pulseAudio:
            let arguments = [preset.map { " preset=\($0)" }, servesBus ? nil : " dbus=no"].compactMap { $0 }
            if let policy { options.configurationFiles["audio-session/policy.conf"] = policy + "\n" }
            server = try await start(options, folder, arguments)
        }
        try await use(server, body)
    }

    private static func start(
        _ options: LiveDesktopOptions, _ folder: String, _ arguments: [String], _ quantum: Quantum
    ) async throws -> PrivateDesktop {
        var desktop = options.pipeWire
        desktop.quantum = quantum
        desktop.routeVolume = options.routeVolume
        desktop.runsSystemBus = options.runsSystemBus
        desktop.configurationFiles.merge(options.configurationFiles) { $1 }
        let programs = URL(fileURLWithPath: try builtProgram("odd-client")).deletingLastPathComponent().path
        var module = ServerModule(
            PrivateDesktop.moduleName, folder: folder,
            arguments: arguments.isEmpty ? nil : "{ \(arguments.joined(separator: " ")) }")
        module.isLate = options.isModuleLate
        desktop.modules = [
            module,
            ServerModule("libpipewire-module-test-unloader", folder: programs),
        ]
        desktop.environment.merge(["PIPEWIRE_DEBUG": "2,mod.audio-session:4"]) { wished, _ in wished }
        return try await PrivateDesktop.start(desktop)
    }

    private static func start(
        _ options: LiveDesktopOptions, _ folder: String, _ arguments: [String]
    ) async throws -> PrivatePulseAudio {
        var daemon = options.pulseAudio
        daemon.runsSystemBus = options.runsSystemBus
        daemon.configurationFiles.merge(options.configurationFiles) { $1 }
        daemon.moduleFolders = [folder, try await cardFolder.value]
        // Or the null sink's monitor would be the default source, and the capture would follow when another becomes it.
        if options.hasSource { daemon.earlyModules.append("module-null-source source_name=no-microphone") }
        daemon.modules.append("module-audio-session" + arguments.joined())
        if daemon.logLevel == "notice" { daemon.logLevel = "info" }
        daemon.environment["AUDIO_SESSION_DEBUG"] = "1"
        return try await PrivatePulseAudio.start(daemon)
    }

    private static func use(_ server: some PrivateServer, _ body: (LiveDesktop) async throws -> Void) async throws {
        try await withServer(server) { server in
            defer { keepLogs(of: server) }
            // Also after a test that ended with an error: a wait for sound may be excused, the end of the daemon may not.
            defer { #expect(server.daemon?.isRunning ?? true, "the daemon ended:\n\(server.sandbox.logTails())") }
            let capture = try await Capture.start(on: server)
            try await body(LiveDesktop(server: server, capture: capture))
        }
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
        get throws { try #require(server.daemon).log }
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
                try LiveDesktop.builtProgram(program), ["\(count)", "\(frequency)", "\(amplitude)"] + properties,
                environment: [
                    "ODD_CLIENT_SINK": sink,
                    "ODD_CLIENT_ROLE": server.kind == .pipeWire ? laterRole?.pipeWire : laterRole?.pulse,
                ].compactMapValues { $0 }))
    }

    /// A program of this package, which is built beside the tests.
    static func builtProgram(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
        try #require(FileManager.default.isExecutableFile(atPath: path), "no \(path): build the package first")
        return path
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

    /// Waits until a tone is heard at its full level, and checks that it was no louder before.
    func hear(_ tone: Tone, within limit: Duration = .seconds(10)) async throws {
        let start = capture.frameCount
        try await capture.wait(for: tone, at: LiveDesktop.full, lasting: .milliseconds(300), from: start, within: limit)
        let loudest = try highestLevel(of: tone, from: start)
        #expect(loudest < LiveDesktop.full + 1, "\(tone) was at \(loudest) dBFS")
    }

    /// Waits until a tone is not heard at all.
    func hearNothing(of tone: Tone, within limit: Duration = .seconds(10)) async throws {
        try await capture.wait(for: tone, below: -90, lasting: .milliseconds(300), within: limit)
    }

    /// Waits until a tone is heard at this much below its full level, within a dB.
    func hear(_ tone: Tone, lowered decibels: Double) async throws {
        try await capture.wait(for: tone, at: LiveDesktop.full - decibels, lasting: .milliseconds(200))
    }

    /// Checks that a tone stays within a dB of a level while so much more is recorded.
    func expect(_ tone: Tone, at level: Double, during duration: Duration) async throws {
        let start = capture.frameCount
        try await capture.record(duration)
        let levels = ToneEnvelope(of: try capture.read(from: start)[tone.channel], frequency: tone.frequency).levels
        let lowest = try #require(levels.min())
        let highest = try #require(levels.max())
        #expect(highest < level + 1, "\(tone) was at \(highest) dBFS, expected \(level)")
        expectSound(lowest > level - 1, "\(tone) was at \(lowest) dBFS, expected \(level)")
    }

    /// Checks that the music's channel has had no click since a frame of the capture, up to its present end or another
    /// frame.
    ///
    /// - Parameter limit: The loudest click that there may be, in dBFS; that of any fade when left out.
    func expectNoClick(
        since start: Int, to end: Int? = nil, above limit: Double? = nil, in capture: Capture? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let limit = limit ?? loudestClick
        let samples = try (capture ?? self.capture).read(from: start)[LiveDesktop.music.channel]
        let measured = ClickMeter().peak(in: samples, frames: end.map { 0..<$0 - start })
        let (click, frame) = try #require(measured)
        let text = click.formatted(.number.precision(.fractionLength(1)))
        // What the tone did then says where the click comes from.
        let envelope = ToneEnvelope(of: samples, frequency: LiveDesktop.music.frequency)
        let tone = frame.flatMap { envelope.levels[envelope.indices(in: $0 - 48..<$0 + 48)].first } ?? -200
        print("\(Test.current?.name ?? "test"): the loudest click was \(text) dBFS, with the tone at \(Int(tone))")
        expectSound(click <= limit, "a click of \(text) dBFS, above \(limit)", sourceLocation: sourceLocation)
    }

    /// The highest level of a tone while so much more is recorded.
    func highestLevel(of tone: Tone, during duration: Duration) async throws -> Double {
        let start = capture.frameCount
        try await capture.record(duration)
        return try highestLevel(of: tone, from: start)
    }

    /// The highest level of a tone since a frame of the capture.
    func highestLevel(of tone: Tone, from start: Int) throws -> Double {
        let envelope = ToneEnvelope(of: try capture.read(from: start)[tone.channel], frequency: tone.frequency)
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
    private static let cardFolder = Task { try await PulseCard.moduleFolder() }
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
