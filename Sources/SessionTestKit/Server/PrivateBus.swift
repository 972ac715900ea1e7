extension Sandbox {
    /// Where the sandbox's session bus listens, whether one runs or not.
    public var busAddress: String { environment["DBUS_SESSION_BUS_ADDRESS"] ?? "" }

    /// Starts a session bus at the sandbox's address, for the first time or after the last one ended, and waits until it
    /// listens.
    public func startBus() async throws -> ChildProcess {
        // With an address of our choice; it is printed when the bus listens, which is what is waited for.
        let bus = try start(
            "dbus-daemon",
            Invocation("dbus-daemon", ["--session", "--nofork", "--print-address", "--address=\(busAddress)"]))
        try await bus.log.wait(forLineContaining: "unix:path=")
        return bus
    }
}
