// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

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
/// lld exports nothing that the version script keeps local, unlike gold. The C++ library that the Swift runtime needs is
/// linked in statically, from the place where install/build has put it: no other part of the server uses that library
/// (1,150 KiB resident, 80 KiB written to).
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
                "-Xlinker", "--gc-sections", "-use-ld=lld",
                "-L\(Context.packageDirectory)/.build/static",
            ] + (isX86 ? ["-Xlinker", "-z", "-Xlinker", "shstk"] : []))
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

// MARK: - Short forms

/// The targets with these names, which blanks separate.
func names(_ words: String) -> [Target.Dependency] {
    words.split(separator: " ").map { .byName(name: String($0)) }
}

/// A target in Swift.
func swift(
    _ name: String, _ dependencies: String = "", _ settings: [SwiftSetting] = strict, path: String? = nil,
    exclude: [String] = [], product: [Target.Dependency] = [], resources: [Resource]? = nil,
    linking: [LinkerSetting]? = nil
) -> Target {
    .target(
        name: name, dependencies: names(dependencies) + product, path: path, exclude: exclude, resources: resources,
        swiftSettings: settings, linkerSettings: linking)
}

/// A target in C that a sound server loads.
func c(_ name: String, _ dependencies: String = "", exclude: [String] = []) -> Target {
    .target(name: name, dependencies: names(dependencies), exclude: exclude, cSettings: hardened)
}

/// A target for tests alone, in C or Swift.
func forTests(
    _ name: String, _ dependencies: String = "", path: String? = nil, exclude: [String] = [],
    _ settings: [SwiftSetting]? = nil, c: [CSetting]? = nil
) -> Target {
    .target(
        name: name, dependencies: names(dependencies), path: path ?? "Tests/\(name)", exclude: exclude, cSettings: c,
        swiftSettings: settings)
}

/// A program for tests, in C or Swift.
func program(
    _ name: String, _ dependencies: String, path: String, exclude: [String] = [],
    _ settings: [SwiftSetting]? = nil, library: String? = nil
) -> Target {
    .executableTarget(
        name: name, dependencies: names(dependencies), path: "Tests/\(path)", exclude: exclude, swiftSettings: settings,
        linkerSettings: library.map { [.linkedLibrary($0)] })
}

/// A library of the system, by its name for pkg-config.
func system(_ name: String, _ library: String) -> Target {
    .systemLibrary(name: name, pkgConfig: library, providers: [.apt(["\(library)-dev"])])
}

/// The tests of a target, in the folder of its name.
func tests(of target: String, _ dependencies: String, exclude: [String] = []) -> Target {
    .testTarget(
        name: target + "Tests", dependencies: names(dependencies), path: "Tests/\(target)", exclude: exclude,
        swiftSettings: strict)
}

// MARK: - The product

/// Decides who is heard: pure Swift without C or Foundation. Policy files are read at load and reload.
let engine: [Target] = [
    swift("Terms"),
    swift("PolicyEngine", "Terms"),
    swift(
        "PolicyFile", "PolicyEngine",
        resources: [.embedInCode("Presets/desktop.conf"), .embedInCode("Presets/phone.conf")]),
    swift("PolicyRuntime", "PolicyEngine PolicyFile"),
]

/// The bus: its interface definitions, the connection over sd-bus, the desktop's services, and `org.AudioSession1` on
/// top of the engine.
let bus: [Target] = [
    swift("BusInterface", "Terms"),
    system("CSystemdBus", "libsystemd"),
    swift("DBus", "BusInterface CSystemdBus"),
    swift("DesktopServices", "PolicyRuntime DBus BusInterface"),
    swift("BusService", "PolicyEngine PolicyRuntime BusInterface DBus DesktopServices"),
]

/// What the hosts of both sound servers share: code, and the gain that glides; what takes the place of the Swift
/// runtime's crash handler, and the release of functions and constants that only the start needs.
let host: [Target] = [
    swift("HostSupport", "PolicyEngine PolicyRuntime BusService DBus DesktopServices PolicyFile"),
    c("CGlide"),
    c("CRuntimeTrim", exclude: ["constants.ld"]),
]
let hostDependencies = "PolicyEngine PolicyRuntime BusService DBus DesktopServices HostSupport PolicyFile"

/// A daemon's module.
func module(_ name: String, _ dependencies: String) -> Target {
    swift(
        name, dependencies + " CRuntimeTrim", exclude: ["exports.map"],
        linking: moduleLinkage(exports: "\(name)/exports.map"))
}

/// The modules. Functions of PulseAudio's libraries stay undefined: the daemon has loaded those libraries.
let modules: [Target] = [
    system("CLibPipeWire", "libpipewire-0.3"),
    c("CPipeWire", "CLibPipeWire CGlide"),
    swift("PipeWireHost", hostDependencies + " CPipeWire CRuntimeTrim"),
    module("PipeWireModule", "PipeWireHost CPipeWire"),
    system("CLibPulse", "libpulse"),
    c("CPulseCore", "CLibPulse CGlide"),
    swift("PulseAudioHost", hostDependencies + " CPulseCore CRuntimeTrim"),
    module("PulseAudioModule", "PulseAudioHost CPulseCore"),
]

/// The library for applications in Swift, without Foundation; and the command line, which contains the Swift runtime, so
/// that it runs without an installed Swift.
let clients: [Target] = [
    swift("AudioSession", "DBus BusInterface Terms"),
    swift(
        "Commands",
        "PolicyEngine PolicyRuntime PolicyFile BusInterface DBus",
        product: [.product(name: "ArgumentParser", package: argumentParserName)]),
    .executableTarget(
        name: "audio-session", dependencies: ["Commands"], swiftSettings: strict, linkerSettings: commandLinkage),
]

// MARK: - Tests

/// Private servers, real clients and captures: for tests, benchmarks and the demonstration. Optimised in debug builds
/// as well, because it filters minutes of sound.
let kit: [Target] = [
    forTests(
        "TestKit", "PolicyEngine PolicyRuntime capture-sound", path: "Tests/Kit",
        strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    program("session-demo", "TestKit", path: "Demo", strict),
]

/// Clients, cards and libraries that tests run beside the servers.
let programs: [Target] = [
    // A small player and recorder, as examples of the library for Swift.
    program("audio-session-player", "AudioSession CLibPulse", path: "Examples/Player", strict, library: "pulse-simple"),
    program(
        "audio-session-recorder", "AudioSession CLibPulse", path: "Examples/Recorder", strict, library: "pulse-simple"),
    program("odd-client", "CLibPipeWire", path: "OddClient", library: "m"),
    program("capture-sound", "CLibPipeWire", path: "CaptureSound"),
    program("cycle-watch", "CLibPipeWire", path: "CycleWatch"),
    program("odd-pulse-client", "CLibPulse", path: "OddPulseClient", library: "m"),
    program("stream-churn", "CLibPulse", path: "StreamChurn"),
    // An application that has sessions with the library for Swift.
    program("session-application", "AudioSession", path: "SessionApplication", strict),
    // A private server for commands in other languages.
    program(
        "private-desktop", "TestKit", path: "PrivateDesktop",
        exclude: ["desktop.py", "listening.py", "valgrind.supp"], strict),
    // A simulated sound card.
    program("fixture-card", "CLibPipeWire", path: "FixtureCard", exclude: ["EVENTS.md"], library: "m"),
    // Unloads a module from a PipeWire daemon.
    forTests("ModuleUnloader", "CLibPipeWire"),
    // A file system that does not answer. Without sanitizers, because it is loaded into programs that have none.
    forTests("SlowFiles", c: [.unsafeFlags(["-fno-sanitize=all"])]),
    // Counts a server's blocks of memory by who has asked for them. Without sanitizers, as above.
    forTests("LiveBlocks", c: [.unsafeFlags(["-fno-sanitize=all"])]),
    // Writes the files that follow from others.
    program("derived", "BusInterface", path: "Derived", strict),
    // Parses a file with PipeWire's own parser.
    forTests("SpaEvents", "CLibPipeWire"),
    // A sound server on paper, and the service on a real bus, with that server.
    forTests("PaperServer", "PolicyRuntime PolicyEngine PolicyFile", strict),
    forTests(
        "ServiceFixture", "BusService PolicyRuntime PolicyEngine PolicyFile DBus DesktopServices TestKit PaperServer",
        strict),
    // Replaces malloc in a program, and counts allocations.
    forTests("AllocationCount"),
]

/// Random sequences, and what always holds, to check the engine; the exploration of all states of a few sessions; and
/// benchmarks, with what they find in recordings, and how they judge, print and draw it.
let judges: [Target] = [
    forTests("RandomEvents", "PolicyEngine PolicyFile", strict),
    forTests("EngineProperties", "PolicyEngine RandomEvents", strict),
    forTests("StateExploration", "PolicyEngine RandomEvents EngineProperties", strict),
    forTests("RandomPolicies", "PolicyFile PolicyEngine RandomEvents", strict),
    program(
        "judge",
        "PolicyEngine RandomEvents EngineProperties StateExploration RandomPolicies Commands", path: "Judge", strict),
    program(
        "session-bench",
        "AudioSession PolicyEngine PolicyRuntime PolicyFile TestKit AllocationCount BenchReport PaperServer RandomEvents",
        path: "Bench", exclude: ["README.md", "calls.c", "footprint.txt", "Report"], strict),
    forTests("BenchReport", "TestKit", path: "Tests/Bench/Report", strict),
]

let testTargets: [Target] = [
    tests(
        of: "PolicyEngine",
        "PolicyEngine PolicyFile RandomEvents EngineProperties StateExploration", exclude: ["Pairs"]),
    tests(of: "PolicyFile", "PolicyFile PolicyEngine RandomEvents RandomPolicies SpaEvents"),
    tests(of: "PolicyRuntime", "PolicyEngine PolicyRuntime PolicyFile BusInterface CGlide PaperServer RandomEvents"),
    tests(of: "DBus", "DBus BusInterface TestKit RandomEvents"),
    tests(of: "DesktopServices", "DesktopServices PolicyRuntime PolicyEngine DBus BusInterface TestKit"),
    tests(
        of: "BusService",
        "BusService HostSupport PolicyRuntime PolicyEngine PolicyFile BusInterface DBus DesktopServices TestKit "
            + "ServiceFixture"),
    tests(
        of: "AudioSession",
        "AudioSession BusInterface BusService PolicyRuntime PolicyEngine DBus TestKit ServiceFixture"),
    tests(
        of: "HostSupport", "HostSupport BusService PolicyRuntime PolicyEngine DesktopServices DBus PolicyFile TestKit"),
    // Without the command itself, whose linker flags do not suit tests; a build of the tests still builds the command.
    tests(of: "Commands", "Commands PolicyFile BusInterface DBus TestKit RandomEvents derived", exclude: ["Snapshots"]),
    tests(of: "TestKit", "TestKit fixture-card"),
    tests(of: "BenchReport", "BenchReport TestKit"),
    // What install/build has made, and everything else that needs neither a desktop nor the targets themselves.
    tests(of: "Package", "TestKit"),
    // In real servers, which load the built modules.
    tests(
        of: "Live",
        "PolicyRuntime Commands PolicyEngine PolicyFile TestKit cycle-watch odd-client odd-pulse-client stream-churn fixture-card audio-session-player audio-session-recorder session-application"
    ),
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
    targets: engine + bus + host + modules + clients + kit + programs + judges + testTargets
)
