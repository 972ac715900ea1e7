import PolicyEngine
import PolicyFile
import Testing

/// The car's policy against the interaction matrix that Android publishes for cars.
@Suite struct CarMatrixTests {
    /// What happens when one begins while another one is there.
    enum Interaction: Character {
        /// The one that was there falls silent.
        case exclusive = "E"
        /// The one that comes may not begin.
        case reject = "R"
        /// Both are heard.
        case concurrent = "C"
    }

    static let contexts = [
        "music", "navigation", "prompt", "ringtone", "phone", "alarm", "notification", "system-sound", "emergency",
        "safety", "vehicle-status", "announcement",
    ]

    /// A line for each that is there, a letter for each that begins, both in the order of the contexts.
    static let matrix: [(holder: String, begins: String)] = [
        ("music", "ECEEEECCECCE"),
        ("navigation", "CCECECCCECCC"),
        ("prompt", "CRCEERRRECCR"),
        ("ringtone", "RCCCCRRCECCR"),
        ("phone", "RCRCCCCRCCCR"),
        ("alarm", "CCEEECCCECCR"),
        ("notification", "CCEEECCCECCC"),
        ("system-sound", "CCEEECCCECCC"),
        ("emergency", "RRRRCRRRCCRR"),
        ("safety", "CCCCCCCCCCCC"),
        ("vehicle-status", "CCCCCCCCECCC"),
        ("announcement", "ECEEEECCECCE"),
    ]

    @Test("every interaction in a car is Android's", arguments: matrix.indices) func everyInteractionInCarIsAndroids(
        index: Int
    ) throws {
        let (holder, begins) = Self.matrix[index]
        let table = PairTable(try PresetFile.car.policy())
        #expect(begins.count == Self.contexts.count)
        for (newcomer, letter) in zip(Self.contexts, begins) {
            let row = table.row(
                PairTable.Kind(name: holder, role: holder), PairTable.Kind(name: newcomer, role: newcomer))
            let expected = Interaction(rawValue: letter)
            #expect(row.first.isAudible == (expected != .exclusive), "\(holder), then \(newcomer): \(row)")
            #expect(row.second.isAudible == (expected != .reject), "\(holder), then \(newcomer): \(row)")
        }
    }

    @Test("R28 in a car, sessions without a role do to each other and to media what their categories say")
    func opened() throws {
        let policy = try PresetFile.car.policy()
        let cases: [(CategoryOptions, Heard)] = [
            ([], .corked), (.mixWithOthers, .free), (.duckOthers, .ducked(-14)),
        ]
        for (options, expected) in cases {
            for category in [PolicyEngine.Category.playback, .playAndRecord] {
                var scenario = Scenario(policy: policy)
                scenario.play("first", in: "first", for: .seconds(1))
                scenario.play("second", in: "second", as: category, options, for: .seconds(1))
                #expect(scenario["first"] == expected && scenario["second"] == .free, "\(category) \(options)")
                scenario = Scenario(policy: policy)
                scenario.play("music")
                scenario.play("second", in: "second", as: category, options, for: .seconds(1))
                #expect(scenario["music"] == expected && scenario["second"] == .free, "\(category) \(options)")
            }
        }
        var scenario = Scenario(policy: policy)
        scenario.play("first", in: "first", for: .seconds(1))
        scenario.play("music", for: .seconds(1))
        #expect(scenario["first"] == .corked && scenario["music"] == .free)
    }

    @Test("in a car, what the table says comes first: nobody lowers a warning, and no recording stops the navigator")
    func openedBesideRoles() throws {
        for role in ["emergency", "safety", "navigation", "phone"] {
            var scenario = Scenario(policy: try PresetFile.car.policy())
            scenario.play("sound", role: role, for: .seconds(1))
            scenario.play("memo", in: "memo", as: .record, for: .seconds(1))
            #expect(scenario["sound"] == .free, "\(role)")
            guard role != "navigation" else { continue }
            scenario.play("speaker", in: "speaker", as: .playback, .duckOthers, for: .seconds(1))
            #expect(scenario["sound"] == .free, "\(role)")
        }
    }
}
