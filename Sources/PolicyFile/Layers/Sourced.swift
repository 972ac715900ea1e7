/// A value with where it was set; `nil` when that was the built-in preset.
struct Sourced<Value: Sendable>: Sendable {
    var value: Value
    var origin: Origin?

    init(_ value: Value, at origin: Origin? = nil) {
        self.value = value
        self.origin = origin
    }
}

extension Optional {
    /// Takes another value, unless reading it failed.
    mutating func set<Value>(_ value: Value?, at origin: Origin?) where Wrapped == Sourced<Value> {
        if let value { self = Sourced(value, at: origin) }
    }
}
