/// Which nodes are linked to each other.
struct LinkMap {
    /// A link, with the nodes at its ends.
    private struct Link {
        let output: UInt32
        let input: UInt32
        /// Higher for later links. Global ids are used again, and do not tell which link is older.
        let number: UInt64
    }

    /// By the link's global id.
    private var links: [UInt32: Link] = [:]
    private var nextNumber: UInt64 = 0
    /// The links from and to a node, by the node's global id.
    private var leaving: [UInt32: Set<UInt32>] = [:]
    private var arriving: [UInt32: Set<UInt32>] = [:]
    /// The nodes of each link group, such as the two ends of a loopback, and each node's group.
    private var groups: [String: Set<UInt32>] = [:]
    private var group: [UInt32: String] = [:]
    /// The nodes that record for a program, as the meters of a mixer do: nobody hears there what they are linked to.
    private var recorders: Set<UInt32> = []

    /// The number of nodes that a search visits at most.
    private static let limit = 4096

    mutating func add(_ link: UInt32, from output: UInt32, to input: UInt32) {
        links[link] = Link(output: output, input: input, number: nextNumber)
        nextNumber &+= 1
        leaving[output, default: []].insert(link)
        arriving[input, default: []].insert(link)
    }

    /// Removes a link. Returns the nodes that it joined.
    @discardableResult
    mutating func remove(_ link: UInt32) -> (output: UInt32, input: UInt32)? {
        guard let ends = links.removeValue(forKey: link) else { return nil }
        leaving[ends.output]?.remove(link)
        if leaving[ends.output]?.isEmpty == true { leaving[ends.output] = nil }
        arriving[ends.input]?.remove(link)
        if arriving[ends.input]?.isEmpty == true { arriving[ends.input] = nil }
        return (ends.output, ends.input)
    }

    mutating func add(node: UInt32, inGroup name: String) {
        groups[name, default: []].insert(node)
        group[node] = name
    }

    mutating func add(recorder node: UInt32) { recorders.insert(node) }

    mutating func remove(node: UInt32) {
        recorders.remove(node)
        guard let name = group.removeValue(forKey: node) else { return }
        groups[name]?.remove(node)
        if groups[name]?.isEmpty == true { groups[name] = nil }
    }

    private func oldestFirst(_ some: Set<UInt32>?) -> [Link] {
        (some ?? []).compactMap { links[$0] }.sorted { $0.number < $1.number }
    }

    /// The links on which a node is heard, the oldest first: all that leave it but those to recorders.
    private func heard(from node: UInt32) -> [Link] {
        oldestFirst(leaving[node]).filter { !recorders.contains($0.input) }
    }

    /// The number of links on which a node is heard.
    func heardCount(from node: UInt32) -> Int { heard(from: node).count }

    /// All nodes whose sound reaches a node, directly or through effects.
    func sources(of sink: UInt32) -> Set<UInt32> {
        var result: Set<UInt32> = []
        var pending = [sink]
        while let node = pending.popLast(), result.count < LinkMap.limit {
            for output in (arriving[node] ?? []).compactMap({ links[$0]?.output }) {
                for source in (group[output].flatMap { groups[$0] } ?? []).union([output])
                where source != sink && result.insert(source).inserted {
                    pending.append(source)
                }
            }
        }
        return result
    }

    /// The nearest wanted nodes downstream (or upstream, with `backwards`) of a node, through effects and link groups;
    /// those by the oldest links first.
    func next(after node: UInt32, backwards: Bool = false, where isWanted: (UInt32) -> Bool) -> [UInt32] {
        var result: [UInt32] = []
        var seen: Set<UInt32> = [node]
        var pending = [node]
        while let node = pending.popLast(), seen.count < LinkMap.limit {
            let ends = group[node].flatMap { groups[$0] }?.sorted() ?? [node]
            for end in ends {
                for link in oldestFirst(backwards ? arriving[end] : leaving[end]) {
                    let other = backwards ? link.output : link.input
                    guard seen.insert(other).inserted else { continue }
                    if isWanted(other) { result.append(other) } else { pending.append(other) }
                }
            }
        }
        return result
    }

    /// The node that the oldest link on which a node is heard leads to.
    func target(of node: UInt32) -> UInt32? { heard(from: node).first?.input }

    /// The node that a node's oldest incoming link comes from.
    func origin(of node: UInt32) -> UInt32? { oldestFirst(arriving[node]).first?.output }
}
