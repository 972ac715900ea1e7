import BusInterface
import DBus
import Glibc
import PolicyEngine

/// Collects the evidence on this machine. It changes nothing, and starts no server.
struct Collection {
    private let home = environment("HOME")
    private let runtimeFolder = environment("XDG_RUNTIME_DIR")
    /// The folder that stands in for a runtime folder that is not set.
    private let usualFolder = "/run/user/\(getuid())"
    /// The folder of the user's configuration.
    private let configuration = environment("XDG_CONFIG_HOME") ?? environment("HOME").map { "\($0)/.config" }
    /// The largest number of streams of which the explanation is asked for, and of lines of the journal.
    private static let mostStreams = 64
    private static let mostLines = 10

    /// Everything that the doctor judges by.
    func evidence() -> Evidence {
        var evidence = Evidence()
        evidence.system = Installation.system
        evidence.surroundings = surroundings
        evidence.processes = Processes.servers(runtimeFolder: runtimeFolder)
        ask(&evidence)
        for sound in Evidence.Sound.allCases {
            let process = evidence.processes.first { $0.isOfThisSession && $0.name == sound.daemon }
            let folders = Installation.folders(of: sound, process: process, home: home)
            evidence.folders[sound] = folders
            evidence.modules += Installation.modules(sound, in: folders)
            evidence.loaders[sound] = Installation.loaders(of: sound, process: process, configuration: configuration)
        }
        let installed = PolicyInUse.installed()
        evidence.policyOrigin = installed.origin
        evidence.mistakes = installed.diagnostics
        evidence.programsSay = programs(evidence)
        evidence.leftovers = Installation.leftovers(in: markFolders(evidence))
        evidence.log = log
        return evidence
    }

    private var surroundings: Evidence.Surroundings {
        var status = stat()
        let folder = runtimeFolder ?? usualFolder
        let isOwn = stat(folder, &status) == 0 && status.st_uid == getuid()
        return Evidence.Surroundings(
            runtimeFolder: runtimeFolder, usualFolder: usualFolder, hasRuntimeFolder: isOwn,
            busAddress: environment("DBUS_SESSION_BUS_ADDRESS").flatMap { $0.isEmpty ? nil : $0 },
            isBySudo: getuid() == 0 && environment("SUDO_UID").map { $0 != "0" } ?? false)
    }

    // MARK: - The service

    private func ask(_ evidence: inout Evidence) {
        let service = ServiceConnection()
        switch service.owner() {
        case .failure(let error) where error.isWithoutService: return
        case .failure(let error): evidence.busError = error.message.isEmpty ? error.name : error.message
        case .success(let owner):
            let credentials = try? service.wait { service.bus.credentials(of: owner, then: $0) }.get()
            evidence.owner = credentials?.processID.flatMap { Int32(exactly: $0) }
            switch service.wait(for: { service.read(then: $0) }) {
            case .success(let state):
                evidence.state = state
                evidence.moment = WallTime.now.microseconds
            case .failure(let error): evidence.stateError = error.message.isEmpty ? error.name : error.message
            }
        }
        for stream in (evidence.state?.streams ?? []).prefix(Self.mostStreams) {
            if case .success(let answer) = service.call("Explain", [.string(String(stream.id))]) {
                evidence.explanations += answer.first?.elements?.compactMap(\.text) ?? []
            }
        }
    }

    // MARK: - Other programs

    private func programs(_ evidence: Evidence) -> Evidence.ProgramsSay {
        var says = Evidence.ProgramsSay()
        func ask(_ words: [String], _ changes: [String: String] = [:]) -> String {
            if let output = ProgramOutput.of(words, environment: changes) { return output }
            if !says.missing.contains(words[0]) { says.missing.append(words[0]) }
            return ""
        }
        let own = evidence.processes.filter(\.isOfThisSession).map(\.name)
        if own.contains("pipewire") { says.readDump(ask(["pw-dump"])) }
        says.roleFiles = Installation.roleFiles(configuration: configuration)
        if own.contains("wireplumber") { says.readManager(ask(["wireplumber", "--version"])) }
        // A named server is not started if it is not there.
        if own.contains("pulseaudio") || own.contains("pipewire-pulse"), let server = pulseServer {
            let info = ask(["pactl", "info"], ["PULSE_SERVER": server])
            says.readServer(info)
            says.readOutputs(ask(["pactl", "list", "sinks"], ["PULSE_SERVER": server]), info)
            if own.contains("pulseaudio") {
                says.readModules(ask(["pactl", "list", "short", "modules"], ["PULSE_SERVER": server]))
            }
        }
        return says
    }

    private var pulseServer: String? {
        if let said = environment("PULSE_SERVER"), !said.isEmpty { return said }
        let folder = environment("PULSE_RUNTIME_PATH") ?? "\(runtimeFolder ?? usualFolder)/pulse"
        return FileBytes.number(of: "\(folder)/native") == nil ? nil : "unix:\(folder)/native"
    }

    /// The folders in which the module marks its starts (`StartMark`).
    private func markFolders(_ evidence: Evidence) -> [String] {
        var folders = [runtimeFolder ?? usualFolder]
        for process in evidence.processes where process.isOfThisSession {
            let variables = Processes.variables(of: process.number)
            folders += ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH"].compactMap { variables[$0] }
        }
        return Installation.unique(folders)
    }

    /// The last lines of the servers' journal that are about the module.
    private var log: [String]? {
        let words = ["journalctl", "--user", "-u", "pipewire", "-u", "pulseaudio", "-n", "1000", "-o", "short-iso"]
        guard let text = ProgramOutput.of(words + ["--no-pager", "--no-hostname", "-q"]), !text.isEmpty else {
            return nil
        }
        return text.split(separator: "\n").filter { $0.contains("audio-session") || $0.contains("audio_session") }
            .suffix(Self.mostLines).map { printable(String($0), limit: 300) }
    }
}
