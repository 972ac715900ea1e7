import Testing

@testable import AudioSession

/// The sequences of events, without a service.
@Suite(.timeLimit(.minutes(10))) struct EventSequenceTests {
    private func hints(of feed: EventFeed) -> EventSequence<AudioSession.SilenceSecondaryAudioHint> {
        EventSequence(start: feed.position) {
            if case .silenceSecondaryAudioHint(let hint) = $0 { hint } else { nil }
        }
    }

    @Test("each reader gets all events since its sequence was made, in order, while they come from another task")
    func readers() async {
        let feed = EventFeed()
        let first = hints(of: feed)
        feed.add(.silenceSecondaryAudioHint(.begin))
        let second = hints(of: feed)
        let counts = await withTaskGroup(of: [AudioSession.SilenceSecondaryAudioHint].self) { group in
            for sequence in [first, first, second] {
                group.addTask {
                    var all: [AudioSession.SilenceSecondaryAudioHint] = []
                    for await hint in sequence { all.append(hint) }
                    return all
                }
            }
            for number in 0..<1000 {
                feed.add(.mediaServices(.wereLost))
                feed.add(.silenceSecondaryAudioHint(number % 2 == 0 ? .end : .begin))
                if number % 100 == 0 { await Task.yield() }
            }
            feed.finish()
            feed.add(.silenceSecondaryAudioHint(.begin))
            return await group.reduce(into: []) { $0.append($1) }
        }
        let late = (0..<1000).map { $0 % 2 == 0 ? AudioSession.SilenceSecondaryAudioHint.end : .begin }
        #expect(counts.count == 3)
        #expect(counts.filter { $0 == [.begin] + late }.count == 2)
        #expect(counts.filter { $0 == late }.count == 1)
    }

    @Test("a cancelled reader ends, and the others go on")
    func cancelling() async {
        let feed = EventFeed()
        let sequence = hints(of: feed)
        let cancelled = Task {
            var iterator = sequence.makeAsyncIterator()
            return await iterator.next()
        }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        let other = Task { await sequence.first { _ in true } }
        feed.add(.silenceSecondaryAudioHint(.end))
        #expect(await other.value == .end)
    }

    @Test("very many events that nobody has read are released without using up the stack")
    func releasing() async {
        let feed = EventFeed()
        var iterator: EventSequence.AsyncIterator? = hints(of: feed).makeAsyncIterator()
        for _ in 0..<100_000 { feed.add(.silenceSecondaryAudioHint(.begin)) }
        #expect(await iterator?.next() == .begin)
        iterator = nil
    }
}
