import Glibc
public import PolicyFile
public import SessionBus
public import SessionRuntime

/// Loads the policy of a module, and loads it again when its files have changed.
public final class PolicyKeeper {
    private let arguments: String?
    private let log: (LogLevel, String) -> Void
    private var watch: PolicyWatch<LoadedPolicy>?

    /// - Parameters:
    ///   - arguments: The module's, as a policy file writes them.
    ///   - log: Writes a line.
    public init(arguments: String?, log: @escaping (LogLevel, String) -> Void) {
        self.arguments = arguments
        self.log = log
    }

    /// Reads the policy, and says what is in force and what is wrong with what is not.
    public func load() -> LoadedPolicy {
        let loaded = PolicyLoader.load(arguments: arguments, environment: Self.environment)
        report(loaded)
        return loaded
    }

    /// Hands on each changed policy without an error, which is put in force or found not to differ; one with an error changes
    /// nothing: the last good one stays. The files are read on a thread of their own.
    public func watch(on loop: any EventLoop, apply: @escaping (LoadedPolicy) -> Bool) {
        let environment = Dictionary(
            uniqueKeysWithValues: PolicyLoader.variables.compactMap { name in Self.environment(name).map { (name, $0) }
            })
        let folders = PolicyLoader.folders(arguments: arguments) { environment[$0] }
        let arguments = arguments
        watch = PolicyWatch(folders, on: loop) {
            PolicyLoader.load(arguments: arguments) { environment[$0] }
        } changed: { [weak self] in
            self?.take($0, apply)
        } isSlow: { [log] in
            log(.warning, "the policy files take long to be read: the policy stays as it is until they are")
        }
    }

    private func take(_ loaded: LoadedPolicy, _ apply: (LoadedPolicy) -> Bool) {
        if loaded.hasErrors {
            complain(loaded)
            log(.warning, "the changed policy has errors: the last good one stays in force")
        } else if apply(loaded) {
            report(loaded)
        }
    }

    /// Looks no more.
    public func stop() { watch = nil }

    private func report(_ loaded: LoadedPolicy) {
        complain(loaded)
        if loaded.hasErrors { log(.warning, "files with errors are left out of the policy") }
        log(.info, "policy: \(loaded.origin)")
    }

    private func complain(_ loaded: LoadedPolicy) {
        for diagnostic in loaded.diagnostics {
            log(diagnostic.severity == .error ? .error : .warning, diagnostic.description)
        }
    }

    private static func environment(_ name: String) -> String? { text(getenv(name), limit: 4096) }
}
