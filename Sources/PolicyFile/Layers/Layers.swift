/// The folders in which policy files are looked for, and their contents.
struct Layers: Sendable {
    static let systemFolders = ["/usr/share/audio-session", "/etc/audio-session"]

    /// The folders, weakest first.
    let folders: [String]
    /// The folder of the user, the strongest; `nil` if the environment does not say where it is.
    let personalFolder: String?

    /// Creates the usual layers.
    ///
    /// - Parameters:
    ///   - environment: Looks up an environment variable.
    ///   - systemFolders: The folders shared by all users, weakest first.
    init(environment: (String) -> String?, systemFolders: [String] = Layers.systemFolders) {
        // The base directory specification says that relative paths are ignored.
        func folder(_ variable: String) -> String? {
            environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let personal = folder("XDG_CONFIG_HOME") ?? folder("HOME").map { "\($0)/.config" }
        personalFolder = personal.map { "\($0)/audio-session" }
        folders = systemFolders + (personalFolder.map { [$0] } ?? [])
    }

    init(folders: [String]) {
        self.folders = folders
        personalFolder = nil
    }

    /// Reads all layers, the weakest first.
    func documents() -> [Document] {
        folders.flatMap { folder -> [Document] in
            let dropIns = "\(folder)/policy.conf.d"
            let own = Document.ifPresent("\(folder)/policy.conf").map { [$0] } ?? []
            switch Folder.names(dropIns) {
            case .success(let names): return own + names.compactMap { Document.ifPresent("\(dropIns)/\($0)") }
            case .failure(let failure): return own + [Document(named: dropIns, failure: failure)]
            }
        }
    }

    /// Reads the file of a preset, from the strongest layer that has it.
    func preset(_ name: String) -> Document? {
        guard isPresetName(name) else { return nil }
        return folders.reversed().lazy.compactMap { Document.ifPresent("\($0)/\(name).conf") }.first
    }

    /// The names of the presets that exist as files.
    func presetNames() -> [String] {
        let names = folders.flatMap { folder -> [String] in
            guard case .success(let files) = Folder.names(folder) else { return [] }
            return files.map { String($0.dropLast(".conf".count)) }
        }
        return Set(names.filter(isPresetName)).sorted()
    }

    private func isPresetName(_ name: String) -> Bool {
        !name.isEmpty && name != "policy" && name.utf8.count <= 64 && !name.hasPrefix(".")
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
}
