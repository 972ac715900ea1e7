import CPipeWire
import HostSupport

/// Whether the daemon accepts a text as a fraction such as `1024/48000`.
func isFraction(_ text: String) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 1).map { UInt32($0) }
    return parts.count == 2 && parts[0] != nil && parts[1] ?? 0 > 0
}

/// Rate and quantum of a graph, in Hz and frames.
struct GraphTiming: Equatable {
    var rate: UInt32
    var quantum: UInt32
}

/// The daemon's clock settings: its properties `default.clock.*`, overridden by the metadata `settings`.
struct GraphSettings {
    private let defaults: [String: UInt32]
    /// The numbers in the metadata; a zero is none.
    private var overrides: [String: UInt32] = [:]

    init(_ properties: UnsafePointer<pw_properties>?) {
        func number(_ key: String, _ fallback: UInt32) -> UInt32 {
            let value = text(pw_properties_get(properties, "default.clock." + key)).flatMap { UInt32($0) } ?? 0
            return value > 0 ? value : fallback
        }
        let largest = min(number("max-quantum", 2048), number("quantum-limit", 8192))
        let smallest = min(number("min-quantum", 32), largest)
        defaults = [
            "clock.rate": number("rate", 48000), "clock.max-quantum": largest,
            "clock.quantum": min(max(number("quantum", 1024), smallest), largest), "clock.force-rate": 0,
            "clock.force-quantum": 0,
        ]
    }

    /// Applies an entry of the metadata `settings`.
    mutating func set(_ key: String?, to value: String?) {
        guard let key, defaults[key] != nil else { return }
        let number = value.flatMap { UInt32($0) } ?? 0
        overrides[key] = number > 0 ? number : nil
    }

    private func value(_ key: String) -> UInt32 { overrides[key] ?? defaults[key] ?? 1 }

    var rate: UInt32 { value("clock.rate") }
    var quantum: UInt32 { value("clock.quantum") }
    var largest: UInt32 { value("clock.max-quantum") }

    /// The timing of a graph in which no node makes a request.
    var timing: GraphTiming {
        GraphTiming(
            rate: overrides["clock.force-rate"] ?? rate, quantum: overrides["clock.force-quantum"] ?? quantum)
    }
}
