import SessionCore

/// The policy that is in force, where it came from, and what was wrong on the way.
public struct LoadedPolicy: Sendable, Equatable {
    /// The policy; the built-in desktop policy when there was an error.
    public let policy: Policy
    /// Tells what streams are under it.
    public var classifier: Classifier { Classifier(policy) }
    /// Where the policy came from, to be logged: a path, `built-in desktop`, `PATH with module arguments`.
    public let origin: String
    /// Whether anything is wrong with what was read that keeps it from being used.
    public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
    /// Everything that is wrong with what was read. An error among it means that none of that is in force.
    public let diagnostics: [Diagnostic]
}

/// Finds the policy that the user or the administrator wants.
///
/// The module's arguments come first. They can name a file (`policy = /path`), or a preset (`policy = phone` or
/// `preset = phone`), and can hold any section of a policy file, which then overrides that file or preset key by key.
/// Where they name nothing, the first of these files is taken:
/// 1. `$XDG_CONFIG_HOME/audio-session/policy.conf`, or `$HOME/.config/…` where that variable is not set,
/// 2. `/etc/audio-session/policy.conf`,
/// 3. `/usr/share/audio-session/policy.conf`.
///
/// Where there is none of them, the built-in desktop policy is in force. It is, too, in place of anything with an error.
public enum PolicyLoader {
    static let systemFolders = ["/etc/audio-session", "/usr/share/audio-session"]
    /// What diagnostics call the arguments.
    static let argumentsName = "<module arguments>"

    /// Loads the policy. Reads files, so it has no place outside loading and reloading.
    ///
    /// - Parameters:
    ///   - arguments: The text behind `args` in the server's configuration, braces and all; `nil` when there is none.
    ///   - environment: Looks up an environment variable.
    public static func load(arguments: String?, environment: (String) -> String?) -> LoadedPolicy {
        load(arguments: arguments, environment: environment, systemFolders: systemFolders)
    }

    /// Loads the policy, with other system folders than the usual ones.
    static func load(
        arguments: String?, environment: (String) -> String?, systemFolders: [String]
    ) -> LoadedPolicy {
        var diagnosis = Diagnosis(file: argumentsName)
        let inline = arguments.map {
            Document(Array($0.utf8), named: argumentsName, kind: .arguments, &diagnosis)
        }
        let base = base(inline, environment, systemFolders, &diagnosis)
        var documents: [Document] = []
        var origin = "built-in \(base.preset.name)"
        if let file = base.file {
            origin = file.name
            documents.append(Document(file.bytes, named: file.name, &diagnosis))
        }
        if let inline { documents.append(inline) }
        guard let built = PolicyBuilder.build(documents, over: base.preset, &diagnosis) else {
            return LoadedPolicy(policy: .desktop, origin: "built-in desktop", diagnostics: diagnosis.diagnostics)
        }
        if base.file == nil { origin = "built-in \(built.policy.name)" }
        if inline?.members.contains(where: { !["policy", "preset"].contains($0.key.text) }) == true {
            origin += " with module arguments"
        }
        return LoadedPolicy(policy: built.policy, origin: origin, diagnostics: diagnosis.diagnostics)
    }

    /// The places where policy files are looked for, the most personal one first.
    public static func searchPath(environment: (String) -> String?) -> [String] {
        searchPath(environment, systemFolders)
    }

    /// The folders in which a change can change the policy, whether they exist or not.
    public static func folders(arguments: String?, environment: (String) -> String?) -> [String] {
        searchPath(environment: environment).flatMap { path in
            let folder = String(path.dropLast("/policy.conf".count))
            return [folder, folder + "/policy.conf.d"]
        }
    }

    private static func searchPath(_ environment: (String) -> String?, _ systemFolders: [String]) -> [String] {
        // The base directory specification has relative paths ignored.
        func folder(_ variable: String) -> String? {
            environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let personal = folder("XDG_CONFIG_HOME") ?? folder("HOME").map { "\($0)/.config" }
        return ((personal.map { ["\($0)/audio-session"] } ?? []) + systemFolders).map { "\($0)/policy.conf" }
    }

    /// What the arguments' sections are laid over: a preset, and perhaps a file.
    private static func base(
        _ inline: Document?, _ environment: (String) -> String?, _ systemFolders: [String],
        _ diagnosis: inout Diagnosis
    ) -> (preset: Preset, file: (name: String, bytes: [UInt8])?) {
        if let node = inline?.member("policy")?.value {
            return named(node, &diagnosis)
        }
        if inline?.member("preset") != nil { return (.desktop, nil) }
        for path in searchPath(environment, systemFolders) {
            switch FileContents.read(path) {
            case .success(let bytes): return (.desktop, (path, bytes))
            case .failure(let failure) where failure.isMissing: continue
            case .failure(let failure):
                diagnosis.file = path
                diagnosis.error(at: nil, found: failure.found, expected: failure.expected)
                return (.desktop, nil)
            }
        }
        return (.desktop, nil)
    }

    /// What the arguments name: a preset or a file.
    private static func named(
        _ node: Node, _ diagnosis: inout Diagnosis
    ) -> (preset: Preset, file: (name: String, bytes: [UInt8])?) {
        diagnosis.file = argumentsName
        let presets = Vocabulary.presets
        guard let text = node.text else {
            diagnosis.error(
                at: node.place, found: node.summary, expected: "the path of a policy file or \(presets.expected)")
            return (.desktop, nil)
        }
        if let preset = presets[text] { return (preset, nil) }
        guard text.hasPrefix("/") else {
            diagnosis.error(
                at: node.place, found: node.summary,
                expected: "the absolute path of a policy file or \(presets.expected)",
                nearest: nearest(to: text, among: presets.words.map(\.word)))
            return (.desktop, nil)
        }
        switch FileContents.read(text) {
        case .success(let bytes): return (.desktop, (text, bytes))
        case .failure(let failure):
            diagnosis.error(
                at: node.place, found: "\(node.summary): \(failure.found)", expected: failure.expected)
            return (.desktop, nil)
        }
    }
}
