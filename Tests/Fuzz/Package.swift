// swift-tools-version: 6.0

// The fuzz targets, and the parts of the project that they test, instrumented to count reached edges. A package of its
// own, so that other builds are not instrumented; Tests/bin/fuzz copies it beside links to Sources and Tests.

import PackageDescription

let sanitizers = Context.environment["AUDIO_SESSION_SANITIZERS"] ?? "fuzzer"
/// Instrumented code.
let counted: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .unsafeFlags(["-sanitize=\(sanitizers)", "-enable-testing"]),
]
/// Code that is only used, without instrumentation.
let plain: [SwiftSetting] = [.swiftLanguageMode(.v6), .unsafeFlags(["-enable-testing"])]
let countedC: [CSetting] = [
    .unsafeFlags([
        "-fsanitize=\(sanitizers.replacing("fuzzer", with: "fuzzer-no-link"))", "-fsanitize=undefined",
        "-fsanitize-trap=undefined",
    ])
]

let package = Package(
    name: "fuzz",
    targets: [
        .target(name: "Terms", swiftSettings: counted),
        .target(name: "PolicyEngine", dependencies: ["Terms"], swiftSettings: counted),
        .target(
            name: "PolicyFile", dependencies: ["PolicyEngine"], resources: [.embedInCode("Presets")],
            swiftSettings: counted),
        .target(name: "PolicyRuntime", dependencies: ["PolicyEngine", "PolicyFile"], swiftSettings: counted),
        .target(name: "BusInterface", dependencies: ["Terms"], swiftSettings: counted),
        .systemLibrary(name: "CSystemdBus", pkgConfig: "libsystemd"),
        .target(name: "DBus", dependencies: ["BusInterface", "CSystemdBus"], swiftSettings: counted),
        .target(
            name: "DesktopServices", dependencies: ["PolicyRuntime", "DBus", "BusInterface"], swiftSettings: counted),
        .target(
            name: "BusService",
            dependencies: ["PolicyEngine", "PolicyRuntime", "PolicyFile", "BusInterface", "DBus", "DesktopServices"],
            swiftSettings: counted),
        .target(
            name: "HostSupport",
            dependencies: ["PolicyEngine", "PolicyRuntime", "BusService", "DesktopServices", "DBus", "PolicyFile"],
            swiftSettings: counted),
        .systemLibrary(name: "CLibPipeWire", pkgConfig: "libpipewire-0.3"),
        .target(name: "CRamp", cSettings: countedC),
        .target(name: "CPipeWire", dependencies: ["CLibPipeWire", "CRamp"], cSettings: countedC),
        // Without what takes the place of Swift's own in a module.
        .target(name: "CRuntimeTrim", sources: ["pages.c"], cSettings: countedC),
        .target(
            name: "PipeWireHost",
            dependencies: [
                "PolicyEngine", "PolicyRuntime", "BusService", "DBus", "DesktopServices", "HostSupport", "PolicyFile",
                "CPipeWire", "CRuntimeTrim",
            ],
            swiftSettings: counted),
        // The parts of Commands that read files; Tests/bin/fuzz links them into this folder.
        .target(
            name: "Commands", dependencies: ["PolicyEngine", "PolicyRuntime", "PolicyFile"],
            path: "Scenarios", swiftSettings: counted),
        .target(
            name: "RandomEvents", dependencies: ["PolicyEngine", "PolicyFile"], path: "Tests/RandomEvents",
            swiftSettings: plain),
        .target(
            name: "EngineProperties", dependencies: ["PolicyEngine", "RandomEvents"], path: "Tests/EngineProperties",
            swiftSettings: plain),
        .target(
            name: "PaperServer", dependencies: ["PolicyRuntime", "PolicyEngine", "PolicyFile"],
            path: "Tests/PaperServer", swiftSettings: plain),
        .target(name: "Edges", path: "Tests/Fuzz/Edges"),
        .executableTarget(
            name: "fuzz-targets",
            dependencies: [
                "PolicyEngine", "PolicyFile", "RandomEvents", "EngineProperties", "PolicyRuntime", "BusInterface",
                "DBus", "DesktopServices", "BusService", "HostSupport", "PipeWireHost", "CPipeWire",
                "Commands", "PaperServer", "Edges",
            ],
            path: "Tests/Fuzz/Targets", swiftSettings: plain,
            linkerSettings: [
                .unsafeFlags(
                    [Context.environment["AUDIO_SESSION_FUZZER_LIBRARY"] ?? ""].filter { !$0.isEmpty }
                        + (sanitizers.contains("address") ? ["-sanitize=address"] : [])),
                .linkedLibrary("stdc++"), .linkedLibrary("m"),
            ]),
    ])
