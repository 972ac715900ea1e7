/// Something that happens at random, and a judgement of it. The same seed plays the same.
public protocol RandomPlay {
    /// The play of a seed.
    init(seed: UInt64)
    /// Plays to the end, or to the first failure.
    mutating func play()
    /// The first failure; `nil` for none.
    var failure: String? { get }
    /// What is wrong with the play of a seed; `nil` if nothing is.
    static func failure(ofSeed seed: UInt64) -> String?
    /// Seeds that have once shown a fault of the engine or of the judgement, and took many plays to be found.
    static var found: [UInt64] { get }
}

extension RandomPlay {
    /// What is wrong with the play of a seed; `nil` if nothing is.
    public static func failure(ofSeed seed: UInt64) -> String? {
        var play = Self(seed: seed)
        play.play()
        return play.failure.map { "seed \(seed): \($0)" }
    }

    /// None yet.
    public static var found: [UInt64] { [] }
}
