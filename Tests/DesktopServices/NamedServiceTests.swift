import DBus
import TestKit
import Testing

@testable import DesktopServices
@testable import PolicyRuntime

extension Services {
    /// Names of the desktop that anybody may take who reaches the bus.
    @Suite struct NamedServiceTests {
        private struct Everywhere: ProcessTree {
            let place: Confinement
            func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? { (1, 0) }
            func confinement(of process: UInt32) -> Confinement { place }
        }

        @Test(
            "whoever has the name counts only outside of sandboxes",
            arguments: [Confinement.unconfined, .unknown, .sandbox(AppSandbox("org.evil.Game"))])
        func counts(place: Confinement) async throws {
            try await Buses.run { buses in
                let name = "org.mobian_project.CallAudio"
                let other = BusConnection(.custom(buses.sandbox.busAddress), loop: buses.loop)
                other.open()
                defer { other.close() }
                let told = Record<String?>()
                let service = NamedService(name, on: buses.session)
                service.follow(isOutside: true, in: Everywhere(place: place)) { told.add(service.owner) }
                let known = Record<String?>()
                let all = buses.session.follow(name) { known.add($0) }
                let owned = Record<Bool>()
                other.requestName(name) { owned.add($0) }
                try await buses.turn(until: "the name") { owned.values == [true] && known.values.last != .some(nil) }
                // Whoever does not count is never told of: a question that is answered later says that this one was.
                let answered = Record<Bool>()
                buses.session.credentials(of: other.uniqueName ?? "") { _ in answered.add(true) }
                try await buses.turn(until: "the answer") { answered.values == [true] }
                #expect(told.values == (place == .unconfined ? [other.uniqueName] : []))
                service.stop()
                all.cancel()
            }
        }
    }
}
