import Foundation

/// A PipeWire module that is loaded into the daemon under test.
public struct ServerModule: Sendable, Equatable {
    /// The name as in `context.modules`, such as `libpipewire-module-audio-session`.
    public var name: String
    /// The folder that holds the shared object; nil for one that comes with PipeWire.
    public var folder: String?
    /// Its arguments as SPA-JSON, braces included; nil for none.
    public var arguments: String?
    /// `ifexists`, `nofail`; none by default, so that a module that does not load is an error.
    public var flags: [String]
    /// Whether it is not loaded when the daemon starts, but by ``PrivateDesktop/loadModule()``, without arguments.
    public var isLate = false

    /// A module to be loaded.
    public init(_ name: String, folder: String? = nil, arguments: String? = nil, flags: [String] = []) {
        self.name = name
        self.folder = folder
        self.arguments = arguments
        self.flags = flags
    }

    /// The drop-in file that loads it.
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

/// How many frames the graph processes at a time, at 48 kHz.
public struct Quantum: Sendable, Equatable {
    /// Without a client's wish.
    public var standard: Int
    /// The least a client may ask for.
    public var minimum: Int
    /// The most a client may ask for.
    public var maximum: Int

    /// PipeWire's own defaults.
    public static let unchanged = Quantum(standard: 1024, minimum: 32, maximum: 2048)

    /// A quantum that no client can change, so that figures can be compared.
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

/// What a private desktop consists of.
public struct DesktopOptions: Sendable {
    /// `node.name` of the null sink.
    public var sinkName = "test-sink"
    /// Whether there is a null sink. Without one there is no sink before a ``FixtureCard`` brings some, and there is
    /// nothing for ``Capture/start(on:)`` to record.
    public var hasNullSink = true
    /// The null sink's rank among sinks, for the session manager's choice of the default sink; nil for none, below any
    /// card's.
    public var nullSinkPriority: Int?
    /// How loud WirePlumber makes a route that it sees for the first time, linear; nil for its own default, 0.064.
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
    /// More variables for everything that is started, such as `PIPEWIRE_DEBUG`.
    public var environment: [String: String] = [:]
    /// Whether a session manager runs. Without one nothing is linked.
    public var runsWirePlumber = true
    /// Whether WirePlumber links the capture to the sink's monitor. Where its own role policy is at work, it does not.
    public var linksCapture = true
    /// Whether PulseAudio clients are served.
    public var runsPulseServer = true

    /// Whether there is a system bus, for the services of ``DesktopMocks``. Its address is always the sandbox's own.
    public var runsSystemBus = false

    /// The usual desktop.
    public init() {}
}
