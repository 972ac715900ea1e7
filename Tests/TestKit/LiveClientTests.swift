import Foundation
import TestKit
import Testing

extension LiveTests {
    /// Every program arrives with the identity and the role it was started with.
    @Test func clientsHaveTheirIdentities() async throws {
        try await withServer(PrivateDesktop.start()) { desktop in
            let file = try desktop.sandbox.write(Signal.tone(440, amplitude: 0.1, for: .seconds(20)), to: "tone.wav")
            for program in ClientProgram.allCases {
                let identity = ApplicationIdentity("app-\(program)", name: "The \(program)", id: "org.test.\(program)")
                let path = program.isRecorder ? desktop.sandbox.path("home/\(program).wav") : file
                let client = try Client(
                    program, file: path, as: identity, role: .music, properties: ["test.key": "some value"],
                    on: desktop)
                let stream = try await client.waitForStream(in: [.running])
                #expect(stream.isCapture == program.isRecorder)
                #expect(stream.properties["application.process.binary"] == identity.binary)
                #expect(stream.properties["application.id"] == identity.id)
                #expect(stream.properties["media.role"] == "Music", "\(program)")
                #expect(stream.properties["test.key"] == "some value", "\(program)")
                #expect(stream.properties["application.name"] == identity.name, "\(program)")
                client.terminate()
                try await client.waitForExit()
                try await client.waitUntilGone()
            }
        }
    }

    @Test func aUserPausesSeeksAndMovesTheSlider() async throws {
        try await withServer(PrivateDesktop.start()) { desktop in
            let capture = try await Capture.start(on: desktop)
            let file = try desktop.sandbox.write(Signal.position(for: .seconds(30)), to: "position.wav")
            let client = try Client(.mpvPulse, file: file, as: ApplicationIdentity("player"), on: desktop)
            try await client.waitForStream(in: [.running])
            try await capture.record(.milliseconds(700))
            try await client.pause()
            #expect(try await client.isPaused())
            try await client.waitForStream(in: [.idle, .suspended])
            try await capture.record(.milliseconds(300))
            try await client.unpause()
            try await client.waitForStream(in: [.running])
            try await capture.record(.milliseconds(700))

            try await client.setSlider(to: 0.5)
            let volume = try await client.waitForStream().channelVolumes
            #expect(volume.allSatisfy { abs($0 - 0.125) < 0.001 } && volume.count == 2)
            try await client.setMuted(true)
            #expect(try await client.waitForStream().isMuted)

            client.kill()
            #expect(try await client.waitForExit() == .signalled(SIGKILL))
            let track = PositionTrack(of: try await capture.stop())
            // A quantum that the machine has lost is a break too.
            #expect(track.breaks.contains { $0.silence.count > 4_800 }, "\(track.breaks)")
            print("mpv's own pause: \(track.breaks)")
        }
    }

    @Test func theServersCanBeKilledAndStartedAgain() async throws {
        let desktop = try await PrivateDesktop.start()
        try await withServer(desktop) { desktop in
            let memory = try desktop.pipeWireMemory()
            #expect(memory.resident > memory.privateDirty && memory.privateDirty > 0)
            let first = try #require(desktop.pipeWire)
            try await desktop.stopDaemon(signal: SIGKILL)
            #expect(first.exitStatus == .signalled(SIGKILL))
            await desktop.stopServers()
            try await desktop.startServers()
            let second = try #require(desktop.pipeWire)
            #expect(second.processID != first.processID && second.isRunning)

            let file = try desktop.sandbox.write(Signal.tone(440, for: .seconds(20)), to: "tone.wav")
            let client = try Client(.pwPlay, file: file, as: ApplicationIdentity("player"), on: desktop)
            try await client.waitForStream(in: [.running])
            let before = desktop.savedState()
            try await client.setSlider(to: 0.3)
            _ = try await waitUntil("WirePlumber to save the volume") {
                desktop.savedState() != before ? true : nil
            }
        }
        #expect(desktop.bus?.isRunning == false)
        #expect(!FileManager.default.fileExists(atPath: desktop.sandbox.directory))
    }

    @Test func aMissingModuleFailsWithTheLog() async throws {
        var options = DesktopOptions()
        options.modules = [ServerModule("libpipewire-module-that-is-missing")]
        let error = await thrownAsynchronously(CommandFailure.self) { _ = try await PrivateDesktop.start(options) }
        #expect(error.map { "\($0)".contains("libpipewire-module-that-is-missing") } == true)
    }

    @Test func aWaitSaysWhatItWaitedFor() async throws {
        let error = await thrownAsynchronously(WaitFailure.self) {
            _ = try await waitUntil("the impossible", evidence: { "the log" }) {
                nil as Int?
            }
        }
        #expect(error.map { "\($0)".contains("the impossible") && "\($0)".contains("the log") } == true)
    }
}
