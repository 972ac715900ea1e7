import Edges
import Glibc

/// The edges that input files reach. The paths of the files come from the standard input.
enum EdgeCoverage {
    /// Prints the edges that the files reach.
    static func show(by body: ([UInt8]) -> Void) {
        while let path = readLine() { if let bytes = contents(of: path) { body(bytes) } }
        fuzz_print_edges()
    }

    /// Prints the paths of the files that together reach most edges, within limits of number and size.
    static func choose(files: Int, bytes room: Int, by body: ([UInt8]) -> Void) {
        var candidates: [(path: String, size: Int, reached: [Int])] = []
        while let path = readLine() {
            guard let bytes = contents(of: path) else { continue }
            clear()
            body(bytes)
            candidates.append((path, bytes.count, now))
        }
        var known: Set<Int> = []
        var room = room
        for _ in 0..<files {
            candidates.removeAll { $0.size > room }
            let gains = candidates.map { $0.reached.count { !known.contains($0) } }
            let worths = zip(candidates, gains).map { Double($1) / Double($0.size + 64) }
            guard let best = worths.indices.max(by: { worths[$0] < worths[$1] }), gains[best] > 0 else { break }
            let chosen = candidates.remove(at: best)
            known.formUnion(chosen.reached)
            room -= chosen.size
            print(chosen.path)
        }
    }

    private static func clear() { memset(fuzz_edge_counters(), 0, fuzz_edge_count()) }

    /// The edges that were reached, each combined with a rough count.
    private static var now: [Int] {
        let counters = UnsafeBufferPointer(start: fuzz_edge_counters(), count: fuzz_edge_count())
        return counters.indices.filter { counters[$0] > 0 }.map {
            $0 * 8 + (7 - counters[$0].leadingZeroBitCount)
        }
    }

    private static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }
}
