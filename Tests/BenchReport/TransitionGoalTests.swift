import Foundation
import Testing

@testable import BenchReport

/// Figures as a good policy has them, to be spoilt.
extension TransitionFigures {
    /// Measured once.
    private static let cut = TransitionFigures(of: MadeUpRecording.cut.recorded)

    static func made(
        start: Double = 100, heard: Double? = 20, both: Double = 20, level: Double? = nil, back: Double? = 450,
        returned: Double? = 0, click: Double = -120
    ) -> TransitionFigures {
        guard var figures = cut else { preconditionFailure("the recording has both tones") }
        figures.start = start
        figures.heard = ByLevel { _ in heard }
        figures.both = ByLevel { _ in both }
        figures.level = level
        figures.back = back
        figures.returned = returned
        figures.clickAtBegin = click
        figures.clickAtEnd = click
        return figures
    }
}

@Suite struct TransitionGoalTests {
    private func result(_ id: String, _ figures: TransitionFigures..., disturbed: Int = 0) throws -> TransitionResult {
        let row = try #require(TransitionRow.all.first { $0.id == id })
        var result = TransitionResult(row: row, quantum: row.place.hasQuantum ? 1024 : nil)
        result.trials =
            figures.map { Trial(figures: $0, lost: 0) }
            + (0..<disturbed).map { _ in Trial(figures: figures[0], lost: 50) }
        return result
    }

    /// The figures that a row misses, beside a control that is left alone and a peer that cuts.
    private func missed(_ result: TransitionResult, peers: Bool = true) throws -> [String] {
        let control = try self.result("pipewire-control", .made(heard: nil, both: 1000, level: 0, back: 0))
        let peer = try self.result("wireplumber-call", .made(heard: 0, both: 0, back: 118, click: -31))
        let all = [control, result] + (peers ? [peer] : [])
        return TransitionGoals(all).verdicts.filter { $0.row == result.row.name && !$0.isReached }.map(\.figure)
    }

    @Test("a good call, ringing and prompt reach all goals") func goodRows() throws {
        #expect(try missed(result("pipewire-call", .made())).isEmpty)
        #expect(try missed(result("pipewire-ringing", .made(start: 220, heard: 0, both: 0))).isEmpty)
        #expect(try missed(result("pipewire-prompt", .made(heard: 200, both: 1000, level: -20.1, back: 1000))).isEmpty)
        #expect(try missed(result("pipewire-hard-call", .made(back: 120, click: -90))).isEmpty)
    }

    @Test("a policy that does nothing reaches none of the goals that matter") func policyThatDoesNothing() throws {
        let nothing = TransitionFigures.made(heard: nil, both: 1000, level: 0, back: 0)
        let call = try missed(result("pipewire-call", nothing))
        #expect(call == ["level while interrupted (dB)", "heard above −6 dB (ms)", "heard above −20 dB (ms)"])
        let ringing = try missed(result("pipewire-ringing", nothing))
        #expect(ringing == ["level while interrupted (dB)", "both above −60 dB (ms)"])
        let prompt = try missed(result("pipewire-prompt", nothing))
        #expect(prompt == ["level while ducked, from −20 (dB)", "heard above −6 dB (ms)"])
    }

    @Test(
        "each fault is found by its goal",
        arguments: [
            ("back (ms)", TransitionFigures.made(back: nil)),
            ("back (ms)", .made(back: 586)),
            ("level after it (dB from its own)", .made(returned: -0.2)),
            ("level after it (dB from its own)", .made(returned: nil)),
            ("heard above −20 dB (ms)", .made(heard: 61)),
            ("click (dBFS)", .made(click: -79)),
            ("its first sound after its start, median (ms)", .made(start: 147)),
        ] as [(String, TransitionFigures)])
    func faults(goal: String, figures: TransitionFigures) throws {
        #expect(try missed(result("pipewire-call", figures)).contains(goal))
    }

    @Test("one bad trial of many is enough") func oneBadTrial() throws {
        let good = TransitionFigures.made()
        #expect(try missed(result("pipewire-call", good, good, .made(click: -60), good)) == ["click (dBFS)"])
    }

    @Test("hard changes are held against the peer's, and not without a peer") func hardChanges() throws {
        // The peer's 118 ms and a quantum of 21.3 ms; its −31 dBFS and 12 dB.
        #expect(try missed(result("pipewire-hard-call", .made(back: 140, click: -90))) == ["back (ms)"])
        #expect(try missed(result("pipewire-hard-call", .made(back: 120, click: -42))) == ["click (dBFS)"])
        let alone = try missed(result("pipewire-hard-call", .made(back: 120, click: -90)), peers: false)
        #expect(alone == ["back (ms)", "click (dBFS)"])
    }

    @Test("a busy machine excuses a quarter of the trials, and no more") func busyMachine() throws {
        let good = TransitionFigures.made()
        #expect(try missed(result("pipewire-call", good, good, good, disturbed: 1)).isEmpty)
        #expect(try !missed(result("pipewire-call", good, good, disturbed: 1)).isEmpty)
        var lost = try result("pipewire-call", good, good, good, good, good)
        lost.unmeasured = 1
        #expect(try !missed(lost).isEmpty)
    }

    @Test("a goal is missed all the same where the control is broken too, and the verdict says so")
    func brokenControl() throws {
        let control = try result("pipewire-control", .made(heard: nil, both: 1000, level: 0, back: 0, click: -20))
        let call = try result("pipewire-call", .made(click: -20))
        let verdicts = TransitionGoals([control, call]).verdicts.filter { !$0.isReached }
        #expect(verdicts.map(\.figure) == ["click (dBFS)", "click (dBFS)"])
        #expect(verdicts.map(\.isUnshown) == [true, true])
    }

    @Test("a row that was not measured reaches nothing") func rowWithoutTrials() throws {
        let empty = try result("pipewire-call")
        let verdicts = TransitionGoals([empty]).verdicts
        #expect(!verdicts.isEmpty && verdicts.allSatisfy { !$0.isReached })
    }
}

@Suite struct TransitionsRunTests {
    private func run(_ figures: TransitionFigures = .made()) throws -> TransitionsRun {
        let rows = TransitionRow.all.filter { ["pipewire-control", "pipewire-call", "role-cork-call"].contains($0.id) }
        let results = rows.map { row in
            var result = TransitionResult(row: row, quantum: row.place.hasQuantum ? 256 : nil)
            let control = TransitionFigures.made(heard: nil, both: 1000, level: 0, back: 0)
            result.trials = [Trial(figures: row.effect == .none ? control : figures, lost: 0)]
            return result
        }
        let place = RunPlace(
            date: "2026-11-26", processor: "a <processor> & more", processors: 2, kernel: "6.1", pipeWire: "1.4.2",
            wirePlumber: "0.5.8", pulseAudio: "17.0", load: [0.5, 1])
        return TransitionsRun(place: place, runs: 1, ending: "played", results: results)
    }

    @Test("a run is read again as it was written") func runIsReadAgain() throws {
        let run = try run()
        let again = try TransitionsRun(json: run.json)
        #expect(again.markdown == run.markdown)
        #expect(run.isGood && again.isGood)
    }

    @Test("a missed goal is marked, and the run is not good") func missedGoal() throws {
        let run = try run(.made(click: -30))
        #expect(!run.isGood)
        #expect(run.markdown.contains("**NO**"))
        #expect(run.markdown.contains("1 of 11 goals missed"))
    }

    @Test("the table takes the place of the former one in a manual page") func manualPage() throws {
        let run = try run()
        let page = "before\n\(TransitionsRun.manualBegin)\nold\n\(TransitionsRun.manualEnd)\nafter\n"
        let renewed = try #require(run.replaced(in: page))
        #expect(renewed.hasPrefix("before\n") && renewed.hasSuffix("\nafter\n") && !renewed.contains("old"))
        #expect(renewed.contains("2026-11-26") && renewed.contains("module-role-cork"))
        #expect(run.replaced(in: renewed) == renewed)
        #expect(run.replaced(in: "before\nafter\n") == nil)
    }

    @Test("the page of pictures has a picture for each row, and needs nothing from elsewhere") func pictures() throws {
        let recorded = MadeUpRecording.cut.recorded
        let figures = TransitionFigures(of: recorded)
        let curves = TransitionCurves(of: recorded, try #require(figures))
        let page = TransitionPictures(
            entries: [.init(title: "one <b>", curves: [curves, curves]), .init(title: "two", curves: [])],
            place: try run().place.text
        ).html
        #expect(page.components(separatedBy: "<svg ").count == 3)
        #expect(page.components(separatedBy: "<polyline ").count == 9)
        #expect(page.contains("one &lt;b&gt;") && page.contains("a &lt;processor&gt; &amp; more"))
        #expect(!page.contains("src=") && !page.contains("href=") && !page.contains("url("))
    }
}
