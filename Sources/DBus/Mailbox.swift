/// Messages that wait to be handled: a queue for each sender, served in turn, so that a peer that sends without end
/// delays only itself.
///
/// The messages of one sender stay in order. A message of the bus about a sender (that it has gone) is handled after
/// everything that this sender sent before, and before anything that was sent afterwards.
struct Mailbox<Item> {
    /// The largest number of waiting messages of one sender, and their largest weight in bytes.
    static var mostOfOne: Int { 1024 }
    static var heaviestOfOne: Int { 1 << 20 }
    /// The same limits for all senders together.
    static var most: Int { 4096 }
    static var heaviest: Int { 1 << 22 }

    private struct Entry {
        var item: Item
        /// The message's position in the order of all senders.
        var number: UInt64
        var weight: Int
    }

    private struct SenderQueue {
        var entries = Queue<Entry>()
        var weight = 0
    }

    /// The queues, by sender; no queue is empty.
    private var queues: [String: SenderQueue] = [:]
    /// The same senders in the order of their turns, without the held ones.
    private var turns = Queue<String>()
    /// The senders whose messages are held.
    private var held: Set<String> = []
    /// The bus's own messages, each with the sender that it is about.
    private var busMessages = Queue<(entry: Entry, about: String?)>()
    /// Whether the message returned last came from the bus itself.
    private var wasOfBus = false
    private var lastNumber: UInt64 = 0
    private var weight = 0
    /// The number of waiting messages, without the bus's own.
    private(set) var count = 0

    /// Whether no message can be handled now.
    var isEmpty: Bool { turns.isEmpty && busMessages.isEmpty }

    /// Whether there is room for another message of the bus. Such a message is never refused, so nothing may be read
    /// without room.
    var hasRoom: Bool { busMessages.count < Self.mostOfOne }

    /// A message of this weight in bytes is let in whoever else waits, so that nobody can keep a sender out.
    static var light: Int { 65_536 }

    /// Whether a sender may queue one more message. A sender without waiting messages always may, if it is a light one.
    func admits(_ sender: String, weight: Int) -> Bool {
        guard let queue = queues[sender] else { return weight <= Self.light || weight <= Self.heaviest - self.weight }
        return queue.entries.count < Self.mostOfOne && count < Self.most
            && weight <= Self.heaviestOfOne - queue.weight && weight <= Self.heaviest - self.weight
    }

    /// Queues a message of a sender that is within its limits.
    mutating func add(_ item: Item, from sender: String, weight: Int) {
        var queue = queues[sender] ?? SenderQueue()
        if queue.entries.isEmpty, !held.contains(sender) { turns.append(sender) }
        queue.entries.append(entry(item, weight))
        queue.weight += weight
        queues[sender] = queue
        self.weight += weight
        count += 1
    }

    /// Queues a message of the bus itself.
    ///
    /// - Parameter about: A sender that will send nothing more.
    mutating func add(busMessage item: Item, about sender: String?) {
        busMessages.append((entry(item, 0), sender))
    }

    private mutating func entry(_ item: Item, _ weight: Int) -> Entry {
        lastNumber += 1
        return Entry(item: item, number: lastNumber, weight: weight)
    }

    /// The next message to be handled; `nil` when none waits.
    mutating func next() -> Item? {
        guard let first = busMessages.first else { return nextOfSenders(before: .max) }
        let number = first.entry.number
        if let sender = first.about, let own = queues[sender]?.entries.first, own.number < number {
            release(sender)
            turns.remove { $0 == sender }
            return removeFirst(from: sender)
        }
        // Alternate between the bus's messages and older messages of senders, so that neither waits for the end of the
        // other.
        if wasOfBus, let item = nextOfSenders(before: number) { return item }
        wasOfBus = true
        busMessages.removeFirst()
        return first.entry.item
    }

    /// The next message, in turn, among those that came before a position.
    private mutating func nextOfSenders(before number: UInt64) -> Item? {
        for _ in 0..<turns.count {
            guard let sender = turns.first else { break }
            turns.removeFirst()
            if let own = queues[sender]?.entries.first, own.number < number {
                wasOfBus = false
                return removeFirst(from: sender)
            }
            turns.append(sender)
        }
        return nil
    }

    /// Takes a sender's first message; the sender's next turn comes after all others.
    private mutating func removeFirst(from sender: String) -> Item? {
        // Remove the queue from the table while changing it; otherwise its array would be copied.
        guard var queue = queues.removeValue(forKey: sender), let entry = queue.entries.first else { return nil }
        queue.entries.removeFirst()
        queue.weight -= entry.weight
        weight -= entry.weight
        count -= 1
        if !queue.entries.isEmpty {
            queues[sender] = queue
            if !held.contains(sender) { turns.append(sender) }
        }
        return entry.item
    }

    /// Holds a sender's messages, within its limits, until ``release(_:)`` or a message of the bus about the sender.
    mutating func hold(_ sender: String) {
        if held.insert(sender).inserted { turns.remove { $0 == sender } }
    }

    /// Serves a sender's messages again.
    mutating func release(_ sender: String) {
        if held.remove(sender) != nil, queues[sender] != nil { turns.append(sender) }
    }

    /// Drops all messages.
    mutating func clear() { self = Mailbox() }
}
