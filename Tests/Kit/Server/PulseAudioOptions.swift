/// The parts and settings of a private PulseAudio.
public struct PulseAudioOptions: Sendable, Hashable {
    /// The name of the null sink.
    public var sinkName = "test-sink"
    /// Further modules, each as a `load-module` line, loaded in this order after the sink and the protocol.
    public var modules: [String] = []
    /// Modules that are loaded before sinks and clients, as `default.pa` does with modules that restore saved settings.
    public var earlyModules: [String] = []
    /// Folders that are searched for modules before the daemon's own.
    public var moduleFolders: [String] = []
    /// More arguments for the daemon.
    public var daemonArguments: [String] = []
    /// More lines of `daemon.conf`.
    public var configuration: [String] = []
    /// What the daemon writes to its log: `error`, `warn`, `notice`, `info` or `debug`.
    public var logLevel = "notice"
    /// More files, by their path under `XDG_CONFIG_HOME`.
    public var configurationFiles: [String: String] = [:]
    /// More variables for everything that is started.
    public var environment: [String: String] = [:]
    /// Whether everything that is started gets a processor before other programs (``Sandbox/init(environment:comesFirst:)``).
    public var comesFirst = false
    /// A program that runs the daemon, and its arguments: `valgrind`, or `env NAME=VALUE`. Without `LD_BIND_NOW` the daemon
    /// executes itself again, and loses that program.
    public var daemonPrefix: [String] = []
    /// Whether the daemon is started with the buses, or later by ``PrivatePulseAudio/startServers()``.
    public var startsServers = true
    /// Whether there is a session bus.
    public var runsBus = false
    /// Whether there is a system bus, for the services of ``DesktopMocks``.
    public var runsSystemBus = false

    /// Only a daemon with a sink and clients.
    public init() {}

    /// The modules of a stock desktop that concern streams and devices, without hardware: those that save settings and
    /// those that move streams. Without `module-role-cork`, which is a policy like ours.
    public static var stock: PulseAudioOptions {
        var options = PulseAudioOptions()
        options.earlyModules = [
            "module-device-restore", "module-stream-restore", "module-card-restore", "module-augment-properties",
            "module-switch-on-port-available",
        ]
        options.modules = [
            "module-default-device-restore", "module-intended-roles", "module-suspend-on-idle",
            "module-position-event-sounds", "module-filter-heuristics", "module-filter-apply",
        ]
        options.runsBus = true
        return options
    }
}
