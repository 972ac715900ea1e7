import CPulseCore
import HostSupport
import PolicyEngine
import PolicyRuntime

/// The daemon's own modules that stop or lower streams by role. They and this module would undo each other's changes,
/// and the one that Debian loads by default resumes streams that the user has paused.
///
/// The policy decides whether they are unloaded while it is in force, or only reported.
final class ConflictingModules {
    private static let names: Set<String> = ["module-role-cork", "module-role-ducking"]
    /// The number of unloaded modules that are remembered at most.
    private static let most = 16

    private unowned let host: PulseAudioHost
    /// The modules that we unloaded, to be loaded again.
    private var replaced: [(name: String, arguments: String?)] = []
    /// The modules that are being unloaded.
    private var leaving: Set<OpaquePointer> = []

    init(host: PulseAudioHost) { self.host = host }

    /// Examines the modules that are loaded now, and those that come later.
    func begin() {
        update()
        host.on(CPC_MODULE_NEW) { [unowned self] in examine($0) }
        host.on(CPC_MODULE_UNLINK) { [unowned self] in leaving.remove($0) }
    }

    /// Applies the policy in force.
    func update() {
        if host.stockModules == .keep { restore() }
        for module in host.all(CPC_MODULES) { examine(module) }
    }

    /// Loads the unloaded modules again.
    func restore() {
        for (name, arguments) in replaced {
            host.log(.info, "\(name) is loaded again")
            if let arguments {
                cpc_module_load_later(host.core, name, arguments)
            } else {
                cpc_module_load_later(host.core, name, nil)
            }
        }
        replaced = []
    }

    private func examine(_ module: OpaquePointer) {
        guard let name = name(cpc_module_name(module)), ConflictingModules.names.contains(name),
            !leaving.contains(module)
        else { return }
        guard host.stockModules == .unload, replaced.count < ConflictingModules.most else {
            host.log(
                .warning,
                "\(name) is loaded: it and audio sessions work against each other; unload it, or set stock-modules = unload"
            )
            return
        }
        let arguments = text(cpc_module_argument(module), limit: 4096)
        host.log(.info, "\(name) is unloaded while this policy is in force: the policy takes its place")
        // Only one instance of it can be loaded, so one entry is enough.
        replaced.removeAll { $0.name == name }
        replaced.append((name, arguments))
        leaving.insert(module)
        cpc_module_unload_later(module)
    }
}
