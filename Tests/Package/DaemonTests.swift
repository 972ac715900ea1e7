import Foundation
import TestKit
import Testing

/// Code in C beside the daemons' own: the offsets of PulseAudio's fields, the mixer and the ramps of gains.
@Suite("C in the daemons")
struct DaemonTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// The releases whose sources are in `.build/pulseaudio`, which `install/dependencies --tests` fetches. Further ones can be
    /// put there; those with Ubuntu's patches in a folder whose name ends in `-ubuntu`.
    static let releases = Set(["16.1", "17.0"])
        .union((try? FileManager.default.contentsOfDirectory(atPath: Project.path(".build/pulseaudio"))) ?? [])
        .filter { $0.first?.isNumber == true }.sorted()

    @Test("PulseAudio: the layout of its structs is the one that we know", arguments: releases)
    func layout(release: String) async throws {
        try await sandbox.output(of: [try await comparison(release: release)])
    }

    @Test("PulseAudio: a difference of the layout is noticed")
    func otherLayout() async throws {
        let found = try await sandbox.output(of: [try await comparison(release: "16.1", table: "17")], status: 1)
        #expect(lines(found).contains("PulseAudio 16.1: pa_core.hooks: expected 584, found 568"))
    }

    /// Compiles a program that compares a table of `Sources/CPulseCore/layout.c`, by default that of the release, with the
    /// release's own headers; it prints each difference. What we declare otherwise than the headers is a compiler's error.
    ///
    /// Without differences: 14.0, 14.2, 15.0, 15.99.1 (table 16), 16.1, 16.99.1 (table 17) and 17.0, and those with Ubuntu's
    /// patches that change a header (0407-access-Add-access-control-hooks and 0410-pa-client-peer-apparmor-label of
    /// 14.2). Debian's patches of 16.1 and 17.0 change none.
    private func comparison(release folder: String, table: String? = nil) async throws -> String {
        let sources = ".build/pulseaudio/\(folder)/src"
        let release = String(folder.prefix { $0 != "-" })
        let major = String(release.prefix { $0 != "." })
        let isUbuntu = folder.hasSuffix("-ubuntu")
        // What its build would have written, as far as the headers ask for it.
        let defined = [
            "PACKAGE \"pulseaudio\"", "HAVE_ATOMIC_BUILTINS 1", "HAVE_ATOMIC_BUILTINS_MEMORY_MODEL 1",
            "HAVE_CLOCK_GETTIME 1", "HAVE_PTHREAD 1", "HAVE_SYS_RESOURCE_H 1", "_GNU_SOURCE 1",
            "__INCLUDED_FROM_PULSE_AUDIO 1",
        ]
        try sandbox.write(defined.map { "#define \($0)\n" }.joined(), to: "made/config.h")
        try sandbox.write("#define PA_MAJOR \(major)\n", to: "made/pulse/version.h")
        // A pointer to a struct that is not public.
        try sandbox.write("typedef struct lt__handle *lt_dlhandle;\n", to: "made/ltdl.h")
        // Private to sink-input.c, and written to all the same.
        let streams = try Project.text("\(sources)/pulsecore/sink-input.c")
        let factor = try #require(streams.firstMatch(of: /\nstruct volume_factor_entry {\n[^}]*};\n/)?.0)
        try sandbox.write(String(factor), to: "made/volume-factor-entry.h")
        // Each function that we declare is named once more after the release's headers: the compiler refuses one that they
        // do not declare, and one that they declare otherwise when our own declaration follows.
        let declared = try Project.text("Sources/CPulseCore/functions.h").matches(of: /\b(pa_[a-z_]+)\(/).map(\.1)
        try sandbox.write(
            Set(declared).sorted().map { "extern __typeof__(\($0)) \($0);\n" }.joined(),
            to: "made/declared-functions.h")
        let hooks = isUbuntu ? "(PA_CORE_HOOK_MAX + PA_ACCESS_HOOK_MAX)" : "PA_CORE_HOOK_MAX"
        return try await sandbox.compile(
            ["Tests/PulseCore/compare.c", "Sources/CPulseCore/layout.c"], to: "compare", compiler: "clang",
            // Its headers are the system's, so that the warnings are ours.
            flags: [
                "-std=gnu11", "-Wno-extra", "-Wno-unused-function", "-Wno-unknown-warning-option", "-DRELEASE=\(major)",
                "-DRELEASE_NAME=\"\(release)\"", "-DTABLE=\(table ?? major)",
                "-DVARIANT=\(isUbuntu ? "CPC_UBUNTU" : "CPC_AS_RELEASED")", "-DALL_HOOKS=\(hooks)",
                "-I", sandbox.path("made"), "-isystem", sources, "-ISources/CPulseCore",
                "-ISources/CPulseCore/include",
            ])
    }

    @Test("PulseAudio: a member more or less before any field that is used is noticed")
    func shiftedLayout() async throws { try await shiftLayout(.plain) }

    @Test("PipeWire: a gain in the mixer of this machine")
    func mixer() async throws { try await mix(.plain) }

    @Test("PulseAudio: a gain in a stream")
    func ramps() async throws { try await testRamps(.plain) }

    @Suite("C in the daemons, with sanitizers (only with AUDIO_SESSION_ALL)", .enabled(if: Project.runsAll))
    struct Sanitized {
        @Test("PulseAudio: a member more or less before any field that is used is noticed")
        func shiftedLayout() async throws { try await DaemonTests().shiftLayout(.address) }

        @Test("PipeWire: a gain in the mixer of this machine", arguments: Build.sanitized)
        func mixer(build: Build) async throws { try await DaemonTests().mix(build) }

        @Test("PulseAudio: a gain in a stream", arguments: Build.sanitized)
        func ramps(build: Build) async throws { try await DaemonTests().testRamps(build) }
    }

    // MARK: - Programs

    /// Has a private daemon, with a card, a client, a stream and a recording to be looked at, load the module of `shifted.c`,
    /// which simulates each difference, and refuses to be loaded if one is not noticed.
    private func shiftLayout(_ build: Build) async throws {
        let isSanitized = build == .address
        let sources = try ["Sources/CPulseCore", "Sources/CRamp"].flatMap { try Project.files(in: $0, ending: ".c") }
        _ = try await sandbox.compile(
            ["Tests/PulseCore/shifted.c"] + sources, to: "module-shifted-layouts.so",
            compiler: isSanitized ? "clang" : "cc",
            flags: [
                "-shared", "-fPIC", "-std=gnu11", "-O1", "-Wno-unused-parameter", "-ISources/CPulseCore",
                "-ISources/CPulseCore/include", "-ISources/CRamp/include",
            ] + (try await sandbox.flags("--cflags", "libpulse"))
                + (isSanitized
                    ? ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-shared-libasan"] : []))
        var options = PulseAudioOptions()
        options.moduleFolders = [sandbox.directory, try await PulseCard.moduleFolder()]
        if isSanitized {
            // The daemon is built without sanitizers, so their shared library has to come before its others.
            let machine = try await sandbox.output(of: ["uname", "-m"]).trimmingCharacters(in: .newlines)
            let library = try await sandbox.output(of: ["clang", "-print-file-name=libclang_rt.asan-\(machine).so"])
            options.environment["LD_PRELOAD"] = library.trimmingCharacters(in: .newlines)
            // The daemon's leaks are not ours.
            let reports = "log_path=\(sandbox.path("report")):detect_leaks=0:print_stacktrace=1"
            for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS"] { options.environment[name] = reports }
        }
        let server = try await PrivatePulseAudio.start(options)
        _ = try await PulseCard.start(.laptop, on: server)
        let programs = [
            try server.sandbox.start("pacat", Invocation("pacat", ["--raw", "--volume=0", "/dev/zero"])),
            try server.sandbox.start("parec", Invocation("parec", ["--raw"]), output: "/dev/null"),
        ]
        _ = try await waitUntil("both streams", evidence: { server.sandbox.logTails() }) {
            try await server.streams().count == programs.count ? true : nil
        }
        let result = await thrownAsynchronously(OtherStatus.self) {
            try await server.sandbox.output(of: ["pactl", "load-module", "module-shifted-layouts"])
        }
        let log = server.daemon?.log.text ?? ""
        let said = lines(log).filter { $0.contains(/NOT NOTICED|no example|as it is:/) }
        #expect(result == nil && said == [], "\(said)")
        #expect(log.contains(/shifted: [1-9][0-9]* tried, 0 not noticed/))
        let reports = try FileManager.default.contentsOfDirectory(atPath: sandbox.directory)
            .filter { $0.hasPrefix("report.") }.map { try String(contentsOfFile: sandbox.path($0), encoding: .utf8) }
        #expect(reports == [])
        // It goes on after all that.
        _ = try await server.streams()
        await server.stop()
    }

    /// Plays in front of the server's own mixer, which is loaded from its plugin.
    private func mix(_ build: Build) async throws {
        let plugins = try await sandbox.variable("plugindir", of: "libspa-0.2")
        let program = try await sandbox.compile(
            ["Tests/Mixer/mixer_test.c", "Sources/CPipeWire/mixer.c", "Sources/CRamp/ramped_gain.c"], to: "mixer",
            flags: build.flags + [
                "-std=gnu11", "-O2", "-Wno-missing-field-initializers", "-Wno-unused-parameter", "-ISources/CPipeWire",
                "-ISources/CRamp/include", "-Wl,--wrap=calloc,--wrap=free",
            ] + (try await sandbox.flags("--cflags", "libspa-0.2")))
        // Releases since 1.2 have links between cycles.
        let release = try await sandbox.output(of: ["pkg-config", "--modversion", "libpipewire-0.3"])
        var environment = build.environment
        if !release.contains(/^(0|1\.[01])\./) { environment["STOCK_KNOWS_CYCLES"] = "yes" }
        // A sanitizer calls the kernel.
        if build != .plain { environment["WITHOUT_SECCOMP"] = "yes" }
        // Writes by the other end of a link at any time are no race of ours, so only the rest is tried with that sanitizer.
        let parts = build == .thread ? ["threads"] : []
        try await sandbox.output(
            of: [program, "\(plugins)/audiomixer/libspa-audiomixer.so"] + parts, environment: environment)
    }

    private func testRamps(_ build: Build) async throws {
        let program = try await sandbox.compile(
            ["Tests/Ramps/ramps_test.c", "Sources/CPulseCore/ramps.c", "Sources/CRamp/ramped_gain.c"], to: "ramps",
            flags: build.flags + [
                "-std=gnu11", "-O2", "-ISources/CPulseCore", "-ISources/CPulseCore/include", "-ISources/CRamp/include",
                "-Wl,--wrap=calloc",
            ] + (try await sandbox.flags("--cflags", "libpulse")))
        try await sandbox.output(of: [program], environment: build.environment)
    }
}
