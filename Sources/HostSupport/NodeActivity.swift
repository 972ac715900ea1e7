/// What the client of a PipeWire stream wants, and whether the stream's node should be active or muted.
///
/// A stream that a PulseAudio client creates paused is active at first: pipewire-pulse makes it inactive when it
/// answers the client, which is when the server first starts the node. Until then the client waits; it gives up after
/// half a minute, and sends no sound. So such a node may start, muted until it is corked.
public struct NodeActivity: Sendable, Equatable {
    private var isWanted: Bool
    /// pipewire-pulse has not answered the client's request for the stream.
    private var isUnanswered: Bool
    /// The policy would silence the stream if its client were answered now: then it starts muted.
    private var isGuarded = false
    /// Whether the client was answered, and the node stays muted until it is corked.
    public private(set) var isMutedUntilCorked = false
    /// Whether the policy holds the stream.
    public private(set) var isHeld = false
    /// Whether a held node runs on. If so, it is muted instead.
    public var ignoresPause: Bool

    /// - Parameter isUnanswered: The node belongs to a PulseAudio client and has never run.
    public init(isActive: Bool, isUnanswered: Bool, ignoresPause: Bool) {
        isWanted = isActive
        self.isUnanswered = isUnanswered
        self.ignoresPause = ignoresPause
    }

    /// Whether the client wants the stream to be heard, as reported to the policy.
    public var wantsToPlay: Bool { isWanted && !isUnanswered }

    /// Whether the server should have the node active.
    public var shouldBeActive: Bool { isWanted && (!isCorked || isUnanswered) }

    /// Whether the server should have the node muted.
    public var isMuted: Bool {
        isHeld && (ignoresPause || isUnanswered || isMutedUntilCorked) || isGuarded && isUnanswered
    }

    private var isCorked: Bool { isHeld && !ignoresPause }

    /// Records what the client wants. Returns what to report to the policy; `nil` for no change.
    public mutating func want(_ isWanted: Bool) -> Bool? {
        guard isWanted != self.isWanted else { return nil }
        self.isWanted = isWanted
        return isUnanswered ? nil : isWanted
    }

    /// The server has started the node. Returns what to report to the policy; `nil` if the client was answered before.
    public mutating func started() -> Bool? {
        guard isUnanswered else { return nil }
        isMutedUntilCorked = isMuted
        isUnanswered = false
        return isWanted
    }

    /// The policy would silence the stream if its client started it now.
    public mutating func guardStart(_ isGuarded: Bool) { self.isGuarded = isGuarded }

    /// The policy has not heard of the stream's start, which may come at any time.
    public var mayStart: Bool { isUnanswered }

    /// Records whether the policy holds the stream. Returns whether that is a change.
    public mutating func hold(_ isHeld: Bool) -> Bool {
        defer { self.isHeld = isHeld }
        return isHeld != self.isHeld
    }

    /// The node has become active or inactive as it should be.
    public mutating func activityApplied() { isMutedUntilCorked = false }
}
