import Foundation
import TestKit
import Testing

extension LiveTests {
    /// A desktop with a system bus of its own, which is the one that every child finds.
    @Test func theSystemBusIsPrivate() async throws {
        var options = DesktopOptions()
        options.runsSystemBus = true
        options.runsWirePlumber = false
        options.runsPulseServer = false
        try await withServer(PrivateDesktop.start(options)) { desktop in
            let mocks = DesktopMocks(desktop.sandbox)
            let logind = try await mocks.startLogind()
            func hint() async throws -> String {
                let output = try await desktop.sandbox.run(
                    Invocation(
                        "busctl",
                        [
                            "--system", "get-property", "org.freedesktop.login1",
                            "/org/freedesktop/login1/session/c1", "org.freedesktop.login1.Session", "LockedHint",
                        ]))
                return String(decoding: output, as: UTF8.self)
            }
            #expect(try await hint() == "b false\n")
            try await mocks.lock()
            #expect(try await hint() == "b true\n")
            #expect(logind.isRunning && desktop.systemBus?.isRunning == true)
        }
    }

    /// Where none runs, nothing is found, least of all the machine's.
    @Test func withoutASystemBusThereIsNone() async throws {
        let sandbox = try Sandbox()
        await #expect(throws: CommandFailure.self) {
            try await sandbox.run(Invocation("busctl", ["--system", "list"]))
        }
        await sandbox.stop()
    }
}
