public import DBus
import Glibc
public import PolicyFile
public import PolicyRuntime

/// Loads the module's policy, and loads it again when its files change.
public final class PolicyKeeper {
    private let arguments: String?
    private let log: (LogLevel, String) -> Void
    private var watch: PolicyWatch<LoadedPolicy>?

    /// Creates a keeper for a policy. The arguments are in the syntax of policy files.
    public init(arguments: String?, log: @escaping (LogLevel, String) -> Void) {
        self.arguments = arguments
        self.log = log
    }

    /// Loads the policy. Logs its origin and all errors.
    public func load() -> LoadedPolicy {
        let loaded = PolicyLoader.load(arguments: arguments, environment: Self.environment)
        logPolicy(loaded)
        return loaded
    }

    /// Passes each changed policy without errors to `apply`, which returns whether it differs; errors keep the last
    /// valid one. A separate thread reads the files.
    public func watch(on loop: any EventLoop, apply: @escaping (LoadedPolicy) -> Bool) {
        let environment = Dictionary(
            uniqueKeysWithValues: PolicyLoader.variables.compactMap { name in Self.environment(name).map { (name, $0) }
            })
        let folders = PolicyLoader.folders(arguments: arguments) { environment[$0] }
        let arguments = arguments
        watch = PolicyWatch(folders, on: loop) {
            PolicyLoader.load(arguments: arguments) { environment[$0] }
        } changed: { [weak self] in
            self?.adopt($0, apply)
        } whenSlow: { [log] in
            log(.warning, "the policy files take long to be read: the policy stays as it is until they are")
        }
        if watch?.isWatching == false {
            log(
                .warning,
                "changes of the policy files will not be noticed before the server starts again: the system has no watch "
                    + "for folders left (inotify(7): fs.inotify.max_user_instances, fs.inotify.max_user_watches)")
        }
    }

    private func adopt(_ loaded: LoadedPolicy, _ apply: (LoadedPolicy) -> Bool) {
        if loaded.hasErrors {
            logDiagnostics(loaded)
            log(.warning, "the changed policy has errors: the last good one stays in force")
        } else if apply(loaded) {
            logPolicy(loaded)
        }
    }

    /// Stops watching.
    public func stop() { watch = nil }

    private func logPolicy(_ loaded: LoadedPolicy) {
        logDiagnostics(loaded)
        if loaded.hasErrors { log(.warning, "files with errors are left out of the policy") }
        log(.info, "policy: \(loaded.origin)")
    }

    private func logDiagnostics(_ loaded: LoadedPolicy) {
        for diagnostic in loaded.diagnostics {
            log(diagnostic.severity == .error ? .error : .warning, diagnostic.description)
        }
    }

    private static func environment(_ name: String) -> String? { text(getenv(name), limit: 4096) }
}
