/// Messages that have come and wait to be handled: a queue for each sender, and who waits in them comes in turn, so that
/// one who sends without end keeps nobody waiting but itself.
///
/// What one sender sends stays in its order. What the bus says of somebody (that it has gone) is handled after all that
/// this one has sent before, and before all that anybody has sent afterwards.
struct Mailbox<Item> {
    /// The most messages of one sender that wait, and their weight in bytes.
    static var mostOfOne: Int { 1024 }
    static var heaviestOfOne: Int { 1 << 20 }
    /// The same for all senders together.
    static var most: Int { 4096 }
    static var heaviest: Int { 1 << 22 }

    private struct Letter {
        var item: Item
        /// Counted over all senders.
        var number: UInt64
        var weight: Int
    }

    private struct Lane {
        var letters = Queue<Letter>()
        var weight = 0
    }

    /// Who waits, by sender; nobody without a letter.
    private var lanes: [String: Lane] = [:]
    /// The same senders, in the order in which they come next; without those that are held.
    private var turns = Queue<String>()
    /// Whose messages wait until something is known of them.
    private var held: Set<String> = []
    /// What the bus itself says, and about whom.
    private var news = Queue<(letter: Letter, about: String?)>()
    /// The last one that was taken is news.
    private var wasNews = false
    private var lastNumber: UInt64 = 0
    private var weight = 0
    /// How many wait, the bus's own words apart.
    private(set) var count = 0

    /// Whether nothing waits that could be handled now.
    var isEmpty: Bool { turns.isEmpty && news.isEmpty }

    /// Whether there is room for what the bus says. It is never refused, so nothing is to be read without that.
    var hasRoom: Bool { news.count < Self.mostOfOne }

    /// Whether a sender has room for one more message. Who has nothing waiting always has.
    func admits(_ sender: String, weight: Int) -> Bool {
        guard let lane = lanes[sender] else { return true }
        return lane.letters.count < Self.mostOfOne && count < Self.most
            && weight <= Self.heaviestOfOne - lane.weight && weight <= Self.heaviest - self.weight
    }

    /// Queues a message of a sender that has room.
    mutating func add(_ item: Item, from sender: String, weight: Int) {
        var lane = lanes[sender] ?? Lane()
        if lane.letters.isEmpty, !held.contains(sender) { turns.append(sender) }
        lane.letters.append(letter(item, weight))
        lane.weight += weight
        lanes[sender] = lane
        self.weight += weight
        count += 1
    }

    /// Queues what the bus says.
    ///
    /// - Parameter about: Who has sent all that it will send.
    mutating func add(news item: Item, about sender: String?) {
        news.append((letter(item, 0), sender))
    }

    private mutating func letter(_ item: Item, _ weight: Int) -> Letter {
        lastNumber += 1
        return Letter(item: item, number: lastNumber, weight: weight)
    }

    /// The next message to be handled; `nil` when none waits.
    mutating func next() -> Item? {
        guard let first = news.first else { return nextOfLane(before: .max) }
        let number = first.letter.number
        if let sender = first.about, let own = lanes[sender]?.letters.first, own.number < number {
            release(sender)
            turns.remove { $0 == sender }
            return take(from: sender)
        }
        // In turn with all others that came before it: neither has to wait for the end of the other.
        if wasNews, let item = nextOfLane(before: number) { return item }
        wasNews = true
        news.removeFirst()
        return first.letter.item
    }

    /// The first message in turn of those that came before another.
    private mutating func nextOfLane(before number: UInt64) -> Item? {
        for _ in 0..<turns.count {
            guard let sender = turns.first else { break }
            turns.removeFirst()
            if let own = lanes[sender]?.letters.first, own.number < number {
                wasNews = false
                return take(from: sender)
            }
            turns.append(sender)
        }
        return nil
    }

    /// Takes the first message of a sender, whose next turn comes after those of all others.
    private mutating func take(from sender: String) -> Item? {
        // Out of the table meanwhile, or its letters would be copied.
        guard var lane = lanes.removeValue(forKey: sender), let letter = lane.letters.first else { return nil }
        lane.letters.removeFirst()
        lane.weight -= letter.weight
        weight -= letter.weight
        count -= 1
        if !lane.letters.isEmpty {
            lanes[sender] = lane
            if !held.contains(sender) { turns.append(sender) }
        }
        return letter.item
    }

    /// Lets a sender's messages wait, within its limits, until ``release(_:)``, or until the bus says something of it.
    mutating func hold(_ sender: String) {
        if held.insert(sender).inserted { turns.remove { $0 == sender } }
    }

    /// Has a sender's messages handled again.
    mutating func release(_ sender: String) {
        if held.remove(sender) != nil, lanes[sender] != nil { turns.append(sender) }
    }

    /// Drops all that waits.
    mutating func clear() { self = Mailbox() }
}
