/// Why a method of an ``AudioSession`` failed. A method that throws has changed nothing.
public struct AudioSessionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failures. The raw value is the four characters of the phone's `OSStatus`, the first one in the
    /// highest byte. Source: Audio Session Services Reference, "Result Codes".
    public enum Code: Int32, Sendable, Hashable, CaseIterable {
        /// `'!ini'`: the session is closed.
        case notInitialized = 0x2169_6e69
        /// `'ini?'`: there is no session bus, no service on it, or no answer in time, and the session was never set up.
        case initializationTimedOut = 0x696e_693f
        /// `'pty?'`: the value is not allowed, or cannot be set now.
        case unsupportedProperty = 0x7074_793f
        /// `'!act'`: the session is not active, or cannot become active beside a session with a stronger claim.
        case notActive = 0x2161_6374
        /// `'nohw'`: an input or output that is needed does not exist.
        case noHardware = 0x6e6f_6877
        /// `'?cat'`: a category is needed, and none was set.
        case noCategorySet = 0x3f63_6174
        /// `'!cat'`: the option, override or mode does not fit the category.
        case incompatibleCategory = 0x2163_6174
        /// `'what'`: any other failure, such as a service that has gone or does not answer in time.
        case unspecified = 0x7768_6174

        init?(characters: String) { self.init(rawValue: characters.utf8.reduce(0) { $0 << 8 | Int32($1) }) }
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong, for people who write programs.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The four characters, and the message: `'!act': a call is heard and …`.
    public var description: String {
        let bits = UInt32(bitPattern: code.rawValue)
        let characters = [24, 16, 8, 0].map { Character(Unicode.Scalar(UInt8(truncatingIfNeeded: bits >> $0))) }
        return "'\(String(characters))': \(message)"
    }
}
