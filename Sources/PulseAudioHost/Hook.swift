import CPulseCore
import SessionHost

/// Listens to one of the daemon's hooks, and stops when it ends.
final class Hook {
    private var slot: OpaquePointer?
    private let body: (OpaquePointer) -> Int32

    /// - Parameters:
    ///   - priority: `CPC_EARLY` to come before the daemon's own policies.
    ///   - body: Gets what the hook is about; a negative answer suppresses where a hook can.
    init(_ core: OpaquePointer, _ hook: cpc_hook, priority: Int, _ body: @escaping (OpaquePointer) -> Int32) {
        self.body = body
        slot = cpc_connect(
            core, hook, Int32(truncatingIfNeeded: priority),
            { _, subject, data in
                guard let subject, let hook = object(data, as: Hook.self) else { return 0 }
                return hook.body(OpaquePointer(subject))
            }, pointer(to: self))
    }

    deinit { if let slot { cpc_disconnect(slot) } }
}
