/// Values in one block of memory. Each value keeps its slot until it is removed. Reading a slot that does not exist
/// returns `nil` and never traps.
struct Slots<Value: Sendable & Equatable>: Sendable, Equatable {
    private var values: [Value] = []
    private var isTaken: [Bool] = []
    private var free: [Int] = []

    /// The number of slots, taken or not: every slot is below it.
    var capacity: Int { values.count }
    /// The number of values.
    var count: Int { values.count - free.count }

    subscript(slot: Int) -> Value? { has(slot) ? values[slot] : nil }

    func has(_ slot: Int) -> Bool { slot >= 0 && slot < values.count && isTaken[slot] }

    mutating func insert(_ value: Value) -> Int {
        if let slot = free.popLast() {
            values[slot] = value
            isTaken[slot] = true
            return slot
        }
        values.append(value)
        isTaken.append(true)
        return values.count - 1
    }

    /// Empties a slot and returns its value.
    @discardableResult
    mutating func remove(_ slot: Int) -> Value? {
        guard has(slot) else { return nil }
        isTaken[slot] = false
        free.append(slot)
        return values[slot]
    }

    /// Reads a value in place; `nil` if there is none.
    @inline(__always)
    func read<Result>(_ slot: Int, _ body: (borrowing Value) -> Result) -> Result? {
        has(slot) ? body(values[slot]) : nil
    }

    /// Changes a value in place.
    mutating func update(_ slot: Int, _ change: (inout Value) -> Void) {
        guard has(slot) else { return }
        change(&values[slot])
    }
}
