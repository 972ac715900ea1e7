import Foundation

/// The machine and the servers of a run, described without names of hosts.
public struct RunPlace: Sendable, Codable, Equatable {
    /// The day, as in 2026-11-26.
    public var date: String
    /// The processor's model.
    public var processor: String
    /// The number of processors.
    public var processors: Int
    /// The kernel's release, only its numbers.
    public var kernel: String
    /// The servers' releases.
    public var pipeWire: String
    /// WirePlumber's release.
    public var wirePlumber: String
    /// PulseAudio's release.
    public var pulseAudio: String
    /// The machine's load over a minute at the beginning of the run and at its end.
    public var load: [Double]

    /// Describes a machine.
    public init(
        date: String, processor: String, processors: Int, kernel: String, pipeWire: String, wirePlumber: String,
        pulseAudio: String, load: [Double]
    ) {
        self.date = date
        self.processor = processor
        self.processors = processors
        self.kernel = kernel
        self.pipeWire = pipeWire
        self.wirePlumber = wirePlumber
        self.pulseAudio = pulseAudio
        self.load = load
    }

    /// One sentence.
    public var text: String {
        """
        \(date), \(processors) processors (\(processor)), Linux \(kernel), PipeWire \(pipeWire), WirePlumber \
        \(wirePlumber), PulseAudio \(pulseAudio), load \(load.map { format($0) }.joined(separator: " to "))
        """
    }
}

/// A run of `Tests/bin/bench transitions`: what its JSON file contains.
public struct TransitionsRun: Sendable, Encodable {
    /// Where and when.
    public var place: RunPlace
    /// How often each row was measured.
    public var runs: Int
    /// How the interrupter ended: `played` or `killed`.
    public var ending: String
    /// What was measured.
    public var results: [TransitionResult]
    /// What was reached.
    public var verdicts: [Verdict]

    /// A run, with its verdicts.
    public init(place: RunPlace, runs: Int, ending: String, results: [TransitionResult]) {
        self.place = place
        self.runs = runs
        self.ending = ending
        self.results = results
        verdicts = TransitionGoals(results).verdicts
    }

    /// Reads the file of an earlier run. Its figures are judged anew.
    public init(json: Data) throws {
        let read = try JSONDecoder().decode(Measured.self, from: json)
        self.init(place: read.place, runs: read.runs, ending: read.ending, results: read.results)
    }

    /// What an earlier run measured, without what it made of it.
    private struct Measured: Decodable {
        let place: RunPlace
        let runs: Int
        let ending: String
        let results: [TransitionResult]
    }

    /// The JSON file.
    public var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
            return try encoder.encode(self)
        }
    }

    /// Whether every goal was reached; false of a run that has none.
    public var isGood: Bool { !verdicts.isEmpty && verdicts.allSatisfy(\.isReached) }

    /// The quanta in ascending order, and then nil for servers without one.
    var quanta: [Int?] {
        Set(results.map(\.quantum)).sorted { ($0 ?? .max) < ($1 ?? .max) }
    }
}
