import PolicyEngine
import Testing

/// The lines of the log about treatments.
@Suite struct TreatmentTextTests {
    private func line(
        _ treatment: Treatment, after former: Treatment = .untouched, length: Duration = .zero,
        pausesPlayer: Bool = false
    ) -> String {
        TreatmentText(treatment, by: "Phone (phone)")
            .line(of: "mpv (music)", after: former, within: length, pausesPlayer: pausesPlayer)
    }

    @Test("a line says what is done, how fast, and because of whom") func lineSaysWhatIsDoneHowFastAndBecauseOfWhom() {
        let corked = Treatment(silence: .cork, reason: .interrupted)
        let held = Treatment(silence: .cork, reason: .handover)
        #expect(line(corked, length: .milliseconds(512)) == "cork mpv (music) within 512 ms: Phone (phone) is heard")
        #expect(line(corked, after: held) == "cork mpv (music) at once: Phone (phone) is heard")
        #expect(line(corked, after: corked) == "keep mpv (music) silent: Phone (phone) is heard")
        #expect(
            line(Treatment(silence: .pausePlayer, reason: .interrupted), pausesPlayer: true)
                == "pause the player of mpv (music) at once: Phone (phone) is heard")
        #expect(
            line(Treatment(silence: .pausePlayer, reason: .interrupted))
                == "cork mpv (music) at once: Phone (phone) is heard")
        #expect(
            line(Treatment(silence: .mute, reason: .interrupted)) == "mute mpv (music) at once: Phone (phone) is heard")
        #expect(
            line(Treatment(gain: LinearGain(0.1), reason: .ducked), length: .milliseconds(200))
                == "duck mpv (music) to -20.0 dB within 200 ms: Phone (phone) lowers others")
        #expect(line(held) == "hold mpv (music): the others are not silent yet")
        #expect(line(.untouched, after: held) == "let mpv (music) begin: the others are silent")
        #expect(line(.untouched, after: corked, length: .milliseconds(300)) == "restore mpv (music) within 300 ms")
        #expect(
            line(Treatment(silence: .mute, reason: .silentSwitch))
                == "mute mpv (music) at once: the silent switch is on")
        #expect(
            line(Treatment(silence: .cork, reason: .routeDisconnected, cause: .route))
                == "stop mpv (music) at once: the route has changed, and its own application has to go on")
    }

    @Test("every reason has a clause that ends without a full stop", arguments: Reason.allCases)
    func reasons(reason: Reason) {
        let text = TreatmentText(Treatment(reason: reason)).reason
        #expect(!text.isEmpty && !text.hasSuffix("."))
    }
}
