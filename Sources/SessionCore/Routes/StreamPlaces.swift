/// The places of streams in the server. The engine asks only when they matter.
public protocol StreamPlaces {
    /// All streams that may be moved, with their present nodes.
    func routedStreams() -> [RouteStream]
    /// Whether the policy has outputs for roles (N23).
    var haveOutputs: Bool { get }
    /// The streams that play on a sink, directly or through filters.
    func streams(heardOn node: UInt32) -> [StreamID]
}

extension StreamPlaces {
    /// No outputs for roles.
    public var haveOutputs: Bool { false }
}
