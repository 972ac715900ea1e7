import Foundation

/// A PipeWire module for the daemon under test.
public struct ServerModule: Sendable, Hashable {
    /// The name as in `context.modules`, such as `libpipewire-module-audio-session`.
    public var name: String
    /// The folder of the shared object; nil for a module of PipeWire itself.
    public var folder: String?
    /// Its arguments as SPA-JSON, braces included; nil for none.
    public var arguments: String?
    /// `ifexists`, `nofail`; none by default, so that a module that fails to load is an error.
    public var flags: [String]
    /// Whether the module is not loaded at the daemon's start but by ``PrivateDesktop/loadModule()``, without
    /// arguments.
    public var isLate = false

    /// A module to be loaded.
    public init(_ name: String, folder: String? = nil, arguments: String? = nil, flags: [String] = []) {
        self.name = name
        self.folder = folder
        self.arguments = arguments
        self.flags = flags
    }

    /// The drop-in file that loads the module.
    var dropIn: String {
        """
        context.modules = [
            { name = \(name)
              \(arguments.map { "args = \($0)" } ?? "")
              flags = [ \(flags.joined(separator: " ")) ] }
        ]
        """
    }
}

/// The number of frames that the graph processes per cycle, at 48 kHz.
public struct Quantum: Sendable, Hashable {
    /// The quantum without a client's request.
    public var standard: Int
    /// The smallest quantum that a client can request.
    public var minimum: Int
    /// The largest quantum that a client can request.
    public var maximum: Int

    /// PipeWire's own defaults.
    public static let unchanged = Quantum(standard: 1024, minimum: 32, maximum: 2048)

    /// A quantum that no client can change, for comparable measurements.
    public static func fixed(_ frames: Int) -> Quantum {
        Quantum(standard: frames, minimum: frames, maximum: frames)
    }

    /// A range of quantums.
    public init(standard: Int, minimum: Int, maximum: Int) {
        self.standard = standard
        self.minimum = minimum
        self.maximum = maximum
    }
}

/// The parts and settings of a private desktop.
public struct DesktopOptions: Sendable, Hashable {
    /// `node.name` of the null sink.
    public var sinkName = "test-sink"
    /// Whether there is a null sink. Without it there is no sink until a ``FixtureCard`` adds some, and
    /// ``Capture/start(on:)`` has nothing to record.
    public var hasNullSink = true
    /// The null sink's priority when the session manager chooses the default sink; nil for none, which is below any
    /// card's.
    public var nullSinkPriority: Int?
    /// The volume of a route that WirePlumber sees for the first time, linear; nil for its own default, 0.064.
    public var routeVolume: Double?
    /// The graph's quantum.
    public var quantum = Quantum.unchanged
    /// Modules for the PipeWire daemon.
    public var modules: [ServerModule] = []
    /// More drop-ins of `pipewire.conf.d`, by file name.
    public var pipeWireFragments: [String: String] = [:]
    /// More drop-ins of `pipewire-pulse.conf.d`, by file name.
    public var pulseFragments: [String: String] = [:]
    /// More files, by their path under `XDG_CONFIG_HOME`.
    public var configurationFiles: [String: String] = [:]
    /// More variables for all started programs, such as `PIPEWIRE_DEBUG`.
    public var environment: [String: String] = [:]
    /// Whether everything that is started gets a processor before other programs (``Sandbox/init(environment:comesFirst:)``).
    public var comesFirst = false
    /// A program that runs the PipeWire daemon, and its arguments: `valgrind`, or `env NAME=VALUE`.
    public var daemonPrefix: [String] = []
    /// More folders that are searched for modules before PipeWire's own.
    public var moduleFolders: [String] = []
    /// Whether the servers are started with the buses, or later by ``PrivateDesktop/startServers()``.
    public var startsServers = true
    /// Which process has the cards.
    public var cardOwner = CardOwner.underTest
    /// The frames that the cards of the session manager buffer beyond a quantum, as its configuration says.
    public var cardHeadroom = 0
    /// Whether a session manager runs. Without one nothing is linked.
    public var runsWirePlumber = true
    /// Whether WirePlumber links the capture to the sink's monitor. It does not while its own role policy is active.
    public var linksCapture = true
    /// Whether pipewire-pulse runs, to serve PulseAudio clients.
    public var runsPulseServer = true

    /// Whether there is a system bus, for the services of ``DesktopMocks``. Its address is always the sandbox's own.
    public var runsSystemBus = false

    /// The usual desktop.
    public init() {}
}
