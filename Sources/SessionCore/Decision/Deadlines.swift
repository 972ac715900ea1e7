/// When phases end by themselves, the earliest first: a binary heap.
///
/// An entry is not taken out when its session's deadline changes. It is recognised as outdated when it comes up, and all
/// such entries are thrown away together when there are more of them than others.
struct Deadlines: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        var moment: Instant
        var session: Int
    }

    private(set) var entries: [Entry] = []

    var first: Entry? { entries.first }
    var count: Int { entries.count }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].moment < entries[parent].moment else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].moment < entries[smallest].moment { smallest = child }
            }
            guard smallest != parent else { return }
            entries.swapAt(parent, smallest)
            parent = smallest
        }
    }

    /// Throws away what is outdated.
    mutating func keep(where isValid: (Entry) -> Bool) {
        let valid = entries.filter(isValid)
        entries.removeAll(keepingCapacity: true)
        for entry in valid { insert(entry) }
    }
}
