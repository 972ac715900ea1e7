import BusInterface
import PolicyFile

/// Judges the evidence about a desktop, and looks at nothing itself. There is a finding for each subject; a subject comes after
/// those on which it depends.
struct Examination {
    let evidence: Evidence

    /// All findings.
    var findings: [Finding] {
        let checks: [(subject: String, finding: Finding?)] = [
            ("session", session), ("session bus", bus), ("sound server", server), ("releases", releases),
            ("installed", installed), ("configuration", loading), ("loaded", loaded), ("last start", leftover),
            ("service", service), ("limits", limits), ("policy", policy), ("other policies", otherPolicies),
            ("outputs", outputs), ("switches", switches), ("roles", roles), ("microphones", microphones),
            ("claims", claims), ("log", log),
        ]
        return checks.compactMap { subject, finding in
            var finding = finding
            finding?.subject = subject
            return finding
        }
    }

    /// The sound server of this session.
    var sound: Evidence.Sound? { evidence.sound }
    /// The process of that server.
    var daemon: Evidence.ServerProcess? {
        let own = evidence.processes.filter { $0.isOfThisSession && $0.name == sound?.daemon }
        return own.first { $0.number == evidence.owner } ?? own.first { $0.module != nil } ?? own.first
    }
    /// How its user starts the server again.
    var restart: String { "systemctl --user restart \(sound?.daemon ?? "pipewire")" }

    /// Several names as a list with "and".
    func all(_ names: [String]) -> String { list(names, lastAfter: "and") }

    // MARK: - The session

    private var session: Finding? {
        let surroundings = evidence.surroundings
        if surroundings.isBySudo {
            return .problem(
                "this runs as root, and sees nothing of the user who called it",
                advice: "run it without sudo")
        }
        guard let folder = surroundings.runtimeFolder else {
            return .note(
                "XDG_RUNTIME_DIR is not set, so the bus and the sound server are looked for in "
                    + surroundings.usualFolder,
                advice: "run it in a terminal of the desktop; after su, use machinectl shell or ssh in its place")
        }
        guard surroundings.hasRuntimeFolder else {
            return .problem(
                "the folder of XDG_RUNTIME_DIR, \(folder), is not this user's",
                advice: "run it as the user whose desktop it is; after su, use machinectl shell or ssh in its place")
        }
        return .ok("the runtime folder is \(folder)")
    }

    private var bus: Finding? {
        let surroundings = evidence.surroundings
        let address = surroundings.busAddress
        let place = address ?? "\(surroundings.runtimeFolder ?? surroundings.usualFolder)/bus"
        if let error = evidence.busError {
            return .problem(
                "the bus \(place) cannot be reached: \(error)",
                advice: address == nil
                    ? "start the bus: systemctl --user start dbus"
                    : "set DBUS_SESSION_BUS_ADDRESS to the bus of the desktop, or unset it")
        }
        if let daemon, let other = daemon.busAddress, let address, bare(other) != bare(address) {
            return .note(
                "it answers, but \(daemon.name) was started with another one: \(other)",
                details: ["here it is \(address)"],
                advice: "if the service is not found, use the server's: DBUS_SESSION_BUS_ADDRESS='\(other)'")
        }
        return .ok("\(place) answers")
    }

    /// The place of a bus in its address, without the number that tells one run of the bus from another.
    private func bare(_ address: String) -> Substring { address.prefix { $0 != "," } }

    // MARK: - The server

    private var server: Finding? {
        let own = evidence.processes.filter(\.isOfThisSession)
        let others = evidence.processes.filter { !$0.isOfThisSession }
        let elsewhere = others.map { process in
            "\(process.name) (process \(process.number)) belongs to another session: "
                + "XDG_RUNTIME_DIR is \(process.runtimeFolder ?? "not set") there"
        }
        guard let sound else {
            return .problem(
                "neither PipeWire nor PulseAudio runs in this session",
                details: Array(elsewhere.prefix(4)),
                advice: "start it: systemctl --user start pipewire pipewire-pulse wireplumber")
        }
        func runs(_ names: String...) -> Bool { own.contains { names.contains($0.name) } }
        let names = all(own.map { "\($0.name) (process \($0.number))" })
        let text = "\(sound.rawValue): \(names)"
        if sound == .pipeWire, !runs("wireplumber", "pipewire-media-session") {
            return .problem(
                "\(text), and no session manager, so nobody is heard",
                advice: "start it: systemctl --user start wireplumber")
        }
        if sound == .pipeWire, !runs("pipewire-pulse", "pulseaudio") {
            return .note(
                "\(text), and no pipewire-pulse, so programs for PulseAudio are not heard",
                advice: "start it: systemctl --user start pipewire-pulse")
        }
        if runs("pulseaudio"), runs("pipewire-pulse") {
            return .note(
                "\(text); PulseAudio and pipewire-pulse run beside each other",
                advice: "keep one of the two: systemctl --user mask --now pulseaudio.socket pulseaudio.service")
        }
        return .ok(text)
    }

    private var releases: Finding? {
        guard sound != nil else { return nil }
        let says = evidence.programsSay
        let own = evidence.state.map(\.server) ?? ""
        // `pactl` names the same release as the module in PulseAudio.
        let known = ([own] + says.releases.filter { $0 != own } + [evidence.system]).filter { !$0.isEmpty }
        let text = known.isEmpty ? "they are not known" : known.joined(separator: ", ")
        if says.missing.isEmpty { return .ok(text) }
        let verb = says.missing.count == 1 ? "is" : "are"
        return .note(text, advice: "\(all(says.missing)) \(verb) not installed, and would say more")
    }

    // MARK: - The module's files

    private var installed: Finding? {
        guard let sound else { return nil }
        let files = evidence.modules.filter { $0.sound == sound }
        guard let first = files.first else {
            let folders = evidence.folders[sound] ?? []
            let other = evidence.modules.first
            return .problem(
                "\(sound.module).so is in none of the folders from which \(sound.rawValue) loads modules",
                details: folders + (other.map { ["for \($0.sound.rawValue) there is \($0.path)"] } ?? []),
                advice: sound == .pulseAudio
                    ? "install the package pulseaudio-module-audio-session, or run install/install"
                    : "install the package libpipewire-0.3-modules-audio-session, or run install/install")
        }
        if files.count == 1 { return .ok(first.path) }
        return .note(
            "the module is installed \(files.count) times; \(sound.rawValue) takes the first",
            details: files.map(\.path), advice: "remove the others: install/uninstall, or install/uninstall --user")
    }

    private var loading: Finding? {
        guard let sound, evidence.modules.contains(where: { $0.sound == sound }) else { return nil }
        let files = evidence.loaders[sound] ?? []
        if !files.isEmpty { return .ok("the module is loaded by \(all(files))") }
        let isThere = daemon?.module != nil
        return Finding(
            mark: isThere ? .note : .problem,
            text: "no file of \(sound.rawValue)'s configuration loads the module"
                + (isThere ? ", so it is gone when the server starts next" : ""),
            advice: [
                sound == .pipeWire
                    ? "put one into ~/.config/pipewire/pipewire.conf.d, as install/install --user does"
                    : "put it into /etc/pulse/default.pa.d, as install/install does, or: pactl load-module \(sound.module)"
            ])
    }

    private var loaded: Finding? {
        guard let sound, let daemon else { return nil }
        guard daemon.isReadable else {
            return .note(
                "what \(daemon.name) has loaded cannot be seen: its memory is closed",
                advice: "ask it: " + (sound == .pipeWire ? "pw-dump | grep audio-session" : "pactl list short modules"))
        }
        guard let module = daemon.module else {
            guard let file = evidence.modules.first(where: { $0.sound == sound }) else { return nil }
            var advice = ["start the server again, which interrupts all sound for a moment: \(restart)"]
            if file.path.contains("/.local/lib/") {
                // PipeWire looks into a home only where this variable says so; systemd sets it.
                let folders = (evidence.folders[sound] ?? []).joined(separator: ":")
                advice.append("where systemd does not start it, start it with PIPEWIRE_MODULE_DIR=\(folders)")
            }
            return Finding(
                mark: .problem, text: "\(daemon.name) (process \(daemon.number)) has not loaded the module",
                advice: advice)
        }
        let present = evidence.modules.first { $0.sound == sound && $0.path == module.path }
        if module.isDeleted || present.map({ $0.number != module.number }) ?? false {
            return .note(
                "\(daemon.name) runs a module whose file was replaced or removed since: \(module.path)",
                advice: "start the server again, to have the one that is installed now: \(restart)")
        }
        return .ok("\(daemon.name) (process \(daemon.number)) runs \(module.path)")
    }

    private var leftover: Finding? {
        guard !evidence.leftovers.isEmpty else { return nil }
        // The mark is written again for a while when the first stream comes, so a server that was killed then leaves it, too.
        let isServing = evidence.owner != nil
        return Finding(
            mark: isServing ? .note : .problem,
            text: "the sound server has ended amid a start of the module"
                + (isServing ? "" : ", so the module is not loaded again"),
            details: evidence.leftovers,
            advice: isServing
                ? ["nothing: it runs again"]
                : [
                    "report it, with what the journal says of that time",
                    "to try again: rm \(evidence.leftovers.joined(separator: " ")), and start the sound server",
                ])
    }
}
