import Foundation
import TestKit
import Testing

/// Installs into folders and homes of their own. Nothing of the machine's own installation is looked at or touched.
@Suite("Installing and uninstalling")
struct InstallationTests {
    private let sandbox: Sandbox
    private let project: String

    init() async throws {
        sandbox = try Sandbox()
        project = try await sandbox.copyOfProject()
    }

    /// All files and folders below a folder.
    private func below(_ folder: String) throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: folder))
    }

    private func read(_ file: String) -> String? { try? String(contentsOfFile: file, encoding: .utf8) }

    /// Where pkg-config says that the servers and libraries of this machine are.
    private func folder(_ variable: String, of package: String) async throws -> String {
        try await sandbox.variable(variable, of: package)
    }

    /// Builds a program in C as pkg-config says, and runs it; its file says the version of the sources.
    private func useLibrary(in folder: String, root: String = "", environment: [String: String] = [:]) async throws {
        let packages = ["PKG_CONFIG_PATH": "\(folder)/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": root]
        let version = try await sandbox.output(
            of: ["pkg-config", "--modversion", "audiosession"], environment: packages)
        #expect(try version == "\(Project.version)\n")
        // There is no bus, so the answer is an error at once.
        try sandbox.write(
            """
            #include <audio_session.h>
            int main(void) { return AudioSessionInitialize(0, 0, 0, 0) == 0 && AudioSessionSetActive(1) == 0; }

            """, to: "uses.c")
        // Words as a shell reads them.
        let command =
            "eval \"cc -std=c11 -Wall -Wextra -Werror -o uses uses.c $(pkg-config --cflags --libs audiosession)\""
        try await sandbox.output(of: ["bash", "-c", command], environment: packages, in: sandbox.directory)
        try await sandbox.output(of: [sandbox.path("uses")], environment: environment)
        // And one for the phone.
        try sandbox.write(
            """
            #include <AudioToolbox/AudioToolbox.h>
            int main(void) { return AudioSessionSetActive(true) == noErr || CFEqual(CFSTR("a"), CFSTR("b")); }

            """, to: "uses.c")
        let other = command.replacingOccurrences(of: " audiosession)", with: " audiosession-compat)")
        try await sandbox.output(of: ["bash", "-c", other], environment: packages, in: sandbox.directory)
        try await sandbox.output(of: [sandbox.path("uses")], environment: environment)
    }

    @Test("Under sudo, nothing is built as root that the user has built")
    func underSudo() async throws {
        try sandbox.write("#!/bin/sh\ntouch \"$0.ran\"\n", to: "project/install/build")
        try await sandbox.output(of: ["chmod", "+x", "\(project)/install/build"])
        func hasBuilt(_ environment: [String: String]) async throws -> Bool {
            try await sandbox.output(
                of: ["\(project)/install/install"],
                environment: environment.merging(["DESTDIR": sandbox.path("package")]) { $1 })
            return FileManager.default.fileExists(atPath: "\(project)/install/build.ran")
        }
        #expect(try await !hasBuilt(["SUDO_USER": "somebody"]))
        #expect(try await hasBuilt([:]))
    }

    @Test("For all users, into a folder: everything is where it is looked for, and goes again")
    func intoFolder() async throws {
        let root = sandbox.path("package")
        func run(_ command: String, environment: [String: String] = [:]) async throws {
            try await sandbox.output(
                of: ["\(project)/install/\(command)"], environment: ["DESTDIR": root].merging(environment) { $1 })
        }
        try await run("install")
        let first = try below(root)
        let pipeWire = try await folder("moduledir", of: "libpipewire-0.3")
        let pulseAudio = try await folder("modlibexecdir", of: "libpulse")
        let data = "usr/share"
        let same = [
            "\(pipeWire)/\(Binary.pipeWire.name)": Binary.pipeWire.rawValue,
            "\(pulseAudio)/\(Binary.pulseAudio.name)": Binary.pulseAudio.rawValue,
            "/usr/bin/audio-session": Binary.command.rawValue,
            "/etc/pulse/default.pa.d/audio-session.pa": "install/pulseaudio.pa",
            "/\(data)/pipewire/pipewire.conf.d/audio-session.conf": "install/pipewire.conf",
            "/\(data)/audio-session/policy.conf.d/10-roles.conf": "policy/roles.conf",
            "/\(data)/audio-session/policy.conf.d/50-applications.conf": "policy/applications.conf",
        ]
        var files = same
        for preset in ["car", "desktop", "phone"] {
            files["/\(data)/audio-session/\(preset).conf"] = "policy/\(preset).conf"
        }
        for page in try Project.files(in: "install/man") {
            files["/\(data)/man/man\(page.suffix(1))/\((page as NSString).lastPathComponent)"] = page
        }
        for interface in try Project.files(in: "install/dbus") {
            files["/\(data)/dbus-1/interfaces/\((interface as NSString).lastPathComponent)"] = interface
        }
        for (installed, file) in files {
            #expect(
                FileManager.default.contentsEqual(atPath: root + installed, andPath: Project.path(file)), "\(installed)"
            )
        }
        // Each policy file of the project is among them.
        #expect(Set(files.values).isSuperset(of: try Project.files(in: "policy", ending: ".conf")))
        #expect(
            read("\(root)/etc/pulse/default.pa.d/audio-session.pa")?.contains("\nload-module module-audio-session\n")
                == true)
        for completions in ["zsh/vendor-completions/_audio-session", "fish/vendor_completions.d/audio-session.fish"] {
            #expect(read("\(root)/\(data)/\(completions)")?.isEmpty == false)
        }
        let completions = "\(root)/\(data)/bash-completion/completions/audio-session"
        try await sandbox.output(of: ["bash", "-c", ". \"$0\"; complete -p audio-session", completions])
        let scenario = "\(root)/\(data)/audio-session/scenarios/navigation.scenario"
        try await sandbox.output(of: ["\(root)/usr/bin/audio-session", "simulate", scenario, "--output", "/dev/null"])
        let libraries = root + (pipeWire as NSString).deletingLastPathComponent
        try await useLibrary(in: libraries, root: root, environment: ["LD_LIBRARY_PATH": libraries])

        try await run("install")
        #expect(try below(root) == first, "installing again changes nothing")
        let policy = "\(root)/etc/audio-session/policy.conf"
        #expect(
            lines(try #require(read(policy))).allSatisfy { $0.hasPrefix("#") }, "the administrator's file says nothing")
        try "preset = car\n".write(toFile: policy, atomically: true, encoding: .utf8)
        try await run("install")
        #expect(read(policy) == "preset = car\n", "what the administrator has changed stays")
        // A fragment of another package.
        let other = "usr/share/audio-session/policy.conf.d/90-other.conf"
        try "# not ours\n".write(toFile: "\(root)/\(other)", atomically: true, encoding: .utf8)
        try await run("uninstall")
        #expect(
            try below(root) == [
                "etc", "etc/audio-session", "etc/audio-session/policy.conf", "usr", "usr/share",
                "usr/share/audio-session", "usr/share/audio-session/policy.conf.d", other,
            ])
        try FileManager.default.removeItem(atPath: "\(root)/usr")
        #expect(read(policy) == "preset = car\n")
        try FileManager.default.removeItem(atPath: policy)
        try await run("install")
        // Where PulseAudio has been upgraded since, and the development packages are gone.
        let release = URL(fileURLWithPath: root + pulseAudio).deletingLastPathComponent()
        try FileManager.default.moveItem(
            at: release, to: release.deletingLastPathComponent().appendingPathComponent("pulse-1.0"))
        try await run("uninstall", environment: ["PKG_CONFIG_LIBDIR": sandbox.path("none"), "PKG_CONFIG_PATH": ""])
        #expect(try below(root) == [])
        // There is nothing to remove any more.
        try await run("uninstall")
        #expect(try below(root) == [])
    }

    @Test("For one user: PipeWire loads the module from a home, and what is the user's own stays")
    func intoHome() async throws {
        // Both characters have a meaning in a unit file.
        let home = sandbox.path("a 100% home")
        let policies = "\(home)/.config/audio-session"
        let fragment = "\(policies)/policy.conf.d/50-applications.conf"
        let own = [
            "\(home)/.config/pipewire/pipewire.conf.d/mine.conf": "# mine\n", "\(policies)/car.conf": "# mine\n",
            "\(policies)/policy.conf": "preset = phone\n",
        ]
        func write(_ text: String, to file: String) throws {
            try FileManager.default.createDirectory(
                atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        }
        for (file, text) in own { try write(text, to: file) }
        let environment = [
            "HOME": home, "XDG_CONFIG_HOME": "\(home)/.config", "XDG_DATA_HOME": "\(home)/.local/share",
            "XDG_STATE_HOME": "\(home)/.local/state",
        ]
        func run(_ command: String...) async throws { try await sandbox.output(of: command, environment: environment) }
        func isSame(_ installed: String, as file: String) -> Bool {
            FileManager.default.contentsEqual(atPath: installed, andPath: Project.path(file))
        }
        let before = try below(home)
        try await run("\(project)/install/install", "--user")
        #expect(isSame("\(policies)/phone.conf", as: "policy/phone.conf"))
        #expect(isSame(fragment, as: "policy/applications.conf"))
        #expect(isSame("\(home)/.local/share/man/man1/audio-session.1", as: "install/man/audio-session.1"))
        #expect(isSame("\(home)/.local/share/man/man5/audio-session.conf.5", as: "install/man/audio-session.conf.5"))
        let interface = "dbus-1/interfaces/org.AudioSession1.xml"
        #expect(isSame("\(home)/.local/share/\(interface)", as: "install/dbus/org.AudioSession1.xml"))
        // A preset of an older version, which nobody has changed since, and a fragment that the user has changed.
        try write("# older\n", to: "\(policies)/phone.conf")
        let sums = "\(home)/.local/lib/audio-session/policies.sha256"
        let older = try await sandbox.output(of: ["sha256sum", "phone.conf"], in: policies)
        try write(
            (lines(try #require(read(sums))).filter { !$0.hasSuffix("  phone.conf") } + [older]).joined(
                separator: "\n"), to: sums)
        try write(try #require(read(fragment)) + "# mine too\n", to: fragment)
        try await run("\(project)/install/install", "--user")
        #expect(isSame("\(policies)/phone.conf", as: "policy/phone.conf"))
        #expect(read(fragment)?.hasSuffix("# mine too\n") == true)
        for (file, text) in own { #expect(read(file) == text) }
        try await run("\(home)/.local/bin/audio-session", "check")
        // Without any variable that names the folder.
        try await useLibrary(in: "\(home)/.local/lib")

        let unit = "\(home)/.config/systemd/user/pipewire.service.d"
        let dropIn = try #require(read("\(unit)/audio-session.conf"))
        if (try? sandbox.locate("systemd-analyze")) != nil {
            try sandbox.write("[Service]\nExecStart=/bin/true\n", to: "units/pipewire.service")
            try await sandbox.output(of: ["cp", "-r", unit, sandbox.path("units")])
            let service = sandbox.path("units/pipewire.service")
            try await sandbox.output(of: ["systemd-analyze", "verify", "--man=no", "--user", service])
        }
        // As systemd reads the line: two percent signs are one.
        let assignment = try #require(dropIn.firstMatch(of: /\nEnvironment="PIPEWIRE_MODULE_DIR=(.*)"\n/)?.1)
        let folders = assignment.replacingOccurrences(of: "%%", with: "%")
        func isLoaded() async throws -> Bool {
            let environment = environment.merging(["PIPEWIRE_MODULE_DIR": folders]) { $1 }
            let daemon = try sandbox.start("pipewire", Invocation("pipewire", environment: environment))
            let objects = try await waitUntil("PipeWire", evidence: { daemon.log.tail() }) {
                try? await sandbox.output(of: ["pw-dump"], environment: environment)
            }
            await daemon.stop()
            return objects.contains("\"libpipewire-module-audio-session\"")
        }
        #expect(try await isLoaded())
        try await run("\(project)/install/uninstall", "--user")
        #expect(read(fragment)?.hasSuffix("# mine too\n") == true)
        try FileManager.default.removeItem(atPath: (fragment as NSString).deletingLastPathComponent)
        #expect(try below(home) == before)
        for (file, text) in own { #expect(read(file) == text) }
        #expect(try await !isLoaded())
    }
}
