import TestKit
import Testing

@testable import DesktopServices

extension Services {
    @Suite struct CallTests {
        private func watch(_ buses: Buses) -> (CallWatch, Record<CallPhase>) {
            let told = Record<CallPhase>()
            return (CallWatch(system: buses.system) { phase, _ in told.add(phase) }, told)
        }

        @Test("R36 N8 a call rings, is accepted and ends; another one is rejected")
        func acceptAndReject() async throws {
            try await Buses.run { buses in
                let service = try await buses.mocks.startModemManager()
                let (watch, told) = watch(buses)
                try await buses.settle(buses.system, with: "org.freedesktop.ModemManager1")
                let call = try await buses.mocks.ring(from: "+49301")
                try await buses.turn(until: "ringing") { watch.phase == .ringing }
                #expect(watch.number == "+49301")
                try await buses.mocks.accept(call)
                try await buses.turn(until: "the call") { watch.phase == .active }
                try await buses.mocks.setState(of: call, to: "held")
                try await buses.mocks.hangUp(call)
                try await buses.turn(until: "its end") { watch.phase == .none }
                let other = try await buses.mocks.ring(from: "")
                try await buses.turn(until: "ringing") { watch.phase == .ringing }
                try await buses.mocks.reject(other)
                try await buses.turn(until: "its end") { watch.phase == .none }
                #expect(told.values == [.ringing, .active, .none, .ringing, .none])
                #expect(watch.number == "" && service.isRunning)
            }
        }

        @Test("R36 a call that is there counts, and a second one that waits leaves no gap")
        func there() async throws {
            try await Buses.run { buses in
                let service = try await buses.mocks.startModemManager()
                let call = try await buses.mocks.dial("110")
                let (watch, told) = watch(buses)
                try await buses.turn(until: "the call") { watch.phase == .active }
                #expect(watch.number == "110")
                let waiting = try await buses.mocks.ring(from: "112")
                try await buses.mocks.setState(of: waiting, to: "waiting")
                try await buses.mocks.setState(of: call, to: "held")
                try await buses.mocks.accept(waiting)
                try await buses.mocks.hangUp(call)
                try await buses.turn(until: "the other call alone") { watch.number == "112" }
                #expect(Set(told.values) == [.active])
                try await buses.mocks.hangUp(waiting)
                try await buses.turn(until: "the end") { watch.phase == .none }
                #expect(told.values.count { $0 == .none } == 1 && service.isRunning)
            }
        }

        @Test("R30 a modem that is pulled out in a call ends it, others come, and so does the service")
        func modems() async throws {
            try await Buses.run { buses in
                let (watch, told) = watch(buses)
                try await buses.settle(buses.system)
                #expect(told.values == [])
                let service = try await buses.mocks.startModemManager()
                try await buses.mocks.accept(try await buses.mocks.ring())
                try await buses.turn(until: "the call") { watch.phase == .active }
                try await buses.mocks.removeModem()
                try await buses.turn(until: "its end") { watch.phase == .none }
                try await buses.mocks.addModem("7")
                _ = try await buses.mocks.ring(modem: "7")
                try await buses.turn(until: "ringing") { watch.phase == .ringing }
                await service.stop()
                try await buses.turn(until: "the end of the service") { watch.phase == .none }
                let successor = try await buses.mocks.startModemManager()
                _ = try await buses.mocks.dial()
                try await buses.turn(until: "another call") { watch.phase == .active }
                watch.stop()
                await successor.stop()
                try await buses.settle(buses.system)
                #expect(watch.phase == .active, "told after its end")
            }
        }
    }
}
