/// A queue in one array. Removed elements stay at its beginning until they are half of the array.
public struct Queue<Element> {
    private var elements: [Element?] = []
    private var start = 0

    /// A queue with nothing in it.
    public init() {}

    /// The number of elements.
    public var count: Int { elements.count - start }
    /// Whether the queue is empty.
    public var isEmpty: Bool { count == 0 }
    /// The oldest element.
    public var first: Element? { start < elements.count ? elements[start] : nil }

    /// Appends an element.
    public mutating func append(_ element: Element) { elements.append(element) }

    /// Removes the oldest element.
    public mutating func removeFirst() {
        guard start < elements.count else { return }
        elements[start] = nil
        start += 1
        guard start > 16, start * 2 > elements.count else { return }
        elements.removeFirst(start)
        start = 0
    }

    /// Replaces the oldest element.
    public mutating func replaceFirst(_ element: Element) {
        if start < elements.count { elements[start] = element }
    }

    mutating func remove(where isMeant: (Element) -> Bool) {
        elements.removeFirst(start)
        start = 0
        elements.removeAll { $0.map(isMeant) ?? true }
    }
}
