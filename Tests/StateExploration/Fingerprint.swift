@testable import SessionCore

/// A number for a state of the engine, for programs that explore its states: states that behave alike share it.
///
/// Ids and the order of past events are left out, so sessions are interchangeable. What counts is the list of sessions
/// in the order of their claims, each with its facts and those of its streams.
extension Engine {
    /// A number that is equal for equal states. Two different states share it with a probability of 2⁻⁶⁴.
    func fingerprint(at now: Instant) -> UInt64 {
        var mixer = Mixer()
        func time(_ moment: Instant?) -> UInt64 {
            moment.map { UInt64(bitPattern: $0 == Switches.never ? .max : $0.nanoseconds &- now.nanoseconds) }
                ?? .max - 1
        }
        mixer.add(
            facts.switches.isSilent ? 1 : 0, facts.switches.isLocked ? 1 : 0, facts.switches.isUndisturbed ? 1 : 0,
            time(facts.switches.pausedUntil), time(requestedWake))
        let order = facts.order.map { Int($0) }
        let stamps = order.map { facts.sessions[$0]?.stamp ?? 0 }.sorted()
        for slot in order {
            guard let session = facts.sessions[slot] else { continue }
            let application = facts.application(of: slot)
            mixer.add(
                UInt64(session.description.rawValue), UInt64(session.phase.rawValue),
                UInt64(session.interruption.rawValue), UInt64(session.block.rawValue),
                UInt64(1 + (order.firstIndex(of: Int(session.cause)) ?? -1)),
                time(session.deadline), time(session.resumesUntil), UInt64(stamps.firstIndex(of: session.stamp) ?? 0),
                UInt64(order.firstIndex { facts.application(of: $0) == application } ?? 0),
                UInt64(1 + (delayed.firstIndex(of: slot) ?? -1)))
            var flags: UInt64 = 0
            let all = [
                session.isToldActive, session.hasStarted, session.requestedWhileSilenced, session.isOpened,
                session.isDriven,
                session.isActivated, session.mayResume, session.isDescribed, session.wasHeard, session.isToldOfRoute,
            ]
            for flag in all { flags = flags << 1 | (flag ? 1 : 0) }
            mixer.add(flags)
            if let configuration = configurations[slot] {
                var word = UInt64(Category.allCases.firstIndex(of: configuration.category) ?? 0)
                word = word << 8 | UInt64(configuration.options.rawValue)
                word = word << 8 | UInt64(Mode.allCases.firstIndex(of: configuration.mode) ?? 0)
                word = word << 2 | (configuration.outputOverride == .none ? 0 : 1) << 1
                mixer.add(word | (configuration.avoidsAlerts ? 1 : 0))
            }
            var next = session.firstStream
            while let stream = facts.streams[Int(next)] {
                next = stream.next
                var word = UInt64(stream.description.rawValue) << 1 | (stream.direction == .playback ? 1 : 0)
                for flag in [stream.isWanted, stream.isRunning, stream.hasRun, stream.isSettled, stream.isInputMuted] {
                    word = word << 1 | (flag ? 1 : 0)
                }
                mixer.add(~word)
            }
        }
        return mixer.sum
    }

    /// The FNV hash on whole words, with a final mix.
    private struct Mixer {
        private var state: UInt64 = 0xcbf2_9ce4_8422_2325

        mutating func add(_ words: UInt64...) {
            for word in words {
                state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
                state ^= state >> 29
            }
        }

        var sum: UInt64 {
            let mixed = (state ^ state >> 32) &* 0xD6E8_FEB8_6659_FD93
            return mixed ^ mixed >> 32
        }
    }
}
