import Foundation
import FoundationXML
import Testing

@testable import Commands

/// Pictures, as another program reads them.
@Suite struct PictureTests {
    /// Counts the elements of each class, and keeps the text.
    private final class Reading: NSObject, XMLParserDelegate {
        var classes: [String: Int] = [:]
        var names: [String: Int] = [:]
        var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            names[name, default: 0] += 1
            if let kind = attributes["class"] { classes[kind, default: 0] += 1 }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
    }

    private func read(_ svg: String) throws -> Reading {
        let parser = XMLParser(data: Data(svg.utf8))
        let reading = Reading()
        parser.delegate = reading
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        return reading
    }

    @Test("each stream has a lane, each event a mark", arguments: Project.scenarioNames)
    func eachStreamHasLaneEachEventMark(name: String) throws {
        let (read, _) = ScenarioReader.read(Project.path(ofScenario: name))
        let scenario = try #require(read)
        let reading = try self.read(Picture(Simulation(of: scenario)).svg)
        #expect(reading.names["svg"] == 1)
        #expect(reading.classes["lane"] == scenario.streams.count)
        #expect(reading.classes["axis"] == 1)
        #expect(reading.classes["event"] ?? 0 >= scenario.events.count)
        #expect(reading.text.contains(scenario.title))
    }

    @Test("what is silent has a pattern and a label, what is lowered has a label")
    func whatIsSilentHasPatternAndLabelWhatIsLowered() throws {
        let (game, _) = ScenarioReader.read(Project.path(ofScenario: "call-in-a-game"))
        let silent = try read(Picture(Simulation(of: try #require(game))).svg)
        #expect(silent.classes["corked"] ?? 0 >= 1)
        #expect(silent.classes["held"] == 1)
        #expect(silent.text.contains("corked: phone"))
        let (navigation, _) = ScenarioReader.read(Project.path(ofScenario: "navigation"))
        let lowered = try read(Picture(Simulation(of: try #require(navigation))).svg)
        #expect(lowered.text.contains("-20 dB: navigation"))
        let (headphones, _) = ScenarioReader.read(Project.path(ofScenario: "headphones-left-out"))
        let lost = try read(Picture(Simulation(of: try #require(headphones))).svg)
        #expect(lost.text.contains("corked: output gone") && lost.text.contains("superseded: output gone"))
        #expect(lost.text.contains("the user pulls out headphones"))
    }

    @Test("a label leaves other marks and labels alone, and stays in the picture")
    func labelLeavesOtherMarksAndLabelsAloneAndStays() {
        let close = PictureLayout.left + 20
        let end = PictureLayout.width - PictureLayout.right
        var rows = MarkRows([PictureLayout.left, close, end])
        #expect(rows.place(100, at: PictureLayout.left) == .init(row: 1, isBefore: false))
        #expect(rows.place(100, at: close) == .init(row: 0, isBefore: false))
        #expect(rows.place(100, at: end) == .init(row: 0, isBefore: true))
        // To run over the second mark is better than not to be there, and for the third there is no room.
        var crowd = MarkRows([close, close + 10, close + 12])
        #expect(crowd.place(100, at: close) == .init(row: 1, isBefore: false))
        #expect(crowd.place(100, at: close + 10) == .init(row: 0, isBefore: false))
        #expect(crowd.place(100, at: close + 12) == nil)
    }

    @Test("names from outside stay text") func namesFromOutsideStayText() throws {
        let title = "<b>&amp; \"quotes\" \u{1} ]]> \u{FFFF} é漢"
        let text = """
            title = "<b>&amp; \\"quotes\\" \\u0001 ]]> \\uffff é漢"
            streams = { "<a&b>" = { media.role = "\\"<x>\\"" } }
            events = [ { at = 0 play = "<a&b>" } { at = 1s route = "</svg>" } ]
            """
        let (scenario, diagnostics) = ScenarioReader.read(Array(text.utf8), named: "<test>")
        #expect(diagnostics == [])
        let reading = try read(Picture(Simulation(of: try #require(scenario))).svg)
        #expect(reading.text.contains("<b>&amp; \"quotes\" \u{FFFD} ]]> \u{FFFD} é漢"))
        #expect(reading.text.contains("<a&b>"))
        #expect(reading.classes["lane"] == 1)
        #expect(!title.isEmpty)
    }

    @Test("a story of nothing is a picture too") func storyOfNothingIsPictureToo() throws {
        let (scenario, _) = ScenarioReader.read(Array("streams = { a = { } }".utf8), named: "empty")
        let reading = try read(Picture(Simulation(of: try #require(scenario))).svg)
        #expect(reading.classes["lane"] == 1)
        #expect(reading.classes["event"] == nil)
    }
}
