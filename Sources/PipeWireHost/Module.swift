import CPipeWire
import Glibc
import PolicyFile
import SessionCore
import SessionRuntime

/// One loaded module: lives from the daemon's call until the daemon destroys it.
public final class Module {
    private let host: PipeWireHost
    private let context: OpaquePointer
    private let arguments: String?
    private var listener: Listener<pw_impl_module_events>?
    private var watch: PolicyWatch?

    private init(_ module: OpaquePointer, context: OpaquePointer, arguments: String?) {
        self.context = context
        self.arguments = arguments
        let loaded = Module.loadPolicy(arguments)
        Module.report(loaded)
        host = PipeWireHost(
            context: context, policy: loaded, servesBus: PolicyLoader.servesBus(arguments: arguments))
        watch = PolicyWatch(
            PolicyLoader.folders(arguments: arguments, environment: Module.environment),
            on: pw_context_get_main_loop(context)
        ) { [unowned self] in reload() }
        var events = pw_impl_module_events()
        events.version = UInt32(PW_VERSION_IMPL_MODULE_EVENTS)
        events.destroy = { data in
            guard let data else { return }
            let module = Unmanaged<Module>.fromOpaque(data).takeRetainedValue()
            module.listener = nil
            module.watch = nil
            module.host.leave()
            Module.mark(module.context, nil)
        }
        // The daemon keeps the module alive; its destroy event gives it back.
        listener = Listener(events) {
            pw_impl_module_add_listener(module, $0, $1, Unmanaged.passRetained(self).toOpaque())
        }
    }

    /// Loads the policy and starts to apply it.
    ///
    /// - Returns: 0, or a negative errno when the daemon has no context.
    public static func load(into module: OpaquePointer, arguments: UnsafePointer<CChar>?) -> Int32 {
        cpw_log_open()
        guard let context = pw_impl_module_get_context(module) else { return -EINVAL }
        // Two of us would undo each other's work on the same streams.
        guard pw_properties_get(pw_context_get_properties(context), loadedMark) == nil else {
            cpw_log(CPW_LOG_WARN, "the module is loaded already: this second one does nothing")
            return 0
        }
        mark(context, "true")
        _ = Module(module, context: context, arguments: text(arguments, limit: .max))
        // Loading the Swift run-time and the policy has used a megabyte of code that is not used again.
        cpw_release_code()
        return 0
    }

    private static func environment(_ name: String) -> String? { text(getenv(name), limit: 4096) }

    private static func loadPolicy(_ arguments: String?) -> LoadedPolicy {
        PolicyLoader.load(arguments: arguments, environment: environment)
    }

    /// Says what is in force, and what is wrong with what is not.
    private static func report(_ loaded: LoadedPolicy) {
        for diagnostic in loaded.diagnostics {
            cpw_log(diagnostic.severity == .error ? CPW_LOG_ERROR : CPW_LOG_WARN, diagnostic.description)
        }
        if loaded.hasErrors { cpw_log(CPW_LOG_WARN, "files with errors are left out of the policy") }
        cpw_log(CPW_LOG_INFO, "policy: \(loaded.origin)")
    }

    /// Puts a changed policy in force. One with an error changes nothing: the last good one stays.
    private func reload() {
        let loaded = Module.loadPolicy(arguments)
        if loaded.hasErrors {
            for diagnostic in loaded.diagnostics {
                cpw_log(diagnostic.severity == .error ? CPW_LOG_ERROR : CPW_LOG_WARN, diagnostic.description)
            }
            cpw_log(CPW_LOG_WARN, "the changed policy has errors: the last good one stays in force")
        } else if host.apply(loaded) {
            Module.report(loaded)
        }
    }

    /// The daemon's property that says that a module of this kind is at work.
    private static let loadedMark = "audio-session.loaded"

    private static func mark(_ context: OpaquePointer, _ value: String?) {
        cpw_context_set_property(context, loadedMark, value)
    }
}
