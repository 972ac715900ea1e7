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
func moduleLinkage(exports: String, order: String) -> [LinkerSetting] {
    [
        .unsafeFlags(
            [
                "-static-stdlib",
                "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/\(exports)",
                "-Xlinker", "-z", "-Xlinker", "nodelete",
                "-Xlinker", "-z", "-Xlinker", "now",
                "-Xlinker", "--gc-sections",
                "-use-ld=lld", "-Xlinker", "--icf=all",
                "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/Sources/\(order)",
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
    // For the command line only; what a sound server loads depends on nothing but itself.
    dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")],
    targets: [
        // Pure: no C, no Foundation.
        .target(name: "SessionCore", swiftSettings: loaded),
        // It runs at load and reload.
        .target(name: "PolicyFile", dependencies: ["SessionCore"], swiftSettings: small),
        .target(name: "SessionRuntime", dependencies: ["SessionCore"], swiftSettings: loaded),

        // The bus. What is spoken there, and sd-bus to speak it, for the service's end and the clients'.
        .target(name: "SessionWire", swiftSettings: small),
        .systemLibrary(name: "CSystemdBus", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "SessionBus", dependencies: ["SessionWire", "CSystemdBus"], swiftSettings: small),
        .testTarget(
            name: "SessionBusTests", dependencies: ["SessionBus", "SessionWire", "SessionTestKit"],
            path: "Tests/SessionBus", swiftSettings: strict),

        // org.AudioSession1, over the engine.
        .target(
            name: "SessionService",
            dependencies: ["SessionCore", "SessionRuntime", "SessionWire", "SessionBus", "SessionDesktop"],
            swiftSettings: small),

        .testTarget(
            name: "SessionServiceTests",
            dependencies: [
                "SessionService", "SessionHost", "SessionRuntime", "SessionCore", "PolicyFile", "SessionBus",
                "SessionDesktop", "SessionTestKit",
            ],
            path: "Tests/SessionService", swiftSettings: strict),

        // What the hosts of both sound servers share.
        .target(
            name: "SessionHost",
            dependencies: ["SessionCore", "SessionRuntime", "SessionService", "SessionBus", "PolicyFile"],
            swiftSettings: small),

        .testTarget(
            name: "SessionHostTests",
            dependencies: ["SessionHost", "SessionRuntime", "SessionCore", "SessionDesktop", "PolicyFile"],
            path: "Tests/SessionHost", swiftSettings: strict),

        // The PipeWire daemon.
        .systemLibrary(name: "CLibPipeWire", pkgConfig: "libpipewire-0.3", providers: [.apt(["libpipewire-0.3-dev"])]),
        .target(name: "CPipeWire", dependencies: ["CLibPipeWire"], cSettings: hardened),
        .target(
            name: "PipeWireHost",
            dependencies: [
                "SessionCore", "SessionRuntime", "SessionService", "SessionBus", "SessionDesktop", "SessionHost",
                "PolicyFile", "CPipeWire",
            ],
            swiftSettings: small),
        // The PulseAudio daemon. Its functions are found in the daemon itself.
        .target(
            name: "PulseAudioHost",
            dependencies: [
                "SessionCore", "SessionRuntime", "SessionService", "SessionBus", "SessionDesktop", "SessionHost",
                "PolicyFile", "CPulseCore",
            ],
            swiftSettings: small),
        .target(
            name: "PulseAudioModule",
            dependencies: ["PulseAudioHost", "CPulseCore", "CRuntimeTrim"],
            exclude: ["exports.map", "order.txt"],
            swiftSettings: strict,
            linkerSettings: moduleLinkage(
                exports: "PulseAudioModule/exports.map", order: "PulseAudioModule/order.txt")),
        // Stands in for parts of the runtimes that are left out, see moduleLinkage.
        .target(name: "CRuntimeTrim", cSettings: hardened),
        .target(
            name: "PipeWireModule",
            dependencies: ["PipeWireHost", "CPipeWire", "CRuntimeTrim"],
            exclude: ["exports.map", "order.txt"],
            swiftSettings: strict,
            linkerSettings: moduleLinkage(
                exports: "PipeWireModule/exports.map", order: "PipeWireModule/order.txt")),

        // The PulseAudio daemon. What is called of its libraries is left undefined: the daemon has them loaded.
        .systemLibrary(name: "CLibPulse", pkgConfig: "libpulse", providers: [.apt(["libpulse-dev"])]),
        .target(name: "CPulseCore", dependencies: ["CLibPulse"], cSettings: hardened),

        // The desktop around the sound: lock, sleep, calls, players. For size: it runs when something changes.
        .target(
            name: "SessionDesktop", dependencies: ["SessionBus", "SessionWire"],
            swiftSettings: small),
        .testTarget(
            name: "SessionDesktopTests",
            dependencies: ["SessionDesktop", "SessionBus", "SessionWire", "SessionTestKit"],
            path: "Tests/SessionDesktop", swiftSettings: strict),

        // The command line. The Swift runtime is inside, so that it runs where no Swift is installed.
        .target(
            name: "SessionCommands",
            dependencies: [
                "SessionCore", "SessionRuntime", "PolicyFile", "SessionWire", "SessionBus",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "audio-session", dependencies: ["SessionCommands"], swiftSettings: strict,
            linkerSettings: commandLinkage),
        // Without the command itself, whose linker flags are not for tests; building the tests builds it all the same.
        .testTarget(
            name: "SessionCommandsTests",
            dependencies: ["SessionCommands", "SessionWire", "SessionBus", "SessionTestKit"],
            path: "Tests/SessionCommands",
            exclude: ["Snapshots"], swiftSettings: strict),

        // Private servers, real clients, captures; for tests, benchmarks and the demonstration only.
        // Optimised in debug builds too: it filters minutes of sound.
        .target(
            name: "SessionTestKit", dependencies: ["SessionCore", "SessionRuntime"],
            swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        // What install/demo plays.
        .executableTarget(
            name: "session-demo", dependencies: ["SessionTestKit"], path: "Sources/SessionDemo", swiftSettings: strict),
        // What tests of real servers do on a machine that stands still.
        .target(
            name: "StandstillTrait", dependencies: ["SessionTestKit"], path: "Tests/StandstillTrait",
            swiftSettings: strict),
        .testTarget(
            name: "SessionTestKitTests", dependencies: ["SessionTestKit", "StandstillTrait", "fixture-card"],
            path: "Tests/SessionTestKit", swiftSettings: strict),
        .executableTarget(
            name: "odd-client", dependencies: ["CLibPipeWire"], path: "Tests/OddClient",
            linkerSettings: [.linkedLibrary("m")]),
        .executableTarget(
            name: "odd-pulse-client", dependencies: ["CLibPulse"], path: "Tests/OddPulseClient",
            linkerSettings: [.linkedLibrary("m")]),
        .executableTarget(name: "stream-churn", dependencies: ["CLibPulse"], path: "Tests/StreamChurn"),
        // A sound card that does not exist.
        .executableTarget(
            name: "fixture-card", dependencies: ["CLibPipeWire"], path: "Tests/FixtureCard",
            exclude: ["EVENTS.md"], linkerSettings: [.linkedLibrary("m")]),
        // Takes a module out of a PipeWire daemon.
        .target(name: "ModuleUnloader", dependencies: ["CLibPipeWire"], path: "Tests/ModuleUnloader"),
        // A file system that does not answer. Without sanitizers, as it is put into programs that have none.
        .target(
            name: "SlowFiles", path: "Tests/SlowFiles", cSettings: [.unsafeFlags(["-fno-sanitize=all"])]),
        .testTarget(
            name: "LiveTests",
            dependencies: [
                "SessionService", "SessionCommands", "SessionCore", "PolicyFile", "SessionTestKit", "StandstillTrait",
                "odd-client", "odd-pulse-client", "stream-churn", "fixture-card",
            ],
            path: "Tests/Live", swiftSettings: strict),
        .testTarget(
            name: "PolicyFileTests", dependencies: ["PolicyFile", "SessionCore", "SpaEvents"],
            path: "Tests/PolicyFile", swiftSettings: strict),
        // What PipeWire's own reader makes of a file.
        .target(name: "SpaEvents", dependencies: ["CLibPipeWire"], path: "Tests/SpaEvents"),
        // The rules a second time, to judge the engine by; random sequences, and their command.
        .target(
            name: "SessionOracle", dependencies: ["SessionCore"], path: "Tests/SessionOracle", swiftSettings: strict),
        .executableTarget(
            name: "judge-sequences", dependencies: ["SessionOracle"], path: "Tests/Sequences", swiftSettings: strict),
        // All that a few sessions can come to; Tests/bin/explore is its command.
        .target(
            name: "StateExploration", dependencies: ["SessionCore", "SessionOracle"], path: "Tests/StateExploration",
            swiftSettings: strict),
        .executableTarget(
            name: "explore-sessions", dependencies: ["StateExploration"], path: "Tests/Explore", swiftSettings: strict),
        .testTarget(
            name: "SessionCoreTests", dependencies: ["SessionCore", "PolicyFile", "SessionOracle", "StateExploration"],
            path: "Tests/SessionCore",
            exclude: ["Pairs"], swiftSettings: strict),
        .testTarget(
            name: "SessionRuntimeTests", dependencies: ["SessionCore", "SessionRuntime"],
            path: "Tests/SessionRuntime", swiftSettings: strict),

        // Benchmarks. The second target takes the place of malloc in that program, and counts.
        .executableTarget(
            name: "session-bench",
            dependencies: ["SessionCore", "SessionRuntime", "PolicyFile", "SessionTestKit", "AllocationCount"],
            path: "Tests/Bench", swiftSettings: strict),
        .target(name: "AllocationCount", path: "Tests/AllocationCount"),
    ]
)
