import CPipeWire
import SessionHost

/// A fraction such as `1024/48000`, as the daemon reads it.
struct Fraction: Equatable {
    var numerator: UInt32
    var denominator: UInt32

    /// Parses a fraction; `nil` if the daemon would not accept the text.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1).map { UInt32($0) }
        guard parts.count == 2, let numerator = parts[0], let denominator = parts[1], denominator > 0 else {
            return nil
        }
        self.numerator = numerator
        self.denominator = denominator
    }

    static func < (left: Fraction, right: Fraction) -> Bool {
        UInt64(left.numerator) * UInt64(right.denominator) < UInt64(right.numerator) * UInt64(left.denominator)
    }

    /// The duration in frames at a rate, computed in 32 bits with wrap-around, as the daemon does.
    func frames(at rate: UInt32) -> UInt32 { (numerator &* rate) / max(denominator, 1) }
}

/// Rate and quantum of a graph, in Hz and frames.
struct GraphFigures: Equatable {
    var rate: UInt32
    var quantum: UInt32
}

/// The daemon's clock settings: its properties `default.clock.*`, overridden by the metadata `settings`.
struct GraphSettings {
    var rate: UInt32 = 48000
    var allowedRates: [UInt32] = []
    var quantum: UInt32 = 1024
    var smallest: UInt32 = 32
    var largest: UInt32 = 2048
    /// The size of a client's buffers, in frames; no quantum is larger.
    var limit: UInt32 = 8192
    /// Whether quanta are rounded to powers of two.
    var isRounded = true
    var forcedRate: UInt32 = 0
    var forcedQuantum: UInt32 = 0
    /// Whether the higher of two requested rates wins; before 0.3.81 the lower one did.
    var prefersHighestRate = false

    init(_ properties: UnsafePointer<pw_properties>?) {
        func number(_ key: String, _ fallback: UInt32) -> UInt32 {
            let value = text(pw_properties_get(properties, key)).flatMap { UInt32($0) } ?? 0
            return value > 0 ? value : fallback
        }
        rate = number("default.clock.rate", rate)
        allowedRates = Self.rates(text(pw_properties_get(properties, "default.clock.allowed-rates")))
        limit = number("default.clock.quantum-limit", limit)
        largest = min(number("default.clock.max-quantum", largest), limit)
        smallest = min(number("default.clock.min-quantum", smallest), largest)
        quantum = min(max(number("default.clock.quantum", quantum), smallest), largest)
        isRounded = text(pw_properties_get(properties, "clock.power-of-two-quantum")) != "false"
        prefersHighestRate = Self.isAtLeast([0, 3, 81])
        defaults = [
            "clock.rate": rate, "clock.quantum": quantum, "clock.min-quantum": smallest, "clock.max-quantum": largest,
        ]
        defaultRates = allowedRates
    }

    /// The values that apply again when a key is removed from the metadata.
    private var defaults: [String: UInt32] = [:]
    private var defaultRates: [UInt32] = []

    /// Applies an entry of the metadata `settings`. Returns whether it concerns the clock.
    mutating func set(_ key: String?, to value: String?) -> Bool {
        let number = value.flatMap { UInt32($0) } ?? 0
        func valid(_ key: String, _ present: UInt32) -> UInt32 { number > 0 ? number : defaults[key] ?? present }
        switch key {
        case "clock.rate": rate = valid("clock.rate", rate)
        case "clock.quantum": quantum = valid("clock.quantum", quantum)
        case "clock.min-quantum": smallest = valid("clock.min-quantum", smallest)
        case "clock.max-quantum": largest = valid("clock.max-quantum", largest)
        case "clock.allowed-rates":
            let rates = Self.rates(value)
            allowedRates = rates.contains(rate) ? rates : defaultRates
        case "clock.force-rate": forcedRate = number
        case "clock.force-quantum": forcedQuantum = number
        default: return false
        }
        return true
    }

    /// The rate of a graph whose nodes make these requests, in Hz.
    func rate(for requests: GraphRequests) -> UInt32 {
        if forcedRate > 0 { return forcedRate }
        if let forced = requests.forcedRate { return forced.value }
        guard let wanted = requests.rate, wanted.numerator == 1 else { return rate }
        func distance(_ other: UInt32) -> Int64 { abs(Int64(wanted.denominator) - Int64(other)) }
        return allowedRates.reduce(rate) { distance($1) < distance($0) ? $1 : $0 }
    }

    /// The quantum, in frames, of a graph at a given rate whose nodes make these requests.
    func quantum(for requests: GraphRequests, at current: UInt32) -> UInt32 {
        if forcedQuantum > 0 { return round(forcedQuantum) }
        if let forced = requests.forcedQuantum { return round(forced.value) }
        func scaled(_ frames: UInt32) -> UInt32 {
            UInt32(clamping: UInt64(frames) * UInt64(current) / UInt64(max(rate, 1)))
        }
        var most = scaled(largest)
        if let latency = requests.maximum { most = min(most, latency.frames(at: current)) }
        let wanted = requests.latency.map { $0.frames(at: current) } ?? scaled(quantum)
        let least = scaled(smallest)
        return round(wanted < least ? least : min(wanted, most))
    }

    private func round(_ frames: UInt32) -> UInt32 {
        let frames = max(min(frames, limit), 1)
        return isRounded ? 1 << UInt32(UInt32.bitWidth - 1 - frames.leadingZeroBitCount) : frames
    }

    /// The numbers in `[ 44100 48000 ]`, with or without commas.
    private static func rates(_ list: String?) -> [UInt32] {
        (list ?? "").split { !$0.isNumber }.prefix(32).compactMap { UInt32($0) }
    }

    private static func isAtLeast(_ version: [UInt32]) -> Bool {
        let own = (text(pw_get_library_version()) ?? "").split(separator: ".").map { UInt32($0) ?? 0 }
        return !own.lexicographicallyPrecedes(version)
    }
}

/// The combined requests of the nodes of one graph.
struct GraphRequests {
    /// A numbered request; the newest one wins.
    struct Demand {
        var value: UInt32
        var stamp: UInt64
    }

    /// The smallest latency.
    var latency: Fraction?
    /// The smallest of the maximum latencies.
    var maximum: Fraction?
    /// The duration of one frame, as in `1/48000`.
    var rate: Fraction?
    var forcedRate: Demand?
    var forcedQuantum: Demand?
    /// Whether a node asks that the rate stays as it is.
    var isRateLocked = false
    var isQuantumLocked = false
    /// The number of nodes that follow the driver.
    var followers = 0

    /// Merges the requests of another node.
    mutating func add(_ other: GraphRequests, prefersHighestRate: Bool) {
        func smaller(_ left: Fraction?, _ right: Fraction?) -> Fraction? {
            guard let left, let right else { return left ?? right }
            return right < left ? right : left
        }
        func later(_ left: Demand?, _ right: Demand?) -> Demand? {
            (right?.stamp ?? 0) > (left?.stamp ?? 0) ? right : left
        }
        latency = smaller(latency, other.latency)
        maximum = smaller(maximum, other.maximum)
        let least = smaller(rate, other.rate)
        rate = prefersHighestRate ? least : least == rate ? other.rate ?? rate : rate ?? other.rate
        forcedRate = later(forcedRate, other.forcedRate)
        forcedQuantum = later(forcedQuantum, other.forcedQuantum)
        isRateLocked = isRateLocked || other.isRateLocked
        isQuantumLocked = isQuantumLocked || other.isQuantumLocked
        followers += 1
    }
}
