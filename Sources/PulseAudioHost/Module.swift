import CPulseCore
import CRuntimeTrim
import Glibc
import HostSupport
import PolicyFile
import PolicyRuntime

/// One loaded module. Lives until the daemon unloads it.
public final class Module {
    private let host: PulseAudioHost
    private let keeper: PolicyKeeper
    private let start: StartWatch?

    private init?(_ core: OpaquePointer, arguments: ModuleArguments, start: StartWatch?) {
        self.start = start
        keeper = PolicyKeeper(arguments: arguments.policyText) { PulseAudioHost.write($0, $1) }
        guard
            let host = PulseAudioHost(
                core: core, policy: keeper.load(), servesBus: arguments.servesBus,
                streamCame: { [weak start] in start?.streamCame() })
        else { return nil }
        self.host = host
        start?.run(on: host.eventLoop)
        keeper.watch(on: host.eventLoop) { [unowned self] in self.host.apply($0) }
    }

    /// Verifies the daemon's structs, loads the policy, and starts to apply it.
    ///
    /// - Returns: 0, or -1 with the reason in the log: the daemon's release is unknown, the daemon crashed at the last
    ///   start, the module is already loaded, or an argument is wrong.
    public static func load(into module: OpaquePointer) -> Int32 {
        guard let release = text(cpc_running_release()) else { return -1 }
        guard cpc_begin(release) else {
            let known = text(cpc_known_releases()) ?? ""
            PulseAudioHost.write(
                .error,
                "PulseAudio \(release) is not supported: this module knows PulseAudio \(known)")
            return -1
        }
        let mark = StartMark(
            server: "pulseaudio", release: "PulseAudio \(release)", file: text(cpc_own_file(), limit: 4096),
            folder: runtimeFolder())
        if let mark, mark.find() == .leftover {
            PulseAudioHost.write(.error, mark.complaint)
            return -1
        }
        let start = mark.map { StartWatch($0, settled: crt_release_pages) }
        if let doubt = text(cpc_verify(module)) {
            PulseAudioHost.write(
                .error,
                """
                this PulseAudio \(release) is built differently from the one that this module knows: \(doubt); \
                nothing was touched
                """)
            return -1
        }
        guard let core = cpc_module_core(module) else { return -1 }
        let arguments: ModuleArguments
        switch ModuleArguments.read(text(cpc_module_argument(module), limit: 65_536) ?? "") {
        case .success(let read): arguments = read
        case .failure(let mistake):
            PulseAudioHost.write(.error, "\(mistake.text)")
            return -1
        }
        guard !isLoaded(beside: module, in: core) else {
            PulseAudioHost.write(.error, "the module is loaded already: two would undo each other's work")
            return -1
        }
        cpc_on_doubt(
            { doubt, module in
                PulseAudioHost.write(
                    .error,
                    """
                    this PulseAudio is built differently from the one that this module knows: \(text(doubt) ?? "?"); \
                    the module takes back what it has done, and is unloaded
                    """)
                if let module { cpc_module_unload_later(OpaquePointer(module)) }
            }, UnsafeMutableRawPointer(module))
        guard let loaded = Module(core, arguments: arguments, start: start) else {
            cpc_on_doubt(nil, nil)
            return -1
        }
        cpc_module_set_userdata(module, Unmanaged.passRetained(loaded).toOpaque())
        // Starting the Swift runtime and loading the policy touched a megabyte of code that is not needed again.
        crt_release_pages()
        return 0
    }

    /// Undoes all changes and frees the module.
    public static func unload(from module: OpaquePointer) {
        guard let data = cpc_module_userdata(module) else { return }
        cpc_module_set_userdata(module, nil)
        cpc_on_doubt(nil, nil)
        let loaded = Unmanaged<Module>.fromOpaque(data).takeRetainedValue()
        loaded.keeper.stop()
        loaded.host.leave()
        loaded.start?.end()
    }

    /// The runtime folder of the user, or of a daemon that serves the whole machine.
    private static func runtimeFolder() -> String? {
        text(getenv("XDG_RUNTIME_DIR"), limit: 4096) ?? text(getenv("PULSE_RUNTIME_PATH"), limit: 4096)
    }

    private static func isLoaded(beside module: OpaquePointer, in core: OpaquePointer) -> Bool {
        let own = text(cpc_module_name(module))
        var state: UnsafeMutableRawPointer?
        while let other = cpc_iterate(core, CPC_MODULES, &state) {
            let other = OpaquePointer(other)
            if other != module, text(cpc_module_name(other)) == own, cpc_module_userdata(other) != nil { return true }
        }
        return false
    }
}
