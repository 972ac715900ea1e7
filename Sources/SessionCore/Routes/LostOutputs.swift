/// The streams that stopped because their output was lost, and the output that each of them waits for (R64).
struct LostOutputs: Sendable, Equatable {
    /// The streams that have not resumed, by the id of their port.
    private var streams: [String: Set<StreamID>] = [:]
    /// The ports that are in use again while some of their streams are not linked to them yet.
    private var returned: [String: RoutePort] = [:]

    private static let maximumReturned = 64

    /// Whether a port is in use again and waits for its streams to be linked to it.
    var hasReturned: Bool { !returned.isEmpty }

    /// A port was lost, and these streams play nowhere else.
    mutating func lose(_ port: RoutePort, _ lost: [StreamID]) {
        returned[port.id] = nil
        if !lost.isEmpty { streams[port.id, default: []].formUnion(lost) }
    }

    /// A lost port is in use again. Returns whether streams wait for it.
    mutating func reuse(_ port: RoutePort) -> Bool {
        guard streams[port.id] != nil, port.nodeID != nil else { return false }
        returned[port.id] = port
        return true
    }

    /// A lost port is plugged in but not in use. Returns the streams that waited for it, which now wait no longer.
    mutating func release(_ port: RoutePort) -> [StreamID] {
        returned[port.id] = nil
        return (streams.removeValue(forKey: port.id) ?? []).sorted { $0.rawValue < $1.rawValue }
    }

    /// The ports of a node that are in use again while some of their streams are not linked to them yet.
    func returned(among ports: [RoutePort]) -> [RoutePort] {
        let ids = Set(ports.map(\.id))
        return returned.sorted { $0.key < $1.key }.map(\.value).filter { ids.contains($0.id) }
    }

    /// These streams play on a port. Returns those that may resume: all, if any waited for it, as one may be there in place
    /// of another.
    mutating func resume(on port: RoutePort, _ heard: [StreamID]) -> [StreamID] {
        guard let waiting = streams[port.id] else { return [] }
        let left = waiting.subtracting(heard)
        streams[port.id] = left.isEmpty ? nil : left
        if left.isEmpty { returned[port.id] = nil }
        return heard
    }

    /// Stops waiting for ports that are neither lost nor returning.
    ///
    /// - Parameter lost: The ports that are lost now.
    mutating func keepOnly(_ lost: @autoclosure () -> [RoutePort]) {
        guard !streams.isEmpty else { return }
        while returned.count > Self.maximumReturned, let oldest = returned.keys.min() { returned[oldest] = nil }
        let ids = Set(lost().map(\.id))
        for port in Array(streams.keys) where !ids.contains(port) && returned[port] == nil { streams[port] = nil }
    }

    /// A stream was removed.
    mutating func forget(_ stream: StreamID) {
        for port in Array(streams.keys) where streams[port]?.remove(stream) != nil {
            if streams[port]?.isEmpty == true {
                streams[port] = nil
                returned[port] = nil
            }
        }
    }
}
