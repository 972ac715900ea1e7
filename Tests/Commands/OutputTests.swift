import Testing

@testable import Commands

/// Outputs in scenarios: what is plugged in and pulled out, and what the user chooses (R63, R64).
@Suite struct OutputTests {
    /// Plays events, and returns what is decided about the streams, each as `time stream text`.
    private func decisions(_ events: String, policy: String = "desktop") throws -> [String] {
        let text = """
            policy = \(policy)
            streams = {
                music = { media.role = Music }
                memo = { direction = capture }
            }
            events = [ \(events) { at = 100s pause = music } ]
            """
        let (scenario, diagnostics) = ScenarioReader.read(Array(text.utf8), named: "x", presetFolders: [])
        #expect(diagnostics == [])
        let simulation = Simulation(of: try #require(scenario))
        return simulation.decisions.filter { $0.moment < .seconds(100) }.map {
            "\($0.moment.seconds.short) \(simulation.scenario.streams[$0.stream].name) \(simulation.text($0))"
        }
    }

    private let gone = "is corked at once: its output has gone"

    @Test(
        "R64 what is pulled out takes its music with it, whatever it is",
        arguments: ["headphones", "headset", "usb-speakers", "hdmi", "bluetooth", "odd"])
    func every(output: String) throws {
        let events =
            "{ at = 0 plug = \(output) } { at = 1s play = music } { at = 2s unplug = \(output) } { at = 9s plug = \(output) }"
        #expect(try decisions(events) == ["2 music \(gone)", "9.25 music is restored within 500 ms"])
    }

    @Test("R63 R64 the loudspeaker gives way to what is plugged in, and what nothing plays on may go")
    func nothingLost() throws {
        #expect(try decisions("{ at = 0 play = music } { at = 2s plug = headphones }") == [])
        let chosen =
            "{ at = 0 play = music } { at = 1s plug = usb } { at = 2s route = speaker } { at = 3s unplug = usb }"
        #expect(try decisions(chosen) == [])
        #expect(try decisions("{ at = 0 play = music } { at = 1s unplug = usb }") == [])
    }

    @Test("R64 another output, or the same one by another name, is not what is waited for")
    func another() throws {
        let events =
            "{ at = 0 plug = usb } { at = 0 route = headphones } { at = 1s play = music } "
            + "{ at = 2s unplug = headphones } { at = 4s plug = headphones-2 } { at = 6s route = speaker } "
        let late = "stays silent: its output has not come back in time, its application has to resume"
        #expect(try decisions(events) == ["2 music \(gone)", "62 music \(late)"])
        // What is back, but not chosen, is waited for too.
        let back = events + "{ at = 7s plug = headphones } { at = 7s route = speaker } { at = 20s route = headphones }"
        #expect(try decisions(back) == ["2 music \(gone)", "20 music is restored within 500 ms"])
    }

    @Test("R64 either stops a recording on the phone, but not what the user chooses")
    func recording() throws {
        let stop = "is stopped: the route has changed, its application has to resume"
        let events =
            "{ at = 0 play = memo } { at = 5s plug = headphones } { at = 6s pause = memo } "
            + "{ at = 7s play = memo } { at = 8s route = speaker } { at = 10s route = headphones }"
        let plugged = ["5.25 memo \(stop)", "6 memo is let go, but is paused"]
        #expect(try decisions(events, policy: "phone") == plugged)
        let pulled = events + "{ at = 15s unplug = headphones }"
        #expect(try decisions(pulled, policy: "phone") == plugged + ["15.25 memo \(stop)"])
        let disconnect = "{ preset = phone routes = { stop-recording = disconnect } }"
        #expect(try decisions(pulled, policy: disconnect) == ["15.25 memo \(stop)"])
    }
}
