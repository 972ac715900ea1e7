import Foundation
import TestKit
import Testing

/// A machine for `install/dependencies`: a folder of programs, among them package managers that install nothing.
struct Machine: Sendable, CustomStringConvertible {
    let description: String
    /// What is installed, as dpkg-query prints it: state, name, other names that it provides.
    var debian: [String]?
    /// The names that what is installed provides.
    var fedora: [String]?
    var arguments: [String] = []
    var environment: [String: String] = [:]
    /// Programs that are other ones, or are not there.
    var programs: [String: String?] = [:]
    /// The calls of package managers, what the script complains about, and its status.
    var expected: [String] = []
    var status: Int32 = 0
}

@Suite("install/dependencies")
struct DependencyTests {
    private static let debian = [
        "installed,git,", "installed,gcc,c-compiler, gcc-x86-64-linux-gnu (= 4:14.2.0-1)", "config-files,libpulse-dev,",
        "installed,pkgconf,pkg-config (= 1.8.1-4)", "installed,binutils,binutils-gold",
    ]
    private static let missing = "g++ ca-certificates libpipewire-0.3-dev libspa-0.2-dev libsystemd-dev libpulse-dev"
    private static let apt = "apt-get install -y -qq --no-install-recommends"
    private static let asRoot = """
        install/dependencies: could not install them. Run this as root: apt-get update -qq && \
        env DEBIAN_FRONTEND=noninteractive \(apt) \(missing)
        """
    private static let toBuild =
        """
        pkg-config binutils gcc g++ git ca-certificates libpipewire-0.3-dev libspa-0.2-dev libsystemd-dev libpulse-dev
        """.split(separator: " ").map { "installed,\($0)," }
    private static let noSwift = """
        install/dependencies: no Swift 6 in PATH, nor among the packages of this system: see \
        https://www.swift.org/install/linux/
        """
    // Ubuntu 24.04 has Debian's names, and gave libraries with a 64-bit time others, as Debian 13 did.
    private static let ubuntu =
        """
        binutils gcc g++ git ca-certificates libpipewire-0.3-dev libspa-0.2-dev libsystemd-dev libpulse-dev dbus pipewire pipewire-bin \
        pipewire-pulse wireplumber pulseaudio-utils espeak-ng gnuplot-nox fontconfig-config fonts-dejavu-core systemd \
        libglib2.0-bin python3-dbus python3-gi bubblewrap strace groff-base xz-utils
        """.split(separator: " ").map { "installed,\($0)," } + [
            "installed,pkgconf,pkg-config (= 1.8.1-2build1)",
            "installed,libpulse-mainloop-glib0t64,libpulse-mainloop-glib0 (= 1:16.1+dfsg1-2ubuntu10)",
        ]
    private static let fedora = """
        pkgconf-pkg-config binutils gcc gcc-c++ libstdc++-static ca-certificates pipewire-devel systemd-devel pulseaudio-libs-devel
        """
    private static let fedoraDemo = """
        dbus-daemon pipewire pipewire-utils pipewire-pulseaudio wireplumber pulseaudio-utils mpv espeak-ng \
        gnuplot-minimal fontconfig dejavu-sans-fonts
        """
    private static let fedoraComplete = "git-core \(fedora) \(fedoraDemo)".split(separator: " ").map(String.init)
    private static let dnf = "as root: dnf install -y -q --setopt=install_weak_deps=False"

    static let machines = [
        Machine(
            description: "Debian: what is missing; not what is there by another name", debian: debian,
            arguments: ["--build"], expected: ["as root: apt-get update -qq", "as root: \(apt) \(missing)"]),
        Machine(
            description: "Debian: nothing, if everything is said to be there", debian: debian, arguments: ["--tests"],
            environment: ["AUDIO_SESSION_DEPENDENCIES": "present"]),
        Machine(
            description: "Debian: without root and sudo, says what to install", debian: debian, arguments: ["--build"],
            programs: ["sudo": nil], expected: [asRoot],
            status: 1),
        Machine(
            description: "Debian: with a sudo that refuses, too", debian: debian, arguments: ["--build"],
            programs: ["sudo": "echo 'sudo: a password is required' >&2; exit 1"],
            expected: ["sudo: a password is required", asRoot],
            status: 1),
        Machine(
            description: "Debian 13: its Swift, where there is only an old one", debian: toBuild,
            arguments: ["--build"],
            programs: [
                "swift": "echo 'Swift version 5.10'",
                "apt-cache": "printf 'Package: swiftlang\nVersion: 6.0.3-2\n'",
            ], expected: ["as root: apt-get update -qq", "as root: \(apt) swiftlang"]),
        Machine(
            description: "Debian 12: says where Swift is, and installs nothing", debian: toBuild,
            programs: ["swift": nil, "apt-cache": "echo 'E: No packages found' >&2; exit 100"],
            expected: ["as root: apt-get update -qq", noSwift], status: 1),
        Machine(
            description: "Ubuntu 24.04: says so, too, with an old Swift among its packages", debian: toBuild,
            programs: ["swift": nil, "apt-cache": "echo 'Version: 5.9.2-1'"],
            expected: ["as root: apt-get update -qq", noSwift], status: 1),
        Machine(
            description: "Ubuntu: what a desktop does not have yet", debian: ubuntu,
            expected: ["as root: apt-get update -qq", "as root: \(apt) mpv"]),
        Machine(
            description: "Ubuntu: for the browsers, also the daemon of PulseAudio", debian: ubuntu,
            arguments: ["--browsers"],
            expected: [
                "as root: apt-get update -qq",
                "as root: \(apt) mpv pulseaudio chromium firefox-esr celluloid xvfb xauth",
            ]),
        Machine(
            description: "Fedora: to build", fedora: ["bash", "git-core"], arguments: ["--build"],
            expected: ["\(dnf) \(fedora)"]),
        Machine(
            description: "Fedora: for the demonstration", fedora: ["bash", "git-core"],
            expected: ["\(dnf) \(fedora) \(fedoraDemo)"]),
        Machine(description: "Fedora: nothing, once that is there", fedora: fedoraComplete),
        Machine(
            description:
                "Fedora: for the tests, without Debian's sources and the daemon that pipewire-pulseaudio excludes",
            fedora: fedoraComplete, arguments: ["--tests"],
            expected: [
                """
                \(dnf) gstreamer1 gstreamer1-plugins-base gstreamer1-plugins-good pipewire-gstreamer systemd glib2 \
                python3-dbus python3-gobject-base python3-dbusmock mpv-mpris vlc-cli vlc-plugins-base xdg-dbus-proxy \
                bubblewrap pulseaudio-libs-glib2 strace groff-base glib2-devel debian-keyring xz debootstrap \
                pipewire-jack-audio-connection-kit speech-dispatcher speech-dispatcher-espeak-ng
                """
            ]),
        Machine(
            description: "Fedora: for the browsers, by its names", fedora: fedoraComplete, arguments: ["--browsers"],
            expected: ["\(dnf) chromium firefox celluloid xorg-x11-server-Xvfb xorg-x11-xauth"]),
        Machine(
            description: "Fedora: its Swift", fedora: fedoraComplete, arguments: ["--build"],
            programs: [
                "swift": "exit 1",
                "dnf": "[ \"$1\" != repoquery ] || { printf 6.2.1 >&3; exit; }; echo \"${ROOT-}dnf $*\"",
            ], expected: ["\(dnf) swift-lang"]),
        Machine(
            description: "elsewhere: says what it would have installed, by Debian's names", arguments: ["--build"],
            expected: [
                """
                install/dependencies: knows apt-get and dnf, and neither is here; please install the equivalents of: \
                pkg-config binutils gcc g++ git ca-certificates libpipewire-0.3-dev libspa-0.2-dev libsystemd-dev \
                libpulse-dev
                """
            ]),
    ]

    @Test("It installs", arguments: machines)
    func installs(machine: Machine) async throws {
        let sandbox = try Sandbox()
        // A user who is not root.
        var programs: [String: String?] = [
            "swift": "echo 'Swift version 6.0.3 (swift-6.0.3-RELEASE)'", "id": "echo 1000",
            "sudo": "ROOT='as root: ' exec \"$@\"",
        ]
        if let installed = machine.debian {
            programs["dpkg-query"] = "printf '%s\\n' \(installed.map { "'\($0)'" }.joined(separator: " "))"
            programs["apt-get"] = "echo \"${ROOT-}apt-get $*\""
        }
        if let installed = machine.fedora {
            programs["rpm"] = "case ' \(installed.joined(separator: " ")) ' in *\" ${*: -1} \"*) ;; *) exit 1 ;; esac"
            programs["dnf"] = "echo \"${ROOT-}dnf $*\""
        }
        programs.merge(machine.programs) { $1 }
        for (name, text) in programs {
            guard let text else { continue }
            // Seen also where the script discards what package managers print.
            try sandbox.write(
                "#!/bin/bash\nexec 3>&1 1>&\(["apt-get", "dnf"].contains(name) ? 2 : 1)\n\(text)\n",
                to: "machine/\(name)")
        }
        let folder = sandbox.path("machine")
        try await sandbox.output(of: ["chmod", "-R", "u+x", folder])
        for name in ["bash", "env", "sed", "awk", "head", "cat", "dirname"] {
            try await sandbox.output(of: ["ln", "-s", try sandbox.locate(name), folder])
        }
        let variables = machine.environment.map { "\($0)=\($1)" }
        let said = try await sandbox.output(
            of: ["env", "-i", "PATH=\(folder)"] + variables + ["bash", "install/dependencies"] + machine.arguments,
            status: machine.status)
        #expect(lines(said).filter { !$0.hasPrefix("Installing ") } == machine.expected)
        await sandbox.stop()
    }
}
