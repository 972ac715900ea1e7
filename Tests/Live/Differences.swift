import SessionTestKit
import Testing

/// A scenario that only one server can show, and why: all that is not in this list runs on each of them.
///
/// The list stands here rather than at the tests, so that it can be read as a whole, and so that no test is left out
/// without a reason.
struct Difference: Sendable {
    /// The test, by the name of its function.
    let test: String
    /// The server that it runs on.
    let server: ServerKind
    /// Why not on the other one.
    let reason: String

    private init(_ test: String, only server: ServerKind, because reason: String) {
        self.test = test
        self.server = server
        self.reason = reason
    }

    /// The list.
    static let all: [Difference] = [
        Difference(
            "stepsBack", only: .pipeWire,
            because: "WirePlumber is PipeWire's; what is in the way on PulseAudio is another module"),
        Difference(
            "stepsBackFromLoopbacks", only: .pipeWire,
            because: "WirePlumber is PipeWire's; what is in the way on PulseAudio is another module"),
        Difference(
            "managerDies", only: .pipeWire,
            because: "PulseAudio has no session manager beside the daemon; its own end is the test serverRestart"),
        Difference(
            "lyingCard", only: .pipeWire,
            because: "what a card says of itself comes from another process on PipeWire only"),
        Difference(
            "wishedBufferDuration", only: .pipeWire,
            because: "PulseAudio has no quantum for all; each client agrees on its latency with the daemon, once"),
        Difference(
            "wishedSampleRate", only: .pipeWire,
            because: "a sink of PulseAudio keeps its rate while it is open, whatever a stream asks for"),
    ]
}

/// Leaves out what the server under test cannot show, and says why.
struct DifferencesTrait: SuiteTrait, TestTrait {
    var isRecursive: Bool { true }

    func prepare(for test: Test) async throws {
        // Of `name(argument:)`, the name.
        let name = String(test.name.prefix { $0 != "(" })
        guard let difference = Difference.all.first(where: { $0.test == name }) else { return }
        let isOther = difference.server != ServerKind.underTest
        let trait: ConditionTrait = .disabled(if: isOther, "only on \(difference.server): \(difference.reason)")
        try await trait.prepare(for: test)
    }
}

extension Trait where Self == DifferencesTrait {
    /// Leaves out what the server under test cannot show.
    static var differences: Self { DifferencesTrait() }
}
