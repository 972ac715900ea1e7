/// Sound that came, and was not as it should be: with a gap or a click, at another position, not steady.
///
/// A machine that stands still causes such failures, so `StandstillTrait` runs their tests again. It excuses no other
/// failure: not sound that never came, nor sound where silence is expected.
public struct SoundFailure: Error, CustomStringConvertible, Sendable {
    /// The difference between what was heard and what was expected.
    public let description: String

    /// A failure with its description.
    public init(_ description: String) { self.description = description }
}
