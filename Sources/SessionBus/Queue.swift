/// A queue in one array: what was taken from its beginning is dropped when it is half of it.
public struct Queue<Element> {
    private var elements: [Element?] = []
    private var start = 0

    /// A queue with nothing in it.
    public init() {}

    /// How many wait.
    public var count: Int { elements.count - start }
    /// Whether none waits.
    public var isEmpty: Bool { count == 0 }
    /// The one that has waited longest.
    public var first: Element? { start < elements.count ? elements[start] : nil }

    /// Adds one at the end.
    public mutating func append(_ element: Element) { elements.append(element) }

    /// Drops the first one.
    public mutating func removeFirst() {
        guard start < elements.count else { return }
        elements[start] = nil
        start += 1
        guard start > 16, start * 2 > elements.count else { return }
        elements.removeFirst(start)
        start = 0
    }

    /// Puts another one in place of the first.
    public mutating func replaceFirst(_ element: Element) {
        if start < elements.count { elements[start] = element }
    }

    mutating func remove(where isMeant: (Element) -> Bool) {
        elements.removeFirst(start)
        start = 0
        elements.removeAll { $0.map(isMeant) ?? true }
    }
}
