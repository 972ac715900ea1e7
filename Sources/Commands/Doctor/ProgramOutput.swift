import Glibc
import PolicyEngine

/// What another program prints, for `audio-session doctor`.
enum ProgramOutput {
    /// The longest output that is read, in bytes, and the time in which it has to come.
    private static let longest = 8 << 20
    private static let patience = Duration.seconds(5)

    /// Runs a program to its end, in plain English, and returns its standard output.
    ///
    /// - Returns: `nil` if there is no such program. A program that takes too long is ended, and what it has printed
    ///   counts.
    static func of(_ words: [String], environment changes: [String: String] = [:]) -> String? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return "" }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let (child, error) = spawn(words, environment: ["LC_ALL": "C"].merging(changes) { $1 }) { files in
            posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO)
            posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        close(ends[1])
        guard error == 0 else { return nil }
        let text = read(ends[0])
        kill(child, SIGKILL)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return text
    }

    private static func read(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let end = ContinuousClock.now + patience
        while bytes.count < longest, ContinuousClock.now < end {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = (end - .now).wholeNanoseconds / 1_000_000 + 1
            guard poll(&waiting, 1, Int32(clamping: left)) > 0 else { continue }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What programs say, as far as it matters to the doctor.
extension Evidence.ProgramsSay {
    /// Takes what `pw-dump` prints.
    mutating func readDump(_ text: String) {
        var isPause = false
        for line in text.split(separator: "\n") {
            if line.contains("\"policy.role-based.priority\"") || line.contains("\"policy.role-based.target\"")
                || line.contains("\"wireplumber.is-endpoint\": true")
            {
                hasRoleNodes = true
            }
            // A setting is an object with its key in one line and its value in a later one.
            if line.contains("\"key\": ") { isPause = line.contains("\"linking.pause-playback\"") }
            if isPause, line.contains("\"value\": ") { pausesPlayback = line.contains("true") }
        }
    }

    /// Takes what `pactl list short modules` prints.
    mutating func readModules(_ text: String) {
        let names = text.split(separator: "\n").compactMap { line in
            line.split(separator: "\t").dropFirst().first.map(String.init)
        }
        roleModules = ["module-role-cork", "module-role-ducking"].filter(names.contains)
    }

    /// Takes what `pactl list sinks` prints after `pactl info`: one paragraph for each output.
    mutating func readOutputs(_ text: String, _ info: String) {
        let defaultName = value("Default Sink", in: info)
        for output in text.split(separator: "\nSink #") {
            guard let name = value("Name", in: output), value("Mute", in: output) == "yes",
                name == defaultName || value("State", in: output) == "RUNNING"
            else { continue }
            mutedOutputs.append(Evidence.MutedOutput(title: value("Description", in: output) ?? name, name: name))
        }
    }

    /// The value in a line `key: value`.
    private func value(_ key: String, in text: some StringProtocol) -> String? {
        let lines = text.split(separator: "\n").lazy.map { $0.drop { $0 == "\t" } }
        return lines.first { $0.hasPrefix("\(key): ") }.map { String($0.dropFirst(key.count + 2)) }
    }

    /// Takes what `pactl info` prints: the server of PulseAudio's clients.
    mutating func readServer(_ text: String) {
        guard let name = value("Server Name", in: text) else { return }
        // "PulseAudio (on PipeWire 1.4.2)", or "pulseaudio", whose version is in another line.
        if name.contains("PipeWire") {
            releases.append("pipewire-pulse: \(name)")
        } else {
            releases.append("PulseAudio \(value("Server Version", in: text) ?? "?")")
        }
    }

    /// Takes what `wireplumber --version` prints, which is the release that is installed.
    mutating func readManager(_ text: String) {
        let line = text.split(separator: "\n").first { $0.hasPrefix("Linked with libwireplumber ") }
        if let release = line?.split(separator: " ").last { releases.append("WirePlumber \(release)") }
    }
}
