import EngineProperties
import PolicyEngine
import RandomEvents
import Testing

/// What holds for every sequence of events whatsoever: a few hundred. `Tests/bin/judge` plays as many as one likes.
@Suite struct PropertyTests {
    /// Plays the seeds up to a number, and says what is wrong with the first three that fail.
    private func play<Play: RandomPlay>(_ play: Play.Type, count: UInt64, found: Int = 0) {
        let seeds = Array(0..<count) + play.found.prefix(found)
        for failure in seeds.lazy.compactMap({ play.failure(ofSeed: $0) }).prefix(3) { Issue.record("\(failure)") }
    }

    @Test("R1 R8 R11 R26 R27 R30 R31 R36 R64 N9 N17 N19 random sequences of events: what always holds")
    func sequences() { play(RandomSequence<PropertyJudge>.self, count: 200, found: 20) }

    @Test("what always holds is said once each, in one sentence")
    func sentences() {
        #expect(Set(Property.all.map(\.name)).count == Property.all.count && Property.all.count >= 40)
        for property in Property.all { #expect(property.sentence.last == ".", "\(property.name)") }
    }

    @Test("R56 R58 R64 random sequences of route events")
    func routes() { play(RoutePlay.self, count: 50) }

    @Test("R56 R57 R58 R64 random filters, streams and sessions: all that is told fits together")
    func routeEngine() { play(RouteEnginePlay.self, count: 10) }

    @Test("R41 R42 R43 R46 R47 R48 R66 when all sessions are gone, the server is as if there had been none")
    func steering() { play(SteeringPlay.self, count: 4, found: 4) }

    @Test("R12 R46 R66 anything may be said of streams and places, and in any order")
    func absurd() {
        for seed in 0..<60 {
            var random = SplitMix64(seed: UInt64(seed))
            var steering = RouteSteering()
            var told = 0
            for _ in 0..<50 {
                let ids = ["a", "b", "n1", "n2", ""]
                let places = (0..<random.below(5)).map { _ in
                    RoutePlace(
                        nodeID: UInt32(random.below(3)), nodeName: "n\(random.below(3))",
                        direction: random.pick(PortDirection.allCases),
                        deviceID: random.oneIn(3) ? nil : UInt32(random.below(2)),
                        ports: (0..<random.below(3)).map { _ in random.pick(ids) },
                        active: random.oneIn(3) ? nil : random.pick(ids), isDefault: random.oneIn(2))
                }
                let streams = (0..<random.below(5)).map { _ in
                    RouteStream(
                        StreamID(UInt32(random.below(3))),
                        of: random.oneIn(4) ? nil : SessionID(UInt32(random.below(2))),
                        random.pick([.playback, .capture]), on: random.oneIn(3) ? nil : UInt32(random.below(3)))
                }
                let choices = (0..<random.below(4)).map { _ in
                    let port = RoutePort(
                        type: .unknown, name: "", id: random.pick(ids),
                        nodeID: random.oneIn(3) ? nil : UInt32(random.below(3)))
                    return (
                        session: SessionID(UInt32(random.below(2))),
                        choice: RouteChoice(
                            output: random.oneIn(3) ? nil : port, input: random.oneIn(3) ? nil : port)
                    )
                }
                let commands = steering.update(choices, streams: streams, places: places)
                // What was told of before may have to go back.
                #expect(commands.count <= places.count + streams.count + told)
                told = streams.count
            }
            _ = steering.undo()
            #expect(steering.isEmpty)
        }
    }
}
