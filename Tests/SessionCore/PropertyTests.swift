import SessionCore
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// What holds for every sequence of events whatsoever.
@Suite struct PropertyTests {
    private static let chunks = 8

    /// How many sequences are tried; the environment's AUDIO_SESSION_SEQUENCES, or few enough not to be waited for.
    private static var sequences: Int {
        getenv("AUDIO_SESSION_SEQUENCES").flatMap { Int(String(cString: $0)) } ?? 20_000
    }

    @Test(
        "R36 R64 sequences in which a stopped recording became a call by another name",
        arguments: [475_550, 670_546, 785_477])
    func found(seed: UInt64) {
        var sequence = RandomSequence(seed: seed)
        sequence.play()
        if let failure = sequence.failure { Issue.record("\(failure)\n\(sequence.trace())") }
    }

    @Test("R1 R26 R27 R30 R36 random sequences of events", arguments: 0..<chunks)
    func sequences(chunk: Int) {
        let count = (Self.sequences + Self.chunks - 1) / Self.chunks
        var failures = 0
        for index in 0..<count where failures < 3 {
            let seed = UInt64(chunk * count + index)
            var sequence = RandomSequence(seed: seed)
            sequence.play()
            if let failure = sequence.failure {
                failures += 1
                Issue.record("seed \(seed), policy \(sequence.trialIndex): \(failure)\n\(sequence.trace())")
            }
        }
    }
}
