#if canImport(Glibc)
    import Glibc
#endif

/// A level relative to full scale or to a stream's own volume, in decibels. 0 changes nothing, −20 is a tenth.
public struct Decibels: Sendable, Hashable, Comparable {
    /// The level in dB; `-Double.infinity` is silence.
    public var value: Double

    /// Creates a level in dB.
    public init(_ value: Double) { self.value = value }

    /// Whether the left one is quieter.
    public static func < (left: Decibels, right: Decibels) -> Bool { left.value < right.value }

    /// The same level as a factor on the amplitude.
    public var linear: LinearGain { LinearGain(pow(10, value / 20)) }
}

/// A factor on a stream's amplitude, from 0 (silence) to 1 (untouched).
public struct LinearGain: Sendable, Hashable, Comparable {
    /// The factor, 0…1.
    public let value: Double

    /// Creates a gain. Values outside 0…1 are clamped; not-a-number becomes 0.
    public init(_ value: Double) { self.value = value > 0 ? min(value, 1) : 0 }

    /// The gain that changes nothing.
    public static let unity = LinearGain(1)
    /// The gain of silence.
    public static let silence = LinearGain(0)

    /// The same gain in dB, to a tenth; `-infinity` for silence.
    public var decibels: Double { value == 0 ? -.infinity : (200 * log10(value)).rounded() / 10 }

    /// The position of a volume slider with this gain, 0…1: the cube root, as everywhere on the desktop.
    public var slider: Double { cbrt(value) }

    /// Creates the gain of a volume slider's position, 0…1.
    public init(slider: Double) { self.init(slider * slider * slider) }

    static func * (left: LinearGain, right: LinearGain) -> LinearGain { LinearGain(left.value * right.value) }

    /// Whether the left one is quieter.
    public static func < (left: LinearGain, right: LinearGain) -> Bool { left.value < right.value }
}
