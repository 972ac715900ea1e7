// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

/// The package of the command line's arguments, which is not in distributions. Who builds without a network names the
/// folder of a copy in the environment.
let copy = Context.environment["AUDIO_SESSION_ARGUMENT_PARSER"]
/// The version is exact, so that a build of these sources is the same in a year.
let argumentParser: Package.Dependency =
    copy.map { .package(path: $0) } ?? .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
let argumentParserName = copy.map { String($0.split(separator: "/").last ?? "") } ?? "swift-argument-parser"

#if arch(x86_64)
    /// CET: what C marks for jumps; and what a file declares, which a daemon with a shadow stack could not load otherwise.
    let marked = ["-fcf-protection=full"], shadowStack = ["-Xlinker", "-z", "-Xlinker", "shstk"]
#else
    let marked: [String] = [], shadowStack: [String] = []
#endif

/// For all C that a sound server loads. The server aborts instead of writing beyond an object whose size the compiler
/// knows, or returning to an overwritten address.
let hardened: [CSetting] = [
    .unsafeFlags(["-fstack-protector-strong", "-fstack-clash-protection"] + marked),
    // This setting needs an optimising compiler.
    .unsafeFlags(["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3"], .when(configuration: .release)),
]

/// The Swift runtime inside; all functions of other libraries resolved at load: a missing one is then reported at once,
/// not when it is called, and the table of addresses can be read-only. Debuggers find the symbols of a package by the
/// build's number; Swift 6.0 does not ask for one.
let linkage =
    ["-static-stdlib", "-use-ld=lld"] + ["-z", "now", "--build-id=sha1"].flatMap { ["-Xlinker", $0] } + shadowStack

// MARK: - Short forms

/// The targets with these names, which blanks separate.
func names(_ words: String) -> [Target.Dependency] {
    words.split(separator: " ").map { .byName(name: String($0)) }
}

/// A target in Swift.
func swift(
    _ name: String, _ dependencies: String = "", exclude: [String] = [], product: [Target.Dependency] = [],
    resources: [Resource]? = nil, linking: [LinkerSetting]? = nil
) -> Target {
    .target(
        name: name, dependencies: names(dependencies) + product, exclude: exclude, resources: resources,
        swiftSettings: strict, linkerSettings: linking)
}

/// A target in C that a sound server loads.
func c(_ name: String, _ dependencies: String = "", exclude: [String] = []) -> Target {
    .target(name: name, dependencies: names(dependencies), exclude: exclude, cSettings: hardened)
}

/// A target for tests alone, in C or Swift.
func forTests(
    _ name: String, _ dependencies: String = "", path: String? = nil, c: [CSetting]? = nil, more: [SwiftSetting] = []
) -> Target {
    .target(
        name: name, dependencies: names(dependencies), path: path ?? "Tests/\(name)", cSettings: c,
        swiftSettings: strict + more)
}

/// A program for tests, in C or Swift.
func program(
    _ name: String, _ dependencies: String, path: String, exclude: [String] = [], library: String? = nil
) -> Target {
    .executableTarget(
        name: name, dependencies: names(dependencies), path: "Tests/\(path)", exclude: exclude, swiftSettings: strict,
        linkerSettings: library.map { [.linkedLibrary($0)] })
}

/// A library of the system, by its name for pkg-config.
func system(_ name: String, _ library: String) -> Target {
    .systemLibrary(name: name, pkgConfig: library, providers: [.apt(["\(library)-dev"])])
}

/// The tests of a target, in the folder of its name.
func tests(of target: String, _ dependencies: String, exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(target)Tests", dependencies: names(dependencies), path: "Tests/\(target)", exclude: exclude,
        swiftSettings: strict)
}

/// A module that a sound server loads. Only the entry points in its file `exports.map` are exported, and with lld, unlike
/// gold, nothing else; the module is never unmapped (the runtime cannot be unloaded). It does not declare marked jump
/// targets (IBT), because Swift's compiler marks none.
///
/// Three pieces are for the memory of an idle server:
/// - the C++ library inside, from where install/build has put it, saves 1,100 KiB resident and 76 KiB written to;
/// - `CRuntimeTrim/pages.c`, which gives back what only the start has used, saves 6,200 KiB resident;
/// - `CRuntimeTrim/constants.ld` says what of that stays, and makes constants that contain addresses read-only.
func module(_ name: String, _ dependencies: String) -> Target {
    let package = Context.packageDirectory, exports = "--version-script=\(package)/Sources/\(name)/exports.map"
    let own = [exports, "-z", "nodelete", "\(package)/Sources/CRuntimeTrim/constants.ld"]
    let flags = linkage + own.flatMap { ["-Xlinker", $0] } + ["-L\(package)/.build/static"]
    return swift(name, dependencies + " CRuntimeTrim", exclude: ["exports.map"], linking: [.unsafeFlags(flags)])
}

// MARK: - The product

let hostDependencies = "PolicyEngine PolicyRuntime BusService DBus DesktopServices HostSupport PolicyFile"

let product: [Target] = [
    // Decides who is heard: pure Swift without C or Foundation. Policy files are read at load and reload.
    swift("Terms"),
    swift("PolicyEngine", "Terms"),
    swift("PolicyFile", "PolicyEngine", resources: ["desktop", "phone"].map { .embedInCode("Presets/\($0).conf") }),
    swift("PolicyRuntime", "PolicyEngine PolicyFile"),

    // The bus: its interface definitions, the connection over sd-bus, the desktop's services, and `org.AudioSession1` on
    // top of the engine.
    swift("BusInterface", "Terms"),
    system("CSystemdBus", "libsystemd"),
    swift("DBus", "BusInterface CSystemdBus"),
    swift("DesktopServices", "PolicyRuntime DBus BusInterface"),
    swift("BusService", "PolicyEngine PolicyFile PolicyRuntime BusInterface DBus DesktopServices"),

    // What the hosts of both sound servers share: code, and the ramp of a gain; what takes the place of the Swift
    // runtime's crash handler, and the release of functions and constants that only the start needs.
    swift("HostSupport", "PolicyEngine PolicyRuntime BusService DBus DesktopServices PolicyFile"),
    c("CRamp"),
    c("CRuntimeTrim", exclude: ["constants.ld"]),

    // The modules. Functions of PulseAudio's libraries stay undefined: the daemon has loaded those libraries.
    system("CLibPipeWire", "libpipewire-0.3"),
    c("CPipeWire", "CLibPipeWire CRamp"),
    swift("PipeWireHost", hostDependencies + " CPipeWire CRuntimeTrim"),
    module("PipeWireModule", "PipeWireHost CPipeWire"),
    system("CLibPulse", "libpulse"),
    c("CPulseCore", "CLibPulse CRamp"),
    swift("PulseAudioHost", hostDependencies + " CPulseCore CRuntimeTrim"),
    module("PulseAudioModule", "PulseAudioHost CPulseCore"),

    // The library for applications in Swift, without Foundation; and the command line, which contains the Swift runtime,
    // so that it runs without an installed Swift, with those parts of Foundation's essentials that the others need.
    swift("AudioSession", "DBus BusInterface Terms"),
    swift(
        "Commands", "PolicyEngine PolicyRuntime PolicyFile BusInterface DBus",
        product: [.product(name: "ArgumentParser", package: argumentParserName)]),
    .executableTarget(
        name: "audio-session", dependencies: ["Commands"], swiftSettings: strict,
        linkerSettings: [
            .unsafeFlags(linkage + ["-l_FoundationCollections", "-l_FoundationCShims", "-lswiftSynchronization"])
        ]),
]

// MARK: - Tests

/// What tests, benchmarks and the demonstration are made of.
let testSupport: [Target] = [
    // Private servers, real clients and captures. Optimised in debug builds as well, because it filters minutes of sound.
    forTests(
        "TestKit", "PolicyEngine PolicyRuntime capture-sound", path: "Tests/Kit",
        more: [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    program("session-demo", "TestKit", path: "Demo"),
    // Clients, cards and libraries that tests run beside the servers; the first two are examples of the library for Swift.
    program("audio-session-player", "AudioSession CLibPulse", path: "Examples/Player", library: "pulse-simple"),
    program("audio-session-recorder", "AudioSession CLibPulse", path: "Examples/Recorder", library: "pulse-simple"),
    program("odd-client", "CLibPipeWire", path: "OddClient", library: "m"),
    program("capture-sound", "CLibPipeWire", path: "CaptureSound"),
    program("cycle-watch", "CLibPipeWire", path: "CycleWatch"),
    program("odd-pulse-client", "CLibPulse", path: "OddPulseClient", library: "m"),
    program("stream-churn", "CLibPulse", path: "StreamChurn"),
    program("session-application", "AudioSession", path: "SessionApplication"),
    // A private server for commands in other languages.
    program(
        "private-desktop", "TestKit", path: "PrivateDesktop", exclude: ["desktop.py", "listening.py", "valgrind.supp"]),
    // A simulated sound card.
    program("fixture-card", "CLibPipeWire", path: "FixtureCard", exclude: ["EVENTS.md"], library: "m"),
    // Unloads a module from a PipeWire daemon.
    forTests("ModuleUnloader", "CLibPipeWire"),
    // A file system that does not answer, and a count of a server's blocks of memory by who has asked for them. Without
    // sanitizers, because they are loaded into programs that have none.
    forTests("SlowFiles", c: [.unsafeFlags(["-fno-sanitize=all"])]),
    forTests("LiveBlocks", c: [.unsafeFlags(["-fno-sanitize=all"])]),
    // Writes the files that follow from others.
    program("derived", "BusInterface Terms", path: "Derived"),
    // Parses a file with PipeWire's own parser.
    forTests("SpaEvents", "CLibPipeWire"),
    // A sound server on paper, and the service on a real bus, with that server.
    forTests("PaperServer", "PolicyRuntime PolicyEngine PolicyFile"),
    forTests(
        "ServiceFixture", "BusService PolicyRuntime PolicyEngine PolicyFile DBus DesktopServices TestKit PaperServer"),
    // Replaces malloc in a program, and counts allocations.
    forTests("AllocationCount"),
    // Random sequences, and what always holds, to check the engine; the exploration of all states of a few sessions; and
    // benchmarks, with what they find in recordings, and how they judge, print and draw it.
    forTests("RandomEvents", "PolicyEngine PolicyFile"),
    forTests("EngineProperties", "PolicyEngine RandomEvents"),
    forTests("StateExploration", "PolicyEngine RandomEvents EngineProperties"),
    forTests("RandomPolicies", "PolicyFile PolicyEngine RandomEvents"),
    program(
        "judge", "PolicyEngine RandomEvents EngineProperties StateExploration RandomPolicies Commands", path: "Judge"),
    program(
        "session-bench",
        "AudioSession PolicyEngine PolicyRuntime PolicyFile TestKit AllocationCount BenchReport PaperServer RandomEvents",
        path: "Bench", exclude: ["README.md", "calls.c", "footprint.txt", "Report"]),
    forTests("BenchReport", "TestKit", path: "Tests/Bench/Report"),
    // Built here so that it is seen to compile; Tests/bin/fuzz builds the program, with libFuzzer (Tests/Fuzz/Package.swift).
    .target(
        name: "FuzzTargets",
        dependencies: names(
            "BusInterface BusService Commands DBus DesktopServices EngineProperties HostSupport PaperServer PipeWireHost "
                + "PolicyEngine PolicyFile PolicyRuntime RandomEvents CPipeWire"),
        path: "Tests/Fuzz/Targets", exclude: ["main.swift", "EdgeCoverage.swift"], swiftSettings: strict),
]

let testTargets: [Target] = [
    tests(
        of: "PolicyEngine", "PolicyEngine PolicyFile RandomEvents EngineProperties StateExploration",
        exclude: ["Pairs"]),
    tests(of: "PolicyFile", "PolicyFile PolicyEngine RandomEvents RandomPolicies SpaEvents"),
    tests(of: "PolicyRuntime", "PolicyEngine PolicyRuntime PolicyFile BusInterface CRamp PaperServer RandomEvents"),
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
    targets: product + testSupport + testTargets
)
