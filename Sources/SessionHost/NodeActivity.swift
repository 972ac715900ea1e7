public import SessionCore

/// What the client of a stream of PipeWire wants, and whether its node is active and muted for that.
///
/// A stream that a client of PulseAudio creates is active at first, and made inactive when that client is answered, if it
/// asked for a paused one. pipewire-pulse answers when the server starts the node for the first time; until then the client
/// waits, gives up after half a minute, and sends no sound. So such a node is let start, and muted until it is corked.
public struct NodeActivity: Sendable, Equatable {
    /// The client wants the stream to run.
    private var isWanted: Bool
    /// pipewire-pulse has not answered its client's request for the stream yet.
    private var isUnanswered: Bool
    /// The client was answered, and the node stays muted until it is corked instead.
    public private(set) var isMutedUntilCorked = false
    /// How the policy has it silenced.
    public private(set) var silence = Silence.none
    /// The node goes on when it is corked, so it is muted.
    public var ignoresPause: Bool

    /// A node of which nobody has asked anything yet.
    ///
    /// - Parameter isUnanswered: It belongs to a client of PulseAudio, and has never run.
    public init(isActive: Bool, isUnanswered: Bool, ignoresPause: Bool) {
        isWanted = isActive
        self.isUnanswered = isUnanswered
        self.ignoresPause = ignoresPause
    }

    /// Whether its client wants it to be heard, as far as the policy is concerned.
    public var wantsToPlay: Bool { isWanted && !isUnanswered }

    /// Whether the node is to be active.
    public var shouldBeActive: Bool { isWanted && (!isCorked || isUnanswered) }

    /// Whether the node is to be muted.
    public var isMuted: Bool {
        silence == .mute || silence == .cork && (ignoresPause || isUnanswered || isMutedUntilCorked)
    }

    private var isCorked: Bool { silence == .cork && !ignoresPause }

    /// The client wants it to run, or to be paused.
    ///
    /// - Returns: What the policy has to know of that.
    public mutating func want(_ isWanted: Bool) -> Bool? {
        guard isWanted != self.isWanted else { return nil }
        self.isWanted = isWanted
        return isUnanswered ? nil : isWanted
    }

    /// The server has started the node.
    ///
    /// - Returns: What the policy has to know of that; `nil` if it is not the first time.
    public mutating func started() -> Bool? {
        guard isUnanswered else { return nil }
        isMutedUntilCorked = isMuted
        isUnanswered = false
        return isWanted
    }

    /// The policy silences it in this way from now on. Returns whether that is a change.
    public mutating func silence(_ silence: Silence) -> Bool {
        defer { self.silence = silence }
        return silence != self.silence
    }

    /// The node is as active now as it should be.
    public mutating func settled() { isMutedUntilCorked = false }
}
