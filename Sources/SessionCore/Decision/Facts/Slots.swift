/// Values in one block of memory, each in a slot that it keeps until it is removed. Looking into a slot that does not
/// exist yields `nil`, never a trap.
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

    /// Empties a slot and returns what was in it.
    @discardableResult
    mutating func remove(_ slot: Int) -> Value? {
        guard has(slot) else { return nil }
        isTaken[slot] = false
        free.append(slot)
        return values[slot]
    }

    /// Looks at a value where it lies; `nil` when there is none.
    @inline(__always)
    func read<Result>(_ slot: Int, _ look: (borrowing Value) -> Result) -> Result? {
        has(slot) ? look(values[slot]) : nil
    }

    /// Changes a value where it lies.
    mutating func update(_ slot: Int, _ change: (inout Value) -> Void) {
        guard has(slot) else { return }
        change(&values[slot])
    }
}
