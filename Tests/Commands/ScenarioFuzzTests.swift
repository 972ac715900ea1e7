import Foundation
import RandomEvents
import Testing

@testable import Commands

/// Broken scenario files: whatever is in them, they are read to an end, and what can be played is played.
@Suite struct ScenarioFuzzTests {
    private static let splinters = [
        "{", "}", "[", "]", "=", "\"", "#", "\n", "at", "play", "kill", "policy", "0", "24h", "86400s", "1e300", "-1",
        "\u{0}", "\u{FFFD}", "\\u0000", "streams = { }", "is = \"ducked -20\"", "volume = music to = 50%",
        "{ at = 1 unplug = headphones }", "plug = usb", "route = speaker",
    ]

    @Test("mutations are read, and played or refused", arguments: Project.scenarioNames)
    func mutationsAreReadAndPlayedOrRefused(name: String) throws {
        let original = try Data(contentsOf: URL(filePath: Project.path(ofScenario: name)))
        var numbers = SplitMix64(seed: name.utf8.reduce(7) { ($0 &* 31) &+ UInt64($1) })
        for _ in 0..<12 {
            var bytes = Array(original)
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                let end = min(bytes.count, place + Int.random(in: 0...12, using: &numbers))
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: bytes.removeSubrange(place..<end)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
                case 2: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
                default:
                    let splinter = Self.splinters.randomElement(using: &numbers) ?? ""
                    bytes.insert(contentsOf: Array(" \(splinter) ".utf8), at: place)
                }
            }
            let (scenario, diagnostics) = ScenarioReader.read(bytes, named: "x", presetFolders: [])
            #expect((scenario == nil) == diagnostics.contains { $0.severity == .error })
            guard let scenario else { continue }
            let simulation = Simulation(of: scenario)
            #expect(simulation.outcomes.count == scenario.expectations.count)
            #expect(!simulation.table.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
            #expect(!Picture(simulation).svg.isEmpty)
        }
    }
}
