/// Values in one block of memory, each in a slot that it keeps until it is removed. Looking into a slot that does not
/// exist yields `nil`, never a trap.
struct Slots<Value: Sendable & Equatable>: Sendable, Equatable {
    private var values: [Value?] = []
    private var free: [Int] = []

    /// The number of slots, taken or not: every slot is below it.
    var capacity: Int { values.count }
    /// The number of values.
    var count: Int { values.count - free.count }

    subscript(slot: Int) -> Value? {
        slot >= 0 && slot < values.count ? values[slot] : nil
    }

    mutating func insert(_ value: Value) -> Int {
        if let slot = free.popLast() {
            values[slot] = value
            return slot
        }
        values.append(value)
        return values.count - 1
    }

    /// Empties a slot and returns what was in it.
    @discardableResult
    mutating func remove(_ slot: Int) -> Value? {
        guard let value = self[slot] else { return nil }
        values[slot] = nil
        free.append(slot)
        return value
    }

    mutating func update(_ slot: Int, _ change: (inout Value) -> Void) {
        guard slot >= 0, slot < values.count, var value = values[slot] else { return }
        change(&value)
        values[slot] = value
    }
}
