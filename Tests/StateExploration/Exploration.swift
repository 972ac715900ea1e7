import Dispatch
import PolicyEngine
import Synchronization

/// All states that a world can come to within so many steps, breadth first.
///
/// States are known again by their fingerprints. What is kept of a state is the way to it, which is walked once more when
/// its turn comes.
public struct Exploration: Sendable {
    /// One step further: what it has shown.
    public struct Level: Sendable {
        /// How many steps from the beginning.
        public var depth: Int
        /// How many states were seen here for the first time.
        public var states: Int
        /// How many steps have led here.
        public var transitions: Int
        /// How long that has taken.
        public var seconds: Double
        /// Whether there was time for all of it.
        public var isComplete: Bool
    }

    /// A way to something that must not be; no other way is shorter.
    public struct Violation: Sendable {
        /// What must not be.
        public var flaw: String
        /// The way there.
        public var steps: [String]
    }

    /// What was found.
    public private(set) var levels: [Level] = []
    /// For each kind of flaw, a shortest way to it.
    public private(set) var violations: [Violation] = []

    /// All states together.
    public var states: Int { levels.reduce(0) { $0 + $1.states } }
    /// All transitions together.
    public var transitions: Int { levels.reduce(0) { $0 + $1.transitions } }

    private let steps: [Step]
    private let beginning: World
    private let visited = (0..<256).map { _ in Shard() }

    /// Some of the known fingerprints, so that threads seldom meet.
    private final class Shard: Sendable {
        private let known = Mutex(Set<UInt64>())

        func insert(_ fingerprint: UInt64) -> Bool { known.withLock { $0.insert(fingerprint).inserted } }
    }

    /// The way to a state: the configurations of its sessions, then steps, a byte each.
    private struct Way: Sendable {
        var root: [UInt8]
        var steps: [UInt8] = []
    }

    /// What one thread has found.
    private struct Finding: Sendable {
        var next: [Way] = []
        var transitions = 0
        var violations: [String: Way] = [:]
        var isComplete = true
    }

    /// The findings of all threads. A class, because Swift 6.0 lets no closure borrow a mutex of the function around it.
    private final class Findings: Sendable {
        let all = Mutex<[Finding]>([])
    }

    /// An exploration that has not begun.
    ///
    /// - Parameters:
    ///   - policy: What is in force.
    ///   - sessions: How many sessions there are.
    ///   - rules: The policy by which all is judged; `nil` for the one in force.
    public init(policy: Policy, sessions: Int, rules: Policy? = nil) {
        steps = Step.all(sessions: sessions)
        beginning = World(policy: policy, sessions: sessions, rules: rules)
    }

    /// Explores until a violation is found, or so many steps, or so much time.
    ///
    /// - Parameters:
    ///   - isConfigured: Begin with the sessions configured in every way; else as they were opened.
    ///   - report: Gets each level when it is done.
    public mutating func run(
        depth: Int, within limit: Duration, isConfigured: Bool, threads: Int, report: (Level) -> Void
    ) {
        let end = ContinuousClock.now + limit
        var frontier = begin(isConfigured: isConfigured, report)
        while violations.isEmpty, !frontier.isEmpty, (levels.last?.depth ?? 0) < depth, levels.last?.isComplete ?? true
        {
            let start = ContinuousClock.now
            let findings = expand(frontier, until: end, threads: threads)
            frontier = findings.flatMap(\.next)
            note(
                Level(
                    depth: (levels.last?.depth ?? 0) + 1, states: frontier.count,
                    transitions: findings.reduce(0) { $0 + $1.transitions }, seconds: Self.seconds(since: start),
                    isComplete: findings.allSatisfy(\.isComplete)), report)
            for (flaw, way) in findings.flatMap({ $0.violations })
            where !violations.contains(where: { $0.flaw == flaw }) {
                violations.append(Violation(flaw: flaw, steps: describe(way)))
            }
        }
    }

    private mutating func note(_ level: Level, _ report: (Level) -> Void) {
        levels.append(level)
        report(level)
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    // MARK: - Walking

    /// The states at the beginning: configured ones in every combination, whose order is of no matter.
    private mutating func begin(isConfigured: Bool, _ report: (Level) -> Void) -> [Way] {
        let start = ContinuousClock.now
        var roots: [[UInt8]] = [[]]
        if isConfigured {
            for _ in beginning.members {
                roots = roots.flatMap { root in
                    Configurations.all.indices.compactMap { index in
                        let byte = UInt8(truncatingIfNeeded: index)
                        return byte >= root.last ?? 0 ? root + [byte] : nil
                    }
                }
            }
        }
        var ways: [Way] = []
        for root in roots {
            let way = Way(root: root)
            let world = walk(way)
            guard insert(world.fingerprint) else { continue }
            if let flaw = world.flaw { violations.append(Violation(flaw: flaw, steps: describe(way))) }
            ways.append(way)
        }
        note(
            Level(
                depth: 0, states: ways.count, transitions: 0, seconds: Self.seconds(since: start), isComplete: true),
            report)
        return ways
    }

    private func insert(_ fingerprint: UInt64) -> Bool {
        visited[Int(truncatingIfNeeded: fingerprint & 255)].insert(fingerprint)
    }

    private func walk(_ way: Way) -> World {
        var world = beginning
        for (session, configuration) in way.root.enumerated() {
            _ = world.play(.configure(session, Int(configuration)))
        }
        for step in way.steps { _ = world.play(steps[Int(step)]) }
        return world
    }

    /// A way in words, with all that was sent and what came of it.
    private func describe(_ way: Way) -> [String] {
        var world = beginning
        world.log = []
        var result: [String] = []
        let roots = way.root.enumerated().map { Step.configure($0, Int($1)) }
        for (index, step) in (roots + way.steps.map { steps[Int($0)] }).enumerated() {
            _ = world.play(step)
            result.append("\(index + 1). \(step)")
            result += (world.log ?? []).map { "     " + $0 }
            world.log = []
        }
        return result
    }

    /// All steps from all states of a level.
    private func expand(_ frontier: [Way], until end: ContinuousClock.Instant, threads: Int) -> [Finding] {
        let chunk = 64
        let next = Atomic<Int>(0)
        let findings = Findings()
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            var finding = Finding()
            while true {
                let first = next.add(chunk, ordering: .relaxed).oldValue
                guard first < frontier.count else { break }
                guard ContinuousClock.now < end else {
                    finding.isComplete = false
                    break
                }
                for way in frontier[first..<min(first + chunk, frontier.count)] { expand(way, &finding) }
            }
            findings.all.withLock { $0.append(finding) }
        }
        return findings.all.withLock { $0 }
    }

    private func expand(_ way: Way, _ finding: inout Finding) {
        let world = walk(way)
        for (index, step) in steps.enumerated() {
            var successor = world
            guard successor.play(step) else { continue }
            finding.transitions += 1
            guard successor.violation != nil || insert(successor.fingerprint) else { continue }
            var further = way
            further.steps.append(UInt8(truncatingIfNeeded: index))
            if let flaw = successor.flaw {
                if finding.violations[flaw] == nil { finding.violations[flaw] = further }
            } else {
                finding.next.append(further)
            }
        }
    }
}
