// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]
/// Of what a sound server loads: every function in a section of its own, so that those which are used can lie together,
/// and public ones not kept for others than the programs they are linked into, so that those which are not can be left
/// out.
let loaded: [SwiftSetting] =
    strict + [
        .unsafeFlags(
            ["-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link"], .when(configuration: .release))
    ]
/// The same, optimised for size: what does not run with every event.
let small: [SwiftSetting] = loaded + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

#if arch(x86_64)
    let isX86 = true
#else
    let isX86 = false
#endif

/// Of C that a sound server loads: it ends the server rather than write behind an object whose size the compiler knows, or
/// return to an address that was overwritten; and on x86-64, what may be called or returned to is marked for processors that
/// see to it (CET).
let hardened: [CSetting] = [
    .unsafeFlags(["-fstack-protector-strong", "-fstack-clash-protection"] + (isX86 ? ["-fcf-protection=full"] : [])),
    // It needs an optimising compiler.
    .unsafeFlags(["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3"], .when(configuration: .release)),
]

/// Linker flags of a module that a sound server loads: the Swift runtime inside, nothing but the entry point outside,
/// never unmapped (the runtime cannot be unloaded), and all that is called elsewhere found when it is loaded: so what is
/// missing is known then, not when it is called, and the table of what is called can be read-only. On x86-64 it says that
/// it lives with a shadow stack: without that, a daemon that has one cannot load it. It does not say the same of marked
/// targets of jumps (IBT), for Swift's compiler marks none.
///
/// Some are for its size in the server's memory, as `Tests/bin/bench footprint` shows it: lld, which unlike gold exports
/// nothing that the version script keeps local; equal functions only once (all of them, as Swift does not mark those
/// whose address matters, and compares none); packed relocations, of which there are 16,000, all read at load (glibc
/// 2.36 or later); calls into parts of the runtimes that are not needed sent elsewhere (CRuntimeTrim), so that these
/// parts fall away; and the C++ library that the Swift runtime needs from inside, where install/build has put it for
/// that, as the whole of it is 1 MB that no other part of the server uses. install/build also makes a copy of the Swift
/// library of which the linker leaves out what nobody calls, another MB; it names it in the environment, as only a file
/// that is named here goes before the toolchain's own.
///
/// - Parameter exports: The file in Sources that names what is not local.
func moduleLinkage(exports: String) -> [LinkerSetting] {
    [
        .unsafeFlags(
            [
                "-static-stdlib",
                "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/\(exports)",
                "-Xlinker", "-z", "-Xlinker", "nodelete",
                "-Xlinker", "-z", "-Xlinker", "now",
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

/// Linker flags of the command line: the Swift runtime inside, with what Foundation's essentials need of their own
/// parts. lld, because it does not mind the order in which archives need each other.
let commandLinkage: [LinkerSetting] = [
    .unsafeFlags([
        "-static-stdlib", "-use-ld=lld", "-Xlinker", "--gc-sections",
        "-l_FoundationCollections", "-l_FoundationCShims", "-lswiftSynchronization",
    ])
]

// MARK: - The product

/// Who is heard: pure, without C and Foundation. Files are read at load and reload.
let engine: [Target] = [
    .target(name: "SessionCore", swiftSettings: loaded),
    .target(name: "PolicyFile", dependencies: ["SessionCore"], swiftSettings: small),
    .target(name: "SessionRuntime", dependencies: ["SessionCore"], swiftSettings: loaded),
]

/// The bus: what is spoken there, sd-bus to speak it, what the desktop says there, and `org.AudioSession1` over the engine.
let bus: [Target] = [
    .target(name: "SessionWire", swiftSettings: small),
    .systemLibrary(name: "CSystemdBus", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .target(name: "SessionBus", dependencies: ["SessionWire", "CSystemdBus"], swiftSettings: small),
    .target(name: "SessionDesktop", dependencies: ["SessionBus", "SessionWire"], swiftSettings: small),
    .target(
        name: "SessionService",
        dependencies: ["SessionCore", "SessionRuntime", "SessionWire", "SessionBus", "SessionDesktop"],
        swiftSettings: small),
]

/// What the hosts of both sound servers share.
let host: [Target] = [
    .target(
        name: "SessionHost",
        dependencies: ["SessionCore", "SessionRuntime", "SessionService", "SessionBus", "PolicyFile"],
        swiftSettings: small)
]
let hostDependencies: [Target.Dependency] = [
    "SessionCore", "SessionRuntime", "SessionService", "SessionBus", "SessionDesktop", "SessionHost", "PolicyFile",
]

/// The PipeWire daemon's module.
let pipeWire: [Target] = [
    .systemLibrary(name: "CLibPipeWire", pkgConfig: "libpipewire-0.3", providers: [.apt(["libpipewire-0.3-dev"])]),
    .target(name: "CPipeWire", dependencies: ["CLibPipeWire"], cSettings: hardened),
    .target(name: "PipeWireHost", dependencies: hostDependencies + ["CPipeWire"], swiftSettings: small),
    .target(
        name: "PipeWireModule", dependencies: ["PipeWireHost", "CPipeWire", "CRuntimeTrim"], exclude: ["exports.map"],
        swiftSettings: strict, linkerSettings: moduleLinkage(exports: "PipeWireModule/exports.map")),
]

/// The PulseAudio daemon's module. What it calls of the daemon's libraries is left undefined: the daemon has them loaded.
let pulseAudio: [Target] = [
    .systemLibrary(name: "CLibPulse", pkgConfig: "libpulse", providers: [.apt(["libpulse-dev"])]),
    .target(name: "CPulseCore", dependencies: ["CLibPulse"], cSettings: hardened),
    .target(name: "PulseAudioHost", dependencies: hostDependencies + ["CPulseCore"], swiftSettings: small),
    .target(
        name: "PulseAudioModule", dependencies: ["PulseAudioHost", "CPulseCore", "CRuntimeTrim"],
        exclude: ["exports.map"], swiftSettings: strict,
        linkerSettings: moduleLinkage(exports: "PulseAudioModule/exports.map")),
]

/// Of both modules: what stands in for parts of the runtimes that are left out, and the order of the functions.
let trim: [Target] = [.target(name: "CRuntimeTrim", exclude: ["order.txt"], cSettings: hardened)]

/// The command line. The Swift runtime is inside, so that it runs where no Swift is installed.
let commandLine: [Target] = [
    .target(
        name: "SessionCommands",
        dependencies: [
            "SessionCore", "SessionRuntime", "PolicyFile", "SessionWire", "SessionBus",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        swiftSettings: strict),
    .executableTarget(
        name: "audio-session", dependencies: ["SessionCommands"], swiftSettings: strict, linkerSettings: commandLinkage),
]

/// Private servers, real clients, captures: for tests, benchmarks and the demonstration. Optimised in debug builds too, for it
/// filters minutes of sound.
let kit: [Target] = [
    .target(
        name: "SessionTestKit", dependencies: ["SessionCore", "SessionRuntime"],
        swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .executableTarget(
        name: "session-demo", dependencies: ["SessionTestKit"], path: "Sources/SessionDemo", swiftSettings: strict),
]

// MARK: - Tests

/// Clients, cards and libraries that tests run beside the servers.
let programs: [Target] = [
    .executableTarget(
        name: "odd-client", dependencies: ["CLibPipeWire"], path: "Tests/OddClient",
        linkerSettings: [.linkedLibrary("m")]),
    .executableTarget(
        name: "odd-pulse-client", dependencies: ["CLibPulse"], path: "Tests/OddPulseClient",
        linkerSettings: [.linkedLibrary("m")]),
    .executableTarget(name: "stream-churn", dependencies: ["CLibPulse"], path: "Tests/StreamChurn"),
    // A sound card that does not exist.
    .executableTarget(
        name: "fixture-card", dependencies: ["CLibPipeWire"], path: "Tests/FixtureCard", exclude: ["EVENTS.md"],
        linkerSettings: [.linkedLibrary("m")]),
    // Takes a module out of a PipeWire daemon.
    .target(name: "ModuleUnloader", dependencies: ["CLibPipeWire"], path: "Tests/ModuleUnloader"),
    // A file system that does not answer. Without sanitizers, as it is put into programs that have none.
    .target(name: "SlowFiles", path: "Tests/SlowFiles", cSettings: [.unsafeFlags(["-fno-sanitize=all"])]),
    // What PipeWire's own reader makes of a file.
    .target(name: "SpaEvents", dependencies: ["CLibPipeWire"], path: "Tests/SpaEvents"),
    // Takes the place of malloc in a program, and counts.
    .target(name: "AllocationCount", path: "Tests/AllocationCount"),
]

/// The rules a second time, to judge the engine by; what plays random sequences, and goes through all that a few sessions can
/// come to; benchmarks; what tests of real servers do on a machine that stands still.
let judges: [Target] = [
    .target(name: "SessionOracle", dependencies: ["SessionCore"], path: "Tests/SessionOracle", swiftSettings: strict),
    .executableTarget(
        name: "judge-sequences", dependencies: ["SessionOracle"], path: "Tests/Sequences", swiftSettings: strict),
    .target(
        name: "StateExploration", dependencies: ["SessionCore", "SessionOracle"], path: "Tests/StateExploration",
        swiftSettings: strict),
    .executableTarget(
        name: "explore-sessions", dependencies: ["StateExploration"], path: "Tests/Explore", swiftSettings: strict),
    .executableTarget(
        name: "session-bench",
        dependencies: ["SessionCore", "SessionRuntime", "PolicyFile", "SessionTestKit", "AllocationCount"],
        path: "Tests/Bench", swiftSettings: strict),
    .target(
        name: "StandstillTrait", dependencies: ["SessionTestKit"], path: "Tests/StandstillTrait", swiftSettings: strict),
]

/// The tests of a target, in the folder of its name.
func tests(of target: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: target + "Tests", dependencies: dependencies, path: "Tests/\(target)", exclude: exclude,
        swiftSettings: strict)
}

let tests: [Target] = [
    tests(
        of: "SessionCore", ["SessionCore", "PolicyFile", "SessionOracle", "StateExploration"], exclude: ["Pairs"]),
    tests(of: "PolicyFile", ["PolicyFile", "SessionCore", "SpaEvents"]),
    tests(of: "SessionRuntime", ["SessionCore", "SessionRuntime"]),
    tests(of: "SessionBus", ["SessionBus", "SessionWire", "SessionTestKit"]),
    tests(of: "SessionDesktop", ["SessionDesktop", "SessionBus", "SessionWire", "SessionTestKit"]),
    tests(
        of: "SessionService",
        [
            "SessionService", "SessionHost", "SessionRuntime", "SessionCore", "PolicyFile", "SessionBus",
            "SessionDesktop", "SessionTestKit",
        ]),
    tests(of: "SessionHost", ["SessionHost", "SessionRuntime", "SessionCore", "SessionDesktop", "PolicyFile"]),
    // Without the command itself, whose linker flags are not for tests; building the tests builds it all the same.
    tests(
        of: "SessionCommands", ["SessionCommands", "SessionWire", "SessionBus", "SessionTestKit"],
        exclude: ["Snapshots"]),
    tests(of: "SessionTestKit", ["SessionTestKit", "StandstillTrait", "fixture-card"]),
    // In real servers, which load the built modules.
    tests(
        of: "Live",
        [
            "SessionService", "SessionCommands", "SessionCore", "PolicyFile", "SessionTestKit", "StandstillTrait",
            "odd-client", "odd-pulse-client", "stream-churn", "fixture-card",
        ]),
]

let package = Package(
    name: "audio-session",
    products: [
        .library(name: "pipewire-module-audio-session", type: .dynamic, targets: ["PipeWireModule"]),
        .library(name: "module-audio-session", type: .dynamic, targets: ["PulseAudioModule"]),
        .executable(name: "audio-session", targets: ["audio-session"]),
        // For tests.
        .library(name: "pipewire-module-test-unloader", type: .dynamic, targets: ["ModuleUnloader"]),
        .library(name: "slow-files", type: .dynamic, targets: ["SlowFiles"]),
    ],
    // For the command line only; what a sound server loads depends on nothing but itself. An exact version, so that a build
    // of these sources is the same in a year.
    dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")],
    targets: engine + bus + host + pipeWire + pulseAudio + trim + commandLine + kit + programs + judges + tests
)
