import Foundation

extension Sandbox {
    /// The address of the sandbox's system bus, whether it runs or not.
    public var systemBusAddress: String { environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "" }

    /// Starts the sandbox's own system bus, on which everybody may own any name and call anybody.
    ///
    /// All children get its address, even if it does not run, so none ever reaches the machine's system bus.
    public func startSystemBus() async throws -> ChildProcess {
        try write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>system</type>
              <listen>\(systemBusAddress)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/>
                <allow own="*"/>
                <allow send_type="method_call"/>
                <allow send_type="signal"/>
                <allow send_requested_reply="true" send_type="method_return"/>
                <allow send_requested_reply="true" send_type="error"/>
                <allow receive_type="method_call"/>
                <allow receive_type="signal"/>
                <allow receive_requested_reply="true" receive_type="method_return"/>
                <allow receive_requested_reply="true" receive_type="error"/>
              </policy>
            </busconfig>
            """, to: "system-bus.conf")
        let bus = try start(
            "system-dbus-daemon",
            Invocation("dbus-daemon", ["--config-file=\(path("system-bus.conf"))", "--nofork", "--print-address"]))
        try await bus.log.wait(forLineContaining: "unix:path=")
        return bus
    }
}
