extension Sandbox {
    /// The address of the sandbox's session bus, whether it runs or not.
    public var busAddress: String { environment["DBUS_SESSION_BUS_ADDRESS"] ?? "" }

    /// Starts a session bus at the sandbox's address, or restarts it after the last one ended, and waits until it
    /// listens.
    public func startBus() async throws -> ChildProcess {
        // The bus gets our address and prints it once it listens, which we wait for.
        let bus = try start(
            "dbus-daemon",
            Invocation("dbus-daemon", ["--session", "--nofork", "--print-address", "--address=\(busAddress)"]))
        try await bus.log.wait(forLineContaining: "unix:path=")
        return bus
    }
}
