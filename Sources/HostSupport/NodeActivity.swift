/// What the client of a PipeWire stream wants, and whether the stream's node should be active or muted.
///
/// A stream that a PulseAudio client creates paused is active at first. pipewire-pulse makes it inactive when it
/// answers the client, which it does when the server first starts the node. Until then the client waits; it gives up
/// after half a minute, and sends no sound. So such a node may start, muted until it is corked.
public struct NodeActivity: Sendable, Equatable {
    /// Whether the client wants the stream to run.
    private var isWanted: Bool
    /// Whether pipewire-pulse has not answered the client's request for the stream yet.
    private var isUnanswered: Bool
    /// Whether the policy would silence the stream, should its client be answered now: then it starts muted.
    private var isGuarded = false
    /// Whether the client was answered, and the node stays muted until it is corked.
    public private(set) var isMutedUntilCorked = false
    /// Whether the policy holds the stream.
    public private(set) var isHeld = false
    /// Whether the node keeps running when it is held. If so, it is muted instead.
    public var ignoresPause: Bool

    /// Creates the state of a new node.
    ///
    /// - Parameter isUnanswered: Whether the node belongs to a PulseAudio client and has never run.
    public init(isActive: Bool, isUnanswered: Bool, ignoresPause: Bool) {
        isWanted = isActive
        self.isUnanswered = isUnanswered
        self.ignoresPause = ignoresPause
    }

    /// Whether the client wants the stream to be heard, as reported to the policy.
    public var wantsToPlay: Bool { isWanted && !isUnanswered }

    /// Whether the node should be active.
    public var shouldBeActive: Bool { isWanted && (!isCorked || isUnanswered) }

    /// Whether the node should be muted.
    public var isMuted: Bool {
        isHeld && (ignoresPause || isUnanswered || isMutedUntilCorked) || isGuarded && isUnanswered
    }

    private var isCorked: Bool { isHeld && !ignoresPause }

    /// Records whether the client wants the stream to run.
    ///
    /// - Returns: Whether the client wants the stream, to report to the policy; `nil` if that has not changed.
    public mutating func want(_ isWanted: Bool) -> Bool? {
        guard isWanted != self.isWanted else { return nil }
        self.isWanted = isWanted
        return isUnanswered ? nil : isWanted
    }

    /// Records that the server has started the node.
    ///
    /// - Returns: Whether the client wants the stream, to report to the policy; `nil` if the client was answered
    ///   before.
    public mutating func started() -> Bool? {
        guard isUnanswered else { return nil }
        isMutedUntilCorked = isMuted
        isUnanswered = false
        return isWanted
    }

    /// Records whether the policy would silence the stream if its client started it now.
    public mutating func guardStart(_ isGuarded: Bool) { self.isGuarded = isGuarded }

    /// Whether the policy has not heard of the stream's start yet, which may come at any time.
    public var mayStart: Bool { isUnanswered }

    /// Records whether the policy holds the stream from now on. Returns whether that is a change.
    public mutating func hold(_ isHeld: Bool) -> Bool {
        defer { self.isHeld = isHeld }
        return isHeld != self.isHeld
    }

    /// Records that the node has become active or inactive as it should be.
    public mutating func activityApplied() { isMutedUntilCorked = false }
}
