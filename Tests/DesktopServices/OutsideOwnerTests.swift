import DBus
import TestKit
import Testing

@testable import DesktopServices
@testable import PolicyRuntime

extension Services {
    /// Names of the desktop that anybody may take who reaches the bus.
    @Suite struct OutsideOwnerTests {
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
                let following = buses.session.followOutside(name, in: Everywhere(place: place)) { told.add($0) }
                let known = Record<String?>()
                let all = buses.session.follow(name) { known.add($0) }
                let owned = Record<Bool>()
                other.requestName(name) { owned.add($0) }
                try await buses.turn(until: "the name") { owned.values == [true] && known.values.last != .some(nil) }
                try await buses.turn(until: "the answer") { told.values.count == 2 }
                #expect(told.values == [nil, place == .unconfined ? other.uniqueName : nil])
                following.cancel()
                all.cancel()
            }
        }
    }
}
