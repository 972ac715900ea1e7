import CPulseCore
import SessionHost

/// Listens to one of the daemon's hooks, and stops when it ends.
final class Hook {
    private var slot: OpaquePointer?
    private let body: (OpaquePointer?) -> Void

    /// - Parameters:
    ///   - priority: `CPC_EARLY` to come before the daemon's own policies.
    ///   - body: Gets what the hook is about; `nil` for a default that there is none of any more.
    init(_ core: OpaquePointer, _ hook: cpc_hook, priority: Int, _ body: @escaping (OpaquePointer?) -> Void) {
        self.body = body
        slot = cpc_connect(
            core, hook, Int32(truncatingIfNeeded: priority),
            { _, subject, data in
                object(data, as: Hook.self)?.body(subject.map { OpaquePointer($0) })
                return 0
            }, pointer(to: self))
    }

    deinit { if let slot { cpc_disconnect(slot) } }
}
