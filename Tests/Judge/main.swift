import EngineProperties
import Foundation
import RandomEvents
import RandomPolicies
import Synchronization

// Goes through very many cases, and judges what comes of each. Tests/bin/judge builds and starts this, and explains it.

/// Random events, judged by what always holds.
typealias ByProperties = RandomSequence<PropertyJudge>

/// What can be played at random: seeds that have shown a fault, and what is wrong with the play of a seed.
struct Plays: Sendable {
    var found: [UInt64]
    var failure: @Sendable (_ seed: UInt64) -> String?

    static func named(_ name: String) -> Plays? {
        switch name {
        case "properties": Plays(found: ByProperties.found) { ByProperties.failure(ofSeed: $0) }
        case "routes": Plays(found: []) { RoutePlay.failure(ofSeed: $0) }
        case "route-engine": Plays(found: []) { RouteEnginePlay.failure(ofSeed: $0) }
        case "steering": Plays(found: SteeringPlay.found) { SteeringPlay.failure(ofSeed: $0) }
        case "policies": Plays(found: []) { PolicyPlay.failure(ofSeed: $0) }
        default: nil
        }
    }
}

func refuse() -> Never {
    FileHandle.standardError.write(Data("judge: cannot read these arguments; Tests/bin/judge --help explains\n".utf8))
    exit(2)
}

/// Plays the seeds that are known for something, then so many others, and prints up to five that fail. Returns whether all
/// are as they should be.
func judge(_ plays: Plays, count: Int, first: UInt64) -> Bool {
    let found = plays.found
    let next = Atomic<Int>(0)
    let failures = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
        while failures.load(ordering: .relaxed) < 5 {
            let index = next.add(1, ordering: .relaxed).oldValue
            guard index < found.count + count else { return }
            let seed = index < found.count ? found[index] : first &+ UInt64(index - found.count)
            guard let failure = plays.failure(seed) else { continue }
            failures.add(1, ordering: .relaxed)
            print(failure + "\n")
        }
    }
    let failed = failures.load(ordering: .relaxed)
    print("\(min(next.load(ordering: .relaxed), found.count + count)) plays from seed \(first), \(failed) failed")
    return failed == 0
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "stories": exit(StoryPlay.run() ? 0 : 1)
case "states": exit(exploreStates(Array(arguments.dropFirst())) ? 0 : 1)
case let name?:
    guard let plays = Plays.named(name), (2...3).contains(arguments.count), let count = Int(arguments[1]), count >= 0,
        let first = UInt64(arguments.count == 3 ? arguments[2] : "0")
    else { refuse() }
    exit(judge(plays, count: count, first: first) ? 0 : 1)
case nil: refuse()
}
