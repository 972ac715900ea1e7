import CPulseCore
import SessionCore
import SessionHost

/// The daemon's own modules that stop or lower streams by role: they and this one would undo each other's work, and the one
/// that Debian loads by itself resumes what its user has paused.
///
/// The policy says whether they are unloaded as long as it is in force, or only warned of.
final class RivalModules {
    private static let names: Set<String> = ["module-role-cork", "module-role-ducking"]
    /// More are not remembered.
    private static let most = 16

    private unowned let host: PulseAudioHost
    /// Those that were unloaded, to be loaded again.
    private var replaced: [(name: String, arguments: String?)] = []
    /// Those that are about to be unloaded.
    private var leaving: Set<OpaquePointer> = []

    init(host: PulseAudioHost) { self.host = host }

    /// Looks at what is there, and at what comes.
    func begin() {
        update()
        host.on(CPC_MODULE_NEW) { [unowned self] in look(at: $0) }
        host.on(CPC_MODULE_UNLINK) { [unowned self] in leaving.remove($0) }
    }

    /// The policy in force may be another one.
    func update() {
        if host.stockModules == .keep { restore() }
        for module in host.all(CPC_MODULES) { look(at: module) }
    }

    /// Gives the daemon back what was unloaded.
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

    private func look(at module: OpaquePointer) {
        guard let name = name(cpc_module_name(module)), RivalModules.names.contains(name), !leaving.contains(module)
        else { return }
        guard host.stockModules == .unload, replaced.count < RivalModules.most else {
            host.log(
                .warning,
                "\(name) is loaded: it and audio sessions work against each other; unload it, or let stock-modules = unload"
            )
            return
        }
        let arguments = text(cpc_module_argument(module), limit: 4096)
        host.log(.info, "\(name) is unloaded as long as this policy is in force, which takes its place")
        // It is loaded once at a time, whoever loads it.
        replaced.removeAll { $0.name == name }
        replaced.append((name, arguments))
        leaving.insert(module)
        cpc_module_unload_later(module)
    }
}
