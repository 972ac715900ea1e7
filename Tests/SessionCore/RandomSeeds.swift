#if canImport(Glibc)
    import Glibc
#endif

/// The seeds of random sequences: half of them are the same in every run, half begin where the environment's
/// `AUDIO_SESSION_SEED` says, so that each run tries something new. Without that variable all are the same.
///
/// A failure names its seed. It is tried again with that number as `AUDIO_SESSION_SEED`, or added to the kept seeds.
enum RandomSeeds {
    /// One part's seeds of all that are tried.
    ///
    /// - Parameters:
    ///   - part: The part's index, below `parts`.
    ///   - count: How many seeds all parts have together, or a few more.
    ///   - variable: The environment's variable with the first of those that change.
    static func seeds(
        ofPart part: Int, of parts: Int, count: Int, variable: String = "AUDIO_SESSION_SEED"
    ) -> [UInt64] {
        let first = getenv(variable).flatMap { UInt64(String(cString: $0)) }
        let each = (count + parts - 1) / parts
        return (part * each..<(part + 1) * each).map { index in
            guard let first, index % 2 == 1 else { return UInt64(first == nil ? index : index / 2) }
            return first &+ UInt64(index / 2)
        }
    }
}
