import PolicyEngine
import PolicyFile

/// The policy that a command works with, and its source.
struct PolicyInUse {
    /// The policy, what streams are under it, and where it comes from.
    var inForce: PolicyInForce
    var policy: Policy { inForce.policy }
    /// Classifies streams under this policy.
    var classifier: Classifier { inForce.classifier }
    /// The source of the policy, for people.
    var origin: String { inForce.origin }
    /// The files that it is made of.
    var files: [String]
    /// The mistakes in its sources.
    var diagnostics: [Diagnostic]
    /// For a policy inside a scenario file: the value there, a preset's name or an object.
    var source: Node?

    /// The policy that the module would read on this machine for this user; parts with errors are left out.
    static func installed() -> PolicyInUse {
        let loaded = PolicyLoader.load(arguments: nil, environment: environment)
        return PolicyInUse(inForce: loaded.inForce, files: loaded.files, diagnostics: loaded.diagnostics)
    }

    /// The policy of one file alone, based on the preset that the file names.
    ///
    /// - Throws: ``Unusable`` if the file has an error.
    static func file(_ path: String) throws(Unusable) -> PolicyInUse {
        try PolicyInUse(PolicyFile(path: path, presetFolders: presetFolders))
    }

    /// The preset with a name.
    ///
    /// - Throws: ``Unusable`` if there is no such preset.
    static func preset(
        _ name: String, presetFolders: [String] = Self.presetFolders
    ) throws(Unusable) -> PolicyInUse {
        let node = Node(content: .text(name, isQuoted: true), place: Place(line: 1, column: 1))
        return try preset(node, named: "--preset", presetFolders: presetFolders)
    }

    /// The preset that a file names; an unknown name is reported at its place in the file.
    static func preset(
        _ name: Node, named file: String, presetFolders: [String] = Self.presetFolders
    ) throws(Unusable) -> PolicyInUse {
        let member = Member(key: Key(text: "preset", place: name.place), value: name)
        var result = try inline([member], named: file, presetFolders: presetFolders)
        result.inForce.origin = name.text ?? result.policy.name
        return result
    }

    /// A policy written inside another file.
    static func inline(
        _ members: [Member], named file: String, presetFolders: [String]
    ) throws(Unusable) -> PolicyInUse {
        try PolicyInUse(PolicyFile(members, named: file, presetFolders: presetFolders))
    }

    /// The folders with presets that are not built in, in ascending precedence.
    static var presetFolders: [String] { PolicyLoader.layerFolders(environment: environment) }

    /// Thrown when no policy can be read.
    struct Unusable: Error {
        var diagnostics: [Diagnostic]
    }

    private init(_ file: PolicyFile) throws(Unusable) {
        guard let policy = file.policy, let classifier = file.classifier else {
            throw Unusable(diagnostics: file.diagnostics)
        }
        self.init(
            inForce: PolicyInForce(
                policy: policy, classifier: classifier, preset: policy.name, origin: file.name),
            files: [file.name], diagnostics: file.diagnostics)
    }

    private init(inForce: PolicyInForce, files: [String], diagnostics: [Diagnostic]) {
        self.inForce = inForce
        self.files = files
        self.diagnostics = diagnostics
    }
}
