/// Which node is linked to which.
struct LinkMap {
    /// From which node to which, by the link's global id.
    private var links: [UInt32: (output: UInt32, input: UInt32)] = [:]
    /// The links of a node, by its global id.
    private var leaving: [UInt32: Set<UInt32>] = [:]
    private var arriving: [UInt32: Set<UInt32>] = [:]
    /// The nodes that are two ends of one thing, as those of a loopback are, and which that is.
    private var groups: [String: Set<UInt32>] = [:]
    private var group: [UInt32: String] = [:]

    /// So many nodes are looked at to find out what is heard on one.
    private static let limit = 4096

    mutating func add(_ link: UInt32, from output: UInt32, to input: UInt32) {
        links[link] = (output, input)
        leaving[output, default: []].insert(link)
        arriving[input, default: []].insert(link)
    }

    /// Returns the nodes that it joined.
    @discardableResult
    mutating func remove(_ link: UInt32) -> (output: UInt32, input: UInt32)? {
        guard let ends = links.removeValue(forKey: link) else { return nil }
        leaving[ends.output]?.remove(link)
        if leaving[ends.output]?.isEmpty == true { leaving[ends.output] = nil }
        arriving[ends.input]?.remove(link)
        if arriving[ends.input]?.isEmpty == true { arriving[ends.input] = nil }
        return ends
    }

    mutating func add(node: UInt32, inGroup name: String) {
        groups[name, default: []].insert(node)
        group[node] = name
    }

    mutating func remove(node: UInt32) {
        guard let name = group.removeValue(forKey: node) else { return }
        groups[name]?.remove(node)
        if groups[name]?.isEmpty == true { groups[name] = nil }
    }

    /// All nodes whose sound comes to a node, be it through effects.
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

    /// The nearest nodes of a kind that the sound of a node goes on to, or comes from, through effects and the other ends of
    /// the same thing; the oldest links first.
    func next(after node: UInt32, backwards: Bool = false, where isWanted: (UInt32) -> Bool) -> [UInt32] {
        var result: [UInt32] = []
        var seen: Set<UInt32> = [node]
        var pending = [node]
        while let node = pending.popLast(), seen.count < LinkMap.limit {
            let ends = group[node].flatMap { groups[$0] }?.sorted() ?? [node]
            for end in ends {
                for link in ((backwards ? arriving[end] : leaving[end]) ?? []).sorted() {
                    guard let other = backwards ? links[link]?.output : links[link]?.input,
                        seen.insert(other).inserted
                    else { continue }
                    if isWanted(other) { result.append(other) } else { pending.append(other) }
                }
            }
        }
        return result
    }

    /// Where a node's oldest link goes to.
    func target(of node: UInt32) -> UInt32? { leaving[node]?.min().flatMap { links[$0]?.input } }

    /// Where a node's oldest link comes from.
    func origin(of node: UInt32) -> UInt32? { arriving[node]?.min().flatMap { links[$0]?.output } }
}
