import CPipeWire

/// The daemon's clock settings, from its properties (`default.clock.*`).
struct GraphSettings {
    var rate = 48000.0
    var quantum = 1024.0
    var smallest = 32.0
    var largest = 2048.0

    init(_ properties: UnsafePointer<pw_properties>?) {
        func number(_ key: String, _ fallback: Double) -> Double {
            let value = text(pw_properties_get(properties, key)).flatMap { Double($0) } ?? fallback
            return value.isFinite && value > 0 ? value : fallback
        }
        rate = number("default.clock.rate", rate)
        quantum = number("default.clock.quantum", quantum)
        smallest = number("default.clock.min-quantum", smallest)
        largest = number("default.clock.max-quantum", largest)
    }

    /// How long one round of the graph takes when the streams ask for this latency, in seconds.
    func quantum(requested: Double?) -> Duration {
        let frames = min(max(requested.map { $0 * rate } ?? quantum, smallest), max(largest, smallest))
        // The server rounds down to a power of two.
        var power = 1.0
        while power * 2 <= frames { power *= 2 }
        return .seconds(power / rate)
    }

    /// Reads a latency such as `1024/48000`.
    static func seconds(_ latency: String) -> Double? {
        let parts = latency.split(separator: "/", maxSplits: 1).compactMap { Double($0) }
        guard parts.count == 2, parts[0] > 0, parts[1] > 0 else { return nil }
        return parts[0] / parts[1]
    }
}
