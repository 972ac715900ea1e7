/// The places of streams in the server. The engine asks only when they matter.
public protocol StreamPlaces {
    /// All streams that may be moved, with their present nodes.
    func routedStreams() -> [RouteStream]
    /// The streams that play on a sink, directly or through filters.
    func streams(heardOn node: UInt32) -> [StreamID]
}
