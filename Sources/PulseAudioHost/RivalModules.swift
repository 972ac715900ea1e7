import CPulseCore
import SessionHost

/// The daemon's own modules that stop or lower streams by role: they and this one would undo each other's work, and the one
/// that Debian loads by itself resumes what its user has paused.
///
/// They are named in the log, with what to do about them.
final class RivalModules {
    private static let names: Set<String> = ["module-role-cork", "module-role-ducking"]

    private unowned let host: PulseAudioHost

    init(host: PulseAudioHost) {
        self.host = host
        for module in host.all(CPC_MODULES) { look(at: module) }
        host.on(CPC_MODULE_NEW) { [unowned self] in look(at: $0) }
    }

    func update() {}

    func leave() {}

    private func look(at module: OpaquePointer) {
        guard let name = name(cpc_module_name(module)), RivalModules.names.contains(name) else { return }
        host.log(.warning, "\(name) is loaded: it and audio sessions work against each other; unload it")
    }
}
