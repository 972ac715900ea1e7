import TestKit
import Testing

@testable import DesktopServices

extension Services {
    @Suite struct SleepTests {
        /// What a watch told, and the word that no stream is heard any more, with the time that cards go on for.
        private final class Story {
            var told: [String] = []
            var done: ((Duration) -> Void)?
        }

        private func watch(_ buses: Buses) -> (SleepWatch, Story) {
            let story = Story()
            let watch = SleepWatch(system: buses.system, loop: buses.loop) { done in
                story.told.append("sleep")
                story.done = done
            } didWake: {
                story.told.append("wake")
            }
            return (watch, story)
        }

        /// A machine that is about to sleep, and a watch that was told of it and holds the lock.
        private func aboutToSleep(_ buses: Buses) async throws -> (ChildProcess, SleepWatch, Story) {
            let logind = try await buses.mocks.startLogind(delay: .seconds(30))
            let (watch, story) = watch(buses)
            try await buses.turn(until: "the lock") { watch.holdsLock }
            try await buses.mocks.sleep()
            try await buses.turn(until: "the sleep") { story.told == ["sleep"] }
            return (logind, watch, story)
        }

        private func locks(_ buses: Buses) async throws -> Int {
            try await buses.mocks.sleepInhibitors.split(separator: "Audio sessions").count - 1
        }

        @Test("N16 the machine sleeps when everything is silent, every time, and the lock is held once")
        func sleepAndWake() async throws {
            try await Buses.run { buses in
                let logind = try await buses.mocks.startLogind(delay: .seconds(30))
                let (watch, story) = watch(buses)
                for round in 1...4 {
                    try await buses.turn(until: "the lock") { try await locks(buses) == 1 && watch.holdsLock }
                    try await buses.mocks.sleep()
                    try await buses.turn(until: "the sleep") { story.told.count == 2 * round - 1 }
                    try await buses.settle(buses.system, with: "org.freedesktop.login1")
                    #expect(try await !buses.mocks.isAsleep)
                    story.done?(.zero)
                    #expect(!watch.holdsLock)
                    try await buses.turn(until: "the machine to sleep") { try await buses.mocks.isAsleep }
                    #expect(try await locks(buses) == 0)
                    // Said twice, and late: no matter.
                    story.done?(.zero)
                    try await buses.mocks.wake()
                    try await buses.turn(until: "the wake") { story.told.count == 2 * round }
                    story.done?(.zero)
                }
                #expect(story.told == ["sleep", "wake", "sleep", "wake", "sleep", "wake", "sleep", "wake"])
                try await buses.turn(until: "the lock") { watch.holdsLock }
                watch.stop()
                _ = try await waitUntil("the end of the lock") { try await locks(buses) == 0 ? true : nil }
                #expect(logind.isRunning)
            }
        }

        @Test("N16 the machine sleeps when cards hold nothing but silence: not before, and not much later")
        func drains() async throws {
            try await Buses.run { buses in
                let (logind, watch, story) = try await aboutToSleep(buses)
                let clock = ContinuousClock()
                let silent = clock.now
                story.done?(.milliseconds(700))
                #expect(watch.holdsLock)
                try await buses.turn(until: "the lock to be dropped") { !watch.holdsLock }
                #expect(clock.now - silent >= .milliseconds(700))
                try await buses.turn(until: "the machine to sleep") { try await buses.mocks.isAsleep }
                try await buses.mocks.wake()
                try await buses.turn(until: "the wake") { story.told == ["sleep", "wake"] }
                #expect(logind.isRunning)
            }
        }

        @Test("N16 a sleep that was called off while cards drain does not end the next one")
        func calledOff() async throws {
            try await Buses.run { buses in
                let (logind, watch, story) = try await aboutToSleep(buses)
                story.done?(.milliseconds(200))
                try await buses.mocks.wake()
                try await buses.turn(until: "the wake") { story.told == ["sleep", "wake"] && watch.holdsLock }
                try await buses.mocks.sleep()
                try await buses.turn(until: "the sleep") { story.told == ["sleep", "wake", "sleep"] }
                let clock = ContinuousClock()
                let start = clock.now
                try await buses.turn(until: "the time of the first sleep") { clock.now - start > .milliseconds(400) }
                #expect(watch.holdsLock)
                #expect(logind.isRunning)
            }
        }

        @Test("N16 nobody holds up the sleep for longer than logind allows", arguments: [false, true])
        func tooSlow(drains: Bool) async throws {
            try await Buses.run { buses in
                let logind = try await buses.mocks.startLogind(delay: .milliseconds(300))
                let (watch, story) = watch(buses)
                try await buses.turn(until: "the lock") { watch.holdsLock }
                try await buses.settle(buses.system, with: "org.freedesktop.login1")
                try await buses.mocks.sleep()
                // Neither those who are not silent, nor cards.
                if drains {
                    try await buses.turn(until: "the sleep") { story.told == ["sleep"] }
                    story.done?(.seconds(60))
                }
                try await buses.turn(until: "the lock to be dropped") { story.told == ["sleep"] && !watch.holdsLock }
                try await buses.turn(until: "the machine to sleep") { try await buses.mocks.isAsleep }
                try await buses.mocks.wake()
                try await buses.turn(until: "the lock") { watch.holdsLock }
                #expect(story.told == ["sleep", "wake"])
                #expect(logind.isRunning)
            }
        }

        @Test("N16 logind goes while the machine is about to sleep, and one comes that already is")
        func logindGoes() async throws {
            try await Buses.run { buses in
                let (logind, watch, story) = try await aboutToSleep(buses)
                await logind.stop()
                try await buses.turn(until: "the wake") { story.told == ["sleep", "wake"] }
                #expect(!watch.holdsLock)
                let done = story.done
                let successor = try await buses.mocks.startLogind(delay: .seconds(30))
                try await buses.turn(until: "the lock") { watch.holdsLock }
                try await buses.mocks.sleep()
                try await buses.turn(until: "the sleep") { story.told.count == 3 }
                done?(.zero)
                #expect(watch.holdsLock, "a word about the last sleep was taken for this one")
                watch.stop()
                let (other, otherStory) = self.watch(buses)
                try await buses.turn(until: "the sleep that is under way") { otherStory.told == ["sleep"] }
                other.stop()
                #expect(successor.isRunning)
            }
        }
    }
}
