import Glibc

/// Looks for the module's files where servers look for them (`install/paths`).
enum Installation {
    /// The folders from which a server loads modules.
    ///
    /// - Parameter process: The server's process, which may have been told of other folders.
    static func folders(of sound: Evidence.Sound, process: Evidence.ServerProcess?, home: String?) -> [String] {
        var folders: [String] = []
        switch sound {
        case .pipeWire:
            let said =
                process.map { Processes.variables(of: $0.number)["PIPEWIRE_MODULE_DIR"] }
                ?? environment("PIPEWIRE_MODULE_DIR")
            if let said, !said.isEmpty { return unique(said.split(separator: ":").map(String.init)) }
            folders = matches("/usr/lib", "pipewire-0.3") + ["/usr/lib64/pipewire-0.3", "/usr/local/lib/pipewire-0.3"]
            if let home { folders.append("\(home)/.local/lib/audio-session") }
        case .pulseAudio:
            let words = process.map { Processes.words(of: $0.number) } ?? []
            if let said = values(of: "-p", "--dl-search-path=", in: words).last {
                return unique(said.split(separator: ":").map(String.init))
            }
            for root in ["/usr/lib"] + FileBytes.names(in: "/usr/lib").map({ "/usr/lib/\($0)" }) {
                folders += FileBytes.names(in: root).filter { $0.hasPrefix("pulse-") }.map { "\(root)/\($0)/modules" }
                folders.append("\(root)/pulseaudio/modules")
            }
        }
        return unique(folders.filter { FileBytes.number(of: $0) != nil })
    }

    /// The module's files in some folders.
    static func modules(_ sound: Evidence.Sound, in folders: [String]) -> [Evidence.ModuleFile] {
        folders.compactMap { folder in
            let path = "\(folder)/\(sound.module).so"
            return FileBytes.number(of: path).map { Evidence.ModuleFile(sound: sound, path: path, number: $0) }
        }
    }

    /// The files of a server's configuration that name the module outside a comment.
    ///
    /// - Parameter configuration: The folder of the user's configuration.
    static func loaders(
        of sound: Evidence.Sound, process: Evidence.ServerProcess?, configuration: String?
    ) -> [String] {
        let words = process.map { Processes.words(of: $0.number) } ?? []
        var files: [String] = []
        switch sound {
        case .pipeWire:
            for root in ["/usr/share/pipewire", "/etc/pipewire"] + (configuration.map { ["\($0)/pipewire"] } ?? []) {
                files += ["\(root)/pipewire.conf"] + configurationFiles(in: "\(root)/pipewire.conf.d", ending: ".conf")
            }
        case .pulseAudio:
            for root in ["/etc/pulse"] + (configuration.map { ["\($0)/pulse"] } ?? []) {
                files += ["\(root)/default.pa"] + configurationFiles(in: "\(root)/default.pa.d", ending: ".pa")
            }
            files += values(of: "-F", "--file=", in: words)
        }
        let isInCommand = words.contains { $0.contains(sound.module) }
        return files.filter { mentions($0, [sound.module]) } + (isInCommand ? ["the server's command line"] : [])
    }

    /// The values of an option in the words of a command line, such as `-F FILE` or `--file=FILE`.
    private static func values(of short: String, _ long: String, in words: [String]) -> [String] {
        zip(words, words.dropFirst() + [""]).compactMap { word, next in
            word == short ? next : word.hasPrefix(long) ? String(word.dropFirst(long.count)) : nil
        }
    }

    /// The user's and the administrator's files for WirePlumber that speak of its role policy.
    static func roleFiles(configuration: String?) -> [String] {
        (["/etc/wireplumber"] + (configuration.map { ["\($0)/wireplumber"] } ?? [])).flatMap { root in
            ["wireplumber.conf.d", "policy.lua.d", "main.lua.d"].flatMap { folder in
                configurationFiles(in: "\(root)/\(folder)", ending: folder == "wireplumber.conf.d" ? ".conf" : ".lua")
            }
        }.filter { mentions($0, ["policy.role-based", "loopback.sink.role", "policy.roles"]) }
    }

    /// Whether a file has one of these words outside a comment.
    private static func mentions(_ file: String, _ words: [String]) -> Bool {
        (FileBytes.read(file) ?? "").split(separator: "\n").contains { line in
            let code = line.prefix { $0 != "#" }
            return !code.hasPrefix("--") && words.contains { code.contains($0) }
        }
    }

    private static func configurationFiles(in folder: String, ending: String) -> [String] {
        FileBytes.names(in: folder).filter { $0.hasSuffix(ending) }.map { "\(folder)/\($0)" }
    }

    /// A folder of this name in another one, or in a folder of that.
    private static func matches(_ root: String, _ name: String) -> [String] {
        ["\(root)/\(name)"] + FileBytes.names(in: root).map { "\(root)/\($0)/\(name)" }
    }

    /// Each folder once.
    static func unique(_ folders: [String]) -> [String] {
        folders.enumerated().filter { place, folder in !folders[..<place].contains(folder) }.map(\.element)
    }

    /// The distribution and its release, as `os-release(5)` has them for people.
    static var system: String {
        let lines = (FileBytes.read("/etc/os-release") ?? "").split(separator: "\n")
        let name = lines.first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst(12) ?? ""
        return String(name.filter { $0 != "\"" })
    }

    /// Files that tell of a start that its server did not survive, and that keep the module from being loaded again.
    static func leftovers(in folders: [String]) -> [String] {
        folders.flatMap { folder in Evidence.Sound.allCases.map { "\(folder)/audio-session-\($0.daemon).starting" } }
            .filter { path in
                FileBytes.read(path).map { isLeftover($0, identity: identity(of:), beginning: beginning(of:)) } ?? false
            }
    }

    /// Whether a file, as the module writes it (`StartMark`), is that of the present module and of a process that has
    /// ended.
    ///
    /// - Parameters:
    ///   - identity: What tells one version of a module's file from another.
    ///   - beginning: When a process started; `nil` if there is none.
    static func isLeftover(
        _ text: String, identity: (String) -> String?, beginning: (Int32) -> UInt64?
    ) -> Bool {
        // The module's file with its identity, the server's release, the process with its beginning.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 3 else { return false }
        let fields = lines[0].split(separator: " ")
        let words = lines[2].split(separator: " ")
        guard fields.count > 3, words.count == 2, let number = Int32(words[0]), let start = UInt64(words[1]) else {
            return false
        }
        guard identity(fields.dropLast(3).joined(separator: " ")).map({ $0 == lines[0] }) ?? false else { return false }
        return beginning(number) != start
    }

    private static func identity(of file: String) -> String? {
        var status = stat()
        guard stat(file, &status) == 0 else { return nil }
        return "\(file) \(status.st_size) \(status.st_ino) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    /// When a process started, in the kernel's ticks since boot; `nil` if there is no such process.
    private static func beginning(of process: Int32) -> UInt64? {
        guard let line = FileBytes.read("/proc/\(process)/stat"), let end = line.lastIndex(of: ")") else { return nil }
        // The start time is field 22. Field 3 is the first after the name, which may contain anything.
        let fields = line[line.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}
