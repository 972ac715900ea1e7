import TestKit
import Testing

@testable import AudioSession

/// Interruptions and activation, with the real service.
@Suite(.timeLimit(.minutes(10))) struct InterruptionTests {
    @Test("R4 R8 R26 R27 R31 R33 a call interrupts the session, keeps it inactive, and its end says to go on")
    func call() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            var interruptions = session.interruptions.makeAsyncIterator()
            var changes = session.activationChanges.makeAsyncIterator()
            try session.setCategory(.playback)
            try session.setActive(true)
            #expect(try session.isActive)
            #expect(await changes.next() == .becameActive)
            let call = try await Call(SessionApplication(in: stage.desk.sandbox))
            guard case .began(.default, let cause) = await interruptions.next() else {
                Issue.record("no beginning")
                return
            }
            #expect(!cause.isEmpty)
            #expect(try !session.isActive)
            #expect(await changes.next() == .becameInactive(.interruption(.default)))
            #expect(code { try session.setActive(true) } == .notActive)
            try await call.end()
            #expect(await interruptions.next() == .ended(.shouldResume))
            #expect(await changes.next() == .resumptionRecommended)
            try session.setActive(true)
            #expect(await changes.next() == .becameActive)
            try session.setActive(false)
            #expect(await changes.next() == .becameInactive(.application))
            session.close()
            #expect(await interruptions.next() == nil)
            #expect(await changes.next() == nil)
        }
    }

    @Test("N26 a session that was refused during a call is recommended to go on when the call is over, and only then")
    func refused() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            var changes = session.activationChanges.makeAsyncIterator()
            try session.setCategory(.playback)
            let application = try await SessionApplication(in: stage.desk.sandbox)
            for isWithdrawn in [false, true, false] {
                let call = try await Call(application)
                #expect(code { try session.setActive(true) } == .notActive)
                // Who gives up is not told.
                if isWithdrawn { try session.setActive(false) }
                try await call.end()
                if !isWithdrawn { #expect(await changes.next() == .resumptionRecommended) }
            }
            try session.setActive(true)
            #expect(await changes.next() == .becameActive)
        }
    }

    @Test("R11 the flag of a deactivation says what others are told, and goes with no activation")
    func notifyingOthers() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            let other = try await SessionApplication(in: stage.desk.sandbox)
            let path = try await other.open()
            try session.setCategory(.playback)
            #expect(
                code {
                    try session.setActive(true, options: .notifyOthersOnDeactivation)
                } == .unsupportedProperty)
            for (options, ending) in [
                (AudioSession.SetActiveOptions(), "InterruptionEnded False"),
                (.notifyOthersOnDeactivation, "InterruptionEnded True"),
            ] {
                try await other.session(path, "Activate", "[]")
                try session.setActive(true)
                try session.setActive(false, options: options)
                _ = try await waitUntil(ending, evidence: { other.process.log.tail() }) {
                    other.signals.last { $0.hasPrefix("InterruptionEnded") }?.lowercased() == ending.lowercased()
                        ? true : nil
                }
            }
        }
    }

    @Test("N9 a delayed activation is granted at the end of the call, and ends with its task or a deactivation")
    func delayed() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.playback)
            let application = try await SessionApplication(in: stage.desk.sandbox)
            func isDelayed() throws -> Bool { try session.property("ActivationDelayed", \.truth) }
            let call = try await Call(application)
            await #expect(throws: AudioSessionError.self) { try await session.activate() }
            let withdrawn = Task { try await session.activate(options: .delayed) }
            try await session.wait(for: true, of: "ActivationDelayed", isDelayed)
            withdrawn.cancel()
            #expect(try await !withdrawn.value)
            try await session.wait(for: false, of: "ActivationDelayed", isDelayed)
            let ended = Task { try await session.activate(options: .delayed) }
            try await session.wait(for: true, of: "ActivationDelayed", isDelayed)
            try session.setActive(false)
            #expect(try await !ended.value)
            let granted = Task { try await session.activate(options: .delayed) }
            try await session.wait(for: true, of: "ActivationDelayed", isDelayed)
            try await call.end()
            #expect(try await granted.value)
            #expect(try session.isActive)
            #expect(try await session.activate())
        }
    }

    @Test("N6 R77 the session is told whether others are heard, and whether its background sound should be silent")
    func others() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            var hints = session.silenceSecondaryAudioHints.makeAsyncIterator()
            #expect(try !session.isOtherAudioPlaying)
            #expect(try !session.secondaryAudioShouldBeSilencedHint)
            let other = try await SessionApplication(in: stage.desk.sandbox)
            let path = try await other.open()
            try await other.session(path, "SetCategory", #""playback""#, "[]", #""default""#)
            stage.desk.play(1, process: UInt32(other.process.processID))
            try await other.session(path, "Activate", "[]")
            #expect(await hints.next() == .begin)
            try await session.wait(for: true, of: "the hint") { try session.secondaryAudioShouldBeSilencedHint }
            try await session.wait(for: true, of: "others") { try session.isOtherAudioPlaying }
            try await other.session(path, "Deactivate", "[]")
            #expect(await hints.next() == .end)
        }
    }
}
