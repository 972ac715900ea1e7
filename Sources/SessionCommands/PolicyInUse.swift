import PolicyFile
import SessionCore

/// A policy that a command works with, wherever it comes from.
struct PolicyInUse {
    /// Where it comes from, for people.
    var origin: String
    var policy: Policy
    /// Tells what streams are under it.
    var classifier: Classifier
    /// What is wrong with its sources.
    var diagnostics: [Diagnostic]
    /// Of one that stands in another file, what stands there: a preset's name, or an object.
    var source: Node?

    /// What the module would read on this machine for this user: what cannot be used of it is left out.
    static func installed() -> PolicyInUse {
        let loaded = PolicyLoader.load(arguments: nil, environment: environment)
        return PolicyInUse(
            origin: loaded.origin, policy: loaded.policy, classifier: loaded.classifier,
            diagnostics: loaded.diagnostics)
    }

    /// One file and nothing else, over the preset that it names.
    ///
    /// - Throws: ``Unusable`` when there is an error in it.
    static func file(_ path: String) throws(Unusable) -> PolicyInUse {
        try PolicyInUse(PolicyFile(path: path, presetFolders: presetFolders))
    }

    /// A preset by its name.
    ///
    /// - Throws: ``Unusable`` when there is none of that name.
    static func preset(_ name: String) throws(Unusable) -> PolicyInUse {
        let place = Place(line: 1, column: 1)
        return try preset(
            Node(content: .text(name, isQuoted: true), place: place), named: "--preset")
    }

    /// A preset by its name in a file, so that a wrong one is reported there.
    static func preset(
        _ name: Node, named file: String, presetFolders: [String] = Self.presetFolders
    ) throws(Unusable) -> PolicyInUse {
        let member = Member(key: Key(text: "preset", place: name.place), value: name)
        var result = try PolicyInUse(PolicyFile([member], named: file, presetFolders: presetFolders))
        result.origin = name.text ?? result.policy.name
        return result
    }

    /// A policy inside another file.
    static func inline(
        _ members: [Member], named file: String, presetFolders: [String] = Self.presetFolders
    ) throws(Unusable) -> PolicyInUse {
        try PolicyInUse(PolicyFile(members, named: file, presetFolders: presetFolders))
    }

    /// Where files of presets are that are not built in, the weakest first.
    static var presetFolders: [String] { PolicyLoader.layerFolders(environment: environment) }

    /// Why there is no policy.
    struct Unusable: Error {
        var diagnostics: [Diagnostic]
    }

    private init(_ file: PolicyFile) throws(Unusable) {
        guard let policy = file.policy, let classifier = file.classifier else {
            throw Unusable(diagnostics: file.diagnostics)
        }
        self.init(origin: file.name, policy: policy, classifier: classifier, diagnostics: file.diagnostics)
    }

    private init(origin: String, policy: Policy, classifier: Classifier, diagnostics: [Diagnostic]) {
        self.origin = origin
        self.policy = policy
        self.classifier = classifier
        self.diagnostics = diagnostics
    }
}
