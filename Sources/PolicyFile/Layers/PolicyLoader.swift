import PolicyEngine

/// The policy that is in force, where it came from, and what was wrong on the way.
public struct LoadedPolicy: Sendable, Equatable {
    /// The policy: all that was read without an error, over a built-in preset. Its origin is logged: `built-in desktop`, or its
    /// files in order, `with module arguments`.
    public let inForce: PolicyInForce
    /// The files that are in force, the weakest first.
    public let files: [String]
    /// Everything that is wrong with what was read. A file with an error is not in force.
    public let diagnostics: [Diagnostic]

    /// Whether a file or the arguments had to be left out.
    public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// The policy.
    public var policy: Policy { inForce.policy }
    /// Tells what streams are under it.
    public var classifier: Classifier { inForce.classifier }
    /// Where it comes from.
    public var origin: String { inForce.origin }

    init(_ assembly: Assembly) {
        let policy = assembly.contents.policy
        files = assembly.names.filter { $0 != PolicyLoader.argumentsName }
        let start = files.isEmpty ? "built-in \(policy.name)" : files.joined(separator: ", ")
        let isChangedByArguments = assembly.names.contains(PolicyLoader.argumentsName) && assembly.argumentsHaveSections
        inForce = PolicyInForce(
            policy: policy, classifier: assembly.contents.classifier, preset: assembly.preset,
            origin: start + (isChangedByArguments ? " with module arguments" : ""))
        diagnostics = assembly.diagnosis.diagnostics
    }
}

/// Finds the policy that the user and the administrator want.
///
/// It is made of layers, of which the later ones win key by key:
/// 1. a built-in preset, and the file of a preset that is not built in (`preset = car` is `car.conf` in one of the folders),
/// 2. `/usr/share/audio-session/`,
/// 3. `/etc/audio-session/`,
/// 4. `$XDG_CONFIG_HOME/audio-session/`, or `$HOME/.config/…` where that variable is not set,
/// 5. the module's arguments, which can hold any section of a policy file.
///
/// In each folder these are `policy.conf` and then `policy.conf.d/*.conf` in the order of their names. The arguments can
/// also name one file that takes the place of all folders (`policy = /path`), or a preset (`policy = phone`).
///
/// A file with an error is left out as a whole; everything else is in force.
public enum PolicyLoader {
    /// The environment variables that decide where files are looked for.
    public static let variables = ["XDG_CONFIG_HOME", "HOME"]
    /// What diagnostics call the arguments.
    static let argumentsName = "<module arguments>"

    /// Loads the policy. Reads files, so it has no place outside loading and reloading.
    ///
    /// - Parameters:
    ///   - arguments: The text behind `args` in the server's configuration, braces and all; `nil` when there is none.
    ///   - environment: Looks up an environment variable.
    public static func load(arguments: String?, environment: (String) -> String?) -> LoadedPolicy {
        load(arguments: arguments, layers: Layers(environment: environment))
    }

    /// The policy that ``load(arguments:environment:)`` loads, written out with the origin of each value.
    public static func effective(arguments: String?, environment: (String) -> String?) -> EffectivePolicy {
        effective(arguments: arguments, layers: Layers(environment: environment))
    }

    static func load(arguments: String?, layers: Layers) -> LoadedPolicy { LoadedPolicy(assemble(arguments, layers)) }

    static func effective(arguments: String?, layers: Layers) -> EffectivePolicy {
        EffectivePolicy(assemble(arguments, layers))
    }

    private static func assemble(_ arguments: String?, _ layers: Layers) -> Assembly {
        guard let arguments else { return Assembly(layers.documents(), presetsFrom: layers) }
        let inline = Document(Array(arguments.utf8), named: argumentsName, kind: .arguments)
        guard let node = inline.member("policy")?.value, let path = node.text, path.hasPrefix("/") else {
            return Assembly(layers.documents() + [inline], presetsFrom: layers)
        }
        switch FileContents.read(path) {
        case .success(let bytes):
            return Assembly([Document(bytes, named: path), inline], presetsFrom: layers)
        case .failure(let failure):
            let wrong = inline.adding { diagnosis in
                diagnosis.error(at: node.place, found: "\(node.summary): \(failure.found)", expected: failure.expected)
            }
            return Assembly(layers.documents() + [wrong], presetsFrom: layers)
        }
    }

    /// Whether the module's arguments let it serve the session bus: unless they say `dbus = no`.
    public static func servesBus(arguments: String?) -> Bool {
        guard let arguments else { return true }
        let inline = Document(Array(arguments.utf8), named: argumentsName, kind: .arguments)
        return inline.member("dbus").flatMap { truth($0.value) } ?? true
    }

    /// What a word says that is yes or no; `nil` for another one.
    static func truth(_ node: Node) -> Bool? {
        switch node.text {
        case "yes", "true": true
        case "no", "false": false
        default: nil
        }
    }

    /// The folders of the layers, the weakest first.
    public static func layerFolders(environment: (String) -> String?) -> [String] {
        Layers(environment: environment).folders
    }

    /// The user's own folder; `nil` if the environment does not say where it is.
    package static func personalFolder(environment: (String) -> String?) -> String? {
        Layers(environment: environment).personalFolder
    }

    /// The folders in which a change can change the policy, whether they exist or not.
    public static func folders(arguments: String?, environment: (String) -> String?) -> [String] {
        var folders = layerFolders(environment: environment).flatMap { [$0, $0 + "/policy.conf.d"] }
        if let arguments,
            let path = Document(Array(arguments.utf8), named: "", kind: .arguments).member("policy")?.value
                .text, path.hasPrefix("/"), let slash = path.lastIndex(of: "/")
        {
            let folder = slash == path.startIndex ? "/" : String(path[..<slash])
            if !folders.contains(folder) { folders.append(folder) }
        }
        return folders
    }
}
