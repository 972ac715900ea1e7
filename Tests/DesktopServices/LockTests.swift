import TestKit
import Testing

@testable import DesktopServices

extension Services {
    @Suite struct LockTests {
        /// A watch on the lock and what it told.
        private func watch(_ buses: Buses) -> (ScreenLock, Record<Bool>) {
            let told = Record<Bool>()
            let lock = ScreenLock(
                system: buses.system, session: buses.session, loop: buses.loop,
                of: LockedHint.User(session: nil, user: LockedHint.User.own.user)
            ) { told.add($0) }
            return (lock, told)
        }

        @Test("N16 logind says it, whether it finds the session or only the user does", arguments: [true, false])
        func lockAndUnlock(isAutomatic: Bool) async throws {
            try await Buses.run { buses in
                let logind = try await buses.mocks.startLogind(isAutomatic: isAutomatic)
                let (lock, told) = watch(buses)
                try await buses.settle(buses.system, with: "org.freedesktop.login1")
                #expect(told.values == [])
                for isLocked in [true, false, true] {
                    if isLocked { try await buses.mocks.lock() } else { try await buses.mocks.unlock() }
                    try await buses.turn(until: "the lock to be \(isLocked)") { told.last == isLocked }
                }
                #expect(told.values == [true, false, true])
                lock.stop()
                try await buses.mocks.unlock()
                try await buses.settle(buses.system, with: "org.freedesktop.login1")
                #expect(told.values == [true, false, true])
                #expect(logind.isRunning)
            }
        }

        @Test("N16 a screen that is locked at first counts, and logind's word above a screen saver's")
        func lockedAtFirst() async throws {
            try await Buses.run { buses in
                let services = [
                    try await buses.mocks.startLogind(), try await buses.mocks.startScreenSaver(isActive: false),
                ]
                try await buses.mocks.lock()
                let (lock, told) = watch(buses)
                try await buses.turn(until: "the lock") { told.last == true }
                try await buses.mocks.unlock()
                try await buses.mocks.setScreenSaver(isActive: true)
                try await buses.turn(until: "the unlock") { told.last == false }
                try await buses.settle(buses.session, with: "org.freedesktop.ScreenSaver")
                #expect(told.values == [true, false])
                #expect(!lock.isLocked && services.allSatisfy(\.isRunning))
            }
        }

        @Test("N16 logind starts anew while the screen is locked: no sound in between")
        func logindRestarts() async throws {
            try await Buses.run { buses in
                let logind = try await buses.mocks.startLogind()
                let (lock, told) = watch(buses)
                try await buses.mocks.lock()
                try await buses.turn(until: "the lock") { lock.isLocked }
                await logind.stop()
                try await buses.settle(buses.system)
                #expect(told.values == [true])
                let successor = try await buses.mocks.startLogind()
                try await buses.turn(until: "the unlock") { !lock.isLocked }
                try await buses.mocks.lock()
                try await buses.turn(until: "the lock") { lock.isLocked }
                #expect(told.values == [true, false, true])
                // And when it does not come back, the screen counts as unlocked in the end.
                await successor.stop()
                try await buses.turn(until: "the end of its word") { !lock.isLocked }
            }
        }

        @Test("N16 without a session the screen saver is asked, until somebody logs in")
        func screenSaver() async throws {
            try await Buses.run { buses in
                let logind = try await buses.mocks.startLogind(hasSession: false)
                let saver = try await buses.mocks.startScreenSaver(isActive: true)
                let (lock, told) = watch(buses)
                try await buses.turn(until: "the active screen saver") { lock.isLocked }
                try await buses.mocks.setScreenSaver(isActive: false)
                try await buses.turn(until: "the inactive screen saver") { !lock.isLocked }
                try await buses.mocks.setScreenSaver(isActive: true)
                try await buses.turn(until: "the active screen saver") { lock.isLocked }
                try await buses.mocks.beginSession("c2")
                try await buses.turn(until: "the session") { !lock.isLocked }
                try await buses.mocks.lock(session: "c2")
                try await buses.turn(until: "the lock") { lock.isLocked }
                try await buses.mocks.endSession("c2")
                await saver.stop()
                try await buses.turn(until: "nobody to say so") { !lock.isLocked }
                #expect(told.values == [true, false, true, false, true, false])
                #expect(logind.isRunning)
            }
        }

        @Test("N16 the system bus comes late, goes and comes back")
        func systemBus() async throws {
            let sandbox = try Sandbox()
            let mocks = DesktopMocks(sandbox)
            do {
                let sessionBus = try await sandbox.startBus()
                let scene = Buses(connecting: sandbox)
                let (lock, told) = watch(scene)
                try await scene.turn(until: "the session bus") { scene.session.isConnected }
                for _ in 0..<2 {
                    let bus = try await sandbox.startSystemBus()
                    let logind = try await mocks.startLogind()
                    // The second logind's own word, which ends what the first one said.
                    try await scene.turn(until: "an unlocked screen") { !lock.isLocked }
                    try await mocks.lock()
                    try await scene.turn(until: "the lock") { lock.isLocked }
                    await logind.stop()
                    await bus.stop()
                }
                try await scene.turn(until: "the end of the lock") { !lock.isLocked }
                #expect(told.values == [true, false, true, false])
                #expect(sessionBus.isRunning)
                scene.close()
            } catch {
                await sandbox.stop()
                throw error
            }
            await sandbox.stop()
        }
    }
}
