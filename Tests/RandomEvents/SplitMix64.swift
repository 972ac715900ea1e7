/// SplitMix64: small, fast, and the same sequence from the same seed everywhere.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64
    /// Numbers to return before the random ones.
    private var given: ArraySlice<UInt8> = []

    /// Creates a generator with a seed.
    public init(seed: UInt64) { state = seed }

    /// Creates a generator that first returns these numbers, so that a fuzzer decides what happens.
    public init(beginning numbers: [UInt8]) {
        state = 0
        given = numbers[...]
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        if let number = given.popFirst() { return UInt64(number) }
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number below a bound. It is slightly biased, which does not matter here.
    public mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

    /// True with a probability of one in `chances`.
    public mutating func oneIn(_ chances: Int) -> Bool { below(chances) == 0 }

    /// A random element.
    public mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }
}
