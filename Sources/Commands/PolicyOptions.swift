import ArgumentParser

/// The options that choose a policy other than the installed one.
struct PolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A policy file to use, and nothing else.", valueName: "FILE"),
        completion: .file(extensions: ["conf"]))
    var policy: String?

    @Option(
        help: ArgumentHelp("A preset to use as it is.", valueName: "NAME"),
        completion: .list(["desktop", "phone", "car"]))
    var preset: String?

    func validate() throws {
        if policy != nil && preset != nil { throw ValidationError("--policy and --preset exclude each other") }
    }

    /// The chosen policy, if any; ends the command if the policy has errors.
    ///
    /// - Parameter presetFolders: The folders with presets that are not built in.
    func chosen(presetFolders: [String] = PolicyInUse.presetFolders) throws -> PolicyInUse? {
        do throws(PolicyInUse.Unusable) {
            if let policy { return try .file(policy) }
            if let preset { return try .preset(preset, presetFolders: presetFolders) }
            return nil
        } catch {
            Terminal.report(error.diagnostics)
            throw ExitCode.failure
        }
    }
}
