import Foundation
import SessionTestKit
import Testing

/// All tests that run the built module in a real server; one at a time, because they measure sound.
@Suite(.serialized) struct LiveModule {}

/// A private desktop whose PipeWire has loaded the module, with a capture of what its sink plays.
struct Desk: Sendable {
    let desktop: PrivateDesktop
    let capture: Capture

    /// Music plays on the left, interrupters on the right, each with a tone of its own, so that one capture tells who is
    /// heard.
    static let music = Tone(440, on: .left)
    static let interrupter = Tone(880, on: .right)
    static let secondInterrupter = Tone(1320, on: .right)
    /// The level of a tone of amplitude 0.5 that nobody lowers, in dBFS.
    static let full = -6.02

    /// Starts a desktop with the module, hands it to `body`, and checks afterwards that the daemon survived.
    static func run(
        arguments: String? = nil, quantum: Quantum = .fixed(1024),
        options change: (inout DesktopOptions) -> Void = { _ in },
        _ body: (Desk) async throws -> Void
    ) async throws {
        var options = DesktopOptions()
        options.quantum = quantum
        let program = URL(fileURLWithPath: try builtProgram("odd-client"))
        options.modules = [
            ServerModule(moduleName, folder: try moduleFolder(), arguments: arguments),
            ServerModule("libpipewire-module-test-unloader", folder: program.deletingLastPathComponent().path),
        ]
        options.environment["PIPEWIRE_DEBUG"] = "2,mod.audio-session:4"
        change(&options)
        try await withServer(PrivateDesktop.start(options)) { desktop in
            let capture = try await Capture.start(on: desktop)
            try await body(Desk(desktop: desktop, capture: capture))
            #expect(desktop.pipeWire?.isRunning ?? true, "the daemon ended:\n\(desktop.sandbox.logTails())")
        }
    }

    /// The name of the module in PipeWire's lists.
    static let moduleName = "libpipewire-module-audio-session"

    /// The folder of the built module. There is no test without it.
    static func moduleFolder() throws -> String {
        let folder =
            ProcessInfo.processInfo.environment["AUDIO_SESSION_MODULES"]
            ?? FileManager.default.currentDirectoryPath + "/.build/modules"
        try #require(
            FileManager.default.fileExists(atPath: folder + "/libpipewire-module-audio-session.so"),
            "no module in \(folder): run install/build")
        return folder
    }

    /// Takes the module out of the daemon, see `Tests/ModuleUnloader`, and waits until it has gone.
    func unloadModule() async throws {
        let pipe = try #require(FileHandle(forWritingAtPath: desktop.sandbox.path("run/unload")))
        try pipe.write(contentsOf: Data(Desk.moduleName.utf8))
        _ = try await waitUntil("the end of the module", evidence: { desktop.sandbox.logTails() }) {
            try await desktop.dump().contains {
                $0.type == "Module" && $0.content["info"]?["name"]?.text == Desk.moduleName
            } ? nil : true
        }
    }

    /// What the daemon has logged.
    var log: LogFile {
        get throws { try #require(desktop.pipeWire).log }
    }

    /// Plays a tone through a real client.
    func play(
        _ tone: Tone, with program: ClientProgram, as name: String, role: MediaRole?,
        for duration: Duration = .seconds(60),
        properties: [String: String] = [:]
    ) throws -> Client<PrivateDesktop> {
        let sound = Signal.tone(tone.frequency, for: duration, on: tone.channel)
        return try play(sound, with: program, as: name, role: role, properties: properties)
    }

    /// Plays a sound through a real client.
    func play(
        _ sound: Sound, with program: ClientProgram, as name: String, role: MediaRole?,
        properties: [String: String] = [:]
    ) throws -> Client<PrivateDesktop> {
        let file = try desktop.sandbox.write(sound, to: "\(name)-\(UUID().uuidString.prefix(6)).wav")
        return try Client(
            program, file: file, as: ApplicationIdentity(name), role: role, properties: properties, on: desktop)
    }

    /// Plays the interrupter's tone through a client that has any number of streams, with properties of any bytes
    /// (`\\xHH` stands for a byte, `%d` for the stream's number).
    func playOddly(
        count: Int = 1, amplitude: Double = 0.5, frequency: Double = Desk.interrupter.frequency, properties: [String],
        environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try desktop.sandbox.start(
            "odd-client",
            Invocation(
                try Desk.builtProgram("odd-client"), ["\(count)", "\(frequency)", "\(amplitude)"] + properties,
                environment: environment))
    }

    /// A program of this package, which is built beside the tests.
    static func builtProgram(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
        try #require(FileManager.default.isExecutableFile(atPath: path), "no \(path): build the package first")
        return path
    }

    /// Plays music and waits until it is heard at its full level.
    func playMusic(with program: ClientProgram = .paplay, role: MediaRole? = .music) async throws -> Client<
        PrivateDesktop
    > {
        let client = try play(Desk.music, with: program, as: "music-player", role: role)
        try await hear(Desk.music)
        return client
    }

    /// Waits until a tone is heard at its full level.
    func hear(_ tone: Tone, within limit: Duration = .seconds(10)) async throws {
        try await capture.wait(for: tone, above: Desk.full - 1, lasting: .milliseconds(300), within: limit)
    }

    /// Waits until a tone is not heard at all.
    func hearNothing(of tone: Tone, within limit: Duration = .seconds(10)) async throws {
        try await capture.wait(for: tone, below: -90, lasting: .milliseconds(300), within: limit)
    }

    /// Waits until a tone is heard at this much below its full level, within a dB.
    func hear(_ tone: Tone, lowered decibels: Double) async throws {
        let level = Desk.full - decibels
        try await capture.wait(for: tone, below: level + 1, lasting: .milliseconds(200))
        try await capture.wait(for: tone, above: level - 1, lasting: .milliseconds(200))
    }

    /// The highest level of a tone while so much more is recorded.
    func highestLevel(of tone: Tone, during duration: Duration) async throws -> Double {
        let start = capture.frameCount
        try await capture.record(duration)
        let envelope = ToneEnvelope(of: try capture.read(from: start)[tone.channel], frequency: tone.frequency)
        return envelope.levels.max() ?? ToneEnvelope.floor
    }
}

extension MediaRole {
    /// The ringing of a telephone: phone priority, and the others fall silent first.
    static let ringtone = MediaRole("Ringtone")
}
