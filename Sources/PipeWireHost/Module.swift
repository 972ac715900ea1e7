import CPipeWire
import CRuntimeTrim
import Glibc
import HostSupport
import PolicyFile
import PolicyRuntime

/// One loaded module. Lives until the daemon destroys it.
public final class Module {
    private let host: PipeWireHost
    private let context: OpaquePointer
    private let keeper: PolicyKeeper
    private let start: StartWatch?
    private var listener: Listener<pw_impl_module_events>?

    private init(_ module: OpaquePointer, context: OpaquePointer, arguments: String?, start: StartWatch?) {
        self.context = context
        self.start = start
        keeper = PolicyKeeper(arguments: arguments) { PipeWireHost.write($0, $1) }
        host = PipeWireHost(
            context: context, policy: keeper.load(), servesBus: PolicyLoader.servesBus(arguments: arguments),
            streamCame: { [weak start] in start?.streamCame() })
        let loop = PipeWireLoop(pw_context_get_main_loop(context))
        start?.run(on: loop)
        keeper.watch(on: loop) { [unowned self] in host.apply($0) }
        var events = pw_impl_module_events()
        events.version = UInt32(PW_VERSION_IMPL_MODULE_EVENTS)
        events.destroy = { data in
            guard let data else { return }
            let module = Unmanaged<Module>.fromOpaque(data).takeRetainedValue()
            module.listener = nil
            module.keeper.stop()
            module.host.leave()
            module.start?.end()
            Module.mark(module.context, nil)
        }
        // The daemon owns the module; the destroy event releases it.
        listener = Listener(events) {
            pw_impl_module_add_listener(module, $0, $1, Unmanaged.passRetained(self).toOpaque())
        }
    }

    /// Loads the policy and starts to apply it. Does nothing if the daemon lacks a function that the module needs,
    /// crashed at the last start, or has already loaded this module.
    ///
    /// - Returns: 0, or a negative errno when the daemon has no context.
    public static func load(into module: OpaquePointer, arguments: UnsafePointer<CChar>?) -> Int32 {
        // Not an error: a server whose configuration requires this module would not start.
        if let missing = text(cpw_missing_function()) {
            cpw_complain(
                """
                this PipeWire \(text(cpw_release()) ?? "") has no \(missing), which the audio-session module calls: \
                the module does nothing
                """)
            return 0
        }
        cpw_log_open()
        guard let context = pw_impl_module_get_context(module) else { return -EINVAL }
        // Two instances would undo each other's changes to the same streams.
        guard pw_properties_get(pw_context_get_properties(context), loadedMark) == nil else {
            cpw_log(CPW_LOG_WARN, "the module is loaded already: this second one does nothing")
            return 0
        }
        let startMark = StartMark(
            server: "pipewire", release: "PipeWire \(text(pw_get_library_version()) ?? "?")",
            file: text(cpw_own_file(), limit: 4096), folder: runtimeFolder())
        // Not an error: a server whose configuration requires this module would not start.
        if let startMark, startMark.find() == .leftover {
            PipeWireHost.write(.error, startMark.complaint)
            return 0
        }
        let start = startMark.map { StartWatch($0, settled: crt_release_pages) }
        mark(context, "true")
        _ = Module(module, context: context, arguments: text(arguments, limit: .max), start: start)
        // Starting the Swift runtime and loading the policy touched a megabyte of code that is not needed again.
        crt_release_pages()
        return 0
    }

    /// The daemon property that marks a loaded instance of this module.
    private static let loadedMark = "audio-session.loaded"

    private static func mark(_ context: OpaquePointer, _ value: String?) {
        cpw_context_set_property(context, loadedMark, value)
    }

    private static func runtimeFolder() -> String? {
        text(getenv("PIPEWIRE_RUNTIME_DIR"), limit: 4096) ?? text(getenv("XDG_RUNTIME_DIR"), limit: 4096)
    }
}
