// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]
/// For all Swift that a sound server loads. Every function gets its own section, so that the used functions can be
/// placed together. Public functions are not kept for programs other than the one that links them, so that unused ones
/// can be removed.
let loaded: [SwiftSetting] =
    strict + [
        .unsafeFlags(
            ["-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link"], .when(configuration: .release))
    ]
/// As `loaded`, but optimised for size: for code that does not run at every event.
let small: [SwiftSetting] = loaded + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// Whether another package depends on this one. SwiftPM then refuses products with `unsafeFlags`, and keeps this package
/// among its own checkouts.
let isDependency = ["/checkouts/", "/registry/downloads/"].contains { Context.packageDirectory.contains($0) }
/// As `small`, for what the client library contains too.
let shared: [SwiftSetting] = isDependency ? strict : small

/// The package of the command line's arguments, which is not in distributions. Who builds without a network names the
/// folder of a copy in the environment.
let argumentParser: Package.Dependency
let argumentParserName: String
if let copy = Context.environment["AUDIO_SESSION_ARGUMENT_PARSER"] {
    argumentParser = .package(path: copy)
    argumentParserName = String(copy.split(separator: "/").last ?? "")
} else {
    // The version is exact, so that a build of these sources is the same in a year.
    argumentParser = .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
    argumentParserName = "swift-argument-parser"
}

#if arch(x86_64)
    let isX86 = true
#else
    let isX86 = false
#endif

/// For all C that a sound server loads. The server aborts instead of writing beyond an object whose size the compiler
/// knows, or returning to an overwritten address. On x86-64, the valid targets of calls and returns are marked for
/// processors that check them (CET).
let hardened: [CSetting] = [
    .unsafeFlags(["-fstack-protector-strong", "-fstack-clash-protection"] + (isX86 ? ["-fcf-protection=full"] : [])),
    // This setting needs an optimising compiler.
    .unsafeFlags(["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3"], .when(configuration: .release)),
]

/// Linker flags of a module that a sound server loads. The Swift runtime is inside; only the entry point is exported;
/// the module is never unmapped (the runtime cannot be unloaded). All functions of other libraries are resolved at
/// load: a missing one is then reported at once, not when it is called, and the table of addresses can be read-only.
/// Constants that contain addresses are read-only too (`constants.ld`). On x86-64 the module declares that it supports a
/// shadow stack; otherwise a daemon that uses one could not load it. It does not declare marked jump targets (IBT),
/// because Swift's compiler marks none.
///
/// Some flags reduce the memory in the server, as `Tests/bin/bench footprint` shows:
/// - lld, which unlike gold exports nothing that the version script keeps local.
/// - Identical functions are merged; all of them, because Swift does not mark those whose address matters, and compares
///   none.
/// - Packed relocations, of which there are 16,000, all read at load (glibc 2.36 or later).
/// - Calls into unneeded parts of the runtimes are redirected (CRuntimeTrim), so that these parts are removed.
/// - The C++ library that the Swift runtime needs is linked in statically, from the place where install/build has put
///   it; the whole library is 1 MB that no other part of the server uses.
/// - install/build also makes a copy of the Swift library from which the linker removes unused code, another MB. The
///   environment names this copy, because only a file named here takes precedence over the toolchain's own.
///
/// - Parameter exports: The file in Sources that names the exported symbols.
func moduleLinkage(exports: String) -> [LinkerSetting] {
    [
        .unsafeFlags(
            [
                "-static-stdlib",
                // Debuggers find the symbols of a package by it; Swift 6.0 does not ask for one.
                "-Xlinker", "--build-id=sha1",
                "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/\(exports)",
                "-Xlinker", "-z", "-Xlinker", "nodelete",
                "-Xlinker", "-z", "-Xlinker", "now",
                "-Xlinker", "\(Context.packageDirectory)/Sources/CRuntimeTrim/constants.ld",
                "-Xlinker", "--gc-sections",
                "-use-ld=lld", "-Xlinker", "--icf=all",
                "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/Sources/CRuntimeTrim/order.txt",
                "-Xlinker", "--no-warn-symbol-ordering",
                "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
                "-Xlinker", "--wrap=_swift_stdlib_getScalarName",
                "-Xlinker", "--wrap=__cxa_demangle",
                "-L\(Context.packageDirectory)/.build/static",
            ] + (isX86 ? ["-Xlinker", "-z", "-Xlinker", "shstk"] : [])
                + (Context.environment["AUDIO_SESSION_SWIFT_LIBRARY"].map { [$0] } ?? []))
    ]
}

/// Linker flags of the command line: the Swift runtime inside, with those parts of Foundation's essentials that they
/// need. Uses lld, for which the order of archives that need each other does not matter. Hardened like the modules.
let commandLinkage: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-stdlib", "-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "now",
            "-Xlinker", "--build-id=sha1",
            "-l_FoundationCollections", "-l_FoundationCShims", "-lswiftSynchronization",
        ] + (isX86 ? ["-Xlinker", "-z", "-Xlinker", "shstk"] : []))
]

// MARK: - The product

/// Decides who is heard: pure Swift without C or Foundation. Policy files are read at load and reload.
let engine: [Target] = [
    .target(name: "PolicyEngine", swiftSettings: loaded),
    .target(
        name: "PolicyFile", dependencies: ["PolicyEngine"],
        resources: [.embedInCode("Presets/desktop.conf"), .embedInCode("Presets/phone.conf")], swiftSettings: small),
    .target(name: "PolicyRuntime", dependencies: ["PolicyEngine", "PolicyFile"], swiftSettings: loaded),
]

/// The bus: its interface definitions, the connection over sd-bus, the desktop's services, and `org.AudioSession1` on
/// top of the engine.
let bus: [Target] = [
    .target(name: "BusInterface", swiftSettings: shared),
    .systemLibrary(name: "CSystemdBus", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .target(name: "DBus", dependencies: ["BusInterface", "CSystemdBus"], swiftSettings: shared),
    .target(
        name: "DesktopServices", dependencies: ["PolicyRuntime", "DBus", "BusInterface"], swiftSettings: small),
    .target(
        name: "BusService",
        dependencies: ["PolicyEngine", "PolicyRuntime", "BusInterface", "DBus", "DesktopServices"],
        swiftSettings: small),
]

/// The code that the hosts of both sound servers share.
let host: [Target] = [
    .target(
        name: "HostSupport",
        dependencies: [
            "PolicyEngine", "PolicyRuntime", "BusService", "DBus", "DesktopServices", "PolicyFile",
        ],
        swiftSettings: small)
]
let hostDependencies: [Target.Dependency] = [
    "PolicyEngine", "PolicyRuntime", "BusService", "DBus", "DesktopServices", "HostSupport", "PolicyFile",
]

/// For both modules: the gain that glides.
let glide: [Target] = [.target(name: "CGlide", cSettings: hardened)]

/// The PipeWire daemon's module.
let pipeWire: [Target] = [
    .systemLibrary(name: "CLibPipeWire", pkgConfig: "libpipewire-0.3", providers: [.apt(["libpipewire-0.3-dev"])]),
    .target(name: "CPipeWire", dependencies: ["CLibPipeWire", "CGlide"], cSettings: hardened),
    .target(
        name: "PipeWireHost", dependencies: hostDependencies + ["CPipeWire", "CRuntimeTrim"], swiftSettings: small),
    .target(
        name: "PipeWireModule", dependencies: ["PipeWireHost", "CPipeWire", "CRuntimeTrim"], exclude: ["exports.map"],
        swiftSettings: strict, linkerSettings: moduleLinkage(exports: "PipeWireModule/exports.map")),
]

/// The PulseAudio daemon's module. Functions of the daemon's libraries stay undefined: the daemon has loaded those
/// libraries.
let pulseAudio: [Target] = [
    .systemLibrary(name: "CLibPulse", pkgConfig: "libpulse", providers: [.apt(["libpulse-dev"])]),
    .target(name: "CPulseCore", dependencies: ["CLibPulse", "CGlide"], cSettings: hardened),
    .target(
        name: "PulseAudioHost", dependencies: hostDependencies + ["CPulseCore", "CRuntimeTrim"], swiftSettings: small),
    .target(
        name: "PulseAudioModule", dependencies: ["PulseAudioHost", "CPulseCore", "CRuntimeTrim"],
        exclude: ["exports.map"], swiftSettings: strict,
        linkerSettings: moduleLinkage(exports: "PulseAudioModule/exports.map")),
]

/// For both modules: replacements for omitted parts of the runtimes, the order of the functions, and the release of those that
/// only the start needs.
let trim: [Target] = [.target(name: "CRuntimeTrim", exclude: ["constants.ld", "order.txt"], cSettings: hardened)]

/// The library for applications in Swift, without Foundation.
let library: [Target] = [
    .target(name: "AudioSession", dependencies: ["DBus", "BusInterface"], swiftSettings: strict)
]

/// The command line. It contains the Swift runtime, so that it runs without an installed Swift.
let commandLine: [Target] = [
    .target(
        name: "Commands",
        dependencies: [
            "PolicyEngine", "PolicyRuntime", "PolicyFile", "BusInterface", "DBus",
            .product(name: "ArgumentParser", package: argumentParserName),
        ],
        swiftSettings: strict),
    .executableTarget(
        name: "audio-session", dependencies: ["Commands"], swiftSettings: strict, linkerSettings: commandLinkage),
]

/// Private servers, real clients and captures: for tests, benchmarks and the demonstration. Optimised in debug builds
/// as well, because it filters minutes of sound.
let kit: [Target] = [
    .target(
        name: "TestKit", dependencies: ["PolicyEngine", "PolicyRuntime", "capture-sound"], path: "Tests/Kit",
        swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .executableTarget(
        name: "session-demo", dependencies: ["TestKit"], path: "Tests/Demo", swiftSettings: strict),
]

// MARK: - Tests

/// A small player and recorder, as examples of the library for Swift.
let examples: [Target] = ["Player", "Recorder"].map {
    .executableTarget(
        name: "audio-session-\($0.lowercased())", dependencies: ["AudioSession", "CLibPulse"],
        path: "Tests/Examples/\($0)", swiftSettings: strict, linkerSettings: [.linkedLibrary("pulse-simple")])
}

/// Clients, cards and libraries that tests run beside the servers.
let programs: [Target] = [
    .executableTarget(
        name: "odd-client", dependencies: ["CLibPipeWire"], path: "Tests/OddClient",
        linkerSettings: [.linkedLibrary("m")]),
    .executableTarget(name: "capture-sound", dependencies: ["CLibPipeWire"], path: "Tests/CaptureSound"),
    .executableTarget(name: "cycle-watch", dependencies: ["CLibPipeWire"], path: "Tests/CycleWatch"),
    .executableTarget(
        name: "odd-pulse-client", dependencies: ["CLibPulse"], path: "Tests/OddPulseClient",
        linkerSettings: [.linkedLibrary("m")]),
    .executableTarget(name: "stream-churn", dependencies: ["CLibPulse"], path: "Tests/StreamChurn"),
    // An application that has sessions with the library for Swift.
    .executableTarget(
        name: "session-application", dependencies: ["AudioSession"], path: "Tests/SessionApplication",
        swiftSettings: strict),
    // A private server for commands in other languages.
    .executableTarget(
        name: "private-desktop", dependencies: ["TestKit"], path: "Tests/PrivateDesktop",
        exclude: ["desktop.py", "listening.py", "valgrind.supp"], swiftSettings: strict),
    // A simulated sound card.
    .executableTarget(
        name: "fixture-card", dependencies: ["CLibPipeWire"], path: "Tests/FixtureCard", exclude: ["EVENTS.md"],
        linkerSettings: [.linkedLibrary("m")]),
    // Unloads a module from a PipeWire daemon.
    .target(name: "ModuleUnloader", dependencies: ["CLibPipeWire"], path: "Tests/ModuleUnloader"),
    // A file system that does not answer. Without sanitizers, because it is loaded into programs that have none.
    .target(name: "SlowFiles", path: "Tests/SlowFiles", cSettings: [.unsafeFlags(["-fno-sanitize=all"])]),
    // Counts a server's blocks of memory by who has asked for them. Without sanitizers, as above.
    .target(name: "LiveBlocks", path: "Tests/LiveBlocks", cSettings: [.unsafeFlags(["-fno-sanitize=all"])]),
    // Parses a file with PipeWire's own parser.
    .target(name: "SpaEvents", dependencies: ["CLibPipeWire"], path: "Tests/SpaEvents"),
    // A sound server on paper.
    .target(
        name: "PaperServer", dependencies: ["PolicyRuntime", "PolicyEngine", "PolicyFile"], path: "Tests/PaperServer",
        swiftSettings: strict),
    // The service on a real bus, with that server.
    .target(
        name: "ServiceFixture",
        dependencies: [
            "BusService", "PolicyRuntime", "PolicyEngine", "PolicyFile", "DBus", "DesktopServices",
            "TestKit", "PaperServer",
        ],
        path: "Tests/ServiceFixture", swiftSettings: strict),
    // Replaces malloc in a program, and counts allocations.
    .target(name: "AllocationCount", path: "Tests/AllocationCount"),
]

/// Random sequences, and what always holds, to check the engine; the exploration of all states of a few sessions; and
/// benchmarks.
let judges: [Target] = [
    .target(
        name: "RandomEvents", dependencies: ["PolicyEngine", "PolicyFile"], path: "Tests/RandomEvents",
        swiftSettings: strict),
    .target(
        name: "EngineProperties", dependencies: ["PolicyEngine", "RandomEvents"], path: "Tests/EngineProperties",
        swiftSettings: strict),
    .target(
        name: "StateExploration",
        dependencies: ["PolicyEngine", "RandomEvents", "EngineProperties"],
        path: "Tests/StateExploration",
        swiftSettings: strict),
    .target(
        name: "RandomPolicies", dependencies: ["PolicyFile", "PolicyEngine", "RandomEvents"],
        path: "Tests/RandomPolicies", swiftSettings: strict),
    .executableTarget(
        name: "judge",
        dependencies: [
            "PolicyEngine", "RandomEvents", "EngineProperties", "StateExploration", "RandomPolicies", "Commands",
        ],
        path: "Tests/Judge",
        swiftSettings: strict),
    .executableTarget(
        name: "session-bench",
        dependencies: [
            "AudioSession", "PolicyEngine", "PolicyRuntime", "PolicyFile", "TestKit", "AllocationCount",
            "BenchReport", "PaperServer", "RandomEvents",
        ],
        path: "Tests/Bench", exclude: ["README.md", "calls.c", "footprint.txt", "Report"], swiftSettings: strict),
    // What benchmarks find in recordings, and how they judge, print and draw it.
    .target(name: "BenchReport", dependencies: ["TestKit"], path: "Tests/Bench/Report", swiftSettings: strict),
]

/// The tests of a target, in the folder of its name.
func tests(of target: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: target + "Tests", dependencies: dependencies, path: "Tests/\(target)", exclude: exclude,
        swiftSettings: strict)
}

let tests: [Target] = [
    tests(
        of: "PolicyEngine",
        [
            "PolicyEngine", "PolicyFile", "RandomEvents", "EngineProperties", "StateExploration",
        ],
        exclude: ["Pairs"]),
    tests(of: "PolicyFile", ["PolicyFile", "PolicyEngine", "RandomEvents", "RandomPolicies", "SpaEvents"]),
    tests(
        of: "PolicyRuntime",
        ["PolicyEngine", "PolicyRuntime", "PolicyFile", "BusInterface", "CGlide", "PaperServer", "RandomEvents"]),
    tests(of: "DBus", ["DBus", "BusInterface", "TestKit", "RandomEvents"]),
    tests(
        of: "DesktopServices",
        ["DesktopServices", "PolicyRuntime", "PolicyEngine", "DBus", "BusInterface", "TestKit"]),
    tests(
        of: "BusService",
        [
            "BusService", "HostSupport", "PolicyRuntime", "PolicyEngine", "PolicyFile", "BusInterface", "DBus",
            "DesktopServices", "TestKit", "ServiceFixture",
        ]),
    tests(
        of: "AudioSession",
        [
            "AudioSession", "BusService", "PolicyRuntime", "PolicyEngine", "DBus", "TestKit",
            "ServiceFixture",
        ]),
    tests(
        of: "HostSupport",
        [
            "HostSupport", "BusService", "PolicyRuntime", "PolicyEngine", "DesktopServices", "DBus",
            "PolicyFile", "TestKit",
        ]),
    // Without the command itself, whose linker flags do not suit tests; a build of the tests still builds the command.
    tests(
        of: "Commands", ["Commands", "PolicyFile", "BusInterface", "DBus", "TestKit", "RandomEvents"],
        exclude: ["Snapshots"]),
    tests(of: "TestKit", ["TestKit", "fixture-card"]),
    tests(of: "BenchReport", ["BenchReport", "TestKit"]),
    // What install/build has made, and everything else that needs neither a desktop nor the targets themselves.
    tests(of: "Package", ["TestKit"]),
    // In real servers, which load the built modules.
    tests(
        of: "Live",
        [
            "PolicyRuntime", "Commands", "PolicyEngine", "PolicyFile", "TestKit",
            "cycle-watch", "odd-client", "odd-pulse-client", "stream-churn", "fixture-card", "audio-session-player",
            "audio-session-recorder", "session-application",
        ]),
]

let package = Package(
    name: "audio-session",
    products: [
        .library(name: "pipewire-module-audio-session", type: .dynamic, targets: ["PipeWireModule"]),
        .library(name: "module-audio-session", type: .dynamic, targets: ["PulseAudioModule"]),
        .executable(name: "audio-session", targets: ["audio-session"]),
        .library(name: "AudioSession", targets: ["AudioSession"]),
        // For tests.
        .library(name: "pipewire-module-test-unloader", type: .dynamic, targets: ["ModuleUnloader"]),
        .library(name: "slow-files", type: .dynamic, targets: ["SlowFiles"]),
        .library(name: "live-blocks", type: .dynamic, targets: ["LiveBlocks"]),
    ],
    // Only for the command line; code that a sound server loads depends on no package.
    dependencies: [argumentParser],
    targets: engine + bus + host + glide + pipeWire + pulseAudio + trim + library + commandLine + kit + examples
        + programs + judges + tests
)
